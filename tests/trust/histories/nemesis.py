"""The nemesis: draws a history from a seed, starts its processes, lets them be stopped and continued, and has the result checked."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .actors import FAULTS, LEASE, PATIENCE, Place, Role, start
from .check import check
from .desk import random_task
from .ledger import Ledger

HANGS = 120.0
"""How long a round may take, in seconds."""
ROUNDS = 3


class History:
    """A history of processes."""

    def __init__(
        self, seed: int, folder: Path, new_place: Callable[[int], Place], kinds: tuple[str, ...] = FAULTS
    ) -> None:
        """Draw a history.

        Args:
            seed: What it is drawn from.
            folder: Where its files are; it is empty.
            new_place: Returns a place for a journal; the first one is number 0.
            kinds: What may happen to processes.
        """
        self.random, self.kinds = random.Random(seed), kinds
        self.folder, self.new_place = folder, new_place
        self.ledger = Ledger(folder / 'ledger')
        self.places = 0
        self.place = new_place(0)
        self.prunes = self.random.random() < 0.4
        ways = ('run', 'run', 'events') if self.prunes else ('run', 'events', 'key', 'key')
        # A key of a run that was pruned begins again, which is as it should be.
        self.tasks = [
            {**random_task(f't{number}', self.random), 'way': self.random.choice(ways)} for number in range(ROUNDS)
        ]
        self.violations: list[str] = []
        self.started = 0

    def play(self) -> list[str]:
        """Play the history, and return what is wrong."""
        for number in range(ROUNDS):
            self.run_round(self.roles(number))
            if number and self.random.random() < 0.3:
                self.move()
        runs = self.finish()
        lines = self.ledger.lines()
        return [*self.violations, *check(self.tasks, lines, runs)]

    # What there is to play

    def faults(self, chance: float, most: int, only: str = '') -> dict[int, str]:
        """Draw what happens to a process."""
        draw, kinds = self.random, [kind for kind in self.kinds if only in ('', kind)]
        if draw.random() > chance or not kinds:
            return {}
        return {draw.randint(1, most): draw.choice(kinds) for _ in range(draw.choice((1, 1, 2)))}

    def roles(self, number: int) -> list[Role]:
        """Draw the processes of a round."""
        draw = self.random
        new = self.tasks[number]
        again = [task for task in self.tasks[:number] if task['way'] == 'key']
        roles = [Role('worker', {'tasks': [new, *again]}, self.faults(0.8, 50))]
        if draw.random() < 0.6:
            shared = [new] if new['way'] == 'key' else []
            roles.append(Role('worker', {'tasks': shared}, self.faults(0.6, 50)))
        if number:
            channels = draw.sample(('answer', 'ticket', 'history'), draw.choice((1, 1, 2)))
            for place, channel in enumerate(channels):
                options = {'channel': channel, 'salt': draw.choice(('', f'{place}'))}
                roles.append(Role('person', options, self.faults(0.3, 10)))
            if draw.random() < 0.5:
                what = draw.choice(('fork', 'import', 'prune') if self.prunes else ('fork', 'import'))
                roles.append(Role('keeper', {'what': what, 'choice': draw.random()}, self.faults(0.3, 6)))
        return roles

    # How it is played

    def start(self, role: Role) -> int:
        self.started += 1
        self.ledger.note('start', role=role.name, options=role.options, faults=role.faults, ahead=role.ahead)
        return start(self.place, self.ledger, role, self.folder / f'log-{self.started}')

    def run_round(self, roles: list[Role]) -> None:
        """Run processes until all have ended; those that stop are continued when others may have taken their runs."""
        alive = {self.start(role) for role in roles}
        stopped: dict[int, float] = {}
        deadline = time.monotonic() + HANGS
        while alive or stopped:
            for pid in [*alive]:
                ended, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
                if not ended:
                    continue
                alive.discard(pid)
                if os.WIFSTOPPED(status):
                    stopped[pid] = time.monotonic()
            if not alive and stopped:
                pid = next(iter(stopped))
                alive |= self.take_over(pid, stopped.pop(pid))
            if time.monotonic() > deadline:
                self.violations.append(f'stuck: processes do not end: {len(alive)} of {roles}')
                for pid in {*alive, *stopped}:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                return
            time.sleep(0.002)

    def take_over(self, stopped: int, since: float) -> set[int]:
        """Continue a process that stopped: before another one takes its runs, while that goes on with them, or after it."""
        time.sleep(max(0.0, since + LEASE * 1.1 - time.monotonic()))  # its leases end
        others: set[int] = set()
        if self.random.random() < 0.8:
            other = self.start(Role('worker', {'tasks': []}, self.faults(0.2, 50, 'kill')))
            until = self.ledger.size() + 200 * self.random.choice((0, 1, 2, 4, 8, 16, 32))
            # The file stays locked if the process stopped in a transaction; then there is no progress.
            deadline = time.monotonic() + PATIENCE
            while (
                self.ledger.size() < until and os.waitpid(other, os.WNOHANG) == (0, 0) and time.monotonic() < deadline
            ):
                time.sleep(0.002)
            try:
                os.kill(other, 0)
                others.add(other)
            except ProcessLookupError:
                pass  # it has ended, and was waited for
        self.ledger.note('continued', of=stopped)
        os.kill(stopped, signal.SIGCONT)
        return {stopped, *others}

    def move(self) -> None:
        """Take all runs to another journal, and go on there. A process that is killed meanwhile is followed by another one."""
        self.places += 1
        to = self.new_place(self.places)
        self.run_round([Role('mover', {'to': to}, self.faults(0.3, 6, 'kill'))])
        self.run_round([Role('mover', {'to': to})])
        self.place = to

    def finish(self) -> list[dict[str, Any]]:
        """Continue what is left, in a process to which nothing happens, and return how the runs stand."""
        path = self.folder / 'runs'
        # Later than any lease, also that of a process whose clock was ahead.
        self.run_round([Role('finisher', {'path': str(path)}, ahead=1e6)])
        if not path.exists():
            return []  # the ledger says why
        runs: list[dict[str, Any]] = json.loads(path.read_text())
        return runs

    def counts(self) -> Counter[str]:
        """Return how often what happened."""
        lines = self.ledger.lines()
        counts = Counter(line['fault'] for line in lines if line['event'] == 'fault')
        counts.update(
            line['event'] for line in lines if line['event'] in ('do', 'forked', 'pruned', 'moved', 'continued')
        )
        counts.update(
            f'by {line["channel"]}' for line in lines if line['event'] == 'decided' and line['outcome'] == 'accepted'
        )
        return counts
