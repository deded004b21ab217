"""What graphs look up in the calling program: the variables that hold them, and Logfire."""

from __future__ import annotations

import inspect
import sys
from contextlib import AbstractContextManager, nullcontext
from types import FrameType
from typing import Any

_PACKAGE = __name__.rpartition('.')[0]


def caller() -> FrameType | None:
    """Return the frame that called into this package; inside a task, this is a frame of the event loop."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get('__name__', '').startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def name_of(value: object) -> str | None:
    """Return the name of the variable that holds an object where this package was called from."""
    frame = caller()
    if frame is not None:
        for names in (frame.f_locals, frame.f_globals):
            for name, held in names.items():
                if held is value:
                    return name
    return None


def logfire_span(enabled: bool, template: str, **attributes: object) -> AbstractContextManager[object]:
    """Return a Logfire span if the program has imported `logfire`, and a context manager that does nothing otherwise."""
    logfire: Any = sys.modules.get('logfire') if enabled else None
    return nullcontext() if logfire is None else logfire.span(template, **attributes)
