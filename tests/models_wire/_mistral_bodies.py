"""Bodies of Mistral, for its cases."""

from __future__ import annotations

from typing import Any

from _wire import Reply, as_json

MODEL = 'mistral-large-latest'
USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}


def completion(message: Any = None, finish: Any = 'stop', **fields: Any) -> Reply:
    message = {'role': 'assistant', 'tool_calls': None, **({'content': 'hi'} if message is None else message)}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1700000000, 'model': 'mistral-x-2024'}
    return as_json(
        {**head, 'choices': [{'index': 0, 'message': message, 'finish_reason': finish}], 'usage': USAGE, **fields}
    )


def call(name: str, arguments: Any, call_id: Any = 'i1', **more: Any) -> dict[str, Any]:
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}, **more}


def thought(*texts: str, **more: Any) -> dict[str, Any]:
    return {'type': 'thinking', 'thinking': [{'type': 'text', 'text': text} for text in texts], **more}


def text(content: str) -> dict[str, Any]:
    return {'type': 'text', 'text': content}
