"""`stead explain module:agent`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stead import Agent
from stead._cli import main
from stead.journal import Journal

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


def test_what_a_recorded_run_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    minutes = iter(range(10, 60))
    place = str(tmp_path / 'runs.db')
    for journal in (Journal(place, changes=True), Journal(place)):
        agent = Agent('test', capabilities=[journal])
        agent.instructions(lambda: f'It is 13:{next(minutes)}.')
        agent.tool_plain(lambda: 'nothing', name='look')
        run_id = agent.run_sync('go').run_id
        assert main(['explain', '--cache', run_id, '--journal', place]) == 0
    whole, plain = capsys.readouterr().out.split('Run ')[1:]
    assert "changed from '13:10.' to '13:11.': a clock." in whole
    assert 'step 1: 0 of' in whole and 'tokens were read, 0 of them from the cache (0%)' in whole
    assert 'a clock' not in plain and '`Journal(changes=True)`' in plain


@pytest.mark.parametrize(
    ('arguments', 'says'),
    [
        ([], 'pass an agent as module:variable, or --cache with a run'),
        (['shop:agent', '--cache', 'x'], 'pass an agent as module:variable, or --cache with a run'),
        (['--cache', 'x', '--journal', 'nowhere.db'], "there is no journal 'nowhere.db'. Pass --journal FILE."),
    ],
)
def test_what_cannot_be_explained(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['explain', *arguments]) == 2
    assert says in capsys.readouterr().err


def test_a_package_that_a_journal_needs_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'psycopg', None)
    assert main(['explain', '--cache', 'x', '--journal', 'postgresql://localhost/x']) == 2
    assert 'pip install "stead[postgres]"' in capsys.readouterr().err
