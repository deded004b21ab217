"""Names that do not exist: errors that say which may have been meant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from .short import short_repr

C = TypeVar('C', bound='Callable[..., None]')

_LONGEST_NAME = 200  # characters; longer ones are cut, and not compared with others
_NONE: Mapping[str, str] = {}


def unknown_name(name: str, known: Collection[str], what: str) -> str:
    """Return a message about a name that does not exist, with one that may have been meant."""
    return f'there is no {what} {short_repr(name, _LONGEST_NAME)}.{names_meant(name, known)}'


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return what follows a message without its full stop: a known name that may have been meant, or nothing."""
    close = close_names(name, known)
    return f'. Did you mean {close[0]!r}?' if close else ''


def names_meant(
    name: str, known: Collection[str], most: int = 1, written: str = '', old_names: Mapping[str, str] = _NONE
) -> str:
    """Return what follows a message about a name that does not exist: those that may have been meant, and all there are.

    Args:
        name: The name.
        known: The names that exist.
        most: How many of them may have been meant.
        written: How the same is written here, if that is known.
        old_names: For names that are used elsewhere, those that the same has here.
    """
    close = [old_names[name]] if old_names.get(name) in known else close_names(name, known, most)
    meant = f'`{written}`' if written else ' or '.join(map(repr, close))
    hint = f' Did you mean {meant}?' if meant else ''
    return f'{hint} There are: {", ".join(sorted(known))}.' if known else ''


def close_names(name: str, known: Collection[str], most: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the known names that are most like one, the closest first; none for a name of over 200 characters."""
    import difflib

    return difflib.get_close_matches(name, sorted(known), n=most, cutoff=cutoff) if len(name) <= _LONGEST_NAME else []


def unknown_keyword(owner: str, unknown: Collection[str], known: Collection[str]) -> TypeError:
    """Return the error for keyword arguments that a class does not take; it names one, and those that may have been meant."""
    name = min(unknown)
    return TypeError(f'`{owner}` has no argument {name!r}.{names_meant(name, known)}')


def with_hint(constructor: C) -> C:
    """Return a constructor whose error for an argument that it does not have says which may have been meant.

    From Python 3.13 on it is returned as it is: Python says so itself, in the same words.
    """
    if sys.version_info >= (3, 13):
        return constructor
    code: Any = constructor.__code__
    names: tuple[str, ...] = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]

    @wraps(constructor)
    def construct(self: object, *args: Any, **kwargs: Any) -> None:
        try:
            return constructor(self, *args, **kwargs)
        except TypeError as error:
            unknown = next((name for name in kwargs if name not in names), '')
            meant = close_names(unknown, names) if f'unexpected keyword argument {unknown!r}' in str(error) else []
            if not meant:
                raise
            hint = f'{error}. Did you mean {meant[0]!r}?'
        raise TypeError(hint)

    return cast('C', construct)


def missing_attribute(owner: object, name: str, renamed: Mapping[str, str]) -> AttributeError:
    """Return the error for an attribute that does not exist; it says what those are called here that others have.

    Args:
        owner: The object.
        name: The name of the attribute.
        renamed: Names elsewhere, and how the same is written here.
    """
    hint = f' Here it is `{renamed[name]}`.' if name in renamed else ''
    return AttributeError(f'{type(owner).__name__!r} object has no attribute {name!r}.{hint}', name=name, obj=owner)
