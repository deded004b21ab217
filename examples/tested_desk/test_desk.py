"""The desk follows a script, survives faults and a killed process, and answers from recordings. No model is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stead import AgentRunResult, UnexpectedModelBehavior
from stead.evals import Case, Dataset, run_agent
from stead.evals.evaluators import CalledInOrder, MaxTokens, NeverCalled
from stead.exceptions import ModelRateLimitError
from stead.journal import Journal, MemoryStore
from stead.testing import (
    Cassette,
    CassetteMiss,
    ScriptedModel,
    SimulatedRun,
    assert_run,
    call,
    cassette,
    empty,
    expect,
    faults,
    garbage,
    say,
    simulate,
    status,
    tool_retried,
    tool_returned,
)

from ..support_desk.desk import Answer, Shop, desk
from ..support_desk.orders import Orders
from ..support_desk.scripted import model as scripted
from .record import FILE, PROMPT


@pytest.fixture
def orders() -> Iterator[Orders]:
    with closing(Orders()) as opened:
        yield opened


def answer(text: str, outcome: str = 'informed') -> Any:
    return call('final_result', text=text, order=None, outcome=outcome)


def ask(orders: Orders, question: str, script: list[Any], **options: Any) -> AgentRunResult[Answer]:
    with ScriptedModel(script) as model:
        return desk.run_sync(question, deps=Shop(orders), model=model, **options)


# Scripts: what the desk makes of particular answers


def test_it_looks_up_before_it_cancels(orders: Orders) -> None:
    script = [
        say('Let me see.') & call('find_order', order='A-18'),
        expect(tool_returned('find_order')).then(call('cancel_order', order='A-18')),
        answer('Order A-18 is cancelled.', 'changed'),
    ]
    result = ask(orders, 'Please cancel A-18', script)
    assert_run(result).called('find_order', order='A-18').before('cancel_order').never_called('refund_order')
    assert orders.find('A-18')['status'] == 'cancelled'


def test_it_claims_only_what_was_done(orders: Orders) -> None:
    script = [
        answer('It is cancelled.', 'changed'),
        expect(tool_retried('final_result', 'No tool has changed anything')).then(
            answer('It cannot be cancelled.', 'refused')
        ),
    ]
    assert ask(orders, 'Please cancel A-17', script).output.outcome == 'refused'


def test_a_large_refund_is_denied(orders: Orders) -> None:
    orders.database.execute("update orders set price = 900 where id = 'B-11'")
    script = [
        call('load_capability', id='refunds'),
        call('refund_order', order='B-11'),
        expect(tool_returned('refund_order', 'This refund was not approved.')).then(answer('Not approved.', 'refused')),
    ]
    ask(orders, PROMPT, script)
    assert not orders.is_refunded('B-11')


# Faults: what the desk makes of what goes wrong


def test_it_has_no_answer_if_the_provider_is_overloaded(orders: Orders) -> None:
    with pytest.raises(ModelRateLimitError) as caught:
        desk.run_sync('Hi', deps=Shop(orders), model=ScriptedModel([]), capabilities=[faults(model=[status(429)])])
    assert caught.value.retry_after is None


def test_it_does_not_repeat_what_makes_no_sense(orders: Orders) -> None:
    broken = faults(tools={'find_order': garbage()}, seed=3)
    script = [call('find_order', order='A-17'), answer('I cannot look it up now.')]
    assert_run(ask(orders, 'Where is A-17?', script, capabilities=[broken])).called_times('find_order', 1)


def test_empty_responses_end_it(orders: Orders) -> None:
    broken = faults(model=[empty()] * 9)
    with pytest.raises(UnexpectedModelBehavior) as caught:
        desk.run_sync('Hi', deps=Shop(orders), model=ScriptedModel([say('x')] * 9), capabilities=[broken])
    assert_run(caught.value).requests_below(5)


# Journals: a run is its records


def test_a_refund_is_on_record(orders: Orders) -> None:
    journal = Journal[Shop](MemoryStore())
    script = [
        call('load_capability', id='refunds'),
        call('refund_order', order='B-11'),
        answer('It is paid back.', 'changed'),
    ]
    result = ask(orders, PROMPT, script, capabilities=[journal])
    state = asyncio.run(journal.state(result.run_id))
    assert_run(state).called('load_capability').before('refund_order').called_times('refund_order', 1)
    assert orders.is_refunded('B-11')


# Cassettes: a run of which the model is recorded


def test_a_recorded_refund(orders: Orders) -> None:
    with cassette(FILE, mode='replay') as tape:
        result = desk.run_sync(PROMPT, deps=Shop(orders), model=ScriptedModel([]))
    assert tape.replayed == 4
    assert orders.is_refunded('B-11')
    assert_run(result).called('find_order').before('refund_order')
    assert_run(tape).called('refund_order', order='B-11')


def test_a_tool_that_returns_something_else_is_noticed(orders: Orders) -> None:
    orders.database.execute("update orders set status = 'packed' where id = 'B-11'")
    with cassette(FILE, mode='replay'), pytest.raises(CassetteMiss, match='the result of `find_order`'):
        desk.run_sync(PROMPT, deps=Shop(orders), model=ScriptedModel([]))


def test_nothing_is_paid_where_tools_are_answered_from_the_recording(orders: Orders) -> None:
    with cassette(FILE, mode='replay', replay_tools=['refund_order']):
        assert desk.run_sync(PROMPT, deps=Shop(orders), model=ScriptedModel([])).output.outcome == 'changed'
    assert not orders.is_refunded('B-11')


def test_another_clerk_is_another_conversation(orders: Orders, tmp_path: Path) -> None:
    script = [call('find_order', order='A-17'), answer('It is in transit.')]
    with cassette(tmp_path / 'where.jsonl', mode='record'):
        ask(orders, 'Where is A-17?', script)
    with cassette(tmp_path / 'where.jsonl', mode='replay'), pytest.raises(CassetteMiss, match='Your name is Robin'):
        desk.run_sync('Where is A-17?', deps=Shop(orders, clerk='Kim'), model=ScriptedModel([]))
    assert 'find_order' in Cassette(tmp_path / 'where.jsonl').script()


# Simulation: the same refund in many orders of events, ended anywhere and continued


def test_a_refund_is_whole_wherever_it_is_interrupted() -> None:
    opened: list[Orders] = []

    def shop() -> Shop:
        opened.append(Orders())
        return Shop(opened[-1])

    def is_refunded(run: SimulatedRun[Shop]) -> None:
        assert run.deps.orders.is_refunded('B-11')

    with desk.override(model=scripted):
        simulate(
            desk,
            PROMPT,
            seeds=range(20),
            make_deps=shop,
            check=is_refunded,
            ways=['run', 'run_stream_events'],
            disturb=['none', 'cancel', 'timeout', 'leave', 'cut', 'crash'],
        )
    for orders in opened:
        orders.close()


# Evaluations: several questions, and what must be true of each


def test_evaluations_find_nothing_wrong(orders: Orders) -> None:
    cases: list[Case[str, None, None]] = [
        Case(name='refund', inputs=PROMPT, evaluators=[CalledInOrder(['find_order', 'refund_order'])]),
        Case(name='where', inputs='Where is A-17?', evaluators=[NeverCalled('refund_order'), MaxTokens(5_000)]),
    ]
    task = run_agent(desk, deps=Shop(orders), model=scripted)
    report = Dataset(name='desk', cases=cases).evaluate_sync(task, max_concurrency=1, progress=False)
    averages = report.averages()
    assert averages is not None
    assert averages.assertions == 1
    assert not report.failures
