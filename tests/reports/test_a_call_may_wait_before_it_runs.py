"""A function that looks at the arguments of a call may ask for an approval, or for a result from outside."""

from __future__ import annotations

from typing import Any

import pytest

from stead import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    TextPart,
    ToolCallPart,
)

from ..instrumentation.kit import script

CALL = ToolCallPart('pay', {'amount': 500}, tool_call_id='c')


@pytest.mark.parametrize('requires_approval', [False, True])
def test_an_approval_that_a_validator_asks_for_is_waited_for(requires_approval: bool) -> None:
    paid: list[int] = []
    agent = Agent(script([CALL], [TextPart('done')]), output_type=[str, DeferredToolRequests])

    async def large(ctx: RunContext[Any], amount: int) -> None:
        if amount > 100 and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'why': 'large'})

    @agent.tool_plain(args_validator=large, requires_approval=requires_approval)
    def pay(amount: int) -> str:
        paid.append(amount)
        return 'paid'

    first = agent.run_sync('x')
    assert isinstance(first.output, DeferredToolRequests)
    assert [call.tool_name for call in first.output.approvals] == ['pay']
    assert first.output.metadata == {'c': {'why': 'large'}}
    assert paid == []
    results = DeferredToolResults(approvals={'c': True})
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert (second.output, paid) == ('done', [500])


def test_a_result_from_outside_that_a_validator_asks_for_is_waited_for() -> None:
    agent = Agent(script([CALL], [TextPart('done')]), output_type=[str, DeferredToolRequests])

    def later(ctx: RunContext[Any], amount: int) -> None:
        raise CallDeferred

    @agent.tool_plain(args_validator=later)
    def pay(amount: int) -> str:
        raise AssertionError

    first = agent.run_sync('x')
    assert isinstance(first.output, DeferredToolRequests)
    assert [call.tool_name for call in first.output.calls] == ['pay']
    results = DeferredToolResults(calls={'c': 'outside'})
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert second.all_messages()[-2].parts[0].content == 'outside'  # type: ignore[union-attr]
