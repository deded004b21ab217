"""What graphs find in the program around them: the variables that hold them, and Logfire."""

from __future__ import annotations

import inspect
import sys
from contextlib import AbstractContextManager, nullcontext
from types import FrameType
from typing import Any

_PACKAGE = __name__.rpartition('.')[0]


def caller() -> FrameType | None:
    """Return the frame that called into this package; inside a task that is the event loop's."""
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


def logfire_span(enabled: bool, template: str, **attributes: Any) -> AbstractContextManager[Any]:
    """Return a Logfire span in a program that has imported `logfire`, and something that does nothing elsewhere."""
    logfire: Any = sys.modules.get('logfire') if enabled else None
    return nullcontext() if logfire is None else logfire.span(template, **attributes)
