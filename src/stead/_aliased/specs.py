"""Things that specs name: classes by name, one built from its entry, and the forms of entries as types for a JSON schema.

Extension packages describe evaluators and the like as specs do capabilities, with these functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, RootModel, TypeAdapter, with_config
from typing_extensions import NotRequired, TypedDict, get_type_hints

from .._contracts.capability import AbstractCapability
from .._kit.deprecated import warn_caller
from .._specs.spec import NamedSpec
from ..template import TemplateStr

T = TypeVar('T')


def serializes_as_string_keyed_dict(value: object) -> bool:
    """Return whether a value becomes a JSON object, as dicts, pydantic models and dataclasses do.

    As the only argument of a spec it would then read as arguments by name.
    """
    if isinstance(value, RootModel):
        return serializes_as_string_keyed_dict(cast('RootModel[object]', value).root)
    return isinstance(value, (dict, BaseModel)) or (is_dataclass(value) and not isinstance(value, type))


def build_registry(
    *,
    custom_types: Sequence[type[T]],
    defaults: Sequence[type[T]],
    get_name: Callable[[type[T]], str | None],
    label: str,
    validate: Callable[[type[T]], None] | None = None,
) -> Mapping[str, type[T]]:
    """Return classes by their names in specs.

    Args:
        custom_types: Classes of the program; one with the name of a default replaces it.
        defaults: Classes that are always there; those without a name are left out.
        get_name: Returns the name of a class, or `None` if specs cannot name it.
        label: What such a class is called in messages.
        validate: Checks each custom class, and raises an error of its own.

    Raises:
        ValueError: A custom class has no name, or the same name as another one.
    """
    registry: dict[str, type[T]] = {}
    for kind in custom_types:
        if validate is not None:
            validate(kind)
        name = get_name(kind)
        if name is None:
            raise ValueError(f'The {label} {kind.__name__} cannot be used in specs: its name there is `None`.')
        if name in registry:
            raise ValueError(f'Two custom classes are the {label} {name!r} in specs: {registry[name]!r} and {kind!r}.')
        registry[name] = kind
    for kind in defaults:
        name = get_name(kind)
        if name is not None:
            registry.setdefault(name, kind)
    return registry


def load_from_registry(
    registry: Mapping[str, type[T]],
    spec: NamedSpec,
    *,
    label: str,
    custom_types_param: str,
    context: str | None = None,
    instantiate: Callable[[type[T], tuple[Any, ...], dict[str, Any]], T] | None = None,
    legacy_aliases: Mapping[str, str] | None = None,
) -> T:
    """Return the object that a spec describes.

    Args:
        registry: The classes by name.
        spec: The name and arguments.
        label: What such an object is called in messages.
        custom_types_param: The parameter by which programs add their own classes, for messages.
        context: Where the spec stands, for messages.
        instantiate: Makes the object from class, positional and keyword arguments; by default the class is called.
        legacy_aliases: New names by old ones, which still work, with a `DeprecationWarning`.

    Raises:
        ValueError: No class has that name, or the object cannot be made from the arguments.
    """
    name = spec.name
    if name not in registry and legacy_aliases is not None and name in legacy_aliases:
        warn_caller(f'{name!r} is an old name of the {label} {legacy_aliases[name]!r} in specs.')
        name = legacy_aliases[name]
    if name not in registry:
        raise ValueError(
            f'{label.capitalize()} {name!r} is not in the provided `{custom_types_param}`. Valid choices: '
            f'{list(registry)}. One of your own must be passed as `{custom_types_param}`.'
        )
    kind = registry[name]
    try:
        return kind(*spec.args, **spec.kwargs) if instantiate is None else instantiate(kind, spec.args, spec.kwargs)
    except Exception as error:
        where = f' for {context}' if context else ''
        raise ValueError(f'The {label} {name!r}{where} cannot be made: {error}') from error


def build_schema_types(
    registry: Mapping[str, type[Any]], *, get_schema_target: Callable[[type[Any]], Any] | None = None
) -> list[Any]:
    """Return types that describe every form in which specs may name these classes, for the members of a union.

    Args:
        registry: The classes by name.
        get_schema_target: Returns the callable whose parameters are the arguments; by default the class itself.

    Returns:
        For each class up to three types: its name alone, the name with the only argument that must be there, and the name
        with arguments by name. Arguments that JSON cannot hold are left out.
    """
    forms: list[Any] = []
    for name, kind in registry.items():
        fields = _fields(kind if get_schema_target is None else get_schema_target(kind))
        required = [field for field, hint in fields.items() if get_origin(hint) is not NotRequired]
        if not required:
            forms.append(Literal[name])
        if len(required) == 1:
            forms.append(_record(f'short_spec_{name}', {name: fields[required[0]]}))
        elif len(fields) == 1:
            forms.append(_record(f'short_spec_{name}', {name: next(iter(fields.values()))}))
        if len(fields) > 1:
            forms.append(_record(f'spec_{name}', {name: _record(f'spec_params_{name}', fields)}))
    return forms


@dataclass
class CapabilitySpecContext:
    """The classes and the constructor for nested specs."""

    registry: Mapping[str, type[AbstractCapability[Any]]]
    """The classes of capabilities by name."""
    instantiate: Callable[[type[AbstractCapability[Any]], tuple[Any, ...], dict[str, Any]], AbstractCapability[Any]]
    """Makes a capability from class, positional and keyword arguments."""


def validate_from_spec_args(
    cls: type[Any], args: tuple[Any, ...], kwargs: dict[str, Any], validation_context: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a spec, with templates where a class takes them; all others are unchanged.

    Args:
        cls: The class, with its method `from_spec` if it has one.
        args: The positional arguments.
        kwargs: The keyword arguments.
        validation_context: What templates are checked with, such as `deps_type`.

    Raises:
        pydantic.ValidationError: A template is not valid.
    """
    target = getattr(cls, 'from_spec', cls)
    hints = get_type_hints(target.__init__ if target is cls else target, include_extras=True)

    def converted(name: str, value: Any) -> Any:
        hint: Any = hints.get(name)
        if not any(get_origin(member) is TemplateStr or member is TemplateStr for member in (hint, *get_args(hint))):
            return value
        return TypeAdapter(hint).validate_python(value, context=validation_context)

    names = [
        name
        for name, parameter in inspect.signature(target).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    positional = [converted(name, value) for name, value in zip(names, args)]
    return (*positional, *args[len(names) :]), {name: converted(name, value) for name, value in kwargs.items()}


def _record(name: str, fields: dict[str, Any]) -> Any:
    return with_config(ConfigDict(extra='forbid', arbitrary_types_allowed=True))(TypedDict(name, fields))  # type: ignore[reportArgumentType]


def _fields(target: Any) -> dict[str, Any]:
    """Return the types of the arguments that a callable takes from JSON, by name."""
    try:
        hints = get_type_hints(target.__init__ if inspect.isclass(target) else target, include_extras=True)
        if inspect.isclass(target):  # those of a dataclass are spelled in the classes that define the fields
            hints = {**get_type_hints(target, include_extras=True), **hints}
    except NameError:  # a name that only type checkers see
        hints = {}
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(target).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        hint = _for_json(hints.get(parameter.name, Any))
        if hint is not None:
            fields[parameter.name] = hint if parameter.default is parameter.empty else NotRequired[hint]
    return fields


def _for_json(hint: Any) -> Any:
    """Return a type without the members of its union that JSON cannot hold; `None` if nothing is left."""
    if get_origin(hint) is Annotated:
        return hint if _for_json(get_args(hint)[0]) is not None else None
    if get_origin(hint) in (Union, UnionType):
        left = [member for member in get_args(hint) if _for_json(member) is not None]
        return Union[tuple(left)] if left else None
    try:
        TypeAdapter(hint).json_schema()
    except Exception:  # hints of users may be anything
        return None
    return hint


__all__ = (
    'CapabilitySpecContext',
    'NamedSpec',
    'build_registry',
    'build_schema_types',
    'load_from_registry',
    'serializes_as_string_keyed_dict',
    'validate_from_spec_args',
)
