"""Small things that builder graphs share: types as values, optional values, names of callables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Optional, Union, cast, get_args, get_origin

from typing_extensions import TypeAliasType, TypeVar

__all__ = (
    'Maybe',
    'Some',
    'TypeExpression',
    'TypeOrTypeExpression',
    'get_callable_name',
    'unpack_type_expression',
)

T = TypeVar('T', infer_variance=True)


class TypeExpression(Generic[T]):
    """A wrapper for a type that is not a class: `TypeExpression[Literal['yes', 'no']]`."""


TypeOrTypeExpression = TypeAliasType('TypeOrTypeExpression', Union[type[TypeExpression[T]], type[T]], type_params=(T,))
"""A class, or any other type inside a `TypeExpression`."""


def unpack_type_expression(type_: TypeOrTypeExpression[T]) -> type[T]:
    """Return the type itself.

    Args:
        type_: A class, or a type inside a `TypeExpression`.
    """
    return get_args(type_)[0] if get_origin(type_) is TypeExpression else cast('type[T]', type_)


@dataclass
class Some(Generic[T]):
    """A value that is present, and may be None."""

    value: T
    """The value."""


Maybe = TypeAliasType('Maybe', Optional[Some[T]], type_params=(T,))
"""A value that may be missing; unlike with `Optional`, None can be the value."""


def get_callable_name(callable_: object) -> str:
    """Return the name of a function or class, or a name for another callable.

    Args:
        callable_: The callable.
    """
    if isinstance(callable_, partial):
        return get_callable_name(cast('partial[Any]', callable_).func)
    name = getattr(callable_, '__name__', None)
    if isinstance(name, str):
        return name
    cls = cast('type[Any]', type(callable_))
    # The default repr contains an address, so it cannot serve as an id.
    return cls.__name__ if cls.__repr__ is object.__repr__ else str(callable_)
