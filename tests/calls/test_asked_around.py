"""What decides about calls of a run is asked about those of the agents that run inside of it, too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
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
from stead.capabilities import ApprovalPolicy, HandleDeferredToolCalls, Journal, TerminalApprovals
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

Asked = list[tuple[Any, 'str | None', list[str]]]


@dataclass
class Shop:
    owner: str


class Killed(BaseException):
    """Stands for the end of the process."""


def calling(*names: str) -> FunctionModel:
    """Return a model that calls these tools at once, under an id that others use as well, and repeats their results."""

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse([ToolCallPart(name, {}, f'call_{place}') for place, name in enumerate(names)])
        return ModelResponse([TextPart(', '.join(str(getattr(part, 'content', '')) for part in messages[-1].parts))])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for place, part in enumerate(reply(messages, info).parts):
            if isinstance(part, ToolCallPart):
                yield {place: DeltaToolCall(part.tool_name, '{}', tool_call_id=part.tool_call_id)}
            elif isinstance(part, TextPart):
                yield part.content

    return FunctionModel(reply, stream_function=stream)


def payer(paid: list[str], **options: Any) -> Agent[None, Any]:
    agent = Agent(calling('pay'), name='payer', **options)

    @agent.tool_plain(requires_approval=True)
    def pay() -> str:
        paid.append('pay')
        return 'paid'

    return agent


def nested(inner: Agent[Any, Any], *, journal: Journal[Any] | None = None) -> Agent[None, Any]:
    output: Any = [str, DeferredToolRequests] if journal else str
    agent = Agent(calling('ask'), name='between', output_type=output, capabilities=[journal] if journal else [])

    @agent.tool_plain(effect='idempotent')
    async def ask() -> str:
        return str((await inner.run('Pay.')).output)

    return agent


def asking(inner: Agent[Any, Any]) -> Callable[[RunContext[Shop]], Awaitable[str]]:
    async def ask(ctx: RunContext[Shop]) -> str:
        return str((await inner.run('Pay.')).output)

    return ask


def root(*inner: Agent[Any, Any], capabilities: list[Any], output: Any = str) -> Agent[Shop, Any]:
    names = [f'ask_{place}' for place, _ in enumerate(inner)]
    agent = Agent(calling(*names), name='root', deps_type=Shop, capabilities=capabilities, output_type=output)
    for name, one in zip(names, inner):
        agent.tool(name=name, effect='idempotent')(asking(one))
    return agent


def approving(asked: Asked) -> HandleDeferredToolCalls[Shop]:
    async def decide(ctx: RunContext[Shop], requests: DeferredToolRequests) -> DeferredToolResults:
        names = [call.tool_name for call in (*requests.approvals, *requests.calls)]
        asked.append((ctx.deps.owner, ctx.tool_name, names))
        await asyncio.sleep(0)
        calls = {call.tool_call_id: 'from elsewhere' for call in requests.calls}
        return requests.build_results(approve_all=True, calls=calls)

    return HandleDeferredToolCalls(decide)


async def _run(agent: Agent[Shop, Any]) -> Any:
    return (await agent.run('Pay.', deps=Shop('Ada'))).output


async def _run_sync(agent: Agent[Shop, Any]) -> Any:
    return (await asyncio.to_thread(agent.run_sync, 'Pay.', deps=Shop('Ada'))).output


async def _iter(agent: Agent[Shop, Any]) -> Any:
    async with agent.iter('Pay.', deps=Shop('Ada')) as run:
        async for _ in run:
            pass
    assert run.result is not None
    return run.result.output


async def _stream(agent: Agent[Shop, Any]) -> Any:
    async with agent.run_stream('Pay.', deps=Shop('Ada')) as result:
        return await result.get_output()


async def _events(agent: Agent[Shop, Any]) -> Any:
    async with agent.run_stream_events('Pay.', deps=Shop('Ada')) as events:
        last = [event async for event in events][-1]
    return getattr(last, 'result').output


@pytest.mark.parametrize('way', [_run, _run_sync, _iter, _stream, _events])
@pytest.mark.parametrize('depth', [1, 2])
def test_the_root_decides(way: Callable[[Agent[Shop, Any]], Awaitable[Any]], depth: int) -> None:
    async def main() -> None:
        asked: Asked = []
        paid: list[str] = []
        inner = payer(paid)
        for _ in range(depth - 1):
            inner = nested(inner)
        agent = root(inner, capabilities=[approving(asked)])
        assert await way(agent) == 'paid'
        assert asked == [('Ada', 'ask_0', ['pay'])]
        assert paid == ['pay']

    asyncio.run(main())


def test_each_of_several_at_once_gets_its_own_decision() -> None:
    async def main() -> None:
        paid: list[str] = []

        async def decide(ctx: RunContext[Shop], requests: DeferredToolRequests) -> DeferredToolResults:
            await asyncio.sleep(0.01 if ctx.tool_name == 'ask_0' else 0)
            (call,) = requests.approvals  # both have the same id
            return requests.build_results(approvals={call.tool_call_id: ctx.tool_name == 'ask_1'})

        agent = root(payer(paid), payer(paid), capabilities=[HandleDeferredToolCalls(decide)])
        assert await _run(agent) == 'The tool call was denied., paid'
        assert paid == ['pay']

    asyncio.run(main())


def test_the_nearest_that_decides_is_asked_first_and_each_once() -> None:
    async def main() -> None:
        asked: Asked = []
        order: list[str] = []

        def passing(name: str) -> HandleDeferredToolCalls[Any]:
            return HandleDeferredToolCalls(lambda ctx, requests: order.append(name))

        inner = payer([], capabilities=[passing('payer')])
        between = Agent(calling('ask'), name='between', capabilities=[passing('between')])

        @between.tool_plain
        async def ask() -> str:
            return str((await inner.run('Pay.')).output)

        assert await _run(root(between, capabilities=[approving(asked)])) == 'paid'
        assert (order, len(asked)) == (['payer', 'between'], 1)

    asyncio.run(main())


def test_results_from_elsewhere_and_calls_that_tools_make_are_asked_about_too() -> None:
    async def main() -> None:
        asked: Asked = []
        inner = Agent(calling('work', 'fetch'), name='inner')

        @inner.tool
        async def work(ctx: RunContext[None]) -> str:
            assert ctx.tool_manager is not None
            return str(await ctx.tool_manager.handle_call(ToolCallPart('pay', {}, 'own')))

        @inner.tool_plain
        def fetch() -> str:
            raise CallDeferred

        @inner.tool
        def pay(ctx: RunContext[None]) -> str:
            if not ctx.tool_call_approved:
                raise ApprovalRequired
            return 'paid'

        assert await _run(root(inner, capabilities=[approving(asked)])) == 'paid, from elsewhere'
        assert asked == [('Ada', 'ask_0', ['pay']), ('Ada', 'ask_0', ['fetch'])]

    asyncio.run(main())


def test_a_caller_that_gets_the_question_as_output_decides_itself() -> None:
    async def main() -> None:
        asked: Asked = []
        inner = payer([], output_type=[str, DeferredToolRequests])
        assert 'DeferredToolRequests' in await _run(root(inner, capabilities=[approving(asked)]))
        assert asked == []

    asyncio.run(main())


def test_without_anyone_who_decides_it_is_an_error() -> None:
    async def main() -> None:
        with pytest.raises(UserError, match='wait for an approval'):
            await _run(root(payer([]), capabilities=[HandleDeferredToolCalls(lambda ctx, requests: None)]))

    asyncio.run(main())


def test_an_agent_that_decides_is_not_asked_about_its_own_calls() -> None:
    async def main() -> None:
        async def decide(ctx: RunContext[Shop], requests: DeferredToolRequests) -> DeferredToolResults:
            await payer([]).run('May it?')
            raise AssertionError('it was decided about')

        with pytest.raises(UserError, match='wait for an approval'):
            await _run(root(payer([]), capabilities=[HandleDeferredToolCalls(decide)]))

    asyncio.run(main())


def test_rules_of_the_root_are_about_its_own_tools() -> None:
    async def main() -> None:
        paid: list[str] = []
        policy = ApprovalPolicy[Any]()
        policy.allow('pay')
        shown: list[str] = []
        answers = iter(['always', 'y'])

        def ask(question: str) -> str:
            shown.append(question)
            return next(answers)

        assert await _run(root(payer(paid), capabilities=[TerminalApprovals(policy, ask)])) == 'paid'
        assert [question.splitlines()[0] for question in shown] == ['inside of ask_0: pay {}'] * 2
        assert len(policy.rules) == 1
        assert not any('lways' in question for question in shown)
        with pytest.raises(UserError, match='wait for an approval'):
            await _run(root(payer(paid), capabilities=[policy]))
        assert paid == ['pay']

    asyncio.run(main())


@pytest.mark.parametrize('depth', [1, 2])
def test_with_a_journal_a_decision_is_recorded_and_survives_the_process(tmp_path: Path, depth: int) -> None:
    paid: list[str] = []
    asked: Asked = []
    dies = [True]

    def program() -> tuple[Journal[Any], Agent[Shop, Any]]:
        journal: Journal[Any] = Journal(tmp_path / 'runs.db')
        inner = Agent(calling('pay'), name='payer', output_type=[str, DeferredToolRequests], capabilities=[journal])

        @inner.tool_plain(requires_approval=True, effect='idempotent')
        def pay() -> str:
            if dies:
                dies.clear()
                raise Killed
            paid.append('pay')
            return 'paid'

        for _ in range(depth - 1):
            inner = nested(inner, journal=journal)
        capabilities = [journal, approving(asked)]
        return journal, root(inner, capabilities=capabilities, output=[str, DeferredToolRequests])

    async def main() -> None:
        journal, agent = program()
        with pytest.raises(Killed):
            await _run(agent)
        assert not await journal.waiting()
        journal, agent = program()
        (run,) = [run for run in await journal.runs() if run.parent_id is None]
        result = await journal.resume(agent, run.run_id, deps=Shop('Ada'))
        assert (result.output, paid) == ('paid', ['pay'])
        assert asked == [('Ada', 'ask_0', ['pay'])]  # what was decided is known

    asyncio.run(main())
