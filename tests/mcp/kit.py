"""A server to test against: in this process, as a program, or behind HTTP."""

from __future__ import annotations

import asyncio
import base64
import sys
import threading
import time
import warnings
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

pytest.importorskip('mcp.server.mcpserver', reason='needs the extra `mcp`, second generation: pip install "stead[mcp]"')

from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

from stead import RunContext
from stead.models.test import TestModel
from stead.usage import RunUsage

PNG = b'\x89PNG'
T = TypeVar('T')


class Point(BaseModel):
    x: int


class Name(BaseModel):
    name: str
    age: int = 3


def text(value: str) -> types.TextContent:
    return types.TextContent(type='text', text=value)


def image() -> types.ImageContent:
    return types.ImageContent(type='image', data=base64.b64encode(PNG).decode(), mime_type='image/png')


def result(*content: Any, **fields: Any) -> types.CallToolResult:
    return types.CallToolResult(content=list(content), **fields)


RESULTS = {
    'words': result(text('hello')),
    'json': result(text('{"a": [1]}')),
    'almost_json': result(text('{"a": ')),
    'number': result(text('42')),
    'nothing': result(),
    'picture': result(image()),
    'broken': result(types.ImageContent(type='image', data='a', mime_type='image/png')),
    'sound': result(types.AudioContent(type='audio', data=base64.b64encode(b'la').decode(), mime_type='audio/wav')),
    'both': result(text('t'), image(), structured_content={'q': 1}),
    'structured': result(text('t'), structured_content={'q': 1}),
    'wrapped': result(text('t'), structured_content={'result': [1]}),
    'resource': result(
        types.EmbeddedResource(
            type='resource', resource=types.TextResourceContents(uri='x://a', text='inside', mime_type='text/plain')
        )
    ),
    'blob': result(
        types.EmbeddedResource(
            type='resource',
            resource=types.BlobResourceContents(uri='x://b', blob=base64.b64encode(b'raw').decode()),
        )
    ),
    'link': result(types.ResourceLink(type='resource_link', uri='data://one', name='one')),
    'failing': result(text('first'), text('second'), is_error=True),
    'silent': result(image(), is_error=True),
}


def new_server(calls: list[str] | None = None) -> MCPServer:
    """Return a server; it notes the names of its tools as they are called."""
    server = MCPServer('tester', version='1.5', instructions='Be gentle.', log_level='CRITICAL')
    seen: list[str] = calls if calls is not None else []

    @server.tool(meta={'k': 1}, annotations=types.ToolAnnotations(read_only_hint=True))
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        seen.append('add')
        return a + b

    @server.tool()
    def point() -> Point:
        return Point(x=1)

    @server.tool(structured_output=False)
    def give(what: str) -> types.CallToolResult:
        return RESULTS[what]

    @server.tool()
    async def ask_model(ctx: Context) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # the way to ask is old, but the one that works with all servers
            answer = await ctx.session.create_message(
                [
                    types.SamplingMessage(role='user', content=text('question')),
                    types.SamplingMessage(role='assistant', content=text('what?')),
                    types.SamplingMessage(role='user', content=image()),
                ],
                max_tokens=9,
                system_prompt='Be brief.',
                temperature=0.5,
                stop_sequences=['stop'],
            )
        return f'{answer.model}: {answer.content.text}'

    @server.tool()
    async def ask_user(ctx: Context) -> str:
        answer = await ctx.elicit('Who?', schema=Name)
        return repr(getattr(answer, 'data', answer.action))

    @server.tool()
    async def ask_roots(ctx: Context) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return str([str(root.uri) for root in (await ctx.session.list_roots()).roots])

    @server.tool()
    async def work(ctx: Context) -> str:
        await ctx.report_progress(1, 2, 'half')
        return repr((ctx.request_context.meta or {}).get('trace'))

    @server.tool()
    async def grow(ctx: Context) -> str:
        server.add_tool(lambda: 'new', name='grown')
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            await ctx.session.send_tool_list_changed()
        return 'grew'

    @server.tool()
    async def wait(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return 'waited'

    @server.resource('data://one', mime_type='text/plain', description='The first.')
    def one() -> str:
        return 'resource text'

    @server.resource('data://picture', mime_type='image/png')
    def picture() -> bytes:
        return PNG

    @server.resource('data://named/{name}')
    def named(name: str) -> str:
        return name

    @server.prompt()
    def greet(name: str) -> str:
        """Greet somebody."""
        return f'hi {name}'

    return server


PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent.parent.parent)!r})
from tests.mcp.kit import new_server
new_server().run('stdio')
"""


def program(folder: Path) -> Path:
    """Write a script that is the server."""
    path = folder / 'server.py'
    path.write_text(PROGRAM, encoding='utf-8')
    return path


@contextmanager
def served(kind: str) -> Iterator[str]:
    """Serve over HTTP on this machine, and yield the URL."""
    import uvicorn

    server = new_server()
    app = server.sse_app() if kind == 'sse' else server.streamable_http_app()
    config = uvicorn.Config(app, port=0, log_level='critical', lifespan='on', timeout_graceful_shutdown=1, ws='none')
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    end = time.monotonic() + 60
    while not running.started:
        assert time.monotonic() < end, 'the server did not start'
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    try:
        yield f'http://127.0.0.1:{port}/{"sse" if kind == "sse" else "mcp"}'
    finally:
        running.should_exit = True
        thread.join(5)


def context(**fields: Any) -> RunContext[None]:
    return RunContext(deps=None, model=TestModel(), usage=RunUsage(), **fields)


def wait(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


PYTHON = sys.executable
