"""What stead does is what the reference implementation did when the cases were recorded."""

from __future__ import annotations

import ast

import pytest

from .agreement import disagreements
from .harness import CASES, HERE, case_names, level_of, needs, record_of
from .masks import masked

NAMES = case_names()
SIZE = 75
MOST_LINES = 400
RUNNABLE = [name for name in NAMES if not needs(name)]  # `test_packages.py` has the others
LEVELS = [[name for name in RUNNABLE if level_of(name) == level] for level in (1, 2)]
BATCHES = [names[start : start + SIZE] for names in LEVELS for start in range(0, len(names), SIZE)]


@pytest.mark.parametrize('names', BATCHES, ids=[f'{batch[0]}...' for batch in BATCHES])
def test_cases_agree(names: list[str]) -> None:
    if wrong := disagreements(names):
        pytest.fail('\n\n'.join(wrong), pytrace=False)


def test_every_case_is_recorded() -> None:
    assert {path.relative_to(CASES).with_suffix('').as_posix() for path in CASES.rglob('*.out')} == set(NAMES)
    assert len(NAMES) >= 60


def test_records_are_masked() -> None:
    bare = [name for name in NAMES if masked(text := record_of(name).read_text(encoding='utf-8')) != text.splitlines()]
    assert not bare, f'record these with `make parity`: {bare}'


def test_files_are_short() -> None:
    counts = {path.name: len(path.read_text(encoding='utf-8').splitlines()) for path in HERE.rglob('*.py')}
    long = {name: count for name, count in counts.items() if count > MOST_LINES}
    assert not long, f'split these by subject: {long}'


def test_every_file_says_what_it_shows() -> None:
    trees = {path.name: ast.parse(path.read_text(encoding='utf-8')) for path in CASES.rglob('*.py')}
    silent = sorted(name for name, tree in trees.items() if not ast.get_docstring(tree))
    assert not silent, f'begin these with a line that says what they show: {silent}'
