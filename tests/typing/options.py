"""The options of agents, runs and overrides are typed: names and values are checked where they are written."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from typing_extensions import assert_type

from stead import Agent
from stead.agent import AbstractAgent, OverrideOptions
from stead.models.test import TestModel
from stead.toolsets import FunctionToolset

agent = Agent('test', deps_type=int)


def overrides(other: AbstractAgent[int, str]) -> None:
    with agent.override(model=TestModel(), deps=3, instructions='Say.', toolsets=[FunctionToolset[int]()], tools=[]):
        assert_type(agent.run_sync('x', deps=3).output, str)
    with agent.override(name='a', metadata={'a': 1}, retries={'output': 2}, native_tools=[], spec={'name': 'b'}):
        pass
    with other.override(model='test', deps=3):
        pass
    options: OverrideOptions[int] = {'model': 'test', 'deps': 3}
    with agent.override(**options):
        pass
    agent.override(modle='test')  # type: ignore[call-arg]
    agent.override(deps='three')  # type: ignore[arg-type]
    agent.override(tools=5)  # type: ignore[arg-type]
    other.override(deps='three')  # type: ignore[arg-type]


async def runs() -> None:
    assert_type((await agent.run('x', deps=3, usage_limits=None)).output, str)
    await agent.run('x', promt='x')  # type: ignore[call-overload]
    await agent.run('x', deps='three')  # type: ignore[call-overload]
    agent.run_sync('x', usage_limits=3)  # type: ignore[call-overload]
    async with agent.run_stream('x', deps=3, until='end') as streamed:
        assert_type(await streamed.get_output(), str)
    agent.run_stream('x', until='later')  # type: ignore[call-overload]


def construction() -> None:
    Agent('test', toolz=[])  # type: ignore[call-arg]
    Agent.from_spec({}, model='test', on_tool_error='inform', max_tool_concurrency=2)
    Agent.from_spec({}, on_tool_error='ignore')  # type: ignore[arg-type]
