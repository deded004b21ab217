"""Responses of local models while they come in: each piece of the engine becomes events of stead. No I/O in `Fold`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.plain import as_count, as_dict, as_list
from ...exceptions import UnexpectedModelBehavior
from ...messages import FinishReason, ModelResponseStreamEvent
from ...usage import RequestUsage
from .._streaming.parts import ModelResponsePartsManager
from .._streaming.streamed import StreamedResponse
from ._errors import EngineError
from ._reader import Misread, Piece, Reader
from ._stops import Stops
from ._union import Form

_REASONS: dict[Any, FinishReason] = {'stop': 'stop', 'length': 'length'}


@dataclass
class Fold:
    """What the pieces of an answer come to."""

    manager: ModelResponsePartsManager
    form: Form
    model_name: str
    stop_sequences: Sequence[str] = ()
    usage: RequestUsage = field(default_factory=RequestUsage)
    finish_reason: FinishReason | None = None
    response_id: str | None = None
    details: dict[str, Any] = field(default_factory=lambda: {})
    stopped: bool = False
    """Whether a stop sequence has come, so that nothing more is wanted."""
    _calls: int = 0
    _bare: bool = False
    _written: list[str] = field(default_factory=lambda: [])

    def __post_init__(self) -> None:
        self._reader = Reader(text=self.form.text)
        self._trim = _Trim() if self.form.schema is None else None
        # The engine stops plain text by itself; inside of JSON it would leave half of it.
        self._stops = Stops(self.stop_sequences if self.form.schema is not None and self.form.text else ())

    def take(self, piece: dict[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a piece of the engine, and yield its events.

        Raises:
            UnexpectedModelBehavior: The decoder did not keep to the grammar.
        """
        self._note(piece)
        choice = as_dict(next(iter(as_list(piece.get('choices'))), None))
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
            if self._bare:  # cut right here: a call without arguments, which nobody must take for a complete one
                yield from self._piece(Piece('arguments', '{'))

    def _text(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        if self.form.schema is None:
            yield from self._answer(text)
            return
        self._written.append(text)
        try:
            pieces = self._reader.feed(text)
        except Misread as error:
            raise self._malformed(str(error)) from None
        for piece in pieces:
            yield from self._piece(piece)

    def _piece(self, piece: Piece) -> Iterator[ModelResponseStreamEvent]:
        if piece.kind == 'text':
            yield from self._answer(self._stops.take(piece.text) if self.form.text else piece.text)
            self.stopped = self._stops.found
            return
        self._calls += piece.kind == 'call'
        self._bare = piece.kind == 'call'
        event = self.manager.handle_tool_call_delta(
            vendor_part_id=f'call-{self._calls}',
            tool_name=piece.text if piece.kind == 'call' else None,
            args=piece.text if piece.kind == 'arguments' else None,
            tool_call_id=generate_tool_call_id() if piece.kind == 'call' else None,
        )
        if event is not None:
            yield event

    def _answer(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        if self._trim is not None:
            text = self._trim.take(text)
        if text:
            yield from self.manager.handle_text_delta(vendor_part_id='answer', content=text)

    def end(self) -> None:
        """Check that the answer is complete.

        Raises:
            EngineError: The engine broke off.
            UnexpectedModelBehavior: The decoder did not keep to the grammar.
        """
        if self.stopped:
            self.finish_reason = 'stop'
        elif self.finish_reason is None:
            raise EngineError(self.model_name, f'The engine of {self.model_name!r} broke off its answer.')
        elif self.finish_reason == 'stop' and self.form.schema is not None and not self._reader.done:
            raise self._malformed('it is not complete')
        elif self.finish_reason == 'stop' and self._calls:
            self.finish_reason = 'tool_call'

    def _malformed(self, why: str) -> UnexpectedModelBehavior:
        tools = [tool.name for tool in self.form.tools]
        return UnexpectedModelBehavior(
            f'{self.model_name!r} did not keep to the grammar that was made of the tools {tools} and the output: {why}. '
            'The decoder has refused it; simplify the schemas, those with patterns first.',
            ''.join(self._written)[:10_000],
        )

    def _note(self, piece: dict[str, Any]) -> None:
        self.response_id = piece.get('id') or self.response_id
        if counts := as_dict(piece.get('timings')):  # every piece has them, also the last one before a stop
            cached = as_count(counts.get('cache_n'))
            self.usage = RequestUsage(
                input_tokens=as_count(counts.get('prompt_n')) + cached,
                output_tokens=as_count(counts.get('predicted_n')),
                cache_read_tokens=cached,
            )


class _Trim:
    """Leaves out the white space around a text that comes in pieces."""

    def __init__(self) -> None:
        self._begun = False
        self._space: str = ''

    def take(self, text: str) -> str:
        text = self._space + text if self._begun else text.lstrip()
        left = text.rstrip()
        self._space = text[len(left) :]
        self._begun = self._begun or bool(left)
        return left


@dataclass
class LlamaCppStreamedResponse(StreamedResponse):
    """The streamed response of a `LlamaCppModel`."""

    _model_name: str
    _answer: Any
    """The answer of the engine."""
    _form: Form
    _stop_sequences: Sequence[str] = ()
    _first: Any = None
    _timestamp: datetime = field(default_factory=now_utc)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        fold = Fold(self._parts_manager, self._form, self._model_name, self._stop_sequences)
        try:
            async for piece in self._all():
                for event in fold.take(piece):
                    yield event
                self.provider_response_id = fold.response_id
                self._usage = fold.usage
                if fold.stopped:
                    break
            if not self._cancelled:
                fold.end()
        finally:
            self._answer.close()
        self.finish_reason = fold.finish_reason
        self.provider_details = fold.details or None

    async def _all(self) -> AsyncIterator[dict[str, Any]]:
        if self._first is not None:
            yield self._first
        async for piece in self._answer:
            yield piece

    async def close_stream(self) -> None:
        """Stop the decoder."""
        self._answer.close()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors of a stream that is closed under its reader."""
        return (EngineError,)

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def provider_name(self) -> str:
        """The provider."""
        return 'local'

    @property
    def provider_url(self) -> str | None:
        """None: nothing is sent anywhere."""
        return None

    @property
    def timestamp(self) -> datetime:
        """When the response began."""
        return self._timestamp
