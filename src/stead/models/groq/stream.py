"""Chat completions that come in piece by piece: each chunk becomes events. No I/O in `GroqFold`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._contracts.parts import ModelResponsePartsManager
from ..._kit.ids import now_utc
from ..._kit.plain import as_dict, as_list
from ...exceptions import ModelAPIError
from ...messages import FinishReason, ModelResponseStreamEvent, NativeToolCallPart, TextPart, ToolCallPart
from ...profiles import ModelProfile
from ...usage import RequestUsage
from .._vendor import VendorStream, plain
from ..openai.chat_response import FINISH_REASONS, text_in, usage_of
from .errors import as_model_error, failed_generation
from .response import details_of, executed_parts


@dataclass
class GroqFold:
    """What the chunks of a stream come to."""

    manager: ModelResponsePartsManager
    profile: ModelProfile
    provider_name: str
    model_name: str
    response_id: str | None = None
    details: dict[str, Any] = field(default_factory=lambda: {})
    usage: RequestUsage | None = None
    finish_reason: FinishReason | None = None
    ended: bool = False
    _in_tags: bool = False
    _thoughts: int = 0
    """How many pieces of thinking there were that something came between."""
    _thinking: bool = False
    _executed: dict[Any, tuple[NativeToolCallPart, bool]] = field(default_factory=lambda: {})
    """The calls of tools that Groq runs by their places, and whether they have returned."""

    def take(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        choice = as_dict(next(iter(as_list(chunk.get('choices'))), None))
        self.response_id = chunk.get('id') or self.response_id
        self.model_name = chunk.get('model') or self.model_name
        reason = choice.get('finish_reason')
        self.details.update(details_of(chunk, reason))
        if usage := as_dict(chunk.get('x_groq')).get('usage') or chunk.get('usage'):
            self.usage = usage_of(usage)
        if reason:
            self.finish_reason = FINISH_REASONS.get(str(reason))
        self.ended = self.ended or bool(reason or usage)
        yield from self._delta(as_dict(choice.get('delta')))

    def fail(self, made: list[TextPart | ToolCallPart]) -> Iterator[ModelResponseStreamEvent]:
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


@dataclass
class GroqStreamedResponse(VendorStream):
    """The streamed response of a `GroqModel`."""

    _model_name: str
    _model_profile: ModelProfile
    _response: Any
    """The stream of the SDK; an error, if that is all that came."""
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: Any = None
    """Its first chunk, which was read to know that there is an answer."""
    _secret: str | None = None

    async def close_stream(self) -> None:
        """Close the connection."""
        if not isinstance(self._response, Exception):
            await super().close_stream()

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        fold = GroqFold(self._parts_manager, self._model_profile, self._provider_name, self._model_name)
        try:
            async for chunk in self._chunks():
                for event in fold.take(as_dict(chunk)):
                    yield event
                self._note(fold)
        except Exception as error:
            made = failed_generation(error)
            if made is None:
                raise as_model_error(error, self._model_name, self._secret) from error
            for event in fold.fail(made):
                yield event
        if not fold.ended:
            raise ModelAPIError(
                self._model_name,
                f'The stream of {self._model_name!r} ended before the response was complete: '
                'it said neither why it ends nor what it cost.',
            )

    async def _chunks(self) -> AsyncIterator[Any]:
        if isinstance(self._response, Exception):
            raise self._response
        if self._first is not None:
            yield plain(self._first)
        async for chunk in self._response:
            yield plain(chunk)

    def _note(self, fold: GroqFold) -> None:
        """Keep what the chunks have said so far."""
        self._model_name = fold.model_name
        self.provider_response_id = fold.response_id
        self.provider_details = fold.details or None
        self._provider_timestamp = fold.details.get('timestamp')
        self.finish_reason = fold.finish_reason
        if fold.usage is not None:
            self._usage = fold.usage
