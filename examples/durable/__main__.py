"""`python -m examples.durable temporal` or `... dbos`: kill the desk while it refunds an order, and start it again."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .desk import Shop, payments
from .server import temporal_server

ENGINES = {'temporal': 'Temporal', 'dbos': 'DBOS'}


def start(module: str, *args: str, **variables: str) -> subprocess.Popen[str]:
    """Start a program of this folder."""
    command = [sys.executable, '-m', f'examples.durable.{module}', *args]
    return subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True)


def read(process: subprocess.Popen[str], until: str) -> None:
    """Show the output of a program until a line contains this text."""
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end='', flush=True)
        if until in line:
            return


def main(engine: str, shop: Shop, **variables: str) -> None:
    """Start a process, kill it, and let another one resume the run."""
    module = f'on_{engine}'
    print(f'-- a customer asks for a refund; a process on {ENGINES[engine]} starts the run', flush=True)
    with start(module, 'work', shop.path, SLOW_TILL='1', **variables) as first:
        read(first, 'writes the receipt')
        print('-- the process is killed, and another one is started', flush=True)
        first.kill()
    with start(module, 'work', shop.path, **variables) as second:
        read(second, 'answer:')
        second.kill()
    print(f'-- the money was paid {payments(shop)} time(s)', flush=True)


def run(arguments: Sequence[str] = sys.argv[1:]) -> None:
    """Start the server of the engine, if it has one, and then the example."""
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
