"""Install the clients, serve the adapters, and let the clients talk to them: `make clients`. Needs node and npm."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
HOME = HERE.parent.parent / '.clients'
"""Where the packages of the clients are installed."""
CLIENTS = (
    *(('ag_ui.mjs', version) for version in ('1.0', '0.1.15', '0.1.10')),
    *(('ai_sdk.mjs', version) for version in ('7', '6', '5')),
)
"""The scripts, each with the version that the interface speaks. Version 7 of the AI SDK reads what version 6 does."""


def main() -> int:
    if shutil.which('node') is None or shutil.which('npm') is None:
        print('The clients need node and npm, which are not installed.', file=sys.stderr)
        return 2
    HOME.mkdir(exist_ok=True)
    for file in (*HERE.glob('*.mjs'), HERE / 'package.json'):
        shutil.copy(file, HOME)
    subprocess.run(['npm', 'install', '--no-audit', '--no-fund', '--silent'], cwd=HOME, check=True)
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, '-W', 'ignore::UserWarning', '-m', 'tests.clients.server', str(port)], cwd=HERE.parent.parent
    )
    env = {**os.environ, 'SUPPRESS_TRANSFORMATION_WARNINGS': 'true'}  # old events are meant to be converted
    try:
        _wait_for(port)
        codes: list[int] = []
        for name, *arguments in CLIENTS:
            print('==', name, *arguments, flush=True)
            command = ['node', name, f'http://127.0.0.1:{port}', *arguments]
            code = subprocess.run(command, cwd=HOME, env=env).returncode
            if code:
                print('== once more, alone', flush=True)
                code = subprocess.run(command, cwd=HOME, env=env).returncode
                if not code:
                    print('UNSTEADY:', name, *arguments, 'failed and then passed', flush=True)
            codes.append(code)
    finally:
        server.terminate()
        server.wait()
    return int(any(codes))


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(('127.0.0.1', port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError('The server did not start within 20 seconds.')


if __name__ == '__main__':
    sys.exit(main())
