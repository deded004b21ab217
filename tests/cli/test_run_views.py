"""What `stead runs` shows: in a terminal of any width with the package rich, and as plain text elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, ApprovalRequired, DeferredToolRequests
from stead._cli import main
from stead.journal import Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel

NASTY = 'three \x1b[31mdesks\x07, [bold]walnut[/bold]'
STYLES = re.compile(r'\x1b\[[0-9;]*m')


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, str]:
    """Return the ids of runs by agent."""
    journal: Journal[Any] = Journal(tmp_path / 'runs.db')
    warehouse = Agent(
        FunctionModel(lambda messages, info: ModelResponse([TextPart(NASTY)])), name='warehouse', capabilities=[journal]
    )

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse([ToolCallPart('find', {}, 'c1'), ToolCallPart('ask', {'what': 'desks'}, 'c2')])
        return ModelResponse([TextPart('There are three.')])

    desk = Agent(FunctionModel(reply), name='a desk with a name that is rather long', capabilities=[journal])

    @desk.tool_plain
    def find() -> str:
        return 'nothing'

    @desk.tool_plain
    async def ask(what: str) -> str:
        return (await warehouse.run(f'How many {what}?')).output

    async def fill() -> dict[str, str]:
        await desk.run('Is there a desk? ' * 20)
        return {run.agent or '': run.run_id for run in await journal.runs()}

    return asyncio.run(fill())


IN_TERMINAL = """
import fcntl, json, struct, sys, termios
from stead._cli import main

for width, arguments in json.loads(sys.argv[1]):
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 40, width, 0, 0))
    assert main(['runs', *arguments]) == 0, arguments
    print('-- the end of a command --', flush=True)
"""


def in_terminal(directory: Path, *commands: tuple[int, list[str]]) -> list[list[str]]:
    """Return the lines that commands print in a terminal, each with the width that it has then; one process runs them."""
    import pty

    reader, writer = pty.openpty()
    terminal = {name: value for name, value in os.environ.items() if name not in ('COLUMNS', 'NO_COLOR')}
    process = subprocess.Popen(
        [sys.executable, '-c', IN_TERMINAL, json.dumps(commands)],
        cwd=directory,
        env={**terminal, 'TERM': 'xterm', 'PYTHONIOENCODING': 'utf-8'},
        stdin=writer,
        stdout=writer,
        stderr=writer,
    )
    os.close(writer)
    printed = b''
    while True:
        try:
            printed += os.read(reader, 65536)
        except OSError:  # the other end is closed
            break
    os.close(reader)
    assert process.wait() == 0, printed
    *parts, _ = printed.decode().split('-- the end of a command --\r\n')
    return [part.splitlines() for part in parts]


@pytest.mark.skipif(sys.platform == 'win32', reason='pseudo-terminals')
def test_a_terminal_shows_runs_in_its_width_and_in_colours(tmp_path: Path, runs: dict[str, str]) -> None:
    pytest.importorskip('rich')
    run_id = runs['a desk with a name that is rather long']
    widths = (60, 80, 140)
    *lists, show, tail = in_terminal(
        tmp_path, *((width, ['list']) for width in widths), (60, ['show', run_id]), (60, ['tail', run_id])
    )
    for width, lines in zip(widths, lists):
        assert any('\x1b[32m' in line for line in lines)  # done is green
        plain = [STYLES.sub('', line) for line in lines]
        assert max(map(len, plain)) <= width
        assert plain[0].split() == ['Run', 'Begun', 'Agent', 'Status', 'Steps']
        assert [line.split()[-2:] for line in plain[1:]] == [['done', '1'], ['done', '2']]
        assert '↳ warehouse' in plain[1]
        for line in plain[1:]:  # what is shown of an id is enough to find the run
            assert len([run_id for run_id in runs.values() if run_id.endswith(line.split()[0])]) == 1

    lines = [STYLES.sub('', line) for line in show]
    assert max(map(len, lines)) <= 60
    assert lines.index('├── find({})') + 1 == lines.index('│   └── = nothing')
    assert any(runs['warehouse'] in line for line in lines)
    assert '\x07' not in ''.join(lines)
    assert '[bold]walnut[/bold]' in ''.join(lines)
    assert len(tail) == 10


def test_plain_text_shows_runs_inside_of_runs(
    tmp_path: Path, runs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = runs['a desk with a name that is rather long']
    assert main(['runs', '--journal', str(tmp_path / 'runs.db'), 'show', run_id]) == 0
    output = capsys.readouterr().out
    assert '\x1b' not in output
    assert '\x07' not in output
    lines = output.splitlines()
    place = lines.index('  ask({"what":"desks"})')
    assert lines[place + 1].startswith(f'    {runs["warehouse"]} warehouse done ')
    assert lines[place + 2 : place + 5] == [
        '      > How many desks?',
        '      < three \N{REPLACEMENT CHARACTER}[31mdesks\N{REPLACEMENT CHARACTER}, [bold]walnut[/bold]',
        '      1 request, 0 tool calls, ' + lines[place + 4].split(', ')[-1],
    ]
    assert lines[place + 6].startswith('    = three')
    assert lines[-1] == 'output: There are three.'
    assert main(['runs', '--journal', str(tmp_path / 'runs.db'), 'tail', run_id]) == 0
    tail = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=4)[3:] for line in tail][2:5] == [
        ['response', 'find, ask'],
        ['calling', 'find'],
        ['calling', 'ask'],
    ]


COMMANDS = '\x1b]0;title\x07\x9b2J\u202etxt\u2066'
"""What would send commands to a terminal, or let a text read as another one."""


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """Return the id of a run that waits, all names and texts of which would send commands to a terminal."""
    journal: Journal[Any] = Journal(tmp_path / 'runs.db')

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        name = f'tool{COMMANDS}'
        return ModelResponse([TextPart(COMMANDS), ToolCallPart(name, {'a': COMMANDS}, f'c{len(messages)}{COMMANDS}')])

    agent = Agent(
        FunctionModel(reply),
        name=f'shop{COMMANDS}',
        output_type=[str, DeferredToolRequests],
        capabilities=[journal],
    )

    @agent.tool_plain(name=f'tool{COMMANDS}')
    def tool(a: str) -> str:
        if not waits:
            waits.append(True)
            return a
        raise ApprovalRequired

    waits: list[bool] = []
    return str(agent.run_sync(COMMANDS, metadata={COMMANDS: COMMANDS}).run_id)


@pytest.mark.skipif(sys.platform == 'win32', reason='pseudo-terminals')
def test_what_runs_said_sends_no_commands_to_a_terminal(tmp_path: Path, hostile: str) -> None:
    pytest.importorskip('rich')
    commands = (
        ['list'],
        ['show', hostile],
        ['list', '--json'],
        ['show', hostile, '--json'],
        ['tail', hostile, '--json'],
        ['export'],
        ['fork', hostile],
    )
    for arguments, printed in zip(commands, in_terminal(tmp_path, *((100, arguments) for arguments in commands))):
        lines = [STYLES.sub('', line) for line in printed]
        assert lines
        assert not set('\x1b\x07\x9b\u202e\u2066') & set(''.join(lines)), arguments
        if '--json' in arguments:
            assert json.loads(''.join(lines) if 'show' in arguments else lines[0])


def test_plain_text_has_no_commands_for_a_terminal(
    tmp_path: Path, hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (['list'], ['show', hostile], ['export'], ['show', hostile, '--json']):
        assert main(['runs', '--journal', str(tmp_path / 'runs.db'), *arguments]) == 0
        assert not set('\x1b\x07\x9b\u202e\u2066') & set(capsys.readouterr().out), arguments
