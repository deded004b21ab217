"""What is cancelled is cancelled once: a second cancellation does not interrupt how it ends, and nothing is left open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

import pytest
from anyio import CancelScope

from stead import Agent, DeferredToolRequests, DeferredToolResults, FunctionToolset, RunContext
from stead._contracts.facts import CallProgressed
from stead._kit.aio import cancel_and_drain, cancel_once, drain, gather
from stead._kit.held import HeldOpen
from stead.capabilities import AbstractCapability
from stead.graph import GraphBuilder, StepContext
from stead.journal import Journal, MemoryStore
from stead.messages import ModelResponse
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import ToolDefinition

from ..loop.kit import call, calling, script, text
from .clean import outcome, run_clean, ticks


class Connection:
    """Something that takes a while to close."""

    def __init__(self, *, takes: int = 30) -> None:
        self.opened = asyncio.Event()
        self.closing = asyncio.Event()
        self.closed = False
        self._takes = takes

    async def use(self) -> None:
        """Use it for ever."""
        self.opened.set()
        try:
            await asyncio.Event().wait()
        finally:
            await self.close()

    async def close(self) -> None:
        self.closing.set()
        await ticks(self._takes)
        self.closed = True


async def reached(event: asyncio.Event, task: asyncio.Task[Any]) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + 20  # to end a test that hangs
    while not event.is_set():
        assert not task.done() and loop.time() < end, f'It does not come so far: {task!r}'
        await asyncio.sleep(0)


async def cancelled_twice(task: asyncio.Task[Any], *connections: Connection) -> None:
    """Cancel a task, and once more when its connections are being closed; all of them must be closed when it ends."""
    for connection in connections:
        await reached(connection.opened, task)
    task.cancel()
    for connection in connections:
        await reached(connection.closing, task)
    task.cancel()
    assert isinstance(await outcome(task), asyncio.CancelledError)
    assert [connection.closed for connection in connections] == [True] * len(connections)


@pytest.mark.parametrize('wait', [drain, cancel_and_drain])
def test_who_waits_for_an_end_and_is_cancelled_learns_so_after_it(wait: Callable[..., Awaitable[None]]) -> None:
    async def main() -> None:
        connection = Connection()
        using = asyncio.ensure_future(connection.use())
        await connection.opened.wait()
        cancel_once(using)
        waiting = asyncio.ensure_future(wait(using))
        await connection.closing.wait()
        waiting.cancel()
        await ticks(1)
        waiting.cancel()
        assert isinstance(await outcome(waiting), asyncio.CancelledError)
        assert (connection.closed, using.cancelled()) == (True, True)

    run_clean(main())


def test_what_is_gathered_is_cancelled_once() -> None:
    async def main() -> None:
        quick, slow = Connection(takes=0), Connection()
        task = asyncio.ensure_future(gather(quick.use(), slow.use()))
        await quick.opened.wait()
        await slow.opened.wait()
        task.cancel()
        assert isinstance(await outcome(task), asyncio.CancelledError)
        assert (quick.closed, slow.closed) == (True, True)

    run_clean(main())


def test_of_what_is_gathered_an_error_ends_the_rest() -> None:
    async def main() -> None:
        connection = Connection()

        async def fail(after: int, what: str) -> None:
            await connection.opened.wait()
            await ticks(after)
            raise ValueError(what)

        with pytest.raises(ValueError, match='first'):
            await gather(connection.use(), fail(2, 'second'), fail(1, 'first'))
        assert connection.closed
        assert await gather() == []
        assert await gather(asyncio.sleep(0, 'a'), asyncio.sleep(0, 'b')) == ['a', 'b']

    run_clean(main())


def test_a_function_that_is_held_open() -> None:
    async def main() -> None:
        connection = Connection()
        await cancelled_twice(asyncio.ensure_future(HeldOpen[None, None]().open(connection.use)), connection)

    run_clean(main())


@pytest.mark.parametrize('streamed', [False, True])
def test_tools_of_a_run(streamed: bool) -> None:
    async def main() -> None:
        connections = {'a': Connection(takes=20), 'b': Connection(takes=30)}
        agent = calling(call('work', {'name': 'a'}, 'a'), call('work', {'name': 'b'}, 'b'))

        @agent.tool_plain
        async def work(name: str) -> None:
            await connections[name].use()

        async def run() -> None:
            if not streamed:
                await agent.run('go')
                return
            async with agent.iter('go') as going:
                async for node in going:
                    if Agent.is_call_tools_node(node):
                        async with node.stream(going.ctx) as events:
                            async for _ in events:
                                pass

        await cancelled_twice(asyncio.ensure_future(run()), *connections.values())

    run_clean(main())


def test_what_toolsets_list() -> None:
    async def main() -> None:
        connections = [Connection(takes=20), Connection()]

        def toolset(connection: Connection) -> FunctionToolset[Any]:
            async def prepare(ctx: RunContext[Any], definition: ToolDefinition) -> ToolDefinition:
                await connection.use()
                return definition

            toolset_of_run = FunctionToolset[Any]()
            toolset_of_run.add_function(lambda: 'x', name=f'tool_{id(connection)}', prepare=prepare)
            return toolset_of_run

        agent = Agent(script(text('done')), toolsets=[toolset(connection) for connection in connections])
        task = asyncio.ensure_future(agent.run('go'))
        await cancelled_twice(task, *connections)

    run_clean(main())


def test_the_connection_of_a_stream_whose_reader_waits_for_a_group() -> None:
    async def main() -> None:
        connection = Connection()

        async def answer(_: list[Any], __: AgentInfo) -> AsyncIterator[str]:
            yield 'some '
            connection.opened.set()
            try:
                await asyncio.Event().wait()
            finally:
                await connection.close()
            yield 'more'

        async def read() -> None:
            async with Agent(FunctionModel(stream_function=answer)).run_stream('go', until=until) as result:
                async for _ in result.stream_text(debounce_by=0.001):
                    pass

        until: Any
        for until in ('final-result', 'end'):
            connection = Connection()
            await cancelled_twice(asyncio.ensure_future(read()), connection)

    run_clean(main())


def test_a_step_that_a_graph_needs_no_more() -> None:
    async def main() -> None:
        connection = Connection(takes=200)
        builder: GraphBuilder[None, None, int, int] = GraphBuilder(input_type=int, output_type=int)

        @builder.step
        async def one(ctx: StepContext[None, None, int]) -> int:
            if ctx.inputs == 1:
                await connection.use()
            await connection.opened.wait()
            return ctx.inputs

        @builder.step
        async def after(ctx: StepContext[None, None, int]) -> int:
            await connection.closing.wait()
            return ctx.inputs

        def first(context: Any, current: int, value: int) -> int:
            context.cancel_sibling_tasks()
            return value

        join = builder.join(first, initial=0)
        builder.add(
            builder.edge_from(builder.start_node).transform(lambda ctx: [1, 2]).map().to(one),
            builder.edge_from(one).to(join),
            builder.edge_from(join).to(after),
            builder.edge_from(after).to(builder.end_node),
        )
        assert await builder.build().run(inputs=0) == 2
        assert connection.closed

    run_clean(main())


class SlowRecord(AbstractCapability[Any]):
    """Takes its time with what it records, and to end."""

    def __init__(self) -> None:
        self.connection = Connection()

    async def record(self, ctx: RunContext[Any], *, fact: Any) -> None:
        if isinstance(fact, CallProgressed):
            await self.connection.use()


def test_a_call_whose_progress_is_being_recorded() -> None:
    async def main() -> None:
        capability = SlowRecord()
        agent = calling(call('work'), capabilities=[capability])

        @agent.tool
        async def work(ctx: RunContext[Any]) -> None:
            ctx.report_progress('begun')
            await asyncio.Event().wait()

        await cancelled_twice(asyncio.ensure_future(agent.run('go')), capability.connection)

    run_clean(main())


def test_the_runs_of_a_worker() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        connections = {'a': Connection(), 'b': Connection(takes=60)}
        agent: Agent[None, Any] = Agent(
            FunctionModel(lambda messages, _: ModelResponse([call('work', {'name': messages[0].parts[0].content})])),  # type: ignore[union-attr]
            name='works',
            output_type=[str, DeferredToolRequests],
        )

        @agent.tool_plain(requires_approval=True)
        async def work(name: str) -> None:
            await connections[name].use()

        for name in connections:
            run_id = (await agent.run(name, capabilities=[journal])).run_id
            await journal.answer(run_id, DeferredToolResults(approvals={'id_work': True}))

        async def serve() -> None:
            async with journal.worker(agent):
                for connection in connections.values():
                    await connection.opened.wait()

        task = asyncio.ensure_future(serve())
        await connections['a'].closing.wait()
        task.cancel()
        assert isinstance(await outcome(task), asyncio.CancelledError)
        assert [connection.closed for connection in connections.values()] == [True, True]

    run_clean(main())


def test_who_waited_in_a_loop_that_was_left_does_nothing_to_a_task_of_a_later_one() -> None:
    async def hold(other: asyncio.Task[None]) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await drain(other)

    async def forever() -> None:
        await asyncio.Event().wait()

    def left() -> tuple[Coroutine[Any, Any, None], asyncio.Task[None]]:
        loop = asyncio.new_event_loop()
        other = loop.create_task(forever())
        waiting = hold(other)
        for task in (loop.create_task(waiting), other):
            task._log_destroy_pending = False  # type: ignore[attr-defined]  # it is left on purpose
        loop.call_soon(loop.stop)
        loop.run_forever()
        loop.close()
        return waiting, other

    waiting, _held = left()

    async def later() -> None:
        with CancelScope() as scope:
            waiting.close()  # as the garbage collector does
            scope.cancel()
            await asyncio.sleep(0)
        assert scope.cancelled_caught

    asyncio.run(later())
