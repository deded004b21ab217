"""`simulate` finds what depends on the order of events, on the moment of an ending, and on a process that dies."""

from __future__ import annotations

import asyncio
import random
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, RunContext, UserError
from stead.agent.for_all import FOR_ALL
from stead.journal import Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.testing import SimulatedRun, SimulationFailed, simulate
from stead.testing._simulated_run import unsound


@dataclass
class Shop:
    left: int = 10
    taken: list[int] = field(default_factory=list)


def take_twice(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if any(message.kind == 'response' for message in messages):
        return ModelResponse([TextPart('done')])
    return ModelResponse([ToolCallPart('take', {'n': 1}), ToolCallPart('take', {'n': 2})])


def taking(**options: Any) -> Any:
    """Return a decorator that makes an agent of the function `take`."""

    def make(function: Any) -> Agent[Shop, str]:
        agent: Agent[Shop, str] = Agent(FunctionModel(take_twice), deps_type=Shop)
        agent.tool(name='take', **options)(function)
        return agent

    return make


def failure(agent: Any, **options: Any) -> SimulationFailed:
    with pytest.raises(SimulationFailed) as caught:
        simulate(agent, 'go', **{'seeds': range(60), 'make_deps': Shop, **options})
    return caught.value


@taking()
async def careful(ctx: RunContext[Shop], n: int) -> int:
    ctx.deps.left -= n
    await asyncio.sleep(3600)
    return ctx.deps.left


@taking()
async def hasty(ctx: RunContext[Shop], n: int) -> int:
    before = ctx.deps.left
    await asyncio.sleep(0.1)
    ctx.deps.left = before - n
    return ctx.deps.left


@taking()
def in_a_thread(ctx: RunContext[Shop], n: int) -> int:
    assert threading.current_thread() is threading.main_thread()
    ctx.deps.taken.append(n)
    return n


def seven_are_left(run: SimulatedRun[Shop]) -> None:
    assert run.deps.left == 7, f'{run.deps.left} are left, not 7'


def test_a_sound_agent_passes_in_every_way() -> None:
    report = simulate(careful, 'go', seeds=range(50), make_deps=Shop)
    assert report.seeds == sum(report.ways.values()) == sum(report.disturbed.values()) == 50
    assert len(report.ways) == 4
    assert len(report.disturbed) == 8
    assert report.seconds > 50 * 3600 / 2  # of a virtual clock


def test_an_update_that_is_lost_is_found_and_happens_again() -> None:
    error = failure(hasty, check=seven_are_left, disturb=['none'])
    assert 'are left, not 7' in str(error)
    assert f'`seeds=[{error.seed}]`' in str(error)
    again = failure(hasty, check=seven_are_left, disturb=['none'], seeds=[error.seed])
    assert again.trace == error.trace
    simulate(careful, 'go', seeds=range(20), make_deps=Shop, check=seven_are_left, disturb=['none'])


def test_traces_depend_on_the_seed_alone() -> None:
    def fails(run: SimulatedRun[Shop]) -> None:
        raise AssertionError

    for seed in range(5):
        first, second = (failure(in_a_thread, check=fails, seeds=[seed]).trace for _ in range(2))
        assert first == second


def test_functions_of_threads_run_to_their_end_in_no_thread() -> None:
    before = threading.active_count()

    def each_once(run: SimulatedRun[Shop]) -> None:
        assert {*run.deps.taken} == {1, 2}

    kinds = ('none', 'cancel', 'timeout', 'crash')
    simulate(in_a_thread, 'go', seeds=range(40), make_deps=Shop, check=each_once, disturb=kinds)
    assert threading.active_count() == before


def test_a_write_that_claims_to_be_a_read_is_found() -> None:
    @taking(effect='read')
    async def wrong(ctx: RunContext[Shop], n: int) -> int:
        ctx.deps.left -= n
        await asyncio.sleep(0)
        return n

    error = failure(wrong, check=seven_are_left, disturb=['crash'])
    assert 'its process dies' in error.trace[0]
    assert any('another process continues it' in line for line in error.trace)


def test_a_task_that_outlives_its_run_is_found() -> None:
    @taking()
    async def leaving(ctx: RunContext[Shop], n: int) -> int:
        ctx.deps.taken.append(asyncio.ensure_future(asyncio.sleep(30)))  # type: ignore[arg-type]
        return n

    error = failure(leaving)
    assert error.seed is None
    assert error.violations == ['tasks are left: sleep, sleep']


def test_a_call_that_waits_forever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('stead.testing._simulated_loop.PATIENCE', 0.05)

    @taking()
    async def stuck(ctx: RunContext[Shop], n: int) -> int:
        if n == 2:
            await asyncio.Event().wait()
        return n

    (violation,) = failure(stuck).violations
    assert violation == 'the run waits for something that never happens; calls that have not returned: take({"n":2})'


def test_what_a_reader_or_a_fault_ends_is_continued() -> None:
    for kind in ('cancel', 'timeout', 'leave', 'cut', 'model', 'tools'):
        report = simulate(
            careful, 'go', seeds=range(6), make_deps=Shop, disturb=[kind], ways=['run_stream', 'run_stream_events']
        )
        assert report.disturbed == {kind: 6}


def test_calls_that_wait_are_approved() -> None:
    @taking(requires_approval=True)
    async def asking(ctx: RunContext[Shop], n: int) -> int:
        ctx.deps.taken.append(n)
        return n

    def approved(run: SimulatedRun[Shop]) -> None:
        assert run.deps.taken == [1]

    simulate(
        asking,
        'go',
        seeds=range(40),
        make_deps=Shop,
        approve=lambda call: call.args_as_dict()['n'] == 1,
        check=approved,
        disturb=['none'],
        options={'output_type': [str, DeferredToolRequests]},
    )


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'disturb': ['fire']}, '`disturb` of `simulate` are some of'),
        ({'ways': []}, '`ways` of `simulate` are some of'),
        ({'agent': Agent('test', capabilities=[Journal()])}, 'brings its own journal'),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        simulate(options.pop('agent', careful), 'go', seeds=[1], make_deps=Shop, **options)


def test_it_is_not_called_in_a_loop() -> None:
    async def inside() -> None:
        simulate(careful, 'go', seeds=[1], make_deps=Shop)

    with pytest.raises(UserError, match='in a function that is not async'):
        asyncio.run(inside())


def test_an_agent_that_fails_by_itself_raises_its_error_and_nothing_is_left() -> None:
    @taking()
    async def broken(ctx: RunContext[Shop], n: int) -> int:
        raise LookupError('no such shop')

    state, before = random.getstate(), FOR_ALL.capabilities
    with pytest.raises(LookupError, match='no such shop'):
        simulate(broken, 'go', make_deps=Shop)
    assert (random.getstate(), FOR_ALL.capabilities) == (state, before)


def test_a_history_is_sound_if_each_call_has_one_answer() -> None:
    result = Agent('test', tools=[len_of]).run_sync('go')
    messages = result.all_messages()
    assert unsound(messages) == []
    prompt, response, answer, last = messages
    assert unsound([prompt, response, last])
    assert unsound([prompt, answer, last])
    assert unsound([prompt, response, answer, answer])


def len_of(text: str) -> int:
    return len(text)
