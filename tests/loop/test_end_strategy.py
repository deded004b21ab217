"""What happens to the other calls of a response that holds a final result."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, ModelRetry, ToolOutput, UnexpectedModelBehavior
from stead.agent import EndStrategy
from stead.messages import ToolCallPart

from .kit import call, script

STRATEGIES: list[EndStrategy] = ['early', 'graceful', 'exhaustive']
SKIPPED = 'Tool not executed - a final result was already processed.'
NOT_USED = 'Output tool not used - a final result was already processed.'
USED = 'Final result processed.'


class One(BaseModel):
    n: int


class Two(BaseModel):
    n: int


def run(strategy: EndStrategy, *calls: ToolCallPart, **options: Any) -> tuple[Any, list[str], list[Any]]:
    """Return the output, the tools that ran, and what the model was told about each call."""
    agent = Agent(
        script(list(calls)),
        output_type=[ToolOutput(One, name='one'), ToolOutput(Two, name='two')],
        end_strategy=strategy,
        **options,
    )
    ran: list[str] = []

    @agent.tool_plain
    def before() -> str:
        ran.append('before')
        return 'B'

    @agent.tool_plain
    async def after() -> str:
        await asyncio.sleep(0)
        ran.append('after')
        return 'A'

    @agent.tool_plain
    def failing() -> None:
        ran.append('failing')
        raise ModelRetry('no')

    result = agent.run_sync('go')
    answers = {part.tool_call_id: part.content for part in result.all_messages()[-1].parts}  # type: ignore[union-attr]
    return result.output, sorted(ran), [answers[item.tool_call_id] for item in calls]


@pytest.mark.parametrize('strategy', STRATEGIES)
def test_function_tools_beside_an_output(strategy: EndStrategy):
    output, ran, results = run(strategy, call('before'), call('one', {'n': 1}), call('after'))
    assert output == One(n=1)
    if strategy == 'early':
        assert (ran, results) == ([], [SKIPPED, USED, SKIPPED])
    else:
        assert (ran, results) == (['after', 'before'], ['B', USED, 'A'])


@pytest.mark.parametrize('strategy', STRATEGIES)
def test_the_first_of_two_outputs_counts(strategy: EndStrategy):
    output, _, results = run(strategy, call('two', {'n': 2}), call('one', {'n': 1}))
    assert output == Two(n=2)
    assert results == [USED, USED if strategy == 'exhaustive' else NOT_USED]


@pytest.mark.parametrize('strategy', STRATEGIES)
def test_an_invalid_output_gives_way_to_a_valid_one(strategy: EndStrategy):
    output, _, results = run(strategy, call('one', {'n': 'x'}), call('two', {'n': 2}))
    assert output == Two(n=2)
    assert results[1] == USED and results[0][0]['type'] == 'int_parsing'


def test_an_invalid_output_after_a_valid_one_changes_nothing():
    output, _, results = run('exhaustive', call('one', {'n': 1}), call('two', {'n': 'x'}))
    assert output == One(n=1)
    assert results == [USED, 'Output tool not used - output failed validation.']


@pytest.mark.parametrize('strategy', ['graceful', 'exhaustive'])
def test_a_tool_that_fails_beside_an_output_does_not_undo_it(strategy: EndStrategy):
    output, ran, results = run(strategy, call('failing'), call('one', {'n': 1}))
    assert (output, ran) == (One(n=1), ['failing'])
    assert results == ['no', USED]


@pytest.mark.parametrize('strategy', STRATEGIES)
def test_an_error_in_a_tool_beside_an_output_ends_the_run_if_the_tool_runs(strategy: EndStrategy):
    agent = Agent(script([call('boom'), call('final_result', {'n': 1})]), output_type=One, end_strategy=strategy)

    @agent.tool_plain
    def boom() -> None:
        raise LookupError('gone')

    if strategy == 'early':
        assert agent.run_sync('go').output == One(n=1)
        return
    with pytest.raises(LookupError, match='gone'):
        agent.run_sync('go')


def test_output_functions_run_once_for_each_output_that_is_used():
    ran: list[tuple[str, int]] = []

    def make_one(n: int) -> int:
        ran.append(('one', n))
        return n

    def make_two(n: int) -> int:
        ran.append(('two', n))
        return n

    outputs = [ToolOutput(make_one, name='one'), ToolOutput(make_two, name='two')]
    calls = [call('one', {'n': 1}), call('two', {'n': 2})]
    for strategy, expected in (
        ('early', [('one', 1)]),
        ('graceful', [('one', 1)]),
        ('exhaustive', [('one', 1), ('two', 2)]),
    ):
        ran.clear()
        agent: Agent[Any, int] = Agent(script(calls), output_type=outputs, end_strategy=strategy)  # type: ignore[arg-type]
        assert agent.run_sync('go').output == 1
        assert ran == expected, strategy


def test_without_an_output_all_strategies_go_on():
    for strategy in STRATEGIES:
        agent = Agent(script([call('t')], [call('final_result', {'n': 1})]), output_type=One, end_strategy=strategy)
        agent.tool_plain(name='t')(lambda: 'x')
        assert agent.run_sync('go').output == One(n=1)


def test_calls_of_unknown_tools_beside_an_output_do_not_hurt_it():
    for strategy in STRATEGIES:
        agent = Agent(script([call('final_result', {'n': 1}), call('nobody')]), output_type=One, end_strategy=strategy)
        result = agent.run_sync('go')
        assert result.output == One(n=1)
        answered = {part.tool_call_id for part in result.all_messages()[-1].parts}  # type: ignore[union-attr]
        assert answered == {'id_final_result', 'id_nobody'}, (
            'every call has an answer, or the history could not be sent'
        )


def test_two_invalid_outputs_use_up_the_tries_of_their_own_tools():
    agent = Agent(
        script([call('one', {}), call('two', {})]),
        output_type=[ToolOutput(One, name='one'), ToolOutput(Two, name='two')],
        retries=0,
    )
    with pytest.raises(UnexpectedModelBehavior, match=r'Exceeded maximum output retries \(0\)'):
        agent.run_sync('go')
