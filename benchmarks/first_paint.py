"""How soon the chat and the inspector are painted in a browser that has seen neither, beside an empty page.

`make bench-first-paint` runs it in the environment of the browser tests. The server is warm, and a process of its own. Each page
is opened in a fresh context, in turns with an empty page and with the same page without its script, so that all meet the same
load. A fresh context opens a window, parts of which are pages of the browser itself, which take the processor for a second: that
is waited for. Nothing is asked of a page before it was painted, since a driver that asks runs a script in it. The times are those
of the browser, from the beginning of the navigation to the frame that shows the first words or pictures, in steps of 4 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import re
import socket
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault('STEAD_NEEDS_BROWSER', '1')

import uvicorn
from playwright.sync_api import Browser, sync_playwright
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route

from stead.journal import Journal, SqliteStore
from stead.ui._pages._inspector import create_inspector
from tests.browser import agents
from tests.browser.conftest import find_chromium

from .inspector import write_journal

EXAMPLES = ['Where is my order A-17?', 'One pot of my order arrived broken', 'Do ferns need much light?']
SETTLED, PAINTED = 1.5, 1.0
"""Seconds that a new window is given to draw itself, and a page to be painted."""
_SCRIPT = re.compile(rb'<script>.*?</script>', re.DOTALL)


class WithoutScript:
    """A page whose script is taken out, with all headers that it has."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer as the application does."""
        start: list[Any] = []

        async def take(message: Any) -> None:
            if message['type'] == 'http.response.start':
                start.append(message)
                return
            body = _SCRIPT.sub(b'', message['body'])
            headers = [(name, value) for name, value in start[0]['headers'] if name != b'content-length']
            await send({**start[0], 'headers': [*headers, (b'content-length', str(len(body)).encode())]})
            await send({**message, 'body': body})

        await self._app(scope, receive, take if scope['type'] == 'http' else send)


def serve(path: Path, port: Any) -> None:
    """Serve all pages on a port, which is told through a pipe."""

    async def empty(request: Request) -> Response:
        return HTMLResponse('<!doctype html><title>Empty</title><p>Empty')

    chat = agents.support().to_web(models={'Test': 'test'}, examples=EXAMPLES)
    inspector = create_inspector(Journal(SqliteStore(path, read_only=True)), name=path.name)
    pages = {'chat': chat, 'inspector': inspector}
    app = Starlette(
        routes=[
            Route('/empty', empty),
            *(Mount(f'/{name}', page) for name, page in pages.items()),
            *(Mount(f'/{name}-without', page, middleware=[Middleware(WithoutScript)]) for name, page in pages.items()),
        ]
    )

    with socket.socket() as listening:
        listening.bind(('127.0.0.1', 0))
        listening.listen()
        port.send(listening.getsockname()[1])
        uvicorn.Server(uvicorn.Config(app, log_level='error', lifespan='off')).run([listening])


def painted(browser: Browser, url: str) -> float:
    """Open a page in a fresh context, and return the milliseconds until its first contentful paint."""
    context = browser.new_context(viewport={'width': 1200, 'height': 800})
    page = context.new_page()
    time.sleep(SETTLED)
    page.goto(url, wait_until='commit')
    time.sleep(PAINTED)
    page.wait_for_function('() => performance.getEntriesByName("first-contentful-paint").length')
    found: float = page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime')
    context.close()
    return found


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=15, help='how often each page is opened (default: 15)')
    parser.add_argument('--runs', type=int, default=1_000, help='how many runs the journal has (default: 1000)')
    options = parser.parse_args()
    browser_path = find_chromium()
    if browser_path is None:
        print('There is no Chromium: install it, or set CHROMIUM to its path.', file=sys.stderr)
        return 2
    names = {
        'empty': 'an empty page',
        'chat-without/': 'the chat without its script',
        'chat/': 'the chat',
        'inspector-without/': 'the inspector without its script',
        'inspector/': 'the inspector',
    }
    found: dict[str, list[float]] = {name: [] for name in names}
    with TemporaryDirectory() as folder:
        path = Path(folder) / 'runs.db'
        asyncio.run(write_journal(path, options.runs, 10))
        here, there = multiprocessing.get_context('spawn').Pipe()
        server = multiprocessing.get_context('spawn').Process(target=serve, args=(path, there), daemon=True)
        server.start()
        url = f'http://127.0.0.1:{here.recv()}/'
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=['--no-sandbox'])
            for turn in range(options.rounds + 1):
                for name, times in found.items():
                    milliseconds = painted(browser, url + name)
                    if turn:  # the first one warms up
                        times.append(milliseconds)
            browser.close()
        server.terminate()
        server.join()
    empty = statistics.median(found['empty'])
    print(f'{"first paint after":34}{"median":>10}{"best":>10}{"worst":>10}{"of empty":>10}')
    for name, words in names.items():
        middle = statistics.median(found[name])
        times = ''.join(f'{one:7.0f} ms' for one in (middle, min(found[name]), max(found[name])))
        print(f'{words:34}{times}{middle / empty:9.1f}x')
    return 0


if __name__ == '__main__':
    sys.exit(main())
