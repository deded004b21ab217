"""Runs inside of runs wait, continue and are killed like others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.journal import EncryptedStore, Journal, MemoryStore, SqliteStore
from stead.messages import ToolCallPart
from tests.journal.test_crashes import calls, scripted
from tests.waiting import free_runs


def family(journal: Journal[Any], effects: list[str]) -> Agent[None, Any]:
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
            effects.append(name)
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
        effects: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        result = await family(journal, effects).run('go')
        assert isinstance(result.output, DeferredToolRequests)
        (waiting,) = await journal.waiting()
        assert [call.tool_call_id for call in waiting.requests.approvals] == ['first-1']
        assert waiting.path == ((result.run_id, 'r1'),)
        assert effects == ['second']

        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'first-1': True}))
        assert await journal.waiting() == []
        later: Journal[Any] = Journal(journal.store)
        final = await later.resume(family(later, effects), result.run_id)
        assert final.output == 'done'
        assert effects == ['second', 'first']

    asyncio.run(main())


def test_a_worker_goes_on_with_what_was_answered() -> None:
    async def main() -> None:
        effects: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        root = family(journal, effects)
        result = await root.run('go')
        (waiting,) = await journal.waiting()
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'first-1': False}))
        async with journal.worker(root) as worker:
            await worker.idle()
        assert worker.results[result.run_id].output == 'done'
        assert effects == ['second']
        assert {run.status for run in await journal.runs()} == {'done'}

    asyncio.run(main())


def test_calls_that_a_tool_makes_itself_are_not_made_again() -> None:
    async def main() -> None:
        effects: list[str] = []
        store = MemoryStore()

        class Dead(BaseException):
            pass

        def make(dies: bool) -> Agent[None, Any]:
            agent: Agent[None, Any] = Agent(scripted(calls(('script', {}, 'c1'))), name='scripts')

            @agent.tool_plain
            async def pay(amount: int) -> str:
                effects.append(f'pay {amount}')
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
        assert effects == ['pay 1', 'pay 2']
        assert result.all_messages()[2].parts[0].content == 'receipt 1, receipt 2'

    asyncio.run(main())


@pytest.mark.parametrize('nested', [False, True], ids=['one inside', 'two inside'])
def test_what_an_agent_inside_of_a_finished_call_used_counts_once(nested: bool) -> None:
    async def main() -> None:
        store = MemoryStore()

        class Dead(BaseException):
            pass

        def make(dies: bool, journal: Journal[Any]) -> Agent[None, Any]:
            inner = Agent(scripted(calls(('look', {}, 'i1'))), name='inner', capabilities=[journal])
            agent: Agent[None, Any] = Agent(
                scripted(calls(('script', {}, 'c1'))), name='scripts', capabilities=[journal]
            )

            @inner.tool_plain(effect='read')
            def look() -> str:
                return 'fine'

            @agent.tool
            async def ask(ctx: RunContext) -> str:
                return (await inner.run('look', usage=ctx.usage)).output

            @agent.tool(effect='idempotent')
            async def ask_for_it(ctx: RunContext) -> Any:
                assert ctx.tool_manager is not None
                return await ctx.tool_manager.handle_call(ToolCallPart('ask'))

            @agent.tool(effect='idempotent')
            async def script(ctx: RunContext) -> Any:
                assert ctx.tool_manager is not None
                answers = [
                    await ctx.tool_manager.handle_call(ToolCallPart('ask_for_it' if nested else 'ask'))
                    for _ in range(2)
                ]
                if dies:
                    raise Dead
                return answers

            return agent

        whole = await make(False, Journal(MemoryStore())).run('go')
        with pytest.raises(Dead):
            await make(True, Journal(store)).run('go')
        for dies in (True, False):  # the second process dies at the same place
            journal: Journal[Any] = Journal(store)
            (root,) = [run for run in await journal.runs() if run.parent_id is None]
            while root.holder is not None:
                await asyncio.sleep(0.01)
                (root,) = [run for run in await journal.runs() if run.parent_id is None]
            agent = make(dies, journal)
            if dies:
                with pytest.raises(Dead):
                    await journal.resume(agent, root.run_id)
            else:
                result = await journal.resume(agent, root.run_id)
        assert result.usage == whole.usage
        assert (await journal.state(root.run_id)).usage == whole.usage
        assert whole.usage.requests == 6

    asyncio.run(main())


def test_a_run_waits_only_when_what_is_beside_the_one_that_waits_is_over() -> None:
    async def main() -> None:
        effects: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        slow: Agent[None, Any] = Agent(scripted(calls(('pay', {}, 's1'))), name='slow', capabilities=[journal])
        asking: Agent[None, Any] = Agent(
            scripted(calls(('wipe', {}, 'a1'))),
            name='asking',
            output_type=[str, DeferredToolRequests],
            capabilities=[journal],
        )
        root: Agent[None, Any] = Agent(
            scripted(calls(('both', {}, 'r1'))),
            name='root',
            output_type=[str, DeferredToolRequests],
            capabilities=[journal],
        )

        @slow.tool_plain
        async def pay() -> str:
            await asyncio.sleep(0.1)
            effects.append('paid')
            return 'paid'

        @asking.tool_plain(requires_approval=True)
        def wipe() -> str:
            return 'wiped'

        @root.tool_plain(effect='idempotent')
        async def both() -> str:
            results = await asyncio.gather(slow.run('go'), asking.run('go'))
            return ', '.join(result.output for result in results)

        result = await root.run('go')
        assert isinstance(result.output, DeferredToolRequests)
        assert effects == ['paid']
        (waiting,) = await journal.waiting()
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'a1': True}))
        final = await journal.resume(root, result.run_id)
        assert final.all_messages()[2].parts[0].content == 'done, done'
        assert effects == ['paid']

    asyncio.run(main())


@pytest.mark.anyio
@pytest.mark.parametrize('asks', [False, True])
@pytest.mark.parametrize('of', ['one file', 'one file by two names', 'one encrypted file'])
async def test_agents_with_journals_of_their_own_on_one_file_are_one_tree(of: str, asks: bool, tmp_path: Path) -> None:
    class Dead(BaseException): ...

    key, paid, dies = EncryptedStore.new_key(), list[int](), [not asks]
    (tmp_path / 'link.db').symlink_to(tmp_path / 'runs.db')

    def store(name: str) -> Any:
        path = tmp_path / (name if of == 'one file by two names' else 'runs.db')
        return EncryptedStore(path, key) if of == 'one encrypted file' else SqliteStore(path)

    def process() -> tuple[Journal[Any], Agent[None, Any]]:
        output: Any = [str, DeferredToolRequests]
        journal, own = Journal[Any](store('runs.db')), Journal[Any](store('link.db'))
        outer = Agent(scripted(calls(('ask', {}, 'c1'))), name='outer', output_type=output, capabilities=[journal])
        inner = Agent(scripted(calls(('pay', {}, 'p1'))), name='inner', output_type=output, capabilities=[own])

        @inner.tool_plain(requires_approval=asks)
        def pay() -> str:
            paid.append(1)
            return 'paid'

        @outer.tool_plain(effect='idempotent')
        async def ask() -> str:
            output = (await inner.run('pay')).output
            if dies[0]:
                raise Dead
            return str(output)

        return journal, outer

    journal, outer = process()
    if asks:
        assert isinstance((await outer.run('go')).output, DeferredToolRequests)
        journal, outer = process()
        (waiting,) = [one for one in await journal.waiting() if one.requests.approvals]
        assert waiting.run.agent == 'inner'
        await journal.answer(waiting.run.run_id, waiting.requests.build_results(approve_all=True))
    else:
        with pytest.raises(Dead):
            await outer.run('go')
        dies[0] = False
        journal, outer = process()
    (root,) = [run for run in await free_runs(journal) if run.parent_id is None]
    assert root.agent == 'outer'
    assert not isinstance((await journal.resume(outer, root.run_id)).output, DeferredToolRequests)
    assert paid == [1]
    assert {run.status for run in await journal.runs()} == {'done'}
