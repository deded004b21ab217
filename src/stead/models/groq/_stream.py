"""Chat completions that come in piece by piece: each chunk becomes events. No I/O in `GroqFold`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import now_utc
from ..._kit.plain import as_dict, as_list, plain
from ...messages import ModelResponseStreamEvent, NativeToolCallPart, TextPart, ToolCallPart
from ...profiles import ModelProfile
from .._streaming.fold import Source, VendorStream
from ..openai._chat_response import text_in
from ..openai._chat_stream import CompletionFold
from ._errors import FailedGeneration, as_model_error, failed_generation
from ._response import executed_parts

FAILED = 'failed_generation'
"""What stands, in the last chunk, for what the model made that Groq could not make calls of."""


@dataclass
class GroqFold(CompletionFold):
    """What the chunks of a stream come to."""

    profile: ModelProfile = field(kw_only=True)
    _in_tags: bool = False
    _thoughts: int = 0
    """How many pieces of thinking there were that something came between."""
    _thinking: bool = False
    _executed: dict[Any, tuple[NativeToolCallPart, bool]] = field(default_factory=lambda: {})
    """The calls of tools that Groq runs by their places, and whether they have returned."""

    def take(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        if FAILED in chunk:
            yield from self._fail(chunk[FAILED])
            return
        usage = as_dict(chunk.get('x_groq')).get('usage') or chunk.get('usage')
        yield from self._delta(self._delta_of(chunk, usage))

    def _fail(self, made: list[TextPart | ToolCallPart]) -> Iterator[ModelResponseStreamEvent]:
        """Take what the model made that is no valid call, and yield its events."""
        self.ended = True
        for part in made:
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

    def _text(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        tags = self.profile.thinking_tags
        tagged = self._in_tags or text in tags
        if text in tags:
            self._in_tags = text == tags[0]
        yield from self.manager.handle_text_delta(
            vendor_part_id='content',
            content=text,
            thinking_tags=tags if tagged else None,
            ignore_leading_whitespace=self.profile.ignore_streamed_leading_whitespace,
        )

    def _execute(self, place: int, tool: dict[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a tool that Groq runs: first the call, later the call with what came of it, both maybe several times."""
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


def chunks_of(answer: Any) -> Source:
    """Return the chunks of a stream of the SDK, or of a `FailedGeneration`, if that is all that came."""
    return Source(_read(answer), getattr(answer, 'close', _nothing))


async def _read(answer: Any) -> AsyncIterator[dict[str, Any]]:
    if isinstance(answer, FailedGeneration):
        yield {FAILED: answer.parts}
        return
    try:
        async for chunk in answer:
            yield as_dict(plain(chunk))
    except Exception as error:
        failed = failed_generation(error)
        if failed is None:
            raise
        yield {FAILED: failed.parts}


async def _nothing() -> None:
    return


@dataclass
class GroqStreamedResponse(VendorStream):
    """The streamed response of a `GroqModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _model_profile: ModelProfile
    _response: Any
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: Any = None
    _secret: str | None = None

    def _fold(self) -> GroqFold:
        return GroqFold(self._parts_manager, self._provider_name, self._model_name, profile=self._model_profile)
