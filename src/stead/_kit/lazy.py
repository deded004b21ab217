"""Names of a package that are resolved on first use (PEP 562), and modules that are imported on first use."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType, ModuleType
from typing import Any


def lazy_exports(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose names are resolved on first use.

    Submodules resolve too, so `import stead` is enough to write `stead.messages.TextPart`.

    Args:
        package: The name of the package.
        modules: The names, by the module of the package that defines them.
    """
    home = {name: module for module, names in modules.items() for name in names}

    def resolve(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(f'.{home[name]}', package), name)
            setattr(sys.modules[package], name, value)  # so that the next access does not call this function
            return value
        # Dunder names are probes of tools (`__wrapped__`, `__path__`), never submodules.
        if not name.startswith('__') and importlib.util.find_spec(f'{package}.{name}') is not None:
            return importlib.import_module(f'.{name}', package)
        hint = ''
        if not name.startswith('_'):
            from .meant import did_you_mean

            hint = did_you_mean(name, home)
        if hint and _imports_from(sys._getframe(1)):  # type: ignore[reportPrivateUsage]
            # Of an `AttributeError`, Python would drop the text here.
            path = sys.modules[package].__file__
            raise ImportError(f'cannot import name {name!r} from {package!r} ({path}){hint}', name=package, path=path)
        # With an `obj` that has nothing like it, Python does not add the same hint once more.
        raise AttributeError(f'module {package!r} has no attribute {name!r}{hint}', name=name, obj=None)

    def names() -> list[str]:
        return sorted({*home, *vars(sys.modules[package])})

    return resolve, names


class _LateModule(ModuleType):
    """Stands for a module that is imported when one of its names is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__name__))


def late_modules(package: str, *names: str) -> dict[str, ModuleType]:
    """Return modules of a package by name, for its namespace, each of which is imported when one of its names is used.

    What then says `from package import module` at its top costs nothing before that. Python puts the module itself into the
    namespace of the package as soon as it is imported; what holds this one gets the same names, a little more slowly, so
    it is for what happens once in a run at most.
    """
    return {name: _LateModule(f'{package}.{name}') for name in names}


def _imports_from(frame: FrameType) -> bool:
    """Return whether a frame is at the second half of `from package import name`."""
    from opcode import opmap

    return frame.f_code.co_code[frame.f_lasti] == opmap['IMPORT_FROM']
