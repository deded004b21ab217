"""Keys in the addresses and arguments of MCP servers are in nothing that is shown or stored."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent
from stead.journal import Journal
from stead.mcp import MCPServerSSE, MCPServerStdio, MCPServerStreamableHTTP, MCPToolset
from stead.models.test import TestModel

KEY = 'sk-SEKRET/1234567890'
QUOTED = 'sk-SEKRET%2F1234567890'
PLACES = ('SEKRET', 'sk-', '1234567890')
SERVERS: dict[str, Callable[[], Any]] = {
    'streamable, query': lambda: MCPServerStreamableHTTP(f'http://127.0.0.1:9/mcp?api_key={QUOTED}'),
    'streamable, user': lambda: MCPServerStreamableHTTP(f'http://user:{QUOTED}@127.0.0.1:9/mcp'),
    'streamable, fragment': lambda: MCPServerStreamableHTTP(f'http://127.0.0.1:9/mcp#{QUOTED}'),
    'sse': lambda: MCPServerSSE(f'http://127.0.0.1:9/sse?token={QUOTED}'),
    'stdio': lambda: MCPServerStdio(sys.executable, ['-c', 'import sys; sys.exit(1)', '--api-key', KEY, f'--k={KEY}']),
    'toolset, query': lambda: MCPToolset(f'http://127.0.0.1:9/mcp?api_key={QUOTED}'),
    'toolset, program': lambda: MCPToolset(
        {'s': {'command': sys.executable, 'args': ['-c', 'import sys; sys.exit(1)', KEY]}}
    ),
}


def server_of(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        return SERVERS[name]()


@pytest.mark.parametrize('name', SERVERS)
def test_keys_of_a_server_are_shown_nowhere(name: str, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> list[str]:
        server = server_of(name)
        journal: Journal[Any] = Journal()
        agent: Agent[None, str] = Agent(TestModel(), toolsets=[server], capabilities=[journal])
        shown = [
            repr(server),
            server.label,
            str(server),
            repr(vars(server).get('_transport')),
            repr(agent),
            agent.diagram(),
        ]
        try:
            await agent.run('go')
        except Exception as error:
            shown += [str(error), repr(error), *traceback.format_exception(type(error), error, error.__traceback__)]
        else:
            raise AssertionError('there is no server')
        (run,) = await journal.runs()
        shown += [record.body.decode() for record in await journal.records(run.run_id)]
        return shown

    with caplog.at_level(logging.INFO):
        shown = [*asyncio.run(main()), caplog.text]
    # The lines of this file are in tracebacks, too; they have names of constants.
    assert [text for text in shown if any(place in text for place in PLACES)] == []


def test_what_tells_servers_apart_is_shown() -> None:
    assert server_of('streamable, user').label == "MCPServerStreamableHTTP(url='http://127.0.0.1:9/mcp')"
    assert server_of('toolset, query').label == "MCPToolset 'http://127.0.0.1:9/mcp'"
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        program = MCPServerStdio('python', ['-u', 'server.py', '--key', KEY])
    assert repr(program) == "MCPServerStdio(command='python', args=['…', 'server.py', '…'])"
    assert program.args == ['-u', 'server.py', '--key', KEY]
