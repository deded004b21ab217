"""A program that makes payments, for tests whose disk fails: `python -m tests.journal.payer HOW DIRECTORY LEDGER`.

It writes each payment to LEDGER, which lies on another disk than the journal in DIRECTORY. HOW says what happens to the disk;
when the run has failed, the disk is well again, and another journal continues the run.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stead import Agent, Done, NotDone, RunContext
from stead.journal import Journal, StoreError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel

STEPS = 12
RECEIPT = 100_000


def payer(ledger: Path, before: Callable[[int], Any] = lambda step: None) -> Agent[None, str]:
    """Return an agent that pays 1, 2, 3 and so on, and gets long receipts.

    Args:
        ledger: Where payments are written.
        before: Called before each request, with the number of payments that were made.
    """

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = sum(isinstance(message, ModelResponse) for message in messages)
        outcome = before(step)
        if outcome is not None:
            await outcome
        if step < STEPS:
            return ModelResponse(parts=[ToolCallPart('pay', {'amount': step + 1}, f'c{step}')])
        return ModelResponse(parts=[TextPart('paid')])

    agent: Agent[None, str] = Agent(FunctionModel(answer), name='payer')

    def receipt(amount: int) -> str:
        return f'{amount} ' + 'x' * RECEIPT

    def was_paid(ctx: RunContext, args: dict[str, Any]) -> Done | NotDone:
        return Done(receipt(args['amount'])) if f'{args["amount"]}' in paid(ledger) else NotDone()

    @agent.tool_plain(reconcile=was_paid)
    async def pay(amount: int) -> str:
        with ledger.open('a') as file:
            file.write(f'{amount}\n')
        return receipt(amount)

    return agent


def paid(ledger: Path) -> list[str]:
    """Return the payments that were made."""
    return ledger.read_text().splitlines() if ledger.exists() else []


def small_disk(directory: Path) -> Callable[[], object]:
    """Make the disk small: a memory disk of 1 MiB, which grows later. Needs the right to mount it."""
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', str(directory)], check=True)
    return lambda: subprocess.run(['mount', '-o', 'remount,size=64m', str(directory)], check=True)


def small_files(directory: Path) -> Callable[[], object]:
    """Let files have 1 MiB at most, as a quota would."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, most))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def read_only_disk(directory: Path) -> Callable[[], object]:
    """Let nothing be written. Needs the right to mount the directory, since some users may write whatever the mode is."""
    asyncio.run(Journal(directory / 'runs.db').runs())
    subprocess.run(['mount', '--bind', str(directory), str(directory)], check=True)
    subprocess.run(['mount', '-o', 'remount,ro,bind', str(directory)], check=True)
    return lambda: subprocess.run(['mount', '-o', 'remount,rw,bind', str(directory)], check=True)


FAULTS = {'disk': small_disk, 'quota': small_files, 'read-only': read_only_disk}


async def left_run(journal: Journal[Any]) -> str | None:
    """Return the only run, when its lease has ended; `None` if there is none."""
    while runs := await journal.runs():
        if runs[0].lease_until < time.time():
            return runs[0].run_id
        await asyncio.sleep(0.05)
    return None


async def fails(place: Path, ledger: Path) -> None:
    try:
        await payer(ledger).run('go', capabilities=[Journal(place, lease_seconds=0.5)])
    except StoreError as error:
        print(error)
    print(len(paid(ledger)))


async def goes_on(place: Path, ledger: Path) -> None:
    journal: Journal[Any] = Journal(place)
    run_id = await left_run(journal)
    agent = payer(ledger)
    result = await (journal.resume(agent, run_id) if run_id else agent.run('go', capabilities=[journal]))
    print(result.output)


if __name__ == '__main__':
    how, directory, ledger = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    mend = FAULTS[how](directory)
    asyncio.run(fails(directory / 'runs.db', ledger))
    mend()
    asyncio.run(goes_on(directory / 'runs.db', ledger))
