"""Streamed answers of Cohere: each event becomes stead's. No I/O in `CohereFold`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import now_utc
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...exceptions import ModelAPIError
from ...messages import ModelResponseStreamEvent
from .. import _wire_errors
from .._streaming.fold import VendorFold, VendorStream
from .._wire.events import EventReader
from .._wire_errors import unusable
from ._response import FINISH_REASONS, PLAN, usage_of


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised; any other error is returned as it is."""
    status: Any = getattr(error, 'status_code', None)
    if not type(error).__module__.startswith('cohere.') or not hasattr(error, 'status_code'):
        return _wire_errors.as_model_error(error, model_name, secret, '')
    if not isinstance(status, int):
        return _wire_errors.reported_error(getattr(error, 'body', None), model_name, secret)
    raised: Any = error
    if status >= 400:
        return _wire_errors.http_error(status, model_name, raised.body, raised.headers, secret)
    return _wire_errors.unusable(model_name, 'the SDK cannot read it', raised.body)


def reported(body: JsonObject, model_name: str, secret: str | None) -> ModelAPIError | None:
    """Return the error in an event of a stream that is one; `None` for all others."""
    message = body.get('message')
    if not isinstance(message, str):
        return None
    return _wire_errors.reported_error(body, model_name, secret)


@dataclass
class CohereFold(VendorFold):
    """An answer as far as its events say it."""

    missing_end = 'its message has no end'

    secret: str | None = None
    _planned: bool = False

    def feed(self, event: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        """Take an event of the API, and yield stead's events for it."""
        kind, index, delta = event.get('type'), event.get('index'), as_dict(event.get('delta'))
        message = as_dict(delta.get('message'))
        if kind == 'message-start':
            self.response_id = event.get('id')
        elif kind in ('content-start', 'content-delta'):
            yield from self._content(index, as_dict(message.get('content')))
        elif kind == 'tool-plan-delta':
            yield from self._plan(str(message.get(PLAN) or ''))
        elif kind in ('tool-call-start', 'tool-call-delta'):
            calls = message.get('tool_calls')
            for call in as_list(calls) or [calls]:
                yield from self._call(index, as_dict(call))
        elif kind == 'citation-start':
            citations = message.get('citations')
            self.details.setdefault('citations', []).extend(as_list(citations) or [citations])
        elif kind == 'message-end':
            self._end(delta)
        elif not isinstance(kind, str):
            raise reported(event, self.model_name, self.secret) or unusable(
                self.model_name, 'its stream has an event without a type', event
            )

    def _content(self, index: object, content: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        if thinking := content.get('thinking'):
            yield from self.manager.handle_thinking_delta(vendor_part_id=('thinking', index), content=str(thinking))
        if text := content.get('text'):
            yield from self.manager.handle_text_delta(vendor_part_id=('text', index), content=str(text))

    def _plan(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        if text:
            provider = None if self._planned else self.provider_name
            self._planned = True
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=PLAN, id=PLAN, content=text, provider_name=provider
            )

    def _call(self, index: object, call: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        function = as_dict(call.get('function'))
        event = self.manager.handle_tool_call_delta(
            vendor_part_id=('call', index),
            tool_name=function.get('name') or None,
            args=function.get('arguments') or None,
            tool_call_id=call.get('id') or None,
        )
        if event is not None:
            yield event

    def _end(self, delta: JsonObject) -> None:
        if error := delta.get('error'):
            raise reported({'message': str(error)}, self.model_name, self.secret) or ValueError(error)
        if reason := delta.get('finish_reason'):
            self.details['finish_reason'] = str(reason)
            self.finish_reason = FINISH_REASONS.get(str(reason))
        if usage := delta.get('usage'):
            self.usage = usage_of(self.count(usage))
        self.ended = True


async def events_of(response: Any) -> AsyncGenerator[Any, None]:
    """Yield the events of a response of the SDK, read from its bytes: the SDK passes over what is not JSON, and limits lines."""
    raw = getattr(response, '_response', None)
    if raw is None:  # a substitute for the SDK's response
        async for event in response.data:
            yield event
        return
    reader = EventReader()
    async for piece in raw.aiter_bytes():
        for event in reader.feed(piece):
            if event.data == b'[DONE]':
                return
            yield json.loads(event.data)
    for event in reader.finish():
        yield json.loads(event.data)


@dataclass
class CohereStreamedResponse(VendorStream):
    """The streamed response of a `CohereModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _response: Any
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: Any = None
    _secret: str | None = None

    def _fold(self) -> CohereFold:
        return CohereFold(self._parts_manager, self._provider_name, self._model_name, secret=self._secret)
