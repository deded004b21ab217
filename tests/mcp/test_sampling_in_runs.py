"""What a server asks a model for in the middle of a call is part of the run: of its budgets, cassettes and traces."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, Budget, BudgetExceeded
from stead.mcp import MCPToolset
from stead.mcp._wire import sdk_error
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.testing import ScriptedModel, call, cassette, say

from .kit import Context, new_server, types, wait


class Asked:
    """A model that a server asks, which counts how often."""

    def __init__(self) -> None:
        self.times = 0
        self.model = FunctionModel(self.answer, model_name='asked')

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.times += 1
        return ModelResponse([TextPart('an answer')])


def last_result(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse([ToolCallPart('ask_model', {})])
    return ModelResponse([TextPart(str(getattr(messages[-1].parts[0], 'content', '')))])


@pytest.mark.parametrize(('requests', 'asked_for', 'is_enough'), [(3, 1, True), (2, 1, False), (1, 0, False)])
def test_it_draws_from_the_budgets_of_the_run(requests: int, asked_for: int, is_enough: bool) -> None:
    asked, budget = Asked(), Budget(requests=requests, warn_at=None)
    toolset = MCPToolset[Any](new_server(), sampling_model=asked.model)
    agent = Agent(FunctionModel(last_result), toolsets=[toolset], budget=budget)
    if is_enough:
        assert wait(agent.run('Go')).output == 'asked: an answer'
    else:
        with pytest.raises(BudgetExceeded):
            wait(agent.run('Go'))
    assert asked.times == asked_for
    assert budget.used.requests == requests


def test_it_is_on_cassettes(tmp_path: Path) -> None:
    asked = Asked()

    def play(mode: Any, model: Any) -> str:
        toolset = MCPToolset[Any](new_server(), sampling_model=asked.model)
        with cassette(tmp_path / 'tape.jsonl', mode=mode):
            return wait(Agent(model, toolsets=[toolset]).run('Go')).output

    assert play('record', ScriptedModel([call('ask_model'), say('done')])) == 'done'
    assert play('replay', ScriptedModel([])) == 'done'
    assert asked.times == 1 and 'an answer' in (tmp_path / 'tape.jsonl').read_text()


@pytest.mark.parametrize('has_budget', [True, False])
def test_it_is_refused_if_several_runs_wait_and_one_has_a_budget(has_budget: bool) -> None:
    """It is not known which of them the server works for; a run without budgets has nothing to lose."""
    asked, budget = Asked(), Budget(requests=9, warn_at=None)

    async def main() -> list[str]:
        arrived = 0
        both, answered = asyncio.Event(), asyncio.Event()

        async def together(ctx: Any, call_tool: Any, name: str, args: dict[str, Any]) -> Any:
            nonlocal arrived
            arrived += 1
            if arrived == 2:
                both.set()
            await both.wait()
            try:
                return await call_tool(name, args)
            finally:
                arrived += 1
                if arrived == 4:
                    answered.set()
                await answered.wait()

        toolset = MCPToolset[Any](new_server(), sampling_model=asked.model, process_tool_call=together)
        agent = Agent(FunctionModel(last_result), toolsets=[toolset])
        async with toolset:
            runs = await asyncio.gather(agent.run('Go', budget=budget if has_budget else None), agent.run('Go'))
        return [run.output for run in runs]

    outputs = wait(main())
    assert asked.times == (0 if has_budget else 2)
    assert all(('Several runs wait for this server' in output) == has_budget for output in outputs)
    assert budget.used.requests == (2 if has_budget else 0)


def test_a_server_that_is_not_called_gets_no_completions() -> None:
    asked, server = Asked(), new_server()
    sessions: list[Any] = []

    @server.tool()
    async def join(ctx: Context) -> str:
        sessions.append(ctx.session)
        return 'joined'

    async def ask() -> str:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # the way to ask is old, but the one that works with all servers
            question = types.SamplingMessage(role='user', content=types.TextContent(type='text', text='question'))
            try:
                return str((await sessions[0].create_message([question], max_tokens=9)).content)
            except sdk_error() as error:
                return str(error)

    async def main() -> None:
        async with MCPToolset[Any](server, sampling_model=asked.model) as toolset:
            await toolset.direct_call_tool('join', {})
            assert 'Nothing waits for this server' in await ask()
            assert asked.times == 0
            assert await toolset.direct_call_tool('ask_model', {}) == 'asked: an answer'
            assert 'Nothing waits for this server' in await ask()
        assert asked.times == 1

    wait(main())
