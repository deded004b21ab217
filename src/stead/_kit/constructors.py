"""Constructors that were compiled ahead: what joins those of `stead._constructors` to the classes that they are for.

`make stubs` writes a function for each class, which has the parameters of its constructor and returns it: without types, and
with `...` for every default. Both are in the body of the class, and are taken from there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field
from importlib import import_module
from types import FunctionType
from typing import Any, cast

BodyField = tuple[object, Any]
"""What the body of a dataclass says of a field: its annotation, and its default, a `Field`, or `MISSING`."""


class _Unset:
    """The default of a parameter whose value a factory makes, shown as the standard library shows it."""

    def __repr__(self) -> str:
        return '<factory>'


UNSET = _Unset()


def address(cls: type) -> tuple[str, str]:
    """Return the module that has the constructor of a class, and the name of the function that makes it.

    Those of `stead.room.module` are in `stead._constructors.room`, and those of modules without a room in the package itself.
    """
    package, _, module = cls.__module__.partition('.')
    room, _, rest = module.rpartition('.')[0].partition('.')
    parts = [rest, module.rpartition('.')[2], cls.__qualname__]
    home = f'{package}._constructors{"." * bool(room)}{room}'
    return home, '_'.join(part.replace('.', '_') for part in parts if part)


def ready_constructor(
    cls: type, fields: Mapping[str, BodyField], *, frozen: bool = False
) -> Callable[..., None] | None:
    """Return the constructor of a class that was compiled ahead.

    Args:
        cls: The class.
        fields: Its fields and those it inherits, in their order.
        frozen: Whether instances cannot be changed.

    Returns:
        The constructor, or `None` if there is none, or only one that is out of date.
    """
    if not cls.__module__.startswith('stead.'):
        return None
    home, name = address(cls)
    try:
        make: Any = getattr(import_module(home), name)
    except (ModuleNotFoundError, AttributeError):
        return None
    defaults, factories = _defaults(fields)
    wanted = make.__code__.co_varnames[: make.__code__.co_argcount]
    # It is out of date if the class has other factories, other parameters, a `__post_init__` more or less, or was frozen since.
    if {*wanted} - {'unset', 'put'} != factories.keys() or ('put' in wanted) != frozen:
        return None
    init = make(*({**factories, 'unset': UNSET, 'put': object.__setattr__}[each] for each in wanted))
    code = init.__code__
    names: tuple[str, ...] = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    positional = names[: code.co_argcount - 1]
    order = [name for name, (_, value) in fields.items() if not isinstance(value, Field) or value.init]
    if ('__post_init__' in code.co_names) != hasattr(cls, '__post_init__'):
        return None
    if [*positional, *names[len(positional) :]] != sorted(order, key=lambda name: name not in positional):
        return None
    # Names in its annotations are looked up in the module of the class.
    constructor = FunctionType(
        code,
        vars(sys.modules[cls.__module__]),
        '__init__',
        tuple(defaults[name] for name in positional if name in defaults),
        init.__closure__,
    )
    constructor.__kwdefaults__ = {name: defaults[name] for name in names[len(positional) :] if name in defaults} or None
    constructor.__annotations__ = {**{name: fields[name][0] for name in names}, 'return': None}
    constructor.__qualname__ = f'{cls.__qualname__}.__init__'
    return constructor


def _defaults(fields: Mapping[str, BodyField]) -> tuple[dict[str, Any], dict[str, Callable[[], object]]]:
    """Return the defaults of parameters, and what makes the values of fields, by the names that the constructors have for it."""
    defaults: dict[str, Any] = {}
    factories: dict[str, Callable[[], object]] = {}
    for name, (_, value) in fields.items():
        default, factory = value, MISSING
        if isinstance(value, Field):
            field = cast(Any, value)
            default, factory = field.default, field.default_factory
        if factory is not MISSING:
            default = UNSET
            factories[f'new_{name}'] = factory
        if default is not MISSING:
            defaults[name] = default
    return defaults, factories
