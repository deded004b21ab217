"""A process whose tool forks others, which use the same journal: `python -m tests.journal.forking DIR`.

It kills itself when the children have made a run each; they continue to use the journal until there is a file `over`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from stead import Agent
from stead.journal import Journal
from stead.models.test import TestModel
from tests.journal.agents import call, scripted

LEASE = 0.6
CHILDREN = 3


def open_files(directory: Path) -> list[str]:
    """Return the files of the journal that this process has open, where the system says that."""
    found: list[str] = []
    for link in Path('/proc/self/fd').glob('*'):
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith(str(directory / 'runs.db')):
            found.append(target)
    return found


def helper(journal: Journal[Any]) -> Agent[None, str]:
    return Agent(TestModel(), name='helper', capabilities=[journal])


def payer(journal: Journal[Any], directory: Path) -> Agent[None, str]:
    agent: Agent[None, str] = Agent(scripted([call('pay', 'c1')]), name='payer', capabilities=[journal])

    @agent.tool_plain(effect='idempotent')
    def pay() -> str:
        if (directory / 'forked').exists():
            return 'paid'
        (directory / 'forked').touch()
        for number in range(CHILDREN):
            if os.fork() == 0:
                work(journal, directory, number)
        while len(list(directory.glob('child *'))) < CHILDREN:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
        return 'never'

    return agent


def work(journal: Journal[Any], directory: Path, number: int) -> None:
    signal.alarm(120)  # whatever the test does, it ends
    inherited = open_files(directory)

    async def main() -> None:
        result = await helper(journal).run('help')
        (directory / f'child {number} is writing').write_text('\n'.join([result.run_id, *inherited]))
        (directory / f'child {number} is writing').rename(directory / f'child {number}')
        while not (directory / 'over').exists():
            await journal.runs()
            await asyncio.sleep(0.05)

    asyncio.run(main())
    os._exit(0)


if __name__ == '__main__':
    place = Path(sys.argv[1])
    asyncio.run(payer(Journal(place / 'runs.db', lease_seconds=LEASE), place).run('go'))
