"""Measure what it costs to serve a thousand clients at once, from one process, with AG-UI and the AI SDK.

    python benchmarks/serving.py [--reference PYTHON] [--clients N] [--deltas N] [--rounds N]

Each client gets one answer of short deltas; none begins before the last client is there. Servers (`benchmarks/serving_app.py`)
take turns, each in a process of its own: stead, the mirrored library, for which `--reference` names a Python that has it with
Starlette and uvicorn, and Starlette alone with a generator of the same bytes. Figures: CPU time of the server in microseconds a
delta, from the moment the last client is there; the seconds until the last one has all; and the memory that all of them took
together, in MB.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

APP = Path(__file__).with_name('serving_app.py')
AG_UI: dict[str, Any] = {'threadId': 't', 'runId': 'r', 'state': {}, 'tools': [], 'context': [], 'forwardedProps': {}}
AI_SDK: dict[str, Any] = {'trigger': 'submit-message', 'id': 'c'}
BODIES = {
    'ag-ui': {**AG_UI, 'messages': [{'id': 'm', 'role': 'user', 'content': 'go'}]},
    'ai-sdk': {**AI_SDK, 'messages': [{'id': 'm', 'role': 'user', 'parts': [{'type': 'text', 'text': 'go'}]}]},
}


async def post(port: int, path: str, body: Any) -> bytes:
    """Send a request, and return all of the answer."""
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    data = json.dumps(body).encode()
    head = f'POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n'
    writer.write(f'{head}content-length: {len(data)}\r\n\r\n'.encode() + data)
    answer = await reader.read(-1)
    writer.close()
    return answer


async def load(port: int, protocol: str, clients: int, deltas: int) -> None:
    answers = await asyncio.gather(*(post(port, '/', BODIES[protocol]) for _ in range(clients)))
    short = sum(answer.count(b'word and ') != deltas for answer in answers)
    assert not short, f'{short} of {clients} clients did not get all'
    await post(port, '/stop', {})


def measure(who: str, protocol: str, python: str, clients: int, deltas: int) -> dict[str, float]:
    command = [
        python,
        *(['-m', 'stead.dropin'] if who == 'stead' else []),
        str(APP),
        who,
        protocol,
        str(clients),
        str(deltas),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            asyncio.run(load(int(server.stdout.readline()), protocol, clients, deltas))
            found = json.loads(server.stdout.readline())
        finally:
            server.kill()
    assert found['done'] == clients
    us = found['cpu'] / clients / deltas * 1e6
    print(f'{who} {protocol}: {us:.1f} us a delta', file=sys.stderr)
    return {'us a delta': us, 'seconds': found['wall'], 'MB': found['memory'] / 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--reference', metavar='PYTHON')
    parser.add_argument('--clients', type=int, default=1000)
    parser.add_argument('--deltas', type=int, default=100)
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(files, options.clients + 200), most), most))
    servers = [('bare', 'ai-sdk', sys.executable)]
    for protocol in BODIES:
        servers.append(('stead', protocol, sys.executable))
        if options.reference:
            servers.append(('pydantic_ai', protocol, options.reference))
    rounds = [
        {
            (who, protocol): measure(who, protocol, python, options.clients, options.deltas)
            for who, protocol, python in servers
        }
        for _ in range(options.rounds)
    ]
    print(f'{options.clients} clients at once, {options.deltas} deltas each; median of {options.rounds} rounds in turn')
    for who, protocol, _ in servers:
        values = [found[who, protocol] for found in rounds]
        row = '  '.join(f'{statistics.median(value[key] for value in values):9.1f} {key}' for key in values[0])
        print(f'{who:<12}{protocol if who != "bare" else "":<8}{row}')


if __name__ == '__main__':
    main()
