"""What is known about output functions from their signatures."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from ..tools._signature import closure_names, is_run_context

_EMPTY = inspect.Parameter.empty
_OF_TYPES = ('typing', 'typing_extensions', 'types')
"""Modules of callable objects that stand for types, such as `list[int]` and what `NewType` returns."""


@dataclass(frozen=True)
class OutputFunction:
    """An output function, and what its signature says."""

    name: str
    """The name of the function, of the function a partial is made of, or of the class of a callable object."""
    takes_ctx: bool
    """Whether it takes the run context as its first argument."""
    parameters: list[inspect.Parameter]
    """Its other parameters, with annotations resolved as far as they can be."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> OutputFunction:
        """Look at a function."""
        inner: Any = function
        while isinstance(inner, partial):
            inner = cast(Any, inner).func
        name = getattr(inner, '__name__', None) or type(inner).__name__
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):  # some builtins do not say
            return cls(name, False, [])
        hints = _hints(function)
        parameters = [parameter.replace(annotation=hints.get(parameter.name, _EMPTY)) for parameter in parameters]
        takes_ctx = bool(parameters) and is_run_context(parameters[0].annotation)
        return cls(name, takes_ctx, parameters[takes_ctx:])

    @property
    def only_parameter(self) -> inspect.Parameter | None:
        """The parameter of a function that has just one, so that its value can stand for all arguments."""
        if len(self.parameters) != 1 or self.parameters[0].kind is inspect.Parameter.VAR_KEYWORD:
            return None
        return self.parameters[0]

    @property
    def first_annotation(self) -> Any:
        """The type of the first parameter that says one."""
        return next((p.annotation for p in self.parameters if p.annotation is not _EMPTY), None)

    @property
    def text_parameter(self) -> inspect.Parameter | None:
        """The parameter for the text, if the function can be called with just a text."""
        parameters = [p for p in self.parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
        needed = [p for p in parameters if p.default is _EMPTY]
        if not parameters or len(needed) > 1:
            return None
        target = (needed or parameters)[0]
        return target if _admits_text(target.annotation) else None


def is_function(output: Any) -> bool:
    """Return whether an output is a function: also a method, a partial, or an object of a callable class."""
    if isinstance(output, type):
        return False
    if inspect.isroutine(output) or isinstance(output, partial):
        return True
    form = cast('type[Any]', type(output))
    return (
        callable(output)
        and form.__module__ not in _OF_TYPES
        and get_origin(output) is None
        and not hasattr(form, '__get_pydantic_core_schema__')
    )


def default_of(parameter: inspect.Parameter) -> Any:
    """Return the value of a parameter that the model did not send."""
    if isinstance(parameter.default, FieldInfo):
        return parameter.default.get_default(call_default_factory=True)
    return () if parameter.kind is inspect.Parameter.VAR_POSITIONAL else parameter.default


def return_type(function: Callable[..., Any]) -> Any:
    """Return the type of what a function returns in the end; a function that does not say is taken to return text."""
    hint = _hints(function).get('return', str)
    if get_origin(hint) in (Awaitable, Coroutine):
        return get_args(hint)[-1]
    return type(None) if hint is None else hint


def _admits_text(annotation: Any) -> bool:
    if annotation in (_EMPTY, Any, object, str):
        return True
    if get_origin(annotation) is Annotated:
        return _admits_text(get_args(annotation)[0])
    return str in get_args(annotation)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    target: Any = function
    while isinstance(target, partial):
        target = cast(Any, target).func
    if not inspect.isroutine(target):
        target = type(target).__call__
    target = inspect.unwrap(target)
    target = getattr(target, '__func__', target)
    try:
        local = closure_names(target) if inspect.isfunction(target) else None
        return typing.get_type_hints(target, localns=local, include_extras=True)
    except Exception:  # what cannot be resolved says nothing here; making the schema reports it
        return {}
