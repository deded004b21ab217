"""`stead diff`: two versions of an agent, and the conversations that are recorded."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from stead import Agent, RunContext
from stead._cli import main
from stead.testing import ScriptedModel, call, cassette

AGENT = """
from stead import Agent, RunContext

desk = Agent('test', instructions='Be kind.')


@desk.tool_plain
def find(order: str) -> str:
    raise RuntimeError('tools are not run')


@desk.instructions
def greet(ctx: RunContext[None]) -> str:
    return {greeting!r} if ctx.prompt == 'Hi' else ''
"""


def git(place: Path, *arguments: str) -> None:
    who = ['-c', 'user.name=x', '-c', 'user.email=x@example.org']
    subprocess.run(['git', *who, *arguments], cwd=place, check=True, capture_output=True)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose agent has changed since it was committed, and a cassette of the agent as it was."""
    (tmp_path / 'shop.py').write_text(AGENT.format(greeting='Greet them.'))
    git(tmp_path, 'init', '-q')
    git(tmp_path, 'add', 'shop.py')
    git(tmp_path, 'commit', '-qm', 'x')
    agent = Agent(ScriptedModel([call('find', order='A-17'), 'Two lamps.', 'Hello.']), instructions='Be kind.')

    @agent.tool_plain
    def find(order: str) -> str:
        return 'two lamps'

    @agent.instructions
    def greet(ctx: RunContext[None]) -> str:
        return 'Greet them.' if ctx.prompt == 'Hi' else ''

    with cassette(tmp_path / 'tapes' / 'a.jsonl', mode='record'):
        agent.run_sync('Where is A-17?')
        agent.run_sync('Hi')
        Agent(ScriptedModel(['never'])).run_sync('of another agent')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_version_of_git_is_compared_with_this_one(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shop / 'shop.py').write_text(AGENT.format(greeting='Greet them all.'))
    report = ['--markdown', 'r.md', '--junit', 'r.xml']
    assert main(['diff', 'shop:desk', '--old', 'HEAD', '--cassettes', 'tapes', *report]) == 1
    change = "request 1: instructions changed in part 2: 'Greet them.' → 'Greet them all.'"
    assert capsys.readouterr().out == (
        f'same  a.jsonl, conversation 1\nchanged  a.jsonl, conversation 2\n  - {change}\n2 conversations, 1 changed.\n'
    )
    assert f'| a.jsonl, conversation 2 | {change} |' in (shop / 'r.md').read_text(encoding='utf-8')
    suite = ElementTree.parse(shop / 'r.xml').getroot()
    assert (suite.get('tests'), suite.get('failures'), len(suite.findall('testcase/failure'))) == ('2', '1', 1)


def test_what_cannot_be_compared(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, text in (
        (['shop:desk'], 'pass --old'),
        (['shop:desk', '--old', 'nothing'], 'failed in'),
    ):
        assert main(['diff', *arguments, '--cassettes', 'tapes']) == 2
        assert text in capsys.readouterr().err
