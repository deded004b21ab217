"""What is made of cassettes: scripts, conversations, assertions; and cassettes of runs in a journal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests
from stead._cli import main
from stead.journal import Journal, MemoryStore, SqliteStore
from stead.testing import Cassette, CassetteError, CassetteMiss, ScriptedModel, assert_run, call, cassette, say, think

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


def desk(model: Any, **options: Any) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(model, name='desk', instructions='Be kind.', **options)

    @agent.tool_plain
    def find(order: str) -> str:
        return f'{order}: two lamps'

    @agent.tool_plain(requires_approval=True)
    def refund(order: str) -> str:
        return 'paid'

    return agent


SCRIPT = [think('hm') & call('find', order='A-17') & call('find', order='B-18'), say('Done.')]


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    with cassette(tmp_path / 'c.jsonl', mode='record'):
        desk(ScriptedModel(SCRIPT)).run_sync('Find them')
    return tmp_path / 'c.jsonl'


def test_assertions_work_on_cassettes(tape: Path) -> None:
    for opened in (Cassette(tape), cassette(tape)):
        assert_run(opened).called('find', order='A-17').never_called('refund').returned('find', 'B-18: two lamps')
        assert_run(opened).called_times('find', 2).wrote('Done').requests_below(3)
    with pytest.raises(AssertionError, match="a call of find\\(order='C'\\)") as caught:
        assert_run(Cassette(tape)).called('find', order='C')
    assert 'B-18: two lamps' in str(caught.value)


async def test_assertions_work_on_runs_in_a_journal() -> None:
    journal: Journal[Any] = Journal(MemoryStore())
    script = [call('find', order='A-17'), call('refund', order='A-17')]
    agent = desk(ScriptedModel(script), capabilities=[journal], output_type=[str, DeferredToolRequests])
    result = await agent.run('go')
    state = await journal.state(str(result.run_id))
    assert_run(state).called('find').before('refund').asked_approval('refund', order='A-17')
    with pytest.raises(AssertionError, match='a question about find'):
        assert_run(state).asked_approval('find')


def test_a_cassette_becomes_a_script(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['cassette', 'to-script', str(tape)]) == 0
    names: dict[str, Any] = {}
    exec(capsys.readouterr().out, names)
    with names['model'] as model:
        result = desk(model).run_sync('Find them')
    assert_run(result).called('find', order='B-18').output('Done.')


def test_a_cassette_is_shown_and_pruned(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with cassette(tape):
        desk(ScriptedModel(['Hello.'])).run_sync('Hi')
    assert main(['cassette', 'show', str(tape)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith('2 conversations\n') and 'A-17: two lamps' in shown and 'Hello.' in shown
    assert main(['cassette', 'prune', str(tape)]) == 0
    assert main(['cassette', 'prune', str(tape), '1']) == 0
    assert capsys.readouterr().out == '0 requests removed.\n2 requests removed.\n'
    assert (len(Cassette(tape).conversations), Cassette(tape).starts) == (1, [1])
    for arguments in ([str(tape), '1'], [str(tape) + 'x']):
        assert main(['cassette', 'prune', *arguments]) == 2
    assert 'no request 1' in capsys.readouterr().err
    with pytest.raises(CassetteError, match='no request 9'):
        Cassette(tape).prune(9)


@pytest.mark.parametrize('changes', [True, False])
async def test_a_run_in_a_journal_becomes_a_cassette(changes: bool, tmp_path: Path) -> None:
    def outer(model: Any, inner: Any, **options: Any) -> Agent[None, Any]:
        agent: Agent[None, Any] = Agent(model, name='outer', **options)
        found = desk(inner, capabilities=options.get('capabilities', ()))

        @agent.tool_plain
        async def ask(question: str) -> str:
            return (await found.run(question)).output

        return agent

    journal: Journal[Any] = Journal(MemoryStore(), changes=changes)
    long = 'Be kind. ' * 2_000
    agent = outer(
        ScriptedModel([call('ask', question='go'), 'Asked.']),
        ScriptedModel(SCRIPT),
        capabilities=[journal],
        instructions=long,
    )
    result = await agent.run('Ask')
    path = tmp_path / 'run.jsonl'
    assert len((await Cassette.of_run(journal, str(result.run_id), path)).conversations) == 2
    silent = ScriptedModel([])
    with cassette(path, mode='replay') as opened:
        assert (await outer(silent, silent, instructions=long).run('Ask')).output == 'Asked.'
        assert opened.replayed == 4
        with pytest.raises(CassetteMiss, match="the prompt: 'Ask' → 'Ask me'"):
            await outer(silent, silent, instructions=long).run('Ask me')
    with cassette(path, mode='replay', replay_tools=True):
        assert (await outer(silent, silent, instructions=long).run('Ask')).output == 'Asked.'
        other = outer(silent, silent, instructions='Be brief.')
        with pytest.raises(CassetteMiss, match='instructions changed in part 1' if changes else 'nothing'):
            await other.run('Ask')
            raise CassetteMiss('nothing')  # the messages alone are compared


async def record_run(path: Path) -> str:
    agent = desk(ScriptedModel(SCRIPT), capabilities=[Journal(SqliteStore(path), changes=True)])
    return str((await agent.run('Find them')).run_id)


def test_a_run_is_exported_as_a_cassette_in_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_id = asyncio.run(record_run(tmp_path / 'runs.db'))
    path = tmp_path / 'case.jsonl'
    command = ['runs', '--journal', str(tmp_path / 'runs.db'), 'export', '--cassette', str(path)]
    assert main(command) == 2
    assert 'A cassette is made of one run' in capsys.readouterr().err
    assert main([*command, run_id[-8:]]) == 0
    assert capsys.readouterr().out == f'Run {run_id} is in {path}.\n'
    with cassette(path, mode='replay', replay_tools=True):
        assert_run(desk(ScriptedModel([])).run_sync('Find them')).called('find', order='B-18').output('Done.')
