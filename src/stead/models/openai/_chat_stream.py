"""Chat completions that come in piece by piece: each chunk becomes events. No I/O in `ChatFold`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from ..._kit.ids import now_utc
from ..._kit.plain import as_dict, as_list
from ...messages import FinishReason, ModelResponseStreamEvent, PartStartEvent, ThinkingPart
from ...profiles.openai import OpenAIModelProfile
from .._streaming.fold import VendorFold, VendorStream
from ._chat_response import FINISH_REASONS, details_of, reason_and_time, text_in, thinking_in, usage_of
from ._errors import as_model_error


@dataclass
class CompletionFold(VendorFold):
    """What the chunks of chat completions come to, whoever they are of; subclasses take their deltas."""

    unsaid = 'it said neither why it ends nor what it cost'
    reasons: ClassVar[Mapping[str, FinishReason]] = FINISH_REASONS

    def _delta_of(self, chunk: Mapping[str, Any], usage: Any) -> dict[str, Any]:
        """Note what a chunk says besides its delta, and return that.

        Args:
            chunk: The chunk.
            usage: The usage in it, if there is one.
        """
        choice = as_dict(next(iter(as_list(chunk.get('choices'))), None))
        self.response_id = chunk.get('id') or self.response_id
        self.model_name = chunk.get('model') or self.model_name
        reason = choice.get('finish_reason')
        self.details.update(reason_and_time(chunk, reason))
        if usage:
            self.usage = usage_of(usage)
        if reason:
            self.finish_reason = self.reasons.get(str(reason))
        self.ended = self.ended or bool(reason or usage)
        return as_dict(choice.get('delta'))


@dataclass
class ChatFold(CompletionFold):
    """What the chunks of a stream come to."""

    profile: OpenAIModelProfile = field(kw_only=True)
    refusal: list[str] = field(default_factory=lambda: [])
    _in_tags: bool = False
    _begun: set[str] = field(default_factory=lambda: set())
    """Fields whose thinking has begun."""
    _calls: dict[Any, Any] = field(default_factory=lambda: {})
    """The id of the call that a place is taken by; some servers number all calls alike."""

    def take(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        if not self.details:
            self.details = details_of(chunk, None)
        self.response_id = chunk.get('id') or self.response_id
        self.model_name = chunk.get('model') or self.model_name
        if chunk.get('usage'):
            self.usage = usage_of(chunk['usage'])  # the counts so far
        choice = as_dict(next(iter(as_list(chunk.get('choices'))), None))
        if reason := choice.get('finish_reason'):
            self.details['finish_reason'] = str(reason)
            self.finish_reason = FINISH_REASONS.get(str(reason))
        if logprobs := as_list(as_dict(choice.get('logprobs')).get('content')):
            self.details.setdefault('logprobs', []).extend(logprobs)
        yield from self._delta(as_dict(choice.get('delta')))
        if self.refusal:
            self.details.pop('finish_reason', None)
            self.details['refusal'] = ''.join(self.refusal)
            self.finish_reason = 'content_filter'
        self.ended = self.ended or bool(reason or self.usage is not None or self.refusal)

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        yield from self._thinking(delta)
        if refusal := delta.get('refusal'):
            self.refusal.append(str(refusal))
        elif text := text_in(delta.get('content')):
            yield from self._text(text)
        for call in as_list(delta.get('tool_calls')):
            if (event := self._call(as_dict(call))) is not None:
                yield event

    def _thinking(self, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        if (found := thinking_in(delta, self.profile)) is not None:
            name, text = found
            provider = None if name in self._begun else self.provider_name
            self._begun.add(name)
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=name, id=name, content=text, provider_name=provider
            )

    def _text(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        tags = self.profile.thinking_tags
        tagged = self._in_tags or text in tags
        if text in tags:
            self._in_tags = text == tags[0]
        events = self.manager.handle_text_delta(
            vendor_part_id='content',
            content=text,
            thinking_tags=tags if tagged else None,
            ignore_leading_whitespace=self.profile.ignore_streamed_leading_whitespace,
        )
        for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, ThinkingPart):
                event.part.id, event.part.provider_name = 'content', self.provider_name
            yield event

    def _call(self, call: Mapping[str, Any]) -> ModelResponseStreamEvent | None:
        function = as_dict(call.get('function'))
        place, call_id, name = call.get('index'), call.get('id') or None, function.get('name') or None
        if place is not None:
            taken = self._calls.get(place)
            if name and call_id and taken is not None and taken[0] != call_id:
                self._calls[place] = (call_id, (place, call_id))
            elif taken is None:
                self._calls[place] = (call_id, place)
            place = self._calls[place][1]
        return self.manager.handle_tool_call_delta(
            vendor_part_id=place,
            tool_name=name,
            args=function.get('arguments'),
            tool_call_id=call_id,
        )


@dataclass
class OpenAIStreamedResponse(VendorStream):
    """The streamed response of an `OpenAIChatModel`."""

    _as_model_error = staticmethod(as_model_error)

    _fold_class: ClassVar[type[ChatFold]] = ChatFold
    _model_name: str
    _model_profile: OpenAIModelProfile
    _response: Any
    _first: Any
    _provider_name: str
    _provider_url: str
    _secret: str | None = None
    _timestamp: datetime = field(default_factory=now_utc)

    def _fold(self) -> ChatFold:
        return self._fold_class(self._parts_manager, self._provider_name, self._model_name, profile=self._model_profile)
