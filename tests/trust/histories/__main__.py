"""Play histories, and say what is wrong with the first one that is not right: see the package."""

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

from .actors import Place, warm_up
from .nemesis import History


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
    parser.add_argument('--keep', type=Path, help='where the ledger and the logs of a history that is not right go')
    arguments = parser.parse_args()
    if arguments.store != 'postgres':
        return play(arguments)
    with a_server() as server:
        arguments.store = server.url
        return play(arguments)


def play(arguments: argparse.Namespace) -> int:
    """Play histories, and return the status of the program."""
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    end = time.monotonic() + arguments.seconds if arguments.seconds is not None else None
    count = (arguments.count or (10**9 if end is not None else 1)) * arguments.repeat
    counts: Counter[str] = Counter()
    played = 0
    with tempfile.TemporaryDirectory() as folder:
        warm_up(Path(folder))
    while played < count and (end is None or time.monotonic() < end):
        folder = Path(tempfile.mkdtemp(prefix='stead-history-'))

        def new_place(number: int, folder: Path = folder, played: int = played) -> Place:
            if arguments.store == 'sqlite':
                return Place(str(folder / f'runs-{number}.db'))
            return Place(arguments.store, f'history_{os.getpid()}_{played}_{number}')

        history = History(seed, folder, new_place)
        violations = history.play()
        counts += history.counts()
        played += 1
        if violations:
            kept = arguments.keep or folder
            if kept != folder:
                shutil.copytree(folder, kept, dirs_exist_ok=True)
                shutil.rmtree(folder)
            print('\n'.join(violations))
            print(
                f'History {seed} is not right. Its ledger and logs are in {kept}. To play it again: make histories SEED={seed}'
            )
            return 1
        shutil.rmtree(folder)
        seed += played % arguments.repeat == 0
    print(json.dumps({'histories': played, **counts}))
    return 0


if __name__ == '__main__':
    sys.exit(main())
