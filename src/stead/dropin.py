"""The alias: code that imports `pydantic_ai` and `pydantic_graph` runs on stead, unchanged.

Call `stead.dropin.install()` before such code is imported, or run it with `python -m stead.dropin script.py`,
`python -m stead.dropin -m module` or `pytest -p stead.dropin`. Programs for 2.x say `install(level=2)`, `--level 2` or
`STEAD_DROPIN_LEVEL=2`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import ModuleType
from typing import Any

from ._aliased import versions
from ._aliased.homes import HOMES
from ._aliased.levels import use_level
from ._aliased.private import PRIVATE_MODULES
from ._aliased.versions import MirroredDistributions
from ._kit import deprecated
from ._kit.lazy import import_module, missing_name

ALIASES = {'pydantic_ai': 'stead', 'pydantic_graph': 'stead.graph', 'pydantic_evals': 'stead.evals'}
"""The packages that are mapped, and their targets."""
IF_MISSING = frozenset({'pydantic_evals'})
"""Those of them that are mapped only where they are not installed: they run on the alias."""
MIRRORED = 'pydantic_ai'
"""The package that has a version."""
SPAWN = 'multiprocessing.spawn'
"""The module that prepares what new processes begin with."""

HIDDEN_MODULES: frozenset[str] = frozenset()
"""Modules that the level does not have; those below them are hidden, too."""

_lock = threading.RLock()


def _from_home(home: str, name: str) -> Any:
    """Import and return a name from its entry in a table: its module, and after a colon its name there if that differs."""
    module, _, there = home.partition(':')
    return getattr(import_module(module), there or name)


class _CollectedModule(ModuleType):
    """A module whose names are defined in several modules of stead; each is imported on first use."""

    _homes: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self._homes:
            raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}: stead does not provide it')
        value = _from_home(self._homes[name], name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._homes})


class _MirroredPackage(ModuleType):
    """The package `pydantic_ai`: it has a name and a version of its own; all other attributes are those of `stead`.

    Programs choose their way by the version of the interface that they find, which is not that of stead.
    """

    @property
    def __version__(self) -> str:
        return versions.VERSION  # of the level, which may change

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(ALIASES[self.__name__]), name)

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith('__'):
            super().__setattr__(name, value)
        else:
            setattr(import_module(ALIASES[self.__name__]), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(import_module(ALIASES[self.__name__]), name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(import_module(ALIASES[self.__name__]))})


class _AliasLoader(importlib.abc.Loader):
    """A loader that puts a module of stead into `sys.modules` under its other name, unchanged."""

    def __init__(self, target: str | Mapping[str, str]) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        if spec.name == MIRRORED:
            return _MirroredPackage(spec.name, import_module(ALIASES[MIRRORED]).__doc__)
        if isinstance(self._target, str):
            return None
        module = _CollectedModule(spec.name, 'Created by the drop-in alias: names that other modules of stead define.')
        module._homes = self._target
        return module

    def exec_module(self, module: ModuleType) -> None:
        if isinstance(self._target, str) and module.__name__ != MIRRORED:
            # A module may be replaced while it is executed. The new, empty one is dropped, and the module of stead keeps its
            # own name and spec, which pickles, reloads and type hints rely on.
            sys.modules[module.__name__] = import_module(self._target)


class _AnsweringLoader(importlib.machinery.SourceFileLoader):
    """A loader of a public module of stead, which answers names of other modules too."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _answer_other_names(module)


_answering: dict[ModuleType, Callable[[str], Any] | None] = {}
"""The modules that answer names of other modules, each with its own `__getattr__`."""


def _answer_other_names(module: ModuleType) -> None:
    """Let a module answer the names in `HOMES` that it lacks, until the alias is removed."""
    if module in _answering:
        return
    own: Callable[[str], Any] | None = vars(module).get('__getattr__')

    def answer(name: str) -> Any:
        if name not in HOMES or HOMES[name] == module.__name__:
            return own(name) if own is not None else missing_name(module.__name__, name)
        if own is not None:
            try:
                return own(name)
            except (AttributeError, ImportError):
                pass
        return _from_home(HOMES[name], name)

    _answering[module] = own
    vars(module)['__getattr__'] = answer


def _answers_other_names(name: str) -> bool:
    top, _, rest = name.partition('.')
    return top == 'stead' and rest.partition('.')[0] not in ('', 'dropin', 'testing') and not _is_private(rest)


class _InstallsInChild:
    """An object that, when it is read from a pickle, installs the alias in the process that reads it."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the child has no path of its own yet
        return exec, (
            f'import sys\nsys.path.append({root!r})\nfrom stead.dropin import install\ninstall(level={_level})',
        )


class _SpawnLoader(importlib.machinery.SourceFileLoader):
    """A loader of the module that starts processes: those have the alias, too, before they read what was pickled for them."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _alias_in_children(module)


def _alias_in_children(spawn: Any) -> None:
    own: Callable[[str], dict[str, object]] = spawn.get_preparation_data
    if hasattr(own, '__wrapped__'):
        return

    @wraps(own)
    def get_preparation_data(name: str) -> dict[str, object]:
        data = own(name)
        return {'alias': _InstallsInChild(), **data} if _finder in sys.meta_path else data

    spawn.get_preparation_data = get_preparation_data


class _AliasFinder(importlib.abc.MetaPathFinder):
    """A finder of the modules that are mapped, and of those that answer other names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        mapped = _mapped(fullname)
        if mapped is not None:
            spec = importlib.machinery.ModuleSpec(fullname, _AliasLoader(mapped))
            if fullname == MIRRORED:
                package = import_module(ALIASES[MIRRORED])
                spec.origin, spec.submodule_search_locations = package.__file__, list(package.__path__)
            return spec
        if fullname != SPAWN and not _answers_other_names(fullname):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = (_SpawnLoader if fullname == SPAWN else _AnsweringLoader)(fullname, spec.loader.path)
        return spec


def _mapped(fullname: str) -> str | Mapping[str, str] | None:
    """Return the target of a module name, or `None` if it is not mapped."""
    top, _, rest = fullname.partition('.')
    if top == 'stead':
        # `from pydantic_ai import _utils` asks the module object of stead, and so arrives as `stead._utils`.
        private = f'pydantic_ai.{rest}'
        return private if PRIVATE_MODULES.get(private, fullname) != fullname else None
    if top not in ALIASES or (top in IF_MISSING and importlib.machinery.PathFinder.find_spec(top) is not None):
        return None
    target = PRIVATE_MODULES.get(fullname)
    if target is None and not _is_private(rest):
        target = ALIASES[top] + fullname[len(top) :]
    if target is None or (isinstance(target, str) and not _exists(target)) or _is_hidden(fullname):
        raise ModuleNotFoundError(
            f'No module named {fullname!r}: stead replaces {top!r} here (see `stead.dropin`), and does not '
            'provide this module.',
            name=fullname,
        )
    return target


def _is_hidden(fullname: str) -> bool:
    return any(fullname == name or fullname.startswith(f'{name}.') for name in HIDDEN_MODULES)


def _is_private(path: str) -> bool:
    return any(part.startswith('_') and not part.startswith('__') for part in path.split('.'))


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # a parent does not exist, or is not a package
        return False


def _level_of(value: object) -> int:
    if str(value) not in ('1', '2'):
        raise ValueError(f'The levels of the interface are 1 and 2, not {value!r}.')
    return int(str(value))


_level = 0
_finder = _AliasFinder()
_distributions = MirroredDistributions()


def install(*, level: int | None = None) -> None:
    """Map `pydantic_ai` and `pydantic_graph` to stead for later imports; the second time, only another level is taken.

    The modules are the same objects under both names, so classes are the same too; only `pydantic_ai` itself is a module of its
    own, which has the version of the mirrored interface and reads and sets all else in `stead`. `importlib.metadata` answers
    that version, too, unless the real packages are installed. While the alias is installed, public modules answer names of
    other modules as well, wherever programs are used to import them from.

    Args:
        level: What names mean that have another meaning in 2.x, for the whole process: 1 for that of 1.x, 2 for that of 2.x. By
            default the environment variable `STEAD_DROPIN_LEVEL` says it, or else it is 1.

    Raises:
        RuntimeError: One of the packages was imported already.
        ValueError: There is no such level.
    """
    global _level
    with _lock:
        wanted = _level_of(os.environ.get('STEAD_DROPIN_LEVEL') or 1) if level is None else _level_of(level)
        is_installed = _finder in sys.meta_path
        imported = next((name for name in sys.modules if name.partition('.')[0] in ALIASES), None)
        if imported is not None and not is_installed:
            raise RuntimeError(
                f'{imported!r} was imported before `stead.dropin.install()`, so both packages would be in use at once. '
                'Install the alias first, at the top of your program, or start it with `python -m stead.dropin`.'
            )
        if wanted != _level and not (level is None and is_installed):
            use_level(wanted, _level)
            _level = wanted
        if is_installed:
            return
        sys.meta_path.insert(0, _finder)
        sys.meta_path.append(_distributions)
        deprecated.WHOLE_RESPONSES_STREAM = False
        if SPAWN in sys.modules:
            _alias_in_children(sys.modules[SPAWN])
        for name, module in list(sys.modules.items()):
            if _answers_other_names(name):
                _answer_other_names(module)


def uninstall() -> None:
    """Remove the alias: later imports find the real packages again, if they are installed.

    Does nothing if the alias is not installed. Names that were imported through it keep working, with the
    meanings that they have without it.
    """
    global _level
    with _lock:
        if _finder not in sys.meta_path:
            return
        use_level(0, _level)
        _level = 0
        sys.meta_path.remove(_finder)
        sys.meta_path.remove(_distributions)
        deprecated.WHOLE_RESPONSES_STREAM = True
        for module, own in _answering.items():
            if own is None:
                del vars(module)['__getattr__']
            else:
                vars(module)['__getattr__'] = own
        _answering.clear()
        for name in [name for name in sys.modules if name.partition('.')[0] in ALIASES]:
            del sys.modules[name]
        for name, target in PRIVATE_MODULES.items():
            below = f'stead{name[len("pydantic_ai") :]}'
            if target != below:  # the import system bound it to the package of stead that it was imported from
                sys.modules.pop(below, None)
                parent, _, child = below.rpartition('.')
                if parent in sys.modules:
                    vars(sys.modules[parent]).pop(child, None)


def pytest_plugin_registered(plugin: object) -> None:
    """Install the alias for `pytest -p stead.dropin`, before conftests and plugins of packages are loaded."""
    if plugin is sys.modules[__name__]:
        install()


USAGE = (
    'usage: python -m stead.dropin [--level 1|2] SCRIPT [ARGS...]\n'
    '       python -m stead.dropin [--level 1|2] -m MODULE [ARGS...]'
)


def main(argv: Sequence[str]) -> None:
    """Run a script, or a module with `-m`, with the alias installed, in the same environment as without it.

    Args:
        argv: The arguments after `python -m stead.dropin`.

    Raises:
        SystemExit: The arguments are invalid; its message is the usage.
    """
    if argv[:1] in (['-h'], ['--help']):
        print(USAGE)
        return
    level = None
    if argv[:1] == ['--level']:
        if argv[1:2] not in (['1'], ['2']):
            raise SystemExit(USAGE)
        level, argv = int(argv[1]), argv[2:]
    as_module = argv[:1] == ['-m']
    rest = list(argv[1:] if as_module else argv)
    if not rest or (not as_module and rest[0].startswith('-')):
        raise SystemExit(USAGE)
    install(level=level)
    sys.argv = rest
    if as_module:
        runpy.run_module(rest[0], run_name='__main__', alter_sys=True)
    elif not os.path.exists(rest[0]):
        raise SystemExit(f'stead.dropin: there is no file {rest[0]!r}')
    else:
        if not getattr(sys.flags, 'safe_path', False):
            sys.path[0] = os.path.dirname(os.path.abspath(rest[0]))  # in place of the working directory, like Python
        runpy.run_path(rest[0], run_name='__main__')


__all__ = ('ALIASES', 'HOMES', 'PRIVATE_MODULES', 'install', 'main', 'uninstall')

if __name__ == '__main__':
    # This file runs as `__main__`, but the finder to install is that of the importable module.
    from stead.dropin import main as _main

    _main(sys.argv[1:])
