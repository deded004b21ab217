"""Streamed chat completions: each chunk becomes events. No I/O."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from ..._kit.ids import now_utc
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...messages import FinishReason, ModelResponseStreamEvent, PartStartEvent, ThinkingPart
from ...profiles import ModelProfile
from ...profiles.openai import OpenAIModelProfile
from .._citations import cited_marks
from .._streaming.fold import VendorFold, VendorStream
from .response import FINISH_REASONS, details_of, reason_and_time, text_in, thinking_in, usage_of

ProfileT = TypeVar('ProfileT', bound=ModelProfile, default=ModelProfile)


@dataclass
class CompletionFold(VendorFold):
    """The response that chunks of chat completions add up to; subclasses read the deltas of a dialect."""

    missing_end = 'it has neither a finish reason nor usage'
    reasons: ClassVar[Mapping[str, FinishReason]] = FINISH_REASONS

    def _choice_of(self, chunk: Mapping[str, Any], usage: object) -> JsonObject:
        """Note what a chunk says about the response as a whole, and return its choice.

        Args:
            chunk: The chunk.
            usage: The usage so far, if the chunk has it; dialects keep it in different places.
        """
        choice = as_dict(next(iter(as_list(chunk.get('choices'))), None))
        self.response_id = chunk.get('id') or self.response_id
        self.model_name = chunk.get('model') or self.model_name
        reason = choice.get('finish_reason')
        if 'timestamp' not in self.details:  # every chunk repeats the time: it is read once
            self.details.update(reason_and_time(chunk, None))
        if usage:
            self.usage = usage_of(self.count(usage))
        if reason:
            self.details['finish_reason'] = str(reason)
            self.finish_reason = self.reasons.get(str(reason))
        self.ended = self.ended or bool(reason or usage)
        return choice


@dataclass
class TaggedTextFold(CompletionFold, Generic[ProfileT]):
    """A completion whose text may hold thinking between tags."""

    profile: ProfileT = field(kw_only=True)
    _in_tags: bool = False

    def _text(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        """Return the events of text. Servers send a tag as a chunk of its own, so that text is not searched for tags."""
        tags = self.profile.thinking_tags
        is_tag = text in tags
        tagged = self._in_tags or is_tag
        if is_tag:
            self._in_tags = text == tags[0]
        return self.manager.handle_text_delta(
            vendor_part_id='content',
            content=text,
            thinking_tags=tags if tagged else None,
            ignore_leading_whitespace=self.profile.ignore_streamed_leading_whitespace,
        )


@dataclass
class ChatFold(TaggedTextFold[OpenAIModelProfile]):
    """A completion in the dialect of OpenAI and of the servers that follow it."""

    refusal: list[str] = field(default_factory=lambda: [])
    _started: set[str] = field(default_factory=lambda: set())
    """Fields whose thinking has started."""
    _calls: dict[object, tuple[str | None, Hashable]] = field(default_factory=lambda: {})
    """For each index of a call, its id and the key of its part. Some servers give all calls the same index."""

    def feed(self, chunk: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        """Take a chunk, and yield its events."""
        if not self.details:
            self.details = details_of(chunk, None)
        choice = self._choice_of(chunk, chunk.get('usage'))
        if logprobs := choice.get('logprobs'):
            self._add_logprobs(as_list(as_dict(logprobs).get('content')))
        yield from self._delta(as_dict(choice.get('delta')))
        if self.refusal:
            self.details.pop('finish_reason', None)
            self.details['refusal'] = ''.join(self.refusal)
            self.finish_reason = 'content_filter'
            self.ended = True

    def _add_logprobs(self, logprobs: list[Any]) -> None:
        if logprobs:
            self.details.setdefault('logprobs', []).extend(logprobs)

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        yield from self._thinking(delta)
        if refusal := delta.get('refusal'):
            self.refusal.append(str(refusal))
        elif text := text_in(delta.get('content')):
            yield from self._text(text)
        if notes := as_list(delta.get('annotations')):
            known: list[Any] = self.details.setdefault('annotations', [])
            known.extend(notes)
            own, citations = cited_marks(known)
            yield from self.manager.handle_text_details(
                'content', details=own, citations=citations, provider_name=self.provider_name
            )
        for call in as_list(delta.get('tool_calls')):
            if (event := self._call(as_dict(call))) is not None:
                yield event

    def _thinking(self, delta: Mapping[str, Any]) -> Iterator[ModelResponseStreamEvent]:
        if (thinking := thinking_in(delta, self.profile)) is not None:
            name, text = thinking
            provider = None if name in self._started else self.provider_name
            self._started.add(name)
            yield from self.manager.handle_thinking_delta(
                vendor_part_id=name, id=name, content=text, provider_name=provider
            )

    def _text(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        for event in super()._text(text):
            if isinstance(event, PartStartEvent) and isinstance(event.part, ThinkingPart):
                event.part.id, event.part.provider_name = 'content', self.provider_name
            yield event

    def _call(self, call: Mapping[str, Any]) -> ModelResponseStreamEvent | None:
        function = as_dict(call.get('function'))
        index, call_id, name = call.get('index'), call.get('id') or None, function.get('name') or None
        key: Hashable = index
        if index is not None:
            known = self._calls.get(index)
            if known is None:
                known = self._calls[index] = (call_id, index)
            elif name and call_id and known[0] != call_id:  # another call with the same index
                known = self._calls[index] = (call_id, (index, call_id))
            key = known[1]
        return self.manager.handle_tool_call_delta(
            vendor_part_id=key,
            tool_name=name,
            args=function.get('arguments'),
            tool_call_id=call_id,
        )


@dataclass
class ChatStreamedResponse(VendorStream):
    """The base class of the streamed responses of vendors with a dialect of chat completions."""

    _model_name: str
    _model_profile: ModelProfile
    _response: Any
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: Any = None
    _secret: str | None = None
