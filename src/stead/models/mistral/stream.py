"""Chat completions that come in piece by piece: each chunk becomes events. No I/O in `MistralFold`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._contracts.parts import ModelResponsePartsManager
from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.plain import as_dict, as_list
from ...exceptions import ModelAPIError
from ...messages import FinishReason, ModelResponseStreamEvent
from ...usage import RequestUsage
from .._vendor import VendorStream
from ..openai.chat_response import usage_of
from .errors import as_model_error, reported
from .outputs import OutputText
from .response import FINISH_REASONS, content_of, details_of, id_of, plain


@dataclass
class MistralFold:
    """What the chunks of a stream come to."""

    manager: ModelResponsePartsManager
    model_name: str
    response_id: str | None = None
    details: dict[str, Any] = field(default_factory=lambda: {})
    usage: RequestUsage | None = None
    finish_reason: FinishReason | None = None
    ended: bool = False
    output: OutputText | None = field(default=None, init=False)
    """Text that may be the output, as long as that is not known."""
    _calls: dict[Any, Any] = field(default_factory=lambda: {})
    """What tells calls from each other, by their places: the id is not repeated in every piece."""

    def __post_init__(self) -> None:
        params = self.manager.model_request_parameters
        if params.output_tools:
            self.output = OutputText(params.output_tools, allow_text=params.allow_text_output)

    def take(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        choice = as_dict(next(iter(as_list(chunk.get('choices'))), None))
        self.response_id = chunk.get('id') or self.response_id
        self.model_name = chunk.get('model') or self.model_name
        reason = choice.get('finish_reason')
        self.details.update(details_of(chunk, reason))
        if usage := chunk.get('usage'):
            self.usage = usage_of(usage)
        if reason:
            self.finish_reason = FINISH_REASONS.get(str(reason))
        self.ended = self.ended or bool(reason or usage)
        delta = as_dict(choice.get('delta'))
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
            known = self.output.take(text, is_last=is_last)
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
        function, call_id = as_dict(call.get('function')), id_of(call)
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


async def chunks_of(stream: Any) -> AsyncIterator[Mapping[str, Any]]:
    """Yield the chunks of a stream of the SDK. They are read past it, which takes long for long ones and is strict."""
    response = getattr(stream, 'response', None)
    if response is None:  # it is something that stands in for a stream of the SDK
        async for event in stream:
            yield as_dict(as_dict(plain(event)).get('data'))
        return
    async for data in _data_of(response):
        if data == b'[DONE]':
            return
        yield as_dict(json.loads(data))


async def _data_of(response: Any) -> AsyncIterator[bytes]:
    """Yield the data of server-sent events, each of which is one line in this API."""
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

    _model_name: str
    _response: Any
    """The stream of the SDK."""
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _delta_content: str = field(default='', init=False)
    """Text that is held back until it is known whether it is an output."""
    _chunks: Any = None
    """The chunks of it."""
    _first: Any = None
    """The first one, which was read to know that there is an answer."""
    _secret: str | None = None

    async def close_stream(self) -> None:
        """Close the connection."""
        await self._response.__aexit__(None, None, None)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        fold = MistralFold(self._parts_manager, self._model_name)
        try:
            async for chunk in self._all_chunks():
                if (error := reported(chunk, self._model_name, self._secret)) is not None:
                    raise error
                for event in fold.take(chunk):
                    yield event
                self._note(fold)
            for event in fold.finish():
                yield event
        except Exception as error:
            raise as_model_error(error, self._model_name, self._secret) from error
        if not fold.ended:
            raise ModelAPIError(
                self._model_name,
                f'The stream of {self._model_name!r} ended before the response was complete: '
                'it said neither why it ends nor what it cost.',
            )

    async def _all_chunks(self) -> AsyncIterator[Mapping[str, Any]]:
        if self._first is not None:
            yield self._first
        async for chunk in self._chunks:
            yield chunk

    def _note(self, fold: MistralFold) -> None:
        """Keep what the chunks have said so far."""
        self._model_name = fold.model_name
        self.provider_response_id = fold.response_id
        self.provider_details = fold.details or None
        self._provider_timestamp = fold.details.get('timestamp')
        self.finish_reason = fold.finish_reason
        self._delta_content = fold.output.pending if fold.output is not None else ''
        if fold.usage is not None:
            self._usage = fold.usage
