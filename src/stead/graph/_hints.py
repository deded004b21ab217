"""Edges inferred from return annotations: `-> NextNode | End[int]`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

from .basenode import AnyBaseNode, BaseNode, End
from .exceptions import GraphSetupError
from .join import AnyJoin, Join, JoinNode
from .step import AnyStep, Step, StepContext, StepNode


@dataclass
class Target:
    """A node, or the end, that one member of a return annotation leads to."""

    node: AnyStep | AnyJoin | type[AnyBaseNode] | None
    """The step, join or node class; None is the end."""
    kind: type[object]
    """The class of the returned value."""
    value: Callable[[StepContext[Any, Any, Any]], Any] | None = None
    """Unwraps the returned value, if it has to be unwrapped."""
    is_meant: Callable[[Any], bool] | None = None
    """Returns whether a returned value leads here, if its class does not say so."""


def return_hint(function: Any, names: Mapping[str, object]) -> Any:
    """Return the return annotation of a function, or None if it has none or names something that cannot be found.

    Args:
        function: The function, or any other callable.
        names: Names that annotations may use in addition to those of the module of the function.
    """
    while isinstance(function, partial):
        function = cast('partial[Any]', function).func
    if not inspect.isroutine(function):
        function = getattr(function, '__call__', None)  # noqa: B004
    function = inspect.unwrap(cast('Callable[..., Any]', function))
    try:
        annotations = getattr(function, '__annotations__', {})
        if 'return' not in annotations:
            return None

        def probe() -> None: ...  # has this one annotation, so that no other has to be resolved

        probe.__annotations__ = {'return': annotations['return']}
        scope = getattr(function, '__globals__', {})
        return get_type_hints(probe, globalns=scope, localns={**names}, include_extras=True).get('return')
    except (NameError, TypeError, SyntaxError):
        return None


def targets_of(what: str, hint: object) -> list[Target] | None:
    """Return what a return annotation leads to, or None if a member of it is not a node.

    Args:
        what: A description of what has the annotation, for errors.
        hint: The annotation.

    Raises:
        GraphSetupError: It names `BaseNode` itself, or a `StepNode` or `JoinNode` without saying which.
    """
    targets: list[Target] = []
    for member, extras in _members(hint, ()):
        kind = get_origin(member) or member
        if kind is End:
            targets.append(Target(None, End, value=lambda ctx: ctx.inputs.data))
        elif kind is StepNode:
            targets.append(_named(what, Step, StepNode, extras))
        elif kind is JoinNode:
            targets.append(_named(what, Join, JoinNode, extras))
        elif kind is BaseNode:
            raise GraphSetupError(
                f'{what} is annotated to return `BaseNode`, which may be any node. Name every node that it may return: '
                '`-> First | Second`.'
            )
        elif isinstance(kind, type) and issubclass(kind, BaseNode):
            node = cast('type[AnyBaseNode]', kind)
            targets.append(Target(node, node))
        else:
            return None
    return targets


def _named(what: str, wanted: type[Any], kind: type[Any], extras: tuple[Any, ...]) -> Target:
    node = next((extra for extra in extras if isinstance(extra, wanted)), None)
    field = wanted.__name__.lower()
    if node is None:
        raise GraphSetupError(
            f'{what} is annotated to return a `{kind.__name__}`, but not of which {field}. Write '
            f'`Annotated[{kind.__name__}[...], my_{field}]`.'
        )
    return Target(
        node,
        kind,
        value=lambda ctx: ctx.inputs.inputs,
        is_meant=lambda value: isinstance(value, kind) and getattr(value, field).id == node.id,
    )


def _members(hint: object, extras: tuple[object, ...]) -> Iterator[tuple[Any, tuple[object, ...]]]:
    """Yield the members of a union, with their annotations."""
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *more = get_args(hint)
        yield from _members(inner, (*more, *extras))
    elif origin in (Union, UnionType):
        for member in get_args(hint):
            yield from _members(member, extras)
    else:
        yield hint, extras
