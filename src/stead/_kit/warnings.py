"""The classes of warnings, and how to warn. Deprecations are visible by default: users see them before a removal."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any


class PydanticAIDeprecationWarning(UserWarning):
    """A name or behaviour is deprecated: it still works, but will be removed. A `UserWarning`, so it is shown by default."""


class CostCalculationFailedWarning(Warning):
    """The price of a response could not be calculated, so its trace has none."""


SteadDeprecationWarning = PydanticAIDeprecationWarning


def warn_deprecated(
    message: str, category: type[Warning] = PydanticAIDeprecationWarning, *, stacklevel: int = 3
) -> None:
    """Warn about the use of an old name."""
    warnings.warn(message, category, stacklevel=stacklevel)


_SKIPPED_PACKAGES = ('stead', 'asyncio', 'contextlib', 'functools', 'importlib')


def warn_caller(message: str, category: type[Warning] = PydanticAIDeprecationWarning) -> None:
    """Warn about the use of an old name at the line that uses it, however deep in the call stack this function is called."""
    # Frames of ours, and of the library functions between them, are not the line to warn about.
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get('__name__', '').partition('.')[0] in _SKIPPED_PACKAGES:
        frame = frame.f_back
    # Not by a level of the stack, since Python does not count the frames of an import there.
    module = frame.f_globals.get('__name__', '<sys>')
    registry = frame.f_globals.setdefault('__warningregistry__', {})
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def old_name(module: str, name: str, home: str, new: str) -> Any:
    """Return what an old name of a module stands for, with a warning that names the new one."""
    if (home, new) != (module, name):
        warn_caller(f'`{module}.{name}` is an old name; use `{home}.{new}`.')
    return getattr(importlib.import_module(home), new)
