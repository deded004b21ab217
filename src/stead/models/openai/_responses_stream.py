"""The Responses API, piece by piece: each event of OpenAI becomes events of stead. No I/O in `ResponseFold`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pydantic_core import to_json

from ..._kit.ids import now_utc
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...messages import ModelResponseStreamEvent, PartStartEvent, ThinkingPart, ToolCallPart
from .._citations import cited_marks
from .._streaming.fold import VendorFold, VendorStream
from .._wire_errors import reported_error
from ._chat_stream import as_model_error
from ._responses_response import (
    FINISH_REASONS,
    call_details,
    check_failed,
    compaction_part,
    decode_search,
    details_of,
    files_of,
    image_part,
    native_call,
    native_return,
    raw_thinking,
    text_details,
    usage_of,
)

_ENDS = ('response.completed', 'response.incomplete', 'response.failed')


@dataclass
class ResponseFold(VendorFold):
    """The response that the events of a stream add up to."""

    annotations: bool = field(kw_only=True)
    _refusal: list[str] = field(default_factory=lambda: [])
    _open: dict[Any, bool] = field(default_factory=lambda: {})
    """For each item of a native call whose arguments are incomplete, whether some of them have come."""
    _searches: list[str] = field(default_factory=lambda: [])
    """The ids of searches for tools without a result so far."""

    def feed(self, event: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take an event, and yield those of stead.

        Raises:
            ModelAPIError: The response failed.
        """
        kind, item_id = str(event.get('type')), event.get('item_id')
        if response := as_dict(event.get('response')):
            self._note(kind, response)
        elif kind == 'error':
            error = as_dict(event.get('error')) or {name: event.get(name) for name in ('code', 'message')}
            raise reported_error(error, self.model_name, None)
        elif kind == 'response.output_item.added':
            yield from self._added(as_dict(event.get('item')))
        elif kind == 'response.output_item.done':
            yield from self._done(as_dict(event.get('item')))
        elif kind == 'response.output_text.delta':
            yield from self._text((item_id, event.get('content_index')), item_id, str(event.get('delta') or ''))
        elif kind == 'response.refusal.delta':
            self._refusal.append(str(event.get('delta') or ''))
        elif kind == 'response.reasoning_summary_part.added':
            text = as_dict(event.get('part')).get('text') or ''
            yield from self._thinking(
                item_id, event.get('summary_index'), content=text, provider_name=self.provider_name
            )
        elif kind == 'response.reasoning_summary_text.delta':
            yield from self._thinking(item_id, event.get('summary_index'), content=event.get('delta'))
        elif kind == 'response.reasoning_text.delta':
            if self.manager.get_part_by_vendor_id(f'{item_id}-0') is None:  # the rest is added when it is whole
                details = {'raw_content': [str(event.get('delta') or '')]}
                yield from self._thinking(
                    item_id, 0, content='', provider_name=self.provider_name, provider_details=details
                )
        elif kind == 'response.image_generation_call.partial_image':
            data, image_format = str(event.get('partial_image_b64') or ''), str(event.get('output_format') or 'png')
            part = image_part(data, image_format, item_id)
            yield self.manager.handle_part(vendor_part_id=f'{item_id}-file', part=part)
        else:
            yield from self._arguments_of(kind, item_id, event)

    def _note(self, kind: str, response: JsonObject) -> None:
        self.response_id = response.get('id') or self.response_id
        self.model_name = response.get('model') or self.model_name
        check_failed(response, self.model_name)
        details = details_of(response)
        if kind in _ENDS:
            self.ended = True
            self.finish_reason = FINISH_REASONS.get(str(details.get('finish_reason')))
        else:
            details.pop('finish_reason', None)
        self.details.update(details)
        if response.get('usage'):
            self.usage = usage_of(response['usage'])
        if self._refusal:
            self.details.pop('finish_reason', None)
            self.details['refusal'] = ''.join(self._refusal)
            self.finish_reason = 'content_filter'

    def _added(self, item: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        item_id = item.get('id')
        if item.get('type') == 'function_call':
            event = self.manager.handle_tool_call_delta(
                vendor_part_id=item_id,
                tool_name=item.get('name'),
                args=item.get('arguments') or '',
                tool_call_id=item.get('call_id'),
                provider_name=self.provider_name,
                provider_details=call_details(item),
            )
            if event is not None:
                if isinstance(event, PartStartEvent):
                    event.part.id = item_id  # type: ignore[union-attr]
                yield event
            return
        if item.get('type') == 'tool_search_call':
            for part in decode_search(item, self.provider_name, self._searches):
                yield self.manager.handle_part(vendor_part_id=f'{item_id}-call', part=replace(part, args=None))
            return
        call = native_call(item, self.provider_name)
        if call is None:
            return
        if item.get('type') != 'mcp_list_tools':
            call = replace(call, args=None)
        yield self.manager.handle_part(vendor_part_id=f'{item_id}-call', part=call)
        if item.get('type') in ('code_interpreter_call', 'mcp_call'):
            self._open[item_id] = False
        if item.get('type') == 'code_interpreter_call':
            container = json.dumps(item.get('container_id'))
            yield from self._piece(f'{item_id}-call', f'{{"container_id":{container},"code":"')
        elif item.get('type') == 'mcp_call':
            name = json.dumps(item.get('name'))
            yield from self._piece(f'{item_id}-call', f'{{"action":"call_tool","tool_name":{name},"tool_args":')

    def _arguments_of(self, kind: str, item_id: Any, event: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        delta = str(event.get('delta') or '')
        if kind == 'response.function_call_arguments.delta':
            yield from self._piece(item_id, delta)
        elif kind in ('response.mcp_call_arguments.delta', 'response.code_interpreter_call_code.delta'):
            self._open[item_id] = True
            yield from self._piece(f'{item_id}-call', _in_text(delta) if 'code' in kind else delta)
        elif kind == 'response.mcp_call_arguments.done':
            yield from self._close(item_id, str(event.get('arguments') or '{}'), '}')
        elif kind == 'response.code_interpreter_call_code.done':
            yield from self._close(item_id, _in_text(str(event.get('code') or '')), '"}')

    def _close(self, item_id: Any, whole: str, end: str) -> Iterator[ModelResponseStreamEvent]:
        """Complete the arguments of a native call; none, or some, may have arrived."""
        if item_id in self._open:
            started = self._open.pop(item_id)
            yield from self._piece(f'{item_id}-call', end if started else whole + end)

    def _done(self, item: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        kind, item_id = item.get('type'), item.get('id')
        if kind == 'message':
            for index, content in enumerate(map(as_dict, as_list(item.get('content')))):
                more = text_details(item, content, self.annotations)
                own, citations = cited_marks(as_list(content.get('annotations')))
                yield from self.manager.handle_text_details(
                    (item_id, index), details={**(more or {}), **own} if own else more, citations=citations
                )
        elif kind == 'reasoning':
            signature, details = item.get('encrypted_content'), raw_thinking(item)
            known = self.manager.get_part_by_vendor_id(f'{item_id}-0')
            started = known is not None
            if isinstance(known, ThinkingPart) and known.provider_details == details:
                details = None
            if signature or details:
                yield from self._thinking(
                    item_id,
                    0,
                    content=None if started else '',
                    signature=signature,
                    provider_name=None if started else self.provider_name,
                    provider_details=details,
                )
        elif kind == 'compaction':
            yield self.manager.handle_part(vendor_part_id=item_id, part=compaction_part(item, self.provider_name))
        elif kind in ('tool_search_call', 'tool_search_output'):
            yield from self._search(item)
        else:
            yield from self._native_done(item)

    def _search(self, item: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        item_id = item.get('id')
        if item.get('type') == 'tool_search_output':
            for part in decode_search(item, self.provider_name, self._searches):
                yield self.manager.handle_part(vendor_part_id=f'{item_id}-return', part=part)
            return
        for part in decode_search(item, self.provider_name, []):
            ours = isinstance(part, ToolCallPart)  # calls of function tools have arguments as text
            yield from self._piece(f'{item_id}-call', to_json(part.args).decode() if ours else part.args)

    def _native_done(self, item: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        kind, item_id = item.get('type'), item.get('id')
        if (call := native_call(item, self.provider_name)) is not None:
            if kind in ('web_search_call', 'file_search_call') and isinstance(call.args, dict):
                yield from self._piece(f'{item_id}-call', call.args)
            elif kind == 'code_interpreter_call':
                yield from self._close(item_id, _in_text(str(item.get('code') or '')), '"}')
            elif kind == 'mcp_call':
                yield from self._close(item_id, str(item.get('arguments') or '{}'), '}')
            for index, file in enumerate(files_of(item)):
                place = f'{item_id}-file' if kind == 'image_generation_call' else f'{item_id}-file-{index}'
                yield self.manager.handle_part(vendor_part_id=place, part=file)
            yield self.manager.handle_part(
                vendor_part_id=f'{item_id}-return', part=native_return(item, self.provider_name)
            )

    def _text(self, place: Any, item_id: Any, text: str) -> Iterator[ModelResponseStreamEvent]:
        provider = None if self.manager.get_part_by_vendor_id(place) is not None else self.provider_name
        yield from self.manager.handle_text_delta(
            vendor_part_id=place, content=text, id=item_id, provider_name=provider
        )

    def _thinking(self, item_id: Any, index: Any, **more: Any) -> Iterator[ModelResponseStreamEvent]:
        yield from self.manager.handle_thinking_delta(vendor_part_id=f'{item_id}-{index}', id=item_id, **more)

    def _piece(self, place: Any, text: Any) -> Iterator[ModelResponseStreamEvent]:
        event = self.manager.handle_tool_call_delta(vendor_part_id=place, args=text)
        if event is not None:
            yield event


def _in_text(text: str) -> str:
    """Return a text as it is written inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


@dataclass
class OpenAIResponsesStreamedResponse(VendorStream):
    """The streamed response of an `OpenAIResponsesModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _response: Any
    _first: Any
    _provider_name: str
    _provider_url: str
    _annotations: bool = False
    _secret: str | None = None
    _timestamp: datetime = field(default_factory=now_utc)

    def _fold(self) -> ResponseFold:
        return ResponseFold(self._parts_manager, self._provider_name, self._model_name, annotations=self._annotations)
