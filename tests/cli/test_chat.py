"""`stead chat` and `Agent.to_cli`: conversations in a terminal."""

from __future__ import annotations

import importlib
import io
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import pytest

from stead import Agent
from stead._cli import main
from stead.messages import ModelMessagesTypeAdapter

PROGRAM = """
import asyncio

from pydantic import BaseModel

from stead import Agent
from stead.messages import ModelResponse, ToolReturnPart
from stead.models.function import DeltaToolCall, FunctionModel


async def respond(messages, info):
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        yield f'It is {last.content}.'
    elif last.content == 'where?':
        yield 'Let me see. '
        yield {1: DeltaToolCall('look', '{"order": "7"}')}
    elif last.content == 'fail':
        raise RuntimeError('the model is gone')
    elif last.content == 'slowly':
        yield 'One. '
        await asyncio.sleep(60)
    else:
        said = [p.content for m in messages for p in m.parts if p.part_kind == 'user-prompt']
        for word in (f'You said {said}', ' to ', f'{info.instructions}'):
            yield word


agent = Agent(FunctionModel(stream_function=respond), name='shop')


@agent.tool_plain
def look(order: str) -> str:
    return f'order {order} in Rome'


class Out(BaseModel):
    n: int


structured = Agent('test', output_type=Out)

if __name__ == '__main__':
    agent.to_cli_sync(prog_name='mine')
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / 'shop.py').write_text(PROGRAM)
    return tmp_path


def run(folder: Path, *arguments: str, typed: str = '') -> subprocess.CompletedProcess[str]:
    command = [sys.executable, '-W', 'error', *arguments]
    return subprocess.run(command, cwd=folder, input=typed, capture_output=True, text=True, timeout=60)


def chat(folder: Path, *arguments: str, typed: str = '') -> subprocess.CompletedProcess[str]:
    """Run the command in this process: one of its own takes half a second."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, 'path', [str(folder), *sys.path])
        patch.setattr(sys, 'stdin', io.StringIO(typed))
        sys.modules.pop('shop', None)
        importlib.invalidate_caches()
        try:
            code = main(['chat', *arguments])
        finally:
            sys.modules.pop('shop', None)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def test_a_model_needs_no_agent() -> None:
    process = run(Path.cwd(), '-m', 'stead._cli', 'chat', '--model', 'test', typed='hello\n\nagain\n')
    assert (process.returncode, process.stdout, process.stderr) == (0, 'success (no tool calls)\n' * 2, '')


def test_a_program_chooses_the_model_that_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, 'stdin', io.StringIO('hello\n'))
    Agent().to_cli_sync(model='test')
    assert capsys.readouterr().out == 'success (no tool calls)\n'


def test_the_conversation_goes_on_until_it_is_forgotten(folder: Path) -> None:
    process = chat(folder, 'shop:agent', typed='one\ntwo\n/new\nthree\n/exit\nnever\n')
    assert process.stdout.splitlines() == [
        "You said ['one'] to None",
        "You said ['one', 'two'] to None",
        "You said ['three'] to None",
    ]
    assert 'forgotten' in process.stderr
    assert process.returncode == 0


def test_tools_are_shown_beside_the_answer(folder: Path) -> None:
    process = chat(folder, 'shop:agent', typed='where?\n')
    assert process.stdout.splitlines() == ['Let me see. ', 'It is order 7 in Rome.']
    assert process.stderr == '[look {"order": "7"}]\n'


def test_an_error_leaves_the_conversation_as_it_was(folder: Path) -> None:
    process = chat(folder, 'shop:agent', typed='one\nfail\ntwo\n')
    assert process.stdout.splitlines() == ["You said ['one'] to None", "You said ['one', 'two'] to None"]
    assert process.stderr == 'RuntimeError: the model is gone\n'


def test_lines_that_go_on(folder: Path) -> None:
    process = chat(folder, 'shop:agent', typed='one \\\ntwo\n')
    assert process.stdout == "You said ['one \\ntwo'] to None\n"


def test_only_known_commands_are_commands(folder: Path) -> None:
    process = chat(folder, 'shop:agent', typed='/help\n/nothing\n/a path/b\n')
    assert '/exit' in process.stderr
    assert 'no command /nothing' in process.stderr
    assert process.stdout == "You said ['/a path/b'] to None\n"


def test_output_that_is_no_text(folder: Path) -> None:
    assert chat(folder, 'shop:structured', '--prompt', 'hi').stdout == '{\n  "n": 0\n}\n'


@pytest.mark.parametrize(('prompt', 'code'), [('hi', 0), ('fail', 1)])
def test_a_prompt_on_the_command_line_is_answered_and_no_more(folder: Path, prompt: str, code: int) -> None:
    process = chat(folder, 'shop:agent', '--prompt', prompt, '--instructions', 'be kind')
    assert process.returncode == code
    assert process.stdout == ("You said ['hi'] to be kind\n" if code == 0 else '')


@pytest.mark.parametrize(
    ('arguments', 'says'),
    [
        ([], '--model NAME'),
        (['--model', 'nowhere:nothing'], 'nowhere'),
        (['shop:nothing'], 'agents: agent, structured'),
    ],
)
def test_nobody_to_talk_with(folder: Path, arguments: list[str], says: str) -> None:
    process = chat(folder, *arguments, '--prompt', 'hi')
    assert (process.returncode, process.stdout) == (2, '')
    assert says in process.stderr
    assert 'Traceback' not in process.stderr


def test_from_a_program(folder: Path) -> None:
    process = run(folder, 'shop.py', typed='one\n')
    assert (process.returncode, process.stdout, process.stderr) == (0, "You said ['one'] to None\n", '')


@pytest.mark.skipif(os.name == 'nt', reason='signals of processes are another matter there')
def test_an_answer_is_stopped_and_kept(folder: Path) -> None:
    command = [sys.executable, '-W', 'error', '-m', 'stead._cli', 'chat', 'shop:agent']
    pipe = subprocess.PIPE
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # shells have background jobs ignore it
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=heed) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b'slowly\n')
        process.stdin.flush()
        assert process.stdout.read(5) == b'One. '
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(b'next\n', timeout=30)
    assert b'(stopped)' in err
    assert out.decode().splitlines()[-1] == "You said ['slowly', 'next'] to None"
    assert process.returncode == 0


APPROVING = """
from stead import Agent, DeferredToolRequests
from stead.messages import ToolReturnPart
from stead.models.function import DeltaToolCall, FunctionModel


async def respond(messages, info):
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        yield f'It says: {last.content}.'
    elif last.content.startswith('\\x1b'):
        yield last.content
    else:
        yield {0: DeltaToolCall(last.content, '{"order": "7"}')}


agent = Agent(FunctionModel(stream_function=respond), output_type=[str, DeferredToolRequests], name='shop')


@agent.tool_plain(requires_approval=True)
def refund(order: str) -> str:
    return f'refunded {order}'


@agent.tool_plain(requires_approval=True)
def cancel(order: str) -> str:
    return f'cancelled {order}'
"""


def in_terminal(folder: Path, *lines: str) -> str:
    """Return what a conversation with the agent above shows in a terminal; a line is typed once there is a prompt for it."""
    import pty

    (folder / 'shop.py').write_text(APPROVING)
    reader, writer = pty.openpty()
    command = [sys.executable, '-W', 'error', '-m', 'stead', 'chat', 'shop:agent']
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, 'TERM': 'dumb'}, stdin=writer, stdout=writer, stderr=writer
    )
    os.close(writer)
    screen, waiting, seen = b'', [*lines, '/exit'], 0
    while True:
        try:
            screen += os.read(reader, 65536)
        except OSError:  # the other end is closed
            break
        if waiting and screen[seen:].endswith((b'> ', b'? ', b': ', b'reason) ')):
            seen = len(screen)
            os.write(reader, f'{waiting.pop(0)}\n'.encode())
    os.close(reader)
    assert process.wait() == 0, screen
    return screen.decode().replace('\r\n', '\n')


@pytest.mark.skipif(sys.platform == 'win32', reason='pseudo-terminals')
def test_the_person_at_the_terminal_decides_and_the_conversation_goes_on(tmp_path: Path) -> None:
    screen = in_terminal(tmp_path, 'refund', 'y', 'cancel', 'n', 'Too late', 'refund', 'e', '{"order": "8"}')
    assert 'refund {"order":"7"}\n[y]es, [n]o' in screen
    assert 'It says: refunded 7.' in screen
    assert 'It says: A person decided against this call. The reason: Too late.' in screen
    assert 'It says: refunded 8.' in screen


def test_without_a_terminal_nothing_is_approved_and_the_conversation_goes_on(tmp_path: Path) -> None:
    (tmp_path / 'shop.py').write_text(APPROVING)
    process = chat(tmp_path, 'shop:agent', typed='refund\ny\n')
    assert 'refunded' not in process.stdout
    assert process.stdout.count('there was no answer') == 1


def test_what_a_model_writes_cannot_move_the_cursor(tmp_path: Path) -> None:
    (tmp_path / 'shop.py').write_text(APPROVING)
    process = chat(tmp_path, 'shop:agent', typed='\x1b[2Jhello\n')
    assert process.stdout == '\\x1b[2Jhello\n'


def test_the_command_alone_shows_its_help_and_its_version(tmp_path: Path) -> None:
    alone = run(tmp_path, '-m', 'stead')
    assert (alone.returncode, alone.stderr) == (0, '')
    assert 'chat' in alone.stdout
    from stead import __version__

    assert run(tmp_path, '-m', 'stead', '--version').stdout == f'stead {__version__}\n'


def test_a_conversation_in_a_file_goes_on_and_is_kept_there(folder: Path) -> None:
    first = chat(folder, 'shop:agent', '--resume', 'talk.json', typed='one\n')
    assert first.returncode == 0
    file = folder / 'talk.json'
    assert file.stat().st_mode & 0o077 == 0, 'others cannot read it'
    before = len(ModelMessagesTypeAdapter.validate_json(file.read_bytes()))
    second = chat(folder, 'shop:agent', '--resume', 'talk.json', '--prompt', 'two')
    assert f'{before} messages read from talk.json.' in second.stderr
    messages = ModelMessagesTypeAdapter.validate_json(file.read_bytes())
    assert [part.content for message in messages for part in message.parts if part.part_kind == 'user-prompt'] == [
        'one',
        'two',
    ]
    file.write_text('{"no": "messages"}')
    bad = chat(folder, 'shop:agent', '--resume', 'talk.json')
    assert (bad.returncode, file.read_text()) == (2, '{"no": "messages"}')
