"""Start a capability or a toolset: `python scripts/new.py capability Redact`, or `make new-capability NAME=Redact`.

Writes a file that works, its row in the table of the package, and a test of it; then what `make stubs` writes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import write_stubs

ROOT = write_stubs.ROOT
PACKAGE = write_stubs.PACKAGE

CAPABILITY = '''\
"""`{name}`: instructions of its own."""

from __future__ import annotations

from dataclasses import dataclass

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT


@dataclass
class {name}(AbstractCapability[AgentDepsT]):
    """Give the agent instructions."""

    text: str | None = None
    """The instructions; `None` for none."""

    def get_instructions(self) -> str | None:
        """Return the instructions."""
        return self.text
'''
CAPABILITY_TEST = '''\
"""`{name}`: what it does to a run, and how specs name it."""

from __future__ import annotations

from stead import Agent
from stead.capabilities import {name}
from stead.models.test import TestModel


def test_instructions() -> None:
    result = Agent(TestModel(), capabilities=[{name}(text='Be brief.')]).run_sync('Go')
    assert result.all_messages()[0].instructions == 'Be brief.'


def test_specs() -> None:
    agent = Agent.from_spec({{'model': 'test', 'capabilities': [{{'{name}': {{'text': 'Be brief.'}}}}]}})
    assert agent.run_sync('Go').all_messages()[0].instructions == 'Be brief.'
'''
TOOLSET = '''\
"""`{name}`: the tools of another toolset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from .wrapper import WrapperToolset


@dataclass
class {name}(WrapperToolset[AgentDepsT]):
    """The tools of another toolset."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool of the wrapped toolset."""
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)
'''
TOOLSET_TEST = '''\
"""`{name}`: what it changes about the toolset that it wraps."""

from __future__ import annotations

from stead import Agent
from stead.models.test import TestModel
from stead.toolsets import {name}, FunctionToolset


def test_tools_are_called() -> None:
    def one() -> int:
        return 1

    toolset = {name}(FunctionToolset([one]))
    assert Agent(TestModel(), toolsets=[toolset]).run_sync('Go').output == '{{"one":1}}'
'''


def with_line(text: str, start: str, end: str, line: str, key: Callable[[str], str]) -> str:
    """Return a text with a line added to a sorted block.

    Args:
        text: The text.
        start: What the line before the block starts with.
        end: The line after the block.
        line: The line.
        key: Returns what the lines of the block are sorted by; an empty string for lines that belong to the one before.

    Raises:
        SystemExit: There is no such block.
    """
    lines = text.splitlines()
    first = next((i for i, old in enumerate(lines) if old.startswith(start)), None)
    if first is None or end not in lines[first:]:
        raise SystemExit(f'no line that starts with {start!r}, or no {end!r} after it')
    last = lines.index(end, first)
    at = next((i for i in range(first + 1, last) if key(lines[i]) > key(line)), last)
    return '\n'.join([*lines[:at], line, *lines[at:]]) + '\n'


def _row_key(line: str) -> str:
    found = re.match(r" +'[._]*(\w+)", line)
    return found[1] if found else ''


def add_capability(name: str, module: str) -> dict[Path, str]:
    """Return the files of a new capability."""
    init = PACKAGE / 'capabilities' / '__init__.py'
    row = f"    '{module}': ('{name}',),"
    return {
        PACKAGE / 'capabilities' / f'{module}.py': CAPABILITY.format(name=name),
        ROOT / 'tests' / 'capabilities' / f'test_{module}.py': CAPABILITY_TEST.format(name=name),
        init: with_line(init.read_text(encoding='utf-8'), '_SPEC_MODULES', '}', row, _row_key),
    }


def add_toolset(name: str, module: str) -> dict[Path, str]:
    """Return the files of a new toolset that wraps another one; its name ends with `Toolset`."""
    module = module.removesuffix('_toolset')
    init = PACKAGE / 'toolsets' / '__init__.py'
    text = init.read_text(encoding='utf-8')
    row = f"        '{module}': ('{name}',),"
    text = with_line(text, '    {', '    },', row, _row_key)
    names = ', '.join(sorted((name, 'FunctionToolset'), key=str.lower))
    return {
        PACKAGE / 'toolsets' / f'{module}.py': TOOLSET.format(name=name),
        ROOT / 'tests' / 'toolsets' / f'test_{module}.py': TOOLSET_TEST.format(name=name).replace(
            f'{name}, FunctionToolset', names
        ),
        init: with_line(text, '__all__ = (', ')', f"    '{name}',", _row_key),
    }


KINDS = {'capability': add_capability, 'toolset': add_toolset}
PACKAGES = {'capability': 'capabilities', 'toolset': 'toolsets'}


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in KINDS:
        raise SystemExit(f'usage: new.py {"|".join(KINDS)} NAME')
    kind, name = arguments
    if not re.fullmatch(r'[A-Z][A-Za-z0-9]+', name):
        raise SystemExit(f'NAME must be the name of a class, such as `Redact`, not {name!r}')
    name = f'{name.removesuffix("Toolset")}Toolset' if kind == 'toolset' else name
    module = re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', '_', name).lower()
    table = PACKAGE / PACKAGES[kind] / '__init__.py'
    if f"'{name}'" in table.read_text(encoding='utf-8'):
        raise SystemExit(f'`{name}` already exists')
    files = KINDS[kind](name, module)
    if taken := [path for path in files if path.name != '__init__.py' and path.exists()]:
        raise SystemExit(f'{taken[0].relative_to(ROOT)} already exists')
    for path, text in files.items():
        path.write_text(text, encoding='utf-8')
        print(f'wrote {path.relative_to(ROOT)}')
    return write_stubs.main([])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
