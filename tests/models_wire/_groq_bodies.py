"""Bodies of Groq, for its cases."""

from __future__ import annotations

from typing import Any

from _wire import Reply, as_json

MODEL = 'llama-3.3-70b-versatile'
USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15, 'prompt_time': 0.1, 'queue_time': 0.2}


def completion(message: Any = None, finish: str = 'stop', **fields: Any) -> Reply:
    message = {'role': 'assistant', **({'content': 'hi'} if message is None else message)}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1700000000, 'model': 'llama-x-2024'}
    choice = {'index': 0, 'message': message, 'finish_reason': finish, 'logprobs': None}
    return as_json({**head, 'choices': [choice], 'usage': USAGE, 'x_groq': {'id': 'req_1'}, **fields})
