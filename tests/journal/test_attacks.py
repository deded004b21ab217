"""What a careless or hostile caller does to a journal: wrong arguments, cancellation at any moment, loops and threads."""

from __future__ import annotations

import asyncio
import json
import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stead import (
    Agent,
    CancellationToken,
    DeferredToolRequests,
    DeferredToolResults,
    RunCancelled,
    RunContext,
    UserError,
)
from stead.capabilities import Hooks
from stead.journal import InvalidTicket, Journal, JournalError, RunFilter, SqliteStore
from stead.journal.traces import status_of
from stead.messages import ModelResponse, TextPart
from stead.toolsets import FunctionToolset
from tests.journal.agents import call, scripted, tools
from tests.journal.test_crashes import approving, plain

# Arguments


@pytest.mark.parametrize(
    'options',
    [
        {'store': 123},
        {'store': b'runs.db'},
        {'store': ''},
        {'store': ':memory:'},
        {'durability': None},
        {'durability': ['sync']},
        {'on_change': {}},
        {'conversations': 1},
        {'conversations': None},
        {'lease_seconds': '30'},
        {'lease_seconds': None},
        {'lease_seconds': math.nan},
        {'lease_seconds': math.inf},
        {'lease_seconds': True},
        {'secret': 'x' * 16},
        {'redact': 5},
        {'id': ['x']},
        {'lease_seconds': 10**400},
    ],
    ids=str,
)
def test_a_journal_refuses_what_has_no_meaning(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        Journal(**options)


@pytest.mark.parametrize('key', [None, '', 5, b'k', ['a'], '\ud800'], ids=repr)
def test_a_key_is_text_that_can_be_found_again(key: Any) -> None:
    journal: Journal[Any] = Journal()
    with pytest.raises(UserError, match='`key`'):
        asyncio.run(journal.run(plain(), 'go', key=key))
    assert asyncio.run(journal.runs()) == []


Attack = Callable[[Journal[Any], str], Any]
ATTACKS: dict[str, Attack] = {
    'no agent': lambda journal, run_id: journal.run(None, 'go', key='k'),
    'the name of an agent': lambda journal, run_id: journal.resume('plain', run_id),
    'the class of agents': lambda journal, run_id: journal.resume(Agent, run_id),
    'a prompt to resume': lambda journal, run_id: journal.resume(plain(), run_id, user_prompt='x'),
    'a history to resume': lambda journal, run_id: journal.resume(plain(), run_id, message_history=[]),
    'results to resume': lambda journal, run_id: journal.resume(
        plain(), run_id, deferred_tool_results=DeferredToolResults()
    ),
    'a conversation to resume': lambda journal, run_id: journal.resume(plain(), run_id, conversation_id='x'),
    'no runs at a time': lambda journal, run_id: journal.worker(plain(), limit=0),
    'no pause': lambda journal, run_id: journal.worker(plain(), pause=-1),
    'half an attempt': lambda journal, run_id: journal.worker(plain(), attempts=0.5),  # type: ignore[arg-type]
    'an edit that returns nothing': lambda journal, run_id: journal.fork(run_id, edit=lambda messages: None),  # type: ignore
    'an edit that leaves nothing': lambda journal, run_id: journal.fork(run_id, edit=lambda messages: []),
    'an edit without messages': lambda journal, run_id: journal.fork(run_id, edit=lambda messages: ['x']),  # type: ignore
    'an edit that ends in a response': lambda journal, run_id: journal.fork(
        run_id, edit=lambda messages: [*messages, ModelResponse(parts=[TextPart('x')])]
    ),
    'an age below zero': lambda journal, run_id: journal.prune(older_than=-5),
    'an age that is no number': lambda journal, run_id: journal.prune(older_than=math.nan),
    'fewer than none to keep': lambda journal, run_id: journal.prune(older_than=0, keep=-1),
    'one id for many': lambda journal, run_id: journal.export(run_id),
    'one text for lines': lambda journal, run_id: journal.import_('{}'),
    'bytes for lines': lambda journal, run_id: journal.import_(b'{}'),  # type: ignore[arg-type]
    'a filter that is none': lambda journal, run_id: journal.find('done'),  # type: ignore[arg-type]
    'a limit that is no number': lambda journal, run_id: journal.find(RunFilter(limit=None)),  # type: ignore[arg-type]
    'a worker of no agent': lambda journal, run_id: journal.worker(3),
    'more runs than can be counted': lambda journal, run_id: journal.runs(limit=10**400),
    'a step that is no number': lambda journal, run_id: journal.fork(run_id, at=['x']),  # type: ignore[arg-type]
    'the messages of no step': lambda journal, run_id: journal.messages(run_id, at='1'),  # type: ignore[arg-type]
    'what waits in no run': lambda journal, run_id: journal.waiting(inside=3),  # type: ignore[arg-type]
    'a ticket for the id of a run': lambda journal, run_id: journal.ticket(run_id, 'c1'),  # type: ignore[arg-type]
    'a trim without a function': lambda journal, run_id: journal.conversation('c').trim(3),  # type: ignore[arg-type]
    'a reason that is none': lambda journal, run_id: journal.conversation('c').give_up(None),  # type: ignore[arg-type]
    'fewer than none to list': lambda journal, run_id: journal.runs(limit=-1),
    'a status that there is not': lambda journal, run_id: journal.runs(status='dome'),  # type: ignore[arg-type]
    'a status that is no text': lambda journal, run_id: journal.runs(status=True),  # type: ignore[arg-type]
    'decisions that are none': lambda journal, run_id: journal.answer(run_id, None),  # type: ignore[arg-type]
    'decisions as a dict': lambda journal, run_id: journal.answer(run_id, {'c1': True}),  # type: ignore[arg-type]
    'two decisions at once': lambda journal, run_id: journal.answer(
        run_id, DeferredToolResults(calls={'c1': 1}, approvals={'c1': True})
    ),
    'a result without JSON': lambda journal, run_id: journal.answer(
        run_id, DeferredToolResults(calls={'c1': object()})
    ),
}


async def outcome_of(attack: Attack, journal: Journal[Any], run_id: str) -> Any:
    outcome = attack(journal, run_id)
    if hasattr(outcome, '__aiter__'):
        return [item async for item in outcome]
    return await outcome if hasattr(outcome, '__await__') else outcome


@pytest.mark.parametrize('attack', list(ATTACKS))
def test_what_makes_no_sense_is_refused_and_changes_nothing(attack: str) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        await plain().run('go', capabilities=[journal])
        waiting = await approving().run('go', capabilities=[journal])
        before = [line async for line in journal.export()]
        with pytest.raises(UserError):
            await outcome_of(ATTACKS[attack], journal, waiting.run_id)
        assert [line async for line in journal.export()] == before
        assert [run.holder for run in await journal.runs()] == [None, None]

    asyncio.run(main())


@pytest.mark.parametrize('timeout', ['x', -1, math.nan, None, True])
def test_a_file_is_waited_for_so_many_seconds(timeout: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match='`timeout` of a `SqliteStore` must be'):
        SqliteStore(tmp_path / 'runs.db', timeout=timeout)


@pytest.mark.parametrize('ticket', [None, 5, '', 'x', 'a.b', b'a.b', 'é.é', '\ud800.x'], ids=repr)
def test_what_is_no_ticket_is_refused(ticket: Any) -> None:
    journal: Journal[Any] = Journal(secret=b'0' * 16)
    with pytest.raises(InvalidTicket):
        asyncio.run(journal.redeem(ticket, True))


@pytest.mark.parametrize('seconds', ['x', None, math.nan, True, 10**400])
def test_a_ticket_lasts_for_a_number_of_seconds(seconds: Any) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(secret=b'0' * 16)
        await approving().run('go', capabilities=[journal])
        (waiting,) = await journal.waiting()
        with pytest.raises(UserError, match='`seconds` of a ticket'):
            journal.ticket(waiting, 'c1', seconds=seconds)

    asyncio.run(main())


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    'no id': lambda line: line['run'].update(run_id=None),
    'an empty id': lambda line: line['run'].update(run_id=''),
    'an unknown state': lambda line: line['run'].update(status='weird'),
    'a time that is none': lambda line: line['run'].update(begun_at='x'),
    'an unknown field': lambda line: line['run'].update(owner='me'),
    'a record too few': lambda line: line['records'].pop(),
    'records in disorder': lambda line: line['records'].reverse(),
    'a body that is none': lambda line: line['records'][0].update(body='!!'),
    'no run': lambda line: line.pop('run'),
}


@pytest.mark.parametrize('change', list(CHANGES))
def test_lines_that_were_altered_are_not_imported(change: str) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        await plain().run('go', capabilities=[journal])
        (text,) = [line async for line in journal.export()]
        line = json.loads(text)
        CHANGES[change](line)
        other: Journal[Any] = Journal()
        with pytest.raises(JournalError, match='cannot be read as a run'):
            await other.import_([json.dumps(line)])
        assert await other.runs() == []
        assert await other.import_([text]) == 1

    asyncio.run(main())


# Cancellation


def paying(payments: list[int]) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(
        scripted([call('pay', 'c1', amount=1), call('look', 'c2', what='it')], [call('pay', 'c3', amount=2)]),
        name='paying',
        output_type=[str, DeferredToolRequests],
        toolsets=[tools().filtered(lambda ctx, tool: tool.name != 'pay')],
    )

    @agent.tool_plain
    async def pay(amount: int) -> str:
        payments.append(amount)
        await asyncio.sleep(0)
        return f'paid {amount}'

    return agent


async def brought_to_its_end(journal: Journal[Any], payments: list[int]) -> Any:
    """Continue the run of the key `k`, and say what really happened where that is asked."""
    for _ in range(5):
        result = await journal.run(paying(payments), 'go', key='k')
        if result.output == 'done':
            return result
        for waiting in await journal.waiting():
            calls = {one.tool_call_id: one.args_as_dict()['amount'] for one in waiting.requests.approvals}
            decisions = DeferredToolResults()
            for call_id, amount in calls.items():
                if amount in payments:
                    decisions.calls[call_id] = f'paid {amount}'
                else:
                    decisions.approvals[call_id] = True
            await journal.answer(waiting.run.run_id, decisions)
    raise AssertionError('it does not end')


@pytest.mark.parametrize('durability', ['sync', 'async', 'exit'])
def test_a_run_may_be_cancelled_at_any_moment(durability: Any) -> None:
    async def main() -> None:
        cancelled = 0
        for turns in range(0, 120, 3):
            payments: list[int] = []
            journal: Journal[Any] = Journal(durability=durability)
            task = asyncio.ensure_future(journal.run(paying(payments), 'go', key='k'))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            cancelled += task.cancelled()
            # Nothing keeps the run: another one continues at once, although leases last for half a minute.
            assert [run.holder for run in await journal.runs()] in ([], [None])
            result = await asyncio.wait_for(brought_to_its_end(Journal(journal.store), payments), 10)
            assert result.usage.tool_calls == 3
            if durability == 'sync':
                assert payments == [1, 2]
        assert cancelled > 3

    asyncio.run(main())


@pytest.mark.parametrize('how', ['token', 'timeout', 'context', 'metadata', 'hook after it', 'hook around it'])
def test_a_run_that_ends_with_another_error_than_that_of_its_work_is_over(how: str) -> None:
    journal: Journal[Any] = Journal()
    hooks: Hooks[Any] = Hooks()
    token = CancellationToken()

    def metadata(ctx: RunContext[Any]) -> dict[str, Any]:
        if how == 'metadata' and ctx.messages:
            raise RuntimeError('no metadata')
        return {}

    if how == 'hook after it':

        @hooks.on.after_run
        async def fails(ctx: Any, result: Any) -> Any:
            raise RuntimeError('after it')

    if how == 'hook around it':

        @hooks.on.run
        async def replaces(ctx: Any, handler: Any) -> Any:
            await handler()
            raise RuntimeError('around it')

    agent = Agent(scripted([call('work')]), name='stopped', capabilities=[journal, hooks], metadata=metadata)

    @agent.tool(effect='read')
    async def work(ctx: RunContext[Any]) -> str:
        if how == 'token':
            token.cancel()
        elif how == 'context':
            ctx.cancel()
        elif how != 'timeout':
            return 'worked'
        await asyncio.Event().wait()
        return 'never'

    async def main() -> None:
        with pytest.raises((RunCancelled, RuntimeError)) as raised:
            await agent.run('go', cancellation_token=token, timeout=0.01 if how == 'timeout' else None)
        (run,) = await journal.runs()
        assert (run.status, run.holder) == ('failed', None)
        assert journal._recorder.writer.leases == {}
        (last,) = await journal.records(run.run_id, after=run.last_seq - 1)
        assert last.data()['error']['type'] == type(raised.value).__name__
        assert status_of(run, last) == ('cancelled' if type(raised.value) is RunCancelled else 'failed')

    asyncio.run(main())


def test_a_run_that_cannot_be_opened_is_given_back() -> None:
    class Broken(FunctionToolset[Any]):
        async def __aenter__(self) -> Any:
            raise ConnectionError('no such server')

    async def main() -> None:
        journal: Journal[Any] = Journal()
        agent = Agent(scripted(), name='broken', toolsets=[Broken()])
        with pytest.raises(ConnectionError):
            await agent.run('go', capabilities=[journal])
        (run,) = await journal.runs()
        assert (run.status, run.holder) == ('failed', None)
        assert journal._recorder.writer.leases == {}
        result = await journal.resume(Agent(scripted(), name='broken'), run.run_id)
        assert result.output == 'done'

    asyncio.run(main())


# Loops and threads


def test_a_journal_serves_loops_one_after_the_other_and_in_threads(tmp_path: Path) -> None:
    journal: Journal[Any] = Journal(SqliteStore(tmp_path / 'runs.db'))
    agent = Agent(scripted([call('store', value=3)]), name='threads', toolsets=[tools()], capabilities=[journal])
    assert [agent.run_sync('go').output for _ in range(3)] == ['done'] * 3
    outputs: list[str] = []
    threads = [threading.Thread(target=lambda: outputs.append(agent.run_sync('go').output)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == ['done'] * 8
    assert {run.status for run in asyncio.run(journal.runs())} == {'done'}


def test_a_loop_that_is_running_may_be_used_as_in_a_notebook() -> None:
    journal: Journal[Any] = Journal()
    agent = Agent(scripted([call('store', value=3)]), name='notebook', toolsets=[tools()], capabilities=[journal])

    async def cell() -> None:
        result = agent.run_sync('go')  # a notebook has a loop, in which its cells run
        assert result.output == 'done'
        assert (await journal.resume(agent, result.run_id)).output == 'done'
        async with agent.run_stream('go') as stream:
            assert await stream.get_output() == 'done'

    asyncio.run(cell())
