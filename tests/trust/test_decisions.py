"""What is said about a call reaches that call only, however late it comes and however it is written. Each test is a promise."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stead import Agent, FunctionToolset, ModelRetry, Tool
from stead.exceptions import UserError
from stead.journal import InvalidTicket, Journal, JournalError, MemoryStore
from stead.messages import ToolCallPart
from stead.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDefinition
from stead.toolsets import ExternalToolset

from .agents import RAN, scripted, wipe, wiping


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


def paying(*calls: ToolCallPart, **options: Any) -> Agent[None, Any]:
    """Return an agent whose tool asks for another try when it pays 1; its model then sends the next call."""
    agent: Agent[None, Any] = Agent(
        scripted(*([call] for call in calls)), output_type=[str, DeferredToolRequests], retries=5, **options
    )

    @agent.tool_plain(requires_approval=True)
    def pay(n: int) -> str:
        if n == 1:
            raise ModelRetry('not 1')
        RAN.append(n)
        return 'paid'

    return agent


def pay(n: Any) -> ToolCallPart:
    return ToolCallPart('pay', {'n': n}, 'call_0')


def test_a_decision_does_not_reach_the_next_try_of_its_call() -> None:
    agent = paying(pay(1), pay(1000))
    first = agent.run_sync('go')
    decision = DeferredToolResults(approvals={'call_0': True})
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=decision)
    assert [call.args for call in second.output.approvals] == [{'n': 1000}]
    with pytest.raises(UserError, match='call_0'):
        agent.run_sync(message_history=second.all_messages(), deferred_tool_results=decision)
    assert RAN == []


def test_a_call_that_nobody_was_asked_about_keeps_its_id_when_it_is_tried_again() -> None:
    first = paying(pay('x'), pay(1000)).run_sync('go')
    assert [call.tool_call_id for call in first.output.approvals] == ['call_0']


def test_a_journal_takes_a_decision_about_the_call_that_was_shown_only() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        agent = paying(pay(1), pay(1000), capabilities=[journal])
        run_id = (await agent.run('go')).run_id
        (waiting,) = await journal.waiting()
        forged = waiting.requests.build_results(approve_all=True)
        forged.digests = {'call_0': 'of another call'}
        with pytest.raises(JournalError, match=r"'call_0' of run .* was about another call"):
            await journal.answer(run_id, forged)
        decisions = waiting.requests.build_results(approve_all=True)
        await journal.answer(run_id, decisions)
        await journal.resume(agent, run_id)
        for late in (decisions, DeferredToolResults(approvals={'call_0': True})):
            with pytest.raises(JournalError, match='waits for decisions about the calls'):
                await journal.answer(run_id, late)
        assert len(await journal.waiting()) == 1
        assert RAN == []

    asyncio.run(main())


@pytest.mark.parametrize('value', [None, True, {'c1': True}, {'approvals': {'c1': True}}, ToolApproved()], ids=repr)
def test_a_journal_takes_results_and_nothing_like_them(value: Any) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), secret=b'0123456789abcdef')
        run_id = (await wiping([wipe('/')], capabilities=[journal]).run('go')).run_id
        with pytest.raises(UserError, match='as `DeferredToolResults`'):
            await journal.answer(run_id, value)
        (waiting,) = await journal.waiting()
        if value is not True and not isinstance(value, ToolApproved):
            with pytest.raises(JournalError, match="'c1' is "):
                await journal.redeem(journal.ticket(waiting, 'c1'), value)
        assert len(await journal.waiting()) == 1

    asyncio.run(main())


def test_a_journal_takes_no_approval_of_a_call_that_waits_for_a_result() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        external: ExternalToolset[None] = ExternalToolset([ToolDefinition(name='ext')])
        agent = wiping([ToolCallPart('ext', {}, 'c1')], capabilities=[journal], toolsets=[external])
        run_id = (await agent.run('go')).run_id
        for approval in (True, ToolApproved()):
            with pytest.raises(JournalError, match="'c1' of run .* waits for a result, not for an approval"):
                await journal.answer(run_id, DeferredToolResults(approvals={'c1': approval}))
        await journal.answer(run_id, DeferredToolResults(calls={'c1': 'found'}))
        assert (await journal.resume(agent, run_id)).output == 'done'

    asyncio.run(main())


@pytest.mark.parametrize('ticket', [None, 5, b'x.y', '\ud800.x', 'x.\ud800', 'é.é', 'x' * 1_000_000], ids=type)
def test_what_is_not_a_ticket_is_an_invalid_ticket(ticket: Any) -> None:
    with pytest.raises(InvalidTicket):
        asyncio.run(Journal(MemoryStore(), secret=b'0123456789abcdef').redeem(ticket, True))


@pytest.mark.parametrize('seconds', [math.nan, None, '60', True], ids=repr)
def test_a_ticket_lasts_a_number_of_seconds(seconds: Any) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), secret=b'0123456789abcdef')
        await wiping([wipe('/')], capabilities=[journal]).run('go')
        (waiting,) = await journal.waiting()
        with pytest.raises(UserError, match='must be a number of seconds'):
            journal.ticket(waiting, 'c1', seconds=seconds)

    asyncio.run(main())


@pytest.mark.parametrize('value', ['"true"', '"yes"', '"on"', '1', '1.0', 'null', '{}', '[true]'])
def test_in_json_only_true_is_an_approval(value: str) -> None:
    stored = TypeAdapter(DeferredToolResults)
    with pytest.raises(ValidationError):
        stored.validate_json(f'{{"approvals": {{"c1": {value}}}}}')
    assert stored.validate_json('{"approvals": {"c1": true}}').approvals == {'c1': True}
    assert stored.validate_json('{"approvals": {"c1": {"kind": "tool-approved"}}}').approvals == {'c1': ToolApproved()}


@pytest.mark.parametrize('override', ['', 'x', '{"p": "tmp"}', [], ['p'], 5, True, ()], ids=repr)
def test_other_arguments_for_an_approved_call_are_named(override: Any) -> None:
    agent = wiping([wipe('tmp')])
    first = agent.run_sync('go')
    decision = DeferredToolResults(approvals={'c1': ToolApproved(override_args=override)})
    with pytest.raises(UserError, match="'c1' is approved with `override_args`"):
        agent.run_sync(message_history=first.all_messages(), deferred_tool_results=decision)
    assert RAN == []


@pytest.mark.parametrize('field', ['calls', 'approvals', 'metadata', 'digests'])
@pytest.mark.parametrize('value', [None, [('c1', True)], 'c1', {'c1'}, 5], ids=repr)
def test_fields_of_results_are_by_call_id(field: str, value: Any) -> None:
    agent = wiping([wipe('tmp')])
    first = agent.run_sync('go')
    decision = DeferredToolResults(**{'approvals': {'c1': True}, field: value})
    with pytest.raises(UserError, match=f'{field}.* must be a `dict` by tool call id'):
        agent.run_sync(message_history=first.all_messages(), deferred_tool_results=decision)
    assert RAN == []


@pytest.mark.parametrize('later', [False, True])
def test_a_toolset_that_requires_approval_requires_it_for_all_its_tools(later: bool) -> None:
    tool: Tool[None] = Tool(lambda p: RAN.append(p), name='wipe', takes_ctx=False)
    guarded: FunctionToolset[None] = FunctionToolset([] if later else [tool], requires_approval=True)
    if later:
        guarded.add_tool(tool)
    agent: Agent[None, Any] = Agent(scripted([wipe('/')]), toolsets=[guarded], output_type=[str, DeferredToolRequests])
    assert [call.tool_name for call in agent.run_sync('go').output.approvals] == ['wipe']
    assert RAN == []
    assert not tool.requires_approval, 'the tool may also be in a toolset that requires none'
    Agent(scripted([wipe('/')]), tools=[tool]).run_sync('go')
    assert RAN == ['/']
