"""Which tests execute a line: recorded once for each folder of tests, and again when the sources or its tests change."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from .operators import Mutant

WATCH = [
    '-p',
    'scripts.mutants.watch',
    '-p',
    'scripts.mutants.cases',
    '-p',
    'no:cacheprovider',
    '--hypothesis-seed=0',
    '-q',
]
CASES = 'parity/cases'
FOLDERS = [
    *(
        'agent',
        'calls',
        'capabilities',
        'common_tools',
        'deferral',
        'deferred',
        'instrumentation',
        'journal',
        'loop',
        'mcp',
        'messages',
    ),
    *('models', 'nouns', 'output', 'streaming', 'tools', 'toolsets', 'trust', 'ui', CASES),
]
"""Tests that run agents in their own process, so that it can be seen what each of them executes."""
ROOMS = {'_streams': 'streaming', 'stead': 'calls'}
"""Where the tests of a room are, if not in a folder of its name."""


class Tests:
    """The tests, the lines that they execute, and how long they take."""

    def __init__(self, root: Path, store: Path) -> None:
        self.root, self.store = root, store
        self.seconds: dict[str, float] = {}
        self._by_line: dict[str, dict[int, list[str]]] = {}
        folders = [folder for folder in FOLDERS if (root / 'tests' / folder).is_dir()]
        self.folders = [f'tests/{folder}' for folder in folders]
        self._data = [self._record(folder) for folder in folders]

    def _record(self, folder: str) -> list[Path]:
        """Return the records of a folder of tests; make them if they are not up to date."""
        content = content_hash(self.root, [Path('src'), Path('tests', folder)])
        name = folder.replace('/', '_')
        place = self.store / f'{name}-{content}'
        if not place.is_dir():
            for old in self.store.glob(f'{name}-*'):
                shutil.rmtree(old)
            print(f'recording which lines tests/{folder} executes', flush=True)
            new = self.store / f'new-{name}'
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
            command = [sys.executable, '-m', 'pytest', *WATCH, '-n', '2', '--dist', 'loadfile', f'tests/{folder}']
            environment = {**os.environ, 'MUTANTS_RECORD': str(new), 'PYTHONPATH': f'{self.root / "src"}:{self.root}'}
            process = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, text=True, check=False
            )
            if process.returncode:
                print(f'These fail without a mutant, and are not asked:\n{process.stdout[-1000:]}')
            new.rename(place)
        for file in place.glob('*.json'):
            self.seconds.update(json.loads(file.read_text(encoding='utf-8')))
        return [file for file in place.iterdir() if not file.suffix]

    def of(self, mutant: Mutant, most: float) -> list[str]:
        """Return the tests that execute a changed line, those of its room first: the quickest, until `most` seconds.

        For what is executed at import, or else by no test, these are the tests that execute anything of the file.
        """
        lines = self._lines(mutant.path)
        near = range(mutant.line, mutant.last_line + 1) if not mutant.at_import else ()
        found = {test for number in near for test in lines.get(number, ()) if test in self.seconds}
        every = {test for tests in lines.values() for test in tests if test in self.seconds}
        return self._in_order(self._quickest(found or every, mutant.path, most), mutant.path)

    def _lines(self, path: str) -> dict[int, list[str]]:
        if path not in self._by_line:
            from coverage import CoverageData

            lines: dict[int, list[str]] = defaultdict(list)
            for file in (file for files in self._data for file in files):
                data = CoverageData(str(file))
                data.read()
                for line, contexts in data.contexts_by_lineno(path).items():
                    lines[line].extend(context for context in contexts if context)
            self._by_line[path] = lines
        return self._by_line[path]

    def _quickest(self, tests: Iterable[str], path: str, most: float) -> list[str]:
        """Return the quickest tests until it takes too long: those of the file's own room first, for half of the time."""
        room, chosen = _room(path), dict[str, float]()
        by_time = sorted(tests, key=lambda test: (self.seconds[test], test))
        for some, limit in (([test for test in by_time if test.startswith(room)], most / 2), (by_time, most)):
            for test in some:
                if test not in chosen and (not chosen or sum(chosen.values()) + self.seconds[test] <= limit):
                    chosen[test] = self.seconds[test]
        return list(chosen)

    def _in_order(self, tests: Iterable[str], path: str) -> list[str]:
        """Return those of the file's own room first, parity cases last; file by file, the quickest files first."""
        room = _room(path)
        by_file: dict[str, list[str]] = defaultdict(list)
        for test in sorted(tests):
            by_file[test.partition('::')[0]].append(test)

        def order(file: str) -> tuple[bool, bool, float]:
            return not file.startswith(room), CASES in file, sum(self.seconds[test] for test in by_file[file])

        return [test for file in sorted(by_file, key=order) for test in by_file[file]]


def _room(path: str) -> str:
    """Return the folder of the tests of a file."""
    room = Path(path).parent.name
    return f'tests/{ROOMS.get(room, room.strip("_"))}/'


def content_hash(root: Path, folders: list[Path]) -> str:
    """Return what tells the contents of folders apart from others."""
    content = hashlib.sha256()
    for file in sorted(file for folder in folders for file in (root / folder).rglob('*.py')):
        content.update(file.relative_to(root).as_posix().encode() + file.read_bytes())
    return content.hexdigest()[:16]
