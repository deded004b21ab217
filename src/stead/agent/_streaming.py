"""The ways to run an agent and read along: `run_stream`, `run_stream_sync` and `run_stream_events`.

They drive a run, so they lie above it; what is read of its responses is the business of `_streams/`.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, cast

from .._contracts.output import FinalResult, OutputDataT
from .._contracts.run_context import AgentDepsT
from .._kit import around
from .._kit.aio import SyncBridge, async_block, cancel_and_drain
from .._loop.facts import response_taken
from .._loop.nodes import AnyAgentNode, CallToolsNode, ModelRequestNode, SetFinalResult
from .._loop.request import finish_request
from .._loop.respond import finish_streamed
from .._loop.state import RunGraphContext, RunStep
from .._streams.events import EventHandler, EventSink, RunFeed
from .._streams.response import AgentStream
from .._streams.to_end import RunToEnd
from ..exceptions import RunCancelled, UserError
from ..messages import AgentStreamEvent, FinalResultEvent, ModelResponse
from ..result import StreamedRunResult, StreamedRunResultSync
from ..run import AgentRun, AgentRunResult, AgentRunResultEvent

_stream_block = async_block(
    'Use `async with agent.run_stream(...) as stream:`, and in it `async for text in stream.stream_text():`.'
)


def stream_until(
    until: str, opened: AbstractAsyncContextManager[AgentRun[AgentDepsT, OutputDataT]], handler: EventHandler | None
) -> AbstractAsyncContextManager[StreamedRunResult[AgentDepsT, OutputDataT]]:
    """Run an agent until its answer begins or until it ends, and yield a result that reads its responses.

    Args:
        until: `'final-result'` or `'end'`.
        opened: The run, as `iter` returns it.
        handler: Is shown the events until the answer begins, or those of the whole run.

    Raises:
        UserError: It is to be streamed until something else.
    """
    if until == 'final-result':
        return stream_run(opened, handler)
    if until == 'end':
        return stream_to_end(opened, handler)
    raise UserError(f"`until` must be 'final-result' or 'end', not {until!r}.")


@_stream_block
async def stream_run(
    opened: AbstractAsyncContextManager[AgentRun[AgentDepsT, OutputDataT]], handler: EventHandler | None
) -> AsyncGenerator[StreamedRunResult[AgentDepsT, OutputDataT], None]:
    """Run an agent until its answer begins, and yield a result that reads the rest of it."""
    async with opened as run:
        ctx = run.ctx
        search = _AnswerSearch(run, ctx, EventSink(ctx.deps.chain, handler))
        await run.drive(until=search.stream)
        messages, index = ctx.state.message_history, ctx.state.new_message_index
        if (answer := search.answer) is None:
            yield StreamedRunResult(messages, index, run_result=run.result)
            return
        async with answer.opened:
            try:
                yield StreamedRunResult(messages, index, answer.stream, answer.take)
            except BaseException:
                if ctx.deps.keep_interrupted:  # else the node sees that the response has not become part of the run
                    answer.leave()
                raise
            answer.leave()


@dataclass
class _AnswerSearch(Generic[AgentDepsT, OutputDataT]):
    """Streams the nodes of a run before they run, until the answer begins."""

    run: AgentRun[AgentDepsT, OutputDataT]
    ctx: RunGraphContext
    sink: EventSink
    """Is shown the events until then."""
    answer: _FirstAnswer[AgentDepsT, OutputDataT] | None = None

    async def stream(self, node: AnyAgentNode) -> bool:
        """Stream a node; return whether the answer begins in it, whose response then stays open."""
        ctx = self.ctx
        if isinstance(node, ModelRequestNode):
            asked = cast('ModelRequestNode[AgentDepsT, OutputDataT]', node)
            async with AsyncExitStack() as opened:
                stream = await opened.enter_async_context(asked.stream(ctx))
                if stream.is_replayed:  # it is shown, but the program may not take the first text in it for the answer
                    await self.sink.show(ctx.state.step.context, stream.replayed())
                else:
                    await self.sink.show(ctx.state.step.context, until_final(stream))
                if (final := stream.final_result_event) is not None:
                    self.answer = _FirstAnswer(self.run, ctx, ctx.state.step, asked, stream, final, opened.pop_all())
                    return True
        elif isinstance(node, CallToolsNode):
            if node.is_recorded:
                await self.sink.show(ctx.state.step.context, await node.recorded(ctx))
            async with node.stream(ctx) as events:
                await self.sink.show(ctx.state.step.context, events)
        return False


async def until_final(events: AsyncIterable[AgentStreamEvent]) -> AsyncIterator[AgentStreamEvent]:
    """Yield events until one announces the output."""
    async for event in events:
        yield event
        if isinstance(event, FinalResultEvent):
            return


@dataclass
class _FirstAnswer(Generic[AgentDepsT, OutputDataT]):
    """The response that carries the output of a streamed run, and how it becomes part of the run."""

    run: AgentRun[AgentDepsT, OutputDataT]
    ctx: RunGraphContext
    step: RunStep
    node: ModelRequestNode[AgentDepsT, OutputDataT]
    """The node that the response belongs to."""
    stream: AgentStream[AgentDepsT, OutputDataT]
    """The response."""
    final: FinalResultEvent
    """The event that announced the output."""
    opened: AsyncExitStack
    """Closes the stream."""
    taken: bool = False
    """Whether the response is part of the history."""

    async def take(self, response: ModelResponse) -> None:
        """Take the whole response into the run, call what tools are left to be called, and end the run."""
        if self.taken:  # the result is read on after its run was left
            return
        self._record(response)
        if self.stream.cancelled:
            return
        if (chain := self.step.tools.chain).record:
            await chain.announce(self.step.context, response_taken(self.ctx.state))
        output = await self.stream.answer.whole(response)
        result = FinalResult(output, self.final.tool_name, self.final.tool_call_id)
        with self.ctx.deps.around():
            ignored = await finish_streamed(self.ctx, self.step, response, result)
        if ignored:
            warnings.warn(
                f'`run_stream` took the text before the call of tool {ignored[0]!r} for the answer, so the tool was not '
                "called. Use `run_stream(until='end')`, `run_stream_events`, or `run` with an `event_stream_handler`.",
                UserWarning,
                stacklevel=2,
            )
        await self.run.next(SetFinalResult(result))

    def leave(self) -> None:
        """Keep the part that was received of a response that was not read to its end."""
        if not self.taken:
            response = self.stream.response
            if response.state == 'incomplete':
                response.state = 'interrupted'
            self._record(response)

    def _record(self, response: ModelResponse) -> None:
        self.taken = True
        self.stream.is_counted = True
        self.node.answered(CallToolsNode(finish_request(self.ctx, self.step, response)))


@_stream_block
async def stream_to_end(
    opened: AbstractAsyncContextManager[AgentRun[AgentDepsT, OutputDataT]], handler: EventHandler | None
) -> AsyncGenerator[StreamedRunResult[AgentDepsT, OutputDataT], None]:
    """Run an agent, and yield a result that reads all of its responses."""
    driver: _Driver[AgentDepsT, OutputDataT] = _Driver(opened, handler)
    reading: RunToEnd[AgentDepsT, OutputDataT] = RunToEnd(driver.drive)
    await reading.start()
    try:
        run = driver.run
        assert run is not None, 'a run that has events was opened'
        messages, index = run.ctx.state.message_history, run.ctx.state.new_message_index
        if not reading.has_response:
            yield StreamedRunResult(messages, index, run_result=run.result)
            return

        async def complete(_: ModelResponse) -> None:
            if not reading.cancelled:
                result.end_with(driver.result())

        result: StreamedRunResult[AgentDepsT, OutputDataT] = StreamedRunResult(messages, index, reading, complete)
        with nullcontext() if (ledger := run.ctx.deps.ledger) is None else around.reading(ledger):
            yield result
    finally:
        await reading.leave()


@dataclass
class _Driver(Generic[AgentDepsT, OutputDataT]):
    """Takes a run to its end, for a reader of all its responses."""

    opened: AbstractAsyncContextManager[AgentRun[AgentDepsT, OutputDataT]]
    handler: EventHandler | None
    run: AgentRun[AgentDepsT, OutputDataT] | None = None
    """The run, once it is open."""

    async def drive(self, reading: RunToEnd[AgentDepsT, OutputDataT]) -> AgentRunResult[OutputDataT]:
        """Take the run to its end, at the pace of the reader, and return its result."""
        async with self.opened as run:
            self.run = run
            await run.drive(reading.follow(run.ctx.deps.chain, self.handler))
        return self.result()

    def result(self) -> AgentRunResult[OutputDataT]:
        """Return the result of the run, which has ended."""
        result = self.run.result if self.run is not None else None
        assert result is not None, 'a run that ended has a result'
        return result


async def stream_events(
    run: Callable[..., Coroutine[Any, Any, AgentRunResult[OutputDataT]]], feed: RunFeed
) -> AsyncGenerator[AgentStreamEvent | AgentRunResultEvent[OutputDataT], None]:
    """Yield the events of a run and then its result; the run waits for its reader with each event.

    Args:
        run: Starts the run; called with an `event_stream_handler`.
        feed: Takes the events here.
    """
    if feed.is_cancelled:
        raise RunCancelled('The agent run was cancelled.', reason=feed.reason)
    task = asyncio.ensure_future(run(event_stream_handler=feed))
    task.add_done_callback(feed.end)
    try:
        while True:  # as `feed.events`, without a second generator around each event
            while feed.waiting:
                yield feed.waiting.pop(0)
            feed.read.set()
            if task.done():
                break
            feed.news.clear()
            await feed.news.wait()
    except BaseException:  # the reader has left
        await cancel_and_drain(task)
        raise
    feed.result = task.result()
    yield AgentRunResultEvent(feed.result)


def stream_run_sync(
    opened: AbstractAsyncContextManager[StreamedRunResult[AgentDepsT, OutputDataT]],
) -> StreamedRunResultSync[AgentDepsT, OutputDataT]:
    """Run an agent from synchronous code until its answer begins, and return a result that reads the rest of it."""
    bridge = SyncBridge()
    try:
        result = bridge.enter(opened)
    except BaseException:
        bridge.close()
        raise
    return StreamedRunResultSync(result, bridge)
