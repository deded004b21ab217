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


def test_a_tool_that_needs_approval_and_the_types_of_the_output_are_named_as_people_name_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / 'asking.py').write_text(
        'from stead import Agent, DeferredToolRequests\n'
        "agent = Agent('test', output_type=[str, DeferredToolRequests])\n"
        '@agent.tool_plain(requires_approval=True)\n'
        'def refund() -> None: ...\n'
    )
    monkeypatch.chdir(tmp_path)
    assert main(['explain', 'asking:agent']) == 0
    printed = capsys.readouterr().out
    assert "output        [str, DeferredToolRequests], mode 'text'" in printed
    assert 'refund [needs approval] from the agent' in printed
