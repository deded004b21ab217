"""A tree of runs is one thing: nothing goes away that a run stands on, and one bad run hides no other."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.journal import Journal, JournalError, MemoryStore, Record, RecordUnreadable, SqliteStore, Store, redact_texts
from stead.models.test import TestModel
from tests.journal.test_crashes import calls, scripted


class Team:
    """A boss whose tool lets one agent pay and another one ask."""

    def __init__(self, store: Store | None = None, paid: list[int] | None = None, *, swallows: bool = False) -> None:
        self.paid: list[int] = [] if paid is None else paid
        self.journal: Journal[Any] = Journal(store if store is not None else MemoryStore())
        options: dict[str, Any] = {'capabilities': [self.journal]}
        payer: Agent[None, Any] = Agent(scripted(calls(('pay', {'n': 1}, 'p1'))), name='payer', **options)

        @payer.tool_plain(effect='write')
        def pay(n: int) -> str:
            self.paid.append(n)
            return 'paid'

        options['output_type'] = [str, DeferredToolRequests]
        asker: Agent[None, Any] = Agent(scripted(calls(('ship', {}, 's1'))), name='asker', **options)

        @asker.tool_plain(requires_approval=True)
        def ship() -> str:
            return 'shipped'

        self.boss: Agent[None, Any] = Agent(scripted(calls(('order', {}, 'o1'))), name='boss', **options)

        @self.boss.tool(effect='idempotent')
        async def order(ctx: RunContext[None]) -> str:
            first = (await payer.run('pay')).output
            try:
                return f'{first} {(await asker.run("ship")).output}'
            except Exception:
                if swallows:
                    return 'never mind'
                raise

    async def answer(self) -> None:
        (waiting,) = await self.journal.waiting()
        await self.journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'s1': True}))

    async def outer(self) -> str:
        return next(run.run_id for run in await self.journal.runs() if run.agent == 'boss')


def test_what_a_waiting_run_stands_on_is_not_pruned() -> None:
    async def main() -> None:
        team = Team()
        await team.boss.run('go')
        assert await team.journal.prune(older_than=0) == 0
        await team.answer()
        assert await team.journal.prune(older_than=0) == 0
        assert (await team.journal.resume(team.boss, await team.outer())).output == 'done'
        assert team.paid == [1]
        assert await team.journal.prune(older_than=0) == 3  # with the runs inside of it
        assert await team.journal.runs() == []

    asyncio.run(main())


def test_a_fork_of_an_inner_run_keeps_its_tree() -> None:
    async def main() -> None:
        team = Team()
        await team.boss.run('go')
        await team.answer()
        await team.journal.resume(team.boss, await team.outer())
        payer = next(run for run in await team.journal.runs() if run.agent == 'payer')
        await team.journal.fork(payer.run_id)
        assert await team.journal.prune(older_than=0) == 0

    asyncio.run(main())


@pytest.mark.parametrize('named', ['boss', 'asker'])
def test_an_exported_run_brings_its_tree(named: str) -> None:
    async def main() -> None:
        team = Team()
        await team.boss.run('go')
        (run_id,) = [run.run_id for run in await team.journal.runs() if run.agent == named]
        lines = [line async for line in team.journal.export([run_id])]
        elsewhere = Team(paid=team.paid)
        assert await elsewhere.journal.import_(lines) == 3
        await elsewhere.answer()
        assert (await elsewhere.journal.resume(elsewhere.boss, await elsewhere.outer())).output == 'done'
        assert team.paid == [1]

    asyncio.run(main())


@pytest.mark.parametrize('named', [True, False])
def test_a_run_is_not_exported_without_those_inside_of_it(named: bool) -> None:
    """With the outer runs alone, the inner one would do again what it did."""

    class Spoiled(MemoryStore):
        spoiled = ''

        def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
            if run_id == self.spoiled:
                raise RecordUnreadable('It is damaged.')
            return super().read(run_id, after, limit)

    async def main() -> None:
        store = Spoiled()
        team = Team(store=store)
        await team.boss.run('go')
        ids = {run.agent: run.run_id for run in await team.journal.runs()}
        store.spoiled = ids['asker']
        lines: list[str] = []
        with pytest.raises(RecordUnreadable, match=f"2 runs were not.*{ids['asker']}.*{ids['boss']}' would do again"):
            async for line in team.journal.export([ids['payer']] if named else None):
                lines.append(line)
        assert [json.loads(line)['run']['agent'] for line in lines] == ['payer']

    asyncio.run(main())


def test_a_question_that_a_tool_swallowed_is_not_asked_any_more_and_opens_no_finished_run() -> None:
    async def main() -> None:
        team = Team(swallows=True)
        await team.boss.run('go')
        assert await team.journal.waiting() == []
        (asker,) = [run for run in await team.journal.runs() if run.agent == 'asker']
        assert asker.status == 'waiting'
        with pytest.raises(JournalError, match='belongs to run .* which has ended'):
            await team.journal.answer(asker.run_id, DeferredToolResults(approvals={'s1': True}))
        assert {run.agent: run.status for run in await team.journal.runs()}['boss'] == 'done'

    asyncio.run(main())


def test_an_answer_opens_no_outer_run_that_ended_while_it_was_recorded(tmp_path: Path) -> None:
    class Slow(SqliteStore):
        """A store of a process that stands still after it has recorded an answer."""

        meanwhile: Callable[[], None] | None = None

        def release(self, run_id: str, token: int) -> None:
            super().release(run_id, token)
            meanwhile, self.meanwhile = self.meanwhile, None
            if meanwhile is not None:
                thread = threading.Thread(target=meanwhile)
                thread.start()
                thread.join()

    async def main() -> None:
        store = Slow(tmp_path / 'runs.db')
        team = Team(store)
        await team.boss.run('go')
        outer = await team.outer()
        other = Team(SqliteStore(tmp_path / 'runs.db'))
        ended: list[int] = []

        async def resume() -> None:
            assert (await other.journal.resume(other.boss, outer)).output == 'done'
            ended.append((await other.journal.runs())[-1].last_seq)

        store.meanwhile = lambda: asyncio.run(resume())
        await team.answer()
        (run,) = [run for run in await team.journal.runs() if run.run_id == outer]
        assert [(run.status, run.holder, run.last_seq)] == [('done', None, *ended)]

    asyncio.run(main())


async def waiting_runs(journal: Journal[Any], count: int) -> list[str]:
    agent: Agent[None, Any] = Agent(
        scripted(calls(('ship', {}, 's1'))),
        name='asker',
        output_type=[str, DeferredToolRequests],
        capabilities=[journal],
    )

    @agent.tool_plain(requires_approval=True)
    def ship() -> str:
        return 'shipped'

    return [(await agent.run('go')).run_id for _ in range(count)]


def test_the_first_of_many_runs_that_wait_is_found_and_lists_have_pages() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(durability='async')
        ids = await waiting_runs(journal, 103)
        assert [one.run.run_id for one in await journal.waiting(inside=ids[0])] == [ids[0]]
        assert await journal.waiting(inside='x') == []
        first = await journal.waiting()
        second = await journal.waiting(before=first[-1].run)
        assert [one.run.run_id for one in (*first, *second)] == ids[::-1]
        page = await journal.runs(limit=60)
        assert [run.run_id for run in (*page, *await journal.runs(before=page[-1]))] == ids[::-1]

    asyncio.run(main())


def test_a_record_that_cannot_be_read_hides_no_other_run_and_is_named() -> None:
    async def main() -> None:
        store = MemoryStore()
        journal: Journal[Any] = Journal(store)
        ids = await waiting_runs(journal, 3)
        store._records[ids[1]][2] = store._records[ids[1]][2]._replace(body=b'{"messages"')
        last, bad, first = await journal.waiting()
        assert [one.run.run_id for one in (first, bad, last)] == ids
        assert first.error is last.error is None
        assert isinstance(bad.error, RecordUnreadable)
        assert f'Run {ids[1]!r} waits, and cannot be read. Record 3' in str(bad.error)
        assert [len(one.requests.approvals) for one in (first, bad, last)] == [1, 0, 1]

    asyncio.run(main())


@pytest.mark.parametrize(
    'change',
    [
        {'base_id': 'r'},
        {'parent_id': 'r'},
        {'last_seq': 10**30},
        {'base_seq': 10**30},
        {'begun_at': float('inf')},
        {'steps': -1},
        {'conversation_id': 'a\0b'},
    ],
)
def test_a_line_that_makes_no_run_is_refused(change: dict[str, Any]) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        with pytest.raises(JournalError, match='cannot be read as a run'):
            await journal.import_([line({'run_id': 'r', **change})])
        assert await journal.waiting() == []

    asyncio.run(main())


def line(run: dict[str, Any]) -> str:
    record = {'seq': 1, 'kind': 'begun', 'at': 1.0, 'body': base64.b64encode(b'{}').decode()}
    return json.dumps({'run': {'last_seq': 1, 'status': 'waiting', **run}, 'records': [record]})


def test_runs_that_go_on_from_each_other_are_refused() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        with pytest.raises(JournalError, match="`base_id` leads back to run 'b'"):
            await journal.import_([line({'run_id': 'a', 'base_id': 'b'}), line({'run_id': 'b', 'base_id': 'a'})])
        with pytest.raises(JournalError, match='cannot be read as a run'):
            await journal.import_(['[' * 200_000])

    asyncio.run(main())


def test_a_key_that_was_redacted_is_not_kept_in_the_list_of_what_was() -> None:
    async def main() -> None:
        store, card = MemoryStore(), '4000123412341234'
        journal: Journal[Any] = Journal(store, redact=redact_texts(lambda text: text.replace(card, '[card]')))
        agent: Agent[None, str] = Agent(TestModel(), capabilities=[journal])

        @agent.tool_plain
        def balances() -> dict[str, float]:
            return {card: 12.5}

        result = await agent.run('How much is left?')
        bodies = b''.join(record.body for record in store._records[result.run_id])
        assert b'[card]' in bodies
        assert card.encode() not in bodies

    asyncio.run(main())


class Slow(MemoryStore):
    """A store in which another process begins a run after prune has looked for what others stand on."""

    meanwhile: Any = None

    def find(self, wanted: Any) -> Any:
        found = super().find(wanted)
        if (wanted.parent_id or wanted.base_id) and self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act()
        return found


def test_what_a_run_of_another_process_has_just_begun_to_stand_on_is_not_pruned() -> None:
    async def main() -> None:
        store = Slow()
        journal: Journal[Any] = Journal(store)
        agent: Agent[None, str] = Agent(TestModel(), capabilities=[journal])
        run_id = (await agent.run('go')).run_id
        run = store.get(run_id)
        assert run is not None

        def begin() -> None:
            store.create(replace(run, run_id='new', base_id=run_id, base_seq=run.last_seq, status='running'))

        store.meanwhile = begin
        assert await journal.prune(older_than=0) == 0
        assert len(await journal.records('new')) == run.last_seq

    asyncio.run(main())


def test_a_conversation_whose_past_is_pruned_while_a_run_begins_begins_again() -> None:
    class Pruned(MemoryStore):
        """Prunes what a run goes on from while it takes its turn."""

        def create(self, run: Any, records: Any = ()) -> Any:
            if run.base_id is not None:
                self.delete([run.base_id])
            return super().create(run, records)

    async def main() -> None:
        journal: Journal[Any] = Journal(Pruned(), conversations=True)
        agent: Agent[None, str] = Agent(TestModel(), capabilities=[journal])
        await agent.run('first', conversation_id='me')
        assert len((await agent.run('second', conversation_id='me')).all_messages()) == 2
        assert len(await journal.conversation('me').messages()) == 2

    asyncio.run(main())


def test_a_chain_of_runs_that_are_old_goes_at_once() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), conversations=True)
        agent: Agent[None, str] = Agent(TestModel(), capabilities=[journal])
        for _ in range(3):
            await agent.run('go', conversation_id='me')
        assert await journal.prune(older_than=0) == 3

    asyncio.run(main())
