"""Which process continues a run, and when: what random histories of processes have found, one by one."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, UserError
from stead.journal import Entry, Journal, LeaseLost, MemoryStore, Record, RunInfo, RunInUse, SqliteStore, StoreError
from stead.models.test import TestModel
from tests.journal.test_crashes import calls, plain, scripted


class Dead(BaseException):
    """The process ends."""


def test_a_call_in_doubt_that_was_asked_about_is_not_made_without_an_answer() -> None:
    async def main() -> None:
        store = MemoryStore()
        paid: list[str] = []

        def make() -> Agent[None, Any]:
            agent: Agent[None, Any] = Agent(
                scripted(calls(('pay', {}, 'c1'))), name='payer', output_type=[str, DeferredToolRequests]
            )

            @agent.tool_plain
            async def pay() -> str:
                paid.append('paid')
                if len(paid) == 1:
                    raise Dead
                return 'paid again'

            return agent

        with pytest.raises(Dead):
            await make().run('go', capabilities=[Journal(store)])
        journal: Journal[Any] = Journal(store)
        while (await journal.runs())[0].holder is not None:  # noqa: ASYNC110 - the other journal gives it back
            await asyncio.sleep(0.01)
        (run,) = await journal.runs()
        for _ in range(3):  # however often it is resumed, it asks
            result = await journal.resume(make(), run.run_id)
            assert result.output.metadata['c1']['kind'] == 'reconcile'
            assert paid == ['paid']
            assert len(await journal.waiting()) == 1
        await journal.answer(run.run_id, DeferredToolResults(approvals={'c1': True}))
        assert (await journal.resume(make(), run.run_id)).output == 'done'
        assert paid == ['paid', 'paid']

    asyncio.run(main())


def test_a_call_in_doubt_is_answered_though_the_output_type_has_no_place_for_questions() -> None:
    async def main() -> None:
        store = MemoryStore()
        paid: list[str] = []
        agent: Agent[None, str] = Agent(scripted(calls(('pay', {}, 'c1'))), name='payer')

        @agent.tool_plain
        async def pay() -> str:
            paid.append('paid')
            raise Dead

        with pytest.raises(Dead):
            await agent.run('go', capabilities=[Journal(store)])
        journal: Journal[Any] = Journal(store)
        while (await journal.runs())[0].holder is not None:  # noqa: ASYNC110 - the other journal gives it back
            await asyncio.sleep(0.01)
        (run,) = await journal.runs()
        with pytest.raises(
            UserError, match="Tool 'pay' was started, and its process died, was stopped or is paused.*`journal.answer`"
        ):
            await journal.resume(agent, run.run_id)
        assert [waiting.run.run_id for waiting in await journal.waiting()] == [run.run_id]
        await journal.answer(run.run_id, DeferredToolResults(calls={'c1': 'it was paid'}))
        assert (await journal.resume(agent, run.run_id)).output == 'done'
        assert paid == ['paid']

    asyncio.run(main())


def test_a_journal_does_not_run_a_run_twice_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        ahead, real = [0.0], time.time
        monkeypatch.setattr(time, 'time', lambda: real() + ahead[0])
        agent: Agent[None, Any] = Agent(scripted(calls(('look', {}, 'c1'))), name='looker')

        @agent.tool_plain
        async def look() -> str:
            ahead[0] = 3600.0  # the lease has ended, by the clock
            (run,) = await journal.runs()
            with pytest.raises(RunInUse, match='is under way in this process'):
                await journal.resume(agent, run.run_id)
            async with journal.worker(agent) as worker:
                await worker.idle()
                assert worker.results == worker.failures == {}
            return 'it is fine'

        assert (await agent.run('go', capabilities=[journal])).output == 'done'

    asyncio.run(main())


def asking(journal: Journal[Any], during: Any, effects: list[str]) -> Agent[None, Any]:
    """Return an agent one of whose tools runs an agent that must ask, while another one is still running."""
    inner: Agent[None, Any] = Agent(
        scripted(calls(('wipe', {}, 'i1'))),
        name='inner',
        output_type=[str, DeferredToolRequests],
        capabilities=[journal],
    )

    @inner.tool_plain(requires_approval=True)
    async def wipe() -> str:
        effects.append('wiped')
        return 'wiped'

    outer: Agent[None, Any] = Agent(
        scripted(calls(('ask', {}, 'o1'), ('slow', {}, 'o2'))),
        name='outer',
        output_type=[str, DeferredToolRequests],
        capabilities=[journal],
    )

    @outer.tool_plain(effect='idempotent')
    async def ask() -> str:
        return (await inner.run('wipe it')).output

    @outer.tool_plain
    async def slow() -> str:
        await during()
        effects.append('slow')
        return 'slowly'

    return outer


def test_what_is_answered_while_the_outer_run_is_under_way_is_not_lost() -> None:
    async def main() -> None:
        effects: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())

        async def answers() -> None:
            while not (waiting := await journal.waiting()):  # noqa: ASYNC110 - the other call comes to it
                await asyncio.sleep(0.01)
            other: Journal[Any] = Journal(journal.store)
            decided = DeferredToolResults(approvals={'i1': True})
            await other.answer(waiting[0].run.run_id, decided)

        agent = asking(journal, answers, effects)
        result = await agent.run('go')
        assert isinstance(result.output, DeferredToolRequests)
        assert await journal.waiting() == []  # there is nothing left to decide
        async with journal.worker(agent) as worker:
            await worker.idle()
        assert worker.results[result.run_id].output == 'done'
        assert effects == ['slow', 'wiped']

    asyncio.run(main())


def test_what_is_answered_by_a_process_that_dies_is_not_lost() -> None:
    class OneMore(MemoryStore):
        """A store that takes one decision, and nothing more until it is mended."""

        is_dead: bool = False

        def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
            if self.is_dead:
                raise OSError('dead')
            refused = super().append(entries, durable=durable)
            self.is_dead = any(record.kind == 'decided' for entry in entries for record in entry.records)
            return refused

    async def main() -> None:
        effects: list[str] = []
        store = OneMore()
        journal: Journal[Any] = Journal(store)

        async def at_once() -> None: ...

        agent = asking(journal, at_once, effects)
        result = await agent.run('go')
        (waiting,) = await journal.waiting()
        with pytest.raises(Exception, match='dead'):
            await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'i1': True}))
        store.is_dead = False
        later: Journal[Any] = Journal(store)
        again = asking(later, at_once, effects)
        async with later.worker(again) as worker:
            await worker.idle()
        assert worker.results[result.run_id].output == 'done'
        assert effects == ['slow', 'wiped']

    asyncio.run(main())


def test_a_worker_tries_again_when_the_store_is_well() -> None:
    class Away(MemoryStore):
        left: int = 0

        def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
            if self.left:
                self.left -= 1
                raise OSError('the store is away')
            return super().append(entries, durable=durable)

    async def main() -> None:
        store = Away()
        journal: Journal[Any] = Journal(store)
        run = RunInfo('r', agent='plain', begun_at=1.0, updated_at=1.0)
        await journal._recorder.call(lambda: store.create(run))
        fork_of = await plain().run('go', capabilities=[Journal(store)])
        left = await journal.fork(fork_of.run_id, at=2)
        store.delete(['r'])
        store.left = 3
        async with journal.worker(plain(), pause=0.01) as worker:
            while left not in worker.results:  # noqa: ASYNC110 - it looks by itself
                await asyncio.sleep(0.01)
        assert worker.results[left].output == 'done'
        assert 'the store is away' in str(worker.failures[left])

    asyncio.run(main())


def test_a_run_goes_on_though_the_store_was_away_for_a_run_inside_of_it() -> None:
    class Away(MemoryStore):
        left: int = 0

        def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
            if run.parent_id is not None and self.left:
                self.left -= 1
                raise OSError('the store is away')
            return super().create(run, records)

    async def main() -> None:
        store = Away()
        store.left = 1
        journal: Journal[Any] = Journal(store)
        agent: Agent[None, str] = Agent(scripted(calls(('nest', {}, 'c1'))), name='outer', capabilities=[journal])

        @agent.tool_plain(effect='idempotent')
        async def nest() -> str:
            return (await plain().run('go', capabilities=[journal])).output

        with pytest.raises(StoreError, match='the store is away'):
            await agent.run('go')
        (run,) = await journal.runs()
        assert run.status == 'running'  # the run has not failed: it was left, as by a process that died
        async with journal.worker(agent) as worker:
            await worker.idle()
        assert worker.results[run.run_id].output == 'done'

    asyncio.run(main())


def test_a_run_that_gets_somewhere_is_not_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        steps = [calls(('wipe', {}, f'c{number}')) for number in range(8)]
        agent: Agent[None, Any] = Agent(scripted(*steps), name='wiper', output_type=[str, DeferredToolRequests])

        @agent.tool_plain(requires_approval=True)
        def wipe() -> str:
            return 'wiped'

        result = await agent.run('go', capabilities=[journal])
        async with journal.worker(agent, attempts=3) as worker:
            for number in range(8):
                await journal.answer(result.run_id, DeferredToolResults(approvals={f'c{number}': True}))
                await worker.idle()
        assert worker.results[result.run_id].output == 'done'
        (run,) = await journal.runs()
        assert run.token > 16

        # One that dies each time is.
        fork = await journal.fork(result.run_id, at=1)
        for _ in range(4):
            token = journal.store.acquire(fork, 'a process that dies', 0.0, 0.0)
            assert token is not None
        async with journal.worker(agent, attempts=3) as worker:
            with caplog.at_level(logging.WARNING, logger='stead.journal'):
                await worker.idle()
        assert fork not in worker.results
        assert 'without getting anywhere, and is left alone' in caplog.text

    asyncio.run(main())


def test_inner_runs_do_not_take_the_place_of_others() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        first = await plain().run('go', capabilities=[journal])
        left = await journal.fork(first.run_id, at=2)
        for number in range(30):  # begun later, and in a run that has ended
            later = time.time() + number
            inner = RunInfo(f'inner-{number}', agent='plain', parent_id=first.run_id, begun_at=later, updated_at=later)
            journal.store.create(inner)
        async with journal.worker(plain(), limit=2) as worker:
            await worker.idle()
        assert list(worker.results) == [left]

    asyncio.run(main())


def test_a_run_that_was_taken_over_elsewhere_is_lost_to_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        store = MemoryStore()
        ahead, real = [0.0], time.time
        monkeypatch.setattr(time, 'time', lambda: real() + ahead[0])
        effects: list[str] = []

        def make(is_first: bool) -> Agent[None, Any]:
            agent: Agent[None, Any] = Agent(
                scripted(calls(('look', {}, 'c1')), calls(('pay', {}, 'c2'))), name='payer', retries=0
            )

            @agent.tool_plain(effect='read')
            async def look() -> str:
                if is_first:
                    ahead[0] = 3600.0
                    other: Journal[Any] = Journal(store)
                    (run,) = await other.runs()
                    await asyncio.create_task(other.resume(make(False), run.run_id))
                return 'fine'

            @agent.tool_plain
            async def pay() -> str:
                effects.append('first' if is_first else 'second')
                return 'paid'

            return agent

        with pytest.raises(LeaseLost):
            await make(True).run('go', capabilities=[Journal(store)])
        assert effects == ['second']

    asyncio.run(main())


def test_a_run_that_waits_for_a_person_is_not_said_to_have_failed(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        agent: Agent[None, Any] = Agent(scripted(calls(('wipe', {}, 'c1'))), name='wiper')
        started = asyncio.Event()

        @agent.tool_plain
        async def wipe() -> None:
            started.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(agent.run('go', capabilities=[journal]))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with caplog.at_level(logging.WARNING, logger='stead.journal'):
            async with journal.worker(agent) as worker:
                await worker.idle()
        (run,) = await journal.runs()
        assert run.status == 'waiting'
        assert (
            f"Run {run.run_id} waits: Tool 'wipe' was started, and its process died, was stopped or is paused"
            in caplog.text
        )

    asyncio.run(main())


def test_a_run_whose_record_could_not_be_written_is_free_when_its_error_is_raised(tmp_path: Path) -> None:
    class CutOff(SqliteStore):
        def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
            if any(record.kind == 'response' for entry in entries for record in entry.records):
                raise StoreError('cut off')
            return super().append(entries, durable=durable)

        def release(self, run_id: str, token: int) -> None:
            time.sleep(0.1)
            super().release(run_id, token)

    def agent_of(journal: Journal[Any]) -> Agent[None, str]:
        return Agent(TestModel(), name='asked', capabilities=[journal])

    async def main() -> None:
        with pytest.raises(StoreError, match='cut off'):
            await agent_of(Journal(CutOff(tmp_path / 'runs.db'))).run('go')
        journal: Journal[Any] = Journal(tmp_path / 'runs.db')
        (run,) = await journal.runs()
        assert (await journal.resume(agent_of(journal), run.run_id)).output == 'success (no tool calls)'

    asyncio.run(main())
