"""Output functions, as their signatures describe them."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeVar, get_args, get_origin

from typing_extensions import TypeGuard

from .._contracts.call_policy import Effect
from .._kit.annotations import Annotations, TypeForm, closure_names, is_field_info, without_partial
from ..exceptions import UserError
from ..tools._signature import function_name, is_run_context

_EMPTY = inspect.Parameter.empty
_EFFECT = '__output_effect__'
F = TypeVar('F', bound=Callable[..., object])
_TYPE_MODULES = ('typing', 'typing_extensions', 'types')
"""Modules of callable objects that are types rather than functions, such as `list[int]` and a `NewType`."""


@dataclass(frozen=True)
class OutputFunction:
    """The signature of an output function."""

    name: str
    """The name of the function, of the function that a partial calls, or of the class of a callable object."""
    takes_ctx: bool
    """Whether it takes the run context as its first argument."""
    parameters: list[inspect.Parameter]
    """Its other parameters; an annotation that cannot be resolved is left out."""

    @classmethod
    def of(cls, function: Callable[..., object]) -> OutputFunction:
        """Read the signature of a function."""
        name = function_name(function)
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):  # a builtin without a signature
            return cls(name, False, [])
        hints = _hints(function)
        parameters = [parameter.replace(annotation=hints.get(parameter.name, _EMPTY)) for parameter in parameters]
        takes_ctx = bool(parameters) and is_run_context(parameters[0].annotation)
        return cls(name, takes_ctx, parameters[takes_ctx:])

    @property
    def only_parameter(self) -> inspect.Parameter | None:
        """The parameter of a function that has exactly one, so that its value alone is the validated output."""
        if len(self.parameters) != 1 or self.parameters[0].kind is inspect.Parameter.VAR_KEYWORD:
            return None
        return self.parameters[0]

    @property
    def first_annotation(self) -> TypeForm:
        """The annotation of the first parameter that has one; `None` if none has."""
        return next((p.annotation for p in self.parameters if p.annotation is not _EMPTY), None)

    @property
    def text_parameter(self) -> inspect.Parameter | None:
        """The parameter that receives the text, if the function can be called with a text alone."""
        parameters = [p for p in self.parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
        needed = [p for p in parameters if p.default is _EMPTY]
        if not parameters or len(needed) > 1:
            return None
        target = (needed or parameters)[0]
        return target if _accepts_text(target.annotation) else None


def output_function(*, effect: Effect) -> Callable[[F], F]:
    """Return a decorator that says what an output function does to the world; without it, it must not be done twice.

    Args:
        effect: As that of a tool. If a process dies in a function that only reads, or may be called twice, the run that goes
            on calls it again; a person is asked about any other one.

    Raises:
        UserError: There is no such effect.
    """
    if effect not in get_args(Effect):
        raise UserError(f'`effect` of an output function is one of {get_args(Effect)}, not {effect!r}.')

    def mark(function: F) -> F:
        setattr(function, _EFFECT, effect)
        return function

    return mark


def effect_of(function: Callable[..., object] | None) -> Effect:
    """Return what an output function does to the world."""
    return getattr(without_partial(function), _EFFECT, 'write') if function is not None else 'read'


def is_function(output: object) -> TypeGuard[Callable[..., object]]:
    """Return whether an output is a function, a method, a partial or another callable that is not a type."""
    if isinstance(output, type):
        return False
    if inspect.isroutine(output) or isinstance(output, partial):
        return True
    cls = type(output)
    return (
        callable(output)
        and cls.__module__ not in _TYPE_MODULES
        and get_origin(output) is None
        and not hasattr(cls, '__get_pydantic_core_schema__')
    )


def default_of(parameter: inspect.Parameter) -> object:
    """Return the default of a parameter that the model did not send."""
    if is_field_info(parameter.default):
        return parameter.default.get_default(call_default_factory=True)
    return parameter.default


def return_type(function: Callable[..., object]) -> TypeForm:
    """Return the type of the awaited result of a function; `str` if it is not annotated."""
    hint = _hints(function).get('return', str)
    if get_origin(hint) in (Awaitable, Coroutine):
        return get_args(hint)[-1]
    return type(None) if hint is None else hint


def _accepts_text(annotation: TypeForm) -> bool:
    if annotation in (_EMPTY, Any, object, str):
        return True
    if get_origin(annotation) is Annotated:
        return _accepts_text(get_args(annotation)[0])
    return str in get_args(annotation)


def _hints(function: Callable[..., object]) -> Annotations:
    target = without_partial(function)
    if not inspect.isroutine(target):
        target = type(target).__call__
    target = inspect.unwrap(target)
    target = getattr(target, '__func__', target)
    try:
        local = closure_names(target) if inspect.isfunction(target) else None
        return typing.get_type_hints(target, localns=local, include_extras=True)
    except Exception:  # an annotation that cannot be resolved is reported when the schema is built
        return {}
