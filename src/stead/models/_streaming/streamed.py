"""`StreamedResponse`: a response that is still streaming; and a complete one with its interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import monotonic

from ... import messages as all_messages
from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ..._kit.records import DataRecord
from ...messages import (
    BaseToolCallPart,
    FilePart,
    FinalResultEvent,
    FinishReason,
    ModelRequestAttempt,
    ModelResponse,
    ModelResponsePart,
    ModelResponseState,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from ...usage import RequestUsage, UsageLimits
from .parts import ModelResponsePartsManager

_GROWING = (TextPart, ThinkingPart, BaseToolCallPart)
"""Parts that stream in pieces. Other parts are complete at their start, so that no event announces their end."""


@dataclass(repr=False, eq=False)
class StreamedResponse(DataRecord, ABC):
    """A response that is still streaming. Iterate over it to receive its events; `get` returns the response so far."""

    model_request_parameters: ModelRequestParameters
    """The parameters of the request, which decide what counts as output."""
    final_result_event: FinalResultEvent | None = field(default=None, init=False)
    """The event that announced the output, once it has."""
    provider_response_id: str | None = field(default=None, init=False)
    """The provider's id of the response."""
    provider_details: JsonObject | None = field(default=None, init=False)
    """Further data from the provider."""
    finish_reason: FinishReason | None = field(default=None, init=False)
    """Why the response ended."""
    state: ModelResponseState = field(default='complete', init=False)
    """What the response is once it has ended, for providers that may suspend it."""
    canonical_system: str | None = field(default=None, init=False)
    """The system that the model belongs to, whatever provider serves it."""
    metadata: JsonObject | None = field(default=None, init=False)
    """Data for the application."""
    failed_attempts: list[ModelRequestAttempt] | None = field(default=None, init=False)
    """Requests that were made before, to this model or to others, and failed."""
    _first_chunk: float | None = field(default=None, init=False)
    """When the first part started, by the monotonic clock."""
    _event_iterator: AsyncIterator[ModelResponseStreamEvent] | None = field(default=None, init=False)
    _usage: RequestUsage = field(default_factory=RequestUsage, init=False)
    _cancelled: bool = field(default=False, init=False)
    _finished: bool = field(default=False, init=False)
    failure: BaseException | None = field(default=None, init=False)
    """The error that ended the stream, if one did."""
    _limits: UsageLimits | None = field(default=None, init=False)
    """What bounds the calls of the response."""

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
        """When the response was created."""

    @abstractmethod
    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Yield the start and delta events of the parts. This class adds all other events."""
        raise NotImplementedError
        yield

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Iterate over the events. A second iteration continues where the first one stopped."""
        if self._event_iterator is None:
            self._event_iterator = self._all_events()
        return self._event_iterator

    async def _all_events(self) -> AsyncIterator[ModelResponseStreamEvent]:
        open_index: int | None = None
        calls = 0
        try:
            async for event in self._get_event_iterator():  # type: ignore[attr-defined]
                if self._cancelled:
                    return
                if type(event) is PartDeltaEvent or not isinstance(event, PartStartEvent):  # as nearly all are deltas
                    yield event
                    continue
                if open_index is not None:
                    part = self._part(open_index)
                    if isinstance(part, _GROWING):
                        yield PartEndEvent(index=open_index, part=part, next_part_kind=event.part.part_kind)
                    event.previous_part_kind = part.part_kind
                self._first_chunk = self._first_chunk or monotonic()
                open_index = event.index
                if self._limits is not None and isinstance(event.part, ToolCallPart):
                    calls += 1
                    self._limits.check_response(calls)
                yield event
                if self.final_result_event is None and (final := self._final_result(event)) is not None:
                    self.final_result_event = final
                    yield final
            for event in self._at_end(open_index):
                yield event
            self._finished = not self._cancelled  # some clients end a stream that is closed, rather than raise
        except GeneratorExit:
            raise
        except BaseException as error:
            if self._cancelled and isinstance(error, self.get_stream_cancel_errors()):
                return
            self.failure = error
            raise
        finally:
            await self.close_stream() if not self._finished else None

    def _at_end(self, open_index: int | None) -> Iterator[ModelResponseStreamEvent]:
        yield from self._parts_manager.finish()
        if open_index is not None and isinstance(part := self._part(open_index), _GROWING):
            yield PartEndEvent(index=open_index, part=part)

    def limit_calls(self, limits: UsageLimits) -> None:
        """End the stream with a `UsageLimitExceeded` when it has more calls than a response may have."""
        self._limits = limits

    def _part(self, index: int) -> ModelResponsePart:
        return self._parts_manager.part_at(index)

    @property
    def growing_parts(self) -> ModelResponsePartsManager | None:
        """Where parts grow, for a reader that wants what is new of one; `None` if `get` has them from elsewhere."""
        return self._parts_manager if type(self).get is StreamedResponse.get else None

    def _final_result(self, event: PartStartEvent) -> FinalResultEvent | None:
        """Return the event that announces the output, if this event starts it."""
        part, params = event.part, self.model_request_parameters
        if isinstance(part, BaseToolCallPart):
            definition = params.tool_defs.get(part.tool_name)
            if definition is not None and definition.kind != 'function':
                call = definition.kind == 'output'
                return FinalResultEvent(
                    tool_name=part.tool_name if call else None, tool_call_id=part.tool_call_id if call else None
                )
            return None
        is_image = (
            isinstance(part, FilePart)
            and isinstance(part.content, all_messages.BinaryImage)
            and params.allow_image_output
        )
        if is_image or (isinstance(part, TextPart) and params.allow_text_output):
            return FinalResultEvent(tool_name=None, tool_call_id=None)
        return None

    def get(self) -> ModelResponse:
        """Return the response so far."""
        if self._finished:
            state = self.state
        else:
            state = 'interrupted' if self._cancelled else 'incomplete'
        return ModelResponse(
            parts=self._parts_manager.get_parts(),
            model_name=self.model_name,
            timestamp=self.timestamp,
            usage=copy(self._usage),  # the stream changes its own in place
            provider_name=self.provider_name,
            provider_url=self.provider_url,
            provider_response_id=self.provider_response_id,
            canonical_system=self.canonical_system,
            provider_details=self.provider_details,
            finish_reason=self.finish_reason,
            metadata=self.metadata,
            failed_attempts=self.failed_attempts,
            state=state,
        )

    def time_to_first_chunk(self, request_start: float) -> float | None:
        """Return the seconds until the response began; `None` if it has not started.

        Args:
            request_start: When the request was sent, as `time.monotonic()` says it.
        """
        return None if self._first_chunk is None else self._first_chunk - request_start

    @property
    def restarts(self) -> int:
        """How many times the response started again, from another model; see `ResponseRestartEvent`."""
        return 0

    @property
    def is_open(self) -> bool:
        """Whether more of the response may come."""
        if self._finished or self._cancelled:
            return False
        # Classes may override `get`, which puts the whole response together.
        return type(self).get is StreamedResponse.get or self.get().state == 'incomplete'

    @property
    def usage(self) -> RequestUsage:
        """The usage so far, as far as the provider has reported it."""
        return self._usage

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called, even if the response was whole by then."""
        return self._cancelled

    async def cancel(self) -> None:
        """Cancel the stream, and close its connection."""
        if not self._cancelled:
            self._cancelled = True
            if not self._finished:
                await self.close_stream()

    async def close_stream(self) -> None:
        """Close the connection. Subclasses with a connection override this."""

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors that the client raises if the connection is closed while it reads."""
        return ()


@dataclass(repr=False, eq=False)
class KnownResponse(StreamedResponse):
    """A stream of a response that is known as a whole."""

    response: ModelResponse | None = None
    """The response."""

    def __init__(self, response: ModelResponse, model_request_parameters: ModelRequestParameters) -> None:
        super().__init__(model_request_parameters)
        self.response = response
        self.state: ModelResponseState = response.state
        self.canonical_system: str | None = response.canonical_system
        self.metadata: JsonObject | None = response.metadata
        self.provider_response_id: str | None = response.provider_response_id
        self.provider_details: JsonObject | None = response.provider_details
        self.finish_reason: FinishReason | None = response.finish_reason
        self.failed_attempts: list[ModelRequestAttempt] | None = response.failed_attempts
        self._usage = response.usage

    @property
    def _whole(self) -> ModelResponse:
        assert self.response is not None
        return self.response

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._whole.model_name or ''

    @property
    def provider_name(self) -> str | None:
        """The provider."""
        return self._whole.provider_name

    @property
    def provider_url(self) -> str | None:
        """The URL that the response came from."""
        return self._whole.provider_url

    @property
    def timestamp(self) -> datetime:
        """When the response was created."""
        return self._whole.timestamp


@dataclass(repr=False, eq=False)
class CompletedStreamedResponse(KnownResponse):
    """A complete response with the interface of a stream, which yields no events unless it is told to."""

    def __init__(
        self,
        response: ModelResponse | ModelRequestParameters,
        model_request_parameters: ModelRequestParameters | ModelResponse,
        *,
        replay_events: bool | Sequence[ModelResponseStreamEvent] | None = None,
        events: bool | Sequence[ModelResponseStreamEvent] | None = None,
    ) -> None:
        """Wrap a response.

        Args:
            response: The response. It and the parameters may be in either order.
            model_request_parameters: The parameters of the request.
            replay_events: Events to yield, or `True` for one that starts each part, whole, with all that belong to it.
            events: A newer name of `replay_events`.

        Raises:
            TypeError: There is not one response and one set of parameters.
        """
        if isinstance(response, ModelRequestParameters):
            response, model_request_parameters = model_request_parameters, response  # type: ignore[assignment]
        if not (isinstance(response, ModelResponse) and isinstance(model_request_parameters, ModelRequestParameters)):
            raise TypeError(
                'A CompletedStreamedResponse takes a `ModelResponse` and `ModelRequestParameters`, not '
                f'{type(response).__name__} and {type(model_request_parameters).__name__}.'
            )
        super().__init__(response, model_request_parameters)
        chosen = replay_events if events is None else events
        self._replay = chosen if isinstance(chosen, bool) else chosen is not None
        self._events = None if isinstance(chosen, bool) else chosen

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Iterate over the events."""
        if self._events is not None and self._event_iterator is None:
            self._event_iterator = self._get_event_iterator()  # all of them, also those that a stream adds
        return super().__aiter__()

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        for event in self._events or ():
            yield event
        if self._replay and self._events is None:
            for index, part in enumerate(self.get().parts):
                yield PartStartEvent(index=index, part=part)

    def _part(self, index: int) -> ModelResponsePart:
        return self.get().parts[index]

    def get(self) -> ModelResponse:
        """Return the response."""
        if self.failed_attempts is not self._whole.failed_attempts:
            self.response = replace(self._whole, failed_attempts=self.failed_attempts)
        return self._whole
