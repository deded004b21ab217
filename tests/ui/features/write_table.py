"""Writes the page of what each protocol can do, from the rows: `python -m tests.ui.features.write_table`."""

from __future__ import annotations

import logging
from pathlib import Path

from ._rows import ROWS, Probe, Row
from ._sides import SIDES

PAGE = Path(__file__).parents[3] / 'docs' / 'front-end-features.md'
HEAD = """\
# Features of front ends

What reaches an interface in each [protocol](front-ends.md), and what comes from it to the agent. The table is generated from
tests: each mark is what happened when an agent was asked in this protocol, and a look at the events that it sent, or at what its
model got.

- **→** says what the interface gets, **←** what the agent gets from it.
- **✓** works, **–** does not: mostly the protocol has no such thing.
- A column is a version that the interface speaks: `ag_ui_version`, `sdk_version`. A2A is for other programs, which mostly ask for the
  end result.
"""


def mark(row: Row, column: int) -> str:
    """Return the marks of a cell, in both directions if the row has both."""
    marks = [_mark(probe, column) for probe in (row.out, row.back) if probe is not None]
    return ' '.join(marks if len(set(marks)) > 1 else marks[:1])


def _mark(probe: Probe, column: int) -> str:
    return '✓' if probe(SIDES[column]) else '–'


def written() -> str:
    """Return the page."""
    loggers = [logging.getLogger(name) for name in ('stead.a2a', 'fasta2a', 'fasta2a.worker')]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True  # some tasks are to fail
    try:
        return _page()
    finally:
        for logger, disabled in zip(loggers, before):
            logger.disabled = disabled


def _page() -> str:
    lines = [HEAD]
    section = ''
    for row in ROWS:
        if row.section != section:
            section = row.section
            lines += [f'## {section}\n' if len(lines) == 1 else f'\n## {section}\n']
            lines += [_line(['', '', *(side.title for side in SIDES)]), _line(['---', ':-:', *(':-:' for _ in SIDES)])]
        ways = ' '.join(sign for sign, probe in (('→', row.out), ('←', row.back)) if probe is not None)
        lines.append(_line([row.title, ways, *(mark(row, column) for column in range(len(SIDES)))]))
    return '\n'.join(lines) + '\n'


def _line(items: list[str]) -> str:
    return f'| {" | ".join(items)} |'


if __name__ == '__main__':
    PAGE.write_text(written(), encoding='utf-8')
