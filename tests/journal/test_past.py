"""What a journal knows of the past: steps, forks, what is kept."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.journal import Journal, JournalError, MemoryStore, RunNotFound, SqliteStore
from stead.messages import ModelMessage, ModelRequest, ToolReturnPart
from stead.models.test import TestModel
from tests.journal.test_crashes import plain


def test_steps_and_histories_are_those_of_the_run() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        result = await plain().run('go', capabilities=[journal])
        everything = result.all_messages()
        steps = await journal.steps(result.run_id)
        assert [step.step for step in steps] == [1, 2, 3]
        assert [step.calls for step in steps] == [['pay'], ['look'], []]
        assert [step.messages for step in steps] == [everything[:1], everything[:3], everything[:5]]
        assert [step.response for step in steps] == everything[1::2]
        assert await journal.messages(result.run_id) == everything
        assert await journal.messages(result.run_id, at=2) == everything[:3]
        with pytest.raises(JournalError, match='has no step 9'):
            await journal.messages(result.run_id, at=9)
        with pytest.raises(RunNotFound, match="no run 'other'"):
            await journal.steps('other')

    asyncio.run(main())


def test_a_fork_shares_its_past_and_goes_its_own_way() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        result = await plain().run('go', capabilities=[journal])

        def bribed(messages: list[ModelMessage]) -> list[ModelMessage]:
            request = messages[-1]
            assert isinstance(request, ModelRequest)
            assert isinstance(part := request.parts[0], ToolReturnPart)
            return [*messages[:-1], replace(request, parts=[replace(part, content='paid 1000')])]

        other = await journal.fork(result.run_id, at=2, edit=bribed)
        forked = await journal.resume(plain(), other)
        assert forked.output == 'done'
        assert forked.run_id == other
        assert forked.all_messages()[:2] == result.all_messages()[:2]
        assert forked.all_messages()[2].parts[0].content == 'paid 1000'
        assert len(forked.all_messages()) == len(result.all_messages())
        info = next(run for run in await journal.runs() if run.run_id == other)
        assert (info.base_id, info.base_seq) == (result.run_id, 6)
        assert [record.kind for record in journal.store.read(other)][0] == 'edited'
        assert await journal.messages(result.run_id) == result.all_messages()
        with pytest.raises(JournalError, match='no step 7; its steps are 1 to 3'):
            await journal.fork(other, at=7)

    asyncio.run(main())


def test_what_is_over_is_pruned_but_not_what_others_need() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        first, second, third = [await plain().run('go', capabilities=[journal]) for _ in range(3)]
        fork = await journal.fork(first.run_id)
        assert await journal.prune(older_than=3600) == 0
        assert await journal.prune(older_than=0, keep=1) == 1
        assert {run.run_id for run in await journal.runs()} == {first.run_id, third.run_id, fork}
        assert second.run_id not in {run.run_id for run in await journal.runs()}

    asyncio.run(main())


def test_runs_move_to_another_store_as_text(tmp_path: Path) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        result = await plain().run('go', capabilities=[journal])
        fork = await journal.fork(result.run_id, at=2)
        lines = [line async for line in journal.export()]
        other: Journal[Any] = Journal(SqliteStore(tmp_path / 'runs.db'))
        assert await other.import_(lines) == 2
        assert await other.import_([*lines, '']) == 0
        assert await other.messages(result.run_id) == result.all_messages()
        assert (await other.resume(plain(), fork)).output == 'done'
        with pytest.raises(JournalError, match='cannot be read as a run'):
            await other.import_(['{"run": 3}'])

    asyncio.run(main())


def test_a_long_chain_of_forks_is_read_whole() -> None:
    async def main() -> None:
        store = MemoryStore()
        journal: Journal[Any] = Journal(store)
        result = await plain().run('go', capabilities=[journal])
        run_id = await journal.fork(result.run_id, at=1)
        fork = store.get(run_id)
        assert fork is not None
        for number in range(sys.getrecursionlimit() + 50):  # forks of forks, as `fork` adds them
            run_id = store.create(replace(fork, run_id=f'fork {number}', base_id=run_id)).run_id
        assert await journal.messages(run_id) == result.all_messages()[:1]

    asyncio.run(main())


def test_a_function_that_edits_may_change_the_messages_themselves() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        agent = Agent(TestModel(), name='edited', capabilities=[journal])
        result = await agent.run('before')

        def edit(messages: list[ModelMessage]) -> list[ModelMessage]:
            messages[0].parts[0].content = 'after'  # type: ignore[union-attr]
            return messages

        forked = await journal.fork(result.run_id, at=1, edit=edit)
        assert (await journal.resume(agent, forked)).all_messages()[0].parts[0].content == 'after'
        assert (await journal.messages(result.run_id))[0].parts[0].content == 'before'  # type: ignore[union-attr]

    asyncio.run(main())
