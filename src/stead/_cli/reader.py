"""How `stead chat` reads prompts: lines of the standard input, or with the package prompt_toolkit in a terminal."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

LARGEST_HISTORY = 1_000_000
"""Bytes of the file with earlier prompts; the older half of a larger one is deleted."""


class PromptReader(Protocol):
    """Reads what a person writes."""

    async def read(self, name: str) -> str | None:
        """Return a prompt, which may have several lines; `None` at the end of the input.

        Args:
            name: What stands before the prompt.
        """
        ...


class PlainReader:
    """Reads lines; one that ends with a backslash goes on in the next. In a terminal they can be edited."""

    def __init__(self) -> None:
        if sys.stdin.isatty():
            try:
                import readline as readline  # `input` then edits lines
            except ImportError:  # not on every system
                pass

    async def read(self, name: str) -> str | None:
        return self._read(name)

    def _read(self, name: str) -> str | None:
        # This blocks the event loop: a thread that reads would leave the terminal without echo when the program exits.
        prompt = f'{name} > ' if sys.stdin.isatty() else ''
        lines: list[str] = []
        try:
            with on_interrupt(signal.default_int_handler):
                while True:
                    lines.append(input(prompt if not lines else '... '[: len(prompt)]))
                    if not lines[-1].endswith('\\'):
                        return '\n'.join(lines)
                    lines[-1] = lines[-1][:-1]
        except (EOFError, KeyboardInterrupt):
            if prompt:
                print()
            return '\n'.join(lines) or None


def make_reader(commands: Sequence[str]) -> PromptReader:
    """Return a reader that suits the standard input.

    Args:
        commands: The commands, for completion.
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get('TERM', 'dumb') != 'dumb':
        try:
            from .edited_reader import EditedReader
        except ImportError:  # the extra "cli" is not installed
            pass
        else:
            return EditedReader(commands, history_file())
    return PlainReader()


def history_file() -> Path | None:
    """Return the file with earlier prompts, made if it was not there; `None` if it cannot be written."""
    state = os.environ.get('XDG_STATE_HOME') or Path.home() / '.local' / 'state'
    path = Path(state) / 'stead' / 'chat-history'
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        if path.stat().st_size > LARGEST_HISTORY:
            kept = path.read_bytes()[-LARGEST_HISTORY // 2 :]
            path.write_bytes(kept[max(kept.find(b'\n# '), 0) :])
    except OSError:
        return None
    return path


@contextmanager
def on_interrupt(handler: Callable[..., object]) -> Iterator[None]:
    """Let Ctrl+C call a handler inside the block; only the main thread can change this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
