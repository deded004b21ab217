"""Builds the pages with node, and serves them with the agent: `python -m examples.front_ends [--port 8000]`."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.responses import RedirectResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from stead.ui import StateDeps
from stead.ui.web import create_server

from .shop import Basket, agent

HERE = Path(__file__).parent
HOME = HERE.parent.parent / '.front-ends'
"""Where the packages are installed, and the pages are built."""


def build() -> Path:
    """Bundle the pages with the packages that they import, and return the folder.

    Raises:
        SystemExit: node is not installed.
        CalledProcessError: A package cannot be installed, or a page has an error.
    """
    npm = shutil.which('npm')
    if npm is None:
        sys.exit('The pages are built with node and npm, which are not installed: https://nodejs.org')
    shutil.copytree(HERE / 'web', HOME, dirs_exist_ok=True)
    subprocess.run([npm, 'install', '--no-audit', '--no-fund', '--silent'], cwd=HOME, check=True)
    subprocess.run([npm, 'run', '--silent', 'build'], cwd=HOME, check=True)
    return HOME / 'built'


def application(pages: Path, port: int) -> Starlette:
    """Return an application with the pages at `/pages`, and the agent in all protocols."""
    server = create_server(agent, url=f'http://127.0.0.1:{port}', deps=StateDeps(Basket()))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with server.app.router.lifespan_context(server.app):
            yield

    routes = [
        Route('/pages', RedirectResponse('/pages/')),
        Mount('/pages', StaticFiles(directory=pages, html=True)),
        Mount('/', server.app),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--port', type=int, default=8000)
    port = parser.parse_args().port
    pages = build()
    print(f'open http://127.0.0.1:{port}/pages/ (Ctrl+C to stop)', flush=True)
    uvicorn.run(application(pages, port), host='127.0.0.1', port=port, log_level='warning')


if __name__ == '__main__':
    main()
