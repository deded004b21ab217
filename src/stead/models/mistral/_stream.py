"""Streamed chat completions of Mistral: each chunk becomes events. No I/O in `MistralFold`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.json_types import as_dict, as_list
from ...messages import ModelResponseStreamEvent
from .._chat_completions.response import id_of
from .._chat_completions.stream import CompletionFold
from .._streaming.fold import EventStream, VendorStream
from .._wire.body import parse
from ._errors import as_model_error, reported
from ._outputs import OutputText
from ._response import FINISH_REASONS, NO_ID, content_of, plain


@dataclass
class MistralFold(CompletionFold):
    """A completion in the dialect of Mistral."""

    reasons = FINISH_REASONS

    output: OutputText | None = field(default=None, init=False)
    """Text that may be an output, until it is known whether it is."""
    _calls: dict[object, Hashable] = field(default_factory=lambda: {})
    """For each index of a call, the key of its part: the id is not repeated in every chunk."""

    def __post_init__(self) -> None:
        params = self.manager.model_request_parameters
        if params.output_tools:
            self.output = OutputText(params.output_tools, allow_text=params.allow_text_output)

    def feed(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        delta = as_dict(self._choice_of(chunk, chunk.get('usage')).get('delta'))
        text, thoughts = content_of(delta.get('content'))
        for thought in thoughts:
            yield from self.manager.handle_thinking_delta(vendor_part_id='thinking', content=thought)
        if text:
            yield from self._text(text)
        for place, item in enumerate(as_list(delta.get('tool_calls'))):
            yield from self._call(place, as_dict(item))

    def finish(self) -> Iterator[ModelResponseStreamEvent]:
        """Yield the events of text that was held back."""
        if self.output is not None and self.output.pending:
            yield from self._text('', is_last=True)

    def _text(self, text: str, *, is_last: bool = False) -> Iterator[ModelResponseStreamEvent]:
        name: str | None = None
        call_id: str | None = None
        if self.output is not None:
            known = self.output.feed(text, is_last=is_last)
            if known is None:
                return
            self.output = None
            name, text = known
            if name is not None:
                self._calls['output'], call_id = True, generate_tool_call_id()
        if 'output' in self._calls:
            event = self.manager.handle_tool_call_delta(
                vendor_part_id='output', tool_name=name, args=text, tool_call_id=call_id
            )
            if event is not None:
                yield event
        else:
            yield from self.manager.handle_text_delta(vendor_part_id='content', content=text)

    def _call(self, place: int, call: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        function, call_id = as_dict(call.get('function')), id_of(call, NO_ID)
        place = call.get('index', place)
        known = self._calls.get(place)
        if known is None or (call_id is not None and known != (place, call_id)):
            known = self._calls[place] = (place, call_id)
            name = function.get('name') or None
        else:
            name = None  # some servers repeat it
        event = self.manager.handle_tool_call_delta(
            vendor_part_id=known, tool_name=name, args=function.get('arguments'), tool_call_id=call_id
        )
        if event is not None:
            yield event


def chunks_of(response: Any) -> EventStream:
    """Return the chunks in a response of the HTTP library."""
    return EventStream(_read(response), response.aclose)


def chunks_of_typed(stream: Any) -> EventStream:
    """Return the chunks of the SDK's stream, read from its response: the SDK is slow for long chunks, and strict."""
    response = getattr(stream, 'response', None)
    events = _read_typed(stream) if response is None else _read(response)
    return EventStream(events, lambda: stream.__aexit__(None, None, None))


async def _read_typed(stream: Any) -> AsyncIterator[Mapping[str, Any]]:
    async for event in stream:  # a substitute for the SDK's stream
        yield as_dict(as_dict(plain(event)).get('data'))


async def _read(response: Any) -> AsyncIterator[Mapping[str, Any]]:
    async for data in _data_of(response):
        if data == b'[DONE]':
            return
        yield as_dict(parse(data))


async def _data_of(response: Any) -> AsyncIterator[bytes]:
    """Yield the data of server-sent events; each is a single line in this API."""
    pending: list[bytes] = []
    async for block in response.aiter_bytes():
        first, *rest = block.split(b'\n')
        pending.append(first)
        for line in rest:
            whole, pending = b''.join(pending), [line]
            if whole.startswith(b'data:'):
                yield whole[5:].strip()
    last = b''.join(pending)
    if last.startswith(b'data:'):
        yield last[5:].strip()


@dataclass
class MistralStreamedResponse(VendorStream):
    """The streamed response of a `MistralModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _response: Any
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _delta_content: str = field(default='', init=False)
    """Text that is held back until it is known whether it is an output."""
    _first: Any = None
    _secret: str | None = None

    def _fold(self) -> MistralFold:
        return MistralFold(self._parts_manager, self._provider_name, self._model_name)

    def _plain(self, event: Any) -> Any:
        if (error := reported(event, self._model_name, self._secret)) is not None:
            raise error
        return event

    def _note(self, fold: MistralFold) -> None:
        super()._note(fold)
        self._delta_content = fold.output.pending if fold.output is not None else ''
