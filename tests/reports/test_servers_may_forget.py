"""A server of MCP may forget its sessions, or link to what it does not give: calls are answered all the same."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from stead import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.exceptions import AgentRunError, UnexpectedModelBehavior
from stead.models.function import AgentInfo, FunctionModel

pytest.importorskip('mcp')

from stead.mcp import MCPToolset  # noqa: E402

TOOL = {'name': 't', 'description': 'd', 'inputSchema': {'type': 'object', 'properties': {}}}
LINK = {'type': 'resource_link', 'uri': 'file:///c.txt', 'name': 'c'}


class Server:
    """A server over streamable HTTP whose sessions can be forgotten."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        self.calls = 0
        self.fault: tuple[int, str, bytes] | None = None
        own = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def log_message(self, format: str, *args: Any) -> None: ...

            def reply(self, status: int, body: Any = None, session: str = '') -> None:
                data = b'' if body is None else json.dumps({'jsonrpc': '2.0', **body}).encode()
                self.write(status, 'application/json', data, session)

            def write(self, status: int, media_type: str, data: bytes, session: str = '') -> None:
                self.send_response(status)
                self.send_header('content-type', media_type)
                self.send_header('content-length', str(len(data)))
                if session:
                    self.send_header('mcp-session-id', session)
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self) -> None:
                self.reply(405)

            def do_DELETE(self) -> None:
                self.reply(200)

            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers['content-length'])))
                method, id = message['method'], message.get('id')
                if method == 'initialize':
                    own.sessions.add(session := uuid.uuid4().hex)
                    version = message['params']['protocolVersion']
                    info = {'name': 's', 'version': '1'}
                    result = {'protocolVersion': version, 'capabilities': {'tools': {}}, 'serverInfo': info}
                    return self.reply(200, {'id': id, 'result': result}, session)
                if method == 'server/discover':
                    return self.reply(200, {'id': id, 'error': {'code': -32601, 'message': 'Method not found'}})
                if self.headers.get('mcp-session-id') not in own.sessions:
                    error = {'code': -32600, 'message': 'Session not found'}
                    return self.reply(404, {'id': id, 'error': error})
                if id is None:
                    return self.reply(202)
                if method == 'tools/call' and own.fault is not None:
                    fault, own.fault = own.fault, None
                    return self.write(*fault)
                if method == 'tools/call':
                    own.calls += 1
                    return self.reply(200, {'id': id, 'result': {'content': [{'type': 'text', 'text': 'words'}, LINK]}})
                if method == 'tools/list':
                    return self.reply(200, {'id': id, 'result': {'tools': [TOOL]}})
                return self.reply(200, {'id': id, 'error': {'code': -32601, 'message': 'no such method'}})

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}/mcp'
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.server.shutdown()
    server.server.server_close()


def scripted(answers: list[Any]) -> FunctionModel:
    """A model that calls the tool once in each run."""

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) % 4 == 1:
            return ModelResponse(parts=[ToolCallPart('t', {})])
        answers.append(messages[-1].parts[0].content)
        return ModelResponse(parts=[TextPart('done')])

    return FunctionModel(reply)


@pytest.mark.parametrize(
    'fault',
    [
        (502, 'application/json', b'{"error": "bad gateway"}'),
        (401, 'application/json', b'{"error": "token expired"}'),
        (200, 'text/html', b'<html>maintenance</html>'),
    ],
    ids=['502', '401', 'a page'],
)
def test_a_call_after_one_that_failed_on_its_way_is_answered(server: Server, fault: tuple[int, str, bytes]) -> None:
    """The run is told, or ends with an error; it does not hang, and neither does what comes after it."""
    answers: list[Any] = []

    async def story() -> None:
        agent = Agent(scripted(answers), toolsets=[MCPToolset(server.url, init_timeout=60)], retries=3)
        async with agent:
            server.fault = fault
            try:
                await asyncio.wait_for(agent.run('x'), 60)
            except AgentRunError as error:
                assert not isinstance(error, UnexpectedModelBehavior)
            del answers[:]
            await asyncio.wait_for(agent.run('x'), 60)

    asyncio.run(story())
    assert answers[0][0] == 'words'


def test_a_session_that_was_forgotten_is_opened_again(server: Server) -> None:
    answers: list[Any] = []

    async def story() -> None:
        agent = Agent(scripted(answers), toolsets=[MCPToolset(server.url, init_timeout=60)])
        async with agent:
            for _ in range(3):
                await agent.run('x')
                server.sessions.clear()

    asyncio.run(story())
    assert len(answers) == server.calls == 3
    words, link = answers[0]
    assert words == 'words'
    assert 'file:///c.txt' in str(link)
    assert 'ResourceLink(' not in str(link)
    assert answers[1:] == answers[:1] * 2
