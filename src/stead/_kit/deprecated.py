"""Deprecated names, and methods that became properties: the value of `result.usage` can still be called, with a warning."""

from __future__ import annotations

import sys
import warnings
from datetime import datetime

from typing_extensions import Self

from ..exceptions import PydanticAIDeprecationWarning

OLD_NAMES_WORK = True
"""Whether old names of arguments are accepted, and times can be called; 2.x has neither."""
WHOLE_RESPONSES_STREAM = True
"""Whether a model that has whole responses only streams them in pieces; in the mirrored interface that is an error."""


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


class _CallableDatetime(datetime):
    """A datetime that can be called."""

    owner = ''

    def __call__(self) -> datetime:
        warn_deprecated(f'`{self.owner}` is a property now; leave out the parentheses.')
        return datetime.fromtimestamp(self.timestamp(), tz=self.tzinfo)


def callable_datetime(value: datetime, owner: str) -> datetime:
    """Return a datetime that can also be called, for `result.timestamp()`, where old names work."""
    if not OLD_NAMES_WORK:
        return value
    copy = _CallableDatetime(
        value.year,
        value.month,
        value.day,
        value.hour,
        value.minute,
        value.second,
        value.microsecond,
        value.tzinfo,
        fold=value.fold,
    )
    copy.owner = owner
    return copy


class CallableRecord:
    """What `result.usage` returns, which was a method: the value can still be called."""

    __slots__ = ()

    def __call__(self) -> Self:
        """Return the usage itself; the old way to read it."""
        warn_deprecated('`usage` is a property now; leave out the parentheses.')
        return self


def warn_old_name(module: str, name: str, home: str, new: str) -> None:
    """Warn that a name of a module is an old one, and name the new one."""
    if (home, new) != (module, name):
        warn_caller(f'`{module}.{name}` is an old name; use `{home}.{new}`.')
