"""A server in a process of its own, and clients that behave badly: `python -m tests.trust.crowd` serves, and prints its port."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[2]
AG_UI = {'threadId': 't', 'runId': 'r', 'state': {}, 'tools': [], 'context': [], 'forwardedProps': {}}


def ag_ui(text: str) -> dict[str, Any]:
    return {**AG_UI, 'messages': [{'id': 'm', 'role': 'user', 'content': text}]}


def ai_sdk(text: str) -> dict[str, Any]:
    message = {'id': 'm', 'role': 'user', 'parts': [{'type': 'text', 'text': text}]}
    return {'trigger': 'submit-message', 'id': 'c', 'messages': [message]}


def body_for(path: str, text: str) -> dict[str, Any]:
    return ag_ui(text) if path == '/ag-ui' else ai_sdk(text)


class Crowd:
    """A server, seen from outside."""

    def __init__(self, port: int, process: subprocess.Popen[str]) -> None:
        self.port, self.process = port, process
        self.url = f'http://127.0.0.1:{port}'

    def stats(self) -> dict[str, int]:
        return httpx.get(f'{self.url}/stats', trust_env=False, timeout=30).json()

    def most_bytes(self) -> int:
        """The most memory that the server has had."""
        status = Path(f'/proc/{self.process.pid}/status').read_text()
        return int(status.partition('VmHWM:')[2].split()[0]) * 1024

    async def until(self, seconds: float = 30, **wanted: int) -> dict[str, int]:
        """Wait until numbers of the server are at most so large."""
        async with httpx.AsyncClient(trust_env=False, timeout=30) as client:
            for _ in range(int(seconds / 0.05)):
                found = (await client.get(f'{self.url}/stats')).json()
                if all(found[name] <= most for name, most in wanted.items()):
                    return found
                await asyncio.sleep(0.05)
        raise AssertionError(f'{found} instead of {wanted}')

    async def send(self, path: str, body: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a request, and read nothing of the answer."""
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ('127.0.0.1', self.port))
        reader, writer = await asyncio.open_connection(sock=raw, limit=1024)
        data = json.dumps(body).encode()
        head = f'POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n'
        writer.write(head.encode() + data)
        await writer.drain()
        return reader, writer


def vanish(writer: asyncio.StreamWriter) -> None:
    """End a connection as a machine does that loses its power, as far as the server can notice that."""
    raw = writer.get_extra_info('socket')
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    writer.transport.abort()


@contextlib.contextmanager
def crowd(*arguments: str) -> Iterator[Crowd]:
    command = [sys.executable, '-m', 'tests.trust.crowd', *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Crowd(int(process.stdout.readline()), process)
        finally:
            process.kill()


def serve(with_journal: bool) -> None:
    import uvicorn
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from stead import Agent
    from stead._cli.serve import listen
    from stead.capabilities import Journal
    from stead.messages import UserPromptPart
    from stead.models.function import FunctionModel
    from stead.ui.web import create_server

    talking = 0

    async def respond(messages: Any, info: Any) -> AsyncIterator[str]:
        nonlocal talking
        prompt = next(part.content for part in messages[-1].parts if isinstance(part, UserPromptPart))
        words = prompt.split()
        count, size, pause = (float(word) for word in words[1:4]) if words[0] == 'talk' else (1, 1, 0)
        talking += 1
        try:
            for _ in range(int(count)):
                yield 'x' * int(size)
                await asyncio.sleep(pause)
        finally:
            talking -= 1

    def rss() -> int:
        return int(Path('/proc/self/statm').read_text().split()[1]) * os.sysconf('SC_PAGE_SIZE')

    async def stats(request: Any) -> Any:
        runs = [run.status for run in await journal.runs(limit=1000)] if with_journal else []
        counts = {'not_done': sum(status != 'done' for status in runs), 'runs': len(runs)}
        return JSONResponse({'tasks': len(asyncio.all_tasks()), 'talking': talking, 'rss': rss(), **counts})

    journal = Journal()
    agent = Agent(FunctionModel(stream_function=respond), capabilities=[journal] if with_journal else [])
    app = create_server(agent).app
    app.router.routes.insert(0, Route('/stats', stats))
    with listen('127.0.0.1', 0) as listener:  # as `stead serve` does
        print(listener.getsockname()[1], flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level='error')).run(sockets=[listener])


if __name__ == '__main__':
    serve(with_journal='--journal' in sys.argv)
