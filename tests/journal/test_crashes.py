"""Runs whose process dies anywhere continue, and do nothing twice: agents of many kinds, in every way to run them."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, UserError
from stead.capabilities import ApprovalPolicy, Journal
from stead.journal import MemoryStore, SqliteStore
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.test import TestModel
from stead.testing import CrashScene, crash_everywhere
from stead.usage import RequestUsage
from tests.journal import agents
from tests.journal.agents import call, parallel, scripted, tools

FULL = os.environ.get('STEAD_CRASHES_FULL') == '1'
"""Whether runs are ended at all of their records, where that takes long, and processes are killed in every way to run them."""
TRUST = os.environ.get('STEAD_TRUST_FULL') == '1'
"""Whether processes of all kinds of agents are killed."""


def calls(*calls: tuple[str, dict[str, Any], str]) -> list[Any]:
    return [ToolCallPart(name, args, tool_call_id=call_id) for name, args, call_id in calls]


def plain() -> Agent[None, Any]:
    return Agent(
        scripted([call('pay', 'c1', amount=1)], [call('look', 'c2', what='it')]), name='plain', toolsets=[tools()]
    )


def deciding() -> Agent[None, Any]:
    policy = ApprovalPolicy[None]()
    policy.allow('wipe')
    agent = Agent(
        scripted([call('wipe', 'c1'), call('pay', 'c2', amount=1)]),
        name='deciding',
        toolsets=[tools()],
        capabilities=[policy],
    )

    @agent.tool_plain(requires_approval=True)
    def wipe() -> str:
        return 'wiped'

    return agent


def approving() -> Agent[None, Any]:
    agent = Agent(
        scripted([call('wipe', 'c1'), call('pay', 'c2', amount=1)]),
        name='approving',
        toolsets=[tools()],
        output_type=[str, DeferredToolRequests],
    )

    @agent.tool_plain(requires_approval=True)
    def wipe() -> str:
        return 'wiped'

    return agent


def begun_before() -> list[ModelMessage]:
    """Return a conversation that goes on."""
    return [
        ModelRequest(parts=[UserPromptPart('before')]),
        ModelResponse(parts=[TextPart('what was said before')]),  # without usage, so that the script begins
    ]


def waiting_before() -> list[ModelMessage]:
    """Return a conversation whose last calls wait."""
    calls = [call('pay', 'c8', amount=8), call('wipe', 'c9')]
    return [
        ModelRequest(parts=[UserPromptPart('before')]),
        ModelResponse(parts=calls, usage=RequestUsage(input_tokens=1)),
    ]


class Kind(NamedTuple):
    """A kind of agent, and how `crash_everywhere` runs it."""

    agent: Any
    options: dict[str, Any] = {}
    prompt: str = 'go'
    ways: tuple[str, ...] = ('run', 'run_stream_events')
    most: int | None = None
    """At how many points it is ended, unless all of them are asked for."""


KINDS = {
    'support desk': Kind(
        agents.support_desk,
        {'make_deps': agents.shop},
        'I want my money back for B-02, the chair squeaks.',
        most=12,
    ),
    'parallel': Kind(parallel, ways=('run', 'iter', 'run_stream', 'run_stream_events'), most=14),
    'nested': Kind(agents.nested, {'approve': agents.decide}, most=12),
    'approvals': Kind(
        agents.approvals, {'approve': agents.decide}, ways=('run', 'run_stream', 'run_stream_events'), most=16
    ),
    'on demand': Kind(agents.on_demand, ways=('run', 'run_stream')),
    'retries': Kind(agents.retries, most=20),
    'outputs': Kind(agents.outputs, ways=('run_stream_events',)),
    'enqueuing': Kind(agents.enqueuing, ways=('run',)),
    'scripts': Kind(agents.scripts, ways=('run', 'run_stream')),
    'writing scripts': Kind(agents.writing_scripts, {'approve': agents.decide}, ways=('run', 'run_stream'), most=24),
    'in turn': Kind(agents.in_turn, ways=('run',)),
    'deciding': Kind(deciding, ways=('run',)),
    'going on': Kind(plain, {'options': {'message_history': begun_before()}}, ways=('run', 'run_stream')),
    'going on with decisions': Kind(
        approving,
        {
            'options': {
                'message_history': waiting_before(),
                'deferred_tool_results': DeferredToolResults(calls={'c8': 'paid'}, approvals={'c9': True}),
            },
            'approve': agents.decide,
        },
        ways=('run', 'run_stream'),
    ),
}


WAYS = [(kind, way) for kind, one in KINDS.items() for way in one.ways]
KILLED = WAYS if FULL else [(kind, KINDS[kind].ways[-1]) for kind in (KINDS if TRUST else ('support desk', 'nested'))]


@pytest.mark.parametrize(('kind', 'way'), WAYS)
def test_a_run_goes_on_wherever_it_was_ended(kind: str, way: Any) -> None:
    agent, options, prompt, _, most = KINDS[kind]
    report = asyncio.run(crash_everywhere(agent, prompt, way=way, at_most=None if FULL else most, **options))
    print(kind, way, report.boundaries, 'boundaries,', report.asked, 'asked')
    assert report.violations == []
    assert report.boundaries >= 12


@pytest.mark.skipif(sys.platform == 'win32', reason='signals')
@pytest.mark.parametrize(('kind', 'way'), KILLED)
def test_a_run_goes_on_wherever_its_process_was_killed(kind: str, way: Any) -> None:
    agent, options, prompt, _, _ = KINDS[kind]
    most = None if FULL else 8 if TRUST else 2
    report = asyncio.run(crash_everywhere(agent, prompt, way=way, processes=True, at_most=most, **options))
    print(kind, way, 'processes', report.boundaries, 'boundaries,', report.asked, 'asked')
    assert report.violations == []
    assert report.boundaries >= 2


# What is found


def careless(scene: CrashScene) -> Agent[None, Any]:
    """Return an agent that is not the same each time, and whose tool lies about its effect."""
    times = scene.directory / 'times'
    agent: Agent[None, Any] = Agent(scripted([call('count', 'c1')]), name='careless')

    @agent.tool_plain(effect='read')
    def count() -> int:
        before = len(times.read_text()) if times.exists() else 0
        times.write_text('x' * (before + 1))
        return before + 1

    return agent


def test_a_tool_that_lies_about_its_effect_is_found() -> None:
    report = asyncio.run(crash_everywhere(careless, 'go'))
    assert report.repeated_reads > 0
    assert 'after record 4: message 2, parts 0, content is 2, not 1' in report.violations


def test_an_inner_agent_without_the_journal_is_found() -> None:
    def forgetful() -> Agent[None, Any]:
        inner = Agent(scripted([call('pay', 'c1', amount=1)], text='paid'), toolsets=[tools()])
        agent: Agent[None, Any] = Agent(scripted([call('ask', 'r1')]), name='forgetful')

        @agent.tool_plain(effect='idempotent')
        async def ask() -> str:
            PAID.append((await inner.run('go')).output)
            return f'{len(PAID)} times'

        return agent

    PAID: list[str] = []
    report = asyncio.run(crash_everywhere(forgetful, 'go'))
    assert any('content is' in violation for violation in report.violations)


def test_a_run_that_cannot_be_resumed_is_a_violation() -> None:
    def fragile() -> Agent[None, Any]:
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError('no such agent')
        return plain()

    calls: list[int] = []
    report = asyncio.run(crash_everywhere(fragile, 'go', at_most=2))
    assert report.violations == ["before record 1: the run could not be resumed: RuntimeError('no such agent')"]


# What it takes


def in_a_file(scene: CrashScene) -> SqliteStore:
    return SqliteStore(scene.directory / 'mine.db')


def with_journal() -> Agent[None, Any]:
    return Agent(TestModel(), capabilities=[Journal()])


ready = plain()


@pytest.mark.parametrize('agent', [ready, 'tests.journal.test_crashes:ready', 'tests.journal.test_crashes:plain'])
def test_an_agent_is_itself_or_a_function_or_a_name(agent: Any) -> None:
    report = asyncio.run(crash_everywhere(agent, 'go', make_store=in_a_file, at_most=4))
    assert (report.output, report.boundaries, report.violations) == ('done', 4, [])


@pytest.mark.parametrize(
    ('agent', 'options', 'problem'),
    [
        ('tests.journal.test_crashes:nothing', {}, 'There is no agent at'),
        ('nothing', {}, 'There is no agent at'),
        (with_journal, {}, 'brings its own journal'),
        (lambda: ready, {'processes': True}, 'cannot pass its arguments to another process'),
        (plain, {'processes': True, 'make_store': MemoryStore}, 'Records in memory are lost'),
    ],
)
def test_what_cannot_work_is_refused(agent: Any, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        asyncio.run(crash_everywhere(agent, 'go', **options))


def broken_in_other_processes(process: int) -> Agent[None, Any]:
    if os.getpid() != process:
        raise RuntimeError('not here')
    return plain()


@pytest.mark.skipif(sys.platform == 'win32', reason='signals')
def test_a_process_that_ends_by_itself_says_why(tmp_path: Path) -> None:
    agent = partial(broken_in_other_processes, os.getpid())
    report = asyncio.run(crash_everywhere(agent, 'go', processes=True, at_most=1))
    (violation,) = report.violations
    assert 'was not killed, but ended with 1: RuntimeError: not here' in violation


@pytest.mark.skipif(sys.platform == 'win32', reason='signals')
def test_an_agent_whose_module_begins_a_thread_is_killed_in_a_process_that_was_not_forked() -> None:
    report = asyncio.run(crash_everywhere('tests.journal.threaded:agent', 'go', processes=True, at_most=2))
    assert (report.boundaries, report.violations) == (2, [])


def hanging(scene: CrashScene) -> Agent[None, Any]:
    """Return an agent that never comes to its end in the process that is to be killed."""
    agent: Agent[None, Any] = Agent(scripted([call('hang', 'c1')]), name='hanging')
    home = os.environ['STEAD_TEST_HOME']

    @agent.tool_plain
    def hang() -> str:
        if os.environ['STEAD_TEST_PROCESS'] != str(os.getpid()):
            Path(home, 'hangs').write_text(str(os.getpid()))
            time.sleep(60)
        return 'done'

    return agent


@pytest.mark.skipif(sys.platform != 'linux', reason='processes are forked on Linux only')
def test_no_process_is_left_when_it_is_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('STEAD_TEST_HOME', str(tmp_path))
    monkeypatch.setenv('STEAD_TEST_PROCESS', str(os.getpid()))

    async def main() -> None:
        task = asyncio.create_task(crash_everywhere(hanging, 'go', processes=True))
        while not (tmp_path / 'hangs').exists() or not (tmp_path / 'hangs').read_text():
            assert not task.done(), task.result()
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    process = int((tmp_path / 'hangs').read_text())
    end = time.monotonic() + 30
    while is_running(process):
        assert time.monotonic() < end, 'it goes on'
        time.sleep(0.02)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        return Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False
