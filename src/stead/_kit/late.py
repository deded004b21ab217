"""`dataclass`: that of the standard library, whose methods are written when a class is first used.

A dataclass compiles an `__init__`, an `__eq__` and a `__repr__` of its own. For the classes of this package that takes as long
as all else that happens while it is imported, and a program uses a quarter of them, and hardly ever compares any.

So the decorator puts a placeholder where each method belongs. The first access to one writes the real one in its place, made by
the standard library for a class with the same fields; after that nothing is left of it. A placeholder is there until the
method takes its place, so threads need not wait for each other.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    _RECORD = ('__dataclass_fields__', '__dataclass_params__', '__match_args__', '__replace__', '__init__')
    _lock = threading.RLock()

    class _Placeholder:
        """Stands where a method or an attribute of a dataclass will be."""

        __slots__ = ('cls', 'members', 'name', 'options')

        def __init__(self, cls: type, name: str, members: dict[str, Any], options: dict[str, Any]) -> None:
            self.cls = cls
            self.name = name
            self.members = members
            self.options = options

        def __get__(self, instance: object, owner: type | None = None) -> Any:
            with _lock:
                if self.cls.__dict__.get(self.name) is self:
                    _write(self)
            value = self.cls.__dict__[self.name]
            return value.__get__(instance, owner) if hasattr(value, '__get__') else value

    def _write(place: _Placeholder) -> None:
        """Put what belongs there in the place of a placeholder, and of the others that come with it."""
        cls, name = place.cls, place.name
        names = (name,) if name in ('__eq__', '__repr__') else _RECORD
        has_init = names is _RECORD and place.options.get('init', True)
        built = _with_fields_of(place, {'eq': name == '__eq__', 'repr': name == '__repr__', 'init': has_init})
        if names is _RECORD:
            params = built.__dataclass_params__
            params.eq, params.repr = place.options.get('eq', True), place.options.get('repr', True)
            params.init = place.options.get('init', True)
        for each in names:
            if isinstance(cls.__dict__.get(each), _Placeholder):
                setattr(cls, each, built.__dict__[each])

    def _with_fields_of(place: _Placeholder, wanted: dict[str, bool]) -> type:
        """Return a dataclass of the standard library with the same fields, and the methods that are wanted."""
        cls = place.cls
        inherited: dict[str, Any] = {}
        for base in cls.__mro__[-1:0:-1]:
            inherited.update(getattr(base, '__dataclass_fields__', {}))
        parent = type(cls.__name__, (), {'__dataclass_fields__': inherited, '__dataclass_params__': _NOT_FROZEN})
        namespace = {**place.members, '__module__': cls.__module__, '__qualname__': cls.__qualname__, '__doc__': ''}
        if hasattr(cls, '__post_init__'):
            namespace['__post_init__'] = cls.__post_init__
        return dataclasses.dataclass(**{**place.options, **wanted})(type(cls.__name__, (parent,), namespace))

    class _Plain:
        pass

    _NOT_FROZEN = dataclasses.dataclass(_Plain).__dataclass_params__

    def _decorated(cls: type, options: dict[str, Any]) -> type:
        own = cls.__dict__
        members: dict[str, Any] = {'__annotations__': own.get('__annotations__', {})}
        for name in members['__annotations__']:
            if name in own:
                members[name] = value = own[name]
                if isinstance(value, dataclasses.Field):
                    if value.default is dataclasses.MISSING:
                        delattr(cls, name)
                    else:
                        setattr(cls, name, value.default)
        names = [*_RECORD[:3], *(['__replace__'] if hasattr(_Plain, '__replace__') else [])]
        if options.get('init', True):
            names.append('__init__')
        if options.get('repr', True):
            names.append('__repr__')
        if options.get('eq', True):
            if '__hash__' not in own:
                cls.__hash__ = None
            names.append('__eq__')
        for name in names:
            if name not in own:
                setattr(cls, name, _Placeholder(cls, name, members, options))
        return cls

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Return a class as a dataclass; arguments as those of `dataclasses.dataclass`."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        if {'frozen', 'slots', 'order', 'unsafe_hash'} & options.keys() or not cls.__doc__:
            return dataclasses.dataclass(**options)(cls)
        return _decorated(cls, options)


__all__ = ('dataclass',)
