"""Runs that continue with results for calls that waited."""

from __future__ import annotations

from typing import Any

import pytest

from stead import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
    ToolApproved,
    ToolDenied,
    ToolReturn,
)
from stead.exceptions import UserError
from stead.messages import RetryPromptPart, UserPromptPart
from stead.models.test import TestModel

from ..waiting import until
from .kit import CALLS, agent_of, answers


def waiting(**options: Any) -> tuple[Agent[None, Any], Any, list[Any]]:
    ran: list[Any] = []
    agent = agent_of(CALLS, ran=ran, **options)
    return agent, agent.run_sync('go'), ran


def test_calls_of_all_kinds_in_one_response() -> None:
    agent, first, ran = waiting()
    requests = first.output
    assert isinstance(requests, DeferredToolRequests)
    assert {call.tool_name for call in requests.calls} == {'ask', 'job'}
    assert {call.tool_name for call in requests.approvals} == {'need', 'pay'}
    assert requests.metadata == {'0_job': {'job': 1}, '0_pay': {'amount': 50}}
    assert (ran, answers(first.all_messages())) == (['fine'], {'fine': ('tool-return', 'fine')})
    before = first.all_messages_json()
    results = requests.build_results(
        calls={'0_ask': 'because', '0_job': ToolReturn({'n': 1}, content='about the job', metadata={'m': 1})},
        approvals={'0_need': ToolApproved(override_args={'x': '7'}), '0_pay': ToolDenied('too much')},
        metadata={'0_need': {'by': 'me'}},
    )
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert second.output == 'done'
    assert ran == ['fine', ('need', 7, {'by': 'me'})]
    assert answers(second.new_messages()) == {
        'need': ('tool-return', 'needed 7'),
        'ask': ('tool-return', 'because'),
        'pay': ('tool-return', 'too much'),
        'job': ('tool-return', {'n': 1}),
    }
    parts = second.new_messages()[0].parts
    assert [part.content for part in parts if isinstance(part, UserPromptPart)] == ['about the job']
    outcomes = {part.tool_name: part.outcome for part in parts if part.part_kind == 'tool-return'}
    assert outcomes == {'need': 'success', 'ask': 'success', 'job': 'success', 'pay': 'denied'}
    assert first.all_messages_json() == before


def test_retries_as_results_reach_the_model_as_such() -> None:
    agent, first, ran = waiting()
    results = DeferredToolResults(
        calls={
            '0_ask': ModelRetry('ask better'),
            '0_job': RetryPromptPart('no such job', tool_name='other', tool_call_id='other'),
        },
        approvals={'0_need': False, '0_pay': False},
    )
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    contents = answers(second.new_messages())
    assert (contents['ask'], contents['job']) == (('retry-prompt', 'ask better'), ('retry-prompt', 'no such job'))
    assert contents['need'] == contents['pay'] == ('tool-return', 'The tool call was denied.')
    ids = {part.tool_call_id for part in second.new_messages()[0].parts if isinstance(part, RetryPromptPart)}
    assert ids == {'0_ask', '0_job'}
    assert ran == ['fine']


FULL: dict[str, Any] = {'calls': {'0_ask': 1, '0_job': 1}, 'approvals': {'0_need': False, '0_pay': False}}


def changed(calls: Any = None, approvals: Any = None, without: str = '') -> DeferredToolResults:
    results = DeferredToolResults(
        calls={**FULL['calls'], **(calls or {})}, approvals={**FULL['approvals'], **(approvals or {})}
    )
    for by_id in (results.calls, results.approvals):
        by_id.pop(without, None)
    return results


@pytest.mark.parametrize(
    ('results', 'ids'),
    [
        (changed(without='0_need'), ['0_need', '0_ask', '0_job', '0_pay']),
        (changed(without='0_ask'), ['0_ask', '0_need', '0_job', '0_pay']),
        (DeferredToolResults(), ['0_ask', '0_need', '0_job', '0_pay']),
        (changed(calls={'zz': 1}), ['zz', '0_fine', '0_ask', '0_need', '0_job', '0_pay']),
        (changed(approvals={'zz': True}), ['zz', '0_fine', '0_ask', '0_need', '0_job', '0_pay']),
        (changed(calls={'0_fine': 1}), ['0_fine']),
    ],
)
def test_missing_and_unknown_ids_are_errors_that_list_both_sides(results: DeferredToolResults, ids: list[str]) -> None:
    agent, first, ran = waiting()
    with pytest.raises(UserError) as caught:
        agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert [one for one in ids if repr(one) not in str(caught.value)] == []
    assert ran == ['fine']  # and nothing was done yet


def test_results_without_a_history_that_has_calls() -> None:
    agent, first, _ = waiting()
    with pytest.raises(UserError, match='`message_history`'):
        agent.run_sync('go', deferred_tool_results=changed())
    final = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=changed())
    with pytest.raises(UserError, match='ends with no tool calls'):
        agent.run_sync(message_history=final.all_messages(), deferred_tool_results=changed())


def test_a_prompt_follows_the_results() -> None:
    agent, first, _ = waiting()
    second = agent.run_sync('hurry', message_history=first.all_messages(), deferred_tool_results=changed())
    assert second.new_messages()[0].parts[-1].content == 'hurry'  # type: ignore[union-attr]


def test_a_prompt_instead_of_results() -> None:
    agent = agent_of([('need', {'x': 1})])
    history = agent.run_sync('go').all_messages()
    with pytest.raises(UserError, match='`deferred_tool_results`'):
        agent.run_sync('hurry', message_history=history)


def test_a_call_may_wait_several_times() -> None:
    agent: Agent[None, Any] = agent_of([('pay', {'amount': 50})], [('need', {'x': 2})], ran=(ran := []))
    first = agent.run_sync('go')
    second = agent.run_sync(
        message_history=first.all_messages(), deferred_tool_results=first.output.build_results(approve_all=True)
    )
    assert [call.tool_call_id for call in second.output.approvals] == ['1_need']
    third = agent.run_sync(
        message_history=second.all_messages(), deferred_tool_results=second.output.build_results(approve_all=True)
    )
    assert (third.output, ran) == ('done', [('pay', 50, None), ('need', 2, None)])


def test_overridden_arguments_are_checked_like_those_of_the_model() -> None:
    agent, first, ran = waiting()
    results = changed(approvals={'0_need': ToolApproved(override_args={'x': 'not a number'})})
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    kind, content = answers(second.new_messages())['need']
    assert (kind, content[0]['type'], content[0]['input']) == ('retry-prompt', 'int_parsing', 'not a number')
    assert ran == ['fine']


def test_the_history_keeps_the_arguments_of_the_model() -> None:
    agent, first, _ = waiting()
    results = changed(approvals={'0_need': ToolApproved(override_args={'x': 9})})
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    calls = {part.tool_name: part.args for part in second.all_messages()[1].parts if part.part_kind == 'tool-call'}
    assert calls['need'] == {'x': 1}


def test_arguments_that_are_wrong_are_sent_back_before_anybody_is_asked() -> None:
    agent = agent_of([('need', {'x': 'one'}), ('ask', {})], [('need', {'x': 3})])
    first = agent.run_sync('go')
    assert [call.tool_name for call in first.output.calls] == ['ask']
    assert first.output.approvals == []
    second = agent.run_sync(
        message_history=first.all_messages(), deferred_tool_results=first.output.build_results(calls={'0_ask': 1})
    )
    assert [call.args for call in second.output.approvals] == [{'x': 3}]


def test_approved_calls_run_together() -> None:
    together = 0
    most = 0
    agent = agent_of([('slow', {'n': 1}), ('slower', {'n': 2})])

    async def slow(n: int) -> int:
        nonlocal together, most
        together += 1
        most = max(most, together)
        await until(lambda: most == 2)
        together -= 1
        return n

    agent.tool_plain(requires_approval=True)(slow)
    agent.tool_plain(requires_approval=True, name='slower')(slow)
    first = agent.run_sync('go')
    second = agent.run_sync(
        message_history=first.all_messages(), deferred_tool_results=first.output.build_results(approve_all=True)
    )
    assert answers(second.new_messages()) == {'slow': ('tool-return', 1), 'slower': ('tool-return', 2)}
    assert most == 2


def test_a_run_without_a_place_for_waiting_calls_names_the_tools() -> None:
    with pytest.raises(UserError, match=r"\['ask', 'job', 'need', 'pay'\].*`DeferredToolRequests`"):
        agent_of(CALLS, output_type=str).run_sync('go')


def test_waiting_calls_under_wrappers_keep_the_names_the_model_knows() -> None:
    from stead.toolsets import FunctionToolset

    toolset = FunctionToolset[Any]()

    @toolset.tool
    def refund(ctx: RunContext[Any], amount: int) -> list[Any]:
        return [ctx.tool_name, ctx.tool_call_approved, amount]

    stack = toolset.approval_required().prefixed('shop').renamed({'give_back': 'shop_refund'})
    agent = agent_of([('give_back', {'amount': 5})])
    first = agent.run_sync('go', toolsets=[stack])
    assert [call.tool_name for call in first.output.approvals] == ['give_back']
    second = agent.run_sync(
        message_history=first.all_messages(),
        deferred_tool_results=first.output.build_results(approve_all=True),
        toolsets=[stack],
    )
    assert answers(second.new_messages()) == {'give_back': ('tool-return', ['refund', True, 5])}


@pytest.mark.parametrize('options', [{}, {'message_history': []}, {'user_prompt': 'x'}])
def test_results_need_the_messages_of_their_calls(options: dict[str, Any]) -> None:
    agent: Agent[Any, Any] = Agent(TestModel(), output_type=[str, DeferredToolRequests])
    with pytest.raises(UserError, match='Pass the messages of the run that returned the `DeferredToolRequests` as'):
        agent.run_sync(**options, deferred_tool_results=DeferredToolResults(approvals={'a': True}))
