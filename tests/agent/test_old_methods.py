"""Methods of agents by their old names."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from typing_extensions import Self

from stead import Agent, FunctionToolset
from stead.models.test import TestModel


class Server(FunctionToolset[None]):
    """A toolset that asks for a model, as MCP servers do."""

    def __init__(self) -> None:
        super().__init__()
        self.sampling_model: Any = None
        self.is_open = False

    async def __aenter__(self) -> Self:
        self.is_open = True
        return self

    async def __aexit__(self, *args: object) -> None:
        self.is_open = False


@pytest.mark.parametrize(('own', 'passed'), [('test', None), (None, 'test'), (None, None)])
def test_run_mcp_servers(own: str | None, passed: str | None) -> None:
    server = Server()
    agent = Agent(own, toolsets=[server])

    async def main() -> None:
        with pytest.warns(DeprecationWarning, match='async with agent'):
            running = agent.run_mcp_servers(passed)
        async with running:
            assert server.is_open
        assert not server.is_open

    asyncio.run(main())
    assert isinstance(server.sampling_model, TestModel) == bool(own or passed)
