"""Functions: their annotations, what they are called with and whether they return anything."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from types import GenericAlias
from typing import Any, cast

import pydantic
from typing_extensions import TypeAlias, TypeGuard, TypeIs

TypeForm: TypeAlias = Any
"""A type as it stands in an annotation: a class, a union, a special form or a string. Checkers have no type for all of them."""
Annotations: TypeAlias = dict[str, TypeForm]
"""Annotations by the name of the parameter; that of the result is under `return`."""


def is_class(annotation: object) -> TypeGuard[type[object]]:
    """Return whether an annotation is a class, and not a class with parameters such as `list[int]`."""
    return isinstance(annotation, type) and not isinstance(
        annotation, GenericAlias
    )  # which Python 3.10 also counts as a `type`


def is_field_info(value: object) -> TypeGuard[pydantic.fields.FieldInfo]:
    """Return whether a value is what pydantic's `Field` returns, without loading what defines it."""
    fields = sys.modules.get('pydantic.fields')
    return fields is not None and isinstance(value, fields.FieldInfo)


def closure_names(function: object) -> dict[str, object]:
    """Return the variables of enclosing functions that a function uses; annotations may name them too."""
    code = getattr(function, '__code__', None)
    names: dict[str, object] = {}
    for name, cell in zip(code.co_freevars if code else (), getattr(function, '__closure__', None) or ()):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return names


def without_partial(function: object) -> Any:
    """Return the function that a partial, or a partial of a partial, calls; anything else as it is."""
    while isinstance(function, partial):
        function = cast('partial[object]', function).func
    return function


def is_async_callable(obj: object) -> TypeIs[Callable[..., Awaitable[Any]]]:
    """Return whether calling an object returns an awaitable: a function, method, partial or callable object."""
    while isinstance(obj, partial):
        obj = cast('partial[object]', obj).func
    if inspect.iscoroutinefunction(obj):
        return True
    return not inspect.isroutine(obj) and inspect.iscoroutinefunction(getattr(type(obj), '__call__', None))  # noqa: B004  # type: ignore[reportUnknownArgumentType]


def returns_nothing(function: object) -> bool:
    """Return whether a Python function has no `return` with a value; `False` where that is not known."""
    import dis

    code = getattr(function, '__code__', None)
    if code is None:
        return False
    before = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == 'RETURN_CONST' and instruction.argval is not None:
            return False
        if instruction.opname == 'RETURN_VALUE' and (
            before is None
            or before.opname != 'LOAD_CONST'
            or before.argval is not None
            or instruction.is_jump_target  # with a value from elsewhere
        ):
            return False
        before = instruction
    return True
