"""The command that the package `clai` calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from stead._cli import cli, cli_exit
from stead.ui import WebChat

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
def test_one_prompt(
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


def test_a_page_is_served(here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'uvicorn.py').write_text('served = []\ndef run(app, **options): served.append((app, options))\n')
    assert cli(['web', '-a', 'clai_agents:agent', '-m', 'test', '-t', 'web_search', '--port', '7000']) == 0
    import uvicorn  # type: ignore[reportMissingImports]

    ((app, options),) = uvicorn.served
    assert isinstance(app, WebChat)
    assert options == {'host': '127.0.0.1', 'port': 7000}
