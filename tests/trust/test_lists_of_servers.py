"""What an MCP server lists stops no run: names that no model could call, names that come twice, lists without an end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('mcp', reason='the package mcp is not installed')

from mcp import types

from stead import RunContext
from stead.mcp import MCPError, MCPToolset
from stead.mcp._connection import MAX_ITEMS, Connection, ConnectionOptions
from stead.models.test import TestModel
from stead.usage import RunUsage

pytestmark = pytest.mark.anyio


class Listing(MCPToolset[Any]):
    """A server with tools of these names."""

    names: tuple[str, ...] = ()

    async def list_tools(self) -> Any:
        tools = [{'name': name, 'inputSchema': {}, 'description': str(n)} for n, name in enumerate(self.names)]
        return [types.Tool.model_validate(tool) for tool in tools]


async def test_tools_that_no_model_could_call_are_left_out_and_named() -> None:
    server = Listing('http://127.0.0.1:9/mcp')
    server.names = ('read', '', 'a\nb', 'a' * 257, '\u202edaer', 'list/all.v2', 'read')
    context: RunContext[Any] = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    with pytest.warns(UserWarning) as caught:
        tools = await server.get_tools(context)
    assert {name: tool.tool_def.description for name, tool in tools.items()} == {'read': '6', 'list/all.v2': '5'}
    shown = [str(one.message) for one in caught]
    assert [shown[-1].partition(' lists ')[2], len(shown)] == [
        "a tool 'read' that is left out: another one has its name; the last one counts.",
        5,
    ]
    assert all(text.isprintable() and len(text) < 300 for text in shown)


async def test_a_list_of_a_server_has_an_end() -> None:
    class Session:
        asked = 0

        async def list_tools(self, params: Any) -> Any:
            self.asked += 1
            return SimpleNamespace(tools=[None] * 400, next_cursor='more', nextCursor='more')

    session, options = Session(), ConnectionOptions(transport=None)  # type: ignore[arg-type]
    connection = Connection(session, None, SimpleNamespace(instructions=None), options)
    with pytest.raises(MCPError, match=f'The list of tools has more than {MAX_ITEMS} items'):
        await connection.listed('list_tools', 'tools')
    assert session.asked == MAX_ITEMS // 400 + 1
