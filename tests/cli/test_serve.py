"""`stead serve`: what it serves, and what it says."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from stead._cli import main
from stead._cli.serve import listen

pytest.importorskip('uvicorn', reason='the package uvicorn is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

MODULE = """
import asyncio

from stead import Agent, RunContext
from stead.models.function import FunctionModel

agent = Agent('test', name='shop', deps_type=str)
number = 7
nothing = None


@agent.tool
def who(ctx: RunContext[str]) -> str:
    return ctx.deps


def deps() -> str:
    return 'someone'


async def respond(messages, info):
    while True:
        yield 'more '
        await asyncio.sleep(0.01)


endless = Agent(FunctionModel(stream_function=respond))
"""
CHAT = {'trigger': 'submit-message', 'id': 'c'}
CHAT['messages'] = [{'id': 'm', 'role': 'user', 'parts': [{'type': 'text', 'text': 'go'}]}]  # type: ignore[assignment]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'served_agents.py').write_text(MODULE, encoding='utf-8')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


@contextmanager
def serving(*arguments: str, agent: str = 'served_agents:agent') -> Iterator[tuple[list[str], subprocess.Popen[str]]]:
    command = [sys.executable, '-m', 'stead', 'serve', agent, '--port', '0', *arguments]
    pipes = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE}
    # Shells let programs in the background ignore Ctrl+C, and so would the server if the tests are one of them.
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, text=True, preexec_fn=heeding, **pipes) as server:
        try:
            assert server.stdout is not None
            lines = [server.stdout.readline() for _ in range(6)]
            yield lines, server
        finally:
            server.kill()


def test_one_port_serves_everything(here: None) -> None:
    pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
    pytest.importorskip('fasta2a', reason='the package fasta2a is not installed')
    with serving('--deps', 'served_agents:deps') as (lines, server):
        url = lines[0].split()[4]
        assert lines[0] == f'shop is served at {url} (Ctrl+C to stop)\n'
        assert [line.split('http')[0].strip() for line in lines[1:]] == ['page', 'AI SDK 6', 'AI SDK 5', 'AG-UI', 'A2A']
        with httpx.Client(base_url=url, trust_env=False, transport=httpx.HTTPTransport(retries=5)) as client:
            assert client.get('/').headers['content-type'].startswith('text/html')
            assert client.get('/.well-known/agent-card.json').json()['name'] == 'shop'
            assert '"output":"someone"' in client.post('/ai-sdk', json=CHAT).text
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == 130
        assert server.stderr is not None
        assert 'Traceback' not in server.stderr.read()


def test_small_pieces_do_not_wait_for_an_acknowledgement() -> None:
    async def options_of_a_connection() -> tuple[int, int]:
        found: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info('socket'))
            await reader.read()
            writer.close()

        listener = listen('127.0.0.1', 0)
        async with await asyncio.start_server(take, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            accepted = await found
            options = (
                accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
                accepted.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF),
            )
            writer.close()
            await writer.wait_closed()
        return options

    is_quick, buffered = asyncio.run(options_of_a_connection())
    assert is_quick  # or each would wait 40 ms
    assert buffered <= 4 * 65_536  # what a client that stopped reading holds up


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['served_agents'], "'served_agents' does not name an agent; write `module:variable`"),
        (['no_such_module:agent'], "There is no module 'no_such_module'"),
        (
            ['served_agents:number'],
            "'number' of module 'served_agents' is not an agent but int. It has these agents: agent, endless.",
        ),
        (['served_agents:nope'], "has no variable 'nope'"),
        (['served_agents:agent', '--port', '70000'], '--port 70000 is not a port'),
        (['served_agents:agent', '--port', '0', '--host', 'nope.invalid'], 'Cannot listen at nope.invalid'),
        (['served_agents:agent', '--port', '0', '--deps', 'served_agents:nope'], 'no such variable'),
        (['served_agents:agent', '--port', '0', '--model', 'nope:x'], 'nope'),
    ],
)
def test_what_cannot_be_served_is_said(
    arguments: list[str], message: str, here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['serve', *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith('stead serve: ')
    assert message in captured.err
    assert captured.out == ''


def test_a_port_in_use_is_said(here: None, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(('127.0.0.1', 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert main(['serve', 'served_agents:agent', '--port', port]) == 2
    assert f'Cannot listen at 127.0.0.1, port {port}: Address already in use' in capsys.readouterr().err


def test_missing_packages_are_named(here: None) -> None:
    """Without those of a protocol the rest is served."""
    program = """
import sys
for name in ('ag_ui', 'fasta2a'):
    sys.modules[name] = None
from stead import Agent
from stead.ui.web import create_server
import json
print(json.dumps([[part.name, part.path, part.missing] for part in create_server(Agent('test')).parts]))
sys.modules['uvicorn'] = None
from stead._cli import main
main(['serve', 'served_agents:agent'])
"""
    process = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    parts = {name: (path, missing) for name, path, missing in json.loads(process.stdout)}
    assert parts['page'] == ('/', '')
    assert parts['AG-UI'][1] == 'AG-UI needs the package \'ag_ui\'. Install it with `pip install "stead[ag-ui]"`.'
    assert parts['A2A'][1].endswith('needs the package \'fasta2a\'. Install it with `pip install "stead[a2a]"`.')
    assert 'cannot be loaded' not in parts['A2A'][1]
    assert (
        'stead serve: `stead serve` needs the package \'uvicorn\'. Install it with `pip install "stead[web]"`'
        in process.stderr
    )


def test_a_stop_ends_the_answers_that_are_being_written(here: None) -> None:
    """Not with a traceback for each, and without waiting for their end."""
    with serving(agent='served_agents:endless') as (lines, server), socket.socket() as sending:
        url = lines[0].split()[4]
        sending.connect(('127.0.0.1', int(url.rpartition(':')[2])))
        head = b'POST /ag-ui HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n'
        sending.sendall(head + b'{')
        with httpx.Client(base_url=url, trust_env=False, transport=httpx.HTTPTransport(retries=5)) as client:
            with client.stream('POST', '/ai-sdk', json=CHAT) as response:
                pieces = response.iter_text()
                assert next(pieces)
                server.send_signal(signal.SIGTERM)
                rest = ''.join(pieces)  # it ends, and not with an error
        assert 'finish' not in rest
        sending.settimeout(4)
        assert sending.recv(100).startswith(b'HTTP/1.1 503 ')  # its request had not come as a whole
        server.wait(4)
        assert server.stderr is not None
        errors = server.stderr.read()
    assert errors == ''
