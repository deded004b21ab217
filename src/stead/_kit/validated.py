"""`validated`: the dataclass of pydantic, which is made when a class is first used.

What pydantic needs for it takes longer to load than all that a program needs which sends no media. So the decorator puts a
placeholder where each attribute belongs that pydantic will set. The first access to one of them lets pydantic make the
dataclass in place; threads wait for that. After that nothing is left of the placeholders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, field
from typing import Any, TypeVar, cast

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

    def __missing__(self, key: str) -> Any:
        """Wait for the thread that makes the class, and be what it has made.

        To pydantic in another thread, the class is a dataclass as soon as its fields are there. It takes what comes later from
        the `__dict__` of the class, so it may have got this, and puts it into other schemas.
        """
        with LOCK:
            _make(self.cls)
            value: Any = vars(self.cls).get(self.name, self)
            if value is self:  # this thread makes it
                raise KeyError(key)
            self.update(value)
        return self[key] if key in self else value[key]


class _FirstValidator:
    """Stands where the validator of a dataclass of pydantic will be, until the first instance is constructed.

    What pydantic itself puts there compiles the validator in each thread that wants it, all on the same class.
    """

    def __init__(self, cls: type[object], mock: Any) -> None:
        self.cls = cls
        self.mock = mock
        """What pydantic put there."""

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self.mock  # by which pydantic sees that there is none yet
        with LOCK:
            if self.cls.__dict__['__pydantic_validator__'] is self:
                self._compile()
            return self.cls.__dict__['__pydantic_validator__']

    def _compile(self) -> None:
        # Until pydantic 2.12, the validator is taken away before the new one is there. Threads that look for it then wait.
        cls, name = cast(Any, self.cls), '__pydantic_validator__'

        def wait(instance: object, wanted: str) -> Any:
            if wanted != name:
                raise AttributeError(f'{type(instance).__name__!r} object has no attribute {wanted!r}')
            with LOCK:
                return getattr(cls, name)

        cls.__getattr__ = wait
        try:
            pydantic.dataclasses.rebuild_dataclass(cls)
        finally:
            del cls.__getattr__


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
    if not cast(Any, cls).__pydantic_complete__:
        setattr(cls, '__pydantic_validator__', _FirstValidator(cls, cast(Any, cls).__pydantic_validator__))


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
