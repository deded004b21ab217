"""Names of modules, resolved on first use (PEP 562); modules that load on first use; hints for names that do not exist."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any, NoReturn, cast


def lazy_exports(
    package: str, modules: Mapping[str, Sequence[str]], old_names: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose names are resolved on first use.

    Submodules resolve too, so `import stead` is enough to write `stead.messages.TextPart`.

    Args:
        package: The name of the package.
        modules: The names, by the module of the package that defines them.
        old_names: The new name for each old one, which still works, with a warning.
    """
    home = {name: module for module, names in modules.items() for name in names}
    give_hints(sys.modules[package])

    def resolve(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(f'.{home[name]}', package), name)
            setattr(sys.modules[package], name, value)  # so that the next access does not call this function
            return value
        if old_names is not None and name in old_names:
            from .deprecated import old_name

            return old_name(package, name, package, old_names[name])
        return _submodule(package, name)

    def names() -> list[str]:
        return sorted({*home, *vars(sys.modules[package])})

    return resolve, names


def old_names(module: str, names: Mapping[str, tuple[str, str]]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module whose old names still work, with a warning that names the new ones.

    Args:
        module: The name of the module.
        names: For each old name, its new module and its name there.
    """

    def resolve(name: str) -> Any:
        if name not in names:
            missing_name(module, name)
        from .deprecated import old_name

        return old_name(module, name, *names[name])

    return resolve


def _submodule(package: str, name: str) -> ModuleType:
    """Return a module of a package, which nothing may have imported yet, or raise the error for a name that it lacks."""
    # Dunder names are probes of tools (`__wrapped__`, `__path__`), never submodules.
    if not name.startswith('__') and importlib.util.find_spec(f'{package}.{name}') is not None:
        return importlib.import_module(f'.{name}', package)
    missing_name(package, name)


class _LateModule:
    """Stands for a module that is imported when one of its names is used.

    Functions and classes are kept, so that using one again costs what it costs with the module itself; so a change of the
    module does not reach who has used what it replaces. What is set here is set in the module, and a copy is the module.
    """

    __name__: str

    def __init__(self, name: str) -> None:
        vars(self)['__name__'] = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), name)
        if callable(value):
            vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(importlib.import_module(self.__name__), name, value)
        vars(self).pop(name, None)

    def __delattr__(self, name: str) -> None:
        delattr(importlib.import_module(self.__name__), name)
        vars(self).pop(name, None)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__name__))

    def __repr__(self) -> str:
        return f'<late module {self.__name__!r}>'

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (self.__name__,)


def late_modules(package: str, *names: str) -> dict[str, object]:
    """Return private modules of a package by name, for its namespace, each of which is imported when one of its names is used.

    What then says `from package import module` at its top costs nothing before that. Python puts the module itself into the
    namespace of the package as soon as it is imported; what holds this one gets the same names.

    Only private modules are made late: code that imports one gets an object with the names of the module, not the module. For a
    public module, a private one that imports its names is made late instead.
    """
    return {name: _LateModule(f'{package}.{name}') for name in names}


def load(*modules: object) -> None:
    """Import modules that were late so far."""
    for module in modules:
        importlib.import_module(cast(ModuleType, module).__name__)


class HintingPackage(ModuleType):
    """The class of `stead` and of its public packages: their modules say, of a name that they lack, which may be meant.

    Modules of a package are imported when they are used, so that `import stead` is enough to write `stead.models.test`.

    The import system sets a submodule as an attribute of its package when it is loaded. That is where the module gets its hints,
    so that no module has to ask for them, and a name that exists costs nothing more.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, ModuleType) and not name.startswith('_') and value.__name__ == f'{self.__name__}.{name}':
            give_hints(value)

    def __reduce__(self) -> tuple[Any, ...]:
        # What pickles functions with the modules that they use (cloudpickle) knows plain modules only.
        return importlib.import_module, (self.__name__,)


def give_hints(module: ModuleType) -> None:
    """Let a module, and what is loaded and public below it if it is a package, say which name may be meant by one that it lacks.

    What a module with a `__getattr__` of its own says stays as it is; it can end with `missing_name`.
    """
    names = vars(module)
    missing = _submodule if '__path__' in names else missing_name
    names.setdefault('__getattr__', partial(missing, module.__name__))
    if '__path__' in names and type(module) is ModuleType:
        module.__class__ = HintingPackage
        for name, value in list(names.items()):
            if isinstance(value, ModuleType):
                setattr(module, name, value)


def missing_name(module: str, name: str) -> NoReturn:
    """Raise the error for a name that a module lacks, from its `__getattr__`.

    Args:
        module: The name of the module.
        name: The name that was asked for.

    Raises:
        ImportError: It was to be imported: of an `AttributeError`, Python would drop the text there.
        AttributeError: It was asked for in another way.
    """
    hint = ''
    if not name.startswith('_'):  # such names are probes of tools
        from .names_elsewhere import name_meant

        imported = _is_imported(name)
        hint = name_meant(module, name, imported)
        if hint and imported:
            path = sys.modules[module].__file__
            raise ImportError(f'cannot import name {name!r} from {module!r} ({path}){hint}', name=module, path=path)
    # With an `obj` that has nothing like it, Python does not add the same hint again.
    raise AttributeError(f'module {module!r} has no attribute {name!r}{hint}', name=name, obj=None)


def _is_imported(name: str) -> bool:
    """Return whether the caller of a module's `__getattr__` is at the second half of `from module import name`."""
    from opcode import opmap

    frame = sys._getframe(2)  # type: ignore[reportPrivateUsage]
    for _ in range(3):  # a `__getattr__` may have called another one
        code, at = frame.f_code, frame.f_lasti
        if code.co_code[at] == opmap['IMPORT_FROM'] and code.co_names[code.co_code[at + 1] :][:1] == (name,):
            return True
        if frame.f_back is None:
            break
        frame = frame.f_back
    return False
