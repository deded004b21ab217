"""What a journal knows of the past: steps, forks, what is kept."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext, UserError
from stead.exceptions import ApprovalRequired
from stead.journal import Journal, JournalError, MemoryStore, RecordUnreadable, RunNotFound, SqliteStore
from stead.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart
from stead.models.test import TestModel
from tests.journal.agents import call, scripted
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


def careful(payments: list[tuple[str, int]], journal: Journal[Any]) -> Agent[None, Any]:
    """Return an agent whose model pays twice at a time, and whose tool must be approved for more than ten."""
    responses = [call('pay', 'a', amount=1), call('pay', 'b', amount=2)], [call('pay', 'c', amount=3)]
    agent: Agent[None, Any] = Agent(
        scripted(*responses), name='careful', output_type=[str, DeferredToolRequests], capabilities=[journal]
    )

    @agent.tool
    async def pay(ctx: RunContext, amount: int) -> str:
        if amount > 10 and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'amount': amount})
        payments.append((ctx.idempotency_key, amount))
        return f'paid {amount}'

    return agent


def test_a_fork_makes_calls_with_other_arguments() -> None:
    async def main() -> None:
        payments: list[tuple[str, int]] = []
        journal: Journal[Any] = Journal(on_change='refuse')
        result = await careful(payments, journal).run('go')
        other = await journal.fork(result.run_id, at=1, calls={'b': {'amount': 5}}, by='ann')
        forked = await journal.resume(careful(payments, journal), other)
        assert forked.output == 'done'
        assert [amount for _, amount in payments] == [1, 2, 3, 1, 5, 3]
        assert len({key for key, _ in payments}) == 6  # none of them is taken for one of the first run
        response = forked.all_messages()[1]
        assert isinstance(response, ModelResponse)
        assert [call.args for call in response.tool_calls] == [{'amount': 1}, {'amount': 5}]
        assert response.metadata == {'edited': {'calls': ['b'], 'by': 'ann'}}
        assert [part.content for part in forked.all_messages()[2].parts] == ['paid 1', 'paid 5']
        assert (await journal.steps(other))[0].response == response
        assert await journal.messages(result.run_id) == result.all_messages()
        record = journal.store.read(other)[0].data()
        assert (record['calls'], record['by']) == (['b'], 'ann')
        with pytest.raises(JournalError, match=r"step 2 has the calls \['c'\], not \['b'\]"):
            await journal.fork(result.run_id, at=2, calls={'b': {}})
        with pytest.raises(JournalError, match=r'step 3 has the calls \[\]'):
            await journal.fork(result.run_id, calls={'b': {}})

    asyncio.run(main())


def test_arguments_of_a_person_pass_the_same_gate() -> None:
    async def main() -> None:
        payments: list[tuple[str, int]] = []
        journal: Journal[Any] = Journal()
        result = await careful(payments, journal).run('go')
        much = await journal.fork(result.run_id, at=2, calls={'c': {'amount': 50}})
        assert isinstance((await journal.resume(careful(payments, journal), much)).output, DeferredToolRequests)
        assert len(payments) == 3
        (waiting,) = await journal.waiting()
        assert waiting.requests.approvals[0].args == {'amount': 50}
        # A fork of a call that waits, with arguments that need no approval.
        less = await journal.fork(much, calls={'c': {'amount': 4}})
        assert (await journal.resume(careful(payments, journal), less)).output == 'done'
        assert [amount for _, amount in payments] == [1, 2, 3, 4]
        await journal.answer(much, DeferredToolResults(approvals={'c': True}))
        assert (await journal.resume(careful(payments, journal), much)).output == 'done'
        assert payments[-1][1] == 50
        wrong = await journal.fork(result.run_id, at=2, calls={'c': {'amount': 'a lot'}})
        resumed = await journal.resume(careful(payments, journal), wrong)
        assert resumed.all_messages()[4].parts[0].part_kind == 'retry-prompt'
        assert len(payments) == 5

    asyncio.run(main())


def test_a_fork_is_not_part_of_a_conversation() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(conversations='refuse')
        agent = Agent(TestModel(), capabilities=[journal])
        first = await agent.run('one', conversation_id='me')
        fork = await journal.fork(first.run_id)
        assert len((await agent.run('two', conversation_id='me')).all_messages()) == 4
        assert len((await journal.resume(agent, fork)).all_messages()) == 2
        assert len(await journal.conversation('me').messages()) == 4

    asyncio.run(main())


def test_a_run_is_moved_with_what_it_goes_on_from() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(conversations=True)
        agent = Agent(TestModel(), name='talks', capabilities=[journal])
        first, second = [await agent.run(text, conversation_id='me') for text in ('one', 'two')]
        await agent.run('another', conversation_id='you')
        fork = await journal.fork(second.run_id)
        lines = [line async for line in journal.export([fork, second.run_id])]
        assert len(lines) == 3
        other: Journal[Any] = Journal(conversations=True)
        assert await other.import_(lines[-1:]) == 1
        with pytest.raises(
            JournalError, match=f'continues from run {second.run_id!r}, which the journal does not have'
        ):
            await other.messages(fork)
        assert await other.import_(lines) == 2
        assert await other.messages(fork) == second.all_messages()[:3]
        again = Agent(TestModel(), name='talks', capabilities=[other])
        assert len((await again.run('three', conversation_id='me')).all_messages()) == 6
        assert first.run_id in {run.run_id for run in await other.runs()}

    asyncio.run(main())


def test_a_run_whose_key_or_turn_is_taken_is_added_without_it() -> None:
    async def main() -> None:
        journals: list[Journal[Any]] = [Journal(conversations=True) for _ in range(2)]
        results = [
            await journal.run(Agent(TestModel()), text, key='k', conversation_id='me')
            for journal, text in zip(journals, ('one', 'two'))
        ]
        first, second = journals
        assert await second.import_([line async for line in first.export()]) == 1
        assert len(await second.runs()) == 2
        assert (await second.run(Agent(TestModel()), 'two', key='k')).run_id == results[1].run_id
        assert await second.messages(results[0].run_id) == results[0].all_messages()

    asyncio.run(main())


@pytest.mark.parametrize(
    'options',
    [
        {'calls': {}},
        {'calls': ['c']},
        {'calls': {'c': 'amount'}},
        {'calls': {'c': {}}, 'edit': list},
        {'edit': 'list'},
        {'by': 3},
    ],
)
def test_edits_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match='fork'):
        asyncio.run(Journal[Any]().fork('x', **options))


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


async def altered(journal: Journal[Any], alter: Callable[[list[dict[str, Any]]], None]) -> tuple[Journal[Any], str]:
    """Return a journal with the only run of another one, whose records were altered, and the id of the run."""
    lines = [json.loads(line) async for line in journal.export()]
    alter(records := lines[0]['records'])
    for seq, record in enumerate(records, 1):
        record['seq'] = seq
    lines[0]['run']['last_seq'] = len(records)
    other: Journal[Any] = Journal()
    await other.import_([json.dumps(line) for line in lines])
    return other, lines[0]['run']['run_id']


def test_a_fork_reads_nothing_of_what_came_after_its_step() -> None:
    """A fork at an early step of a long run costs what its own past costs, and damage after it does no harm."""

    def damage(records: list[dict[str, Any]]) -> None:
        records[-2]['body'] = base64.b64encode(b'not JSON').decode()  # the last response

    async def main() -> None:
        journal: Journal[Any] = Journal()
        result = await plain().run('go', capabilities=[journal])
        other, run_id = await altered(journal, damage)
        fork = await other.fork(run_id, at=2)
        assert (await other.resume(plain(), fork)).all_messages()[:3] == result.all_messages()[:3]
        with pytest.raises(RecordUnreadable, match='cannot be read'):
            await other.steps(run_id)
        with pytest.raises(RecordUnreadable, match='cannot be read'):
            await other.fork(run_id, at=3, calls={'a': {}})

    asyncio.run(main())


def test_a_fork_whose_request_is_unreadable_says_which_record_that_is() -> None:
    def damage(records: list[dict[str, Any]]) -> None:
        request = next(record for record in records if record['kind'] == 'request')
        request['body'] = base64.b64encode(b'{}').decode()

    async def main() -> None:
        journal: Journal[Any] = Journal()
        await plain().run('go', capabilities=[journal])
        other, run_id = await altered(journal, damage)
        with pytest.raises(RecordUnreadable, match=r"Record 2 \('request'\) cannot be read: KeyError\('step'\)"):
            await other.fork(run_id)

    asyncio.run(main())


def test_a_fork_before_a_request_that_was_sent_twice_ends_with_its_own_step() -> None:
    """A process that continues a run sends the request of its step again, and records it a second time."""

    def send_again(records: list[dict[str, Any]]) -> None:
        place = next(n for n, record in enumerate(records) if record['kind'] == 'request' and n > 2)
        again = json.loads(base64.b64decode(records[place]['body']))
        del again['messages']
        records.insert(place + 1, {**records[place], 'body': base64.b64encode(json.dumps(again).encode()).decode()})

    async def main() -> None:
        journal: Journal[Any] = Journal()
        result = await plain().run('go', capabilities=[journal])
        other, run_id = await altered(journal, send_again)
        assert await other.messages(run_id) == result.all_messages()
        seen: list[list[ModelMessage]] = []

        def keep(messages: list[ModelMessage]) -> list[ModelMessage]:
            seen.append(messages)
            return messages

        for step in (1, 2, 3):
            await other.fork(run_id, at=step, edit=keep)
        assert seen == [result.all_messages()[:length] for length in (1, 3, 5)]

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

        forked = await journal.fork(result.run_id, at=1, edit=edit, by='ann')
        assert [one.data()['by'] for one in await journal.records(forked) if one.kind == 'edited'] == ['ann']
        assert (await journal.resume(agent, forked)).all_messages()[0].parts[0].content == 'after'
        assert (await journal.messages(result.run_id))[0].parts[0].content == 'before'  # type: ignore[union-attr]

    asyncio.run(main())


@pytest.mark.parametrize('body', [b'null', b'[]', b'7', b'"text"'])
def test_a_record_that_is_no_object_is_named(body: bytes) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        await plain().run('go', capabilities=[journal])
        for place, kind in enumerate(('begun', 'request', 'response')):

            def damage(records: list[dict[str, Any]], place: int = place) -> None:
                records[place]['body'] = base64.b64encode(body).decode()

            other, run_id = await altered(journal, damage)
            with pytest.raises(RecordUnreadable, match=rf"Record {place + 1} \('{kind}'\) cannot be read\. It is "):
                await other.resume(plain(), run_id)

    asyncio.run(main())
