"""`Choices`: one of several answers that the program lists, each with what it means and what it stands for."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Generic, TypeVar, Union, cast, overload

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from .._kit.annotations import TypeForm
from .._kit.json_schema import JsonSchema
from .._kit.json_types import JsonObject
from .._kit.records import DataRecord
from .._kit.short import short_repr
from .._kit.unset import UNSET
from ..exceptions import UserError
from ._functions import return_type

T = TypeVar('T')
_EMPTY = inspect.Parameter.empty
_OPTIONAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(repr=False, eq=False, init=False)
class Choice(DataRecord, Generic[T]):
    """One of the answers of `Choices`: what it means, and what it stands for."""

    description: str | None
    """What it means, for the model."""
    value: T
    """What the program gets for it; if it is not set, the name of the choice."""

    @overload
    def __init__(self: Choice[str], description: str | None = None) -> None: ...
    @overload
    def __init__(self, description: str | None = None, *, value: Callable[[], Awaitable[T]]) -> None: ...
    @overload
    def __init__(self, description: str | None = None, *, value: Callable[[], T]) -> None: ...
    @overload
    def __init__(self, description: str | None = None, *, value: T) -> None: ...
    def __init__(self, description: str | None = None, *, value: Any = UNSET) -> None:
        """Describe an answer.

        Args:
            description: What it means, for the model.
            value: What the program gets for it, by default the name of the choice. What can be called without arguments, such
                as a function, is called when the model makes this choice, and its result is the output of the run.
        """
        self.description = description
        self.value = value


@dataclass(frozen=True, kw_only=True)
class BoolCriteria:
    """What each answer of a `bool` means, for the model: `Annotated[bool, BoolCriteria(true='...', false='...')]`."""

    true: str
    """When the answer is true."""
    false: str
    """When the answer is false."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        if source is not bool:
            raise UserError(f'`BoolCriteria` says what the answers of a `bool` mean; it cannot annotate {source!r}.')
        return handler(source)

    def __get_pydantic_json_schema__(self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        return _json_schema({True: self.true, False: self.false}, 'boolean')


class _Chosen:
    """The base class of what `Choices` returns."""

    choices: ClassVar[Mapping[str, Choice[Any]]]
    note: ClassVar[str | None]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        if _actions(cls):
            raise UserError(
                f'A choice of {cls.__name__!r} stands for something that is called, which only runs do: use the `Choices` as '
                '`output_type`. For a field or an argument of a tool, give the choices other values, and call what you mean.'
            )
        return cls.schema_of_values()

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        return cls.json_schema()

    @classmethod
    def schema_of_names(cls) -> core_schema.CoreSchema:
        return core_schema.literal_schema([*cls.choices])

    @classmethod
    def schema_of_values(cls) -> core_schema.CoreSchema:
        if all(choice.value is UNSET for choice in cls.choices.values()):
            return cls.schema_of_names()
        return core_schema.no_info_after_validator_function(value_of_choices(cls).__getitem__, cls.schema_of_names())

    @classmethod
    def json_schema(cls) -> JsonSchema:
        schema = _json_schema({name: choice.description for name, choice in cls.choices.items()}, 'string')
        return {**schema, 'description': cls.note} if cls.note else schema


@overload
def Choices(choices: Mapping[str, str], *, name: str | None = None, description: str | None = None) -> type[str]: ...
@overload
def Choices(
    choices: Mapping[str, Choice[T]], *, name: str | None = None, description: str | None = None
) -> type[T]: ...
@overload
def Choices(
    choices: Mapping[str, Union[Choice[T], str]], *, name: str | None = None, description: str | None = None
) -> type[Union[T, str]]: ...
@overload
def Choices(choices: Iterable[T], *, name: str | None = None, description: str | None = None) -> type[T]: ...
def Choices(  # noqa: N802 - it is used in place of a type
    choices: object, *, name: str | None = None, description: str | None = None
) -> type[Any]:
    """Return a type whose values are some answers, for `output_type`, fields and arguments of tools.

    Args:
        choices: The names of the answers, or by name what each means: a text, or a `Choice`. Members of an enum are named by
            their values.
        name: The name of the type.
        description: What is to be chosen, for the model.

    Raises:
        UserError: There are no choices, or something is not one; the message says what.
    """
    if isinstance(choices, str):
        raise UserError(f'`Choices` takes several choices, not one text: `Choices([{short_repr(choices)}])`.')
    if isinstance(choices, Mapping):
        named = {key: _choice(key, value) for key, value in cast('Mapping[Any, Any]', choices).items()}
    else:
        named = dict(map(_named, cast('Iterable[Any]', choices)))
    if not named:
        raise UserError('`Choices` is empty: give it at least one choice.')
    return type(name or 'Choices', (_Chosen,), {'choices': named, 'note': description, '__doc__': None})


def is_choices(form: object) -> bool:
    """Return whether a type comes from `Choices`."""
    return isinstance(form, type) and issubclass(form, _Chosen)


def value_of_choices(form: object) -> dict[str, Any]:
    """Return what the choices of a type of `Choices` stand for, by name."""
    choices = cast('type[_Chosen]', form).choices
    return {name: name if choice.value is UNSET else choice.value for name, choice in choices.items()}


def results_of_choices(form: object) -> list[TypeForm]:
    """Return the types that an output of `Choices` may have."""
    types: list[TypeForm] = [
        _result(value) if callable(value) else type(value) for value in value_of_choices(form).values()
    ]
    return [*dict.fromkeys(types)]


def actions_of(form: object) -> Mapping[str, Any] | None:
    """Return what choices of a type stand for, if some of them are called; `None` for any other type.

    Raises:
        UserError: One of them needs arguments.
    """
    if not is_choices(form) or not (actions := _actions(form)):
        return None
    for name, action in actions.items():
        if _needs_arguments(action):
            raise UserError(
                f'The choice {name!r} stands for {action!r}, which is called without arguments and needs some. Give them to it '
                'with `functools.partial`.'
            )
    return value_of_choices(form)


def names_of_choices(form: object) -> TypeForm:
    """Return the type of the names of choices, whatever they stand for; it is described like the choices themselves."""
    kind = cast('type[_Chosen]', form)
    names = {name: Choice[Any](choice.description) for name, choice in kind.choices.items()}
    return Choices(names, name=kind.__name__, description=kind.note)


def _actions(form: object) -> dict[str, Callable[[], object]]:
    return {name: value for name, value in value_of_choices(form).items() if callable(value)}


def _result(action: Callable[..., object]) -> TypeForm:
    return action if isinstance(action, type) else return_type(action)


def _needs_arguments(action: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(action).parameters.values()
    except (TypeError, ValueError):  # a builtin without a signature
        return False
    return any(one.default is _EMPTY and one.kind not in _OPTIONAL for one in parameters)


def _named(choice: Any) -> tuple[str, Choice[Any]]:
    if isinstance(choice, Enum):
        return choice.value, _choice(choice.value, Choice[Any](value=choice))
    return choice, _choice(choice, Choice[Any]())


def _choice(name: object, choice: object) -> Choice[Any]:
    if not isinstance(name, str):
        raise UserError(
            f'The name of a choice is a text that the model sends, not {name!r}. Name it, and give it this value: '
            '`Choices({"name": Choice(value=...)})`.'
        )
    if isinstance(choice, Choice):
        return cast('Choice[Any]', choice)
    if isinstance(choice, str):
        return Choice[Any](choice)
    raise UserError(
        f'The choice {name!r} is {short_repr(choice)}; it must be a text that says what it means, or a `Choice`.'
    )


def _json_schema(meanings: Mapping[Any, str | None], kind: str) -> JsonSchema:
    """Return the JSON schema of answers, each with what it means."""
    if not any(meanings.values()):
        return {'enum': [*meanings], 'type': kind}
    options: list[JsonObject] = [
        {'const': name, 'description': meaning} if meaning else {'const': name} for name, meaning in meanings.items()
    ]
    return {'anyOf': options, 'type': kind}
