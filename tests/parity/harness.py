"""Find cases, run them, and show how two outputs differ. Imports only the standard library: `record.py` needs no more."""

from __future__ import annotations

import difflib
import importlib.util
import json
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
CASES = HERE / 'cases'
LEVEL_2 = 'level2/'


def case_names() -> list[str]:
    """Return the names of all cases, those of level 2 with their folder; files with a leading underscore are shared by them."""
    return [*sorted(_stems(CASES)), *(f'{LEVEL_2}{name}' for name in sorted(_stems(CASES / LEVEL_2)))]


def _stems(folder: Path) -> list[str]:
    # Histories are not masked, since they are read again.
    return [path.stem for path in folder.glob('[!_]*.py') if not path.with_suffix('.jsonl').exists()]


def level_of(name: str) -> int:
    """Return the level of the interface that a case is written for."""
    return 2 if name.startswith(LEVEL_2) else 1


def needs(name: str) -> list[str]:
    """Return the packages that a case asks for with a line `# needs: a, b`."""
    found = re.search(r'^# needs: (.+)$', (CASES / f'{name}.py').read_text(encoding='utf-8'), re.MULTILINE)
    return found[1].split(', ') if found else []


def lacking(name: str) -> list[str]:
    """Return the packages that are not there of those that a case needs."""
    return [package for package in needs(name) if not _is_there(package)]


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # the package above it is not there
        return False


def record_of(name: str) -> Path:
    """Return the file with what the reference printed."""
    return CASES / f'{name}.out'


def run_cases(python: str, names: Sequence[str], *options: str) -> tuple[dict[str, str], str]:
    """Run cases of one level in one process of an interpreter; return their outputs, and what went to standard error."""
    process = subprocess.run(
        [python, '-B', str(HERE / 'worker.py'), *options, *(['--level', '2'] if level_of(names[0]) == 2 else [])],
        input='\n'.join(names),
        capture_output=True,
        text=True,
        encoding='utf-8',
        env={**os.environ, 'PYTHONIOENCODING': 'utf-8'},
    )
    rows = [json.loads(line) for line in process.stdout.splitlines()]
    return {row['case']: row['output'] for row in rows}, process.stderr


def difference(old: Sequence[str], new: Sequence[str], names: tuple[str, str], most: int = 40, width: int = 240) -> str:
    """Return a unified diff, cut to some lines of some width; empty for equal texts."""
    diff = difflib.unified_diff(old, new, *names, lineterm='', n=1)
    lines = [line if len(line) <= width else line[:width] + ' ...' for line in diff]
    return '\n'.join([*lines[:most], *([f'... {len(lines) - most} more lines'] if len(lines) > most else [])])
