"""Annotations, and the functions that they belong to."""

from __future__ import annotations

import sys
from functools import partial
from types import GenericAlias
from typing import Any, cast

import pydantic
from typing_extensions import TypeAlias, TypeGuard

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
