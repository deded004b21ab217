"""`NoProgress`: calls that repeat with the same results are noticed, and others are left alone."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from stead import Agent, ModelRetry, UserError
from stead.capabilities import NoProgress, NoProgressError, NoProgressWarning
from stead.journal import Journal, MemoryStore
from stead.testing import ScriptedModel, assert_run, call
from stead.usage import UsageLimits

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


class Desk:
    """An agent whose tools count how often they were run."""

    def __init__(self, script: list[Any], *capabilities: Any, **options: Any) -> None:
        self.runs = 0
        self.agent: Agent = Agent(ScriptedModel(script), name='desk', capabilities=capabilities, retries=100)

        @self.agent.tool_plain(**options)
        def find(order: str = 'A') -> str:
            self.runs += 1
            if order == 'wrong':
                raise ModelRetry('There is no such order.')
            return f'{order}: nothing'

        numbers = itertools.count()

        @self.agent.tool_plain
        def job() -> str:
            self.runs += 1
            return f'{next(numbers)} % done'

    def run(self) -> Any:
        return self.agent.run_sync('go', usage_limits=UsageLimits(request_limit=None))


@pytest.mark.parametrize('order', ['A', 'wrong'])
def test_fifty_calls_become_three(order: str) -> None:
    desk = Desk([*[call('find', order=order)] * 50, 'done'], NoProgress())
    result = desk.run()
    assert desk.runs == 3 and result.output == 'done'
    assert_run(result).called_times('find', 50).returned(
        'find',
        'This call was not made again: 3 times in a row, `find` returned the same for the same arguments. Do something else, or '
        'answer.',
    )


def test_a_round_of_calls_is_noticed_too() -> None:
    desk = Desk([*[call('find', order='A'), call('find', order='B')] * 10, 'done'], NoProgress(cycle=2))
    desk.run()
    assert desk.runs == 6
    desk = Desk([*[call('find', order='A'), call('find', order='B')] * 10, 'done'], NoProgress(cycle=1))
    desk.run()
    assert desk.runs == 20


def test_another_call_in_between_begins_again() -> None:
    desk = Desk([*[*[call('find', order='A')] * 5, call('find', order='B')] * 2, 'done'], NoProgress(cycle=1))
    desk.run()
    assert desk.runs == 3 + 1 + 3 + 1


def test_results_that_differ_are_progress() -> None:
    desk = Desk([*[call('job')] * 50, 'done'], NoProgress())
    desk.run()
    assert desk.runs == 50


def test_a_tool_that_polls_is_left_alone() -> None:
    desk = Desk([*[call('find', order='A')] * 50, 'done'], NoProgress(), effect='read', poll=True)
    desk.run()
    assert desk.runs == 50


def test_the_run_is_stopped() -> None:
    desk = Desk([call('find')] * 50, NoProgress(action='stop'))
    with pytest.raises(
        NoProgressError, match='The model makes no progress: 3 times in a row, `find` returned the same'
    ):
        desk.run()
    assert desk.runs == 3


def test_the_tool_is_hidden() -> None:
    desk = Desk([*[call('find')] * 4, 'done'], NoProgress(action='hide_tool'))
    result = desk.run()
    assert desk.runs == 3
    assert 'Unknown tool name' in str(result.all_messages()[-2])


def test_a_warning_comes_once() -> None:
    desk = Desk([*[call('find')] * 9, 'done'], NoProgress(action='warn'))
    with pytest.warns(NoProgressWarning) as caught:
        desk.run()
    assert len(caught) == 1 and desk.runs == 9


async def test_a_run_that_is_resumed_knows_its_calls() -> None:
    class Stop(Exception):
        pass

    store, stops = MemoryStore(), [True]

    def stopping(messages: Any, info: Any) -> str | None:
        if stops:
            raise Stop
        return None

    from stead.testing import expect

    script = [call('find'), call('find'), expect(stopping).then(call('find')), call('find'), call('find'), 'done']
    first = Desk(script, NoProgress(), Journal(store))
    with pytest.raises(Stop):
        await first.agent.run('go', run_id='r')
    stops.clear()
    second = Desk(script[2:], NoProgress(), journal := Journal(store))
    assert (await journal.resume(second.agent, 'r')).output == 'done'
    assert first.runs + second.runs == 3


@pytest.mark.parametrize('options', [{'action': 'shout'}, {'same': 1}, {'cycle': 0}, {'same': '3'}])
def test_what_is_refused(options: Any) -> None:
    with pytest.raises(UserError, match='NoProgress'):
        NoProgress(**options)
