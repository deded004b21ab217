"""What stead does is what the reference implementation did when the cases were recorded."""

from __future__ import annotations

import ast
import sys

import pytest

from .harness import CASES, HERE, case_names, difference, lacking, record_of, run_cases
from .masks import masked

NAMES = case_names()
LACKING = {name: needs for name in NAMES if (needs := lacking(name))}
SIZE = 40
MOST_LINES = 400
RUNNABLE = [name for name in NAMES if name not in LACKING]
BATCHES = [RUNNABLE[start : start + SIZE] for start in range(0, len(RUNNABLE), SIZE)]


@pytest.mark.parametrize('names', BATCHES, ids=[f'{batch[0]}...' for batch in BATCHES])
def test_cases_agree(names: list[str]) -> None:
    outputs, errors = run_cases(sys.executable, names, '--alias')
    wrong: list[str] = []
    for name in names:
        if name not in outputs:
            wrong.append(f'{name} gave no answer, and the rest of its batch with it:\n{errors[-3000:]}')
            break
        recorded = masked(record_of(name).read_text(encoding='utf-8'))
        diff = difference(recorded, masked(outputs[name]), ('reference', name))
        if diff:
            wrong.append(diff)
    if wrong:
        pytest.fail('\n\n'.join(wrong), pytrace=False)


@pytest.mark.parametrize('name', sorted(LACKING))
def test_cases_that_need_packages(name: str) -> None:
    pytest.skip(f'{", ".join(LACKING[name])} cannot be imported')


def test_every_case_is_recorded() -> None:
    assert {path.stem for path in CASES.glob('*.out')} == set(NAMES)
    assert len(NAMES) >= 60


def test_records_are_masked() -> None:
    bare = [name for name in NAMES if masked(text := record_of(name).read_text(encoding='utf-8')) != text.splitlines()]
    assert not bare, f'record these with `make parity`: {bare}'


def test_files_are_short() -> None:
    counts = {path.name: len(path.read_text(encoding='utf-8').splitlines()) for path in HERE.rglob('*.py')}
    long = {name: count for name, count in counts.items() if count > MOST_LINES}
    assert not long, f'split these by subject: {long}'


def test_every_file_says_what_it_shows() -> None:
    trees = {path.name: ast.parse(path.read_text(encoding='utf-8')) for path in CASES.glob('*.py')}
    silent = sorted(name for name, tree in trees.items() if not ast.get_docstring(tree))
    assert not silent, f'begin these with a line that says what they show: {silent}'
