"""`dataclass`: that of the standard library, whose methods are written when a class is first used.

A dataclass compiles an `__init__`, an `__eq__` and a `__repr__` of its own. For the classes of this package that takes as long
as all else that happens while it is imported, and a program uses a third of them, and hardly ever compares any.

So the decorator puts a placeholder where each method belongs. The first access to one writes the real one in its place; after
that nothing is left of it. A placeholder is there until the method takes its place, so threads need not wait for each other.

The constructors of this package's classes are ready: `make stubs` writes them, and Python compiles them once for all processes
(`constructors.py`). All else is made by the standard library for a class with the same fields, and so is the constructor of a
class that has changed since.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from typing import TypeVar

    LOCK: threading.RLock

    T = TypeVar('T')

    def has_late_constructor(cls: type) -> bool: ...

    def hinted(cls: type[T]) -> type[T]: ...

    def write_late(cls: type, names: tuple[str, ...]) -> None: ...

else:
    import dataclasses
    from collections.abc import Callable, Iterable
    from copy import copy
    from reprlib import recursive_repr

    from .constructors import BodyField, ready_constructor
    from .meant import with_hint

    _RECORD = ('__dataclass_fields__', '__dataclass_params__', '__match_args__', '__replace__')
    _LATE = frozenset(('init', 'repr', 'eq', 'frozen', 'kw_only', 'slots'))
    """Options of dataclasses that are made late; the standard library makes those with others at once."""
    LOCK = threading.RLock()

    class _Late:
        """A class whose methods are written late, and what they are made from."""

        __slots__ = ('body', 'cls', 'has_constructor', 'hints', 'options')

        def __init__(self, cls: type, options: dict[str, Any]) -> None:
            self.cls = cls
            self.options = options
            """The arguments of the decorator."""
            self.body: dict[str, Any] = _body_of(cls)
            """The annotations of its fields, under `__annotations__`, and by name their defaults and `field(...)`."""
            self.has_constructor = False
            """Whether its constructor is among the methods."""
            self.hints = False
            """Whether the constructor says which argument may have been meant."""

        def place(self, names: Iterable[str]) -> None:
            """Put placeholders where methods and attributes will be."""
            for name in names:
                setattr(self.cls, name, _Placeholder(self, name))

    _late: dict[type, _Late] = {}
    """The classes that were decorated here; `write_late` is for others."""

    class _Placeholder:
        """Stands where a method or an attribute of a class will be, and writes it at the first access."""

        __slots__ = ('late', 'name')

        def __init__(self, late: _Late, name: str) -> None:
            self.late = late
            self.name = name

        def __get__(self, instance: object, owner: type | None = None) -> Any:
            members = self.late.cls.__dict__
            with LOCK:
                if members.get(self.name) is self:  # rather than what another thread has just written
                    _write(self.late, self.name)
            value = members[self.name]
            return value.__get__(instance, owner) if hasattr(value, '__get__') else value

    def _write(late: _Late, name: str) -> None:
        """Put a method or an attribute in the place of its placeholder, and those that come with it."""
        cls, options = late.cls, late.options
        if name == '__init__':
            fields = _fields_of(cls)
            frozen = options.get('frozen', False)
            ready = None if fields is None else ready_constructor(cls, fields, frozen=frozen)
            constructor = ready or _standard(late, init=True).__init__
            cls.__init__ = with_hint(constructor) if late.hints else constructor
        elif name == '__repr__':
            cls.__repr__ = _repr_of(cls)
        elif name in _RECORD:
            built = _standard(late)
            params = built.__dataclass_params__
            for option in ('init', 'repr', 'eq'):
                setattr(params, option, options.get(option, True))
            params.frozen = options.get('frozen', False)
            if hasattr(params, 'slots'):
                params.slots = options.get('slots', False)
            for each in _RECORD:
                if isinstance(cls.__dict__.get(each), _Placeholder):
                    setattr(cls, each, built.__dict__[each])
        else:
            # Only a frozen class has a `__hash__`.
            setattr(cls, name, _standard(late, eq=True, frozen=name == '__hash__').__dict__[name])

    def _fields_of(cls: type) -> dict[str, BodyField] | None:
        """Return the fields of a class, first those that it inherits, or `None` if a base is a dataclass of another kind."""
        fields: dict[str, BodyField] = {}
        for base in reversed(cls.__mro__):
            if base in _late:
                body = _late[base].body
                for name, annotation in body['__annotations__'].items():
                    if _is_field(annotation):
                        fields[name] = annotation, body.get(name, dataclasses.MISSING)
            elif '__dataclass_fields__' in base.__dict__:
                return None
        return fields

    def _repr_of(cls: type) -> Callable[[Any], str]:
        """Return the `__repr__` of a class."""
        names = [each.name for each in dataclasses.fields(cls) if each.repr]

        def represent(self: Any) -> str:
            shown = ', '.join([f'{name}={getattr(self, name)!r}' for name in names])
            return f'{self.__class__.__qualname__}({shown})'

        represent.__name__, represent.__qualname__ = '__repr__', f'{cls.__qualname__}.__repr__'
        return recursive_repr()(represent)

    def _standard(late: _Late, *, init: bool = False, eq: bool = False, frozen: bool = False) -> type:
        """Return a dataclass of the standard library with the same fields, and the methods that are wanted."""
        cls = late.cls
        frozen = frozen or (init and late.options.get('frozen', False))
        inherited: dict[str, Any] = {}
        for base in cls.__mro__[-1:0:-1]:
            inherited.update(getattr(base, '__dataclass_fields__', {}))
        bases = ()
        if inherited:
            params = _FROZEN if frozen else _NOT_FROZEN
            base = {'__dataclass_fields__': inherited, '__dataclass_params__': params}
            # From Python 3.14 on, the signature takes them from there.
            base['__annotations__'] = {name: each.type for name, each in inherited.items()}
            bases = (type(cls.__name__, (), base),)
        namespace = {
            **late.body,
            '__module__': cls.__module__,
            '__qualname__': cls.__qualname__,
            '__doc__': cls.__doc__,
        }
        if hasattr(cls, '__post_init__'):
            namespace['__post_init__'] = cls.__post_init__
        options = {name: value for name, value in late.options.items() if name != 'slots'}
        options.update(init=init, repr=False, eq=eq, frozen=frozen)
        return dataclasses.dataclass(**options)(type(cls.__name__, bases, namespace))

    class _Plain:
        """A dataclass without fields."""

    _NOT_FROZEN = dataclasses.dataclass(init=False, repr=False, eq=False)(_Plain).__dataclass_params__
    _FROZEN = copy(_NOT_FROZEN)
    _FROZEN.frozen = True

    def _refuse_changes(cls: type) -> None:
        """Give a frozen class the methods that refuse to set and to delete its fields."""

        def refuses(method: str, what: str) -> Callable[..., None]:
            def refuse(self: Any, name: str, *value: object) -> None:
                if type(self) is cls or name in cls.__dataclass_fields__:
                    raise dataclasses.FrozenInstanceError(f'cannot {what} field {name!r}')
                getattr(super(cls, self), method)(name, *value)

            refuse.__name__, refuse.__qualname__ = method, f'{cls.__qualname__}.{method}'
            return refuse

        cls.__setattr__ = refuses('__setattr__', 'assign to')
        cls.__delattr__ = refuses('__delattr__', 'delete')

    def _is_field(annotation: object) -> bool:
        """Return whether an annotation is that of a field."""
        return annotation is not dataclasses.KW_ONLY and not str(annotation).startswith(
            ('KW_ONLY', 'dataclasses.KW_ONLY', 'ClassVar', 'typing.ClassVar')
        )

    def _slotted(cls: type, names: list[str], frozen: bool) -> type:
        """Return a class with slots, as only a new one can have them."""
        inherited = {slot for base in cls.__mro__[1:-1] for slot in getattr(base, '__slots__', ())}
        gone = ('__dict__', '__weakref__', *names)
        namespace = {name: value for name, value in cls.__dict__.items() if name not in gone}
        namespace['__slots__'] = tuple(name for name in names if name not in inherited)
        slotted = type(cls)(cls.__name__, cls.__bases__, namespace)
        slotted.__qualname__ = cls.__qualname__
        if frozen:  # whose slots pickle cannot set
            slotted.__getstate__ = lambda self: [getattr(self, each.name) for each in dataclasses.fields(self)]
            slotted.__setstate__ = _set_state
        return slotted

    def _set_state(self: Any, state: list[Any]) -> None:
        for each, value in zip(dataclasses.fields(self), state):
            object.__setattr__(self, each.name, value)

    def _body_of(cls: type) -> dict[str, Any]:
        """Return what the body of a class says of its fields."""
        own = cls.__dict__
        annotations = cls.__annotations__  # its own: from Python 3.14 on, they may not have been evaluated yet
        return {'__annotations__': annotations, **{name: own[name] for name in annotations if name in own}}

    def write_late(cls: type, names: tuple[str, ...]) -> None:
        """Write methods and attributes of dataclasses when they are first used, for a class that is made one otherwise."""
        late = _Late(cls, {'init': False})
        late.place([name for name in names if name not in cls.__dict__ and hasattr(_Plain, name)])

    def has_late_constructor(cls: type) -> bool:
        """Return whether the constructor of a class is written when it is first used, or was."""
        return cls in _late and _late[cls].has_constructor

    def hinted(cls: type) -> type:
        """Let the constructor of a class say which argument may have been meant by one that it does not have.

        For what programs configure: before Python 3.13 that takes one call more, too much for what runs make.
        """
        if has_late_constructor(cls):
            _late[cls].hints = True
        return cls

    def _decorated(cls: type, options: dict[str, Any]) -> type:
        own = cls.__dict__
        late = _Late(cls, options)
        for name, value in late.body.items():
            if isinstance(value, dataclasses.Field):
                if value.default is dataclasses.MISSING:
                    delattr(cls, name)
                else:
                    setattr(cls, name, value.default)
        if options.get('slots'):
            names = [name for name, annotation in late.body['__annotations__'].items() if _is_field(annotation)]
            late.cls = cls = _slotted(cls, names, options.get('frozen', False))
        _late[cls] = late
        names = _methods(cls, options)
        late.has_constructor = '__init__' in names
        late.place(names)
        if options.get('frozen', False):
            _refuse_changes(cls)
        elif options.get('eq', True) and '__hash__' not in own:
            cls.__hash__ = None
        return cls

    def _methods(cls: type, options: dict[str, Any]) -> list[str]:
        """Return the names of what is to be written for a class: all that it does not define itself."""
        own = cls.__dict__
        names = [*_RECORD[:3], *(['__replace__'] if hasattr(_Plain, '__replace__') else [])]
        names += [f'__{name}__' for name in ('init', 'repr', 'eq') if options.get(name, True)]
        names = [name for name in names if name not in own]
        if options.get('frozen', False) and options.get('eq', True):
            implied = '__eq__' in own and own['__hash__'] is None  # which Python adds to a class with `__eq__`
            if '__hash__' not in own or implied:
                names.append('__hash__')
        return names

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Return a class as a dataclass; arguments as those of `dataclasses.dataclass`."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        if not _LATE.issuperset(options) or not cls.__doc__:
            return dataclasses.dataclass(**options)(cls)
        return _decorated(cls, options)


__all__ = ('LOCK', 'dataclass', 'has_late_constructor', 'hinted', 'write_late')
