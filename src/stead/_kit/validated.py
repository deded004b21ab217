"""`validated`: the dataclass of pydantic, which is made when a class is first used.

What pydantic needs for it takes longer to load than all that a program needs which sends no media. So the decorator puts a
placeholder where each attribute belongs that pydantic will set. The first access to one of them lets pydantic make the
dataclass in place; threads wait for that. After that nothing is left of the placeholders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, field
from typing import Any, TypeVar

import pydantic
from typing_extensions import dataclass_transform

from .late import LOCK, write_late

T = TypeVar('T')
_OWN = ('__eq__', '__match_args__', '__replace__')
_OF_PYDANTIC = (
    '__dataclass_fields__',
    '__dataclass_params__',
    '__init__',
    '__is_pydantic_dataclass__',
    '__pydantic_complete__',
    '__pydantic_config__',
    '__pydantic_core_schema__',
    '__pydantic_decorators__',
    '__pydantic_fields__',
    '__pydantic_fields_complete__',
    '__pydantic_serializer__',
    '__pydantic_validator__',
)
_waiting: dict[type, Callable[[], object]] = {}
"""What makes the dataclass, for the classes that are not used yet."""


class _AttributeOfPydantic(dict[str, Any]):
    """Stands where an attribute of a dataclass of pydantic will be.

    It is a dict without entries because pydantic looks for fields in the `__dict__` of the class that it makes a dataclass.
    """

    def __init__(self, cls: type[object], name: str) -> None:
        super().__init__()
        self.cls = cls
        self.name = name
        self.own: Any = cls.__dict__.get(name)
        """What the class itself has under the name."""

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        with LOCK:
            _make(self.cls)
            value: Any = vars(self.cls).get(self.name, self)
        if value is self:  # pydantic asks while it makes the class
            if self.own is None and self.name == '__pydantic_validator__':
                return None  # that there is one tells pydantic that this is not a dataclass of the standard library
            value = self.own or getattr(super(self.cls, self.cls), self.name)
        return value.__get__(instance, owner) if hasattr(value, '__get__') else value


def _make(cls: type) -> None:
    make = _waiting.pop(cls, None)
    if make is None:
        return
    try:
        for base in reversed(cls.__mro__[1:]):
            _make(base)
        make()
    except BaseException:
        _waiting[cls] = make
        raise
    for name in _OF_PYDANTIC:
        if isinstance(cls.__dict__.get(name), _AttributeOfPydantic):
            delattr(cls, name)


@dataclass_transform(field_specifiers=(field,))
def validated(*, config: pydantic.ConfigDict, computed: tuple[str, ...] = ()) -> Callable[[type[T]], type[T]]:
    """Return a decorator that makes a class a dataclass of pydantic, without a `repr`.

    Args:
        config: The configuration of pydantic.
        computed: Properties that are written to JSON like fields.
    """

    def decorate(cls: type[T]) -> type[T]:
        fields: dict[str, Field[Any]] = {
            name: value
            for name, value in vars(cls).items()
            if isinstance(value, Field)  # pyright: ignore[reportUnknownVariableType]
        }

        def make() -> None:
            for name, value in fields.items():
                setattr(cls, name, value)
            for name in computed:
                if isinstance(member := cls.__dict__[name], property):
                    setattr(cls, name, pydantic.computed_field(member))
            for name in _OWN:
                getattr(cls, name, None)
            pydantic.dataclasses.dataclass(repr=False, config=config)(cls)  # changes the class itself

        write_late(cls, _OWN)
        for name, value in fields.items():
            if value.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, value.default)
        cls.__hash__ = None  # type: ignore[assignment]  # as instances can be compared and changed
        for name in _OF_PYDANTIC:
            setattr(cls, name, _AttributeOfPydantic(cls, name))
        _waiting[cls] = make
        return cls

    return decorate
