"""`run_stream(until='end')`: every response of a run is streamed, up to the one that really is the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ValidationError

from .._contracts.run_context import RunContext
from .._kit.aio import cancel_and_drain
from .._kit.debounce import ReadAhead
from .._loop.agent_stream import AgentStream, TextReader
from .._loop.streamed import EventFeed, EventHandler, EventSink
from ..exceptions import AgentRunError, ModelRetry, ToolRetryError, UserError
from ..messages import FinalResultEvent, ModelResponse, StreamAttemptEvent
from ..result import StreamedRunResult
from ..run import AgentRun, AgentRunResult
from ..usage import RunUsage
from ._streaming import stream_run


@dataclass
class FollowedSink(EventSink):
    """Shows events to hooks and handler, and hands those of responses to whoever reads the result as well."""

    feed: EventFeed = field(default_factory=EventFeed)
    stream: AgentStream[Any, Any] | None = None
    """The response that comes in, or came in last."""
    attempt: int = 1
    retries: int = 0
    """Retries of the output when the last response began."""

    def shown(self, context: RunContext[Any], events: AsyncIterable[Any]) -> AsyncIterable[Any]:
        """Return the events as the hooks leave them; those of a response wait for the reader."""
        shown = super().shown(context, events)
        return self._handed_over(context, cast(Any, events), shown) if isinstance(events, AgentStream) else shown

    async def _handed_over(
        self, context: RunContext[Any], stream: AgentStream[Any, Any], events: AsyncIterable[Any]
    ) -> AsyncIterator[Any]:
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

    def _reason(self, context: RunContext[Any]) -> Any:
        """Return why there is another attempt at the answer; `None` if nothing was taken for it yet."""
        refused, self.retries = context.retry > self.retries, context.retry
        if self.stream is None or self.stream.final_result_event is None:
            return None
        if refused:
            return 'retry'
        return 'tool-calls' if self.stream.response.tool_calls else 'message'


class RunToEnd:
    """All responses of a run, read like the stream of one.

    The run goes on in a task, which waits with each event until it has been read.
    """

    def __init__(self, opened: AbstractAsyncContextManager[AgentRun[Any, Any]], handler: EventHandler | None) -> None:
        self.feed = EventFeed()
        self.run: AgentRun[Any, Any] | None = None
        self.sink: FollowedSink | None = None
        self.attempt = 1
        self.cancelled = False
        self._text: list[str] = []
        """The text of the attempt, as far as it has been read."""
        self._reader = TextReader()
        self.task = asyncio.ensure_future(self._drive(opened, handler))
        self.task.add_done_callback(self.feed.end)
        self._ahead = ReadAhead[Any](self)

    async def _drive(
        self, opened: AbstractAsyncContextManager[AgentRun[Any, Any]], handler: EventHandler | None
    ) -> AgentRunResult[Any]:
        async with opened as run:
            self.run, self.sink = run, FollowedSink(run.ctx.deps.chain, handler, self.feed)
            await run.drive(self.sink)
        assert run.result is not None, 'a run that ended has a result'
        return run.result

    async def start(self) -> AgentRun[Any, Any]:
        """Wait until the first response begins, or the run has ended without any."""
        try:
            await self.feed.news.wait()
        except BaseException:
            await self.leave()
            raise
        if self.task.done():
            self.task.result()
        assert self.run is not None, 'a run that has events was opened'
        return self.run

    async def leave(self) -> None:
        """Stop the run, if it goes on."""
        await self._ahead.close()
        await cancel_and_drain(self.task)

    async def cancel(self) -> None:
        """Break off what comes in, and end the run."""
        self.cancelled = True
        await self._stream.cancel()
        await self.leave()

    # Events

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.feed.next(self.task)
        except asyncio.CancelledError:
            if self.cancelled:
                raise StopAsyncIteration from None
            raise

    async def _groups(self, debounce_by: float | None) -> AsyncIterator[list[Any]]:
        if debounce_by is not None:
            async for group in self._ahead.groups(debounce_by):
                yield group
            return
        async for event in self._ahead:
            yield [event]

    def _read(self, event: Any) -> str:
        """Take note of an event, and return the text that it brings."""
        if isinstance(event, StreamAttemptEvent):
            self.attempt, self._text = event.attempt, []
            self._reader = TextReader()
            return ''
        if piece := self._reader.piece(event):
            self._text.append(piece)
        return piece

    # What is read; see `AgentStream`

    async def stream_text(self, *, delta: bool, debounce_by: float | None) -> AsyncIterator[str]:
        """Yield the text of the answer; with another attempt, it begins again."""
        self._stream.check_text()
        if text := ''.join(self._text):
            yield text if delta else await self._stream.validate_text(text)
        async for group in self._groups(debounce_by):
            new: list[str] = []
            for event in group:
                if delta and new and isinstance(event, StreamAttemptEvent):
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
                    continue  # it is the whole text that decides
                yield text

    async def stream_response(self, *, debounce_by: float | None) -> AsyncIterator[ModelResponse]:
        """Yield the responses as they grow; the last one is complete."""
        async for group in self._groups(debounce_by):
            for event in group:
                self._read(event)
            yield self._stream.response
        yield self.response

    async def stream_output(self, *, debounce_by: float | None) -> AsyncIterator[Any]:
        """Yield the output as it grows, as far as it can be validated, and then the whole output."""
        last: Any = None
        async for group in self._groups(debounce_by):
            for event in group:
                self._read(event)
            stream = self._stream
            if stream.final_result_event is None or (response := stream.response).parts == last:
                continue
            last = response.parts
            try:
                yield await stream._partial_output(response)
            except (ValidationError, ModelRetry, ToolRetryError):
                continue
        yield await self.get_output()

    async def get_output(self) -> Any:
        """Read everything and return the output."""
        async for event in self._ahead:
            self._read(event)
        return self.result().output

    async def validate_response_output(self, message: ModelResponse, *, allow_partial: bool = False) -> Any:
        """Return the output that a response comes to."""
        return await self._stream.validate_response_output(message, allow_partial=allow_partial)

    def result(self) -> AgentRunResult[Any]:
        """Return the result of the run.

        Raises:
            AgentRunError: The run was cancelled.
        """
        if self.cancelled:
            raise AgentRunError('The run was cancelled before its end, so it has no output.')
        return self.task.result()

    # What is known of the run

    @property
    def _stream(self) -> AgentStream[Any, Any]:
        assert self.sink is not None and self.sink.stream is not None, 'only what has a response is read'
        return self.sink.stream

    @property
    def response(self) -> ModelResponse:
        """The response that comes in, or came in last."""
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
        """The event that announced what may be the output."""
        return self._stream.final_result_event


@asynccontextmanager
async def stream_to_end(
    opened: AbstractAsyncContextManager[AgentRun[Any, Any]], handler: EventHandler | None
) -> AsyncIterator[StreamedRunResult[Any, Any]]:
    """Run an agent, and yield a result that reads all of its responses.

    Args:
        opened: The run, as `iter` returns it.
        handler: Is shown the events of the whole run.
    """
    reading = RunToEnd(opened, handler)
    run = await reading.start()
    try:
        index = run.ctx.state.new_message_index
        if reading.sink is None or reading.sink.stream is None:
            yield StreamedRunResult[Any, Any](run.all_messages(), index, run_result=reading.result())
            return

        async def complete(_: ModelResponse) -> None:
            if not reading.cancelled:
                result.end_with(reading.result())

        result = StreamedRunResult[Any, Any](run.all_messages(), index, reading, complete)
        yield result
    finally:
        await reading.leave()


def streaming_until(until: str) -> Any:
    """Return what streams a run until its first answer, or until its end.

    Raises:
        UserError: It is to be streamed until something else.
    """
    if until not in ('final-result', 'end'):
        raise UserError(f"`until` must be 'final-result' or 'end', not {until!r}.")
    return stream_to_end if until == 'end' else stream_run
