"""Runs that are long, and trees of runs that are deep or wide."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, UsageLimits
from stead.journal import Journal, RunFilter, StoreError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from tests.journal.agents import call, scripted
from tests.journal.test_state import CutOff

FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
STEPS = 5_000 if FULL else 500
LEVELS = 50
CHILDREN = 200 if FULL else 60
EVERYTHING = RunFilter(limit=10_000)


def counting(steps: int) -> Agent[None, str]:
    """Return an agent that makes a call in each of its steps."""
    used = iter(range(steps))

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        number = next(used, None)
        part = TextPart('done') if number is None else ToolCallPart('pay', {'number': number})
        return ModelResponse(parts=[part])

    agent: Agent[None, str] = Agent(FunctionModel(answer), name='counting')

    @agent.tool_plain
    async def pay(number: int) -> str:
        return 'paid'

    return agent


def test_a_step_takes_as_many_bytes_as_those_before() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(durability='async')
        result = await counting(STEPS).run('go', capabilities=[journal], usage_limits=UsageLimits(request_limit=None))
        sizes: list[int] = []
        for record in journal.store.read(result.run_id):
            if record.kind == 'request':
                sizes.append(0)
            if sizes:
                sizes[-1] += len(record.body)
        assert len(sizes) == STEPS + 1
        early, late = sizes[10:110], sizes[-101:-1]
        assert max(late) - max(early) < 40  # larger numbers have more digits

        again = await Journal(journal.store).resume(counting(0), result.run_id)
        assert again.usage == result.usage
        steps = await journal.steps(result.run_id)
        assert [len(step.messages) for step in steps] == list(range(1, 2 * STEPS + 2, 2))
        size_by_id = {id(value): sys.getsizeof(value) for step in steps for value in vars(step).values()}
        assert sum(size_by_id.values()) < 1000 * len(steps)  # they share what they have in common

    asyncio.run(main())


def chain(journal: Journal[Any], effects: list[str]) -> Agent[None, Any]:
    """Return an agent whose tool runs an agent whose tool runs an agent, and so on; the tool of the last one must ask."""
    agent: Agent[None, Any] | None = None

    def asking(inner: Agent[None, Any]) -> Any:
        async def ask() -> str:
            return str((await inner.run('go')).output)

        return ask

    for level in reversed(range(LEVELS)):
        inner, agent = (
            agent,
            Agent(
                scripted([call('ask', 'c')], text=f'level {level}'),
                name=f'level {level}',
                output_type=[str, DeferredToolRequests],
                capabilities=[journal],
            ),
        )
        if inner is not None:
            agent.tool_plain(effect='idempotent')(asking(inner))
        else:

            @agent.tool_plain(requires_approval=True)
            async def ask() -> str:
                effects.append('asked')
                return 'the bottom'

    assert agent is not None
    return agent


def test_a_decision_deep_inside_lets_the_whole_chain_go_on() -> None:
    async def main() -> None:
        effects: list[str] = []
        journal: Journal[Any] = Journal()
        result = await chain(journal, effects).run('go')
        (waiting,) = await journal.waiting()
        assert len(waiting.path) == LEVELS - 1
        assert waiting.path[0] == (result.run_id, 'c')
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'c': True}))
        later: Journal[Any] = Journal(journal.store)
        final = await later.resume(chain(later, effects), result.run_id)
        assert (final.output, effects) == ('level 0', ['asked'])
        assert {run.status for run in await later.runs()} == {'done'}

    asyncio.run(main())


def family(journal: Journal[Any], effects: list[str]) -> Agent[None, Any]:
    """Return an agent that makes many calls at once, each of which runs an agent; and one call that runs many agents."""
    child: Agent[None, Any] = Agent(scripted([call('pay', 'p')], text='paid'), name='child', capabilities=[journal])

    @child.tool_plain
    async def pay() -> str:
        effects.append('paid')
        return 'paid'

    batch = [call('ask', f'c{number}') for number in range(CHILDREN)]
    root: Agent[None, Any] = Agent(
        scripted([*batch, call('ask_all', 'all')]),
        name='root',
        output_type=[str, DeferredToolRequests],
        capabilities=[journal],
    )

    @root.tool_plain(effect='idempotent')
    async def ask() -> str:
        return (await child.run('go')).output

    @root.tool_plain(effect='idempotent')
    async def ask_all() -> int:
        return len(await asyncio.gather(*(child.run('go') for _ in range(CHILDREN))))

    return root


@pytest.mark.parametrize('dies', [False, True])
def test_many_children_at_once_do_their_work_once(dies: bool) -> None:
    async def main() -> None:
        effects: list[str] = []
        answered = waiting_calls = 0

        def in_the_middle(body: bytes) -> bool:
            nonlocal answered
            answered += b'"id":"p"' in body
            return dies and answered > CHILDREN  # half of the children have paid, and have that recorded

        store = CutOff('answered', in_the_middle)
        journal: Journal[Any] = Journal(store)
        root = family(journal, effects)
        try:
            result = await root.run('go')
        except StoreError:
            assert dies
            done_before = len(effects)
            store.mend()
            later: Journal[Any] = Journal(store)
            run_id = next(run.run_id for run in await later.find(EVERYTHING) if run.parent_id is None)
            result = await later.resume(family(later, effects), run_id)
            assert isinstance(result.output, DeferredToolRequests)
            for waiting in await later.waiting(limit=1000):
                waiting_calls += 1
                await later.answer(waiting.run.run_id, DeferredToolResults(calls={'p': 'paid'}))
            result = await later.resume(family(later, effects), run_id)
            assert done_before > CHILDREN
        runs = await Journal[Any](store).find(EVERYTHING)
        assert result.output == 'done'
        assert len(runs) == 2 * CHILDREN + 1
        assert {run.status for run in runs} == {'done'}
        # A call in doubt had started or not when the store was cut off: a person is asked, and it is not made again.
        assert 2 * CHILDREN - waiting_calls <= len(effects) <= 2 * CHILDREN

    asyncio.run(main())
