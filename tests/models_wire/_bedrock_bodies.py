"""Bodies of Bedrock, for its cases: whole answers, and the frames of its event streams."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable
from typing import Any

from _wire import Cut, Reply, Reset, as_json

CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
NOVA = 'us.amazon.nova-2-lite-v1:0'
USAGE = {'inputTokens': 10, 'outputTokens': 5, 'totalTokens': 15}
EVENT_STREAM = 'application/vnd.amazon.eventstream'
HEADERS = {'x-amzn-RequestId': 'req-1'}


def answer(*content: Any, reason: Any = 'end_turn', usage: Any = USAGE, **fields: Any) -> Reply:
    """An answer with blocks of content."""
    output = {'message': {'role': 'assistant', 'content': list(content)}}
    body = {'output': output, 'stopReason': reason, 'usage': usage, 'metrics': {'latencyMs': 7}, **fields}
    return as_json(body, headers=HEADERS)


def text(content: str) -> dict[str, Any]:
    return {'text': content}


def tool_use(name: str, arguments: Any, call_id: str = 'i1', **more: Any) -> dict[str, Any]:
    return {'toolUse': {'toolUseId': call_id, 'name': name, 'input': arguments, **more}}


def tool_result(*content: Any, call_id: str = 'i1', status: str | None = 'success', **more: Any) -> dict[str, Any]:
    result = {'toolUseId': call_id, 'content': list(content), **more}
    return {'toolResult': {**result, 'status': status} if status else result}


def thought(content: str, signature: str | None = None) -> dict[str, Any]:
    inner = {'text': content, **({'signature': signature} if signature is not None else {})}
    return {'reasoningContent': {'reasoningText': inner}}


def sealed(data: str) -> dict[str, Any]:
    return {'reasoningContent': {'redactedContent': data}}


def error(kind: str, status: int, message: str = 'bad') -> Reply:
    """An answer that reports an error."""
    return as_json({'message': message}, status, {**HEADERS, 'x-amzn-ErrorType': kind})


def frame(kind: str, data: Any, *, message: str = 'event') -> bytes:
    """A frame of an event stream: lengths, checksum, headers, payload, checksum."""
    payload = data if isinstance(data, bytes) else json.dumps(data).encode()
    names = {':message-type': message, ':content-type': 'application/json'}
    names[':exception-type' if message == 'exception' else ':event-type'] = kind
    headers = b''.join(
        bytes([len(name)]) + name.encode() + b'\x07' + struct.pack('>H', len(value)) + value.encode()
        for name, value in names.items()
    )
    prelude = struct.pack('>II', 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack('>I', zlib.crc32(prelude))
    whole = prelude + headers + payload
    return whole + struct.pack('>I', zlib.crc32(whole))


def as_frames(events: Iterable[Any]) -> Reply:
    """A stream of events; each is a pair of its name and its data."""
    pieces = [item if isinstance(item, (bytes, float, Reset, Cut)) else frame(*item) for item in events]
    return Reply(headers=HEADERS, pieces=pieces, content_type=EVENT_STREAM)


START = ('messageStart', {'role': 'assistant'})
COUNTED = ('metadata', {'usage': USAGE, 'metrics': {'latencyMs': 7}})


def end(reason: str = 'end_turn', **fields: Any) -> tuple[str, Any]:
    return 'messageStop', {'stopReason': reason, **fields}


def delta(content: Any, place: int = 0) -> tuple[str, Any]:
    return 'contentBlockDelta', {'contentBlockIndex': place, 'delta': content}


def begin(content: Any, place: int = 0) -> tuple[str, Any]:
    return 'contentBlockStart', {'contentBlockIndex': place, 'start': content}


def stop(place: int = 0) -> tuple[str, Any]:
    return 'contentBlockStop', {'contentBlockIndex': place}


def texts(*contents: str, place: int = 0) -> list[Any]:
    """The events of a block of text."""
    return [*(delta({'text': content}, place) for content in contents), stop(place)]


def calling(name: str, *arguments: str, call_id: str = 'i1', place: int = 0) -> list[Any]:
    """The events of a call of a tool."""
    start = begin({'toolUse': {'toolUseId': call_id, 'name': name}}, place)
    return [start, *(delta({'toolUse': {'input': piece}}, place) for piece in arguments), stop(place)]


def thinking(*contents: str, signature: str | None = None, place: int = 0) -> list[Any]:
    """The events of a thought."""
    sealing = [delta({'reasoningContent': {'signature': signature}}, place)] if signature is not None else []
    pieces = [delta({'reasoningContent': {'text': content}}, place) for content in contents]
    return [*pieces, *sealing, stop(place)]


def stream(*events: Any, reason: str = 'end_turn') -> Reply:
    """A whole stream of these events."""
    return as_frames([START, *events, end(reason), COUNTED])
