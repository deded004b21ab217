"""Streamed chat completions of Groq: each chunk becomes events. No I/O in `GroqFold`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._kit.json_types import JsonObject, as_dict, as_list, plain
from ...messages import ModelResponseStreamEvent, NativeToolCallPart, TextPart, ToolCallPart
from ...profiles import ModelProfile
from .._chat_completions.response import text_in
from .._chat_completions.stream import ChatStreamedResponse, TaggedTextFold
from .._streaming.fold import EventStream
from ._errors import FailedGeneration, as_model_error, failed_generation
from ._response import executed_parts

FAILED = 'failed_generation'
"""The key of a failed generation in a chunk that stands for it."""


@dataclass
class GroqFold(TaggedTextFold[ModelProfile]):
    """A completion in the dialect of Groq."""

    _thoughts: int = 0
    """The number of thinking parts so far; text or a tool between two pieces of thinking begins a new part."""
    _thinking: bool = False
    """Whether the last piece was thinking."""
    _executed: dict[object, tuple[NativeToolCallPart, bool]] = field(default_factory=lambda: {})
    """For each index of a tool that Groq runs, its call and whether it has returned."""

    def feed(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        if FAILED in chunk:
            yield from self._fail(chunk[FAILED])
            return
        usage = as_dict(chunk.get('x_groq')).get('usage') or chunk.get('usage')
        yield from self._delta(as_dict(self._choice_of(chunk, usage).get('delta')))

    def _fail(self, parts: list[TextPart | ToolCallPart]) -> Iterator[ModelResponseStreamEvent]:
        """Yield the events of a failed generation."""
        self.ended = True
        for part in parts:
            if isinstance(part, TextPart):
                yield from self.manager.handle_text_delta(vendor_part_id='failed', content=part.content)
            else:
                yield self.manager.handle_part(vendor_part_id=None, part=part)

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        if thinking := delta.get('reasoning'):
            self._thoughts += not self._thinking
            self._thinking = True
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=('reasoning', self._thoughts), content=str(thinking)
            )
        for place, tool in enumerate(as_list(delta.get('executed_tools'))):
            self._thinking = False
            yield from self._execute(place, as_dict(tool))
        if text := text_in(delta.get('content')):
            self._thinking = False
            yield from self._text(text)
        for item in as_list(delta.get('tool_calls')):
            call = as_dict(item)
            function = as_dict(call.get('function'))
            event = self.manager.handle_tool_call_delta(
                vendor_part_id=call.get('index'),
                tool_name=function.get('name') or None,
                args=function.get('arguments'),
                tool_call_id=call.get('id') or None,
            )
            if event is not None:
                yield event

    def _execute(self, place: int, tool: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        """Yield the events of a tool that Groq runs; chunks with its call, and later with its result, may repeat."""
        parts = executed_parts(tool, self.provider_name)
        if not parts:
            return
        place = tool.get('index', place)
        call, returned = self._executed.get(place, (None, False))
        if call is None:
            call = parts[0]
            yield self.manager.handle_part(vendor_part_id=None, part=call)
        if not returned and parts[1].content is not None:
            returned = True
            parts[1].tool_call_id = call.tool_call_id
            yield self.manager.handle_part(vendor_part_id=None, part=parts[1])
        self._executed[place] = (call, returned)


def chunks_of(answer: Any) -> EventStream:
    """Return the chunks of the SDK's stream; a `FailedGeneration` becomes a single chunk."""
    return EventStream(_read(answer), getattr(answer, 'close', _nothing))


async def _read(answer: Any) -> AsyncIterator[JsonObject]:
    if isinstance(answer, FailedGeneration):
        yield {FAILED: answer.parts}
        return
    try:
        async for chunk in answer:
            yield chunk if type(chunk) is dict else as_dict(plain(chunk))
    except Exception as error:
        failed = failed_generation(error)
        if failed is None:
            raise
        yield {FAILED: failed.parts}


async def _nothing() -> None:
    return


@dataclass
class GroqStreamedResponse(ChatStreamedResponse):
    """The streamed response of a `GroqModel`."""

    _as_model_error = staticmethod(as_model_error)

    def _fold(self) -> GroqFold:
        return GroqFold(self._parts_manager, self._provider_name, self._model_name, profile=self._model_profile)
