"""Answers in the terminal, with the package rich: Markdown while it comes in, and a line for each call.

Complete blocks are printed once and for all; only what is still growing is drawn again: the last lines of
the block that is coming in, the calls that run, and how long one has waited. Whatever the length of an answer, a redraw is a
few lines, and what was printed stays where it is when one scrolls or selects.
"""

from __future__ import annotations

import functools
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.markdown import Markdown
from rich.segment import Segment
from rich.text import Text

from .._kit.short import printable
from .._show.nodes import answer_text, as_json, call_text
from .._show.rich_trees import rich_console
from ..messages import RetryPromptPart, ToolCallPart, ToolReturnPart

_THEMES = {'dark': 'monokai', 'light': 'default'}
_FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
_FENCE = re.compile(r' {0,3}(`{3,}|~{3,})')
_EVERY = 0.1
"""Seconds between two redraws."""
P = ParamSpec('P')


def _alone(method: Callable[Concatenate[RichAnswer, P], None]) -> Callable[Concatenate[RichAnswer, P], None]:
    """Let no redraw come between the steps of a method."""

    @functools.wraps(method)
    def wrapped(self: RichAnswer, *args: P.args, **kwargs: P.kwargs) -> None:
        with self.lock:
            method(self, *args, **kwargs)

    return wrapped


class RichAnswer:
    """Shows answers as Markdown."""

    def __init__(self, code_theme: str = 'dark') -> None:
        self.console = rich_console()
        self.theme = _THEMES.get(code_theme, code_theme)
        self._live: Live | None = None
        # rich draws from a thread of its own, also between the two halves of a print: where a print has measured what is to be
        # erased, and not yet written. Lines that are there for good were erased then. So the redraws are ours, and take turns.
        self.lock = threading.RLock()
        self._new_answer()

    def _new_answer(self) -> None:
        self._text = ''
        self._open = ''
        self._has_block = self._is_spaced = False
        self._label = 'waiting'
        self._since = time.monotonic()
        self._running: dict[str, tuple[str, float]] = {}

    @_alone
    def begin(self) -> None:
        self._new_answer()
        self._start()

    @_alone
    def text(self, text: str, *, begins: bool) -> None:
        self._end_thinking()
        if begins:
            self._print_open()
            self._text = ''
        self._text += text
        self._open += text
        blocks, self._open = whole_blocks(self._open)
        for block in blocks:
            self._print_block(block)
        self._now('writing')

    @_alone
    def thinking(self) -> None:
        if self._label != 'thinking':
            self._print_open()
            self._now('thinking')

    @_alone
    def call(self, call: ToolCallPart) -> None:
        self._end_thinking()
        self._print_open()
        self._text = ''
        self._running[call.tool_call_id] = call_text(call), time.monotonic()

    @_alone
    def answered(self, part: ToolReturnPart | RetryPromptPart) -> None:
        text, begun = self._running.pop(part.tool_call_id, (part.tool_name or '', time.monotonic()))
        seconds = f'  {time.monotonic() - begun:.1f} s'
        line = Text.assemble((text, 'cyan'), ' ', (f'= {answer_text(part)}', 'dim'))
        line.truncate(max(self.console.width - len(seconds) - 1, 20), overflow='ellipsis')
        self._print(line.append(seconds, 'dim'))
        self._now('waiting')

    @contextmanager
    def asking(self) -> Iterator[None]:
        with self.lock:
            self._end_thinking()
            self._print_open()
            self._stop()
        try:
            yield
        finally:
            with self.lock:
                self._start()

    @_alone
    def end(self, output: object = None, *, is_complete: bool = True) -> None:
        self._end_thinking()
        self._print_open()
        self._stop()
        if is_complete and (output != self._text or not self._text):
            if isinstance(output, str):
                self.console.print(self._markdown(output))
            else:
                self.console.print(Text(printable(as_json(output))))

    def _markdown(self, text: str) -> Markdown:
        # Links show where they lead: as hyperlinks of the terminal they could lead elsewhere.
        return Markdown(printable(text), code_theme=self.theme, hyperlinks=False)

    def _now(self, label: str) -> None:
        if label != self._label:
            self._label, self._since = label, time.monotonic()

    def _end_thinking(self) -> None:
        if self._label == 'thinking':
            self._print(Text(f'thought for {time.monotonic() - self._since:.1f} s', 'dim italic'))
            self._now('waiting')

    def _print_open(self) -> None:
        text, self._open = self._open, ''
        if text.strip():
            self._print_block(text)
        self._has_block = False

    def _print_block(self, block: str) -> None:
        if self._has_block and not (self._is_spaced or _is_spaced(block)):
            self._print('')
        self._print(self._markdown(block))
        self._has_block, self._is_spaced = True, _is_spaced(block)

    def _print(self, what: RenderableType) -> None:
        if self._live is None:
            self.console.print(what)
        else:
            self._live.console.print(what)
            self._live.refresh()  # rich has drawn what was growing before

    def _start(self) -> None:
        if self._live is None:
            self._live = Live(get_renderable=self._growing, console=self.console, transient=True, auto_refresh=False)
            self._live.start(refresh=True)
            threading.Thread(target=self._redraw, args=(self._live,), name='stead-redraws', daemon=True).start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _redraw(self, live: Live) -> None:
        """Draw what is growing again and again, until the display is stopped."""
        while True:
            time.sleep(_EVERY)
            with self.lock:
                if self._live is not live:
                    return
                live.refresh()

    def _growing(self) -> RenderableType:
        now = time.monotonic()
        frame = _FRAMES[int(now * 10) % len(_FRAMES)]
        lines: list[RenderableType] = []
        if self._open.strip():
            if self._has_block and not (self._is_spaced or _is_spaced(self._open)):
                lines.append(Text(''))
            lines.append(_LastLines(self._markdown(self._open)))
            # Lines fill the width. After one, the ^C that a terminal shows would begin another, and a redraw leave one behind.
            lines.append(Text(''))
        else:
            running = list(self._running.values()) or [(self._label, self._since)]
            for text, begun in running[-5:]:
                line = Text(f'{frame} {text}', 'dim', no_wrap=True, overflow='ellipsis')
                line.truncate(max(self.console.width - 10, 20), overflow='ellipsis')
                lines.append(line.append(f'  {now - begun:.0f} s'))
        return Group(*lines)


class _LastLines:
    """The last lines of something that may be higher than the terminal, where it could not be drawn again."""

    def __init__(self, inner: RenderableType) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self.inner, options.update(height=None), pad=False)
        for line in lines[-max(console.height - 4, 1) :]:
            yield from line
            yield Segment.line()


def _is_spaced(block: str) -> bool:
    """Return whether rich puts empty lines around a block by itself: tables and code."""
    return block.lstrip().startswith(('|', '```', '~~~'))


def whole_blocks(text: str) -> tuple[list[str], str]:
    """Return the complete blocks of Markdown, and the rest, which may still grow.

    A block ends with an empty line that is not in fenced code, and before a line that is not indented: an indented one belongs
    to the list item or the code above it.
    """
    blocks: list[str] = []
    start, place, fence, was_empty = 0, 0, '', False
    *lines, _ = text.split('\n')  # the last line is still coming in
    for line in lines:
        if was_empty and not fence and line.strip() and not line.startswith((' ', '\t')):
            blocks.append(text[start:place])
            start = place
        found = _FENCE.match(line)
        if fence:
            if found is not None and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ''
        elif found is not None:
            fence = found[1]
        was_empty = not line.strip()
        place += len(line) + 1
    return blocks, text[start:]
