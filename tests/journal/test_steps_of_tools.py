"""`ctx.step`: what a tool does itself is recorded, and not done again when the tool is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext, UserError
from stead.journal import Journal, MemoryStore
from stead.messages import ToolCallPart
from tests.journal.test_crashes import calls, scripted


class Dead(BaseException):
    """The process ends."""


def shop(journal: Journal[Any], charged: list[str], *, dies: str = '') -> Agent[None, Any]:
    """Return an agent whose tool charges a card, and then lets an agent ship, which has to ask."""
    options: dict[str, Any] = {'capabilities': [journal], 'output_type': [str, DeferredToolRequests]}
    asker: Agent[None, Any] = Agent(scripted(calls(('ship', {}, 's1'))), name='asker', **options)

    @asker.tool_plain(requires_approval=True)
    def ship() -> str:
        return 'shipped'

    agent: Agent[None, Any] = Agent(scripted(calls(('order', {}, 'o1'))), name='shop', **options)

    async def charge() -> dict[str, str]:
        charged.append('card')
        if dies == 'in':
            raise Dead
        return {'receipt': 'r1'}

    @agent.tool(effect='idempotent')
    async def order(ctx: RunContext[None]) -> str:
        receipt = await ctx.step('charge', charge)
        again = await ctx.step('charge', lambda: 'second')
        if dies == 'after':
            raise Dead
        shipped = (await asker.run('ship')).output
        return f'{receipt["receipt"]} {again} {shipped}'

    return agent


async def outer(journal: Journal[Any]) -> str:
    while any(run.holder is not None for run in await journal.runs()):  # noqa: ASYNC110 - a thread gives it back
        await asyncio.sleep(0.001)
    return next(run.run_id for run in await journal.runs() if run.agent == 'shop')


@pytest.mark.parametrize('dies', ['', 'after'])
def test_a_step_is_not_done_again_when_its_tool_is(dies: str) -> None:
    async def main() -> None:
        charged: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        if dies:
            with pytest.raises(Dead):
                await shop(journal, charged, dies=dies).run('go')
            await journal.resume(shop(journal, charged), await outer(journal))
        else:
            await shop(journal, charged).run('go')
        (waiting,) = await journal.waiting()
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'s1': True}))
        result = await journal.resume(shop(journal, charged), await outer(journal))
        assert result.output == 'done'
        assert result.all_messages()[2].parts[0].content == 'r1 second done'
        assert charged == ['card']
        assert result.usage.tool_calls == 3

    asyncio.run(main())


def test_a_step_in_doubt_is_asked_about() -> None:
    async def main() -> None:
        charged: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        with pytest.raises(Dead):
            await shop(journal, charged, dies='in').run('go')
        run_id = await outer(journal)
        await journal.resume(shop(journal, charged), run_id)
        (waiting,) = await journal.waiting()
        (call,) = waiting.requests.approvals
        assert (call.tool_name, waiting.requests.metadata[call.tool_call_id]['kind']) == ('charge', 'reconcile')
        await journal.answer(run_id, DeferredToolResults(calls={call.tool_call_id: {'receipt': 'r9'}}))
        await journal.resume(shop(journal, charged), run_id)
        (waiting,) = await journal.waiting()
        assert waiting.run.agent == 'asker'
        assert charged == ['card']

    asyncio.run(main())


def careless(journal: Journal[Any], charged: list[str], *, by: str, effect: Any = 'write') -> Agent[None, Any]:
    """Return an agent whose tool charges a card, and then asks: by an agent, a call, or a call of a call."""
    options: dict[str, Any] = {'capabilities': [journal], 'output_type': [str, DeferredToolRequests]}
    asker: Agent[None, Any] = Agent(scripted(calls(('ship', {}, 's1'))), name='asker', **options)
    agent: Agent[None, Any] = Agent(scripted(calls(('order', {}, 'o1'))), name='shop', **options)

    def ship() -> str:
        return 'shipped'

    for one in (asker, agent):
        one.tool_plain(requires_approval=True)(ship)

    @agent.tool(effect='idempotent')
    async def batch(ctx: RunContext[None]) -> Any:
        return await ctx.tool_manager.handle_call(ToolCallPart('ship', {}, 's2'))

    @agent.tool(effect=effect)
    async def order(ctx: RunContext[None]) -> str:
        charged.append('card')
        if by == 'agent':
            return (await asker.run('ship')).output
        return str(await ctx.tool_manager.handle_call(ToolCallPart(by, {}, 's1')))

    return agent


@pytest.mark.parametrize('by', ['agent', 'ship', 'batch'])
def test_a_question_inside_of_a_tool_that_must_not_run_twice_is_refused_when_it_is_asked(by: str) -> None:
    async def main() -> None:
        charged: list[str] = []
        journal: Journal[Any] = Journal(MemoryStore())
        with pytest.raises(
            UserError, match=r"(?s)'order' has the effect 'write'.*'ship'.*effect='idempotent'.*ctx\.step"
        ):
            await careless(journal, charged, by=by).run('go')
        assert await journal.waiting() == []
        assert 'waiting' not in {run.status for run in await journal.runs()}
        # The tool is in doubt: what it did before it was refused is not done again without a decision.
        result = await journal.resume(careless(journal, charged, by=by), await outer(journal))
        assert result.output.metadata['o1']['kind'] == 'reconcile'
        assert charged == ['card']

    asyncio.run(main())


@pytest.mark.parametrize('by', ['agent', 'ship', 'batch'])
def test_a_tool_that_may_run_twice_asks(by: str) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        agent = careless(journal, [], by=by, effect='idempotent')
        await agent.run('go')
        (waiting,) = await journal.waiting()
        (call,) = waiting.requests.approvals
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={call.tool_call_id: True}))
        assert (await journal.resume(agent, await outer(journal))).output == 'done'

    asyncio.run(main())


def test_a_step_without_a_journal_is_a_call_and_one_outside_of_a_tool_an_error() -> None:
    agent: Agent[None, str] = Agent(scripted(calls(('order', {}, 'o1'))))
    contexts: list[RunContext[None]] = []

    @agent.tool
    async def order(ctx: RunContext[None]) -> int:
        contexts.append(ctx)
        return await ctx.step('look', lambda: 3)

    result = agent.run_sync('go')
    assert result.all_messages()[2].parts[0].content == 3  # type: ignore[union-attr]
    with pytest.raises(UserError, match='belongs into a tool'):
        asyncio.run(contexts[0].fork(tool_call_id=None).step('look', lambda: 3))
