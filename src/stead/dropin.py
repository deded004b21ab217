"""The alias: code that imports `pydantic_ai` and `pydantic_graph` runs on stead, unchanged.

Call `stead.dropin.install()` before such code is imported, or run it with `python -m stead.dropin script.py`,
`python -m stead.dropin -m module` or `pytest -p stead.dropin`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import runpy
import sys
import threading
from collections.abc import Sequence
from types import ModuleType
from typing import Any

ALIASES = {'pydantic_ai': 'stead', 'pydantic_graph': 'stead.graph'}
"""The packages that are mapped, and where to."""

# Private modules that extension packages are seen to import, and where the same things live here: a module, or a
# table of names where they are spread over several.
PRIVATE_MODULES: dict[str, str | dict[str, str]] = {
    'pydantic_ai._run_context': 'stead._contracts.run_context',
    'pydantic_ai._griffe': 'stead._kit.docstrings',
    'pydantic_ai._function_schema': 'stead.tools.schema',
    'pydantic_ai._json_schema': 'stead._kit.json_schema',
    'pydantic_ai._output': 'stead.output',
    'pydantic_ai._parts_manager': 'stead._contracts.parts',
    'pydantic_ai._enqueue': 'stead._contracts.pending',
    'pydantic_ai._warnings': 'stead._kit.warnings',
    'pydantic_ai._deferred_capabilities': {
        'LoadCapabilityCallPart': 'stead.messages',
        'LoadCapabilityReturnPart': 'stead.messages',
    },
    'pydantic_ai._agent_graph': {
        'AgentNode': 'stead._loop.nodes',
        'CallToolsNode': 'stead._loop.nodes',
        'End': 'stead.graph',
        'EndStrategy': 'stead._loop.state',
        'GraphAgentDeps': 'stead._loop.state',
        'GraphAgentState': 'stead._loop.state',
        'HistoryProcessor': 'stead.capabilities',
        'ModelRequestNode': 'stead._loop.nodes',
        'UserPromptNode': 'stead._loop.nodes',
        'build_run_context': 'stead._loop.state',
        'capture_run_messages': 'stead._loop.capture',
    },
    'pydantic_ai._utils': {
        'cancel_and_drain': 'stead._kit.aio',
        'gather': 'stead._kit.aio',
        'generate_tool_call_id': 'stead._kit.ids',
        'guard_tool_call_id': 'stead._kit.ids',
        'is_async_callable': 'stead._kit.aio',
        'is_str_dict': 'stead._kit.records',
        'now_utc': 'stead._kit.ids',
        'replace_no_init': 'stead._kit.records',
        'run_in_executor': 'stead._kit.aio',
    },
}

_lock = threading.RLock()


class _AliasLoader(importlib.abc.Loader):
    """Hands out the module of stead, as it is: the same object under both names."""

    def __init__(self, target: str | dict[str, str]) -> None:
        self.target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        if isinstance(self.target, str):
            module = importlib.import_module(self.target)
            # The import system writes its spec into the module it is handed; ours must keep its own.
            self._own = {name: getattr(module, name, None) for name in ('__spec__', '__loader__', '__package__')}
            return module
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if isinstance(self.target, str):
            for name, value in self._own.items():
                setattr(module, name, value)
            return
        for name, home in self.target.items():
            setattr(module, name, getattr(importlib.import_module(home), name))


class _AliasFinder(importlib.abc.MetaPathFinder):
    """Finds the modules that are mapped."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        top = fullname.partition('.')[0]
        if top not in ALIASES:
            return None
        mapped: str | dict[str, str] | None = PRIVATE_MODULES.get(fullname)
        if mapped is None:
            mapped = ALIASES[top] + fullname[len(top) :]
            if importlib.util.find_spec(mapped) is None:
                raise ModuleNotFoundError(
                    f'No module named {fullname!r}: stead stands in for {top!r}, and has no {mapped!r}.', name=fullname
                )
        spec = importlib.machinery.ModuleSpec(fullname, _AliasLoader(mapped), is_package=True)
        spec.submodule_search_locations = []
        return spec


_finder = _AliasFinder()


def install() -> None:
    """Map `pydantic_ai` and `pydantic_graph` to stead for imports that come after this; does nothing a second time.

    The modules are the same objects under both names, so classes are the same too.

    Raises:
        RuntimeError: One of the packages was imported already.
    """
    with _lock:
        if _finder in sys.meta_path:
            return
        for name in ALIASES:
            if name in sys.modules:
                raise RuntimeError(
                    f'{name!r} was imported before `stead.dropin.install()`, so both would be in use. Install the alias '
                    'first, at the top of your program, or run it with `python -m stead.dropin`.'
                )
        sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Take the alias away: later imports find the real packages again."""
    with _lock:
        if _finder not in sys.meta_path:
            return
        sys.meta_path.remove(_finder)
        for name in [name for name in sys.modules if name.partition('.')[0] in ALIASES]:
            del sys.modules[name]


def pytest_configure(config: Any) -> None:
    """Install the alias when pytest is started with `-p stead.dropin`."""
    install()


def main(argv: Sequence[str]) -> None:
    """Run a script, or a module with `-m`, with the alias installed.

    Args:
        argv: The arguments after `python -m stead.dropin`.
    """
    if not argv or argv[0] in ('-h', '--help'):
        raise SystemExit('usage: python -m stead.dropin SCRIPT [ARGS...] | -m MODULE [ARGS...]')
    install()
    if argv[0] == '-m':
        if len(argv) < 2:
            raise SystemExit('usage: python -m stead.dropin -m MODULE [ARGS...]')
        sys.argv = list(argv[1:])
        sys.path.insert(0, '')
        runpy.run_module(argv[1], run_name='__main__', alter_sys=True)
    else:
        import os

        sys.argv = list(argv)
        sys.path.insert(0, os.path.dirname(os.path.abspath(argv[0])))
        runpy.run_path(argv[0], run_name='__main__')


if __name__ == '__main__':
    # This file runs under the name `__main__`; the finder that is installed must be that of the importable module.
    from stead.dropin import main as _main

    _main(sys.argv[1:])
