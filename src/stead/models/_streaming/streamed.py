"""`StreamedResponse`: a response while it comes in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._kit.deprecated import callable_record
from ...messages import (
    BaseToolCallPart,
    FinalResultEvent,
    FinishReason,
    ModelResponse,
    ModelResponseStreamEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
)
from ...usage import RequestUsage
from .parts import ModelResponsePartsManager

_GROWING: tuple[type[Any], ...] = (TextPart, ThinkingPart, BaseToolCallPart)
"""Parts that come in piece by piece; others are complete at their start, so that no event announces their end."""


@dataclass
class StreamedResponse(ABC):
    """A response while it comes in. Iterate over it to receive its events; `get` returns what there is so far."""

    model_request_parameters: ModelRequestParameters
    final_result_event: FinalResultEvent | None = field(default=None, init=False)
    provider_response_id: str | None = field(default=None, init=False)
    provider_details: dict[str, Any] | None = field(default=None, init=False)
    finish_reason: FinishReason | None = field(default=None, init=False)
    _event_iterator: AsyncIterator[ModelResponseStreamEvent] | None = field(default=None, init=False)
    _usage: RequestUsage = field(default_factory=RequestUsage, init=False)
    _cancelled: bool = field(default=False, init=False)
    _finished: bool = field(default=False, init=False)
    failure: BaseException | None = field(default=None, init=False)
    """What broke the stream, if something did."""

    def __post_init__(self) -> None:
        self._parts_manager = ModelResponsePartsManager(self.model_request_parameters)

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The name of the model."""

    @property
    @abstractmethod
    def provider_name(self) -> str | None:
        """The provider."""

    @property
    @abstractmethod
    def provider_url(self) -> str | None:
        """The URL that the response comes from."""

    @property
    @abstractmethod
    def timestamp(self) -> datetime:
        """When the response began."""

    @abstractmethod
    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Yield the start and delta events of the parts; everything else is added here."""
        raise NotImplementedError
        yield

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Iterate over the events; a second iteration goes on where the first one stopped."""
        if self._event_iterator is None:
            self._event_iterator = self._all_events()
        return self._event_iterator

    async def _all_events(self) -> AsyncIterator[ModelResponseStreamEvent]:
        open_index: int | None = None
        try:
            async for event in self._get_event_iterator():  # type: ignore[attr-defined]
                if self._cancelled:
                    return
                if isinstance(event, PartStartEvent):
                    if open_index is not None:
                        part = self._part(open_index)
                        if isinstance(part, _GROWING):
                            yield PartEndEvent(index=open_index, part=part, next_part_kind=event.part.part_kind)
                        event.previous_part_kind = part.part_kind
                    open_index = event.index
                yield event
                if self.final_result_event is None and (final := self._final_result(event)) is not None:
                    self.final_result_event = final
                    yield final
            if open_index is not None and isinstance(part := self._part(open_index), _GROWING):
                yield PartEndEvent(index=open_index, part=part)
            self._finished = True
        except GeneratorExit:
            raise
        except BaseException as error:
            if self._cancelled and isinstance(error, self.get_stream_cancel_errors()):
                return
            self.failure = error
            raise
        finally:
            await self.close_stream() if not self._finished else None

    def _part(self, index: int) -> Any:
        return self._parts_manager.part_at(index)

    def _final_result(self, event: Any) -> FinalResultEvent | None:
        """Return the event that announces the output, if an event begins it."""
        if not isinstance(event, PartStartEvent):
            return None
        part, params = event.part, self.model_request_parameters
        if isinstance(part, BaseToolCallPart):
            definition = params.tool_defs.get(part.tool_name)
            if definition is not None and (definition.kind == 'output' or definition.defer):
                call = definition.kind == 'output'
                return FinalResultEvent(
                    tool_name=part.tool_name if call else None, tool_call_id=part.tool_call_id if call else None
                )
            return None
        if isinstance(part, TextPart) and params.allow_text_output:
            return FinalResultEvent(tool_name=None, tool_call_id=None)
        return None

    def get(self) -> ModelResponse:
        """Return the response as far as it has come in."""
        if self._cancelled:
            state = 'interrupted'
        else:
            state = 'complete' if self._finished else 'incomplete'
        return ModelResponse(
            parts=self._parts_manager.get_parts(),
            model_name=self.model_name,
            timestamp=self.timestamp,
            usage=copy(self._usage),  # that of the stream grows in place
            provider_name=self.provider_name,
            provider_url=self.provider_url,
            provider_response_id=self.provider_response_id,
            provider_details=self.provider_details,
            finish_reason=self.finish_reason,
            state=state,
        )

    @property
    def is_open(self) -> bool:
        """Whether more of the response may come."""
        # Classes may override `get`; it is asked last, since it puts the whole response together.
        return not self._finished and not self._cancelled and self.get().state == 'incomplete'

    @property
    def usage(self) -> RequestUsage:
        """The usage as far as it is known."""
        return callable_record(self._usage, 'StreamedResponse.usage')

    @property
    def cancelled(self) -> bool:
        """Whether the stream was broken off."""
        return self._cancelled

    async def cancel(self) -> None:
        """Break the stream off and close its connection."""
        if not self._finished and not self._cancelled:
            self._cancelled = True
            await self.close_stream()

    async def close_stream(self) -> None:
        """Close the connection; classes that have one override this."""

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors that the client raises when its connection is closed under it."""
        return ()
