"""`RunToEnd`: all responses of a run, read like the stream of one, up to the one that is the answer in the end.

The first response that looks like the answer may not be: tools are called after text, outputs are refused, hooks ask again.
So each response that begins after such a one is announced as another attempt, and text and output start over with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from .._contracts.output import OutputDataT
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.aio import cancel_and_drain
from .._kit.debounce import ReadAhead
from ..capabilities._chain import HookChain
from ..exceptions import AgentRunError, ModelRetry, UserError
from ..messages import AgentStreamEvent, ModelResponse, ResponseRestartEvent, StreamAttemptEvent
from .answer import Answer
from .events import EventFeed, EventHandler, EventSink
from .reading import Reading, TextReader, has_content, own_copy
from .response import AgentStream
from .views import RunFacts

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


class RunToEnd(Reading[OutputDataT], Generic[AgentDepsT, OutputDataT]):
    """All responses of a run, read like the stream of one.

    The run continues in a task, which waits with each event until it has been read. The reader may come from any task; when
    it leaves, the run is cancelled and waited for.
    """

    _skipped = (*Reading._skipped, UserError)  # of calls that wait: the run decides what happens to them
    _skipped_in_text = (ModelRetry,)  # only the whole text can be refused
    _is_of_one = False

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
        self._text: list[str] = []
        """The text of the attempt, as far as it has been read."""
        self._reader = TextReader()
        self.task: asyncio.Task[EndedRun[OutputDataT]] = asyncio.ensure_future(drive(self))
        self.feed.follow(self.task)
        self._ahead: ReadAhead[AgentStreamEvent] = ReadAhead(self.feed)

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
        """Whether a response has started, so that there is something to read."""
        return self.sink is not None and self.sink.stream is not None

    async def leave(self) -> None:
        """Stop the run, unless it has ended."""
        try:
            await self._ahead.close()
        finally:
            await cancel_and_drain(self.task)

    async def cancel(self) -> None:
        """Stop the current response, and end the run; one that has ended keeps its result."""
        self.feed.is_stopped = True
        try:
            await self._stream.cancel()
        finally:
            await self.leave()

    @property
    def cancelled(self) -> bool:
        """Whether reading was stopped with `cancel`."""
        return self.feed.is_stopped

    # Events

    def __aiter__(self) -> AsyncIterator[AgentStreamEvent]:
        return self

    async def __anext__(self) -> AgentStreamEvent:
        event = await self._ahead.__anext__()
        self._note(event)
        return event

    def _groups(self) -> ReadAhead[AgentStreamEvent]:
        return self._ahead

    def _seen(self, group: list[AgentStreamEvent]) -> Iterable[AgentStreamEvent]:
        for event in group:
            yield event
            self._note(event)

    async def _moments(self, debounce_by: float | None) -> AsyncIterator[AgentStreamEvent | None]:
        started: object = None
        async for event in super()._moments(debounce_by):
            if started is (stream := self._stream) or has_content(stream.response):
                started = stream
                yield event

    def _note(self, event: AgentStreamEvent) -> None:
        """Note what an event changes: the attempt, and its text."""
        if isinstance(event, (StreamAttemptEvent, ResponseRestartEvent)):
            self._text, self._reader = [], TextReader()
            if isinstance(event, StreamAttemptEvent):
                self.attempt = event.attempt
        elif piece := self._reader.piece(event):
            self._text.append(piece)

    # Reading

    def _known_text(self) -> object:
        self.answer.check_text()
        is_read = self._has_result and not self.feed.waiting and not self._ahead.items
        return self.task.result().output if is_read else None

    def _text_before(self) -> str:
        self._text = [''.join(self._text)]
        return self._text[0]

    async def read_output(self) -> OutputDataT:
        """Read everything and return a copy of the output."""
        async for _ in self:
            pass
        return own_copy(self.result().output)

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
    def _facts(self) -> RunFacts:
        return self._stream

    @property
    def answer(self) -> Answer[AgentDepsT, OutputDataT]:
        """The answer of the response that is read now, or of the last one."""
        return self._stream.answer

    @property
    def _stream(self) -> AgentStream[AgentDepsT, OutputDataT]:
        assert self.sink is not None and self.sink.stream is not None, 'only what has a response is read'
        return self.sink.stream

    @property
    def _has_result(self) -> bool:
        return self.task.done() and not self.task.cancelled() and self.task.exception() is None

    @property
    def response(self) -> ModelResponse:
        """The response that is read now, or the last one."""
        return self.task.result().response if self._has_result else self._stream.response
