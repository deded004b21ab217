"""Runs inside of runs wait, go on and are killed like others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.journal import Journal, MemoryStore
from stead.messages import ToolCallPart
from tests.journal.test_crashes import calls, scripted


def family(journal: Journal[Any], done: list[str]) -> Agent[None, Any]:
    """Return an agent whose tool runs two agents at once, which each pay, and one of them must ask."""

    def child(name: str, must_ask: bool) -> Agent[None, Any]:
        agent: Agent[None, Any] = Agent(
            scripted(calls(('pay', {}, f'{name}-1'))),
            name=name,
            output_type=[str, DeferredToolRequests],
            capabilities=[journal],
        )

        @agent.tool_plain(requires_approval=must_ask)
        async def pay() -> str:
            done.append(name)
            return f'{name} paid'

        return agent

    first, second = child('first', True), child('second', False)
    root: Agent[None, Any] = Agent(
        scripted(calls(('ask_first', {}, 'r1'), ('ask_second', {}, 'r2'))),
        name='root',
        output_type=[str, DeferredToolRequests],
        capabilities=[journal],
    )

    @root.tool_plain(effect='idempotent')
    async def ask_first() -> str:
        return (await first.run('pay, please')).output

    @root.tool_plain(effect='idempotent')
    async def ask_second() -> str:
        return (await second.run('pay, please')).output

    return root


def test_what_waits_inside_is_answered_there_and_every_tool_runs_once() -> None:
    async def main() -> None:
        done: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        result = await family(journal, done).run('go')
        assert isinstance(result.output, DeferredToolRequests)
        (waiting,) = await journal.waiting()
        assert [call.tool_call_id for call in waiting.requests.approvals] == ['first-1']
        assert waiting.path == ((result.run_id, 'r1'),)
        assert done == ['second']

        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'first-1': True}))
        assert await journal.waiting() == []
        later: Journal[Any] = Journal(journal.store)
        final = await later.resume(family(later, done), result.run_id)
        assert final.output == 'done'
        assert done == ['second', 'first']

    asyncio.run(main())


def test_a_worker_goes_on_with_what_was_answered() -> None:
    async def main() -> None:
        done: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        root = family(journal, done)
        result = await root.run('go')
        (waiting,) = await journal.waiting()
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'first-1': False}))
        async with journal.worker(root) as worker:
            await worker.idle()
        assert worker.results[result.run_id].output == 'done'
        assert done == ['second']
        assert {run.status for run in await journal.runs()} == {'done'}

    asyncio.run(main())


def test_calls_that_a_tool_makes_itself_are_not_made_again() -> None:
    async def main() -> None:
        done: list[str] = []
        store = MemoryStore()

        class Dead(BaseException):
            pass

        def make(dies: bool) -> Agent[None, Any]:
            agent: Agent[None, Any] = Agent(scripted(calls(('script', {}, 'c1'))), name='scripts')

            @agent.tool_plain
            async def pay(amount: int) -> str:
                done.append(f'pay {amount}')
                return f'receipt {amount}'

            @agent.tool(effect='idempotent')
            async def script(ctx: RunContext) -> str:
                assert ctx.tool_manager is not None
                first = await ctx.tool_manager.handle_call(ToolCallPart('pay', {'amount': 1}))
                if dies:
                    raise Dead
                second = await ctx.tool_manager.handle_call(ToolCallPart('pay', {'amount': 2}))
                return f'{first}, {second}'

            return agent

        with pytest.raises(Dead):
            await make(True).run('go', capabilities=[Journal(store)])
        later: Journal[Any] = Journal(store)
        # The first journal gives the lease back in its thread.
        while (await later.runs())[0].holder is not None:  # noqa: ASYNC110 - no event of the other journal is seen here
            await asyncio.sleep(0.01)
        (run,) = await later.runs()
        result = await later.resume(make(False), run.run_id)
        assert done == ['pay 1', 'pay 2']
        assert result.all_messages()[2].parts[0].content == 'receipt 1, receipt 2'

    asyncio.run(main())
