"""What the package fastmcp adds to toolsets: clients, and OAuth, against a server that wants it. Runs where fastmcp is installed."""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import suppress

import pytest

pytest.importorskip('fastmcp', reason='needs the extra `fastmcp`: pip install "stead[fastmcp]"')

import httpx
import uvicorn
from fastmcp import Client, FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider

from stead import Agent
from stead.mcp import MCPError, MCPToolset
from stead.models.test import TestModel

pytestmark = pytest.mark.filterwarnings('ignore')  # those of fastmcp and its dependencies


@pytest.fixture(scope='module')
def guarded() -> Iterator[str]:
    """The URL of a server whose tools are for those that a user has let in."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        address = f'http://127.0.0.1:{probe.getsockname()[1]}'
    registration = ClientRegistrationOptions(enabled=True)
    server = FastMCP('guarded', auth=InMemoryOAuthProvider(base_url=address, client_registration_options=registration))

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    port = int(address.rpartition(':')[2])
    running = uvicorn.Server(uvicorn.Config(server.http_app(), port=port, log_level='critical', ws='none'))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    end = time.monotonic() + 60
    while not running.started:
        assert time.monotonic() < end, 'the server did not start'
        time.sleep(0.01)
    yield f'{address}/mcp'
    running.should_exit = True
    thread.join(5)


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The pages that were opened in the browser, which stands for a user who agrees to everything."""
    pages: list[str] = []

    def agree(url: str) -> None:
        answer = httpx.get(url)
        end = time.monotonic() + 10
        while time.monotonic() < end:  # the browser may be quicker than the server that it returns to
            with suppress(httpx.ConnectError):
                httpx.get(answer.headers['location'])
                return
            time.sleep(0.02)

    def visit(url: str) -> bool:
        pages.append(url)
        threading.Thread(target=agree, args=(url,), daemon=True).start()
        return True

    monkeypatch.setattr(webbrowser, 'open', visit)
    yield pages
    gc.collect()  # releases of fastmcp leave the socket open at which the browser returns


def test_oauth_asks_the_user_once_for_all_connections(guarded: str, visited: list[str]) -> None:
    toolset = MCPToolset(guarded, auth='oauth')

    async def main() -> None:
        for _ in range(2):
            assert await toolset.direct_call_tool('add', {'a': 1, 'b': 2}) == 3
        result = await Agent(TestModel(), toolsets=[toolset]).run('x')
        assert result.output == '{"add":0}'

    asyncio.run(main())
    assert len(visited) == 1
    assert visited[0].startswith(guarded.removesuffix('/mcp'))


def test_without_oauth_the_server_lets_no_one_in(guarded: str, visited: list[str]) -> None:
    with pytest.raises(MCPError):
        asyncio.run(MCPToolset(guarded, auth='a guess').direct_call_tool('add', {'a': 1, 'b': 2}))
    assert visited == []


def test_a_client_of_its_own_reaches_the_same_server() -> None:
    server = FastMCP('s')

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    async def main() -> None:
        toolset = MCPToolset(server)
        client = toolset.client
        assert isinstance(client, Client)
        assert client is toolset.client
        async with toolset, client:
            assert [tool.name for tool in await client.list_tools()] == ['add']
            assert await toolset.direct_call_tool('add', {'a': 1, 'b': 2}) == 3

    asyncio.run(main())
