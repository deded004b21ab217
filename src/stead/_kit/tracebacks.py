"""Notes on errors, and tracebacks without our own frames."""

from __future__ import annotations

import os
import sys
from types import TracebackType

from pydantic import ValidationError

from ..exceptions import AgentRunError, ModelRetry, ToolRetryError, UserError

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def add_note(error: BaseException, note: str) -> None:
    """Attach a note to an error; Python prints it below the message (from 3.11 on)."""
    notes: list[str] = getattr(error, '__notes__', [])
    if note not in notes:
        try:
            error.__notes__ = [*notes, note]  # type: ignore[attr-defined]
        except AttributeError:
            return


def without_traceback(error: Exception) -> Exception:
    """Return an error, the cause of another one that says all of it, without the frames that led to it, and without its causes.

    Nothing is dropped if `STEAD_FULL_TRACEBACK` is set in the environment.
    """
    if not os.environ.get('STEAD_FULL_TRACEBACK'):
        error.__traceback__ = error.__cause__ = error.__context__ = None
    return error


def trim_traceback(error: BaseException) -> None:
    """Drop frames of stead and of anyio from the tracebacks of an error and its causes: the user's code is left.

    Nothing is dropped if `STEAD_FULL_TRACEBACK` is set in the environment, nor from an error that is not ours and has no
    other frames: it may be a fault of stead.
    """
    if os.environ.get('STEAD_FULL_TRACEBACK'):
        return
    inner: BaseException | None = error
    seen: set[int] = set()
    while inner is not None and id(inner) not in seen:
        seen.add(id(inner))
        _trim(inner)
        inner = inner.__cause__ or (None if inner.__suppress_context__ else inner.__context__)


def _trim(error: BaseException) -> None:
    anyio = sys.modules.get('anyio')
    theirs = (_HERE,) if anyio is None else (_HERE, os.path.dirname(str(anyio.__file__)) + os.sep)
    kept: list[TracebackType] = []
    frame: TracebackType | None = error.__traceback__
    while frame is not None:
        if not frame.tb_frame.f_code.co_filename.startswith(theirs):
            kept.append(frame)
        frame = frame.tb_next
    if not kept and not isinstance(error, (AgentRunError, UserError, ModelRetry, ToolRetryError, ValidationError)):
        return
    chain: TracebackType | None = None
    for item in reversed(kept):
        chain = TracebackType(chain, item.tb_frame, item.tb_lasti, item.tb_lineno)
    error.__traceback__ = chain
