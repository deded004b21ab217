"""What may be meant by a name that a module lacks: public names of all modules, which are read when such an error is printed."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

from .meant import close_names, did_you_mean

_PACKAGE = Path(__file__).parent.parent
_EXPORTS = re.compile(r"^__all__ = (?:[(\[][^)\]]*[)\]]|'.*)", re.MULTILINE)
_DEFINITIONS = re.compile(r'^(?:class|def|async def) ([A-Za-z]\w*)', re.MULTILINE)
_IMPORTS = re.compile(r'^from \S+ import (?:\([^)]*\)|.*)', re.MULTILINE)
_CLOSE = 0.8
"""How alike a name of another module has to be: those of all modules are many."""


def name_meant(module: str, name: str, *, imported: bool = False) -> str:
    """Return what follows the message about a name that a module lacks, without its full stop: one that may be meant, or nothing.

    Args:
        module: The name of the module.
        name: The name that it lacks.
        imported: Whether it was to be imported, so that a name of another module is said as an import.
    """
    if name.startswith('_'):  # a probe of a tool
        return ''
    homes, modules = _public_names()
    here = {*_exports_of(module), *(path[len(module) + 1 :] for path in modules if path.rpartition('.')[0] == module)}
    if name not in homes:
        if hint := did_you_mean(name, here):
            return hint
        name = next(iter(close_names(name, homes, cutoff=_CLOSE)), '')
    home = homes.get(name)
    if home is None:
        return ''
    return f'. Did you mean `from {home} import {name}`?' if imported else f'. Did you mean `{home}.{name}`?'


def _exports_of(module: str) -> Collection[str]:
    names = vars(sys.modules[module])
    return names.get('__all__') or [name for name in names if not name.startswith('_')]


@cache
def _public_names() -> tuple[dict[str, str], list[str]]:
    """Return the module of each public name, the one with the shortest path if there are several, and all public modules."""
    modules: dict[str, Path] = {}
    for file in _PACKAGE.rglob('*.py'):
        parts = file.relative_to(_PACKAGE).with_suffix('').parts
        parts = parts[:-1] if parts[-1] == '__init__' else parts
        if not any(part.startswith('_') for part in parts):
            modules['.'.join((_PACKAGE.name, *parts))] = file
    homes: dict[str, str] = {}
    for module in sorted(modules, key=lambda path: (path.count('.'), path)):
        for name in _exports_in(modules[module]):
            homes.setdefault(name, module)
    return homes, list(modules)


def _exports_in(file: Path) -> list[str]:
    stub = file.with_suffix('.pyi')  # lazy packages compute their names; their stubs list them
    try:
        text = (stub if stub.exists() else file).read_text(encoding='utf-8')
    except OSError:  # a hint is not worth another error
        return []
    if stub.exists():
        return [name for match in _IMPORTS.finditer(text) for name in re.findall(r'\bas (\w+)', match[0])]
    match = _EXPORTS.search(text)
    return re.findall(r"'(\w+)'", match[0]) if match else _DEFINITIONS.findall(text)
