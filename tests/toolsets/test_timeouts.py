"""Timeouts, and the threads of sync tools: how many there are, and what happens to those that no one waits for."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from stead import Agent, FunctionToolset, Tool
from stead._kit.aio import disable_threads
from stead.exceptions import UserError

from ..loop.kit import answers_in, call, calling, script, text
from ..waiting import run_with_time_held, until

GOES_ON = ' The call was not stopped, so it may still have completed.'


def answers(agent: Agent[Any, Any]) -> list[Any]:
    return answers_in(agent.run_sync('go').all_messages())


@pytest.mark.parametrize('timeout', ['5', -1, float('nan'), True])
def test_a_timeout_is_a_number_of_seconds(timeout: Any) -> None:
    with pytest.raises(UserError, match=r"`timeout` of tool 'x' must be a number of seconds"):
        Tool(lambda: 1, name='x', timeout=timeout)
    with pytest.raises(UserError, match=r"`timeout` of toolset 'desk' must be a number of seconds"):
        FunctionToolset(timeout=timeout, id='desk')


@pytest.mark.parametrize('retries', ['3', -1, 1.5, True])
def test_retries_are_a_number(retries: Any) -> None:
    with pytest.raises(UserError, match=r"The retries of tool 'x' must be a number"):
        Tool(lambda: 1, name='x', max_retries=retries)
    with pytest.raises(UserError, match=r'The retries of a toolset must be a number'):
        FunctionToolset(max_retries=retries)


async def never() -> None:
    await asyncio.sleep(60)


def test_what_a_timed_out_tool_cleans_up_is_waited_for() -> None:
    log: list[str] = []

    async def tidy() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            log.append('tidied')

    answers(calling(call('tidy'), tools=[Tool(tidy, timeout=0.01)]))
    assert log == ['tidied']


def test_the_late_result_of_a_sync_tool_is_dropped() -> None:
    begun, late, finished = threading.Event(), threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        late.wait(30)
        finished.set()
        return 'late'

    async def main() -> Any:
        agent = calling(call('slow'), tools=[Tool(slow, timeout=0.02)])
        result = await agent.run('go')
        late.set()
        assert await asyncio.to_thread(finished.wait, 30)
        await asyncio.sleep(0.01)
        return result

    result = run_with_time_held(main(), lambda: not begun.is_set())
    assert answers_in(result.all_messages()) == [f'Timed out after 0.02 seconds.{GOES_ON}']
    assert result.usage.tool_calls == 0


def fails_in_thread() -> None:
    raise TimeoutError('mine')


async def fails() -> None:
    raise TimeoutError('mine')


async def fails_of_a_limit_of_its_own() -> None:
    try:
        await asyncio.wait_for(asyncio.sleep(60), 0.001)
    except asyncio.TimeoutError:
        raise TimeoutError('mine') from asyncio.CancelledError()


@pytest.mark.parametrize('tool', [fails_in_thread, fails, fails_of_a_limit_of_its_own])
def test_a_timeout_error_of_a_tool_of_its_own_is_not_told_as_its_time_limit(tool: Any) -> None:
    assert answers(calling(call(tool.__name__), tools=[Tool(tool, timeout=5)])) == [
        f"Tool '{tool.__name__}' raised TimeoutError."
    ]


def test_generators_are_closed_in_time() -> None:
    begun, closed = threading.Event(), threading.Event()

    async def endless_async() -> AsyncIterator[int]:
        begun.set()
        try:
            while True:
                await asyncio.sleep(0.001)
                yield 1
        finally:
            closed.set()

    def endless() -> Iterator[int]:
        begun.set()
        try:
            while True:
                time.sleep(0.001)
                yield 1
        finally:
            closed.set()

    for function, more in ((endless_async, ''), (endless, GOES_ON)):
        begun.clear()
        closed.clear()
        agent = calling(call(function.__name__), tools=[Tool(function, timeout=0.02)])
        result = run_with_time_held(agent.run('go'), lambda: not begun.is_set())
        assert answers_in(result.all_messages()) == [f'Timed out after 0.02 seconds.{more}']
        assert closed.wait(30)


def test_hanging_tools_do_not_collect_threads() -> None:
    release = threading.Event()
    started: list[int] = []

    def hangs() -> None:
        started.append(1)
        release.wait(60)

    async def main() -> tuple[int, list[Any]]:
        agents = [calling(call('hangs'), tools=[Tool(hangs, timeout=0.5)]) for _ in range(80)]
        before = threading.active_count()
        await asyncio.gather(*(agent.run('go') for agent in agents))
        threads = threading.active_count() - before
        await until(lambda: len(started) >= threads)
        begun = len(started)
        release.set()
        # The places of hanging calls are free again once they are done, and those that had none are not made up for.
        result = await calling(call('quick'), tools=[Tool(lambda: 'ran', name='quick')]).run('go')
        await asyncio.sleep(0.05)
        assert len(started) == begun
        return threads, answers_in(result.all_messages())

    threads, last = asyncio.run(main())
    assert 1 <= threads <= 40
    assert last == ['ran']


@pytest.mark.parametrize('own_executor', [False, True])
def test_stop_iteration_in_a_sync_tool_is_an_error_like_others(own_executor: bool) -> None:
    agent = calling(call('first'), tools=[Tool(lambda: next(iter(())), name='first')])

    async def main() -> None:
        with pytest.raises(RuntimeError, match='raised StopIteration'):
            await asyncio.wait_for(agent.run('go'), 30)

    with ThreadPoolExecutor(1) as pool:
        if own_executor:
            with agent.using_thread_executor(pool):
                asyncio.run(main())
        else:
            asyncio.run(main())


def test_an_executor_must_be_one() -> None:
    with pytest.raises(TypeError, match="`submit` method.*'pool' has none"):
        with Agent.using_thread_executor('pool'):  # type: ignore[arg-type]
            pass


def test_calls_wait_for_a_thread_of_the_own_executor_and_a_timed_out_one_is_never_made() -> None:
    begun: list[int] = []
    release = threading.Event()

    def slow(n: int) -> int:
        begun.append(n)
        release.wait(30)
        return n

    agent = calling(call('slow', {'n': 1}, '1'), call('slow', {'n': 2}, '2'), tools=[Tool(slow, timeout=0.03)])
    with ThreadPoolExecutor(1) as pool, agent.using_thread_executor(pool):
        result = run_with_time_held(agent.run('go'), lambda: not begun)
        assert len(answers_in(result.all_messages())) == 2
        release.set()
    assert begun == [1]


def test_without_threads_progress_comes_before_the_result() -> None:
    def counts() -> Iterator[int]:
        yield 1
        yield 2
        return 3  # type: ignore[return-value]

    kinds: list[str] = []

    async def main() -> None:
        async with Agent('test', tools=[counts]).run_stream_events('go') as events:
            async for event in events:
                if event.event_kind.startswith('function_tool'):
                    kinds.append(event.event_kind.removeprefix('function_tool_'))

    with disable_threads():
        asyncio.run(main())
    assert kinds == ['call', 'progress', 'progress', 'result']


def test_runs_at_once_on_several_loops_have_threads_of_their_own() -> None:
    def work(n: int) -> int:
        time.sleep(0.01)
        return n

    def one(n: int) -> list[Any]:
        return answers(Agent(script([call('work', {'n': n})], text('done')), tools=[work]))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(8))) == [[n] for n in range(8)]
