"""`stead diff`: two versions of an agent, and the conversations that are recorded."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from stead import Agent, RunContext
from stead._cli import main
from stead.journal import Journal, SqliteStore
from stead.models import MODEL_FACTORIES
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
        f'same  a.jsonl, conversation 1\nchanged  a.jsonl, conversation 2\n  - {change}\n'
        '2 conversations, 1 changed. 1 conversation more: the old version does not begin them.\n'
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


async def record_runs(path: str) -> None:
    """Write two runs into a journal; the second one continues the conversation of the first."""

    def find(order: str) -> str:
        return 'two lamps'

    script = [call('find', order='A-17'), 'Two lamps.', call('find', order='B-18'), 'Two more.']
    journal: Journal[None] = Journal(SqliteStore(path), changes=True)
    agent = Agent(ScriptedModel(script), instructions='Be kind.', tools=[find], capabilities=[journal])
    first = await agent.run('Where is A-17?')
    await agent.run('And B-18?', message_history=first.all_messages())


def test_runs_of_a_journal_are_compared(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(record_runs('runs.db'))
    arguments = ['diff', 'shop:desk', '--old', 'HEAD', '--runs', 'runs.db']
    assert main(arguments) == 0
    assert capsys.readouterr().out.endswith('2 conversations, 0 changed.\n')
    (shop / 'shop.py').write_text(AGENT.format(greeting='').replace('order: str', 'order: str, limit: int = 3'))
    assert main(arguments) == 1
    assert capsys.readouterr().out.count('  - request 1: tool `find` gained the parameter `limit`\n') == 2
    assert main(['diff', 'shop:desk', '--old', 'HEAD', '--runs', 'none.db']) == 2
    assert "there is no journal 'none.db'" in capsys.readouterr().err


ANSWERS = """
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel


def answer(messages, info):
    if len(messages) > 1 or not {calls!r}:
        return ModelResponse([TextPart('Three lamps.')])
    return ModelResponse([ToolCallPart(*call) for call in {calls!r}])


desk.model = FunctionModel(answer)
"""


@pytest.mark.parametrize(
    ('calls', 'changes'),
    [
        ([], ['tools: find → none', "output: 'Two lamps.' → 'Three lamps.'", 'tokens: ']),
        ([('find', {'order': 'A17'})], ['arguments of `find`: {"order":"A-17"} → {"order":"A17"}', 'output: ']),
    ],
)
def test_the_model_is_asked_from_the_first_difference_on(
    calls: list[Any], changes: list[str], shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / 'shop.py').write_text(
        AGENT.format(greeting='Greet them.')
        .replace('kind', 'brief')
        .replace("raise RuntimeError('tools are not run')", "return 'x'")
        + ANSWERS.format(calls=calls)
    )
    tape = (shop / 'tapes' / 'a.jsonl').read_bytes()
    assert main(['diff', 'shop:desk', '--old', 'HEAD', '--cassettes', 'tapes', '--ask', '--markdown', 'r.md']) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "  - request 1: instructions changed in part 1: 'Be kind.' → 'Be brief.'"
    for line, change in zip(lines[2:], changes):
        assert line.startswith(f'  - {change}')
    assert (shop / 'tapes' / 'a.jsonl').read_bytes() == tape
    assert '→' in (shop / 'r.md').read_text(encoding='utf-8').splitlines()[2].split('|')[3]


UPPER = """

@desk.output_validator
def shout(text: str) -> str:
    return text.upper()
"""


def test_outputs_are_compared_by_a_rule(
    shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / 'shop.py').write_text(AGENT.format(greeting='Greet them.') + UPPER)
    arguments = ['diff', 'shop:desk', '--old', 'HEAD', '--cassettes', 'tapes', '--outputs']
    assert main([*arguments, 'equal']) == 1
    assert "  - output: 'Two lamps.' → 'TWO LAMPS.'\n" in capsys.readouterr().out
    assert main([*arguments, 'ignored']) == 0
    capsys.readouterr()
    verdicts = [(True, 'Only louder.'), (False, 'It shouts.')]
    judge = ScriptedModel([call('final_result', reason=why, score=1.0, **{'pass': passes}) for passes, why in verdicts])
    monkeypatch.setitem(MODEL_FACTORIES, 'scripted', lambda name: judge)
    assert main([*arguments, 'judged', '--judge', 'scripted:judge']) == 1
    assert capsys.readouterr().out == (
        'same  a.jsonl, conversation 1\nchanged  a.jsonl, conversation 2\n'
        "  - output: 'Hello.' → 'HELLO.', It shouts.\n"
        '2 conversations, 1 changed. 1 conversation more: the old version does not begin them.\n'
    )
