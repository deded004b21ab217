"""What stead does is what the reference implementation did when the cases were recorded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .masks import masked

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / 'cases').glob('[a-z]*.py'))
BATCHES = [NAMES[start : start + 25] for start in range(0, len(NAMES), 25)]


@pytest.mark.parametrize('names', BATCHES, ids=[batch[0] for batch in BATCHES])
def test_cases_agree(names: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / 'worker.py')], input='\n'.join(names), capture_output=True, text=True, timeout=120
    )
    outputs = {row['case']: row['output'] for row in map(json.loads, done.stdout.splitlines())}
    assert set(outputs) == set(names), done.stderr
    for name in names:
        recorded = (HERE / 'cases' / f'{name}.out').read_text().splitlines()
        assert masked(outputs[name]) == recorded, f'{name} differs from what the reference printed'


def test_there_are_enough_cases() -> None:
    assert len(NAMES) >= 60
