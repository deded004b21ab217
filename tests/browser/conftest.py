"""A browser for the tests of the pages: a Chromium that is installed, driven by Playwright."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

IS_WANTED = bool(os.environ.get('STEAD_NEEDS_BROWSER'))
"""Playwright keeps an event loop in the main thread, which other tests of the process could not use."""
TIMEOUT = 45_000
"""Milliseconds that a page may take for something, on a machine that does much else."""
if IS_WANTED:
    import uvicorn
    from playwright.sync_api import Browser, Page, expect, sync_playwright

    expect.set_options(timeout=TIMEOUT)

AXE = Path(__file__).parent.parent.parent / 'web' / 'node_modules' / 'axe-core' / 'axe.min.js'
NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'chrome')


def find_chromium() -> str | None:
    """Return the path of a Chromium that is installed."""
    return os.environ.get('CHROMIUM') or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope='session')
def chromium() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        pytest.fail('There is no Chromium: install it, or set CHROMIUM to its path.')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=['--no-sandbox'])
        yield browser
        browser.close()


class Served:
    """An application that is served on a port of its own, in a thread."""

    def __init__(self, app: Any) -> None:
        with socket.socket() as one:
            one.bind(('127.0.0.1', 0))
            port = one.getsockname()[1]
        self.url = f'http://127.0.0.1:{port}/'
        self._server = uvicorn.Server(uvicorn.Config(app, port=port, log_level='error', timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=lambda: asyncio.run(self._server.serve()))

    def __enter__(self) -> str:
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)
        return self.url

    def __exit__(self, *exception: object) -> None:
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture
def serve() -> Iterator[Callable[[Any], str]]:
    """Serve applications until the test ends."""
    opened: list[Served] = []

    def start(app: Any) -> str:
        opened.append(Served(app))
        return opened[-1].__enter__()

    yield start
    for one in opened:
        one.__exit__()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages, and see that nothing went wrong on them: no error, nothing refused by the policy, nothing from elsewhere."""
    problems: list[str] = []
    contexts: list[Any] = []

    def start(
        url: str,
        *,
        width: int = 1200,
        height: int = 800,
        dark: bool = False,
        before: Callable[[Page], object] | None = None,
        wait_until: Any = 'load',
        **options: Any,
    ) -> Page:
        context = chromium.new_context(
            viewport={'width': width, 'height': height}, color_scheme='dark' if dark else 'light', **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on('pageerror', lambda error: problems.append(str(error)))
        page.on('console', lambda entry: problems.append(entry.text) if 'Security Policy' in entry.text else None)
        page.on(
            'request',
            lambda request: None if request.url.startswith((url, 'data:', 'blob:')) else problems.append(request.url),
        )
        if before is not None:
            before(page)
        page.goto(url, wait_until=wait_until)
        return page

    yield start
    for context in contexts:
        context.close()
    assert problems == []


def violations(page: Page) -> list[str]:
    """Return what axe-core has to say against a page."""
    if not AXE.exists():
        pytest.skip('axe-core is not installed: `make web` installs it')
    page.evaluate(AXE.read_text(encoding='utf-8'))
    found = page.evaluate('axe.run().then(result => result.violations)')
    return [f'{one["id"]}: {node["html"][:200]} {node["failureSummary"]}' for one in found for node in one['nodes']]
