"""Kill the support desk while it refunds an order, start it again, and count the payments.

    python -m examples.long_task [--keep DIRECTORY]

It does so twice: one process is killed just before the payment, one just after. Both times the next process asks the till for the
outcome of the payment, so each order is refunded once.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from stead.journal import Journal, RunInfo

from .worker import Till

ACTS = (
    ('B-02', 'is about to pay', 'just before the payment'),
    ('B-11', 'has paid', 'just after the payment'),
)
"""An order, the line at which the process is killed, and that moment in words."""


def note(speaker: str, text: str) -> None:
    """Print a line of this process, aligned with the lines of the others."""
    print(f'{speaker:>27}  {text}')


@contextmanager
def process(directory: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process of the support desk; it is ended with the block."""
    command = [sys.executable, '-m', 'examples.long_task.worker', str(directory), *arguments]
    where = Path(__file__).parents[2]
    # In a session of its own, Ctrl+C in the terminal reaches this process alone, which then ends the other one.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=where, start_new_session=True) as started:
        try:
            yield started
        finally:
            started.kill()
            started.wait()  # on Ctrl+C, `Popen` itself waits for no longer than a quarter of a second


def lines_of(started: subprocess.Popen[str]) -> Iterator[str]:
    """Yield the lines that a process prints, and print them."""
    assert started.stdout is not None, 'it is a pipe'
    for line in started.stdout:
        print(f'{started.pid:>7} |{line}', end='', flush=True)
        yield line


def requests_in(lines: list[str]) -> int:
    """Return how often the model was asked, from what a process printed."""
    return sum('model calls' in line for line in lines)


async def look(directory: Path) -> RunInfo:
    """Return the newest run, and print its state in the journal."""
    journal = Journal[None](directory / 'runs.db')
    (run,) = await journal.runs(limit=1)
    state = await journal.state(run.run_id)
    note('journal', f'The run is {run.status}; its model was asked {state.usage.requests} times.')
    for call in state.in_doubt():
        note('journal', f'{call.tool_name} was started. Its outcome is unknown.')
    return run


def act(directory: Path, order: str, moment: str) -> bool:
    """Kill a process at a moment, start another one, and return whether the run finished correctly."""
    first: list[str] = []
    with process(directory, order) as started:
        for line in lines_of(started):
            first.append(line)
            if moment in line:
                started.kill()  # SIGKILL: it can neither notice nor prevent that
                break
        else:
            print(f'Process {started.pid} ended before it could be killed.', file=sys.stderr)
            return False
    print(f'\n{"":29}kill -9 {started.pid}')
    asyncio.run(look(directory))
    print()
    with process(directory) as started:
        second = list(lines_of(started))
    print()
    run = asyncio.run(look(directory))
    note('journal', f'Process one asked the model {requests_in(first)} times, process two {requests_in(second)} time.')
    return run.status == 'done' and (requests_in(first), requests_in(second)) == (3, 1)


def show(directory: Path) -> bool:
    """Go through all acts, and return whether each order was paid back once."""
    outcomes: list[bool] = []
    for number, (order, moment, words) in enumerate(ACTS, 1):
        print(f'\n{number}. The process is killed {words}\n')
        outcomes.append(act(directory, order, moment))
    print('\nPayments of the till\n')
    with closing(Till(directory / 'orders.db')) as till:
        payments = till.payments()
    for order, amount in payments:
        note(order, f'{amount:.2f}')
    once = [order for order, _ in payments] == [order for order, _, _ in ACTS]
    note('', 'Each refund happened once.' if once else 'This is wrong: each order must be refunded once.')
    return once and all(outcomes)


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code: 1 if a refund did not happen once, 130 on Ctrl+C."""
    parser = argparse.ArgumentParser(prog='python -m examples.long_task', description=(__doc__ or '').split('\n')[0])
    parser.add_argument('--keep', type=Path, metavar='DIRECTORY', help='where to keep the databases; it must be empty')
    options = parser.parse_args(arguments)
    keep: Path | None = options.keep
    if keep is not None and keep.exists() and any(keep.iterdir()):
        parser.error(f'{keep} is not empty')
    try:
        if keep is None:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
                return 0 if show(Path(directory)) else 1
        keep.mkdir(parents=True, exist_ok=True)
        succeeded = show(keep.resolve())
        print(f'\nTo see the runs: stead runs --journal {keep / "runs.db"} list')
        return 0 if succeeded else 1
    except KeyboardInterrupt:
        print('long_task: interrupted', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())
