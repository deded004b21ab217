"""`stead new`: a project that works as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stead._cli import main


def new(*arguments: str) -> int:
    return main(['new', *arguments])


def test_the_tests_of_a_new_project_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert new('my-shop', '--model', 'openai:gpt-5') == 0
    folder = tmp_path / 'my-shop'
    command = [
        sys.executable,
        '-m',
        'pytest',
        '-q',
        '-p',
        'no:cacheprovider',
        '-p',
        'no:xdist',
        '-p',
        'no:hypothesispytest',
    ]
    environment = {name: value for name, value in os.environ.items() if name != 'OPENAI_API_KEY'}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert '2 passed' in done.stdout, done.stdout
    assert "name='my_shop'" in (folder / 'agent.py').read_text()
    assert (folder / 'requirements.txt').read_text().splitlines()[0] == 'stead[openai,cli,web]'
    assert 'OPENAI_API_KEY' in (folder / 'README.md').read_text()


@pytest.mark.parametrize(
    ('name', 'says'), [('a b', 'is not a name'), ('class', 'is not a name'), ('..', 'is not a name')]
)
def test_names(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert new(name) == 2
    assert says in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / 'shop'
    folder.mkdir()
    (folder / 'agent.py').write_text('mine')
    assert new(str(folder)) == 2
    assert 'there already' in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ['agent.py']
    assert (folder / 'agent.py').read_text() == 'mine'
