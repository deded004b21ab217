"""What `benchmarks/journal.py` has measured, as the tables of `docs/journal.md`."""

from __future__ import annotations

import platform
import sqlite3
import textwrap
from pathlib import Path
from typing import NamedTuple

BEGIN, END = '<!-- measured: make bench-journal WRITE=1 -->\n', '<!-- end of what is measured -->\n'
MANY_RUNS = 1000
MANY_RUNS_IN_A_FILE = 10_000


class Step(NamedTuple):
    """What a step takes."""

    cpu: float
    """CPU time of all threads, in seconds."""
    elapsed: float
    """In seconds."""
    fsyncs: float | None = None
    """How often it waits for the disk; `None` if that was not counted."""
    size: float | None = None
    """What it adds to the file, in bytes; `None` without one."""


class Found(NamedTuple):
    """All that is measured."""

    steps: dict[str, Step]
    """By durability, and `'no journal'`."""
    growth: dict[int, tuple[float, float]]
    """Bytes in the file and bytes of JSON for each step, by the number of steps."""
    many: dict[str, Step]
    """A step of many runs at a time, as `steps`."""
    file: dict[str, float]
    """How long something takes in a file with many runs, in seconds."""
    peers: dict[str, Step]
    """The same loop elsewhere."""
    versions: dict[str, str]
    """Releases of the other libraries, by name."""


def _waits(step: Step) -> str:
    if step.fsyncs is None:
        return 'not counted'
    return 'none' if step.fsyncs < 0.05 else f'{step.fsyncs:.1f} a step'


def _times(one: float, other: float) -> str:
    times = one / other
    return f'{times:.0f}x' if times >= 10 else f'{times:.1f}x'


def _us(seconds: float) -> str:
    return f'{seconds * 1e6:,.0f} µs'


def _ms(seconds: float) -> str:
    return f'{seconds * 1e3:.1f} ms'


def section(found: Found) -> str:
    """Return the section in Markdown."""
    steps, plain = found.steps, found.steps['no journal']
    lines = [
        '| | CPU time of a step | More than without | Waits for the disk | Bytes in the file |',
        '|---|---|---|---|---|',
        f'| no journal | {_us(plain.cpu)} | | | |',
    ]
    for key in ('exit', 'async', 'sync'):
        step = steps[key]
        lines.append(
            f"| `'{key}'` | {_us(step.cpu)} | {_us(step.cpu - plain.cpu)} | {_waits(step)} | {step.size:,.0f} |"
        )
    (_, _), (hundred, text), (thousand, _) = (found.growth[count] for count in sorted(found.growth))
    size = _paragraph(
        f'The file is {hundred / text:.1f} times the size of the JSON of the messages ({hundred:,.0f} bytes a step in runs of',
        f'100 steps, {thousand:,.0f} in runs of 1,000), so a step costs the same however long the run is.',
    )
    lines += [
        '',
        size,
        '',
        'The same loop elsewhere, in the same run of the benchmark, as multiples of `stead`:',
        '',
        '| | After a power cut, there and in `stead` | CPU time | Waits for the disk | Bytes |',
        '|---|---|---|---|---|',
        *_peer_rows(found),
        '',
        _paragraph(
            f'Without anything that is kept, a step of LangGraph takes {_us(found.peers["langgraph"].cpu)}, and one of DBOS',
            f'{_us(found.peers["dbos"].cpu)}.',
        ),
        '',
        _many(found),
        '',
        _paragraph(
            f'All of this is from one run, on {platform.machine()} with Python {platform.python_version()} and SQLite',
            f'{sqlite3.sqlite_version}.',
        ),
        '',
    ]
    return '\n'.join(lines)


def _peer_rows(found: Found) -> list[str]:
    rows: list[str] = []
    synced = 'nothing that has effects is'
    for name, key, words, promise in (
        (
            'langgraph async',
            'async',
            f"LangGraph {found.versions['langgraph']} with `SqliteSaver`, `durability='async'`",
            'no node is missing; the last steps may be',
        ),
        ('langgraph sync', 'sync', "LangGraph, `durability='sync'`", f'no node is missing; {synced}'),
        ('langgraph exit', 'exit', "LangGraph, `durability='exit'`", 'the run starts again; the same'),
        (
            'dbos sync',
            'sync',
            f'DBOS {found.versions["dbos"]} on SQLite, requests and calls as steps',
            f'no step is missing; {synced}',
        ),
    ):
        peer, ours = found.peers[name], found.steps[key]
        assert peer.size is not None, 'it has a file'
        assert ours.size is not None, 'it has a file'
        cpu, size = _times(peer.cpu, ours.cpu), _times(peer.size, ours.size)
        rows.append(f"| {words} | {promise} | {cpu} that of `'{key}'` | {_waits(peer)} | {size} |")
    return rows


def _many(found: Found) -> str:
    def most(doing: str) -> str:
        return _ms(max(seconds for words, seconds in found.file.items() if words.startswith(doing)))

    def more(key: str) -> str:
        return _us(found.many[key].cpu - found.many['no journal'].cpu)

    return _paragraph(
        f'A file with {MANY_RUNS_IN_A_FILE:,} runs, every tenth of 100 steps: a list of runs takes {most("list")} at most,',
        f'a fork of a run of 100 steps {most("fork")}, and a resume of one {most("resume")} until its next request is sent.',
        f'{MANY_RUNS:,} runs at a time on one file all come to their end; a step of theirs costs {more("async")} more with',
        f"`'async'`, and {more('sync')} more with `'sync'`.",
    )


def _paragraph(*pieces: str) -> str:
    return textwrap.fill(' '.join(pieces), 128, break_long_words=False, break_on_hyphens=False)


def write(found: Found, page: Path) -> None:
    """Put the section where it belongs in the page."""
    before, _, rest = page.read_text(encoding='utf-8').partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(before + BEGIN + '\n' + section(found) + '\n' + END + after, encoding='utf-8')
