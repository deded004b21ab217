"""Streamed responses of local models: each chunk of the engine becomes events. No I/O in `Fold`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.json_types import JsonObject, as_count, as_dict, as_list
from ...exceptions import UnexpectedModelBehavior
from ...messages import FinishReason, ModelResponseStreamEvent
from ...usage import RequestUsage
from .._streaming.parts import ModelResponsePartsManager
from .._streaming.streamed import StreamedResponse
from ._engine import EngineStream
from ._errors import EngineError
from ._loops import LoopWatch
from ._reader import Fragment, GrammarViolation, Reader
from ._response_format import ResponseFormat
from ._stop_sequences import StopSequences

_REASONS: dict[Any, FinishReason] = {'stop': 'stop', 'length': 'length'}


@dataclass
class Fold:
    """The response that the chunks of the engine add up to."""

    manager: ModelResponsePartsManager
    response_format: ResponseFormat
    model_name: str
    stop_sequences: Sequence[str] = ()
    stop_loops: bool = True
    """Whether a text that repeats itself ends there."""
    usage: RequestUsage = field(default_factory=RequestUsage)
    finish_reason: FinishReason | None = None
    response_id: str | None = None
    details: dict[str, Any] = field(default_factory=lambda: {})
    stopped: bool = False
    """Whether a stop sequence has come, or a loop was noticed, which ends the response."""
    _calls: int = 0
    _bare: bool = False
    """Whether the last fragment was the name of a tool, without arguments so far."""
    _written: list[str] = field(default_factory=lambda: [])
    """The text so far, for error messages."""

    def __post_init__(self) -> None:
        self._reader = Reader(text=self.response_format.text)
        self._trim = _Trimmer() if self.response_format.schema is None else None
        # A loop inside of JSON is bounded by the grammar, and cannot end there.
        self._loops = LoopWatch() if self.stop_loops and self.response_format.text else None
        # The engine stops plain text by itself, but it would cut JSON in half.
        self._stops = StopSequences(
            self.stop_sequences if self.response_format.schema is not None and self.response_format.text else ()
        )

    def feed(self, chunk: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk of the engine, and yield its events.

        Raises:
            UnexpectedModelBehavior: The decoder did not keep to the grammar.
        """
        self._note(chunk)
        choice = as_dict(next(iter(as_list(chunk.get('choices'))), None))
        delta = as_dict(choice.get('delta'))
        if thought := delta.get('reasoning_content'):
            yield from self.manager.handle_thinking_delta(vendor_part_id='thinking', content=str(thought))
        text = str(choice.get('text') or delta.get('content') or '')
        if text and not self.stopped:
            yield from self._text(text)
        if reason := choice.get('finish_reason'):
            self.finish_reason = _REASONS.get(reason)
            self.details['finish_reason'] = reason
            yield from self._answer(self._stops.rest())
            if self._bare:  # cut off after the name: invalid arguments mark the call as incomplete
                yield from self._fragment(Fragment('arguments', '{'))

    def _text(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        if self.response_format.schema is None:
            yield from self._answer(text)
            return
        self._written.append(text)
        try:
            fragments = self._reader.feed(text)
        except GrammarViolation as error:
            raise self._malformed(str(error)) from None
        for fragment in fragments:
            yield from self._fragment(fragment)

    def _fragment(self, fragment: Fragment) -> Iterator[ModelResponseStreamEvent]:
        if fragment.kind == 'text':
            yield from self._answer(self._stops.feed(fragment.text) if self.response_format.text else fragment.text)
            self.stopped = self.stopped or self._stops.found
            return
        self._calls += fragment.kind == 'call'
        self._bare = fragment.kind == 'call'
        event = self.manager.handle_tool_call_delta(
            vendor_part_id=f'call-{self._calls}',
            tool_name=fragment.text if fragment.kind == 'call' else None,
            args=fragment.text if fragment.kind == 'arguments' else None,
            tool_call_id=generate_tool_call_id() if fragment.kind == 'call' else None,
        )
        if event is not None:
            yield event

    def _answer(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        if self._trim is not None:
            text = self._trim.feed(text)
        if text:
            yield from self.manager.handle_text_delta(vendor_part_id='answer', content=text)
            if self._loops is not None:
                self._loops.feed(text)
                self.stopped = self.stopped or self._loops.found

    def end(self) -> None:
        """Check that the answer is complete.

        Raises:
            EngineError: The engine broke off its response.
            UnexpectedModelBehavior: The decoder did not keep to the grammar.
        """
        if self.stopped:
            self.finish_reason = 'stop'
            if self._loops is not None and self._loops.found:
                self.details['finish_reason'] = 'repetition'
        elif self.finish_reason is None:
            raise EngineError(self.model_name, f'The engine of {self.model_name!r} broke off its answer.')
        elif self.finish_reason == 'stop' and self.response_format.schema is not None and not self._reader.done:
            raise self._malformed('it is not complete')
        elif self.finish_reason == 'stop' and self._calls:
            self.finish_reason = 'tool_call'

    def _malformed(self, why: str) -> UnexpectedModelBehavior:
        tools = [tool.name for tool in self.response_format.tools]
        return UnexpectedModelBehavior(
            f'{self.model_name!r} did not keep to the grammar that was made of the tools {tools} and the output: {why}. '
            'The decoder has refused it; simplify the schemas, those with patterns first.',
            ''.join(self._written)[:10_000],
        )

    def _note(self, chunk: JsonObject) -> None:
        self.response_id = chunk.get('id') or self.response_id
        if counts := as_dict(chunk.get('timings')):  # every chunk has them, so that a stopped response has its usage
            cached = as_count(counts.get('cache_n'))
            self.usage = RequestUsage(
                input_tokens=as_count(counts.get('prompt_n')) + cached,
                output_tokens=as_count(counts.get('predicted_n')),
                cache_read_tokens=cached,
            )


class _Trimmer:
    """Removes the white space around a text that comes in pieces."""

    def __init__(self) -> None:
        self._started = False
        self._space: str = ''

    def feed(self, text: str) -> str:
        text = self._space + text if self._started else text.lstrip()
        left = text.rstrip()
        self._space = text[len(left) :]
        self._started = self._started or bool(left)
        return left


@dataclass
class LlamaCppStreamedResponse(StreamedResponse):
    """The streamed response of a `LlamaCppModel`."""

    _model_name: str
    _engine_stream: EngineStream
    """The stream of the engine."""
    _format: ResponseFormat
    _stop_sequences: Sequence[str] = ()
    _stop_loops: bool = True
    _first: Any = None
    _timestamp: datetime = field(default_factory=now_utc)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        fold = Fold(self._parts_manager, self._format, self._model_name, self._stop_sequences, self._stop_loops)
        try:
            async for chunk in self._all():
                for event in fold.feed(chunk):
                    yield event
                self.provider_response_id: str | None = fold.response_id
                self._usage = fold.usage
                if fold.stopped:
                    break
            if not self._cancelled:
                fold.end()
        finally:
            self._engine_stream.close()
        self.finish_reason: FinishReason | None = fold.finish_reason
        self.provider_details: JsonObject | None = fold.details or None

    async def _all(self) -> AsyncIterator[dict[str, Any]]:
        if self._first is not None:
            yield self._first
        async for chunk in self._engine_stream:
            yield chunk

    async def close_stream(self) -> None:
        """Stop the decoder."""
        self._engine_stream.close()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors of a stream that is closed under its reader."""
        return (EngineError,)

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def provider_name(self) -> str:
        """The name of the provider."""
        return 'local'

    @property
    def provider_url(self) -> str | None:
        """None: nothing is sent anywhere."""
        return None

    @property
    def timestamp(self) -> datetime:
        """When the response started."""
        return self._timestamp
