"""What is known about output functions from their signatures."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from ..tools.schema import is_run_context

_NO_FUNCTIONS = ('typing', 'typing_extensions', 'types')
"""Modules of callable objects that stand for types, such as `list[int]` and what `NewType` returns."""


def is_function(output: Any) -> bool:
    """Return whether an output is a function: also a method, a partial, or an object of a callable class."""
    if isinstance(output, type):
        return False
    if inspect.isroutine(output) or isinstance(output, partial):
        return True
    form = cast('type[Any]', type(output))
    return (
        callable(output)
        and form.__module__ not in _NO_FUNCTIONS
        and get_origin(output) is None
        and not hasattr(form, '__get_pydantic_core_schema__')
    )


def function_name(function: Any) -> str:
    """Return the name of a function, of the function a partial is made of, or of the class of a callable object."""
    while isinstance(function, partial):
        function = cast(Any, function).func
    return getattr(function, '__name__', None) or type(function).__name__


def parameters(function: Any) -> list[inspect.Parameter]:
    """Return the parameters of a function, with annotations resolved as far as they can be, without the run context."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some builtins do not say
        return []
    hints = _hints(function)
    found = [parameter.replace(annotation=hints.get(parameter.name, inspect.Parameter.empty)) for parameter in found]
    return found[1:] if takes_context(found) else found


def takes_context(found: list[inspect.Parameter]) -> bool:
    """Return whether the first of some parameters takes the run context."""
    return bool(found) and is_run_context(found[0].annotation)


def context_comes_first(function: Any) -> bool:
    """Return whether the first parameter of a function takes the run context."""
    try:
        count = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return len(parameters(function)) < count


def only_parameter(found: list[inspect.Parameter]) -> inspect.Parameter | None:
    """Return the parameter of a function that has just one, so that its value can stand for all arguments."""
    if len(found) != 1 or found[0].kind is inspect.Parameter.VAR_KEYWORD:
        return None
    return found[0]


def default_of(parameter: inspect.Parameter) -> Any:
    """Return the value of a parameter that the model did not send."""
    if isinstance(parameter.default, FieldInfo):
        return parameter.default.get_default(call_default_factory=True)
    return () if parameter.kind is inspect.Parameter.VAR_POSITIONAL else parameter.default


def takes_text(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter can take text, as far as its annotation says."""
    return _admits_text(parameter.annotation)


def _admits_text(annotation: Any) -> bool:
    if annotation in (inspect.Parameter.empty, Any, object, str):
        return True
    if get_origin(annotation) is Annotated:
        return _admits_text(get_args(annotation)[0])
    return str in get_args(annotation)


def return_type(function: Any) -> Any:
    """Return the type of what a function returns in the end; a function that does not say is taken to return text."""
    hint = _hints(function).get('return', str)
    if get_origin(hint) in (Awaitable, Coroutine):
        return get_args(hint)[-1]
    return type(None) if hint is None else hint


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    target: Any = function
    while isinstance(target, partial):
        target = cast(Any, target).func
    if not inspect.isroutine(target):
        target = type(target).__call__
    target = inspect.unwrap(target)
    try:
        return typing.get_type_hints(getattr(target, '__func__', target), include_extras=True)
    except Exception:  # what cannot be resolved says nothing here; validation reports it
        return {}
