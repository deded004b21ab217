"""The ways to run an agent and read along: `run_stream`, `run_stream_sync` and `run_stream_events`."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from .._contracts.output import FinalResult
from .._kit.aio import SyncBridge, cancel_and_drain
from .._loop.agent_stream import AgentStream
from .._loop.nodes import AgentNode, CallToolsNode, ModelRequestNode, SetFinalResult
from .._loop.request import finish_request
from .._loop.respond import finish_streamed
from .._loop.state import RunGraphContext, RunStep
from .._loop.streamed import EventFeed, EventHandler, EventSink
from ..graph import End
from ..messages import FinalResultEvent, ModelResponse
from ..result import StreamedRunResult, StreamedRunResultSync
from ..run import AgentRun, AgentRunResult, AgentRunResultEvent


@asynccontextmanager
async def stream_run(
    opened: AbstractAsyncContextManager[AgentRun[Any, Any]], handler: EventHandler | None
) -> AsyncIterator[StreamedRunResult[Any, Any]]:
    """Run an agent until its answer begins, and yield a result that reads the rest of it.

    Args:
        opened: The run, as `iter` returns it.
        handler: Is shown the events until then.
    """
    async with opened as run:
        ctx = run.ctx
        search = _AnswerSearch(run, ctx, EventSink(ctx.deps.chain, handler))
        await run.drive(until=search.look)
        messages, index = run.all_messages(), ctx.state.new_message_index
        if (answer := search.answer) is None:
            yield StreamedRunResult[Any, Any](messages, index, run_result=run.result)
            return
        async with answer.opened:
            try:
                yield StreamedRunResult[Any, Any](messages, index, answer.stream, answer.take)
            finally:
                answer.leave()


@dataclass
class _AnswerSearch:
    """Streams the nodes of a run before they run, until the answer begins."""

    run: AgentRun[Any, Any]
    ctx: RunGraphContext
    sink: EventSink
    answer: _Answer | None = None

    async def look(self, node: AgentNode[Any, Any] | End[Any]) -> bool:
        """Stream a node; return whether the answer begins in it, whose response then stays open."""
        ctx = self.ctx
        if isinstance(node, ModelRequestNode):
            asked = cast('ModelRequestNode[Any, Any]', node)
            async with AsyncExitStack() as opened:
                stream = await opened.enter_async_context(asked.stream(ctx))
                await self.sink.take(ctx.state.step.context, until_final(stream))
                if (final := stream.final_result_event) is not None:
                    self.answer = _Answer(self.run, ctx, ctx.state.step, asked, stream, final, opened.pop_all())
                    return True
        elif isinstance(node, CallToolsNode):
            async with node.stream(ctx) as events:
                await self.sink.take(ctx.state.step.context, events)
        return False


async def until_final(events: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """Yield events until one announces the output."""
    async for event in events:
        yield event
        if isinstance(event, FinalResultEvent):
            return


@dataclass
class _Answer:
    """The response that carries the output of a streamed run, and how it becomes part of the run."""

    run: AgentRun[Any, Any]
    ctx: RunGraphContext
    step: RunStep
    node: ModelRequestNode[Any, Any]
    stream: AgentStream[Any, Any]
    final: FinalResultEvent
    opened: AsyncExitStack
    """Closes the stream."""
    taken: bool = False

    async def take(self, response: ModelResponse) -> None:
        """Take the whole response into the run, call what tools are left to be called, and end the run."""
        if self.taken:  # the result is read on after its run was left
            return
        self._record(response)
        if self.stream.cancelled:
            return
        output = await self.stream.get_output()
        result = FinalResult[Any](output, self.final.tool_name, self.final.tool_call_id)
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
        """Keep what came of a response that was not read to its end."""
        if not self.taken:
            response = self.stream.response
            if response.state == 'incomplete':
                response.state = 'interrupted'
            self._record(response)

    def _record(self, response: ModelResponse) -> None:
        self.taken = True
        self.stream.mark_counted()
        self.node.answered(CallToolsNode(finish_request(self.ctx, self.step, response)))


async def stream_events(run: Any) -> AsyncGenerator[Any, None]:
    """Yield the events of a run and then its result; the run waits while nobody reads.

    Args:
        run: Starts the run; called with an `event_stream_handler`.
    """
    feed = EventFeed()

    async def hand_over(_: Any, events: AsyncIterable[Any]) -> None:
        async for event in events:
            await feed.hand_over(event)

    task: asyncio.Task[AgentRunResult[Any]] = asyncio.ensure_future(run(event_stream_handler=hand_over))
    task.add_done_callback(feed.end)
    try:
        async for event in feed.events(task):
            yield event
        yield AgentRunResultEvent(task.result())
    finally:
        await cancel_and_drain(task)


def stream_run_sync(
    opened: AbstractAsyncContextManager[StreamedRunResult[Any, Any]],
) -> StreamedRunResultSync[Any, Any]:
    """Run an agent from sync code until its answer begins, and return a result that reads the rest of it."""
    bridge = SyncBridge()
    try:
        result = bridge.enter(opened)
    except BaseException:
        bridge.close()
        raise
    return StreamedRunResultSync(result, bridge)
