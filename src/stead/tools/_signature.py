"""What a function takes: its parameters, their annotations with strings resolved, and which one takes the run context."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import GenericAlias, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

from .._contracts.run_context import RunContext
from ..exceptions import UserError

_EMPTY = inspect.Parameter.empty
_FORMAT: dict[str, Any] = {}
if sys.version_info >= (
    3,
    14,
):  # annotations are evaluated when somebody asks for them; names that are unknown stay names
    from annotationlib import Format

    _FORMAT['annotation_format'] = Format.FORWARDREF


@dataclass(frozen=True)
class ToolSignature:
    """What a function takes from the model, and how it gets the run context."""

    parameters: list[inspect.Parameter]
    """Its parameters, without the one that takes the run context."""
    hints: dict[str, Any]
    """Annotations by name of parameter, and by `return`; those that are missing say nothing."""
    takes_ctx: bool
    """Whether its first parameter takes the run context."""
    ctx_name: str | None
    """The name of that parameter, if it can only be passed by name."""
    taken: frozenset[str] = frozenset()
    """Names that `**kwargs` cannot have, because parameters that the model does not see have them."""


def cannot_make(name: str, problem: str, remedy: str) -> UserError:
    """Return the error for a function that cannot be a tool."""
    return UserError(f'Cannot make a tool of {name!r}: {problem} {remedy}')


def function_name(function: Any) -> str:
    """Return the name of a function, of the function a partial is made of, or of the class of a callable object.

    Raises:
        UserError: It cannot be called.
    """
    if not callable(function):
        raise UserError(f'A tool must be a function or another callable, not {function!r}.')
    inner: Any = function
    while isinstance(inner, partial):
        inner = cast(Any, inner).func
    name = getattr(inner, '__name__', None)
    return name if isinstance(name, str) else type(inner).__name__


def read_signature(function: Callable[..., Any], name: str, takes_ctx: bool | None) -> ToolSignature:
    """Return what a function takes.

    Args:
        function: A function, method, partial, class or callable object.
        name: Its name, for error messages.
        takes_ctx: Whether its first parameter takes the run context; told by its annotation if `None`.

    Raises:
        UserError: It has no signature, an annotation means nothing, or the run context is in the wrong place.
    """
    try:
        signature = inspect.signature(function, **_FORMAT)
    except (TypeError, ValueError) as error:
        raise cannot_make(
            name,
            f'its signature is unknown ({error}).',
            'Wrap it in a function of your own, or use `Tool.from_schema`.',
        ) from error
    hints = _Hints(function, name).of(signature)
    parameters = list(signature.parameters.values())
    first = parameters[0] if parameters else None
    annotated = first is not None and is_run_context(hints.get(first.name))
    takes = annotated if takes_ctx is None else takes_ctx
    if takes and first is not None and first.name in hints and not annotated:
        raise cannot_make(
            name,
            f'it is registered as a tool that takes the run context, but its first parameter {first.name!r} is '
            f'annotated as {hints[first.name]!r}.',
            'Annotate it as `RunContext[...]`, or register the function with `tool_plain`.',
        )
    rest = parameters[1:] if takes else parameters
    for parameter in rest:
        if _mentions_run_context(hints.get(parameter.name)):
            if takes or takes_ctx is None:
                remedy = 'The run context must be the first parameter, and the only one of its kind.'
            else:
                remedy = 'Register the function with `tool` rather than `tool_plain`.'
            raise cannot_make(
                name, f'parameter {parameter.name!r} is for a run context ({hints[parameter.name]!r}).', remedy
            )
    named = takes and first is not None and first.kind is inspect.Parameter.KEYWORD_ONLY
    taken: set[str] = set()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in rest):
        taken = _names(_innermost(function)) - {parameter.name for parameter in rest}
    return ToolSignature(rest, hints, takes, first.name if first is not None and named else None, frozenset(taken))


def _innermost(function: Any) -> Any:
    """Return the function that takes all arguments, those that are bound already included."""
    while isinstance(function, partial):
        function = cast(Any, function).func
    if inspect.isclass(function):
        return function.__init__
    if not inspect.isroutine(function):
        function = type(function).__call__
    return getattr(function, '__func__', function)


def _names(function: Any) -> set[str]:
    """Return the names of parameters that can be passed by position and by name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a builtin, which takes no context and has no `self`
        return set()
    return {parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD}


class _Hints:
    """Resolves the annotations of a function."""

    def __init__(self, function: Any, name: str) -> None:
        self.name = name
        target: Any = function
        while isinstance(target, partial):
            target = cast(Any, target).func
        self.owner: Any = target.__self__ if inspect.ismethod(target) else None
        target = inspect.unwrap(target)
        if not inspect.isroutine(target) and not inspect.isclass(target):
            self.owner = target
            target = inspect.unwrap(type(target).__call__)
        target = getattr(target, '__func__', target)
        self.target = target

    def of(self, signature: inspect.Signature) -> dict[str, Any]:
        """Return the annotations in a signature."""
        found = {p.name: p.annotation for p in signature.parameters.values() if p.annotation is not _EMPTY}
        if signature.return_annotation is not _EMPTY:
            found['return'] = type(None) if signature.return_annotation is None else signature.return_annotation
        if all(map(is_class, found.values())):
            return found  # nothing to resolve
        try:
            return self.resolved(found)
        except Exception:
            return self.one_by_one(found)

    def resolved(self, annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
        def holder() -> None: ...

        holder.__annotations__ = annotations
        module = sys.modules.get(getattr(self.target, '__module__', None) or '')
        names = getattr(self.target, '__globals__', None) or getattr(module, '__dict__', {})
        local = {**more, **closure_names(self.target)}
        return typing.get_type_hints(holder, names, local, include_extras=True)

    def one_by_one(self, annotations: dict[str, Any]) -> dict[str, Any]:
        """Resolve what can be resolved, with the names that a method sees in its class, too; report what cannot."""
        owner = self.owner if self.owner is None or isinstance(self.owner, type) else type(self.owner)
        more: dict[str, Any] = {} if owner is None else {**vars(owner), owner.__name__: owner}
        hints: dict[str, Any] = {}
        for position, (parameter, annotation) in enumerate(annotations.items()):
            try:
                hints.update(self.resolved({parameter: annotation}))
                continue
            except Exception:
                pass
            try:
                hints.update(self.resolved({parameter: annotation}, **more))
            except Exception as error:
                if parameter == 'return':
                    continue  # it only describes the tool; who imports it for type checkers alone loses no more
                if position == 0 and (context := self.context(annotation)) is not None:
                    hints[parameter] = context
                    continue
                raise self.error(parameter, annotation, error) from error
        return hints

    def context(self, annotation: Any) -> Any:
        """Return the run context of which an annotation only leaves open the type of the dependencies."""
        if is_run_context(annotation):
            return annotation
        match = re.fullmatch(r'\s*([\w.]+)\s*\[.*\]\s*', annotation, re.DOTALL) if isinstance(annotation, str) else None
        if match is None:
            return None
        try:
            base = self.resolved({'base': match[1]})['base']
        except Exception:
            return None
        return base if is_run_context(base) else None

    def error(self, parameter: str, annotation: Any, error: Exception) -> UserError:
        where = f'the annotation of parameter {parameter!r}'
        if isinstance(error, NameError):
            missing = getattr(error, 'name', None)
            return cannot_make(
                self.name,
                f'{where} uses the name {missing!r}, which is not defined in module {self.target.__module__!r}.',
                'Define or import it at module level (not only under `TYPE_CHECKING`).',
            )
        return cannot_make(
            self.name,
            f'{where} is {annotation!r}, which is not a type ({type(error).__name__}: {error}).',
            'Annotate it with a type.',
        )


def is_class(annotation: Any) -> bool:
    """Return whether an annotation is a class, and not a class with parameters such as `list[int]`."""
    return isinstance(annotation, type) and not isinstance(annotation, GenericAlias)  # Python 3.10 takes it for one


def closure_names(function: Any) -> dict[str, Any]:
    """Return the names that a function refers to from the functions around it; annotations may use them too."""
    code = getattr(function, '__code__', None)
    names: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars if code else (), getattr(function, '__closure__', None) or ()):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return names


def _mentions_run_context(annotation: Any) -> bool:
    return is_run_context(annotation) or any(map(_mentions_run_context, get_args(annotation)))


def is_run_context(annotation: Any) -> bool:
    """Return whether an annotation is of a run context: plain, subscripted, subclassed, optional or annotated."""
    if annotation is None:
        return False
    if is_class(annotation):
        return issubclass(annotation, RunContext)
    origin = get_origin(annotation)
    if origin is Annotated:
        return is_run_context(get_args(annotation)[0])
    if origin in (Union, UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
        return len(members) == 1 and is_run_context(members[0])
    return isinstance(origin, type) and issubclass(origin, RunContext)
