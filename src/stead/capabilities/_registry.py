"""The capabilities that agent specs refer to by name, and how they are built from specs."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Optional, cast, get_args, get_origin, get_type_hints

from typing_extensions import TypeIs, Unpack

from .._contracts.capability import AbstractCapability
from .._kit.deprecated import warn_deprecated
from .._kit.json_types import JsonObject, JsonValue
from .._kit.lazy import import_module
from .._kit.meant import unknown_name
from .._kit.problems import Problem, shown, value_problems
from . import _SPEC_MODULES

CapabilityTypes = Mapping[str, type[AbstractCapability[Any]]]
"""Capability classes by their names in specs."""


def _is_capability_class(value: object) -> TypeIs[type[AbstractCapability[Any]]]:
    # Python 3.10 takes `list[int]` for an instance of `type`, which `issubclass` then refuses.
    return isinstance(value, type) and get_origin(value) is None and issubclass(value, AbstractCapability)


def _spec_types() -> Iterator[tuple[str, type[AbstractCapability[Any]]]]:
    """Yield the capability classes of this package that specs may use, with their names."""
    for module, names in _SPEC_MODULES.items():
        home = import_module(f'.{module}', __package__)
        for kind in (getattr(home, public) for public in names):
            if _is_capability_class(kind):
                name = kind.get_serialization_name()
                if name is not None:
                    yield name, kind


CAPABILITY_TYPES: dict[str, type[AbstractCapability[Any]]] = dict(sorted(_spec_types()))
"""The capability classes of stead by their names in specs."""

_FROM_ABOVE = ('Durable',)
"""The names in specs of capabilities of rooms above this one, which are loaded when a spec names one."""


def _types_from_above() -> CapabilityTypes:
    """Load the capability classes of rooms above this one that specs may use, and return them by name."""
    from ..durable_exec import Durable

    return {'Durable': Durable}


# Fields of every capability, if its constructor takes them. Their types in specs are narrower than in code: a description
# may be a function of the run context there, which a spec cannot hold.
_COMMON_HINTS: dict[str, Any] = {'id': Optional[str], 'description': Optional[str], 'defer_loading': bool}
_LEGACY_NAMES = {'BuiltinTool': 'NativeTool'}

_types_in_use: ContextVar[CapabilityTypes] = ContextVar('stead_capability_types', default=CAPABILITY_TYPES)


class CapabilitySpecError(ValueError):
    """The entry of a capability in a spec is not valid.

    Args:
        problems: What is wrong, with paths relative to the entry.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__('; '.join(f'{shown(path)}: {message}' if path else message for path, message in problems))
        self.problems = list(problems)

    def under(self, *path: str | int) -> CapabilitySpecError:
        """Return the same error with paths that begin further out."""
        return CapabilitySpecError([Problem((*path, *problem.path), problem.message) for problem in self.problems])


def capability_types(
    custom: Sequence[type[AbstractCapability[Any]]] = (), *, with_rooms_above: bool = False
) -> CapabilityTypes:
    """Return the capability classes that a spec may refer to, by name.

    Args:
        custom: More classes; one with the same name as a class of stead replaces it.
        with_rooms_above: Whether those of rooms above this one are loaded and returned, too.

    Raises:
        ValueError: An entry is not a capability class, has no name in specs, or has the same name as another entry.
    """
    added: dict[str, type[AbstractCapability[Any]]] = {}
    for kind in custom:
        if not _is_capability_class(kind):
            raise ValueError(f'`custom_capability_types` takes capability classes, not {kind!r}.')
        name = kind.get_serialization_name()
        if name is None:
            raise ValueError(f'{kind.__name__} cannot be used in specs: its `get_serialization_name` returns `None`.')
        if name in added:
            raise ValueError(
                f'Two classes in `custom_capability_types` are called {name!r} in specs: {added[name]!r} and {kind!r}. '
                'Let `get_serialization_name` of one of them return another name.'
            )
        added[name] = kind
    return {**(_types_from_above() if with_rooms_above else {}), **CAPABILITY_TYPES, **added}


@contextmanager
def using_capability_types(types: CapabilityTypes) -> Iterator[None]:
    """Let specs that are read inside the `with` block refer to these classes."""
    token = _types_in_use.set(types)
    try:
        yield
    finally:
        _types_in_use.reset(token)


def capability_from_spec(spec: JsonValue, types: CapabilityTypes | None = None) -> AbstractCapability[Any]:
    """Build a capability from its entry in an agent spec.

    Args:
        spec: The name of a capability; or an object with the name as its only key, whose value is either an object of
            keyword arguments or the only argument.
        types: The classes by name; by default those of the spec that is being read, or `CAPABILITY_TYPES`.

    Raises:
        CapabilitySpecError: The entry has another form, no capability has that name, or it does not take these arguments.
    """
    if types is not None:
        with using_capability_types(types):
            return capability_from_spec(spec)
    if isinstance(spec, str):
        return build_capability(spec)
    if isinstance(spec, dict):
        entry = cast('dict[object, object]', spec)
        name, arguments = next(iter(entry.items())) if len(entry) == 1 else (None, None)
        if isinstance(name, str):
            if isinstance(arguments, dict):
                return build_capability(name, kwargs=cast('JsonObject', arguments))
            return build_capability(name, (arguments,))
    message = f'a capability is written as its name, or as an object with one key, its name; it is {spec!r}'
    raise CapabilitySpecError([Problem((), message)])


def build_capability(
    name: str, args: tuple[JsonValue, ...] = (), kwargs: Mapping[str, JsonValue] | None = None
) -> AbstractCapability[Any]:
    """Build a capability by its name in specs.

    Args:
        name: The name of the capability.
        args: At most one positional argument.
        kwargs: Keyword arguments.

    Raises:
        CapabilitySpecError: There is no capability of that name, or it does not take these arguments.
    """
    types = _types_in_use.get()
    kind = types.get(name) or (_types_from_above()[name] if name in _FROM_ABOVE else None)
    if kind is None and name in _LEGACY_NAMES:
        kind = types.get(_LEGACY_NAMES[name])
        warn_deprecated(f'{name!r} in a spec is an old name; use {_LEGACY_NAMES[name]!r}.', stacklevel=2)
    if kind is None:
        message = unknown_name(name, [*types, *_FROM_ABOVE], 'capability')
        hint = ' One of your own must be in `custom_capability_types`.'
        raise CapabilitySpecError([Problem((), message + hint)])
    arguments = dict(kwargs or {})
    if problems := _argument_problems(kind, args, arguments):
        raise CapabilitySpecError(problems).under(name)
    try:
        return kind.from_spec(*args, **arguments)
    except CapabilitySpecError as error:  # from a capability nested in the arguments
        raise error.under(name) from None
    except Exception as error:
        raise CapabilitySpecError([Problem((name,), f'{type(error).__name__}: {error}')]) from error


# What a capability takes


class SpecParameter(NamedTuple):
    """A parameter of a capability, as specs see it."""

    name: str
    hint: Any
    """Its type; `Any` if it has none or it cannot be resolved."""
    required: bool
    """Whether it has no default."""
    positional: bool
    """Whether it can be passed by position."""


class SpecParameters(NamedTuple):
    """The parameters of a capability, as specs see them."""

    named: dict[str, SpecParameter]
    open: bool
    """Whether it takes keyword arguments of any name."""


def spec_parameters(kind: type[AbstractCapability[Any]]) -> SpecParameters:
    """Return the parameters of `from_spec` of a class; unless it is overridden, those of the constructor."""
    base: Any = AbstractCapability.from_spec
    own: Any = kind.from_spec
    function: Callable[..., object] = kind.__init__ if own.__func__ is base.__func__ else own
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


def _hint_of(kind: type[Any], function: Callable[..., object], parameter: inspect.Parameter) -> Any:
    """Return the type of a parameter; `Any` if it has none or it cannot be resolved."""
    hint: Any = parameter.annotation
    if function is kind.__init__ and parameter.name in _COMMON_HINTS:
        return _COMMON_HINTS[parameter.name]
    if hint is parameter.empty:
        return Any
    if not isinstance(hint, str):
        return hint
    # The constructor of a dataclass has the annotations of all base classes, each of which resolves in its own module.
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
    kind: type[AbstractCapability[Any]], args: tuple[JsonValue, ...], kwargs: dict[str, JsonValue]
) -> list[Problem]:
    """Return what is wrong with arguments. Values are validated as JSON but not converted: `from_spec` gets the originals."""
    accepted = spec_parameters(kind)
    unknown = [] if accepted.open else [name for name in kwargs if name not in accepted.named]
    if unknown:
        return [Problem((), unknown_name(name, accepted.named, 'argument')) for name in unknown]
    positional = [parameter for parameter in accepted.named.values() if parameter.positional]
    expected = f'it takes: {", ".join(accepted.named)}' if accepted.named else 'it takes none'
    if len(args) > len(positional):
        return [Problem((), f'it does not take an argument without a name; {expected}')]
    passed = {*kwargs, *(parameter.name for parameter in positional[: len(args)])}
    if missing := [
        parameter.name for parameter in accepted.named.values() if parameter.required and parameter.name not in passed
    ]:
        return [Problem((), f'{" and ".join(map(repr, missing))} missing; {expected}')]
    problems: list[Problem] = []
    for parameter, value in zip(positional, args):
        problems += value_problems(parameter.hint, value)
    for name, value in kwargs.items():
        if name in accepted.named:
            wrong = value_problems(accepted.named[name].hint, value)
            problems += [Problem((name, *problem.path), problem.message) for problem in wrong]
    return problems
