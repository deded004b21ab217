"""`CutResponse`: a response that is known as a whole, streamed in pieces, as if it came in."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import TypeAlias

from .._contracts.model import ModelRequestParameters
from ..messages import (
    BaseToolCallPart,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPartDelta,
)
from ._streaming.streamed import KnownResponse, StreamedResponse

Pieces: TypeAlias = Sequence[tuple[int, int]]
"""How a response came in: for each piece, the index of its part and the number of its characters."""
_WORDS = re.compile(r'\s*\S+\s*|\s+')


def piece_of(event: object) -> tuple[int, int] | None:
    """Return how much of which part an event of a stream brings; `None` for other events."""
    if isinstance(event, PartStartEvent):
        return event.index, len(_text_of(event.part) or '')
    if not isinstance(event, PartDeltaEvent):
        return None
    delta = event.delta
    text = delta.args_delta if isinstance(delta, ToolCallPartDelta) else getattr(delta, 'content_delta', None)
    return event.index, len(text) if isinstance(text, str) else 0


EventsThrough: TypeAlias = Callable[[AsyncIterator[ModelResponseStreamEvent]], AsyncIterator[ModelResponseStreamEvent]]


def read_through(stream: StreamedResponse, through: EventsThrough) -> None:
    """Let whatever reads a stream read the events that a function makes of its events."""
    stream._event_iterator = through(stream.__aiter__())


def note_pieces(stream: StreamedResponse) -> list[tuple[int, int]]:
    """Return a list that gets the pieces of a stream while it is read."""
    pieces: list[tuple[int, int]] = []

    async def noted(events: AsyncIterator[ModelResponseStreamEvent]) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in events:
            if (piece := piece_of(event)) is not None:
                pieces.append(piece)
            yield event

    read_through(stream, noted)
    return pieces


def usual_pieces(parts: Sequence[ModelResponsePart]) -> Iterator[tuple[int, int]]:
    """Yield pieces for parts that never came in pieces: text word by word, arguments in two."""
    for index, part in enumerate(parts):
        text = _text_of(part) or ''
        if isinstance(part, TextPart):
            yield from ((index, len(word)) for word in _WORDS.findall(text) or [''])
        elif isinstance(part, BaseToolCallPart):
            yield index, len(text) // 2
            yield index, len(text) - len(text) // 2
        else:
            yield index, len(text)


def _text_of(part: Any) -> str | None:
    """Return the text of a part that grows; `None` if it comes as a whole."""
    if isinstance(part, (TextPart, ThinkingPart)):
        return part.content
    if isinstance(part, BaseToolCallPart) and part.args is not None:
        return part.args_as_json_str()
    return None


@dataclass(init=False, repr=False, eq=False)
class CutResponse(KnownResponse):
    """A whole response, as a stream."""

    def __init__(self, params: ModelRequestParameters, response: ModelResponse, pieces: Pieces | None = None) -> None:
        """Cut a response.

        Args:
            params: The parameters of the request.
            response: The response.
            pieces: How it came in; by default text comes word by word, and arguments in two pieces. If they are of another
                response, what they leave out comes at the end.
        """
        super().__init__(response, params)
        self._pieces = pieces
        self._usage = copy(response.usage)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        parts = self._whole.parts
        rest = [_text_of(part) for part in parts]
        begun = 0
        pieces = usual_pieces(parts) if self._pieces is None else self._pieces
        for index, length in (*pieces, *((index, sys.maxsize) for index in range(len(parts)))):
            if not 0 <= index < len(parts):
                continue
            is_first = index >= begun
            for each in range(begun, index + 1):  # parts begin in their order
                text = rest[each]
                first = text[:length] if text is not None and each == index else text
                rest[each] = text[len(first) :] if text is not None and first is not None else None
                yield self._parts_manager.begin_part(vendor_part_id=each, part=_with_text(parts[each], first))
            begun = max(begun, index + 1)
            text = rest[index]
            if text and not is_first:
                rest[index] = text[length:]
                for event in self._events_of(index, text[:length]):
                    yield event

    def _events_of(self, index: int, text: str) -> Iterator[ModelResponseStreamEvent]:
        part, manager = self._whole.parts[index], self._parts_manager
        if isinstance(part, TextPart):
            yield from manager.handle_text_delta(vendor_part_id=index, content=text)
        elif isinstance(part, ThinkingPart):
            yield from manager.handle_thinking_delta(vendor_part_id=index, content=text)
        elif (event := manager.handle_tool_call_delta(vendor_part_id=index, args=text)) is not None:
            yield event


def _with_text(part: Any, text: str | None) -> Any:
    """Return a part that has only the beginning of its text."""
    if text is None:
        return part
    return replace(part, args=text) if isinstance(part, BaseToolCallPart) else replace(part, content=text)
