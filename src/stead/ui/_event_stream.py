"""Turns the events of a run into those of a user interface's protocol: the part that all protocols share.

`transform_stream` reads the events, tracks what is open (the turn, the part, the calls of tools), and calls a method for each
thing that happened; a protocol overrides those that it has an event for. All of them are async generators of events of the
protocol, and yield nothing by default.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar, Union, cast
from uuid import uuid4

from typing_extensions import TypeAlias

from .._contracts.run_context import AgentDepsT
from .._kit.aio import run_in_executor
from .._kit.annotations import is_async_callable
from .._kit.extras import naming_extra
from .._kit.sdk_types import StarletteStreamingResponse
from ..journal import Journal
from ..messages import (
    AgentStreamEvent,
    CompactionPart,
    CustomEvent,
    FilePart,
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolProgressEvent,
    FunctionToolResultEvent,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    ResponseRestartEvent,
    RetryPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
)
from ..output import OutputDataT
from ..run import AgentRunResult, AgentRunResultEvent
from ._approvals import Asker

SSE_CONTENT_TYPE = 'text/event-stream'
"""The media type of server-sent events."""
INTERRUPTED = 'Tool execution was interrupted by an error.'
"""The result, for the interface, of a call that was running when the run failed."""

RunInputT = TypeVar('RunInputT')
"""The request of a protocol."""
EventT = TypeVar('EventT')
"""The events of a protocol."""

NativeEvent: TypeAlias = Union[AgentStreamEvent, AgentRunResultEvent[Any]]
"""An event of a run, or its result."""
OnCompleteFunc: TypeAlias = Union[
    Callable[[AgentRunResult[Any]], None],
    Callable[[AgentRunResult[Any]], Awaitable[None]],
    Callable[[AgentRunResult[Any]], AsyncIterator[EventT]],
]
"""Receives the result of the run: a function, an async function, or an async generator of further events."""
_Turn: TypeAlias = Literal['request', 'response']
_RequestEvent: TypeAlias = Union[
    FunctionToolCallEvent, OutputToolCallEvent, FunctionToolResultEvent, OutputToolResultEvent
]
RESPONSE_EVENTS = (PartStartEvent, PartDeltaEvent, PartEndEvent, FinalResultEvent)
"""Events of a response of the model."""
_REQUEST_EVENTS = (FunctionToolCallEvent, OutputToolCallEvent, FunctionToolResultEvent, OutputToolResultEvent)


@dataclass
class UIEventStream(ABC, Generic[RunInputT, EventT, AgentDepsT, OutputDataT]):
    """Base class for the streams of a protocol: it turns the events of one run into those of the protocol.

    Override the methods whose events the protocol has, and `encode_event`. An instance serves one run.
    """

    run_input: RunInputT
    """The request."""
    accept: str | None = None
    """The `Accept` header of the request."""
    message_id: str = field(default_factory=lambda: str(uuid4()))
    """The id of the message that is streamed now."""
    _turn: _Turn | None = None
    _result: AgentRunResult[OutputDataT] | None = None
    _final_result_event: FinalResultEvent | None = None
    _pending_tool_calls: dict[str, FunctionToolCallEvent | OutputToolCallEvent] = field(
        default_factory=dict[str, Union[FunctionToolCallEvent, OutputToolCallEvent]]
    )
    _handled_tool_calls: set[str] = field(default_factory=set[str])
    _handled_tool_results: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self._open_part: ModelResponsePart | None = None
        self._asker: Asker | None = None
        self.journal: Journal[Any] | None = None
        """What has the runs inside of the one that is streamed, which may ask, too."""

    @property
    def asker(self) -> Asker:
        """What asks about calls that wait; the adapter says whom, and in which conversation."""
        return self._asker or Asker()

    @asker.setter
    def asker(self, asker: Asker) -> None:
        self._asker = asker

    def new_message_id(self) -> str:
        """Begin a message: return a new id, which `message_id` is from now on."""
        self.message_id = str(uuid4())
        return self.message_id

    @property
    def response_headers(self) -> Mapping[str, str] | None:
        """The headers of the response, in addition to its content type."""
        return None

    @property
    def content_type(self) -> str:
        """The content type of the response."""
        return SSE_CONTENT_TYPE

    @abstractmethod
    def encode_event(self, event: EventT) -> str:
        """Return an event as the protocol writes it, such as a server-sent event."""
        raise NotImplementedError

    async def encode_stream(self, stream: AsyncIterator[EventT]) -> AsyncIterator[str]:
        """Yield events as the protocol writes them."""
        async with _closing(stream):
            async for event in stream:
                yield self.encode_event(event)

    def streaming_response(self, stream: AsyncIterator[EventT]) -> StarletteStreamingResponse:
        """Return a response of Starlette that streams events of the protocol, and closes the stream when the client leaves.

        Raises:
            ImportError: Starlette is not installed.
        """
        with naming_extra('starlette', extra='ui', what='A streaming response'):
            from ._responses import EventResponse
        return EventResponse(self.encode_stream(stream), headers=self.response_headers, media_type=self.content_type)

    async def transform_stream(
        self, stream: AsyncIterator[NativeEvent], on_complete: OnCompleteFunc[EventT] | None = None
    ) -> AsyncIterator[EventT]:
        """Yield the events of the protocol for the events of a run.

        An error of the run becomes an event; one that cancels, or ends the program, is raised at once.

        Args:
            stream: The events of the run. It is closed at the end, which stops a run that continues.
            on_complete: Receives the result when the run has succeeded. Events that it yields are streamed.
        """
        async for out in self.before_stream():
            yield out
        async with _closing(stream):
            try:
                async for event in stream:
                    # Most events are deltas, which change nothing that is tracked: they take the short way.
                    is_delta = type(event) is PartDeltaEvent and self._turn == 'response'
                    async for out in self.handle_event(event) if is_delta else self._events_of(event, on_complete):
                        yield out
            except Exception as error:
                async for out in self._fail(error):
                    yield out
        async for out in self._turn_to(None):
            yield out
        async for out in self.after_stream():
            yield out

    async def _events_of(self, event: NativeEvent, on_complete: OnCompleteFunc[EventT] | None) -> AsyncIterator[EventT]:
        turn = self._turn
        if isinstance(event, RESPONSE_EVENTS):
            turn = 'response'
            self._note_response(event)
        elif isinstance(event, _REQUEST_EVENTS):
            turn = 'request'
            if self._is_repeated(event):
                return
        elif isinstance(event, ResponseRestartEvent):
            async for out in self._close_part():
                yield out
        elif isinstance(event, AgentRunResultEvent):
            turn = None
        if turn != self._turn:
            async for out in self._turn_to(turn):
                yield out
        if isinstance(event, AgentRunResultEvent):
            self._result = cast('AgentRunResult[OutputDataT]', event.result)
            if on_complete is not None:
                async for out in _completed(on_complete, event.result):
                    yield out
        async for out in self.handle_event(event):
            yield out

    def _note_response(self, event: PartStartEvent | PartDeltaEvent | PartEndEvent | FinalResultEvent) -> None:
        if isinstance(event, PartStartEvent):
            self._open_part = event.part
            if isinstance(event.part, ToolCallPart):  # some providers use the ids of calls again
                self._handled_tool_calls.discard(event.part.tool_call_id)
                self._handled_tool_results.discard(event.part.tool_call_id)
        elif isinstance(event, PartEndEvent):
            self._open_part = None
        elif isinstance(event, FinalResultEvent):
            self._final_result_event = event

    def _is_repeated(self, event: _RequestEvent) -> bool:
        """Note a call or a result; return whether it was there before."""
        id = event.tool_call_id
        if isinstance(event, (FunctionToolResultEvent, OutputToolResultEvent)):
            if id in self._handled_tool_results:
                return True
            self._handled_tool_results.add(id)
            self._pending_tool_calls.pop(id, None)
            return False
        if id in self._handled_tool_calls:
            return True
        self._handled_tool_calls.add(id)
        self._pending_tool_calls[id] = event
        if self._final_result_event is not None and self._final_result_event.tool_call_id == id:
            self._final_result_event = None
        return False

    async def _close_part(self) -> AsyncIterator[EventT]:
        """End the part that broke off, because another model answers from the start."""
        if self._open_part is not None:
            async for out in self.handle_part_end(PartEndEvent(index=0, part=self._open_part)):
                yield out
        self._open_part = None

    async def _break_off(self, part: ModelResponsePart | None) -> AsyncIterator[EventT]:
        """End the part that is open when the run fails."""
        async for out in self._close_part():
            yield out

    async def _fail(self, error: Exception) -> AsyncIterator[EventT]:
        async for out in self._break_off(self._open_part):
            yield out
        for call in list(self._pending_tool_calls.values()):
            part = ToolReturnPart(call.part.tool_name, INTERRUPTED, tool_call_id=call.tool_call_id, outcome='failed')
            if isinstance(call, OutputToolCallEvent):
                outs = self.handle_output_tool_result(OutputToolResultEvent(part))
            else:
                outs = self.handle_function_tool_result(FunctionToolResultEvent(part))
            async for out in outs:
                yield out
        self._pending_tool_calls.clear()
        final = self._final_result_event
        if final is not None and final.tool_call_id is not None:  # an output that was announced, and not handled
            name, id = final.tool_name or '', final.tool_call_id
            part = ToolReturnPart(name, INTERRUPTED, tool_call_id=id, outcome='failed')
            async for out in self.handle_output_tool_result(OutputToolResultEvent(part)):
                yield out
        self._final_result_event = None
        async for out in self._turn_to(None):
            yield out
        async for out in self.on_error(error):
            yield out

    async def _turn_to(self, turn: _Turn | None) -> AsyncIterator[EventT]:
        before = self._turn
        if before == turn:
            return
        if before is not None:
            async for out in self.after_request() if before == 'request' else self.after_response():
                yield out
        self._turn = turn
        if turn is not None:
            async for out in self.before_request() if turn == 'request' else self.before_response():
                yield out

    async def handle_event(self, event: NativeEvent) -> AsyncIterator[EventT]:
        """Yield the events for an event of the run, by the method for its kind; override it to see all of them."""
        handler = self._handlers.get(type(event))
        if handler is None and isinstance(event, CustomEvent) and event.ui:
            handler = 'handle_custom_event'
        if handler is not None:
            async for out in getattr(self, handler)(event):
                yield out

    async def handle_part_start(self, event: PartStartEvent) -> AsyncIterator[EventT]:
        """Yield the events for the start of a part, by the method for its kind."""
        part, before = event.part, event.previous_part_kind
        if isinstance(part, TextPart):
            outs = self.handle_text_start(part, follows_text=before == 'text')
        elif isinstance(part, ThinkingPart):
            outs = self.handle_thinking_start(part, follows_thinking=before == 'thinking')
        elif isinstance(part, ToolCallPart):
            outs = self.handle_tool_call_start(part)
        elif isinstance(part, NativeToolCallPart):
            outs = self.handle_builtin_tool_call_start(part)
        elif isinstance(part, NativeToolReturnPart):
            outs = self.handle_builtin_tool_return(part)
        elif isinstance(part, FilePart):
            outs = self.handle_file(part)
        elif isinstance(part, CompactionPart):
            outs = self.handle_compaction(part)
        else:
            return
        async for out in outs:
            yield out

    async def handle_part_delta(self, event: PartDeltaEvent) -> AsyncIterator[EventT]:
        """Yield the events for a delta, by the method for its kind."""
        delta = event.delta
        if isinstance(delta, TextPartDelta):
            outs = self.handle_text_delta(delta)
        elif isinstance(delta, ThinkingPartDelta):
            outs = self.handle_thinking_delta(delta)
        else:
            outs = self.handle_tool_call_delta(delta)
        async for out in outs:
            yield out

    async def handle_part_end(self, event: PartEndEvent) -> AsyncIterator[EventT]:
        """Yield the events for the end of a part, by the method for its kind."""
        part, after = event.part, event.next_part_kind
        if isinstance(part, TextPart):
            outs = self.handle_text_end(part, followed_by_text=after == 'text')
        elif isinstance(part, ThinkingPart):
            outs = self.handle_thinking_end(part, followed_by_thinking=after == 'thinking')
        elif isinstance(part, ToolCallPart):
            outs = self.handle_tool_call_end(part)
        elif isinstance(part, NativeToolCallPart):
            outs = self.handle_builtin_tool_call_end(part)
        else:  # other parts are complete when they start
            return
        async for out in outs:
            yield out

    async def before_stream(self) -> AsyncIterator[EventT]:
        """Yield the events that begin the stream."""
        return
        yield

    async def after_stream(self) -> AsyncIterator[EventT]:
        """Yield the events that end the stream, also after an error."""
        return
        yield

    async def on_error(self, error: Exception) -> AsyncIterator[EventT]:
        """Yield the events for an error that ended the run."""
        return
        yield

    async def before_request(self) -> AsyncIterator[EventT]:
        """Yield the events before the results of tools, which are for the next request."""
        return
        yield

    async def after_request(self) -> AsyncIterator[EventT]:
        """Yield the events after the results of tools."""
        return
        yield

    async def before_response(self) -> AsyncIterator[EventT]:
        """Yield the events before a response of the model."""
        return
        yield

    async def after_response(self) -> AsyncIterator[EventT]:
        """Yield the events after a response of the model."""
        return
        yield

    async def handle_text_start(self, part: TextPart, follows_text: bool = False) -> AsyncIterator[EventT]:
        """Yield the events for the start of text, which may have content already.

        Args:
            part: The text so far.
            follows_text: Whether the part before it is text too, so that a protocol can join them.
        """
        return
        yield

    async def handle_text_delta(self, delta: TextPartDelta) -> AsyncIterator[EventT]:
        """Yield the events for more text."""
        return
        yield

    async def handle_text_end(self, part: TextPart, followed_by_text: bool = False) -> AsyncIterator[EventT]:
        """Yield the events for the end of text.

        Args:
            part: All of the text.
            followed_by_text: Whether the part after it is text too.
        """
        return
        yield

    async def handle_thinking_start(self, part: ThinkingPart, follows_thinking: bool = False) -> AsyncIterator[EventT]:
        """Yield the events for the start of thinking.

        Args:
            part: The thinking so far.
            follows_thinking: Whether the part before it is thinking too.
        """
        return
        yield

    async def handle_thinking_delta(self, delta: ThinkingPartDelta) -> AsyncIterator[EventT]:
        """Yield the events for more thinking."""
        return
        yield

    async def handle_thinking_end(
        self, part: ThinkingPart, followed_by_thinking: bool = False
    ) -> AsyncIterator[EventT]:
        """Yield the events for the end of thinking.

        Args:
            part: All of the thinking.
            followed_by_thinking: Whether the part after it is thinking too.
        """
        return
        yield

    async def handle_tool_call_start(self, part: ToolCallPart) -> AsyncIterator[EventT]:
        """Yield the events for the start of a tool call."""
        return
        yield

    async def handle_tool_call_delta(self, delta: ToolCallPartDelta) -> AsyncIterator[EventT]:
        """Yield the events for more of a tool call, be it of the agent's tools or of the provider's."""
        return
        yield

    async def handle_tool_call_end(self, part: ToolCallPart) -> AsyncIterator[EventT]:
        """Yield the events for the end of a tool call, which has not been executed yet."""
        return
        yield

    async def handle_builtin_tool_call_start(self, part: NativeToolCallPart) -> AsyncIterator[EventT]:
        """Yield the events for the start of a call that the provider executes."""
        return
        yield

    async def handle_builtin_tool_call_end(self, part: NativeToolCallPart) -> AsyncIterator[EventT]:
        """Yield the events for the end of a call that the provider executes."""
        return
        yield

    async def handle_builtin_tool_return(self, part: NativeToolReturnPart) -> AsyncIterator[EventT]:
        """Yield the events for the result of a call that the provider executed."""
        return
        yield

    async def handle_file(self, part: FilePart) -> AsyncIterator[EventT]:
        """Yield the events for a file of the model."""
        return
        yield

    async def handle_compaction(self, part: CompactionPart) -> AsyncIterator[EventT]:
        """Yield the events for a summary that stands for earlier messages."""
        return
        yield

    async def handle_final_result(self, event: FinalResultEvent) -> AsyncIterator[EventT]:
        """Yield the events for the news that the response contains the output."""
        return
        yield

    async def handle_function_tool_call(self, event: FunctionToolCallEvent) -> AsyncIterator[EventT]:
        """Yield the events for the execution of a tool call."""
        return
        yield

    async def handle_function_tool_progress(self, event: FunctionToolProgressEvent) -> AsyncIterator[EventT]:
        """Yield the events for a value that a tool yielded before its result."""
        return
        yield

    async def handle_function_tool_result(self, event: FunctionToolResultEvent) -> AsyncIterator[EventT]:
        """Yield the events for the result of a tool call."""
        return
        yield

    async def handle_output_tool_call(self, event: OutputToolCallEvent) -> AsyncIterator[EventT]:
        """Yield the events for the handling of an output tool's call."""
        return
        yield

    async def handle_output_tool_result(self, event: OutputToolResultEvent) -> AsyncIterator[EventT]:
        """Yield the events for the answer to an output tool's call."""
        return
        yield

    async def handle_custom_event(self, event: CustomEvent) -> AsyncIterator[EventT]:
        """Yield the events for one that the program has emitted, unless its class is not for front ends."""
        return
        yield

    async def handle_run_result(self, event: AgentRunResultEvent[Any]) -> AsyncIterator[EventT]:
        """Yield the events for the result of the run."""
        return
        yield

    _handlers: ClassVar[Mapping[type, str]] = {
        PartStartEvent: 'handle_part_start',
        PartDeltaEvent: 'handle_part_delta',
        PartEndEvent: 'handle_part_end',
        FinalResultEvent: 'handle_final_result',
        FunctionToolCallEvent: 'handle_function_tool_call',
        FunctionToolProgressEvent: 'handle_function_tool_progress',
        FunctionToolResultEvent: 'handle_function_tool_result',
        OutputToolCallEvent: 'handle_output_tool_call',
        OutputToolResultEvent: 'handle_output_tool_result',
        AgentRunResultEvent: 'handle_run_result',
    }


class ToolEventStream(
    UIEventStream[RunInputT, EventT, AgentDepsT, OutputDataT], Generic[RunInputT, EventT, AgentDepsT, OutputDataT]
):
    """Base class for the streams of a protocol that shows calls of tools, and whose events tools can send."""

    _event_class: ClassVar[type[Any]]
    """The class of the protocol's events."""

    @abstractmethod
    def _args_event(self, id: str, args: str | dict[str, Any]) -> EventT:
        """Return the event for more arguments of a call."""

    @abstractmethod
    def _result_events(self, part: ToolReturnPart | RetryPromptPart) -> Iterable[EventT]:
        """Yield the events for the answer to a call."""

    async def handle_tool_call_delta(self, delta: ToolCallPartDelta) -> AsyncIterator[EventT]:
        """Yield more arguments of a tool call."""
        id, part = delta.tool_call_id, self._open_part
        if not id and isinstance(part, (ToolCallPart, NativeToolCallPart)):
            id = part.tool_call_id
        if id and delta.args_delta:
            yield self._args_event(id, delta.args_delta)

    async def handle_function_tool_progress(self, event: FunctionToolProgressEvent) -> AsyncIterator[EventT]:
        """Yield the events of the protocol among the values that a tool yields."""
        for own in self._events_in(event.content):
            yield own

    async def handle_function_tool_result(self, event: FunctionToolResultEvent) -> AsyncIterator[EventT]:
        """Yield the result of a tool call, and the events of the protocol in it."""
        for out in self._answer(event.part):
            yield out

    async def handle_output_tool_result(self, event: OutputToolResultEvent) -> AsyncIterator[EventT]:
        """Yield the answer to an output tool's call."""
        for out in self._answer(event.part):
            yield out

    def _answer(self, part: ToolReturnPart | RetryPromptPart) -> Iterator[EventT]:
        yield from self._result_events(part)
        if isinstance(part, ToolReturnPart):
            yield from self._events_in(part.metadata)
            yield from self._events_in(cast(object, part.content))

    def _events_in(self, value: object) -> Iterator[EventT]:
        """Yield an event of the protocol, or those in a collection."""
        values = [value]
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, self._event_class)):
            values = cast('Iterable[object]', value)
        for item in values:
            if isinstance(item, self._event_class):
                yield cast(EventT, item)


async def _completed(on_complete: OnCompleteFunc[EventT], result: AgentRunResult[Any]) -> AsyncIterator[EventT]:
    if is_async_callable(on_complete):
        await on_complete(result)
        return
    answer = await run_in_executor(cast('Callable[[AgentRunResult[Any]], object]', on_complete), result)
    if isinstance(answer, AsyncIterator):
        async for event in cast('AsyncIterator[EventT]', answer):
            yield event
    elif isinstance(answer, Awaitable):
        await answer


@asynccontextmanager
async def _closing(stream: AsyncIterator[Any]) -> AsyncIterator[None]:
    """Close a stream at the end of a block, if it can be closed."""
    try:
        yield
    finally:
        if (close := getattr(stream, 'aclose', None)) is not None:
            await close()
