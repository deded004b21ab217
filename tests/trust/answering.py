"""A person in a process of their own: decides about all calls that wait in a journal as soon as a line arrives.

    python -m tests.trust.answering FILE WORD

`WORD` is `allow` or `deny`. Prints the ids of the runs for which the decision was taken, as a list in JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys

from stead import DeferredToolResults
from stead.journal import Journal, JournalError

SECRET = b'0123456789abcdef'


async def main(file: str, word: str) -> list[str]:
    journal = Journal[None](file, secret=SECRET)
    waiting = sorted(await journal.waiting(), key=lambda one: one.run.run_id)
    tickets = [journal.ticket(one, 'c1') for one in waiting]
    print('ready', flush=True)
    sys.stdin.readline()
    taken: list[str] = []
    for number, (one, ticket) in enumerate(zip(waiting, tickets)):
        try:
            if number % 2:
                await journal.redeem(ticket, word == 'allow')
            else:
                await journal.answer(one.run.run_id, DeferredToolResults(approvals={'c1': word == 'allow'}))
        except JournalError:
            continue
        taken.append(one.run.run_id)
    return taken


if __name__ == '__main__':
    print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
