"""Nothing is done twice and nothing is lost, whatever processes, people and clocks do: see `histories`.

By default a hundred histories are played; 20,000 with `STEAD_TRUST_FULL=1`, of which `CI` has the first
5,000. `STEAD_HISTORY=SEED` plays one of them again, and
prints what happened.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from stead.journal import MemoryStore, SqliteStore, Store
from tests.journal.histories import Clock, World

FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
COUNT = (5_000 if 'CI' in os.environ else 20_000) if FULL else 120
ON_DISK = 25
"""Every so many histories, the store is a file, which each process opens by itself."""
PARTS = 4
TURNS = 60


def store_of(seed: int, folder: Path) -> Callable[[], Store]:
    if seed % ON_DISK == 0:
        return lambda: SqliteStore(folder / f'{seed}.db')
    shared = MemoryStore()
    return lambda: shared


def play(seeds: list[int], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Play histories, and return how often what happened in them."""
    clock = Clock()
    monkeypatch.setattr(time, 'time', clock)
    counts: Counter[str] = Counter()

    async def main() -> None:
        for seed in seeds:
            world = World(seed, store_of(seed, folder), clock)
            await world.play(TURNS)
            trace = '\n'.join(world.trace) if len(seeds) == 1 else ''
            assert world.violations == [], f'history {seed}: {world.violations}\n{trace}'
            counts.update(world.counts)
            counts['calls'] += sum(world.effects.values())

    asyncio.run(main())
    return counts


@pytest.mark.parametrize('part', range(PARTS))
def test_nothing_is_done_twice_and_nothing_is_lost(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only = os.environ.get('STEAD_HISTORY')
    seeds = [int(only)] if only else list(range(part, COUNT, PARTS))
    counts = play(seeds, tmp_path, monkeypatch)
    print(part, dict(counts))
    if not only:
        # They do play what they are about.
        for what in ('killed', 'died', 'resumed', 'answered', 'calls'):
            assert counts[what] > len(seeds) / 5
