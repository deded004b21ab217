"""A run that does not hold its lease decides nothing: no request, no tool, no end."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, RunContext
from stead.journal import Journal, LeaseLost, MemoryStore, StoreError
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel
from tests.journal.test_crashes import calls, scripted
from tests.waiting import free_runs


async def free(journal: Journal[Any]) -> str:
    """Return the id of the one run, once its lease was given back."""
    return (await free_runs(journal))[0].run_id


class Lost(MemoryStore):
    """A store in which another process takes a run at a moment of choice."""

    def lose(self, run_id: str) -> None:
        with self._lock:
            self._runs[run_id].token += 1
            self._runs[run_id].holder = 'another'


def test_a_process_that_was_paused_while_it_took_a_run_does_not_run_it_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    paid: list[int] = []
    script, answers = scripted(*(calls(('pay', {'n': n}, f'c{n}')) for n in range(3))), asyncio.Event()

    async def model(messages: Any, info: Any) -> Any:
        await answers.wait()
        return script.function(messages, info)  # type: ignore[misc]

    agent: Agent[None, Any] = Agent(FunctionModel(model), name='payer')

    @agent.tool_plain(effect='write')
    async def pay(n: int) -> str:
        paid.append(n)
        await asyncio.sleep(0.01)
        return f'paid {n}'

    async def main() -> None:
        store = MemoryStore()
        journal: Journal[Any] = Journal(store, lease_seconds=0.6)
        first = asyncio.create_task(agent.run('go', capabilities=[Journal(store, lease_seconds=0.6)]))
        while not await journal.runs():  # noqa: ASYNC110 - until it is recorded
            await asyncio.sleep(0.001)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        answers.set()
        run_id = await free(journal)
        one = asyncio.create_task(journal.resume(agent, run_id))
        while (await asyncio.to_thread(store.get, run_id)).holder is None:  # type: ignore[union-attr]
            pass
        time.sleep(0.7)  # noqa: ASYNC251 - the loop is busy for longer than the lease lasts
        other = asyncio.create_task(journal.resume(agent, run_id))
        outcomes = await asyncio.gather(one, other, return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ['AgentRunResult', 'RunInUse']
        assert Counter(paid) == {0: 1, 1: 1, 2: 1}
        assert (await journal.runs())[0].status == 'done'

    asyncio.run(main())


@pytest.mark.parametrize('durability', ['sync', 'async', 'exit'])
def test_a_run_that_lost_its_lease_sends_no_request_calls_no_tool_and_has_no_result(durability: Any) -> None:
    async def main(lose_in: str) -> None:
        store, did = Lost(), list[str]()

        def model(messages: Any, info: Any) -> Any:
            did.append(f'request {len(messages)}')
            return script.function(messages, info)  # type: ignore[misc]

        script = scripted(calls(('look', {}, 'c1')), calls(('see', {}, 'c2')))
        journal: Journal[Any] = Journal(store, durability=durability, lease_seconds=0.2)
        agent: Agent[None, str] = Agent(FunctionModel(model), name='looker', capabilities=[journal])

        async def lose(where: str) -> None:
            did.append(where)
            if where == lose_in:
                (run,) = await journal.runs()
                store.lose(run.run_id)
                time.sleep(0.15)  # noqa: ASYNC251 - long enough that the lease may be lost

        @agent.tool_plain(effect='read')
        async def look() -> str:
            await lose('look')
            return 'seen'

        @agent.tool_plain(effect='read')
        async def see() -> str:
            await lose('see')
            return 'seen'

        with pytest.raises(LeaseLost):
            await agent.run('go')
        assert did[-1] == lose_in

    asyncio.run(main('look'))
    asyncio.run(main('see'))


def test_the_lease_is_asked_for_again_when_a_record_took_longer_than_the_lease() -> None:
    paid: list[str] = []

    class Slow(Lost):
        """Says late that it has written that a call starts, when another process has the run."""

        def append(self, entries: Any, *, durable: bool) -> set[str]:
            refused = super().append(entries, durable=durable)
            if any(record.kind == 'calling' for entry in entries for record in entry.records):
                self.lose(entries[0].run_id)
                time.sleep(0.15)
            return refused

    agent: Agent[None, str] = Agent(
        scripted(calls(('pay', {}, 'c1'))), name='payer', capabilities=[Journal(Slow(), lease_seconds=0.2)]
    )

    @agent.tool_plain
    def pay() -> str:
        paid.append('paid')
        return 'paid'

    with pytest.raises(LeaseLost, match='was taken over by another process'):
        agent.run_sync('go')
    assert not paid


@pytest.mark.parametrize('jump', [3600.0, -3600.0])
def test_a_clock_that_jumps_counts_as_a_lease_that_may_be_lost(jump: float, monkeypatch: pytest.MonkeyPatch) -> None:
    store, renewed, ahead, real = Lost(), list[str](), [0.0], time.time
    monkeypatch.setattr(time, 'time', lambda: real() + ahead[0])

    def renew(leases: Any, until: float) -> set[str]:
        renewed.append('renewed')
        return MemoryStore.renew(store, leases, until)

    monkeypatch.setattr(store, 'renew', renew)
    agent: Agent[None, str] = Agent(
        scripted(calls(('look', {}, 'c1')), calls(('see', {}, 'c2'))), name='looker', capabilities=[Journal(store)]
    )

    @agent.tool_plain(effect='read')
    def look() -> str:
        assert not renewed
        ahead[0] = jump
        return 'seen'

    @agent.tool_plain(effect='read')
    def see() -> str:
        assert renewed
        return 'seen'

    assert agent.run_sync('go').output == 'done'


def test_a_tool_that_its_run_has_left_behind_makes_no_more_calls() -> None:
    paid: list[int] = []
    errors: list[BaseException] = []
    left: list[Callable[[], Any]] = []
    store = MemoryStore()
    agent: Agent[None, str] = Agent(scripted(calls(('leave', {}, 'c1'))), name='x', capabilities=[Journal(store)])

    @agent.tool_plain
    async def pay(n: int) -> str:
        paid.append(n)
        return 'paid'

    @agent.tool
    async def leave(ctx: RunContext[None]) -> str:
        manager = ctx.tool_manager
        left.append(lambda: manager.handle_call(ToolCallPart('pay', {'n': 1}, 'p1')))  # type: ignore[union-attr]
        return 'left'

    async def main() -> None:
        assert (await agent.run('go')).output == 'done'
        try:
            await left[0]()
        except LeaseLost as error:
            errors.append(error)

    asyncio.run(main())
    assert [str(error)[:4] for error in errors] == ['Run ']
    assert not paid


def test_a_journal_that_is_thrown_away_gives_its_runs_back() -> None:
    async def main() -> None:
        store = MemoryStore()
        agent: Agent[None, str] = Agent(scripted(), name='left')

        async def leave_behind() -> None:
            await agent.iter('go', capabilities=[Journal(store, lease_seconds=0.3)]).__aenter__()

        await leave_behind()
        gc.collect()
        journal: Journal[Any] = Journal(store)
        run_id = await asyncio.wait_for(free(journal), 5)
        assert (await journal.resume(agent, run_id)).output == 'done'

    asyncio.run(main())


def test_a_journal_on_the_agent_leaves_the_run_of_another_journal_alone() -> None:
    async def main() -> None:
        store = MemoryStore()
        agent: Agent[None, str] = Agent(scripted(), name='x', capabilities=[Journal(store)])
        async with agent.iter('go'):
            pass  # it is left
        other: Journal[Any] = Journal(store)
        run_id = await free(other)
        assert (await other.resume(agent, run_id)).output == 'done'
        assert [run.status for run in await other.runs()] == ['done']

    asyncio.run(main())


def test_each_of_two_journals_of_a_run_records_it_as_if_it_were_alone() -> None:
    def script(messages: Any, info: Any) -> ModelResponse:
        call = ToolCallPart('batch', {}, 'c0')
        return ModelResponse(parts=[TextPart('done') if len(messages) > 1 else call])

    async def kinds(*journals: Journal[Any]) -> list[list[tuple[str, Any]]]:
        agent: Agent[None, str] = Agent(FunctionModel(script), name='boss', capabilities=journals)

        @agent.tool_plain
        async def pay(n: int) -> str:
            return f'paid {n}'

        @agent.tool(effect='idempotent')
        async def batch(ctx: RunContext[None]) -> str:
            handle = ctx.tool_manager.handle_call  # type: ignore[union-attr]
            return str([await handle(ToolCallPart('pay', {'n': n})) for n in (1, 2)])

        run_id = (await agent.run('go')).run_id
        found: list[list[tuple[str, Any]]] = []
        for journal in journals:
            assert (await journal.state(run_id)).output == 'done'
            found.append([(one.kind, one.data().get('within')) for one in await journal.records(run_id)])
        return found

    async def main() -> None:
        (alone,) = await kinds(Journal())
        assert await kinds(Journal(), Journal()) == [alone, alone]

    asyncio.run(main())


def test_all_journals_of_a_run_know_that_it_is_over_though_one_cannot_record_it() -> None:
    class Full(MemoryStore):
        def append(self, entries: Any, *, durable: bool) -> set[str]:
            if any(record.kind == 'ended' for entry in entries for record in entry.records):
                raise OSError('full')
            return super().append(entries, durable=durable)

    async def main() -> None:
        other: Journal[Any] = Journal()
        with pytest.raises(StoreError, match='full'):
            await Agent(scripted(), capabilities=[Journal(Full()), other]).run('go')
        assert [(run.status, run.holder) for run in await other.runs()] == [('done', None)]

    asyncio.run(main())
