"""Modules that are imported when they are needed: the one way in which stead is lazy.

`from stead import Agent` loads what is needed to build one. What runs it, and what most programs never use, is imported by
the first use of one of its names. Python does the rest: a module is executed once, and threads that want it wait for it.

- A package has a table of its public names by the module that defines them, and takes its `__getattr__` and `__dir__` from
  `lazy_exports` (PEP 562). So `stead.messages.TextPart` needs no more than `import stead`: submodules are found like names. A
  name that was found is set in the package, so that the next access costs nothing more. Stubs tell type checkers the names.
- A room puts private modules into its namespace that are `late_modules`. A file says `from . import _plan as plans` at its top,
  and `plans.RunPlan` where it needs it, in annotations too; that imports the module. From then on what the file holds has the
  namespace of the module for its own, so that it is as quick, and a change of the module reaches it.
- All else that is needed in one place only is imported there, in a function.

A name that nothing has is a `MissingName`, whose text says what may be meant; the text is made when it is read.
"""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NoReturn


def import_module(name: str, package: str | None = None) -> ModuleType:
    """Import a module like `importlib.import_module`, but as the statement does: by the `__import__` of the caller.

    The sandbox of Temporal's workflows stands in its place, and lets what it passes through read files.
    """
    name = importlib.util.resolve_name(name, package)
    __import__(name)
    return sys.modules[name]


def _old_name(module: str, name: str, home: str, new: str) -> Any:
    from .deprecated import warn_old_name

    warn_old_name(module, name, home, new)
    return getattr(import_module(home), new)


def lazy_exports(
    package: str, modules: Mapping[str, Sequence[str]] | None = None, old_names: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose names and modules are imported when they are first used.

    Args:
        package: The name of the package.
        modules: The names, by the module of the package that defines them.
        old_names: The new name for each old one, which still works, with a warning.
    """
    home = {name: f'.{module}' for module, names in (modules or {}).items() for name in names}

    @cache
    def below() -> frozenset[str]:
        return frozenset(module.name for module in pkgutil.iter_modules(sys.modules[package].__path__))

    def resolve(name: str) -> Any:
        if name in home:
            value = getattr(import_module(home[name], package), name)
            setattr(sys.modules[package], name, value)  # so that the next access does not call this function
            return value
        if old_names is not None and name in old_names:
            return _old_name(package, name, package, old_names[name])
        if name in below() or (name[0] == '_' and _has_finder(package, name)):
            return import_module(f'.{name}', package)
        missing_name(package, name)

    def names() -> list[str]:
        return sorted({*home, *vars(sys.modules[package])})

    return resolve, names


def _has_finder(package: str, name: str) -> bool:
    """Return whether something finds a private module that is not in the folder of a package, as `dropin` does."""
    # Dunder names are probes of tools (`__wrapped__`, `__path__`), never modules.
    return not name.startswith('__') and importlib.util.find_spec(f'{package}.{name}') is not None


def lazy_modules(package: str) -> None:
    """Let the modules of a package that imports its names at once be imported when they are used.

    The `__getattr__` of the package is set here: type checkers that saw it there would believe that it has every name.
    """
    vars(sys.modules[package])['__getattr__'], _ = lazy_exports(package)


def late_names(module: str, names: Mapping[str, str]) -> None:
    """Let names of a module that is not a package be imported when they are used; see `lazy_modules`.

    Args:
        module: The name of the module.
        names: The module that defines each of the names.
    """

    def resolve(name: str) -> Any:
        if name not in names:
            missing_name(module, name)
        return getattr(import_module(names[name]), name)

    vars(sys.modules[module])['__getattr__'] = resolve


def old_names(module: str, names: Mapping[str, tuple[str, str]]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module whose old names still work, with a warning that names the new ones.

    Args:
        module: The name of the module.
        names: For each old name, its new module and its name there.
    """

    def resolve(name: str) -> Any:
        if name not in names:
            missing_name(module, name)
        return _old_name(module, name, *names[name])

    return resolve


class _LateModule:
    """Stands for a module until one of its names is used; after that, it has the namespace of the module for its own."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        module = import_module(self.__name__)
        self.__dict__ = vars(module)
        return getattr(module, name)

    def __reduce__(self) -> tuple[Any, ...]:  # a copy is the module
        return import_module, (self.__name__,)


def late_modules(package: str, *names: str) -> dict[str, object]:
    """Return private modules of a package by name, for its namespace, each of which is imported when one of its names is used.

    Only private modules are made late: code that imports one gets an object with the names of the module, not the module. For a
    public module, a private one that imports its names is made late instead.
    """
    return {name: _LateModule(f'{package}.{name}') for name in names}


def load(*modules: object) -> None:
    """Import modules that were late so far."""
    for module in modules:
        import_module(vars(module)['__name__'])


class MissingName(AttributeError):
    """A name that a module lacks: its arguments are the module and the name, its text says which one may be meant.

    To programs and in tracebacks it is an `AttributeError`, and a copy in another process is one.
    """

    def __str__(self) -> str:
        from .missing import name_meant

        module, name = self.args
        return f'module {module!r} has no attribute {name!r}{name_meant(module, name)}'

    def __reduce__(self) -> tuple[Any, ...]:
        return AttributeError, (str(self),)


class MissingImport(ImportError):
    """A name that a package lacks and that was to be imported from it; like `MissingName`."""

    def __str__(self) -> str:
        from .missing import name_meant

        module, name = self.args
        return f'cannot import name {name!r} from {module!r} ({self.path}){name_meant(module, name, imported=True)}'

    def __reduce__(self) -> tuple[Any, ...]:
        return ImportError, (str(self),)


for _own, _shown in ((MissingName, 'AttributeError'), (MissingImport, 'ImportError')):
    _own.__module__, _own.__name__, _own.__qualname__ = 'builtins', _shown, _shown


def missing_name(module: str, name: str) -> NoReturn:
    """Raise the error for a name that a module lacks, from its `__getattr__`.

    Args:
        module: The name of the module.
        name: The name that was asked for.

    Raises:
        MissingImport: The module is a package, and the name was to be imported: Python would drop the text of the other error.
        MissingName: It was asked for in another way.
    """
    frame = sys._getframe(2)  # type: ignore[reportPrivateUsage]  # who asked, or a `__getattr__` that ended in this one
    if frame.f_code.co_name == '__getattr__' and frame.f_back is not None:
        frame = frame.f_back
    # So the import system asks whether a package has a name. A leading underscore makes it the probe of a tool.
    if frame.f_code.co_name == '_handle_fromlist' and not name.startswith('_'):
        raise MissingImport(module, name, name=module, path=sys.modules[module].__file__)
    # With an `obj` that has nothing like it, Python does not add a hint of its own.
    raise MissingName(module, name, name=name, obj=None)


__all__ = (
    'MissingImport',
    'MissingName',
    'late_modules',
    'lazy_exports',
    'lazy_modules',
    'load',
    'missing_name',
    'old_names',
)
