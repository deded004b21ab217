"""Play histories, and say what is wrong with the first one that is not right, or count it in a table: see the package."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.journal.conftest import a_server

from .actors import FAULTS, Place, warm_up
from .nemesis import History

WRONG = ('twice', 'missing', 'extra', 'stuck', 'order', 'error')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, help='the first seed')
    parser.add_argument('--count', type=int, help='how many histories to play')
    parser.add_argument(
        '--repeat', type=int, default=1, help='how often to play each: processes are scheduled otherwise each time'
    )
    parser.add_argument('--seconds', type=float, help='how long to play')
    parser.add_argument(
        '--store', default='sqlite', help='`sqlite`, `postgres` for a server that is started for it, or an address'
    )
    parser.add_argument('--fault', choices=sorted({*FAULTS}), help='the only thing that happens to processes')
    parser.add_argument(
        '--each', type=int, help='play so many histories with each fault alone, and print a table of what is wrong'
    )
    parser.add_argument('--keep', type=Path, help='where the ledger and the logs of a history that is not right go')
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        warm_up(Path(folder))
    play = play_each if arguments.each else play_on
    if arguments.store != 'postgres':
        return play(arguments)
    with a_server() as server:
        arguments.store = server.url
        return play(arguments)


def first_seed(arguments: argparse.Namespace) -> int:
    return arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)


def play_on(arguments: argparse.Namespace) -> int:
    """Play histories until one is not right, and return the status of the program."""
    seed = first_seed(arguments)
    end = time.monotonic() + arguments.seconds if arguments.seconds is not None else None
    count = (arguments.count or (10**9 if end is not None else 1)) * arguments.repeat
    kinds = (arguments.fault,) if arguments.fault else FAULTS
    counts: Counter[str] = Counter()
    played = 0
    while played < count and (end is None or time.monotonic() < end):
        violations, happened = play_one(seed, kinds, arguments, played)
        counts += happened
        played += 1
        if violations:
            return 1
        seed += played % arguments.repeat == 0
    print(json.dumps({'histories': played, **counts}))
    return 0


def play_each(arguments: argparse.Namespace) -> int:
    """Play histories with each fault alone, and print a table: how often it struck, and what was wrong."""
    seed, played, status = first_seed(arguments), 0, 0
    print_row('fault', 'histories', 'struck', 'effects', *WRONG)
    for fault in (arguments.fault,) if arguments.fault else sorted({*FAULTS}):
        counts: Counter[str] = Counter()
        for number in range(arguments.each):
            violations, happened = play_one(seed + number, (fault,), arguments, played)
            counts += happened
            counts.update(violation.partition(':')[0] for violation in violations)
            played, status = played + 1, status or int(bool(violations))
        print_row(fault, arguments.each, counts[fault], counts['do'], *(counts[one] for one in WRONG))
    return status


def print_row(*cells: object) -> None:
    print(' '.join(f'{cell:>9}' for cell in cells), flush=True)


def play_one(
    seed: int, kinds: tuple[str, ...], arguments: argparse.Namespace, number: int
) -> tuple[list[str], Counter[str]]:
    """Play a history, say what is wrong with it, and return that and what happened."""
    folder = Path(tempfile.mkdtemp(prefix='stead-history-'))

    def new_place(place: int) -> Place:
        if arguments.store == 'sqlite':
            return Place(str(folder / f'runs-{place}.db'))
        return Place(arguments.store, f'history_{os.getpid()}_{number}_{place}')

    history = History(seed, folder, new_place, kinds)
    violations, counts = history.play(), history.counts()
    if violations:
        kept = arguments.keep or folder
        if kept != folder:
            shutil.copytree(folder, kept, dirs_exist_ok=True)
        print('\n'.join(violations))
        fault = f' FAULT={kinds[0]}' if len(kinds) == 1 else ''
        print(
            f'History {seed} is not right. Its ledger and logs are in {kept}. '
            f'To play it again: make histories SEED={seed}{fault}',
            flush=True,
        )
        if kept == folder:
            return violations, counts
    shutil.rmtree(folder)
    return violations, counts


if __name__ == '__main__':
    sys.exit(main())
