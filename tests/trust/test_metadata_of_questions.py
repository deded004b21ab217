"""What a tool says of a call that waits, and what is said of decisions, hides no question and spoils no record."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    UserError,
)
from stead.capabilities import HandleDeferredToolCalls, Journal
from stead.messages import ToolCallPart
from stead.tools import ToolApproved

from .agents import RAN, scripted, wipe, wiping

KINDS: list[Any] = [{'kind': kind} for kind in ('run', 'call', 'reconcile', 'redacted')]
ODD: list[Any] = ['x', [1], {'a': b'\xff'}]


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


@pytest.mark.parametrize('metadata', [*KINDS, *ODD], ids=str)
@pytest.mark.parametrize('is_inside', [False, True])
@pytest.mark.parametrize('error', [ApprovalRequired, CallDeferred])
def test_a_call_is_asked_about_whatever_its_tool_says_of_it(error: Any, is_inside: bool, metadata: Any) -> None:
    name = 'outer' if is_inside else 'pay'
    journal: Journal[Any] = Journal()
    agent: Agent[None, Any] = Agent(
        scripted([ToolCallPart(name, {}, 'c1')]), output_type=[str, DeferredToolRequests], capabilities=[journal]
    )

    @agent.tool
    def pay(ctx: RunContext[None]) -> str:
        if not ctx.tool_call_approved:
            raise error(metadata=metadata)
        RAN.append('pay')
        return 'paid'

    @agent.tool(effect='idempotent')
    async def outer(ctx: RunContext[None]) -> str:
        assert ctx.tool_manager is not None
        return str(await ctx.tool_manager.handle_call(ToolCallPart('pay', {}, 'i1')))

    async def main() -> None:
        run_id = (await agent.run('go')).run_id
        [waiting] = await journal.waiting()
        asked = waiting.requests
        approvals: Any = {call.tool_call_id: True for call in asked.approvals}
        calls: Any = {call.tool_call_id: 'paid elsewhere' for call in asked.calls}
        assert [len(approvals), len(calls)] == ([1, 0] if error is ApprovalRequired else [0, 1])
        await journal.answer(run_id, DeferredToolResults(approvals=approvals, calls=calls))
        assert (await journal.resume(agent, run_id)).output == 'done'
        assert len(RAN) == len(approvals)

    asyncio.run(main())


UNREADABLE: list[DeferredToolResults] = [
    DeferredToolResults(approvals={'c1': True}, metadata={'c1': 'x'}),  # type: ignore[dict-item]
    DeferredToolResults(approvals={'c1': True}, metadata={'c1': {'a': b'\xff'}}),
    DeferredToolResults(approvals={'c1': True}, answered_by={'c1': 5}),  # type: ignore[dict-item]
    DeferredToolResults(approvals={'c1': ToolApproved(override_args={'p': b'\xff'})}),
]


@pytest.mark.parametrize('results', UNREADABLE, ids=['metadata', 'bytes', 'person', 'arguments'])
@pytest.mark.parametrize('channel', ['answer', 'history', 'capability'])
def test_decisions_that_could_not_be_read_again_are_refused_before_anything_runs(
    channel: str, results: DeferredToolResults
) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        agent = wiping([wipe('a')], capabilities=[journal])
        if channel == 'capability':
            handler = HandleDeferredToolCalls(lambda ctx, requests: results)
            with pytest.raises(UserError, match='cannot be recorded'):
                await agent.run('go', capabilities=[handler])
        else:
            first = await agent.run('go')
            with pytest.raises(UserError, match='cannot be recorded'):
                if channel == 'answer':
                    await journal.answer(first.run_id, results)
                else:
                    await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
            assert len(await journal.waiting()) == 1
        assert RAN == []
        for run in await journal.runs():
            await journal.state(run.run_id)  # each of them can be read

    asyncio.run(main())
