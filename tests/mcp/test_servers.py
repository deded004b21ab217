"""The older names: `MCPServer` and its kinds, `FastMCPToolset`; and files that name servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from stead import UserError
from stead.capabilities import MCP
from stead.mcp import (
    MCPServer,
    MCPServerHTTP,
    MCPServerSSE,
    MCPServerStdio,
    MCPServerStreamableHTTP,
    MCPToolset,
    load_mcp_servers,
    load_mcp_toolsets,
)
from stead.models.test import TestModel
from stead.toolsets import PrefixedToolset
from stead.toolsets.fastmcp import FastMCPToolset

from .kit import PYTHON, context, new_server, program, served, wait

pytestmark = pytest.mark.filterwarnings('ignore:.* is an old name')


def test_a_server_over_stdio_lists_and_calls_tools(tmp_path: Path) -> None:
    server = MCPServerStdio(PYTHON, [str(program(tmp_path))], tool_prefix='pre', sampling_model=TestModel(), timeout=60)

    async def main() -> None:
        async with server:
            tools = await server.get_tools(context())
            assert 'pre_add' in tools
            assert tools['pre_add'].max_retries == 1
            assert set(tools['pre_add'].tool_def.metadata or {}) == {'meta', 'annotations', 'output_schema'}
            assert await server.call_tool('pre_add', {'a': 1}, context(), tools['pre_add']) == 3
            assert await server.direct_call_tool('give', {'what': 'link'}) == 'resource text'
            assert await server.direct_call_tool('ask_model', {}) == 'test: success (no tool calls)'

    wait(main())
    assert (server.id, server.label) == ('pre', "MCPServerStdio 'pre'")
    assert 'tool_prefix' in server.tool_name_conflict_hint


@pytest.mark.parametrize(('kind', 'cls'), [('mcp', MCPServerStreamableHTTP), ('sse', MCPServerSSE)])
def test_a_server_over_http_is_called(kind: str, cls: Any) -> None:
    with served(kind) as url:
        server = cls(url, headers={'X-Test': '1'})
        assert wait(server.direct_call_tool('add', {'a': 1})) == 3


def test_a_transport_of_ones_own() -> None:
    from mcp.client._memory import InMemoryTransport

    class InProcess(MCPServer[None]):
        def client_streams(self) -> Any:
            return InMemoryTransport(new_server())

    assert wait(InProcess(tool_prefix='p').direct_call_tool('add', {'a': 1})) == 3
    assert 'p_add' in wait(InProcess('p').get_tools(context()))


def test_old_names_warn() -> None:
    with pytest.warns(DeprecationWarning, match='`MCPServerStdio` is an old name'):
        MCPServerStdio('x', [])
    with pytest.warns(DeprecationWarning, match='`sse_read_timeout` is an old name'):
        assert MCPServerHTTP('http://x/sse', sse_read_timeout=3).read_timeout == 3
    with pytest.warns(DeprecationWarning, match='`FastMCPToolset` is an old name'):
        FastMCPToolset('http://x/mcp')


def test_servers_are_equal_if_they_are_the_same() -> None:
    assert MCPServerStdio('x', ['a'], tool_prefix='p') == MCPServerStdio('x', ['a'], tool_prefix='p')
    assert MCPServerStdio('x', ['a']) != MCPServerStdio('x', ['b'])
    assert MCPServerSSE('http://x') != MCPServerStreamableHTTP('http://x')
    assert repr(MCPServerStdio('x', ['a'], id='me')) == "MCPServerStdio(command='x', args=['…'], id='me')"
    assert MCPServerSSE('http://x/sse').label == "MCPServerSSE(url='http://x/sse')"


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(UserError, match='does not take the arguments bogus'):
        MCPServerSSE('http://x/sse', bogus=3)


def test_fastmcp_toolsets_leave_text_alone() -> None:
    toolset = FastMCPToolset(new_server())
    assert wait(toolset.direct_call_tool('give', {'what': 'json'})) == '{"a": [1]}'
    assert wait(toolset.direct_call_tool('add', {'a': 1})) == 3
    metadata = wait(toolset.get_tools(context()))['add'].tool_def.metadata
    assert metadata is not None
    assert metadata['output_schema']['required'] == ['result']


# Files


def write(folder: Path, content: Any) -> Path:
    path = folder / 'servers.json'
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding='utf-8')
    return path


SERVERS = {
    'a': {'command': 'python', 'args': ['${STEAD_TEST:-default}'], 'env': {'K': '${STEAD_HOME}'}},
    'b': {'url': 'http://localhost:1/mcp', 'headers': {'X': '${STEAD_TEST:-}'}},
    'c': {'url': 'http://localhost:1/sse'},
    'd': {'url': 'http://localhost:1/other', 'type': 'sse'},
}


def test_servers_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('STEAD_HOME', 'home')
    monkeypatch.delenv('STEAD_TEST', raising=False)
    path = write(tmp_path, {'mcpServers': SERVERS})
    a, b, c, d = load_mcp_servers(path)
    assert isinstance(a, MCPServerStdio)
    assert (a.command, a.args, a.env, a.tool_prefix, a.id) == ('python', ['default'], {'K': 'home'}, 'a', 'a')
    assert isinstance(b, MCPServerStreamableHTTP)
    assert b.headers == {'X': ''}
    assert isinstance(c, MCPServerSSE)
    assert isinstance(d, MCPServerSSE)


def test_toolsets_of_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, {'mcpServers': {'calc': {'command': PYTHON, 'args': [str(program(tmp_path))]}}})
    (toolset,) = load_mcp_toolsets(str(path))
    assert isinstance(toolset, PrefixedToolset)
    assert (toolset.prefix, toolset.wrapped.id) == ('calc', 'calc')

    async def main() -> None:
        async with toolset:
            tools = await toolset.get_tools(context())
            assert await toolset.call_tool('calc_add', {'a': 1}, context(), tools['calc_add']) == 3

    wait(main())


@pytest.mark.parametrize(
    ('content', 'error', 'words'),
    [
        ('{x', ValueError, 'key must be a string'),
        ({'servers': {}}, ValidationError, 'mcpServers'),
        ({'mcpServers': {'a': {'args': []}}}, ValidationError, 'either a `command` or a `url`'),
        ({'mcpServers': {'a': {'command': '${STEAD_NOT_SET}'}}}, ValueError, "'STEAD_NOT_SET' is not set"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, content: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        load_mcp_toolsets(write(tmp_path, content))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match='There is no file'):
        load_mcp_toolsets(tmp_path / 'none.json')


# The capability


def test_the_capability_calls_tools_from_here() -> None:
    from stead import Agent

    calls: list[str] = []
    capability = MCP('https://example.com/mcp', native=False, local=new_server(calls), allowed_tools=['add'])
    model = TestModel()
    Agent(model, capabilities=[capability]).run_sync('go')
    assert calls == ['add']
    parameters = model.last_model_request_parameters
    assert parameters is not None
    assert [tool.name for tool in parameters.function_tools] == ['add']


def test_the_capability_over_http() -> None:
    from stead import Agent

    with served('mcp') as url:
        result = Agent(TestModel(call_tools=['add']), capabilities=[MCP(url, native=False)]).run_sync('go')
    assert result.output == '{"add":2}'
    assert isinstance(MCP('http://x/mcp', native=False).local, MCPToolset)
