"""Data that others write: kinds and fields that this version does not know are kept, and written as they were read.

A part, content or event of an unknown kind becomes an `UnknownPart`, `UnknownContent` or `UnknownEvent`. Unknown fields of known
kinds stay with the object, out of the way of its attributes, and so does a word where this version knows others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, Literal, TypeVar, cast, get_args

from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError

from .._kit.json_types import JsonObject, as_dict
from .._kit.left_out import CLOSED, UNREAD, left_out_fields
from .._kit.records import DataRecord, is_dict

T = TypeVar('T')
_OTHER_NAMES = {
    'input_tokens': ('request_tokens',),
    'output_tokens': ('response_tokens', 'total_tokens', 'requests'),
    'provider_details': ('vendor_details',),
    'provider_response_id': ('vendor_id',),
}
"""Names that earlier versions gave to fields, and what they stored of them as well."""
_noted: ContextVar[_Noted | None] = ContextVar('noted', default=None)
"""What is unknown in the data that is being read."""


class _Noted:
    def __init__(self) -> None:
        self.message = -1
        """The index of the message that is being read."""
        self.words: dict[str, str] = {}
        """What is unknown, each with where it was first."""


def _note(word: str) -> None:
    noted = _noted.get()
    if noted is None:
        _warn(word)
    else:
        noted.words.setdefault(word, f' in message {noted.message}' if noted.message >= 0 else '')


def _warn(words: str) -> None:
    warnings.warn(
        f'What was stored has values that this version of stead does not know: {words}. All of it is kept, and stored again as '
        'it was; models do not see parts and content of unknown kinds.',
        stacklevel=4,
    )


@dataclass(eq=True)
class UnknownPart:
    """A part of a kind that this version does not know, as it was stored. It is kept; models do not see it."""

    unknown_kind: str
    """Its kind."""
    data: JsonObject
    """The part as plain data."""
    part_kind: Literal['unknown'] = 'unknown'
    """Discriminator of what is unknown."""
    discriminator: ClassVar[str] = 'part_kind'

    def has_content(self) -> bool:
        """Return whether there is anything in it that programs can show: there is not."""
        return False

    def otel_event(self, settings: object) -> None:
        """Return nothing: the part is not recorded."""

    def otel_message_parts(self, settings: object) -> list[JsonObject]:
        """Return nothing: the part is not recorded."""
        return []


@dataclass(repr=False, eq=False)
class UnknownContent(DataRecord):
    """Content of a prompt of a kind that this version does not know, as it was stored. It is kept; models do not see it."""

    unknown_kind: str
    """Its kind."""
    data: JsonObject
    """The content as plain data."""
    kind: Literal['unknown'] = 'unknown'
    """Discriminator of what is unknown."""
    discriminator: ClassVar[str] = 'kind'


@dataclass(repr=False, eq=False)
class UnknownEvent(DataRecord):
    """An event of a kind that this version does not know, or about something that it does not know, as it was stored."""

    unknown_kind: str
    """Its kind."""
    data: JsonObject
    """The event as plain data."""
    event_kind: Literal['unknown'] = 'unknown'
    """Discriminator of what is unknown."""
    discriminator: ClassVar[str] = 'event_kind'


def members(union: Any) -> frozenset[type]:
    """Return the classes in a union, and in nested unions."""
    if isinstance(union, type):
        return frozenset((union,))
    return frozenset(member for option in get_args(union) for member in members(option))


def kinds_of(union: Any, field: str) -> frozenset[str]:
    """Return the values of the discriminator of a union."""
    return frozenset(kind for member in members(union) if isinstance(kind := getattr(member, field, None), str))


@cache
def _names(kind: type[Any]) -> frozenset[str]:
    """Return the names that the stored fields of a class have, or had."""
    own = {field.name.lstrip('_') for field in fields(kind)}
    return frozenset(own.union(*(_OTHER_NAMES.get(name, ()) for name in own)))


def keep_unread(value: T, stored: Mapping[str, Any]) -> T:
    """Let an object keep the unknown fields of the data that it was read from, and return it."""
    names = _names_but_left_out(type(value))
    if not stored.keys() <= names:
        unread = {name: item for name, item in stored.items() if name not in names and not _is_set(value, name)}
        if unread:
            value.__dict__[UNREAD] = unread
    return value


def _is_set(value: object, name: str) -> bool:
    """Return whether a field that is not written while it is empty has another value."""
    empty = left_out_fields(type(value)).get(name)
    return empty is not None and getattr(value, name) not in empty


@cache
def _names_but_left_out(kind: type[Any]) -> frozenset[str]:
    return _names(kind) - left_out_fields(kind).keys()


def with_unread(value: object, data: Any) -> Any:
    """Return the data that an object is stored as, with the unknown fields that it was read with."""
    unread = getattr(value, '__dict__', {}).get(UNREAD)
    return (
        {**data, **{name: item for name, item in unread.items() if name not in data}}
        if unread and is_dict(data)
        else data
    )


class Open:
    """A mark in a type: data of it may be of kinds, or have fields, that this version does not know.

    Args:
        unknown: The class for data of unknown kinds; without it, the kinds are those that there are.
        known: The union of what is known.
        kinds: Returns the kinds that are known, although not all may belong there.
    """

    always: ClassVar[bool] = False
    """Whether the type is also open where it is read fast."""

    def __init__(
        self,
        unknown: type[UnknownPart] | type[UnknownContent] | type[UnknownEvent] | None = None,
        known: Any = None,
        kinds: Callable[[], frozenset[str]] | None = None,
    ) -> None:
        self._unknown = unknown
        self._known = known
        self._kinds = kinds

    def __repr__(self) -> str:
        return f'{type(self).__name__}()'

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """Return the schema of the type, or one that is open."""
        from pydantic_core import core_schema

        schema = handler(source) if self._known is None else handler.generate_schema(self._known)
        if CLOSED.get() and not self.always:
            return schema
        return core_schema.no_info_wrap_validator_function(
            self._read_known if CLOSED.get() else self._read,
            schema,
            serialization=core_schema.wrap_serializer_function_ser_schema(self._written, schema=schema),
        )

    def _read_known(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        read: object = handler(value)
        if not as_dict(value).keys() <= _names(type(read)):
            raise ValueError('it has fields that this version of stead does not know')
        return read

    def _read(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        unknown = self._unknown
        if not is_dict(value):
            return value if unknown and isinstance(value, unknown) else handler(value)
        if unknown is not None:
            kind = value.get(unknown.discriminator)
            if isinstance(kind, str) and self._kinds is not None and kind not in self._kinds():
                _note(f'{unknown.discriminator} {kind!r:.60}')
                return unknown(kind, value)
        return keep_unread(handler(_with_call_id(value) if unknown is UnknownPart else value), value)

    def _written(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        if self._unknown and isinstance(value, self._unknown):
            return value.data
        return with_unread(value, handler(value))


class OpenContent(Open):
    """The mark of content: there is little of it, and it takes long to read anyway."""

    always: ClassVar[bool] = True


class OpenMessage(Open):
    """The mark of messages."""

    def _read(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        if (noted := _noted.get()) is not None:
            noted.message += 1
        return super()._read(value, handler)


class OpenEvent(Open):
    """The mark of events: one about something of an unknown kind, such as a delta, is itself of an unknown kind."""

    def _read(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        try:
            return super()._read(value, handler)
        except ValidationError as error:
            kind = value.get('event_kind') if is_dict(value) else None
            if isinstance(kind, str) and error.errors()[0]['type'] == 'union_tag_invalid':
                _note(f'event_kind {kind!r:.60}')
                return UnknownEvent(kind, value)
            raise


class OpenWord:
    """A mark in the type of a word, such as an outcome: it may be another one than this version knows.

    Args:
        name: What it is a word for.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Return the schema of the type, which takes any word."""
        from pydantic_core import core_schema

        schema = handler(source)
        written = core_schema.simple_ser_schema('any')
        if CLOSED.get():
            return {**schema, 'serialization': written}
        return core_schema.no_info_wrap_validator_function(self._read, schema, serialization=written)

    def _read(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        try:
            return handler(value)
        except ValidationError:
            if not isinstance(value, str):
                raise
            _note(f'{self._name} {value!r:.60}')
            return value


class MoreKeys:
    """A mark in the type of a typed dict: it may have keys that this version does not know."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema of the type, which takes any key."""
        schema = handler(source)
        handler.resolve_ref_schema(schema)['extra_behavior'] = 'allow'
        return schema


def _with_call_id(stored: JsonObject) -> JsonObject:
    """Return stored data with the id of a call in place of null, which some early histories have: the same for its result."""
    if 'tool_call_id' in stored and stored['tool_call_id'] is None and 'tool_name' in stored:
        return {**stored, 'tool_call_id': f'call_of_{stored["tool_name"]}'}
    return stored


@contextmanager
def _noting() -> Iterator[None]:
    """Warn once about all that is unknown in what is read."""
    noted = _Noted()
    token = _noted.set(noted)
    try:
        yield
    finally:
        _noted.reset(token)
    if noted.words:
        _warn(', '.join(f'{word}{where}' for word, where in list(noted.words.items())[:10]))


def closed_adapter(type: Any, config: ConfigDict) -> TypeAdapter[Any]:
    """Return the adapter of a type for data of this version alone."""
    token = CLOSED.set(True)
    try:
        return TypeAdapter(type, config=config)
    finally:
        CLOSED.reset(token)


class OpenAdapter(TypeAdapter[T]):  # type: ignore[reportGeneralTypeIssues]  # final to checkers only
    """An adapter of a type with open unions that reads data of this version as fast as if they were closed."""

    _fast: TypeAdapter[T] | None = None

    def __init__(self, type: Any, *, config: ConfigDict) -> None:
        self._type = type
        self._fast_config = cast(ConfigDict, {**config, 'extra': 'forbid'})
        super().__init__(type, config=cast(ConfigDict, {**config, 'defer_build': True}), _parent_depth=3)

    @property
    def closed(self) -> TypeAdapter[T]:
        """The adapter for data of this version alone: anything that it does not know is an error."""
        if self._fast is None:
            self._fast = closed_adapter(self._type, self._fast_config)
        return self._fast

    def validate_json(self, data: str | bytes | bytearray, /, **options: Any) -> T:
        """Return what is in JSON; arguments as for `TypeAdapter.validate_json`.

        Raises:
            ValidationError: It is not data of the type.
        """
        try:
            return self.closed.validate_json(data, **options)
        except ValidationError:
            with _noting():
                return super().validate_json(data, **options)

    def validate_python(self, object: object, /, **options: Any) -> T:
        """Return what is in plain data; arguments and errors as for `validate_json`."""
        try:
            return self.closed.validate_python(object, **options)
        except ValidationError:
            with _noting():
                return super().validate_python(object, **options)
