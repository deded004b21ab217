"""Conversion of events to chunks of the Vercel AI data stream protocol."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

from pydantic_core import to_json

from ..._kit.json_types import JsonObject
from ..._kit.shown_json import shown_json
from ...messages import (
    FilePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    RetryPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallEvent,
    ToolCallPart,
    ToolCallPartDelta,
    ToolResultEvent,
    ToolReturnPart,
    retry_text,
)

DONE = b'data: [DONE]\n\n'
INTERRUPTED = 'Tool execution was interrupted by an error.'


def encode(chunk: JsonObject) -> bytes:
    """Return a chunk as a server-sent event, whatever is in it: a result that cannot be shown does not end the answer."""
    return b'data: ' + shown_json(chunk) + b'\n\n'


class ChunkWriter:
    """A converter of the events of one answer to chunks; it tracks steps, parts and calls that are not finished."""

    def __init__(self) -> None:
        self._in_step = False
        self._part_id = ''
        self._open_calls: dict[str, None] = {}

    def feed(self, event: object) -> Iterator[JsonObject]:
        """Yield the chunks for an event of the run; many events have none."""
        if isinstance(event, PartStartEvent):
            if event.index == 0:  # another response
                yield from self._end_step()
                yield {'type': 'start-step'}
                self._in_step = True
            yield from self._start_part(event.part)
        elif isinstance(event, PartDeltaEvent):
            yield from self._continue(event.delta)
        elif isinstance(event, PartEndEvent):
            yield from self._end_part(event.part)
        elif isinstance(event, ToolCallEvent):
            self._open_calls[event.tool_call_id] = None
            yield _input_of(event.part)
        elif isinstance(event, ToolResultEvent):
            self._open_calls.pop(event.tool_call_id, None)
            yield _output_of(event.part)

    def finish(self, error: str | None = None) -> Iterator[JsonObject]:
        """Yield the chunks that end the answer.

        Args:
            error: The reason why it is incomplete.
        """
        if error is not None:
            for call in self._open_calls:
                yield {'type': 'tool-output-error', 'toolCallId': call, 'errorText': INTERRUPTED}
            yield {'type': 'error', 'errorText': error}
        yield from self._end_step()
        yield {'type': 'finish'} if error is None else {'type': 'finish', 'finishReason': 'error'}

    def _end_step(self) -> Iterator[JsonObject]:
        if self._in_step:
            yield {'type': 'finish-step'}
        self._in_step = False

    def _start_part(self, part: object) -> Iterator[JsonObject]:
        if isinstance(part, (TextPart, ThinkingPart)):
            kind, self._part_id = _prose(part), str(uuid4())
            yield {'type': f'{kind}-start', 'id': self._part_id}
            if part.content:
                yield {'type': f'{kind}-delta', 'id': self._part_id, 'delta': part.content}
        elif isinstance(part, (ToolCallPart, NativeToolCallPart)):
            self._part_id = part.tool_call_id
            yield {'type': 'tool-input-start', 'toolCallId': self._part_id, 'toolName': part.tool_name, **_by(part)}
            if part.args:
                yield self._more_input(part.args_as_json_str() if isinstance(part.args, dict) else part.args)
        elif isinstance(part, NativeToolReturnPart):
            yield {**_output_of(part), **_by(part)}
        elif isinstance(part, FilePart):
            yield {'type': 'file', 'url': part.content.data_uri, 'mediaType': part.content.media_type}

    def _continue(self, delta: object) -> Iterator[JsonObject]:
        if isinstance(delta, TextPartDelta):
            yield {'type': 'text-delta', 'id': self._part_id, 'delta': delta.content_delta}
        elif isinstance(delta, ThinkingPartDelta):
            if delta.content_delta:  # it may only be a signature
                yield {'type': 'reasoning-delta', 'id': self._part_id, 'delta': delta.content_delta}
        elif isinstance(delta, ToolCallPartDelta) and delta.args_delta:
            more = delta.args_delta
            yield self._more_input(more if isinstance(more, str) else to_json(more).decode())

    def _end_part(self, part: object) -> Iterator[JsonObject]:
        if isinstance(part, (TextPart, ThinkingPart)):
            yield {'type': f'{_prose(part)}-end', 'id': self._part_id}
        elif isinstance(part, NativeToolCallPart):  # other calls have an event of their own, after validation
            yield {**_input_of(part), **_by(part)}

    def _more_input(self, text: str) -> JsonObject:
        return {'type': 'tool-input-delta', 'toolCallId': self._part_id, 'inputTextDelta': text}


def _prose(part: TextPart | ThinkingPart) -> str:
    return 'text' if isinstance(part, TextPart) else 'reasoning'


def _by(part: object) -> JsonObject:
    return {'providerExecuted': True} if isinstance(part, (NativeToolCallPart, NativeToolReturnPart)) else {}


def _input_of(part: ToolCallPart | NativeToolCallPart) -> JsonObject:
    head = {'type': 'tool-input-available', 'toolCallId': part.tool_call_id, 'toolName': part.tool_name}
    return {**head, 'input': part.args_as_dict()}


def _output_of(part: ToolReturnPart | NativeToolReturnPart | RetryPromptPart) -> JsonObject:
    if isinstance(part, RetryPromptPart) or part.outcome == 'retried':
        return {'type': 'tool-output-error', 'toolCallId': part.tool_call_id, 'errorText': retry_text(part)}
    if part.outcome != 'success':
        return {'type': 'tool-output-error', 'toolCallId': part.tool_call_id, 'errorText': str(part.content)}
    return {'type': 'tool-output-available', 'toolCallId': part.tool_call_id, 'output': part.content}
