"""The thread that writes: whatever a store or a function does, no one waits for it in vain."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests
from stead.journal import (
    EncryptedStore,
    Entry,
    Journal,
    LeaseLost,
    MemoryStore,
    Record,
    RedactionError,
    RunInfo,
    SqliteStore,
    StoreError,
)
from stead.journal._writer import Writer, clocks
from stead.models.test import TestModel
from tests.journal.agents import call, scripted


class Odd(MemoryStore):
    """Does not keep to what a store has to do."""

    def __init__(self, how: object) -> None:
        super().__init__()
        self.how = how

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        if isinstance(self.how, BaseException):
            raise self.how
        return self.how  # type: ignore[return-value]


@pytest.mark.parametrize('how', [None, 3, SystemExit(3), MemoryError()], ids=repr)
def test_a_store_that_does_what_no_store_should_fails_the_run(how: object) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(Odd(how))
        with pytest.raises(StoreError, match='The store of the journal failed'):
            await asyncio.wait_for(Agent(TestModel()).run('go', capabilities=[journal]), 30)
        (run,) = await journal.runs()  # the thread continues
        assert run.steps == 0

    asyncio.run(main())


@pytest.mark.parametrize('error', [StoreError('gone'), OSError('gone'), SystemExit('gone')], ids=repr)
def test_a_lease_that_cannot_be_given_back_changes_nothing_of_what_was_done(error: BaseException) -> None:
    class Holds(MemoryStore):
        def release(self, run_id: str, token: int) -> None:
            super().release(run_id, token)
            raise error

    def asking(journal: Journal[Any]) -> Agent[None, str | DeferredToolRequests]:
        agent = Agent(
            scripted([call('pay')]), name='asking', output_type=[str, DeferredToolRequests], capabilities=[journal]
        )
        agent.tool_plain(pay, requires_approval=True)
        return agent

    def pay() -> str:
        paid.append('42')
        return 'paid'

    async def main() -> None:
        journal: Journal[Any] = Journal(Holds())
        await asking(journal).run('go', conversation_id='talk')
        (waiting,) = await journal.waiting()
        await journal.answer(waiting.run.run_id, waiting.requests.build_results(approve_all=True))
        assert (await journal.resume(asking(journal), waiting.run.run_id)).output == 'done'
        assert [run.status for run in await journal.runs()] == ['done']

        await asking(journal).run('go', conversation_id='talk')
        await journal.conversation('talk').give_up('no one answers')
        assert [run.status for run in await journal.runs()] == ['failed', 'done']

    paid: list[str] = []
    asyncio.run(main())
    assert paid == ['42']


def test_the_first_error_of_a_store_is_the_one_that_is_raised() -> None:
    class Ends(MemoryStore):
        def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
            raise OSError('the first')

        def release(self, run_id: str, token: int) -> None:
            raise OSError('the second')

    with pytest.raises(StoreError, match='the first'):
        Agent(TestModel()).run_sync('go', capabilities=[Journal(Ends())])


@pytest.mark.parametrize('error', [OSError('full'), SystemExit('full')], ids=repr)
def test_a_store_that_cannot_begin_a_run_fails_it(error: BaseException) -> None:
    class Full(MemoryStore):
        def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
            raise error

    with pytest.raises(StoreError, match=r"The store of the journal failed: .*'full'"):
        Agent(TestModel()).run_sync('go', capabilities=[Journal(Full())])


def test_a_function_that_redacts_cannot_end_the_thread() -> None:
    def exit_(kind: str, data: Any) -> Any:
        raise SystemExit('no')

    async def main() -> None:
        journal: Journal[Any] = Journal(redact=exit_)
        with pytest.raises(RedactionError, match='with SystemExit'):
            await asyncio.wait_for(Agent(TestModel()).run('go', capabilities=[journal]), 30)
        assert await journal.runs() == []

    asyncio.run(main())


def test_a_lease_may_last_longer_than_a_system_can_wait() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(lease_seconds=1e15)
        result = await asyncio.wait_for(Agent(TestModel()).run('go', capabilities=[journal]), 30)
        assert result.output == 'success (no tool calls)'

    asyncio.run(main())


def test_a_store_that_two_others_wrap_is_open_while_one_of_them_uses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while keys are changed: one journal has the old key, another one both."""
    monkeypatch.setattr('stead.journal._writer.LINGERING', 0.1)
    others = set(threading.enumerate())
    old, key = EncryptedStore.new_key(), EncryptedStore.new_key()
    shared = SqliteStore(tmp_path / 'runs.db')
    before: Journal[Any] = Journal(EncryptedStore(shared, old))
    now: Journal[Any] = Journal(EncryptedStore(shared, key, old))
    agent: Agent[None, str] = Agent(TestModel())
    threads: list[threading.Thread] = []

    @agent.tool_plain
    async def wait() -> str:
        for thread in threads:
            await asyncio.to_thread(thread.join)
        return 'alone'

    async def main() -> None:
        await Agent(TestModel()).run('go', capabilities=[before])
        threads.extend(one for one in {*threading.enumerate()} - others if one.name == 'stead-journal')
        assert (await agent.run('go', capabilities=[now])).output == '{"wait":"alone"}'

    asyncio.run(main())


def test_a_process_that_was_paused_looks_at_its_lease_before_it_does_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing waits for records: the other process has continued meanwhile."""
    payments: list[str] = []
    store = MemoryStore()
    clock = time.time
    paused = 0.0
    monkeypatch.setattr(time, 'time', lambda: clock() + paused)

    async def main() -> None:
        nonlocal paused
        first: Journal[Any] = Journal(store, durability='async')
        agent = Agent(scripted([call('look', 'c1')], [call('pay', 'c2')]), name='payer')

        @agent.tool_plain(effect='read')
        async def look() -> str:
            nonlocal paused
            if not paused:
                paused = 100.0  # as if this process had been stopped for longer than its lease
                (run,) = await first.runs()
                assert store.acquire(run.run_id, 'another process', time.time(), 30.0) == 2
            return 'seen'

        @agent.tool_plain
        async def pay() -> str:
            payments.append('paid')
            return 'paid'

        with pytest.raises(Exception, match='was taken over by another process'):
            await agent.run('go', capabilities=[first])

    asyncio.run(main())
    assert payments == []


def test_a_file_that_is_gone_when_leases_are_renewed_is_the_reason(tmp_path: Path) -> None:
    """What notices it first is not what the run is told by: by then, there is a new file without the run."""
    wanted, renewed = threading.Event(), threading.Event()

    class TakenAway(SqliteStore):
        def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
            if not wanted.is_set() or renewed.is_set():
                return super().renew(leases, until)
            for path in tmp_path.glob('runs.db*'):
                path.unlink()
            try:
                return super().renew(leases, until)
            finally:
                renewed.set()

    agent: Agent[None, str] = Agent(TestModel())

    @agent.tool_plain
    def wait() -> str:
        wanted.set()
        renewed.wait(30)
        return 'taken away'

    async def main() -> None:
        journal: Journal[Any] = Journal(TakenAway(tmp_path / 'runs.db'), lease_seconds=0.3)
        with pytest.raises(StoreError, match='was deleted or replaced while it was in use'):
            await agent.run('go', capabilities=[journal])

    asyncio.run(main())


class Failing(MemoryStore):
    """Fails to append, and then has no lease of anyone."""

    def __init__(self) -> None:
        super().__init__()
        self.renewed = threading.Event()

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        raise StoreError('no room')

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        self.renewed.set()
        return {run_id for run_id, _ in leases}


def test_a_lease_that_is_lost_later_does_not_hide_what_went_wrong_first() -> None:
    async def main() -> None:
        store = Failing()
        writer = Writer(store, 0.3)
        with pytest.raises(StoreError, match='no room'):
            await asyncio.wrap_future(writer.append(entry('a', 1, 'first'), wait=True))  # type: ignore[arg-type]
        writer.hold('b', 1, clocks())
        writer.leases['a'] = 1  # the run has not noticed yet
        while writer.leases:
            await asyncio.wrap_future(writer.call(lambda: store.renewed.wait(0.01)))
        with pytest.raises(StoreError, match='no room'):
            writer.append(entry('a', 2, 'second'))
        with pytest.raises(LeaseLost):
            writer.append(entry('b', 1, 'first'))

    asyncio.run(main())


class Listing(MemoryStore):
    """Notes what is appended at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.appended: list[tuple[str, list[str]]] = []
        self.durable = False

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        self.durable |= durable
        self.appended += [(entry.run_id, [record.kind for record in entry.records]) for entry in entries]
        return super().append(entries, durable=durable)


def entry(run_id: str, seq: int, kind: str, token: int = 1) -> Entry:
    return Entry(run_id, token, (Record(seq, kind, 1.0, b'{}'),), 'done' if kind == 'last' else 'running', seq)


def test_records_that_follow_each_other_are_written_in_order_whoever_waits() -> None:
    async def main() -> None:
        store = Listing()
        writer = Writer(store, 30)
        for run_id in 'ab':
            await asyncio.wrap_future(writer.call(partial(writer.create, RunInfo(run_id, token=1))))
        gate = threading.Event()
        writer.call(gate.wait)  # until all of them are handed in
        for seq in (1, 2):
            writer.append(entry('a', seq, f'a{seq}'))
        waited = writer.append(entry('a', 3, 'a3'), wait=True)
        writer.append(entry('b', 1, 'b1'))
        writer.append(entry('a', 4, 'a4'))
        writer.append(entry('a', 5, 'last'))
        writer.append(entry('b', 2, 'b2', token=7))  # not its lease
        seen = writer.call(lambda: store.get('a'))
        writer.append(entry('a', 6, 'a6'))
        gate.set()
        assert waited is not None
        await asyncio.wrap_future(waited)
        info = await asyncio.wrap_future(seen)
        assert info is not None
        assert (info.status, info.steps, info.last_seq) == ('done', 5, 5)
        with pytest.raises(LeaseLost):
            writer.append(entry('b', 2, 'b2'))
        await asyncio.wrap_future(writer.call(lambda: None))
        kinds = [kind for run_id, found in store.appended for kind in found if run_id == 'a']
        assert kinds == ['a1', 'a2', 'a3', 'a4', 'last', 'a6']
        assert [record.kind for record in store.read('b')] == ['b1']

    asyncio.run(main())


def test_a_record_that_must_be_durable_is_so_behind_others() -> None:
    async def main() -> None:
        store = Listing()
        writer = Writer(store, 30)
        await asyncio.wrap_future(writer.call(partial(writer.create, RunInfo('a', token=1))))
        gate = threading.Event()
        writer.call(gate.wait)
        writer.append(entry('a', 1, 'first'))
        writer.append(entry('a', 2, 'second'), durable=True)
        gate.set()
        await asyncio.wrap_future(writer.call(lambda: None))
        assert store.appended == [('a', ['first', 'second'])]
        assert store.durable

    asyncio.run(main())


def test_what_comes_before_a_record_that_cannot_be_redacted_is_written() -> None:
    def redact(kind: str, data: Any) -> Any:
        if kind == 'bad':
            raise ValueError
        return data

    async def main() -> None:
        store = MemoryStore()
        writer = Writer(store, 30, redact)
        await asyncio.wrap_future(writer.call(partial(writer.create, RunInfo('a', token=1))))
        gate = threading.Event()
        writer.call(gate.wait)
        for seq, kind in enumerate(('first', 'second', 'bad', 'after'), start=1):
            writer.append(entry('a', seq, kind))
        gate.set()
        await asyncio.wrap_future(writer.call(lambda: None))
        assert [record.kind for record in store.read('a')] == ['first', 'second']
        with pytest.raises(RedactionError):
            writer.append(entry('a', 5, 'more'))

    asyncio.run(main())
