"""Streamed answers of the Converse API: each event becomes events of stead. No I/O in `ConverseFold`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._kit.ids import now_utc
from ..._kit.json_types import as_dict, as_list
from ...messages import ModelResponseStreamEvent
from .._streaming.fold import VendorFold, VendorStream
from ._errors import as_model_error
from ._request import CODE_INTERPRETER, REDACTED
from ._response import FINISH_REASONS, details_of, is_native, native_call, native_return, sealed_text, usage_of


@dataclass
class ConverseFold(VendorFold):
    """The response so far, as the events of a stream have built it. Blocks are identified by their index."""

    _running: set[object] = field(default_factory=lambda: set())
    """The ids of calls whose tools Bedrock itself runs."""
    _results: dict[Hashable, tuple[Mapping[str, Any], list[Any]]] = field(default_factory=lambda: {})
    """Results of such calls that are not complete: their beginning, and their content."""
    _skipped: set[Hashable] = field(default_factory=lambda: set())
    """The blocks that are left out: calls of tools of Bedrock that stead does not know."""
    _calls: dict[Hashable, Hashable] = field(default_factory=lambda: {})
    """For each block that is a call, the key of its part."""

    def feed(self, event: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Add an event, and yield stead's events for it."""
        if block := as_dict(event.get('contentBlockDelta')):
            yield from self._delta(block.get('contentBlockIndex'), as_dict(block.get('delta')))
        elif block := as_dict(event.get('contentBlockStart')):
            yield from self._start(block.get('contentBlockIndex'), as_dict(block.get('start')))
        elif 'contentBlockStop' in event:
            yield from self._stop(as_dict(event['contentBlockStop']).get('contentBlockIndex'))
        elif 'messageStop' in event:
            stop = as_dict(event['messageStop'])
            self.finish_reason = FINISH_REASONS.get(str(stop.get('stopReason')))
            self.details.update(details_of(stop))
            self.ended = True
        elif metadata := as_dict(event.get('metadata')):
            self.details.update(details_of(metadata))
            if 'usage' in metadata:
                self.usage = usage_of(self.count(metadata['usage']))

    def _start(self, place: Hashable, start: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        self._skipped.discard(place)
        if result := as_dict(start.get('toolResult')):
            if result.get('toolUseId') in self._running:
                self._results[place] = (result, [])
            else:
                self._skipped.add(place)
        elif use := as_dict(start.get('toolUse')):
            if not is_native(use):
                self._calls[place] = key = (place, use.get('toolUseId'))
                call = self.manager.handle_tool_call_delta(
                    vendor_part_id=key, tool_name=use.get('name'), tool_call_id=use.get('toolUseId')
                )
                if call is not None:
                    yield call
            elif use.get('name') == CODE_INTERPRETER:
                self._calls[place] = place
                self._running.add(use.get('toolUseId'))
                yield self.manager.handle_part(vendor_part_id=place, part=native_call(use, self.provider_name))
            else:
                self._skipped.add(place)

    def _delta(self, place: Hashable, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        if text := delta.get('text'):
            yield from self.manager.handle_text_delta(vendor_part_id=place, content=text)
        elif thought := as_dict(delta.get('reasoningContent')):
            yield from self._thought(place, thought)
        elif 'toolUse' in delta:
            if place not in self._skipped:
                piece = as_dict(delta['toolUse']).get('input')
                key = self._calls.get(place, place)
                call = self.manager.handle_tool_call_delta(vendor_part_id=key, args=piece)
                if call is not None:
                    yield call
        elif 'toolResult' in delta and place in self._results:
            self._results[place][1].extend(as_list(delta['toolResult']))

    def _thought(self, place: Hashable, thought: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        if (redacted := thought.get('redactedContent')) is not None:
            is_new = self.manager.get_part_by_vendor_id(place) is None
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=place,
                id=REDACTED,
                content='' if is_new else None,
                signature=sealed_text(redacted),
                provider_name=self.provider_name if is_new else None,
            )
            return
        signature = thought.get('signature')
        yield from self.manager.handle_thinking_delta(
            vendor_part_id=place,
            content=thought.get('text'),
            signature=signature,
            provider_name=self.provider_name if signature else None,
        )

    def _stop(self, place: Hashable) -> Iterator[ModelResponseStreamEvent]:
        if place in self._results:
            result, content = self._results.pop(place)
            part = native_return(result, content, self.provider_name)
            yield self.manager.handle_part(vendor_part_id=('result', place), part=part)


@dataclass
class BedrockStreamedResponse(VendorStream):
    """The streamed response of a `BedrockConverseModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _response: Any
    _provider_name: str
    _provider_url: str
    _timestamp: datetime = field(default_factory=now_utc)
    _provider_response_id: str | None = None
    _first: Any = None
    _secret: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.provider_response_id: str | None = self._provider_response_id

    def _fold(self) -> ConverseFold:
        fold = ConverseFold(self._parts_manager, self._provider_name, self._model_name)
        fold.response_id = self._provider_response_id
        return fold
