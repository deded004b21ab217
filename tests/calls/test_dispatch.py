"""A toolset that dispatches calls itself, through the manager of the step."""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import dataclass, replace
from typing import Any

import pytest

import stead.dropin
from stead import Agent, FunctionToolset, ModelRetry, RunContext, Tool
from stead.capabilities import Hooks
from stead.exceptions import ToolFailed, ToolFailedError, ToolRetryError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel
from stead.toolsets import ToolsetTool, WrapperToolset


@dataclass
class Together(WrapperToolset[Any]):
    """Adds a tool that calls another one several times at once, and returns what came of it."""

    name: str = 'work'
    times: int = 3

    async def get_tools(self, ctx: Any) -> dict[str, ToolsetTool[Any]]:
        tools = await super().get_tools(ctx)
        template = tools[self.name]
        own = replace(template.tool_def, name='together', parameters_json_schema={'type': 'object'})
        return {
            **tools,
            'together': ToolsetTool(toolset=self, tool_def=own, max_retries=3, args_validator=template.args_validator),
        }

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: ToolsetTool[Any]) -> Any:
        if name != 'together':
            return await super().call_tool(name, tool_args, ctx, tool)

        async def one(number: int) -> Any:
            try:
                return await ctx.tool_manager.handle_call(ToolCallPart(self.name, {}, f'{ctx.tool_call_id}.{number}'))
            except ToolRetryError as error:
                return error.tool_retry.content

        return await asyncio.gather(*(one(number) for number in range(self.times)))


def answers(toolset: Any, *, steps: int = 1, **options: Any) -> list[Any]:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) < 2 * steps:
            return ModelResponse([ToolCallPart('together', {}, 'c')])
        return ModelResponse([TextPart('done')])

    result = Agent(FunctionModel(respond), toolsets=[toolset], **options).run_sync('go')
    return [
        part.content for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)
    ]


class Meter:
    def __init__(self, error: Exception | None = None) -> None:
        self.now = self.peak = self.calls = 0
        self.error = error

    async def work(self) -> int:
        self.now += 1
        self.peak = max(self.peak, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        self.calls += 1
        if self.error is not None:
            raise self.error
        return self.calls


def test_calls_reach_the_tools_through_all_wrappers() -> None:
    prefixed = FunctionToolset[Any]([Meter().work]).prefixed('p')
    assert answers(Together(prefixed, name='p_work')) == [[1, 2, 3]]


def test_retries_of_dispatched_calls_are_counted_for_the_next_step() -> None:
    meter = Meter(ModelRetry('again'))
    assert answers(Together(FunctionToolset[Any]([Tool(meter.work, max_retries=1)]))) == [['again'] * 3]
    with pytest.raises(Exception, match="Tool 'work' exceeded max retries count of 1"):
        answers(Together(FunctionToolset[Any]([Tool(meter.work, max_retries=1)])), steps=2)


def test_limits_of_calls_hold_for_dispatched_ones() -> None:
    [first, second] = answers(Together(FunctionToolset[Any]([Tool(Meter().work, max_calls=2)])), steps=2)
    assert first[:2] == [1, 2]
    assert [part.content for part in [first[2], *second]] == [
        "Tool 'work' was called 2 times, which is its limit. Do without it."
    ] * 4


def test_a_tool_that_dispatches_calls_does_not_wait_for_its_own_place() -> None:
    meter = Meter()
    asyncio.run(
        asyncio.wait_for(
            asyncio.to_thread(answers, Together(FunctionToolset[Any]([meter.work])), max_tool_concurrency=1), 5
        )
    )
    assert meter.calls == 3


def test_the_limit_of_a_tool_holds_among_dispatched_calls() -> None:
    meter = Meter()
    answers(Together(FunctionToolset[Any]([Tool(meter.work, max_tool_concurrency=2)]), times=9))
    assert (meter.calls, meter.peak) == (9, 2)


def test_errors_of_dispatched_calls_are_dealt_with_as_the_tool_says() -> None:
    [[first, *_]] = answers(Together(FunctionToolset[Any]([Tool(Meter(KeyError('x')).work, on_tool_error='inform')])))
    assert (first.content, first.outcome) == ("Tool 'work' failed.", 'failed')


@pytest.mark.parametrize('level', [None, 2])
def test_hooks_see_a_failure_with_the_part_for_the_model_and_at_level_2_so_does_a_tool(level: int | None) -> None:
    seen: list[ToolFailedError] = []
    hooks: Any = Hooks()

    @hooks.on.tool_execute
    async def around(ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        try:
            return await handler(args)
        except ToolFailed as error:
            assert isinstance(error, ToolFailedError)
            seen.append(error)
            raise

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart('done') if len(messages) > 1 else ToolCallPart('outer', {}, 'c1')])

    agent: Agent[None, str] = Agent(FunctionModel(model), capabilities=[hooks])

    @agent.tool_plain
    def inner() -> str:
        raise ToolFailed('broken')

    @agent.tool
    async def outer(ctx: RunContext[None]) -> str:
        try:
            part = await ctx.tool_manager.handle_call(ToolCallPart('inner', {}, 'i'))  # type: ignore[union-attr]
        except ToolFailedError as error:
            return f'raised {error.tool_failed.outcome} {error}'
        return f'returned {part.outcome} {part.content}'

    if level:
        stead.dropin.install(level=level)
    try:
        result = agent.run_sync('q')
    finally:
        stead.dropin.uninstall()
    answer = result.all_messages()[2].parts[0]
    assert isinstance(answer, ToolReturnPart)
    assert answer.content == f'{"raised" if level else "returned"} failed broken'
    (error,) = seen
    assert (error.message, error.tool_failed.tool_call_id, str(error.__cause__)) == ('broken', 'i', 'broken')
    again = pickle.loads(pickle.dumps(error))
    assert again.tool_failed == error.tool_failed and again.message == 'broken'
