"""State what the framework costs as a multiple of the same work by hand: `python benchmarks/floor.py [WORD ...] [--rounds N]`.

Words pick rows by name. The work by hand is in `rows.py`. Figures are CPU time, the best of some rounds; both take
turns.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from rows import Row, rows

ROUNDS = 15


class Figure(NamedTuple):
    """What a row costs, in microseconds of CPU time for one unit of it."""

    row: Row
    ours: float
    by_hand: float

    @property
    def multiple(self) -> float:
        """How many times the work by hand."""
        return self.ours / self.by_hand


def seconds(work: Callable[[], Awaitable[object]]) -> float:
    """Return the CPU time of some work, without that of the event loop it runs in."""

    async def timed() -> float:
        gc.collect()
        begin = time.process_time()
        await work()
        return time.process_time() - begin

    return asyncio.run(timed())


def measured(words: Sequence[str] = (), rounds: int = ROUNDS) -> list[Figure]:
    """Measure the rows whose names have one of the words; all of them without words."""
    figures: list[Figure] = []
    for row in rows():
        if words and not any(word in row.name for word in words):
            continue
        ours, by_hand = [], []
        for _ in range(rounds + 1):  # the first round does what is done once
            ours.append(seconds(row.ours))
            by_hand.append(seconds(row.by_hand))
        scale = 1e6 / row.count
        figures.append(Figure(row, min(ours[1:]) * scale, min(by_hand[1:]) * scale))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n\n')[0])
    parser.add_argument('words', nargs='*', help='parts of the names of rows')
    parser.add_argument('--rounds', type=int, default=ROUNDS)
    options = parser.parse_args()
    print(f'{"":22}{"stead":>14}{"by hand":>14}{"multiple":>10}')
    for figure in measured(options.words, options.rounds):
        row, multiple = figure.row, figure.multiple
        print(f'{row.name:22}{figure.ours:11,.2f} us{figure.by_hand:11,.2f} us{multiple:9.1f}x  a {row.unit}')


if __name__ == '__main__':
    main()
