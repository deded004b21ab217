"""The ways to run an agent and read along: `run_stream`, `run_stream_sync` and `run_stream_events`."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from .._contracts.output import FinalResult
from .._kit.aio import SyncBridge, cancel_and_drain
from .._loop.agent_stream import AgentStream
from .._loop.nodes import CallToolsNode, ModelRequestNode, SetFinalResult
from .._loop.request import finish_request
from .._loop.respond import finish_streamed
from .._loop.state import step_context
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
        sink = EventSink(ctx.deps.chain, handler)
        node = run.next_node
        while not isinstance(node, End):
            if isinstance(node, ModelRequestNode):
                async with node.stream(ctx) as stream:
                    await sink.take(step_context(ctx), until_final(stream))
                    if (final := stream.final_result_event) is not None:
                        answer = _Answer(run, node, stream, final)
                        result = StreamedRunResult[Any, Any](
                            run.all_messages(), ctx.deps.new_message_index, stream, answer.take
                        )
                        try:
                            yield result
                        finally:
                            answer.leave()
                        return
            elif isinstance(node, CallToolsNode):
                async with node.stream(ctx) as events:
                    await sink.take(step_context(ctx), events)
            node = await run.next(node)
        finished = run.result
        assert finished is not None, 'a run that ended has a result'
        yield StreamedRunResult[Any, Any](run.all_messages(), ctx.deps.new_message_index, run_result=finished)


async def until_final(events: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """Yield events until one announces the output."""
    async for event in events:
        yield event
        if isinstance(event, FinalResultEvent):
            return


class _Answer:
    """The response that carries the output of a streamed run, and how it becomes part of the run."""

    def __init__(
        self,
        run: AgentRun[Any, Any],
        node: ModelRequestNode[Any, Any],
        stream: AgentStream[Any, Any],
        final: FinalResultEvent,
    ) -> None:
        self.run = run
        self.node = node
        self.stream = stream
        self.final = final
        self.taken = False

    async def take(self, response: ModelResponse) -> None:
        """Take the whole response into the run, call what tools are left to be called, and end the run."""
        self._record(response)
        if self.stream.cancelled:
            return
        output = await self.stream.get_output()
        result = FinalResult[Any](output, self.final.tool_name, self.final.tool_call_id)
        ignored = await finish_streamed(self.run.ctx, response, result)
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
        self.stream.count()
        self.node.answered(CallToolsNode(finish_request(self.run.ctx, response)))


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
