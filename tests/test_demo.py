"""The example that `make demo` runs, as a user would run it."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from examples.support_desk import waiting
from examples.support_desk.__main__ import EASY, ask, go_through, main
from examples.support_desk.desk import Shop
from examples.support_desk.orders import Orders
from stead.messages import ModelMessage, ModelResponse, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel

ROOT = Path(__file__).parent.parent


def desk(*questions: str) -> list[str]:
    """Run the example in this process; return the lines it prints."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, 'stdin', io.StringIO())
        code = main(['--model', 'scripted', *questions])
    assert (code, err.getvalue()) == (0, '')
    return out.getvalue().splitlines()


def desk_as_a_program(*questions: str) -> list[str]:
    """Run the example as its readers do, with plain Python warnings as errors; return the lines it prints."""
    keyless = {name: value for name, value in os.environ.items() if not name.endswith('_API_KEY')}
    process = subprocess.run(
        [sys.executable, '-W', 'error', '-m', 'examples.support_desk', '--model', 'scripted', *questions],
        cwd=ROOT,
        env={**keyless, 'PYTHONIOENCODING': 'utf-8'},
        capture_output=True,
        text=True,
        encoding='utf-8',
        timeout=60,
    )
    assert (process.returncode, process.stderr) == (0, '')
    return process.stdout.splitlines()


def answers(lines: list[str]) -> list[str]:
    return [line.split('answer', 1)[1].strip() for line in lines if line.split()[:1] == ['answer']]


def steps(lines: list[str]) -> list[str]:
    """Return who speaks in each line of the conversation."""
    return [line[:22].strip() for line in lines if line[22:24] == '  ' and line[:22].strip()]


def test_a_question_is_answered_from_the_database_step_by_step():
    lines = desk_as_a_program('where is order A-17?')
    assert answers(lines) == ['Your order A-17, the walnut desk, is in transit. [informed]']
    assert steps(lines) == ['customer', 'model', 'model calls', 'find_order says', 'model calls', 'answer']


def test_lines_end_between_words_where_the_terminal_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    texts: list[str] = []
    monkeypatch.setenv('COLUMNS', '70')
    for is_terminal in (False, True):
        monkeypatch.setattr(sys.stdout, 'isatty', lambda answer=is_terminal: answer)
        assert main(['--model', 'scripted', 'I want my money back for B-02, the chair squeaks.']) == 0
        texts.append(capsys.readouterr().out.rpartition('(')[0])
    assert max(map(len, texts[1].splitlines())) <= 70
    wide, narrow = ([word for word in text.split() if '--' not in word] for text in texts)
    assert wide == narrow and 'Approved:' in wide


def test_a_wrong_order_is_corrected_by_the_model():
    lines = desk('where is order a17?')
    assert any('find_order objects' in line and "Did you mean 'A-17'?" in line for line in lines)
    assert answers(lines)[0].startswith('Your order A-17, ')


def test_what_becomes_of_questions():
    outcomes = {
        'please cancel b09': 'changed',
        'Can you send D-30 to Ankara?': 'changed',
        'Cancel order B-02.': 'refused',
        'I want my money back for B-02': 'changed',
        'refund A-17': 'refused',
        'cancel Z-99': 'question',
        'hello': 'question',
        '': 'question',
        'Show the orders of Mina Okafor': 'informed',
    }
    lines = desk(*outcomes)
    assert [answer.rpartition('[')[2] for answer in answers(lines)] == [f'{outcome}]' for outcome in outcomes.values()]
    (start,) = (number for number, line in enumerate(lines) if 'log of the desk' in line)
    assert [line.replace('log of the desk', '').strip() for line in lines[start:] if line] == [
        "cancel_order {'order': 'B-09'} by Robin",
        "send_elsewhere {'order': 'D-30', 'city': 'Ankara'} by Robin",
        "refund_order {'order': 'B-02'} by Robin",
    ]


def test_where_nothing_is_changed_there_is_no_log():
    lines = desk('refund A-17')
    assert answers(lines) == ['This refund was not approved. [refused]']
    assert not any('log of the desk' in line for line in lines)


def test_changes_are_kept_in_a_database(tmp_path: Path):
    path = str(tmp_path / 'orders.db')
    desk_as_a_program('please cancel B-09', '--database', path)
    assert answers(desk('where is B-09?', '--database', path)) == [
        'Your order B-09, the standing mat, is cancelled. [informed]'
    ]


def test_without_a_question_it_asks_its_own_and_says_which_answers_are_right():
    lines = desk()
    assert len(answers(lines)) == 6
    assert any('6 of 6 answers agree with the database (wrong: 0, none: 0).' in line for line in lines)
    assert [line.split()[0] for line in lines if line.endswith(' s)') and '?' in line] == ['right'] * 3
    assert sum(line.split()[0] == 'right' for line in lines if line.endswith(' s)')) == 6


def test_by_itself_it_answers_at_once_and_rightly_whatever_the_small_model_can():
    command = [sys.executable, '-u', '-W', 'error', '-m', 'examples.support_desk']
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        lines: list[str] = []
        try:
            first = None
            for line in running.stdout:
                first = first or time.monotonic()
                lines.append(line)
                if 'verdict' in line:
                    break
            seconds = time.monotonic() - (first or 0)
        finally:
            running.kill()
    assert '6 of 6 answers agree with the database' in lines[-1]
    assert seconds < 10, 'on a busy machine; 0.3 s on another one'
    assert [line.split('? ')[1].rstrip() for line in lines if 'decision' in line.split()[:1]] == [
        'Approved: without a terminal, a rule approves amounts up to 250.'
    ]


def test_the_small_model_is_asked_what_it_can_do():
    assert [question.text for question in EASY] == [
        'Where is order A-17?',
        'Please cancel B-09, I do not need the mat.',
        'Cancel order B-02.',
    ]


def test_who_waits_for_a_model_sees_how_long(monkeypatch: pytest.MonkeyPatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    async def wait(out: io.StringIO) -> str:
        with redirect_stdout(out):
            async with waiting.waiting_shown('model'):
                await asyncio.sleep(0.05)
        return out.getvalue()

    monkeypatch.setattr(waiting, 'LINE_EVERY', 0.02)
    assert asyncio.run(wait(io.StringIO())).startswith('model  ... 0 s\n')
    drawn = asyncio.run(wait(Terminal()))
    assert drawn.startswith('model  | 0 s\r') and '\n' not in drawn
    assert drawn.split('\r')[-2].strip() == '', 'it is erased'


def verdicts(capsys: pytest.CaptureFixture[str], model: FunctionModel) -> list[str]:
    """Return what the demo prints when a model answers its questions."""
    shop = Shop(Orders())
    go_through(shop, {'model': model})
    shop.orders.close()
    return capsys.readouterr().out.splitlines()


def test_a_wrong_answer_is_called_wrong(capsys: pytest.CaptureFixture[str]):
    def mistaken(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('final_result', {'text': 'All is well.', 'outcome': 'informed'})])

    lines = verdicts(capsys, FunctionModel(mistaken))
    assert any('0 of 6 answers agree with the database (wrong: 6, none: 0).' in line for line in lines)
    faults = [line.strip() for line in lines[lines.index(next(line for line in lines if 'verdict' in line)) :]]
    assert 'A-17 is in transit, and it does not say so' in faults
    assert 'the status of B-09 is packed' in faults
    assert 'it says [informed], and [refused] is right' in faults
    assert 'it leaves out A-21 and A-17 and B-02' in faults


def test_a_change_that_no_tool_has_made_is_no_answer(capsys: pytest.CaptureFixture[str]):
    def boastful(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        answer = {'text': 'Your order is cancelled.', 'outcome': 'changed'}
        return ModelResponse([ToolCallPart('final_result', answer)])

    lines = verdicts(capsys, FunctionModel(boastful))
    assert any('0 of 6 answers agree with the database (wrong: 0, none: 6).' in line for line in lines)
    assert answers(lines) == []


def test_an_order_goes_only_where_the_customer_says(capsys: pytest.CaptureFixture[str]):
    def elsewhere(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('send_elsewhere', {'order': 'D-30', 'city': 'Istanbul'})])

    shop = Shop(Orders())
    asyncio.run(ask('Can you send D-30 to Ankara?', shop, {'model': FunctionModel(elsewhere)}))
    assert "The customer does not name 'Istanbul'." in capsys.readouterr().out
    assert (shop.orders.find('D-30')['city'], shop.orders.logged()) == ('Izmir', [])
    shop.orders.close()


def test_refunds_are_loaded_on_demand_and_decided_about(tmp_path: Path):
    lines = desk('Pay B-02 back please')
    assert any("load_capability(id='refunds')" in line for line in lines)
    path = tmp_path / 'orders.db'
    desk('hello', '--database', str(path))
    with sqlite3.connect(path) as database:
        database.execute("update orders set price = 900 where id = 'B-02'")
    database.close()
    assert answers(desk('Pay B-02 back please', '--database', str(path))) == ['This refund was not approved. [refused]']


def test_a_script_stands_in_where_the_local_model_cannot_be_installed():
    start = "import runpy, sys; sys.modules['xllamacpp'] = None; sys.argv[1:] = ['where is order A-17?']; "
    command = [
        sys.executable,
        '-W',
        'error',
        '-c',
        f"{start} runpy.run_module('examples.support_desk', run_name='__main__')",
    ]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (process.returncode, process.stderr) == (0, '')
    notice, *lines = process.stdout.splitlines()
    assert '"local" is not installed' in notice and 'stead[local]' in notice
    assert answers(lines) == ['Your order A-17, the walnut desk, is in transit. [informed]']


def test_a_script_stands_in_where_the_local_model_cannot_be_loaded(tmp_path: Path):
    (tmp_path / 'xllamacpp.py').write_text("raise ImportError('libgomp.so.1: cannot open shared object file')")
    done = subprocess.run(
        [sys.executable, '-W', 'error', '-m', 'examples.support_desk', 'where is order A-17?'],
        cwd=ROOT,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, '')
    notice, *lines = done.stdout.splitlines()
    assert 'libgomp.so.1' in notice and 'a script stands in' in notice
    assert answers(lines) == ['Your order A-17, the walnut desk, is in transit. [informed]']


@pytest.mark.skipif('STEAD_TRUST_FULL' not in os.environ, reason='`make trust` runs it: the model answers for long')
def test_the_local_model_holds_the_conversation_and_never_ends_in_a_traceback():
    pytest.importorskip('xllamacpp', reason='the extra "local" is not installed')
    command = [
        sys.executable,
        '-W',
        'error',
        '-m',
        'examples.support_desk',
        '--model',
        'local',
        'Where is order A-17?',
        '',
    ]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=170)
    assert (process.returncode, process.stderr) == (0, '')
    # While it waits for a slow model, it says so every ten seconds.
    shown = [line for line in process.stdout.splitlines() if not re.search(r'  \.\.\. \d+ s$', line)]
    headings = steps(shown)
    assert headings[:2] == ['customer', 'model calls'], 'with worked examples it begins with a tool'
    assert headings[-1] in ('answer', 'no answer')


@pytest.mark.skipif(os.name == 'nt', reason='signals are sent otherwise there')
def test_ctrl_c_ends_it_without_a_traceback():
    pytest.importorskip('xllamacpp', reason='the extra "local" is not installed')
    command = [sys.executable, '-u', '-m', 'examples.support_desk', '--model', 'local', *['Where is order A-17?'] * 50]
    options: Any = {'cwd': ROOT, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True}
    # What a shell starts in the background ignores the signal, and so would the child.
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, preexec_fn=heeding, **options) as running:
        assert running.stdout is not None
        try:
            for line in running.stdout:
                if 'customer' in line:  # so the model is being asked
                    break
            sent = time.monotonic()
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=60)
            seconds = time.monotonic() - sent
        finally:
            running.kill()
    assert (running.returncode, errors) == (130, 'support_desk: interrupted\n')
    assert seconds < 1, 'it does not wait for the engine, which reads worked examples'


def test_a_model_that_is_not_there():
    command = [sys.executable, '-m', 'examples.support_desk', '--model', 'nobody:x', 'hi']
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert process.returncode == 2
    assert 'nobody' in process.stderr and 'Traceback' not in process.stderr
