"""`stead runs` in the terminal."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, CancellationToken
from stead._cli import main
from stead.journal import Journal, Record, RunInfo
from stead.models.function import FunctionModel
from tests.journal.test_crashes import approving, plain

RECORDED = Path(__file__).parent.parent / 'journal' / 'recorded'


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'shop.py').write_text('from tests.journal.test_crashes import approving\nagent = approving()\n')

    async def fill() -> None:
        journal: Journal[Any] = Journal(tmp_path / 'runs.db')
        await plain().run('pay, please', capabilities=[journal])
        await approving().run('wipe, please', capabilities=[journal])

    asyncio.run(fill())
    return tmp_path / 'runs.db'


def held(asked: asyncio.Event) -> Agent[None, str]:
    """Return an agent whose model does not answer."""

    async def respond(messages: object, info: object) -> Any:
        asked.set()
        await asyncio.Event().wait()

    return Agent(FunctionModel(respond), name='held')


def test_runs_are_listed(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['runs', 'list']) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ['RUN', 'BEGUN', 'AGENT', 'STATUS', 'STEPS']
    assert [row.split()[3:] for row in rows] == [['approving', 'waiting', '1'], ['plain', 'done', '3']]
    assert main(['runs', '--journal', str(journal), 'list', '--json', '--status', 'done']) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)['agent'] == 'plain'


def test_a_run_is_shown_answered_and_resumed(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(['runs', 'list', '--json', '--status', 'waiting'])
    run_id = json.loads(capsys.readouterr().out)['run_id']
    assert main(['runs', 'show', run_id]) == 0
    output = capsys.readouterr().out
    assert '> wipe, please' in output
    assert '? wipe({}) waits: c1' in output
    assert main(['runs', 'tail', run_id]) == 0
    printed = capsys.readouterr()
    assert [line.split()[3] for line in printed.out.splitlines()][-1] == 'waiting'
    assert 'waits for decisions' in printed.err
    assert main(['runs', 'resume', run_id, 'shop:nothing']) == 2
    assert "has no variable 'nothing'" in capsys.readouterr().err
    assert main(['runs', 'answer', run_id]) == 2
    assert "waits for decisions about the calls ['c1'], not about []" in capsys.readouterr().err
    assert main(['runs', 'resume', run_id, 'shop:agent']) == 0
    printed = capsys.readouterr()
    assert printed.out == 'wipe({}) waits: c1\n'
    assert f'stead runs answer {run_id}' in printed.err
    assert main(['runs', 'answer', run_id, '--approve', 'all']) == 0
    assert f'`stead runs resume {run_id} module:agent` continues the run.' in capsys.readouterr().out
    assert main(['runs', 'resume', run_id, 'shop:agent']) == 0
    assert capsys.readouterr().out == 'done\n'
    assert main(['runs', 'tail', run_id]) == 0
    kinds = [line.split()[3] for line in capsys.readouterr().out.splitlines()]
    assert kinds[0] == 'begun'
    assert kinds[-1] == 'ended'
    assert 'decided' in kinds


def test_what_to_type_next_names_the_journal(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def typed(words: list[str], more: str = '') -> list[str]:
        """Type something; return what it says to type next."""
        assert main(words) == 0
        printed = capsys.readouterr()
        command = re.search('`stead (.*?)`', printed.out + printed.err)
        assert command is not None, printed
        return shlex.split(command[1].replace('module:agent', 'shop:agent') + more)

    main(['runs', '--journal', str(journal), 'list', '--json', '--status', 'waiting'])
    run_id = json.loads(capsys.readouterr().out)['run_id']
    show = typed(['runs', '--journal', str(journal), 'tail', run_id])
    assert main(show) == 0
    assert show == ['runs', '--journal', str(journal), 'show', run_id]
    answer = typed(['runs', '--journal', str(journal), 'resume', run_id, 'shop:agent'], ' --approve all')
    assert main(typed(answer)) == 0
    assert capsys.readouterr().out == 'done\n'


def test_runs_are_forked_exported_and_pruned(
    journal: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(['runs', 'list', '--json', '--status', 'done'])
    run_id = json.loads(capsys.readouterr().out)['run_id']
    assert main(['runs', 'fork', run_id, '--at', '2']) == 0
    fork = capsys.readouterr().out.strip()
    assert main(['runs', 'export', run_id, fork]) == 0
    lines = capsys.readouterr().out
    assert len(lines.splitlines()) == 2
    monkeypatch.setattr(sys, 'stdin', io.StringIO(lines))
    assert main(['runs', '--journal', 'other.db', 'import']) == 0
    assert capsys.readouterr().out == '2 runs were added.\n'
    assert main(['runs', 'show', fork, '--journal', 'other.db']) == 0
    assert f'forked from {run_id}' in capsys.readouterr().out
    assert main(['runs', 'prune', '--days', '0']) == 0
    assert capsys.readouterr().out == '0 runs were deleted.\n'


def test_what_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], journal: Path) -> None:
    assert main(['runs', '--journal', str(tmp_path / 'none.db'), 'list']) == 2
    assert 'there is no journal' in capsys.readouterr().err
    assert main(['runs', 'show', 'zzz']) == 2
    assert "No run has an id that begins or ends with 'zzz'" in capsys.readouterr().err
    assert main(['runs', 'show', '0']) == 2
    assert '2 runs have an id that begins' in capsys.readouterr().err


def test_an_id_with_which_others_begin_is_found(capsys: pytest.CaptureFixture[str], journal: Path) -> None:
    store = Journal(journal).store
    store.open()
    for run_id in ('one', 'one more'):
        store.create(RunInfo(run_id))
    store.close()
    assert main(['runs', 'export', 'one']) == 0
    assert '"run_id":"one",' in capsys.readouterr().out.replace(': ', ':')
    assert main(['runs', 'export', 'one m']) == 0
    assert main(['runs', 'export', 'on']) == 2
    assert "2 runs have an id that begins or ends with 'on': one more, one." in capsys.readouterr().err


def test_a_call_is_made_again_with_other_arguments(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(['runs', 'list', '--json', '--status', 'waiting'])
    run_id = json.loads(capsys.readouterr().out)['run_id']
    assert main(['runs', 'fork', run_id, '--call', 'c1={"disk": "b"}', '--by', 'ann']) == 0
    fork = capsys.readouterr().out.strip()
    assert main(['runs', 'show', fork, '--json']) == 0
    response = json.loads(capsys.readouterr().out)[1]
    assert response['parts'][0]['args'] == {'disk': 'b'}
    assert response['metadata'] == {'edited': {'calls': ['c1'], 'by': 'ann'}}
    assert main(['runs', 'fork', run_id, '--call', 'c1']) == 2
    assert "'c1' is not CALL=JSON" in capsys.readouterr().err


def test_a_package_that_is_missing_is_named(
    journal: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'psycopg', None)
    assert main(['runs', '--journal', 'postgresql://localhost/x', 'list']) == 2
    assert 'pip install "stead[postgres]"' in capsys.readouterr().err


def test_looking_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not even what a newer version changes in a file of an older one."""
    file = tmp_path / 'runs.db'
    shutil.copy(RECORDED / 'format-1.db', file)
    before = file.read_bytes()
    place = ['--journal', str(file)]
    assert main(['runs', 'list', '--json', *place]) == 0
    runs = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    over = next(run['run_id'] for run in runs if run['status'] == 'done')
    for command in (
        ['show', over],
        ['show', over, '--json'],
        ['show', over, '--html', str(tmp_path / 'run.html')],
        ['tail', over],
        ['export'],
    ):
        assert main(['runs', *command, *place]) == 0
    assert file.read_bytes() == before
    assert (tmp_path / 'run.html').exists()
    assert main(['runs', 'prune', '--days', '0', *place]) == 0
    assert file.read_bytes() != before


def test_runs_that_no_process_works_on_are_found_by_what_happened_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    journal: Journal[Any] = Journal(tmp_path / 'runs.db')

    async def fill() -> None:
        asked = asyncio.Event()
        cancelled = asyncio.ensure_future(held(asked).run('wait', capabilities=[journal]))
        await asked.wait()
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        asked.clear()
        token = CancellationToken()
        stopped = asyncio.ensure_future(held(asked).run('wait', capabilities=[journal], cancellation_token=token))
        await asked.wait()
        token.cancel()
        await asyncio.gather(stopped, return_exceptions=True)

    asyncio.run(fill())
    store = Journal(tmp_path / 'runs.db').store
    store.open()
    store.create(RunInfo('died-1', agent='lost'), [Record(1, 'request', 1.0, b'{"step": 1}')])
    store.create(RunInfo('entry-1', status='done'))  # as a change of the history of a conversation makes it
    store.create(RunInfo('works-1', agent='busy', holder='other', lease_until=time.time() + 60))
    store.close()
    for state, agent, count in (('abandoned', 'lost', 1), ('cancelled', 'held', 2), ('running', 'busy', 1)):
        assert main(['runs', 'list', '--status', state]) == 0
        rows = capsys.readouterr().out.splitlines()[1:]
        assert [row.split()[3:5] for row in rows] == [[agent, state]] * count
        assert main(['runs', 'list', '--status', state, '--json']) == 0
        assert [json.loads(row)['status'] for row in capsys.readouterr().out.splitlines()] == [state] * count
    assert main(['runs', 'list']) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5  # that entry is not among them
    assert main(['runs', 'list', '--limit', '1', '--status', 'abandoned']) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(['runs', 'tail', 'died']) == 0  # it ends
    assert 'The run is abandoned: no process works on it. `stead runs resume died-1' in capsys.readouterr().err


def test_a_run_that_waits_and_one_that_was_answered_say_what_there_is_to_do(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def output_of(*arguments: str) -> str:
        assert main(['runs', *arguments]) == 0
        printed = capsys.readouterr()
        return printed.out + printed.err

    run_id = json.loads(output_of('list', '--json', '--status', 'waiting'))['run_id']
    assert 'waits for decisions, and takes them while it is paused' in output_of('pause', run_id)
    assert 'is no longer paused. The run waits for decisions; `stead runs show' in output_of('resume', run_id)
    output_of('pause', run_id)
    output_of('answer', run_id, '--approve', 'all')
    after = f'The run was answered, and no process has continued it yet. `stead runs resume {run_id} module:agent`'
    assert after in output_of('resume', run_id)
    assert json.loads(output_of('list', '--json', '--status', 'answered'))['run_id'] == run_id
    assert run_id not in output_of('list', '--json', '--status', 'abandoned')
    assert 'answered' in output_of('show', run_id)
    assert after in output_of('tail', run_id)
    output_of('resume', run_id, 'shop:agent')
    assert json.loads(output_of('list', '--json', '--limit', '1'))['status'] == 'done'


def test_ids_are_shown_by_their_ends_as_far_as_they_differ(
    journal: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(['runs', 'list']) == 0
    rows = [row.split()[0] for row in capsys.readouterr().out.splitlines()[1:]]
    assert [len(row) for row in rows] == [8, 8]
    for end in rows:
        assert main(['runs', 'show', end]) == 0
    store = Journal(tmp_path / 'alike.db').store
    store.open()
    for run_id in ('one-0123456789', 'two-0123456789'):
        store.create(RunInfo(run_id, agent='a'))
    store.close()
    assert main(['runs', 'list', '--journal', str(tmp_path / 'alike.db')]) == 0
    printed = capsys.readouterr().out.splitlines()[-2:]
    assert [row.split()[0] for row in printed] == ['o-0123456789', 'e-0123456789']


def test_a_module_that_runs_its_program_when_it_is_imported(
    journal: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'runs_itself.py').write_text('import asyncio\nasync def main(): ...\nasyncio.run(main())\n')
    (tmp_path / 'fails.py').write_text("raise RuntimeError('of its own')\n")
    main(['runs', 'list', '--json', '--status', 'waiting'])
    run_id = json.loads(capsys.readouterr().out)['run_id']
    assert main(['runs', 'resume', run_id, 'runs_itself:agent']) == 2
    assert "below `if __name__ == '__main__':`" in capsys.readouterr().err
    with pytest.raises(RuntimeError, match='of its own'):
        main(['runs', 'resume', run_id, 'fails:agent'])


def test_a_prompt_and_a_result_are_changed_in_a_fork(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(['runs', 'list', '--json', '--status', 'done'])
    run_id = json.loads(capsys.readouterr().out)['run_id']
    main(['runs', 'show', run_id, '--json'])
    before = json.loads(capsys.readouterr().out)
    call_id = before[2]['parts'][0]['tool_call_id']
    command = ['runs', 'fork', run_id, '--at', '2', '--prompt', 'pay less', '--result', f'{call_id}="nothing"']
    assert main(command) == 0
    assert main(['runs', 'show', capsys.readouterr().out.strip(), '--json']) == 0
    messages = json.loads(capsys.readouterr().out)
    assert messages[0]['parts'][-1]['content'] == 'pay less'
    assert messages[2]['parts'][0]['content'] == 'nothing'
    assert main(['runs', 'fork', run_id, '--at', '2', '--result', 'other=1']) == 2
    assert "has a result of 'other'" in capsys.readouterr().err


def test_runs_are_pruned_by_hours_and_a_file_has_no_schema(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['runs', 'prune', '--hours', '1']) == 0
    assert capsys.readouterr().out == '0 runs were deleted.\n'
    assert main(['runs', 'prune', '--hours', '0']) == 0
    assert capsys.readouterr().out == '1 run was deleted.\n'
    assert main(['runs', 'list', '--schema', 'support']) == 2
    assert 'Only a journal in PostgreSQL has a schema' in capsys.readouterr().err
