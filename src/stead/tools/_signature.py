"""Signatures of tool functions: parameters, resolved annotations, and the parameter that takes the run context."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

from typing_extensions import Self

from .._contracts.run_context import RunContext
from .._kit.annotations import Annotations, TypeForm, closure_names, is_class, without_partial
from .._kit.short import short_repr, type_name
from ..exceptions import UserError

_EMPTY = inspect.Parameter.empty
if sys.version_info >= (3, 14):
    from annotationlib import Format

    # Annotations are evaluated when they are read; this way names that are not defined stay names instead of raising.
    _signature_of = partial(inspect.signature, annotation_format=Format.FORWARDREF)
else:
    _signature_of = inspect.signature


@dataclass(frozen=True)
class ToolSignature:
    """The parameters that the model fills in, and how the function receives the run context."""

    parameters: list[inspect.Parameter]
    """Its parameters, without the one that takes the run context."""
    hints: Annotations
    """Resolved annotations; a parameter without one has no entry."""
    takes_ctx: bool
    """Whether its first parameter takes the run context."""
    ctx_name: str | None
    """The name of that parameter, if it can only be passed by name."""
    hidden_names: frozenset[str] = frozenset()
    """Names that may not be passed in `**kwargs`, because they belong to parameters that the model does not see."""
    per_class: bool = False
    """Whether an annotation was `Self`, which is the class that the method is bound to."""


def cannot_make_tool(name: str, problem: str, remedy: str) -> UserError:
    """Return the error for a function that cannot become a tool."""
    return UserError(f'Cannot make a tool of {name!r}: {problem} {remedy}')


def function_name(function: object) -> str:
    """Return the name of a function, of the function that a partial calls, or of the class of a callable object.

    Raises:
        UserError: The object is not callable.
    """
    if not callable(function):
        raise UserError(
            f'A tool must be a function or another callable, not {short_repr(function, 100)}.{_remedy(function)}'
        )
    inner = without_partial(function)
    name = getattr(inner, '__name__', None)
    return name if isinstance(name, str) else type(inner).__name__


def _remedy(function: object) -> str:
    # By what they can do: the classes are in rooms that import this one.
    if hasattr(function, 'run_sync'):
        return ' For an agent that calls another one, write a tool that returns `(await other.run(...)).output`.'
    if hasattr(function, 'get_tools'):
        return ' Toolsets are passed as `toolsets=[...]`.'
    return ''


def read_signature(function: Callable[..., object], name: str, takes_ctx: bool | None) -> ToolSignature:
    """Return the signature of a tool function.

    Args:
        function: A function, method, partial, class or callable object.
        name: Its name, for error messages.
        takes_ctx: Whether its first parameter takes the run context; if `None`, its annotation decides.

    Raises:
        UserError: The signature is unknown, an annotation cannot be resolved, or the run context is not the first
            parameter.
    """
    try:
        signature = _signature_of(function)
    except (TypeError, ValueError) as error:
        raise cannot_make_tool(
            name,
            f'its signature is unknown ({error}).',
            'Wrap it in a function of your own, or use `Tool.from_schema`.',
        ) from error
    resolver = _AnnotationResolver(function, name)
    hints = resolver.of(signature)
    parameters = list(signature.parameters.values())
    first = parameters[0] if parameters else None
    annotated = first is not None and is_run_context(hints.get(first.name))
    passes_ctx = annotated if takes_ctx is None else takes_ctx
    if passes_ctx and first is not None and first.name in hints and not annotated:
        raise cannot_make_tool(
            name,
            f'it is registered as a tool that takes the run context, but its first parameter {first.name!r} is '
            f'annotated as `{type_name(hints[first.name])}`.',
            'Annotate it as `RunContext[...]`, or register the function with `tool_plain`.',
        )
    rest = parameters[1:] if passes_ctx else parameters
    for parameter in rest:
        if _mentions_run_context(hints.get(parameter.name)):
            if passes_ctx or takes_ctx is None:
                remedy = 'The run context must be the first parameter, and the only one of its kind.'
            else:
                remedy = 'Register the function with `tool` rather than `tool_plain`.'
            raise cannot_make_tool(
                name,
                f'parameter {parameter.name!r} is for a run context (`{type_name(hints[parameter.name])}`).',
                remedy,
            )
    by_name = passes_ctx and first is not None and first.kind is inspect.Parameter.KEYWORD_ONLY
    hidden: set[str] = set()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in rest):
        hidden = _names(_innermost(function)) - {parameter.name for parameter in rest}
    ctx_name = first.name if first is not None and by_name else None
    return ToolSignature(rest, hints, passes_ctx, ctx_name, frozenset(hidden), resolver.has_self)


def _innermost(function: object) -> Callable[..., object]:
    """Return the function with all parameters, including those that a partial or a method has bound."""
    function = without_partial(function)
    if inspect.isclass(function):
        return function.__init__
    if not inspect.isroutine(function):
        function = type(function).__call__
    return getattr(function, '__func__', function)


def _names(function: Callable[..., object]) -> set[str]:
    """Return the names of the parameters that can be passed both by position and by name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin, which has neither a run context nor `self`
        return set()
    return {parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD}


class _AnnotationResolver:
    """The namespaces in which the annotations of one function are resolved."""

    def __init__(self, function: object, name: str) -> None:
        self.name = name
        target = without_partial(function)
        self.owner: object = target.__self__ if inspect.ismethod(target) else None
        target = inspect.unwrap(target)
        if not inspect.isroutine(target) and not inspect.isclass(target):
            self.owner = target
            target = inspect.unwrap(type(target).__call__)
        target = getattr(target, '__func__', target)
        self.target = target
        self.has_self = False
        """Whether `Self` was found in an annotation, and replaced by the class of the owner."""

    def of(self, signature: inspect.Signature) -> Annotations:
        """Return the resolved annotations of a signature.

        Raises:
            UserError: The annotation of a parameter cannot be resolved.
        """
        annotations = {p.name: p.annotation for p in signature.parameters.values() if p.annotation is not _EMPTY}
        if signature.return_annotation is not _EMPTY:
            annotations['return'] = type(None) if signature.return_annotation is None else signature.return_annotation
        if all(map(is_class, annotations.values())):
            return annotations  # nothing to resolve
        try:
            hints = self.resolved(annotations)
        except Exception:
            hints = self.one_by_one(annotations)
        if self.owner is None:
            return hints
        owner = self.owner if isinstance(self.owner, type) else type(self.owner)
        return {name: self.without_self(hint, owner) for name, hint in hints.items()}

    def without_self(self, annotation: TypeForm, owner: type[object]) -> TypeForm:
        """Return an annotation with the class of the owner in place of `Self`."""
        if annotation is Self:
            self.has_self = True
            return owner
        arguments = get_args(annotation)
        replaced = tuple(self.without_self(argument, owner) for argument in arguments)
        if all(new is old for new, old in zip(replaced, arguments)):
            return annotation
        origin = get_origin(annotation)
        return Union[replaced] if origin in (Union, UnionType) else origin[replaced]

    def resolved(self, annotations: Annotations, **more: object) -> Annotations:
        # `get_type_hints` reads the annotations of an object, so this one carries them.
        def holder() -> None: ...

        holder.__annotations__ = annotations
        module = sys.modules.get(getattr(self.target, '__module__', None) or '')
        names = getattr(self.target, '__globals__', None) or getattr(module, '__dict__', {})
        local = {**more, **closure_names(self.target)}
        return typing.get_type_hints(holder, names, local, include_extras=True)

    def one_by_one(self, annotations: Annotations) -> Annotations:
        """Resolve each annotation on its own, with the names of the class around a method too; report the first failure."""
        owner = self.owner if self.owner is None or isinstance(self.owner, type) else type(self.owner)
        more: dict[str, object] = {} if owner is None else {**vars(owner), owner.__name__: owner}
        hints: Annotations = {}
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
                    continue  # it only describes the tool; a name imported for type checkers alone must not be an error
                if position == 0 and (context := self.context(annotation)) is not None:
                    hints[parameter] = context
                    continue
                raise self.error(parameter, annotation, error) from error
        return hints

    def context(self, annotation: TypeForm) -> TypeForm:
        """Return the run context class of an annotation whose only unresolved part is the type of the dependencies."""
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

    def error(self, parameter: str, annotation: TypeForm, error: Exception) -> UserError:
        where = f'the annotation of parameter {parameter!r}'
        if isinstance(error, NameError):
            missing = getattr(error, 'name', None)
            return cannot_make_tool(
                self.name,
                f'{where} uses the name {missing!r}, which is not defined in module {self.target.__module__!r}.',
                'Define or import it at module level (not only under `TYPE_CHECKING`).',
            )
        return cannot_make_tool(
            self.name,
            f'{where} is {annotation!r}, which is not a type ({type(error).__name__}: {error}).',
            'Annotate it with a type.',
        )


def _mentions_run_context(annotation: TypeForm) -> bool:
    return is_run_context(annotation) or any(map(_mentions_run_context, get_args(annotation)))


def is_run_context(annotation: TypeForm) -> bool:
    """Return whether an annotation means a run context: plain, subscripted, subclassed, optional or `Annotated`."""
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
