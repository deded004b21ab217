"""Limits over runs that share a usage, and run at the same time."""

from __future__ import annotations

import asyncio
import copy
import pickle

import pytest

from stead import Agent, RunContext, RunUsage, UsageLimits
from stead.exceptions import UsageLimitExceeded
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel

pytestmark = pytest.mark.anyio


async def test_ten_children_with_a_limit_of_three_make_three_requests() -> None:
    sent = 0

    async def slow(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal sent
        sent += 1
        await asyncio.sleep(0)
        return ModelResponse([TextPart('done')])

    child, limits = Agent(FunctionModel(slow)), UsageLimits(request_limit=4)
    outcomes: list[object] = []

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('delegate', {})])

    parent = Agent(FunctionModel(ask))

    @parent.tool
    async def delegate(ctx: RunContext) -> str:
        runs = [child.run('go', usage=ctx.usage, usage_limits=limits) for _ in range(10)]
        outcomes.extend(await asyncio.gather(*runs, return_exceptions=True))
        return 'done'

    with pytest.raises(UsageLimitExceeded, match='The next request would exceed the request_limit of 4') as raised:
        await parent.run('go', usage_limits=limits)
    assert sent == 3
    texts = [str(one) for one in outcomes if isinstance(one, UsageLimitExceeded)]
    assert texts == ['The next request would exceed the request_limit of 4'] * 7
    assert len(outcomes) == 10
    assert raised.value.usage.requests == 4


async def test_a_request_that_fails_is_given_back() -> None:
    tries = 0

    async def fails_first(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise RuntimeError('down')
        return ModelResponse([TextPart('done')])

    agent, usage, limits = Agent(FunctionModel(fails_first)), RunUsage(), UsageLimits(request_limit=1)
    with pytest.raises(RuntimeError):
        await agent.run('go', usage=usage, usage_limits=limits)
    assert (await agent.run('go', usage=usage, usage_limits=limits)).output == 'done'
    assert usage.requests == 1


@pytest.mark.parametrize('stream', [False, True])
async def test_calls_of_parallel_children_stay_within_the_limit(stream: bool) -> None:
    done = 0

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart('done') if len(messages) > 1 else ToolCallPart('work', {})])

    agent, usage, limits = Agent(FunctionModel(ask)), RunUsage(), UsageLimits(tool_calls_limit=3)

    @agent.tool_plain
    async def work() -> str:
        nonlocal done
        await asyncio.sleep(0)
        done += 1
        return 'ok'

    async def run() -> str:
        if not stream:
            return (await agent.run('go', usage=usage, usage_limits=limits)).output
        async with agent.iter('go', usage=usage, usage_limits=limits) as steps:
            async for _ in steps:
                pass
        assert steps.result is not None
        return steps.result.output

    outcomes = await asyncio.gather(*[run() for _ in range(10)], return_exceptions=True)
    assert done == 3 == usage.tool_calls
    assert [one for one in outcomes if isinstance(one, str)] == ['done'] * 3
    assert all(isinstance(one, (str, UsageLimitExceeded)) for one in outcomes)


async def test_a_call_that_a_child_runs_inside_of_does_not_count_against_it() -> None:
    def once(name: str) -> FunctionModel:
        def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            return ModelResponse([TextPart('done') if len(messages) > 1 else ToolCallPart(name, {})])

        return FunctionModel(ask)

    parent, child = Agent(once('delegate')), Agent(once('work'))

    @child.tool_plain
    def work() -> str:
        return 'ok'

    @parent.tool
    async def delegate(ctx: RunContext) -> str:
        return (await child.run('go', usage=ctx.usage, usage_limits=UsageLimits(tool_calls_limit=1))).output

    result = await parent.run('go', usage_limits=UsageLimits(tool_calls_limit=2))
    assert (result.output, result.usage.tool_calls) == ('done', 2)


async def test_copies_of_a_usage_have_nothing_under_way() -> None:
    copies: list[RunUsage] = []

    def look(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        copies.extend([copy.copy(usage), copy.deepcopy(usage), pickle.loads(pickle.dumps(usage)), usage + RunUsage()])
        assert not usage.has_values()
        return ModelResponse([TextPart('done')])

    usage = RunUsage()
    await Agent(FunctionModel(look)).run('go', usage=usage)
    for one in copies:
        assert one == RunUsage()
        UsageLimits(request_limit=1).check_before_request(one)
