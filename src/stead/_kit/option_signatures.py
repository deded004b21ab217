"""Signatures of functions that take options: with each option as a parameter, for `help`, editors and programs that look."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

FunctionT = TypeVar('FunctionT', bound=Callable[..., object])
_DEFAULTS: dict[str, object] = {'infer_name': True, 'until': 'final-result'}


class _OptionSignature(inspect.Signature):
    """A signature that is made when something looks at it, which most programs never do."""

    __slots__ = ('_default', '_function', '_whole')

    def __init__(self, function: Callable[..., object], default: object) -> None:
        self._function = function
        self._default = default
        self._whole: inspect.Signature | None = None

    def whole(self) -> inspect.Signature:
        """Return the signature."""
        if self._whole is None:
            self._whole = _expanded(self._function, self._default)
        return self._whole

    if not TYPE_CHECKING:  # the attributes of the base class that hold what is there

        @property
        def _parameters(self) -> Mapping[str, inspect.Parameter]:
            return self.whole().parameters

        @property
        def _return_annotation(self) -> Any:
            return self.whole().return_annotation

    def replace(self, **changes: Any) -> inspect.Signature:
        return self.whole().replace(**changes)

    def __reduce__(self) -> Any:
        return self.whole().__reduce__()


def with_options(default: object = None) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator for a function with `**options: Unpack[SomeTypedDict]`, which shows them as parameters.

    Args:
        default: The value that an option has that is left out, for those that have no default of their own.
    """

    def show(function: FunctionT) -> FunctionT:
        function.__signature__ = _OptionSignature(function, default)  # type: ignore[attr-defined]
        return function

    return show


def _expanded(function: Callable[..., object], default: object) -> inspect.Signature:
    """Return the signature of a function with its options as parameters; `deps` comes first, as the one that many need."""
    inner: Any = inspect.unwrap(function)
    bare = FunctionType(inner.__code__, inner.__globals__, inner.__name__, inner.__defaults__)
    bare.__kwdefaults__, bare.__annotations__ = inner.__kwdefaults__, inner.__annotations__
    signature = inspect.signature(bare)
    parameters = list(signature.parameters.values())
    taken: Any = ast.parse(parameters.pop().annotation, mode='eval').body  # such as `Unpack[RunOptions[AgentDepsT]]`
    named = taken.slice.value if isinstance(taken.slice, ast.Subscript) else taken.slice
    options = eval(ast.unparse(named), inner.__globals__)
    annotations: dict[str, Any] = dict(options.__annotations__)
    for name in sorted(annotations, key=lambda name: name != 'deps'):
        annotation = annotations[name]
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_DEFAULTS.get(name, default),
                annotation=_without_modules(getattr(annotation, '__forward_arg__', annotation)),
            )
        )
    returned = _without_modules(signature.return_annotation)
    return signature.replace(parameters=parameters, return_annotation=returned)


class _WithoutModules(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        return ast.Name(node.attr)


def _without_modules(annotation: Any) -> Any:
    """Return an annotation as people know it: a function names classes by their module if that is not to load before it runs."""
    return ast.unparse(_WithoutModules().visit(ast.parse(annotation))) if isinstance(annotation, str) else annotation
