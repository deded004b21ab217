"""`RunToEnd`: all responses of a run, read like the stream of one, up to the one that is the answer in the end.

The first response that looks like the answer may not be: tools are called after text, outputs are refused, hooks ask again.
So each response that begins after such a one is announced as another attempt, and text and output start over with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from pydantic import ValidationError

from .._contracts.output import OutputDataT
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.aio import cancel_and_drain
from .._kit.debounce import ReadAhead
from ..capabilities._chain import HookChain
from ..exceptions import AgentRunError, ModelRetry, ToolRetryError, UserError
from ..messages import AgentStreamEvent, FinalResultEvent, ModelResponse, ResponseRestartEvent, StreamAttemptEvent
from ..usage import RunUsage
from .events import EventFeed, EventHandler, EventSink
from .response import AgentStream, has_content, own_copy
from .text import TextReader

OutputDataT_co = TypeVar('OutputDataT_co', covariant=True)


class EndedRun(Protocol[OutputDataT_co]):
    """The result of a run; `AgentRunResult` is one."""

    @property
    def output(self) -> OutputDataT_co:
        """The output of the run."""
        ...

    @property
    def response(self) -> ModelResponse:
        """The last response."""
        ...


@dataclass
class FollowedSink(EventSink):
    """Shows events to hooks and handler, and hands those of responses to the reader of the result as well."""

    feed: EventFeed[AgentStreamEvent] = field(default_factory=EventFeed[AgentStreamEvent])
    """Takes the events to the reader."""
    stream: AgentStream[Any, Any] | None = None
    """The current response, or the last one."""
    attempt: int = 1
    """The number of the attempt at the answer."""
    retries: int = 0
    """Retries of the output when the last response began."""

    def shown(
        self, context: RunContext[object], events: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """Return the events after the hooks; those of a response wait for the reader."""
        shown = super().shown(context, events)
        if not isinstance(events, AgentStream):
            return shown
        return self._handed_over(context, cast('AgentStream[Any, Any]', events), shown)

    async def _handed_over(
        self, context: RunContext[object], stream: AgentStream[Any, Any], events: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterator[AgentStreamEvent]:
        reason = self._reason(context)
        self.stream = stream
        if reason is not None:
            self.attempt += 1
            attempt = StreamAttemptEvent(attempt=self.attempt, reason=reason)
            await self.feed.hand_over(attempt)
            yield attempt
        async for event in events:
            await self.feed.hand_over(event)
            yield event

    def _reason(self, context: RunContext[object]) -> Literal['retry', 'tool-calls', 'message'] | None:
        """Return why there is another attempt at the answer; `None` if nothing was taken for it yet."""
        refused, self.retries = context.retry > self.retries, context.retry
        if self.stream is None or self.stream.final_result_event is None:
            return None
        if refused:
            return 'retry'
        return 'tool-calls' if self.stream.response.tool_calls else 'message'


class RunToEnd(Generic[AgentDepsT, OutputDataT]):
    """All responses of a run, read like the stream of one.

    The run goes on in a task, which waits with each event until it has been read. The reader may come from any task; when
    it leaves, the run is cancelled and waited for.
    """

    def __init__(
        self,
        drive: Callable[[RunToEnd[AgentDepsT, OutputDataT]], Coroutine[Any, Any, EndedRun[OutputDataT]]],
    ) -> None:
        """Start the run.

        Args:
            drive: Opens the run, shows its events to what `follow` returns, and returns its result.
        """
        self.feed: EventFeed[AgentStreamEvent] = EventFeed()
        self.sink: FollowedSink | None = None
        self.attempt: int = 1
        self.cancelled: bool = False
        self._text: list[str] = []
        """The text of the attempt, as far as it has been read."""
        self._reader = TextReader()
        self.task: asyncio.Task[EndedRun[OutputDataT]] = asyncio.ensure_future(drive(self))
        self.task.add_done_callback(self.feed.end)
        self._ahead: ReadAhead[AgentStreamEvent] = ReadAhead(self)

    def follow(self, chain: HookChain, handler: EventHandler | None) -> EventSink:
        """Return what is to be shown the events of the run, once it is open.

        Args:
            chain: The hooks of the run.
            handler: Is shown the events too.
        """
        self.sink = FollowedSink(chain, handler, self.feed)
        return self.sink

    async def start(self) -> None:
        """Wait until the first response begins, or the run has ended without any.

        Raises:
            BaseException: What the run raised before its first response.
        """
        try:
            await self.feed.news.wait()
        except BaseException:
            await self.leave()
            raise
        if self.task.done():
            self.task.result()

    @property
    def has_response(self) -> bool:
        """Whether a response has begun, so that there is something to read."""
        return self.sink is not None and self.sink.stream is not None

    async def leave(self) -> None:
        """Stop the run, if it goes on."""
        try:
            await self._ahead.close()
        finally:
            await cancel_and_drain(self.task)

    async def cancel(self) -> None:
        """Stop the current response, and end the run; one that has ended keeps its result."""
        self.cancelled = True
        try:
            await self._stream.cancel()
        finally:
            await self.leave()

    # Events

    def __aiter__(self) -> AsyncIterator[AgentStreamEvent]:
        return self

    async def __anext__(self) -> AgentStreamEvent:
        try:
            return await self.feed.next(self.task)
        except asyncio.CancelledError:
            if self.cancelled:
                raise StopAsyncIteration from None
            raise

    async def _groups(self, debounce_by: float | None) -> AsyncIterator[list[AgentStreamEvent]]:
        if debounce_by is not None:
            async for group in self._ahead.groups(debounce_by):
                yield group
            return
        async for event in self._ahead:
            yield [event]

    def _read(self, event: AgentStreamEvent) -> str:
        """Note what an event changes, and return the text that it brings."""
        if isinstance(event, StreamAttemptEvent):
            self.attempt, self._text = event.attempt, []
            self._reader = TextReader()
            return ''
        if isinstance(event, ResponseRestartEvent):
            self._text, self._reader = [], TextReader()
        elif piece := self._reader.piece(event):
            self._text.append(piece)
            return piece
        return ''

    # Reading; see `AgentStream`

    async def stream_text(self, *, delta: bool, debounce_by: float | None) -> AsyncIterator[str]:
        """Yield the text of the answer; with another attempt, it begins again."""
        self._stream.check_text()
        if text := ''.join(self._text):
            yield text if delta else await self._stream.validate_text(text)
        async for group in self._groups(debounce_by):
            new: list[str] = []
            for event in group:
                if delta and new and isinstance(event, (StreamAttemptEvent, ResponseRestartEvent)):
                    yield ''.join(new)
                    new = []
                if piece := self._read(event):
                    new.append(piece)
            if new and delta:
                yield ''.join(new)
            elif new:
                self._text = [''.join(self._text)]
                try:
                    text = await self._stream.validate_text(self._text[0])
                except ModelRetry:
                    continue  # only the whole text can be refused
                yield text

    async def stream_response(self, *, debounce_by: float | None) -> AsyncIterator[ModelResponse]:
        """Yield the responses as they grow; the last one is complete."""
        begun: object = None
        async for group in self._groups(debounce_by):
            for event in group:
                self._read(event)
            stream, response = self._stream, self._stream.response
            if begun is stream or has_content(response):
                begun = stream
                yield response
        yield self.response

    async def stream_output(self, *, debounce_by: float | None) -> AsyncIterator[OutputDataT]:
        """Yield the output as it grows, whenever it is valid so far, and then the whole output."""
        last = begun = None
        async for group in self._groups(debounce_by):
            for event in group:
                self._read(event)
            stream = self._stream
            if stream.final_result_event is None or (response := stream.response).parts == last:
                continue
            if begun is not stream and not has_content(response):
                continue
            begun = stream
            last = response.parts
            try:
                yield await stream.partial_output(response)
            except (ValidationError, ModelRetry, ToolRetryError):
                continue
            except UserError:  # calls that wait: the run decides what happens to them
                continue
        yield await self.get_output()

    async def get_output(self) -> OutputDataT:
        """Read everything and return a copy of the output."""
        async for event in self._ahead:
            self._read(event)
        return own_copy(self.result().output)

    async def validate_response_output(self, message: ModelResponse, *, allow_partial: bool = False) -> OutputDataT:
        """Return the output that a response holds; errors as `AgentStream.validate_response_output`."""
        return await self._stream.validate_response_output(message, allow_partial=allow_partial)

    def result(self) -> EndedRun[OutputDataT]:
        """Return the result of the run.

        Raises:
            AgentRunError: The run was cancelled.
        """
        if not self.task.done() or self.task.cancelled():
            raise AgentRunError('The run was cancelled before its end, so it has no output.')
        return self.task.result()

    # Facts about the run

    @property
    def _stream(self) -> AgentStream[AgentDepsT, OutputDataT]:
        assert self.sink is not None and self.sink.stream is not None, 'only what has a response is read'
        return self.sink.stream

    @property
    def response(self) -> ModelResponse:
        """The current response, or the last one."""
        ended = self.task.done() and not self.task.cancelled() and self.task.exception() is None
        return self.task.result().response if ended else self._stream.response

    @property
    def usage(self) -> RunUsage:
        """Usage of the run so far."""
        return self._stream.usage

    @property
    def run_id(self) -> str:
        """Unique id of the run."""
        return self._stream.run_id

    @property
    def conversation_id(self) -> str:
        """Unique id of the conversation."""
        return self._stream.conversation_id

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Metadata of the run."""
        return self._stream.metadata

    @property
    def final_result_event(self) -> FinalResultEvent | None:
        """The event that announced the output of the current attempt."""
        return self._stream.final_result_event
