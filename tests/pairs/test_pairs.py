"""Every two features work together in one small program, or are refused when it is built, as the page says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

for package in ('mcp.server.mcpserver', 'opentelemetry.sdk', 'starlette', 'ag_ui', 'fasta2a', 'temporalio'):
    pytest.importorskip(package, reason=f'the package {package} is not installed')

from .playing import FEATURES, Pair, SecondOne, play
from .write_table import PAGE, mark, marks_in, written

MARKS = marks_in(PAGE.read_text(encoding='utf-8'))
PAIRS = [*combinations(FEATURES, 2)]


@pytest.fixture(scope='module')
def second() -> Iterator[SecondOne]:
    with SecondOne() as one:
        yield one


@pytest.mark.parametrize('pair', [pytest.param(pair, id='-'.join(feature.title for feature in pair)) for pair in PAIRS])
def test_two_features_work_together(pair: Pair, tmp_path: Path, second: SecondOne) -> None:
    one, other = pair
    refusal = asyncio.run(play(tmp_path, pair, second))
    found = mark(pair, refusal)
    assert MARKS.get((one.title, other.title)) == MARKS.get((other.title, one.title)) == found, (
        'write it: make features'
    )
    assert refusal is None or refusal in PAGE.read_text(encoding='utf-8'), 'write it: make features'


def test_the_page_has_all_pairs_and_no_others() -> None:
    page = PAGE.read_text(encoding='utf-8')
    assert len(MARKS) == 2 * len(PAIRS)
    head, tail = (
        written({}).split('| 1 |')[0],
        written({}).split('## What was checked')[1].split('## What is refused')[0],
    )
    assert page.startswith(head) and tail in page, 'write it: make features'
