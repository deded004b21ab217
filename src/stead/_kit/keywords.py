"""Constructors: `hinted` ones say which argument may have been meant, before Python 3.13, too; `renamed` ones take old names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from .meant import with_hint

T = TypeVar('T')


def hinted(cls: type[T]) -> type[T]:
    """Let the constructor of a class say which argument may have been meant by one that it does not have.

    For what programs are configured with: before Python 3.13 that takes one call more, too much for what runs make.
    """
    if sys.version_info < (3, 13) and '__init__' in vars(cls):
        setattr(cls, '__init__', with_hint(vars(cls)['__init__']))
    return cls


def renamed(**names: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator of a class whose constructor takes old names of arguments, too, and that has them as attributes.

    Args:
        names: The old names, each with the one of today.
    """

    def decorate(cls: type[T]) -> type[T]:
        construct: Callable[..., None] = vars(cls)['__init__']

        @wraps(construct)
        def take_old_names(self: object, *args: Any, **options: Any) -> None:
            for old in names.keys() & options.keys() if options else ():
                _warn(f'`{cls.__name__}({old}=...)` is an old name; use `{names[old]}=`.')
                options[names[old]] = options.pop(old)
            construct(self, *args, **options)

        setattr(cls, '__init__', take_old_names)
        for old, new in names.items():
            if not hasattr(cls, old):
                setattr(cls, old, _old_attribute(cls.__name__, old, new))
        return cls

    return decorate


def _old_attribute(owner: str, old: str, new: str) -> property:
    def look_up(self: object) -> Any:
        _warn(f'`{owner}.{old}` is an old name; use `{new}`.')
        return getattr(self, new)

    look_up.__doc__ = f'The old name of `{new}`.'
    return property(look_up)


def _warn(message: str) -> None:
    from .deprecated import warn_deprecated

    warn_deprecated(message, stacklevel=4)


if not TYPE_CHECKING:
    _dataclass = dataclass

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Return a class as a dataclass whose constructor is hinted; arguments as those of `dataclasses.dataclass`."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        return hinted(_dataclass(**options)(cls))


__all__ = ('dataclass', 'hinted', 'renamed')
