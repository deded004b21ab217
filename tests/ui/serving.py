"""Applications that are really served, and what their clients see."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

pytest.importorskip('starlette', reason='the package starlette is not installed')
uvicorn = pytest.importorskip('uvicorn', reason='the package uvicorn is not installed')


@asynccontextmanager
async def served(app: Any, **options: Any) -> AsyncIterator[str]:
    """Serve an application in this loop, and yield its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(('127.0.0.1', 0))
        config = uvicorn.Config(app, log_level='error', timeout_graceful_shutdown=1, ws='none', **options)
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None
        task = asyncio.ensure_future(server._serve(sockets=[listener]))
        await until(lambda: server.started)
        try:
            yield f'http://127.0.0.1:{listener.getsockname()[1]}'
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def client_of(app: Any, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Serve an application, and yield a client of it."""
    async with served(app) as url:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=url, limits=limits, trust_env=False, timeout=10, **options) as client:
            yield client


async def until(condition: Any, seconds: float = 5.0) -> None:
    """Wait until something is so."""
    for _ in range(int(seconds / 0.005)):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f'it did not become so within {seconds} seconds')


async def events_of(response: httpx.Response, most: int | None = None) -> list[tuple[str, str]]:
    """Read server-sent events, all of them or the first ones, as pairs of id and data."""
    found: list[tuple[str, str]] = []
    id = ''
    if most == 0:
        return found
    async for line in response.aiter_lines():
        if line.startswith('id: '):
            id = line[4:]
        elif line.startswith('data: '):
            found.append((id, line[6:]))
            if len(found) == most:
                return found
    return found
