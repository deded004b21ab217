"""`stead.log()`: a line for each thing that a run does, while it does it."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

import stead
from stead import Agent, DeferredToolRequests, ModelRetry
from stead.capabilities import Log
from stead.models.test import TestModel


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    file = io.StringIO()
    stead.log(file=file)
    yield file
    stead.log(False)


def without_seconds(file: io.StringIO) -> list[str]:
    return [re.sub(r'\d+\.\d\d s', 'N s', line) for line in file.getvalue().splitlines()]


def make() -> Agent[None, str]:
    agent = Agent(TestModel(), name='shop')
    tries: list[str] = []

    @agent.tool_plain(retries=2)
    def find(order: str) -> str:
        tries.append(order)
        if len(tries) == 1:
            raise ModelRetry('Orders look like A-17.')
        return 'sent'

    return agent


EXPECTED = [
    'shop  > Where is it?',
    'shop  1. test, N s, 53 + 5 tokens',
    'shop     find({"order":"a"})',
    'shop     find asked for another try after N s: Orders look like A-17.',
    'shop  2. test, N s, 64 + 10 tokens',
    'shop     find({"order":"a"})',
    'shop     find returned after N s: sent',
    'shop  3. test, N s, 65 + 14 tokens',
    'shop     {"find":"sent"}',
    'shop  done in N s: 3 requests, 1 tool call, 211 tokens',
]


def test_each_thing_has_a_line(lines: io.StringIO) -> None:
    make().run_sync('Where is it?')
    assert without_seconds(lines) == EXPECTED


def test_a_streamed_run_has_the_same_lines(lines: io.StringIO) -> None:
    make().run_stream_sync('Where is it?', until='end').get_output()
    counts = re.compile(r'\d+ tokens')  # the test model counts those of streams in another way
    assert [counts.sub('', line) for line in without_seconds(lines)] == [counts.sub('', line) for line in EXPECTED]


def test_an_agent_that_has_run_before_is_logged_too_and_no_more_afterwards(lines: io.StringIO) -> None:
    stead.log(False)
    agent = Agent(TestModel())
    agent.run_sync('before')
    stead.log(file=lines)
    agent.run_sync('logged')
    stead.log(False)
    agent.run_sync('after')
    assert [line for line in lines.getvalue().splitlines() if '>' in line] == ['agent  > logged']


def test_an_agent_with_a_log_of_its_own_writes_there_only(lines: io.StringIO) -> None:
    own = io.StringIO()
    Agent(TestModel(), capabilities=[Log(file=own)]).run_sync('x')
    assert own.getvalue()
    assert not lines.getvalue()


def test_without_content_there_are_names_counts_and_seconds(lines: io.StringIO) -> None:
    stead.log(content=False, file=lines)
    agent = make()

    @agent.tool_plain
    def secret(order: str) -> str:
        raise ValueError('s3cret')

    with pytest.raises(ValueError, match='s3cret'):
        agent.run_sync('s3cret')
    text = lines.getvalue()
    assert 's3cret' not in text
    assert 'order' not in text
    assert 'Orders' not in text
    assert re.search(r'shop  failed after [\d.]+ s with ValueError\n', text)


def test_invalid_arguments_are_named(lines: io.StringIO) -> None:
    agent = Agent(TestModel(call_tools=['add']), name='shop')

    def checked(ctx: stead.RunContext[None], number: int) -> None:
        raise ModelRetry('Too small.')

    @agent.tool_plain(args_validator=checked, retries=0)
    def add(number: int) -> int:
        return number

    with pytest.raises(stead.UnexpectedModelBehavior):
        agent.run_sync('x')
    assert 'shop     add was not run, its arguments are not valid: Too small.' in lines.getvalue()


def test_a_call_that_waits_is_no_failure(lines: io.StringIO) -> None:
    agent = Agent(TestModel(), name='shop', output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def refund(order: str) -> str:
        return 'done'

    agent.run_sync('x')
    assert without_seconds(lines)[-1].startswith('shop  waits for answers in N s')
    assert 'failed' not in lines.getvalue()


def test_names_and_texts_send_no_commands_to_a_terminal(lines: io.StringIO) -> None:
    Agent(TestModel(custom_output_text='a\x1b[2Jb\nc'), name='ev\x1bil').run_sync('x\x07')
    assert '\x1b' not in lines.getvalue()
    assert '\x07' not in lines.getvalue()
    assert 'a\N{REPLACEMENT CHARACTER}[2Jb c' in lines.getvalue()


@pytest.mark.parametrize(('value', 'is_on'), [('1', True), ('true', True), ('0', False), ('', False), ('off', False)])
def test_the_environment_turns_it_on(value: str, is_on: bool) -> None:
    program = 'from stead import Agent; print(Agent("test").run_sync("x").output)'
    ran = subprocess.run(
        [sys.executable, '-c', program],
        env={**os.environ, 'STEAD_LOG': value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ('agent  > x' in ran.stderr) is is_on
    assert ran.stdout == 'success (no tool calls)\n'


def test_a_program_without_a_console_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'stderr', None)
    assert Agent(TestModel(custom_output_text='done'), capabilities=[Log()]).run_sync('x').output == 'done'
