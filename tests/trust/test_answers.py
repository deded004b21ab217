"""Of two answers to one question, one counts, wherever they come from, and the call is made as that one says, once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from stead import DeferredToolResults
from stead.journal import Journal, JournalError, MemoryStore
from stead.messages import ToolCallPart

from .agents import RAN, wiping
from .answering import SECRET

RUNS = 6


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


def agent() -> Any:
    return wiping([ToolCallPart('wipe', {'p': 'a'}, 'c1')], name='desk')


async def waiting(store: Any) -> str:
    """Begin a run that waits for an approval, and return its id."""
    return (await agent().run('go', capabilities=[Journal(store)])).run_id


async def taken(answers: list[Callable[[], Awaitable[Any]]]) -> list[int]:
    """Give answers at once, and return the numbers of those that were taken."""
    outcomes = await asyncio.gather(*(answer() for answer in answers), return_exceptions=True)
    assert all(isinstance(one, JournalError) for one in outcomes if isinstance(one, BaseException)), outcomes
    return [number for number, one in enumerate(outcomes) if not isinstance(one, BaseException)]


@pytest.mark.parametrize('kind', ['memory', 'file'])
@pytest.mark.parametrize('by', ['answer', 'ticket', 'both'])
def test_of_answers_that_are_given_at_once_one_is_taken(kind: str, by: str, tmp_path: Path) -> None:
    async def main() -> None:
        store: Any = MemoryStore() if kind == 'memory' else tmp_path / 'runs.db'
        run_id = await waiting(store)
        journals = [Journal[Any](store, secret=SECRET) for _ in range(8)]
        (asked,) = await journals[0].waiting()
        ticket = journals[0].ticket(asked, 'c1')

        def answer(number: int) -> Callable[[], Awaitable[Any]]:
            allows = number % 2 == 0
            if by == 'ticket' or (by == 'both' and number < 4):
                return lambda: journals[number].redeem(ticket, allows)
            return lambda: journals[number].answer(run_id, DeferredToolResults(approvals={'c1': allows}))

        (first,) = await taken([answer(number) for number in range(8)])
        result = await Journal[Any](store).resume(agent(), run_id)
        assert (result.output, RAN) == ('done', [('wipe', 'a')] if first % 2 == 0 else [])
        assert await taken([answer(number) for number in range(8)]) == [], 'it is decided'

    asyncio.run(main())


def test_of_two_processes_that_answer_at_once_one_is_heard(tmp_path: Path) -> None:
    file = tmp_path / 'runs.db'

    async def begin() -> set[str]:
        return {await waiting(file) for _ in range(RUNS)}

    async def end() -> set[str]:
        journal = Journal[Any](file)
        ran: set[str] = set()
        for run_id in run_ids:
            RAN.clear()
            await journal.resume(agent(), run_id)
            assert RAN in ([], [('wipe', 'a')])
            ran |= {run_id} if RAN else set()
        return ran

    run_ids = asyncio.run(begin())
    people = [
        subprocess.Popen(
            [sys.executable, '-m', 'tests.trust.answering', str(file), word],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for word in ('allow', 'deny')
    ]
    for person in people:
        assert person.stdout is not None
        assert person.stdout.readline() == 'ready\n'
    for person in people:
        assert person.stdin is not None
        person.stdin.write('go\n')
        person.stdin.flush()
    allowed, denied = (set(json.loads(person.communicate()[0])) for person in people)
    assert allowed | denied == run_ids and not allowed & denied
    assert asyncio.run(end()) == allowed
