"""The capabilities that agent specs know by name, and how they are built from what a spec says."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, NamedTuple, Optional, cast, get_args, get_origin, get_type_hints

from typing_extensions import TypeIs, Unpack

from .._contracts.capability import AbstractCapability
from .._kit.deprecated import warn_deprecated
from .._kit.problems import Problem, shown, unknown_name, value_problems
from . import _SPEC_MODULES

CapabilityTypes = Mapping[str, type[AbstractCapability[Any]]]
"""Classes of capabilities by the names that they have in specs."""


def _is_capability_class(value: object) -> TypeIs[type[AbstractCapability[Any]]]:
    # Python 3.10 takes `list[int]` for an instance of `type`, which `issubclass` then refuses.
    return isinstance(value, type) and get_origin(value) is None and issubclass(value, AbstractCapability)


def _spec_types() -> Iterator[tuple[str, type[AbstractCapability[Any]]]]:
    """Yield the capabilities that the package says can stand in specs."""
    for module, names in _SPEC_MODULES.items():
        home = import_module(f'.{module}', __package__)
        for kind in (getattr(home, public) for public in names):
            if _is_capability_class(kind):
                name = kind.get_serialization_name()
                if name is not None:
                    yield name, kind


CAPABILITY_TYPES: dict[str, type[AbstractCapability[Any]]] = dict(sorted(_spec_types()))
"""The classes by the names that they have in specs."""

# What every capability has, if its constructor takes it; functions of the run context cannot stand in a spec.
_COMMON_HINTS: dict[str, Any] = {'id': Optional[str], 'description': Optional[str], 'defer_loading': bool}
_LEGACY_NAMES = {'BuiltinTool': 'NativeTool'}

_types_in_use: ContextVar[CapabilityTypes] = ContextVar('stead_capability_types', default=CAPABILITY_TYPES)


class CapabilitySpecError(ValueError):
    """The entry of a capability in a spec is not valid.

    Args:
        problems: What is wrong, with paths from the entry on.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__('; '.join(f'{shown(path)}: {message}' if path else message for path, message in problems))
        self.problems = list(problems)

    def under(self, *path: str | int) -> CapabilitySpecError:
        """Return the error as seen from further out."""
        return CapabilitySpecError([Problem((*path, *problem.path), problem.message) for problem in self.problems])


def capability_types(custom: Sequence[type[AbstractCapability[Any]]] = ()) -> CapabilityTypes:
    """Return the classes that a spec may name.

    Args:
        custom: Classes besides those of stead; one with the name of such takes its place.

    Raises:
        ValueError: Something is not a class of a capability, is not for specs, or has the name of another one.
    """
    added: dict[str, type[AbstractCapability[Any]]] = {}
    for kind in custom:
        if not _is_capability_class(kind):
            raise ValueError(f'`custom_capability_types` takes classes of capabilities, not {kind!r}.')
        name = kind.get_serialization_name()
        if name is None:
            raise ValueError(f'{kind.__name__} is not for specs: its `get_serialization_name` returns `None`.')
        if name in added:
            raise ValueError(
                f'Two classes in `custom_capability_types` are called {name!r} in specs: {added[name]!r} and {kind!r}. '
                'Let `get_serialization_name` of one of them return another name.'
            )
        added[name] = kind
    return {**CAPABILITY_TYPES, **added}


@contextmanager
def using_capability_types(types: CapabilityTypes) -> Iterator[None]:
    """Let specs inside of the `with` block name these classes."""
    token = _types_in_use.set(types)
    try:
        yield
    finally:
        _types_in_use.reset(token)


def capability_from_spec(spec: Any, types: CapabilityTypes | None = None) -> AbstractCapability[Any]:
    """Build a capability from its entry in an agent spec.

    Args:
        spec: A name; or an object with the name as its only key, whose value is an object of keyword arguments, or the
            only argument.
        types: The classes by name; by default those of the spec that is being read, or `CAPABILITY_TYPES`.

    Raises:
        ValueError: The entry has another form, no capability has that name, or it does not take these arguments.
    """
    if types is not None:
        with using_capability_types(types):
            return capability_from_spec(spec)
    if isinstance(spec, str):
        return build_capability(spec)
    if isinstance(spec, dict):
        entry = cast('dict[Any, Any]', spec)
        name, arguments = next(iter(entry.items())) if len(entry) == 1 else (None, None)
        if isinstance(name, str):
            if isinstance(arguments, dict):
                return build_capability(name, kwargs=cast('dict[str, Any]', arguments))
            return build_capability(name, (arguments,))
    message = f'a capability is written as its name, or as an object with one key, its name; it is {spec!r}'
    raise CapabilitySpecError([Problem((), message)])


def build_capability(
    name: str, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
) -> AbstractCapability[Any]:
    """Build a capability by its name in specs.

    Args:
        name: The name.
        args: A single positional argument, or none.
        kwargs: Keyword arguments.

    Raises:
        CapabilitySpecError: There is no capability of that name, or it does not take these arguments.
    """
    types = _types_in_use.get()
    kind = types.get(name)
    if kind is None and name in _LEGACY_NAMES:
        kind = types.get(_LEGACY_NAMES[name])
        warn_deprecated(f'{name!r} in a spec is an old name; use {_LEGACY_NAMES[name]!r}.', stacklevel=2)
    if kind is None:
        message = unknown_name(name, types, 'capability')
        hint = ' One of your own must be in `custom_capability_types`.'
        raise CapabilitySpecError([Problem((), message + hint)])
    named: dict[str, Any] = dict(kwargs or {})
    if problems := _argument_problems(kind, args, named):
        raise CapabilitySpecError(problems).under(name)
    try:
        return kind.from_spec(*args, **named)
    except CapabilitySpecError as error:  # of a capability in its arguments
        raise error.under(name) from None
    except Exception as error:
        raise CapabilitySpecError([Problem((name,), f'{type(error).__name__}: {error}')]) from error


# What a capability takes


class SpecParameter(NamedTuple):
    """A parameter of a capability in specs."""

    name: str
    hint: Any
    """Its type; `Any` where it cannot be told."""
    required: bool
    positional: bool


class SpecParameters(NamedTuple):
    """The parameters of a capability in specs."""

    named: dict[str, SpecParameter]
    open: bool
    """Whether it takes keywords of any name."""


def spec_parameters(kind: type[AbstractCapability[Any]]) -> SpecParameters:
    """Return what `from_spec` of a class takes; by default what its constructor takes."""
    base: Any = AbstractCapability.from_spec
    own: Any = kind.from_spec
    function: Callable[..., Any] = kind.__init__ if own.__func__ is base.__func__ else own
    parameters = list(inspect.signature(function).parameters.values())
    if function is kind.__init__:
        parameters = parameters[1:]
    named: dict[str, SpecParameter] = {}
    is_open = False
    for parameter in parameters:
        hint = _hint_of(kind, function, parameter)
        if parameter.kind is parameter.VAR_KEYWORD:
            if get_origin(hint) is Unpack:
                options = get_type_hints(get_args(hint)[0], include_extras=True)
                named.update({name: SpecParameter(name, of, False, False) for name, of in options.items()})
            else:
                is_open = True
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            required = parameter.default is parameter.empty
            positional = parameter.kind is not parameter.KEYWORD_ONLY
            named[parameter.name] = SpecParameter(parameter.name, hint, required, positional)
    return SpecParameters(named, is_open)


def _hint_of(kind: type[Any], function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """Return the type of a parameter; `Any` if it has none, or names what cannot be found from its module."""
    hint: Any = parameter.annotation
    if function is kind.__init__ and parameter.name in _COMMON_HINTS:
        return _COMMON_HINTS[parameter.name]
    if hint is parameter.empty:
        return Any
    if not isinstance(hint, str):
        return hint
    # The constructor of a dataclass has annotations of all its bases, each to be read in its own module.
    homes = [base.__module__ for base in kind.__mro__ if parameter.name in getattr(base, '__annotations__', ())]
    for module in (*homes, function.__module__, kind.__module__):
        names = vars(sys.modules[module]) if module in sys.modules else {}
        holder = type('Holder', (), {})
        holder.__annotations__ = {'hint': hint}
        try:
            return get_type_hints(holder, globalns=names, include_extras=True)['hint']
        except Exception:
            continue
    return Any


def _argument_problems(
    kind: type[AbstractCapability[Any]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Problem]:
    """Return what is wrong with arguments; values are checked as JSON, and passed on as they are."""
    takes = spec_parameters(kind)
    unknown = [] if takes.open else [name for name in kwargs if name not in takes.named]
    if unknown:
        return [Problem((), unknown_name(name, takes.named, 'argument')) for name in unknown]
    positional = [parameter for parameter in takes.named.values() if parameter.positional]
    expected = f'it takes: {", ".join(takes.named)}' if takes.named else 'it takes none'
    if len(args) > len(positional):
        return [Problem((), f'it cannot be given an argument without a name; {expected}')]
    passed = {*kwargs, *(parameter.name for parameter in positional[: len(args)])}
    if missing := [one.name for one in takes.named.values() if one.required and one.name not in passed]:
        return [Problem((), f'{" and ".join(map(repr, missing))} missing; {expected}')]
    problems: list[Problem] = []
    for parameter, value in zip(positional, args):
        problems += value_problems(parameter.hint, value)
    for name, value in kwargs.items():
        if name in takes.named:
            found = value_problems(takes.named[name].hint, value)
            problems += [Problem((name, *problem.path), problem.message) for problem in found]
    return problems
