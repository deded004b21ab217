"""`python -m examples.durable temporal` or `... dbos`: kill the desk while it pays an order back, and start it again."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .desk import Shop, payments


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


def main(engine: str, shop: Shop) -> None:
    """Let one process begin, kill it, and let another one go on."""
    module = f'on_{engine}'
    with start(module, 'work', shop.path, SLOW_TILL='1') as first:
        read(first, 'writes the receipt')
        print('-- the process is killed, and another one started', flush=True)
        first.kill()
    with start(module, 'work', shop.path) as second:
        read(second, 'answer:')
        second.kill()
    print(f'-- money went out {payments(shop)} time(s)', flush=True)


def run(arguments: Sequence[str] = sys.argv[1:]) -> None:
    """Start what the engine needs, and the story."""
    engine = arguments[0] if arguments else 'dbos'
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(str(Path(folder) / 'orders.db'))
        if engine != 'temporal':
            main(engine, shop)
            return
        program = Path(sys.executable).parent / 'temporal'
        command = [program, 'server', 'start-dev', '--headless', '--port', '7244', '--log-level', 'error']
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(2)
            main(engine, shop)
        finally:
            server.kill()
            server.wait()


if __name__ == '__main__':
    run()
