"""`capture_run_messages`: the messages of a run, available even when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from ..messages import ModelMessage


@dataclass
class CapturedMessages:
    """The list that a run shares with the block that captures its messages."""

    messages: list[ModelMessage] = field(default_factory=lambda: [])
    used: bool = False
    """Whether a run has taken the list already."""


_captured: ContextVar[CapturedMessages | None] = ContextVar('stead_captured_messages', default=None)


@contextmanager
def capture_run_messages() -> Iterator[list[ModelMessage]]:
    """Collect the messages of the first run inside the `with` block.

    Yields:
        A list that holds the history and messages of that run as they come, also after the run has failed. Blocks around
        this one that have no run yet share the list; in a tool, a block captures the runs that the tool starts.
    """
    outer = _captured.get()
    if outer is not None and not outer.used:
        yield outer.messages
        return
    captured = CapturedMessages()
    token = _captured.set(captured)
    try:
        yield captured.messages
    finally:
        _captured.reset(token)


def claim_capture(history: list[ModelMessage]) -> list[ModelMessage]:
    """Return the list that a starting run keeps its messages in: the capturing block's, if it has no run yet."""
    captured = _captured.get()
    if captured is None or captured.used:
        return history
    captured.used = True
    captured.messages[:] = history
    return captured.messages
