"""The command that the package `clai` calls."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from stead._cli import cli, cli_exit

MODULE = """
from stead import Agent
from stead.models.test import TestModel

agent = Agent(TestModel(custom_output_text='hey *there*'))
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'clai_agents.py').write_text(MODULE, encoding='utf-8')
    (tmp_path / 'agent.json').write_text('{"model": "test", "instructions": "Be brief."}', encoding='utf-8')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize(
    ('arguments', 'code', 'written'),
    [
        (['-m', 'test', 'hello'], 0, 'success (no tool calls)\n'),
        (['-a', 'clai_agents:agent', 'hello'], 0, 'hey *there*\n'),
        (['-a', 'clai_agents:agent', '--no-stream', 'hello'], 0, 'hey *there*\n'),
        (['-a', 'agent.json', 'hello'], 0, 'success (no tool calls)\n'),
        (['-a', 'clai_agents:other', 'hello'], 1, ''),
        (['-m', 'nobody:large', 'hello'], 1, ''),
    ],
)
def test_a_prompt_is_answered_and_a_failure_is_the_exit_code(
    here: None, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, written: str
) -> None:
    assert cli(arguments) == code
    out, err = capsys.readouterr()
    assert out == written
    assert err.startswith('Error: ') == bool(code)


def test_models_and_version(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli(['--list-models']) == 0
    assert 'test' in capsys.readouterr().out.splitlines()
    monkeypatch.setattr('sys.argv', ['clai', '--version'])
    with pytest.raises(SystemExit) as exit:
        cli_exit('clai')
    assert exit.value.code == 0
    assert capsys.readouterr().out.startswith('clai - stead v')


def test_a_page_is_served(here: None) -> None:
    pytest.importorskip('uvicorn', reason='the package uvicorn is not installed')
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        '-c',
        'from stead._cli import cli_exit; cli_exit()',
        'web',
        '-m',
        'test',
        '--port',
        str(port),
    ]
    with subprocess.Popen([*command, '-a', 'clai_agents:agent', '-t', 'web_search'], stderr=subprocess.PIPE) as server:
        try:
            assert server.stderr is not None
            for line in server.stderr:
                if b'running on' in line:
                    break
            page = httpx.get(f'http://127.0.0.1:{port}/', trust_env=False)
        finally:
            server.terminate()
    assert page.status_code == 200
    assert page.headers['content-type'].startswith('text/html')
