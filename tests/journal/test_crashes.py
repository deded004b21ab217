"""Runs whose process dies anywhere go on, and do nothing twice."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, ModelRetry, RunContext
from stead.capabilities import ApprovalPolicy
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.testing import CrashReport, crash_everywhere
from stead.toolsets import FunctionToolset


def scripted(*responses: list[Any]) -> FunctionModel:
    """Return a model that gives these responses in turn, by the number of responses in the history, and then `done`."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        given = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=responses[given] if given < len(responses) else [TextPart('done')])

    return FunctionModel(answer)


def calls(*calls: tuple[str, dict[str, Any], str]) -> list[Any]:
    return [ToolCallPart(name, args, tool_call_id=call_id) for name, args, call_id in calls]


def tools() -> FunctionToolset[Any]:
    toolset: FunctionToolset[Any] = FunctionToolset()

    @toolset.tool_plain
    async def pay(amount: int) -> str:
        await asyncio.sleep(0)
        return f'paid {amount}'

    @toolset.tool_plain(effect='read')
    async def look(what: str) -> str:
        return f'{what} is fine'

    @toolset.tool_plain(effect='idempotent')
    def store(value: int) -> int:
        return value

    return toolset


def plain() -> Agent[None, Any]:
    responses = calls(('pay', {'amount': 1}, 'c1')), calls(('look', {'what': 'it'}, 'c2'))
    return Agent(scripted(*responses), name='plain', toolsets=[tools()])


def parallel() -> Agent[None, Any]:
    batch = calls(
        ('pay', {'amount': 1}, 'c1'),
        ('look', {'what': 'a'}, 'c2'),
        ('pay', {'amount': 2}, 'c3'),
        ('store', {'value': 3}, 'c4'),
    )
    return Agent(scripted(batch, calls(('pay', {'amount': 5}, 'c5'))), name='parallel', toolsets=[tools()])


def retrying() -> Agent[None, Any]:
    responses = calls(('shy', {}, 'c1')), calls(('shy', {}, 'c2')), calls(('pay', {'amount': 'x'}, 'c3'))
    agent = Agent(
        scripted(*responses, calls(('pay', {'amount': 3}, 'c4'))), name='retrying', toolsets=[tools()], retries=2
    )

    @agent.tool(effect='read')
    def shy(ctx: RunContext) -> str:
        if ctx.retry == 0:
            raise ModelRetry('once more')
        return f'at {ctx.retry}'

    return agent


def approving() -> Agent[None, Any]:
    agent = Agent(
        scripted(calls(('wipe', {}, 'c1'), ('pay', {'amount': 1}, 'c2'))),
        name='approving',
        toolsets=[tools()],
        output_type=[str, DeferredToolRequests],
    )

    @agent.tool_plain(requires_approval=True)
    def wipe() -> str:
        return 'wiped'

    return agent


def deciding() -> Agent[None, Any]:
    policy = ApprovalPolicy[None]()
    policy.allow('wipe')
    agent = Agent(
        scripted(calls(('wipe', {}, 'c1'), ('pay', {'amount': 1}, 'c2'))),
        name='deciding',
        toolsets=[tools()],
        capabilities=[policy],
    )

    @agent.tool_plain(requires_approval=True)
    def wipe() -> str:
        return 'wiped'

    return agent


def structured() -> Agent[None, Any]:
    final = ToolCallPart('final_result', {'response': 3}, tool_call_id='c2')
    wrong = ToolCallPart('final_result', {'response': 7}, tool_call_id='c1')
    agent = Agent(
        scripted(calls(('pay', {'amount': 1}, 'c0')), [wrong], [final]),
        name='structured',
        output_type=int,
        toolsets=[tools()],
    )

    @agent.output_validator
    def small(value: int) -> int:
        if value > 5:
            raise ModelRetry('too large')
        return value

    return agent


@pytest.mark.parametrize(
    'make_agent', [plain, parallel, retrying, approving, deciding, structured], ids=lambda make: make.__name__
)
def test_a_run_goes_on_wherever_it_was_killed(make_agent: Any) -> None:
    report: CrashReport = asyncio.run(crash_everywhere(make_agent, 'go'))
    assert report.violations == []
    assert report.boundaries > 10


def test_a_tool_that_lies_about_its_effect_is_found() -> None:
    def careless() -> Agent[None, Any]:
        agent = Agent(scripted(calls(('count', {}, 'c1'))), name='careless')
        counted: list[int] = []
        total = COUNTED

        @agent.tool_plain(effect='read')
        def count() -> int:
            total.append(1)
            return len(total)

        assert counted == []
        return agent

    COUNTED: list[int] = []
    report = asyncio.run(crash_everywhere(careless, 'go'))
    assert report.repeated_reads > 0
