"""What a run costs on any machine does not grow: functions called, memory left behind, and modules loaded.

The counts that are compared with are in `benchmarks/counts.json`; `make counts` writes them again, for a change that is worth
it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pydantic
import pytest

BENCHMARKS = Path(__file__).parent.parent / 'benchmarks'
GROWTH = 0.05
"""How much more each may be."""
PLAY = 2
"""What each may be more besides: a table of names that is made anew, or one module."""
PROGRAM = 'import json, counts; print(json.dumps(counts.counted()))'


def test_the_counts_have_not_grown() -> None:
    recorded = json.loads((BENCHMARKS / 'counts.json').read_text())
    environment = f'Python {sys.version_info.major}.{sys.version_info.minor}'
    if environment not in recorded:
        pytest.skip(f'nothing was counted with {environment}')
    before = recorded[environment]
    process = subprocess.run(
        [sys.executable, '-c', PROGRAM], cwd=BENCHMARKS, check=True, capture_output=True, text=True
    )
    now = json.loads(process.stdout)
    grown = [
        f'{row}: {now[row][what]:g} {what}, and it was {figure:g}'
        for row, figures in before['counts'].items()
        for what, figure in figures.items()
        if (before['pydantic'] == pydantic.VERSION or what.endswith('of stead'))
        and now[row][what] > figure * (1 + GROWTH) + PLAY
    ]
    assert not grown, '\n'.join([*grown, 'If that is worth it, `make counts` keeps the new counts.'])
