"""Writes the page of what works together, from what happens when it is tried: `python -m tests.pairs.write_table`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from .kept import Taped
from .playing import FEATURES, Pair, SecondOne, play
from .ways import Temporal, Way

PAGE = Path(__file__).parent.parent.parent / 'docs' / 'what-works-together.md'
HEAD = """\
# What works together

Each mark of this table is what happened when two features were put into one small program and it was run: an agent of a shop
looks an order up, does what its features add (asks a person, searches for a tool, calls a server, runs another agent, …) and
answers. Then it was checked that each feature did [what it promises](#what-was-checked) alone. `make features` tries all of them
again and writes the table; the tests (`tests/pairs/`) try all of them again, too.

- **✓** works.
- **○** works outside of workflows. Inside of one, `run_stream_events`, `run_sync` and runs beside an open cassette are refused
  with an error that says what to do.
- **–** is refused when the program is built, with [an error](#what-is-refused) that says why.
- Two ways to run an agent were used at the same time, by two clients of one agent. `make test-durable` runs the pairs with
  Temporal in workflows, on its server.
"""


def mark(pair: Pair, refusal: str | None) -> str:
    """Return the mark of a pair."""
    if refusal is not None:
        return '–'
    outside = [feature for feature in pair if isinstance(feature, (Way, Taped))]
    return '○' if outside and any(isinstance(feature, Temporal) for feature in pair) else '✓'


def marks_in(page: str) -> dict[tuple[str, str], str]:
    """Return the marks of a page, by the titles of a pair."""
    rows = [[cell.strip() for cell in line.split('|')[1:-1]] for line in page.splitlines() if line.startswith('| ')]
    rows = [row for row in rows if '](' in row[0]]
    titles = [row[0].partition('](')[0].partition('[')[2] for row in rows]
    return {
        (titles[place], title): row[place + 1]
        for title, row in zip(titles, rows)
        for place in range(len(titles))
        if row[place + 1]
    }


def written(refusals: Mapping[Pair, str | None]) -> str:
    """Return the page, from what was refused."""
    found = {frozenset(pair): mark(pair, refusal) for pair, refusal in refusals.items()}
    lines = [HEAD, _line(['', *(str(number + 1) for number in range(len(FEATURES)))])]
    lines.append(_line(['---', *(':-:' for _ in FEATURES)]))
    for number, row in enumerate(FEATURES, start=1):
        cells = [found.get(frozenset({row, column}), '') for column in FEATURES]
        lines.append(_line([f'{number} [{row.title}]({row.page})', *cells]))
    lines += ['', '## What was checked', '']
    lines += [f'- {" ".join((feature.__doc__ or "").split())}' for feature in FEATURES]
    lines += ['', '## What is refused', '']
    for text in dict.fromkeys(filter(None, refusals.values())):
        pairs = [' and '.join(one.title for one in pair) for pair, refusal in refusals.items() if refusal == text]
        lines += [f'{"; ".join(pairs)}:', '', '```text', text, '```', '']
    return '\n'.join(lines).rstrip() + '\n'


def _line(items: list[str]) -> str:
    return f'| {" | ".join(items)} |'


def main() -> None:
    """Try all pairs, and write the page."""
    refusals: dict[Pair, str | None] = {}
    with SecondOne() as second, tempfile.TemporaryDirectory() as folder:
        for number, pair in enumerate(combinations(FEATURES, 2)):
            place = Path(folder, str(number))
            place.mkdir()
            refusals[pair] = asyncio.run(play(place, pair, second))
            print(f'\r{number + 1}', end='', file=sys.stderr, flush=True)
    PAGE.write_text(written(refusals), encoding='utf-8')


if __name__ == '__main__':
    main()
