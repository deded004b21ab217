"""Events that programs and capabilities define: dataclasses with a name of their own, by which they are read again."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, cast

from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic.alias_generators import to_snake
from pydantic_core import CoreSchema
from typing_extensions import Format, Self, get_annotations

from .._kit.json_types import JsonObject
from .._kit.records import ShortRepr, is_dict
from ..exceptions import UserError
from ._open import keep_unread, with_unread

_classes: dict[str, dict[str, type[NamedEvent]]] = {}
"""The classes of events by name, for `CustomEvent` and for `CapabilityEvent`; a program has as many as it defines."""


class NamedEvent(ShortRepr):
    """What `CustomEvent` and `CapabilityEvent` share: their classes are known by name."""

    _word: ClassVar[str]
    """The field with the name."""
    _envelope: ClassVar[tuple[str, ...]]
    """The fields that every such event has."""
    _registered: ClassVar[str | None] = None
    """The name of the class; `None` for one without instances of its own."""
    _read_as: ClassVar[type[NamedEvent]]
    """The class for events with unknown names."""
    _adapter: ClassVar[TypeAdapter[Any]]
    """What reads and writes events of the class."""

    @classmethod
    def _name_or_snake(cls, name: str | None) -> str:
        name = name or to_snake(cls.__name__.removesuffix('Event'))
        if not name:
            raise UserError(f"The event `{cls.__name__}` has no name: pass one to the class, as `name='...'`.")
        return name

    @classmethod
    def _define(cls, name: str | None) -> None:
        """Give a new class its name.

        Raises:
            UserError: The name is that of another class, or a field has the name of one that every event has.
        """
        if '__dataclass_fields__' in cls.__dict__:  # made again, by `@dataclass(slots=True)`
            _classes[cls._word][cast(str, cls._registered)] = cls
            return
        declared = get_annotations(cls, format=Format.FORWARDREF)
        taken = sorted((declared.keys() & {*cls._envelope, 'data'}) - {cls._word})
        if taken:
            raise UserError(
                f'The event `{cls.__name__}` has the fields {taken}, which events have already. Give its own other names.'
            )
        cls._registered = name
        if name is None:
            return
        other = _classes.setdefault(cls._word, {}).get(name)
        if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise UserError(
                f'The event `{cls.__name__}` is named {name!r}, and so is `{other.__module__}.{other.__qualname__}`. Name one of '
                f"them otherwise: `class {cls.__name__}({cls.__base__ and cls.__base__.__name__}, name='...')`."
            )
        _classes[cls._word][name] = cls
        cast(Any, cls).__annotations__ = {cls._word: 'str', **declared}  # an assignment to `cls` would declare it
        setattr(cls, cls._word, field(default=name, kw_only=True))

    def __new__(cls, *args: Any, **values: Any) -> Self:
        """Return a new event.

        Raises:
            UserError: The class has no name, is not a dataclass, or the event would have another name than its class.
        """
        if cls is not cls._read_as:
            if cls._registered is None:
                raise UserError(f'`{cls.__name__}` only is a base class: define a dataclass that inherits from it.')
            if '__dataclass_fields__' not in cls.__dict__:
                raise UserError(f'The event `{cls.__name__}` is not a dataclass: put `@dataclass` before it.')
            if values.get(cls._word, cls._registered) != cls._registered:
                raise UserError(
                    f'The {cls._word} of `{cls.__name__}` is {cls._registered!r}, for all events of the class, and not '
                    f'{values[cls._word]!r:.100}.'
                )
        return super().__new__(cls)

    @classmethod
    def _reader(cls) -> TypeAdapter[Any]:
        if '_adapter' not in cls.__dict__:
            cls._adapter = TypeAdapter(cls)
        return cls._adapter

    def _own(self) -> JsonObject:
        """Return the fields that the event has more than all others."""
        names = [field.name for field in fields(cast(Any, self)) if field.name not in self._envelope]
        return {name: getattr(self, name) for name in names}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[object], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a class of events; that of all of them reads events as their classes."""
        from pydantic_core import core_schema

        schema = handler(source)
        if cls._registered is not None or cls is cls._read_as:
            return schema
        return core_schema.no_info_wrap_validator_function(
            cls._read,
            schema,
            serialization=core_schema.wrap_serializer_function_ser_schema(cls._written, info_arg=True, schema=schema),
        )

    @classmethod
    def _read(cls, stored: Any, handler: Any) -> Any:
        if not is_dict(stored):
            return stored if isinstance(stored, cls) else handler(stored)
        word = stored.get(cls._word, '')
        kind = _classes.get(cls._word, {}).get(word) if isinstance(word, str) else None
        if kind is not None:
            return keep_unread(kind._reader().validate_python(stored), stored)
        envelope = {name: stored[name] for name in cls._envelope if name in stored}
        data = {name: value for name, value in stored.items() if name not in cls._envelope}
        return cls._read_as._reader().validate_python(
            {**envelope, 'data': data if data and data != {'data': None} else None}
        )

    @staticmethod
    def _written(value: NamedEvent, handler: Any, info: Any) -> Any:
        written: JsonObject = value._reader().dump_python(value, mode=info.mode)
        data = written.get('data') if isinstance(value, value._read_as) else None
        if is_dict(data):
            return {**data, **{name: item for name, item in written.items() if name != 'data'}}
        return with_unread(value, written)


@dataclass(repr=False, eq=False, kw_only=True)
class CustomEvent(NamedEvent):
    """An event that a program defines, and emits with `ctx.emit`: the base class of dataclasses with its values.

    Class arguments are `name`, by default that of the class in snake case, without `Event`; `ui=False` if front ends are not
    to receive it; and `abstract=True` for a base class.

    Raises:
        UserError: The class has no name of its own, is not a dataclass, or its name or a field is taken.
    """

    name: str = ''
    """The name of the class."""
    tool_call_id: str | None = None
    """The call of the tool that emitted it."""
    tool_name: str | None = None
    """That tool."""
    event_kind: Literal['custom'] = 'custom'
    """Discriminator of the event."""
    ui: ClassVar[bool] = True
    """Whether front ends receive it."""
    _word = 'name'
    _envelope = ('name', 'tool_call_id', 'tool_name', 'event_kind')

    def __init_subclass__(
        cls,
        *,
        name: str | None = None,
        ui: bool | None = None,
        abstract: bool = False,
        _register: bool = True,
        **more: Any,
    ) -> None:
        super().__init_subclass__(**more)
        if not _register:
            return
        declared = get_annotations(cls, format=Format.FORWARDREF)
        if 'ui' in declared or ('ui' in cls.__dict__ and '__dataclass_fields__' not in cls.__dict__):
            raise UserError(
                f'The event `{cls.__name__}` has an attribute `ui`, which says whether front ends receive it. Name the field '
                f'otherwise; the flag is an argument: `class {cls.__name__}(CustomEvent, ui=False)`.'
            )
        if ui is not None:
            cls.ui = ui
        cls._define(None if abstract else cls._name_or_snake(name))

    def to_payload(self) -> object:
        """Return the values that the event has apart from the fields of every event."""
        return self._own()


@dataclass(repr=False, eq=False, kw_only=True)
class UnknownCustomEvent(CustomEvent, _register=False):
    """An event of a class that this program does not define.

    Raises:
        UserError: It has no name.
    """

    data: JsonObject | None = None
    """Its values."""

    def __post_init__(self) -> None:
        if not self.name:
            raise UserError('A custom event has a name, and this one is without: pass `name`.')

    def to_payload(self) -> JsonObject | None:
        """Return its values."""
        return self.data


@dataclass(repr=False, eq=False, kw_only=True)
class CapabilityEvent(NamedEvent):
    """An event that a capability defines: the base class of dataclasses with its values.

    Class arguments are `namespace`, which the kind starts with; `name`, by default that of the class in snake case, without
    `Event`; `dispatch='immediate'` for one that listeners receive before `ctx.emit` returns; and `abstract=True` for a base
    class. Namespace and dispatch are inherited.

    Raises:
        UserError: The class has no namespace, is not a dataclass, or its kind or a field is taken.
    """

    kind: str = ''
    """The namespace and the name of the class, with a dot between them."""
    capability_id: str | None = None
    """The capability that emitted it."""
    tool_call_id: str | None = None
    """The call of the tool that emitted it."""
    tool_name: str | None = None
    """That tool."""
    event_kind: Literal['capability'] = 'capability'
    """Discriminator of the event."""
    event_dispatch: ClassVar[Literal['stream', 'immediate']] = 'stream'
    """Whether listeners receive it in its place in the stream, or at once."""
    _word = 'kind'
    _envelope = ('kind', 'capability_id', 'tool_call_id', 'tool_name', 'event_kind')
    _namespace: ClassVar[str | None] = None

    def __init_subclass__(
        cls,
        *,
        namespace: str | None = None,
        name: str | None = None,
        dispatch: Literal['stream', 'immediate'] | None = None,
        abstract: bool = False,
        _register: bool = True,
        **more: Any,
    ) -> None:
        super().__init_subclass__(**more)
        if not _register:
            return
        if dispatch not in (None, 'stream', 'immediate'):
            raise UserError(
                f"The `dispatch` of `{cls.__name__}` is {dispatch!r:.100}, and must be 'stream' or 'immediate'."
            )
        if dispatch is not None:
            cls.event_dispatch = dispatch
        if namespace is not None:
            cls._namespace = namespace
        if not cls._namespace and (namespace is not None or not abstract):
            raise UserError(
                f"The event `{cls.__name__}` has no namespace: `class {cls.__name__}(CapabilityEvent, namespace='...')`, "
                'with the name of the capability.'
            )
        cls._define(None if abstract else f'{cls._namespace}.{cls._name_or_snake(name)}')


@dataclass(repr=False, eq=False, kw_only=True)
class UnknownCapabilityEvent(CapabilityEvent, _register=False):
    """An event of a class that this program does not define."""

    data: JsonObject | None = None
    """Its values."""


CustomEvent._read_as = UnknownCustomEvent  # pyright: ignore[reportPrivateUsage]
CapabilityEvent._read_as = UnknownCapabilityEvent  # pyright: ignore[reportPrivateUsage]
