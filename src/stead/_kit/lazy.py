"""Names of a package that are resolved on first use (PEP 562)."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
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
        raise AttributeError(f'module {package!r} has no attribute {name!r}{hint}')

    def names() -> list[str]:
        return sorted({*home, *vars(sys.modules[package])})

    return resolve, names
