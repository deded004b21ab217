"""`stead chat` in a real terminal: Markdown, calls in a line, editing, commands."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip('rich')
pytest.importorskip('prompt_toolkit')
pyte = pytest.importorskip('pyte')  # a terminal
if sys.platform == 'win32':
    pytest.skip('pseudo-terminals', allow_module_level=True)

from rich.console import Console

from stead._cli import rich_answer
from stead._cli.rich_answer import whole_blocks

PROGRAM = """
from stead import Agent
from stead.messages import ToolReturnPart
from stead.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel

ANSWER = '''# Orders

One is **sent**:

```python
def f():

    return 1
```

[Look](https://example.com) \\x1b[2J.
'''


async def respond(messages, info):
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        for place in range(0, len(ANSWER), 5):
            yield ANSWER[place : place + 5]
    elif last.content == 'fail':
        raise RuntimeError('the model is gone')
    else:
        yield {0: DeltaThinkingPart(content='Let me see.')}
        yield {1: DeltaToolCall('refund' if last.content == 'refund' else 'look', '{"order": "7"}')}


agent = Agent(FunctionModel(stream_function=respond), name='shop')


@agent.tool_plain
def look(order: str) -> str:
    '''Look for an order.'''
    return f'order {order} in Rome'


@agent.tool_plain(requires_approval=True)
def refund(order: str) -> str:
    return f'refunded {order}'
"""
ROWS, COLUMNS = 400, 80


class Terminal:
    """A conversation in a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        import fcntl
        import pty
        import struct
        import termios

        (folder / 'shop.py').write_text(PROGRAM)
        self.reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, '-W', 'error', '-m', 'stead', 'chat', 'shop:agent'],
            cwd=folder,
            env={**os.environ, 'TERM': 'xterm-256color', 'XDG_STATE_HOME': str(folder)},
            stdin=writer,
            stdout=writer,
            stderr=writer,
            start_new_session=True,
        )
        os.close(writer)
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)

    def until(self, is_there: Callable[[], bool]) -> None:
        """Read until something is shown, or the program has ended."""
        import select

        end = time.monotonic() + 60
        while not is_there():
            assert time.monotonic() < end, self.text()
            if select.select([self.reader], [], [], 0.2)[0]:
                try:
                    data = os.read(self.reader, 65536)
                except OSError:  # the other end is closed
                    return
                self.stream.feed(data)
                for _ in range(data.count(b'\x1b[6n')):  # where is the cursor?
                    os.write(self.reader, f'\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R'.encode())

    def text(self, start: int = 0) -> str:
        """Return what is on the screen from a line on."""
        return '\n'.join(line.rstrip() for line in self.screen.display[start:]).rstrip()

    def is_asking(self) -> bool:
        """Whether the cursor is behind a question."""
        return self.screen.display[self.screen.cursor.y].rstrip().endswith(('shop >', 'conversation?'))

    def type(self, line: str) -> str:
        """Type a line once there is a prompt, and return what is shown from there to the next prompt."""
        self.until(self.is_asking)
        start = self.screen.cursor.y
        os.write(self.reader, f'{line}\r'.encode())
        self.until(lambda: self.screen.cursor.y > start and self.is_asking())
        return self.text(start)

    def end(self) -> int:
        """Exit, and return the exit code of the program."""
        self.type('/exit')
        return self.process.wait(30)

    def close(self) -> None:
        os.close(self.reader)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.close()


def test_an_answer_is_markdown_and_calls_take_a_line(terminal: Terminal, tmp_path: Path) -> None:
    screen = terminal.type('where?')
    assert 'thought for' in screen
    assert re.search(r'look\(\{"order": "7"\}\) = order 7 in Rome  \d\.\d s', screen)
    assert 'One is sent:' in screen  # the stars became bold
    assert '    return 1' in screen
    assert 'Look (https://example.com)' in screen  # where a link leads can be read
    assert '\\x1b[2J' in screen
    assert '[y]es, [n]o' in terminal.type('refund')
    assert '= refunded 7' in terminal.type('y')
    assert 'RuntimeError: the model is gone' in terminal.type('fail')
    assert 'Look for an order.' in terminal.type('/tools')
    assert '4 requests, 2 tool calls' in terminal.type('/usage')
    assert '8 messages written' in terminal.type('/save talk.json')
    assert 'forgotten' in terminal.type('/new')
    assert '8 messages read' in terminal.type('/load talk.json')
    assert "Unknown provider: 'nope'" in terminal.type('/model nope:x')
    assert '└── = refunded 7' in terminal.type('/show')
    assert terminal.end() == 0
    assert '+where?' in (tmp_path / 'stead' / 'chat-history').read_text()


@pytest.mark.parametrize(
    ('text', 'blocks', 'rest'),
    [
        ('one', [], 'one'),
        ('one\n\n', [], 'one\n\n'),
        ('one\n\ntwo', [], 'one\n\ntwo'),  # what comes next may still be indented
        ('one\n\ntwo\n', ['one\n\n'], 'two\n'),
        ('- a\n\n  more\n\nb\n', ['- a\n\n  more\n\n'], 'b\n'),
        ('```py\na\n\nb\n```\n\nc\n', ['```py\na\n\nb\n```\n\n'], 'c\n'),
        ('~~~\na\n\n```\n\nb\n', [], '~~~\na\n\n```\n\nb\n'),
        ('a\n\nb\n\nc\n', ['a\n\n', 'b\n\n'], 'c\n'),
    ],
)
def test_blocks_end_where_nothing_can_belong_to_them(text: str, blocks: list[str], rest: str) -> None:
    assert whole_blocks(text) == (blocks, rest)


def test_redraws_leave_what_was_printed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is growing is drawn again all the time, from another thread, while lines are printed above it."""
    monkeypatch.setattr(rich_answer, '_EVERY', 0.0005)
    written = io.StringIO()
    answer = rich_answer.RichAnswer()
    answer.console = Console(file=written, force_terminal=True, width=60, height=20)
    text = (
        '**Done**\n\n| a |\n|---|\n| 1 |\n\n- first\n- second\n\n```python\nprint(1)\n```\n[Look](https://example.com)'
    )
    for size in (len(text), 30, 7) * 8:
        answer.begin()
        for place in range(0, len(text), size):
            answer.text(text[place : place + size], begins=place == 0)
            time.sleep(0.001)
        answer.end(text)
    screen = pyte.Screen(60, 1000)
    pyte.Stream(screen).feed(written.getvalue().replace('\n', '\r\n'))
    lines = [line.strip() for line in screen.display]
    assert [lines.count(line) for line in ('Done', '• first', '• second', 'print(1)')] == [24] * 4
    assert sum(line.startswith('Look') for line in lines) == 24


def test_what_a_terminal_shows_of_ctrl_c_leaves_no_line_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rich_answer, '_EVERY', 60)
    written = io.StringIO()
    answer = rich_answer.RichAnswer()
    answer.console = Console(file=written, force_terminal=True, width=30, height=20)
    answer.begin()
    for number in range(30):
        answer.text(f'w{number} ', begins=number == 0)
    assert answer._live is not None
    answer._live.refresh()
    written.write('^C')  # as the driver of a terminal does, wherever the cursor is
    answer.end(is_complete=False)
    screen = pyte.Screen(30, 100)
    pyte.Stream(screen).feed(written.getvalue().replace('\n', '\r\n'))
    assert ' '.join(line.strip() for line in screen.display).split() == [f'w{number}' for number in range(30)]
