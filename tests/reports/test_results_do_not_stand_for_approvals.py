"""A result does not take the place of an approval, nor an approval that of a result."""

from __future__ import annotations

from typing import Any

import pytest

from stead import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ExternalToolset,
    RunContext,
    TextPart,
    ToolCallPart,
    ToolDefinition,
)
from stead.exceptions import UserError

from ..instrumentation.kit import script


def agent_with(model: Any) -> Agent[Any, Any]:
    toolset = ExternalToolset[Any]([ToolDefinition(name='outside')])
    return Agent(model, output_type=[str, DeferredToolRequests], toolsets=[toolset])


def test_each_call_gets_what_it_waits_for() -> None:
    paid: list[int] = []
    calls = [ToolCallPart('pay', {}, tool_call_id='c'), ToolCallPart('outside', {}, tool_call_id='e')]
    agent = agent_with(script(calls, [TextPart('done')]))

    @agent.tool_plain(requires_approval=True)
    def pay() -> str:
        paid.append(1)
        return 'paid'

    history = agent.run_sync('x').all_messages()
    for wrong in (
        DeferredToolResults(calls={'c': 'made up', 'e': 'E'}),
        DeferredToolResults(approvals={'c': True, 'e': True}),
    ):
        with pytest.raises(UserError):
            agent.run_sync(message_history=history, deferred_tool_results=wrong)
    assert paid == []
    right = DeferredToolResults(approvals={'c': True}, calls={'e': 'E'})
    assert agent.run_sync(message_history=history, deferred_tool_results=right).output == 'done'
    assert paid == [1]


def test_an_approved_tool_may_wait_for_a_result() -> None:
    agent = agent_with(script([ToolCallPart('pay', {}, tool_call_id='c')], [TextPart('done')]))

    @agent.tool(requires_approval=True)
    def pay(ctx: RunContext[Any]) -> str:
        raise CallDeferred

    first = agent.run_sync('x')
    approved = DeferredToolResults(approvals={'c': True})
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=approved)
    assert isinstance(second.output, DeferredToolRequests)
    results = second.output.build_results(calls={'c': 'paid outside'})
    third = agent.run_sync(message_history=second.all_messages(), deferred_tool_results=results)
    assert third.output == 'done'
