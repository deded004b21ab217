"""Bodies of Cohere, for its cases."""

from __future__ import annotations

from typing import Any

from _wire import Reply, as_json, as_sse

MODEL = 'command-r-08-2024'
USAGE = {'billed_units': {'input_tokens': 8, 'output_tokens': 4}, 'tokens': {'input_tokens': 10, 'output_tokens': 5}}


def text(words: str) -> dict[str, Any]:
    return {'type': 'text', 'text': words}


def thought(words: str) -> dict[str, Any]:
    return {'type': 'thinking', 'thinking': words}


def answer(*content: Any, finish: str | None = 'COMPLETE', message: Any = None, **fields: Any) -> Reply:
    """An answer; strings in the content are texts."""
    items = [text(item) if isinstance(item, str) else item for item in content]
    whole = {'role': 'assistant', **({'content': items} if items else {}), **(message or {})}
    return as_json({'id': 'c1', 'finish_reason': finish, 'message': whole, 'usage': USAGE, **fields})


def call(name: str, arguments: Any, call_id: str | None = 'id1') -> dict[str, Any]:
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}


def event(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    """An event of a stream, with its piece of the message."""
    place = {} if index is None else {'index': index}
    return {'type': kind, **place, **({'delta': {'message': message}} if message else {})}


def pieces(*words: str, index: int = 0, key: str = 'text') -> list[dict[str, Any]]:
    """The events of a text, or of thinking."""
    return [
        event('content-start', index, content={'type': key, key: ''}),
        *(event('content-delta', index, content={key: word}) for word in words),
        event('content-end', index),
    ]


def calling(name: str, *arguments: str, index: int = 0, call_id: str = 'id1') -> list[dict[str, Any]]:
    """The events of a call."""
    return [
        event('tool-call-start', index, tool_calls=call(name, '', call_id)),
        *(event('tool-call-delta', index, tool_calls={'function': {'arguments': piece}}) for piece in arguments),
        event('tool-call-end', index),
    ]


def ending(finish: str | None = 'COMPLETE', usage: Any = USAGE, **delta: Any) -> dict[str, Any]:
    return {'type': 'message-end', 'delta': {'finish_reason': finish, 'usage': usage, **delta}}


def stream(*events: Any, finish: str = 'COMPLETE', usage: Any = USAGE) -> Reply:
    """A stream; a list is its items."""
    inner = [item for each in events for item in (each if isinstance(each, list) else [each])]
    start = {'id': 'c1', **event('message-start', role='assistant', content=[])}
    return as_sse([start, *inner, ending(finish, usage)], done=False)
