"""Bodies of Hugging Face, for its cases."""

from __future__ import annotations

from typing import Any

from _wire import Reply, as_json

MODEL = 'Qwen/Qwen3-32B'
USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}


def completion(message: Any = None, finish: str | None = 'stop', **fields: Any) -> Reply:
    message = {'role': 'assistant', **({'content': 'hi'} if message is None else message)}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1700000000, 'model': 'qwen-x', 'system_fingerprint': ''}
    choice = {'index': 0, 'message': message, 'finish_reason': finish, 'logprobs': None}
    return as_json({**head, 'choices': [choice], 'usage': USAGE, **fields})


def chunk(delta: Any = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1700000000, 'model': 'qwen-x'}
    choice = {'index': 0, 'delta': {'role': 'assistant', **(delta or {})}, 'finish_reason': finish, 'logprobs': None}
    return {**head, 'choices': [choice], **fields}


def call(place: int, call_id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    """A call, or a piece of one."""
    return {'index': place, 'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}
