"""How `stead chat` shows an answer while it comes in: plainly, or with the package rich in a terminal."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from .._kit.short import printable
from .._show.nodes import as_json
from ..messages import RetryPromptPart, ToolCallPart, ToolReturnPart

CALL_WIDTH = 200
"""How many characters of a call are shown."""


class AnswerView(Protocol):
    """Shows one answer after the other."""

    def begin(self) -> None:
        """Begin an answer: nothing of it is there yet."""
        ...

    def text(self, text: str, *, begins: bool) -> None:
        """Show a piece of text.

        Args:
            text: The piece.
            begins: Whether it begins a new text, because the one before was not the final answer.
        """
        ...

    def thinking(self) -> None:
        """Show that the model thinks."""
        ...

    def call(self, call: ToolCallPart) -> None:
        """Show that a tool is called."""
        ...

    def answered(self, part: ToolReturnPart | RetryPromptPart) -> None:
        """Show that a call has its answer."""
        ...

    def asking(self) -> AbstractContextManager[object]:
        """Return a context in which a person is asked at the terminal."""
        ...

    def end(self, output: object = None, *, is_complete: bool = True) -> None:
        """End the answer.

        Args:
            output: The output of the run.
            is_complete: Whether there is one; otherwise the answer was stopped, or the run failed.
        """
        ...


class PlainAnswer:
    """Writes text as it comes in to the standard output, and a line for each call to the standard error."""

    def __init__(self) -> None:
        self.written = ''
        """The text of the last response that has been written so far."""

    def begin(self) -> None:
        self.written = ''

    def text(self, text: str, *, begins: bool) -> None:
        if begins:
            self._end_line()
        if text:
            self.written += text
            print(printable(text), end='', flush=True)

    def thinking(self) -> None:
        return

    def call(self, call: ToolCallPart) -> None:
        self._end_line()
        print(printable(f'[{call.tool_name} {call.args_as_json_str()[:CALL_WIDTH]}]'), file=sys.stderr)

    def answered(self, part: ToolReturnPart | RetryPromptPart) -> None:
        return

    def asking(self) -> AbstractContextManager[object]:
        if sys.stdin.isatty():
            self._end_line()
        return nullcontext()

    def end(self, output: object = None, *, is_complete: bool = True) -> None:
        was_written, whole = bool(self.written), self.written
        if was_written:
            print()
        self.written = ''
        if is_complete and (output != whole or not was_written):
            print(printable(output if isinstance(output, str) else as_json(output)))

    def _end_line(self) -> None:
        if self.written:
            print()
        self.written = ''


def answer_view(code_theme: str = 'dark') -> AnswerView:
    """Return a view that suits the standard output: with Markdown and colours in a terminal, if the package rich is installed.

    Args:
        code_theme: The colours of code: `dark`, `light`, or the name of a style of Pygments.
    """
    if sys.stdout.isatty() and sys.stdin.isatty() and os.environ.get('TERM', 'dumb') != 'dumb':
        try:
            from .rich_answer import RichAnswer
        except ImportError:  # the extra "cli" is not installed
            pass
        else:
            return RichAnswer(code_theme)
    return PlainAnswer()
