"""What stead does is what the reference implementation did when the cases were recorded."""

from __future__ import annotations

import sys

import pytest

from .harness import CASES, case_names, difference, record_of, run_cases
from .masks import masked

NAMES = case_names()
SIZE = 40
BATCHES = [NAMES[start : start + SIZE] for start in range(0, len(NAMES), SIZE)]


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


def test_every_case_is_recorded() -> None:
    assert {path.stem for path in CASES.glob('*.out')} == set(NAMES)
    assert len(NAMES) >= 60


def test_records_are_masked() -> None:
    bare = [name for name in NAMES if masked(text := record_of(name).read_text(encoding='utf-8')) != text.splitlines()]
    assert not bare, f'record these with `make parity`: {bare}'
