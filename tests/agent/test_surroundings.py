"""What agents offer beside their runs: system prompts, models for MCP servers."""

from __future__ import annotations

import asyncio

import pytest

from stead import Agent, FunctionToolset, RunContext
from stead.agent import AbstractAgent, WrapperAgent
from stead.exceptions import UserError
from stead.models.test import TestModel


class Server(FunctionToolset[None]):
    """Stands for the tools of a server that may ask a model."""

    sampling_model: TestModel | None = None


def test_models_for_servers() -> None:
    server, plain, own = Server(), FunctionToolset[None](), TestModel()
    agent = Agent(own, toolsets=[server.prefixed('p'), plain])
    agent.set_mcp_sampling_model()
    assert server.sampling_model is own
    assert not hasattr(plain, 'sampling_model')
    other = TestModel()
    agent.set_mcp_sampling_model(other)
    assert server.sampling_model is other
    overriding = TestModel()
    with agent.override(model=overriding):
        agent.set_mcp_sampling_model()
        assert server.sampling_model is overriding
        agent.set_mcp_sampling_model(other)
        assert server.sampling_model is other
    agent.set_mcp_sampling_model()
    assert server.sampling_model is own
    with pytest.raises(UserError, match='no model'):
        Agent(toolsets=[server]).set_mcp_sampling_model()


def test_system_prompt_parts_through_wrappers() -> None:
    agent = Agent(TestModel(), system_prompt='static', deps_type=str)

    @agent.system_prompt(dynamic=True)
    def changing(ctx: RunContext[str]) -> str:
        return f'for {ctx.deps}: {ctx.prompt}'

    wrapper = WrapperAgent(agent)
    parts = asyncio.run(wrapper.system_prompt_parts(deps='me', prompt='hi'))
    assert [part.content for part in parts] == ['static', 'for me: hi']
    assert asyncio.run(AbstractAgent.system_prompt_parts(wrapper)) == []
