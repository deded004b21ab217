"""The command line: its help, its version, and what it says of mistyped words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stead._cli import cli, main


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        (['cht'], "Did you mean 'chat'?"),
        (['chat', '--modle', 'test'], "Did you mean '--model'?"),
    ],
)
def test_what_may_have_been_meant(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert text in capsys.readouterr().err


def test_the_other_command_suggests_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli(['--no-steam', 'hello'])
    assert "Did you mean '--no-stream'?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli(['web', '--tool', 'web_serch'])
    assert "Did you mean 'web_search'?" in capsys.readouterr().err


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    output = capsys.readouterr().out
    assert all(f'    {name} ' in output for name in ('new', 'chat', 'serve', 'explain', 'runs', 'inspect'))


def test_the_module_is_the_command() -> None:
    process = subprocess.run([sys.executable, '-m', 'stead', '--version'], capture_output=True, text=True, check=True)
    assert process.stdout.startswith('stead ')


@pytest.mark.parametrize(
    ('arguments', 'unbuffered'),
    [(['--help'], ''), (['runs', 'list'], ''), (['runs', 'list'], '1'), (['explain', 'shop:agent'], '')],
)
def test_a_reader_that_has_seen_enough_ends_it_quietly(arguments: list[str], unbuffered: str, tmp_path: Path) -> None:
    (tmp_path / 'shop.py').write_text("from stead import Agent\nagent = Agent('test')\n")
    subprocess.run(
        [sys.executable, '-c', 'from stead.journal import SqliteStore as S; s = S("runs.db"); s.open(); s.close()'],
        cwd=tmp_path,
        check=True,
    )
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, '-m', 'stead', *arguments],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, 'PYTHONUNBUFFERED': unbuffered},
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, '')


def test_another_broken_pipe_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / 'broken.py').write_text("raise BrokenPipeError('of a tool')\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BrokenPipeError, match='of a tool'):
        main(['explain', 'broken:agent'])
