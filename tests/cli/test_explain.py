"""`stead explain module:agent`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stead._cli import main

PROGRAM = """
from stead import Agent

agent = Agent(instructions='Help with orders.')


@agent.tool_plain
def look(order: str) -> str:
    return order


other = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / 'shop.py').write_text(PROGRAM)
    return tmp_path


def stead(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, '-W', 'error', '-m', 'stead._cli', *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_the_report_lists_tools_and_instructions_with_their_sources(folder: Path) -> None:
    process = stead(folder, 'explain', 'shop:agent', '--prompt', 'where is it?')
    assert (process.returncode, process.stderr) == (0, '')
    assert 'look from the agent' in process.stdout
    assert '[agent] Help with orders.' in process.stdout


@pytest.mark.parametrize(
    ('place', 'says'),
    [
        ('shop', 'module:variable'),
        ('shop:other', 'agents: agent'),
        ('shop:nothing', 'agents: agent'),
        ('nowhere:agent', "no module 'nowhere'"),
    ],
)
def test_a_place_without_an_agent(
    folder: Path, place: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    sys.modules.pop('shop', None)
    assert main(['explain', place]) == 2
    sys.modules.pop('shop', None)
    printed = capsys.readouterr()
    assert printed.out == ''
    assert says in printed.err
