"""Decodes streams of xAI's API: each chunk becomes events of stead. `ChunkFold` does no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..._kit.json_types import JsonObject
from ...messages import ModelResponseStreamEvent, TextPart
from ...providers import Provider
from .._streaming.fold import VendorFold, VendorStream
from ._errors import as_model_error
from ._response import (
    ASSISTANT_ROLES,
    TOOL_ROLE,
    created_of,
    finish_of,
    is_native,
    is_result,
    logprobs_of,
    native_call,
    native_result,
    usage_of,
    with_citations,
)


@dataclass
class ChunkFold(VendorFold):
    """The response so far, as the chunks of a stream have built it. Outputs are identified by their index."""

    created: datetime | None = None
    """When the response was created, according to xAI."""
    _citations: list[str] = field(default_factory=lambda: [])
    """The sources of the response."""
    _roles: dict[int, int] = field(default_factory=lambda: {})
    """The roles of the outputs; only the first chunk of an output has it."""
    _encrypted: dict[int, str] = field(default_factory=lambda: {})
    """The encrypted thinking of the outputs."""
    _calls: dict[str, str] = field(default_factory=lambda: {})
    """The arguments of calls by their ids: chunks repeat calls, whose arguments may have grown."""
    _results: dict[int, str] = field(default_factory=lambda: {})
    """The text of outputs that are the results of calls."""
    _answered: dict[int, dict[str, Any]] = field(default_factory=lambda: {})
    """The calls that an output is the result of, by their ids."""
    _logprobs: dict[int, list[JsonObject]] = field(default_factory=lambda: {})
    """The log probabilities of the outputs."""

    def feed(self, chunk: Any) -> Iterator[ModelResponseStreamEvent]:
        """Add a chunk, and yield its events."""
        self.response_id = chunk.id or self.response_id
        self.created = self.created or created_of(chunk)
        if chunk.HasField('usage'):
            self.usage = usage_of(chunk.usage)
        self._citations.extend(chunk.citations)
        for output in chunk.outputs:
            yield from self._output(output)

    def _output(self, output: Any) -> Iterator[ModelResponseStreamEvent]:
        place, delta = output.index, output.delta
        role = self._roles[place] = delta.role or self._roles.get(place, 0)
        if output.finish_reason:
            self.ended = True
            self.finish_reason, details = finish_of(output.finish_reason)
            self.details = details or {}
        if role in ASSISTANT_ROLES:
            yield from self._text(place, output)
        elif role == TOOL_ROLE:
            yield from self._continue_result(place, delta)
        else:
            return
        for call in delta.tool_calls:
            if is_result(call, role):
                self._answered.setdefault(place, {})[call.id] = call
                yield self._result(place, call, self._results.get(place, '') or delta.content)
            elif call.id not in self._calls or self._calls[call.id] != call.function.arguments:
                yield self._call(call)

    def _text(self, place: int, output: Any) -> Iterator[ModelResponseStreamEvent]:
        delta = output.delta
        if delta.reasoning_content or delta.encrypted_content:
            first = place not in self._encrypted
            encrypted = None
            if delta.encrypted_content:
                encrypted = self._encrypted[place] = self._encrypted.get(place, '') + delta.encrypted_content
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=('thinking', place),
                content=delta.reasoning_content or None,
                signature=encrypted,
                provider_name=self.provider_name if encrypted and first else None,
            )
        if delta.content:
            yield from self.manager.handle_text_delta(vendor_part_id=('text', place), content=delta.content)
        if output.logprobs.content:
            self._logprobs.setdefault(place, []).extend(logprobs_of(output))

    def _continue_result(self, place: int, delta: Any) -> Iterator[ModelResponseStreamEvent]:
        if not delta.content:
            return
        self._results[place] = self._results.get(place, '') + delta.content
        if not delta.tool_calls:
            for call in self._answered.get(place, {}).values():
                yield self._result(place, call, self._results[place])

    def _result(self, place: int, call: Any, text: str) -> ModelResponseStreamEvent:
        part = native_result(call, text, self.provider_name)
        return self.manager.handle_part(vendor_part_id=('result', place, call.id), part=part)

    def _call(self, call: Any) -> ModelResponseStreamEvent:
        part_id = ('call', call.id) if call.id else None
        if call.id:
            self._calls[call.id] = call.function.arguments
        if is_native(call):
            return self.manager.handle_part(vendor_part_id=part_id, part=native_call(call, self.provider_name))
        return self.manager.handle_tool_call_part(
            vendor_part_id=part_id,
            tool_name=call.function.name,
            args=call.function.arguments,
            tool_call_id=call.id or None,
        )

    def finish(self) -> Iterable[ModelResponseStreamEvent]:
        """Add the log probabilities and citations to the parts; readers of the stream get no events for them."""
        for place, logprobs in self._logprobs.items():
            part = self.manager.get_part_by_vendor_id(('text', place))
            if isinstance(part, TextPart):
                part = replace(
                    part, provider_details={**(part.provider_details or {}), 'logprobs': {'content': logprobs}}
                )
                self.manager.handle_part(vendor_part_id=('text', place), part=part)
        part_ids = [('result', place, call_id) for place, calls in self._answered.items() for call_id in calls]
        for part_id in part_ids:
            if (part := self.manager.get_part_by_vendor_id(part_id)) is not None:
                self.manager.handle_part(vendor_part_id=part_id, part=with_citations([part], self._citations)[0])
        return ()


@dataclass
class XaiStreamedResponse(VendorStream):
    """The streamed response of an `XaiModel`."""

    _as_model_error = staticmethod(as_model_error)

    _model_name: str
    _response: Any
    _timestamp: datetime
    _provider: Provider
    _first: Any = None
    _secret: str | None = None

    def _fold(self) -> ChunkFold:
        return ChunkFold(self._parts_manager, self.provider_name, self._model_name)

    def _plain(self, event: object) -> object:
        return event  # decoding reads the protobuf messages themselves

    @property
    def provider_name(self) -> str:
        """The provider."""
        return self._provider.name

    @property
    def system(self) -> str:
        """The provider."""
        return self._provider.name

    @property
    def provider_url(self) -> str:
        """The URL that the response comes from."""
        return self._provider.base_url

    def _note(self, fold: ChunkFold) -> None:
        super()._note(fold)
        self._timestamp = fold.created or self._timestamp


__all__ = ('ChunkFold', 'XaiStreamedResponse')
