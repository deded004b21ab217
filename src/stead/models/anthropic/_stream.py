"""Decodes streams of Anthropic's API: each event becomes events of stead. `MessageFold` does no I/O."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..._kit.ids import now_utc
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...messages import (
    CompactionPart,
    ModelResponse,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    NativeToolSearchCallPart,
    TextPart,
    ThinkingPart,
)
from ...usage import RequestUsage
from .. import _wire_errors
from .._streaming.fold import VendorFold, VendorStream
from ._pauses import check_pauses, is_paused
from ._response import FINISH_REASONS, cited, compaction_details, decode_block, details_of, search_query, usage_of


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised. Errors from elsewhere are returned unchanged."""
    return _wire_errors.as_model_error(error, model_name, secret, 'anthropic')


@dataclass
class MessageFold(VendorFold):
    """The response so far, as the events of a stream have built it. Blocks are identified by their index."""

    _before: RequestUsage | None = None
    """The usage of the messages before this one, whose turn was paused."""
    _message: int = 0
    """The number of the message, from 1."""
    _servers: dict[str, str] = field(default_factory=lambda: {})
    """The names of MCP servers by the ids of calls to them."""
    _kinds: dict[Hashable, str] = field(default_factory=lambda: {})
    """The types of the blocks."""
    _has_arguments: dict[Hashable, bool] = field(default_factory=lambda: {})
    """Whether any arguments of a call have arrived."""
    _searches: dict[Hashable, list[str]] = field(default_factory=lambda: {})
    """The arguments of tool searches, in pieces. They are translated once they are complete."""

    _notes: dict[Hashable, list[Any]] = field(default_factory=lambda: {})
    """What texts cite."""

    def feed(self, event: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        """Add an event, and yield stead's events for it."""
        kind, place = event.get('type'), event.get('index')
        if self._message > 1:  # its blocks are counted from 0 again
            place = self._message, place
        if kind == 'message_start':
            self._begin()
            self._note(as_dict(event.get('message')))
        elif kind == 'content_block_start':
            yield from self._start(place, as_dict(event.get('content_block')))
        elif kind == 'content_block_delta':
            yield from self._delta(place, as_dict(event.get('delta')))
        elif kind == 'content_block_stop':
            yield from self._stop(place)
        elif kind == 'message_delta':
            self._note({**as_dict(event.get('delta')), 'usage': event.get('usage')})
        elif kind == 'message_stop':
            self.ended = True

    def _begin(self) -> None:
        """Begin a message. One that continues a paused turn adds to the usage, and has an end of its own."""
        self._message += 1
        self._before, self.counts = self.usage, {}
        self.ended, self.finish_reason = False, None
        self.details.pop('finish_reason', None)

    def _note(self, message: JsonObject) -> None:
        self.response_id = message.get('id') or self.response_id
        self.model_name = message.get('model') or self.model_name
        self.details.update(details_of(message))
        if reason := message.get('stop_reason'):
            self.finish_reason = FINISH_REASONS.get(str(reason))
            self.ended = True
        usage = usage_of(self.count(message.get('usage')))
        self.usage = usage if self._before is None else self._before + usage

    def _start(self, place: Hashable, block: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        kind = self._kinds[place] = str(block.get('type'))
        if kind == 'text':
            self._notes[place] = as_list(block.get('citations'))
            if text := block.get('text'):
                yield from self.manager.handle_text_delta(vendor_part_id=place, content=text)
            return
        if kind == 'tool_use':
            call = self.manager.handle_tool_call_delta(
                vendor_part_id=place,
                tool_name=block.get('name'),
                args=as_dict(block.get('input')) or None,
                tool_call_id=block.get('id'),
            )
            if call is not None:
                yield call
            return
        part = decode_block(block, self.provider_name, self._servers)
        if part is None:
            return
        if isinstance(part, ThinkingPart):
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=place,
                id=part.id,
                content=part.content,
                signature=part.signature,
                provider_name=self.provider_name,
            )
            return
        if not isinstance(part, NativeToolCallPart):
            yield self.manager.handle_part(vendor_part_id=place, part=part)
            return
        if isinstance(part, NativeToolSearchCallPart):
            self._searches[place] = []
        if kind == 'mcp_tool_use' and block.get('input'):  # the arguments came with the start
            del self._kinds[place]
            yield self.manager.handle_part(vendor_part_id=place, part=part)
            return
        yield self.manager.handle_part(vendor_part_id=place, part=replace(part, args=None))
        if kind == 'mcp_tool_use':
            import json

            name = json.dumps(block.get('name'))
            yield from self._arguments(place, f'{{"action":"call_tool","tool_name":{name},"tool_args":')
            self._has_arguments[place] = False

    def _arguments(self, place: Hashable, text: str | JsonObject) -> Iterator[ModelResponseStreamEvent]:
        event = self.manager.handle_tool_call_delta(vendor_part_id=place, args=text)
        if event is not None:
            yield event

    def _delta(self, place: Hashable, delta: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        kind = delta.get('type')
        if kind == 'text_delta':
            yield from self.manager.handle_text_delta(vendor_part_id=place, content=str(delta.get('text') or ''))
        elif kind == 'thinking_delta':
            yield from self.manager.handle_thinking_delta(vendor_part_id=place, content=delta.get('thinking'))
        elif kind == 'signature_delta':
            yield from self.manager.handle_thinking_delta(vendor_part_id=place, signature=delta.get('signature'))
        elif kind == 'citations_delta':
            self._notes.setdefault(place, []).append(delta.get('citation'))
        elif kind == 'compaction_delta':
            yield from self._compaction(place, delta)
        elif kind == 'input_json_delta':
            text = str(delta.get('partial_json') or '')
            if place in self._searches:
                self._searches[place].append(text)
                return
            self._has_arguments[place] = self._has_arguments.get(place, False) or bool(text)
            yield from self._arguments(place, text)

    def _compaction(self, place: Hashable, delta: JsonObject) -> Iterator[ModelResponseStreamEvent]:
        part = self.manager.get_part_by_vendor_id(place)
        if isinstance(part, CompactionPart):
            text, details = delta.get('content'), compaction_details(delta)
            if text is not None or details is not None:
                content = part.content if text is None else f'{part.content or ""}{text}'
                part = replace(part, content=content, provider_details=details or part.provider_details)
                yield self.manager.handle_part(vendor_part_id=place, part=part)

    def _stop(self, place: Hashable) -> Iterator[ModelResponseStreamEvent]:
        if place in self._searches:
            yield from self._arguments(place, {'queries': [search_query(_object(''.join(self._searches[place])))]})
        elif self._kinds.get(place) == 'mcp_tool_use':
            yield from self._arguments(place, '}' if self._has_arguments.get(place) else '{}}')
        elif (notes := self._notes.pop(place, [])) and isinstance(
            part := self.manager.get_part_by_vendor_id(place), TextPart
        ):
            details, citations = cited(notes, part.content)
            yield from self.manager.handle_text_details(
                place, details=details, citations=citations, provider_name=self.provider_name
            )


def _object(text: str) -> JsonObject:
    from pydantic_core import from_json

    try:
        return as_dict(from_json(text or '{}'))
    except ValueError:
        return {}


@dataclass
class AnthropicStreamedResponse(VendorStream):
    """The streamed response of an `AnthropicModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _response: Any
    _provider_name: str
    _provider_url: str
    _first: Any = None
    _secret: str | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _resume: Callable[[ModelResponse], Awaitable[Any]] | None = None
    """Asks for the rest of a paused turn, and returns its stream."""

    def _fold(self) -> MessageFold:
        return MessageFold(self._parts_manager, self._provider_name, self._model_name)

    async def _events(self) -> AsyncIterator[Any]:
        async for event in super()._events():
            yield event
        pauses = 0
        while self._resume is not None and not self._cancelled and is_paused(so_far := self.get()):
            pauses = check_pauses(pauses + 1, self._model_name)
            await self.close_stream()
            self._response = await self._resume(replace(so_far, state='complete'))
            async for event in self._response:
                yield self._plain(event)
