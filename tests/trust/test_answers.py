"""Of two answers to one question, one counts, wherever they come from, and the call is made as that one says, once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, CallDeferred, DeferredToolRequests, DeferredToolResults
from stead.capabilities import Hooks
from stead.journal import Journal, JournalError, MemoryStore
from stead.messages import ToolCallPart, ToolReturnPart
from tests.journal.test_state import CutOff, cut

from .agents import RAN, scripted, wiping
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


def test_of_answers_on_any_two_channels_the_first_one_counts() -> None:
    yes, no = (DeferredToolResults(approvals={'c1': decision}) for decision in (True, False))

    async def main() -> None:
        for first, second in product(('answer', 'ticket', 'history'), repeat=2):
            for one, other in ((yes, yes), (yes, no), (no, yes)):
                RAN.clear()
                journal: Journal[Any] = Journal(secret=SECRET)
                result = await agent().run('go', capabilities=[journal])
                (asked,) = await journal.waiting()
                ticket = journal.ticket(asked, 'c1')

                async def answer(channel: str, results: DeferredToolResults) -> None:
                    if channel == 'answer':
                        await journal.answer(result.run_id, results)  # noqa: B023 - it is called in this round
                    elif channel == 'ticket':
                        await journal.redeem(ticket, results.approvals['c1'])  # noqa: B023
                    else:
                        await agent().run(
                            message_history=result.all_messages(),  # noqa: B023
                            deferred_tool_results=results,
                            capabilities=[journal],  # noqa: B023
                        )

                await answer(first, one)
                with pytest.raises(JournalError):
                    await answer(second, other)
                assert await journal.waiting() == []
                for run in await journal.runs():
                    with suppress(JournalError):  # one that another run continues
                        await journal.resume(agent(), run.run_id)
                assert len(RAN) == (one is yes), (first, second)

    asyncio.run(main())


@pytest.mark.parametrize('kind', ['memory', 'file'])
@pytest.mark.parametrize('by', ['answer', 'ticket', 'both'])
def test_of_answers_that_are_given_at_once_one_is_taken(kind: str, by: str, tmp_path: Path) -> None:
    async def main() -> None:
        store: Any = MemoryStore() if kind == 'memory' else tmp_path / 'runs.db'
        run_id = await waiting(store)
        journals = [Journal[Any](store, secret=SECRET) for _ in range(8)]
        (run,) = await journals[0].waiting()
        ticket = journals[0].ticket(run, 'c1')

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


@pytest.mark.parametrize('from_elsewhere', [True, False], ids=['a call that others make', 'a call in doubt'])
def test_what_a_person_says_became_of_a_call_passes_no_hook_of_tools(from_elsewhere: bool) -> None:
    """It is not a result of the tool: with the reference, too, hooks do not see what comes from outside."""
    hooks: Hooks[Any] = Hooks()
    passed: list[str] = []

    @hooks.on.after_tool_execute
    async def after(ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        passed.append(call.tool_name)
        return f'<{result}>'

    def payer() -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(
            scripted([ToolCallPart('pay', {}, 'c1')]), output_type=[str, DeferredToolRequests], capabilities=[hooks]
        )

        @one.tool_plain
        async def pay() -> str:
            if from_elsewhere:
                raise CallDeferred
            return 'paid'

        return one

    async def main() -> None:
        store: Any = MemoryStore() if from_elsewhere else CutOff('answered')
        if from_elsewhere:
            run_id = (await payer().run('go', capabilities=[Journal(store)])).run_id
        else:
            run_id = await cut(payer(), store)
        journal: Journal[Any] = Journal(store)
        if not from_elsewhere:
            assert isinstance((await journal.resume(payer(), run_id)).output, DeferredToolRequests)
        passed.clear()
        await journal.answer(run_id, DeferredToolResults(calls={'c1': 'paid, says the bank'}))
        result = await journal.resume(payer(), run_id)
        assert (result.output, passed) == ('done', [])
        (answer,) = result.all_messages()[2].parts
        assert isinstance(answer, ToolReturnPart)
        assert answer.content == 'paid, says the bank'

    asyncio.run(main())
