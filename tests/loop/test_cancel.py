"""Runs that are cancelled, at many points, leave nothing behind."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from stead import Agent
from stead.messages import ModelResponse, TextPart
from stead.models.function import FunctionModel
from stead.toolsets import FunctionToolset

from ..resources import resources, resources_at_last
from ..waiting import timed_out_when, until
from .kit import call, kinds, script, text


class Trace:
    """Which things were started, and how they ended."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.waiting = asyncio.Event()

    @asynccontextmanager
    async def of(self, name: str) -> AsyncIterator[None]:
        self.begun.append(name)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):  # cleaning up takes time, whatever cancelled it
                await asyncio.sleep(0)
            self.ended.append(name)

    async def forever(self, name: str) -> None:
        async with self.of(name):
            self.waiting.set()
            await asyncio.sleep(60)


class Open(FunctionToolset[Any]):
    """A toolset that notes when it is open."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace

    async def __aenter__(self) -> Any:
        self.trace.begun.append('toolset')
        return await super().__aenter__()

    async def __aexit__(self, *args: Any) -> Any:
        self.trace.ended.append('toolset')
        return await super().__aexit__(*args)


def in_request(trace: Trace) -> Agent[Any, str]:
    async def answer(messages: Any, info: Any) -> ModelResponse:
        await trace.forever('request')
        raise AssertionError

    return Agent(FunctionModel(answer), toolsets=[Open(trace)])


def in_one_tool(trace: Trace) -> Agent[Any, str]:
    agent = Agent(script([call('t')]), toolsets=[Open(trace)])

    @agent.tool_plain
    async def t() -> None:
        await trace.forever('t')

    return agent


def in_many_tools(trace: Trace) -> Agent[Any, str]:
    agent = Agent(script([call('t', {'n': n}, f'c{n}') for n in range(5)]), toolsets=[Open(trace)])

    @agent.tool_plain
    async def t(n: int) -> None:
        await trace.forever(f't{n}')

    return agent


def in_nested_run(trace: Trace) -> Agent[Any, str]:
    inner = in_many_tools(trace)
    agent = Agent(script([call('ask')]))

    @agent.tool_plain
    async def ask() -> str:
        async with trace.of('outer tool'):
            return (await inner.run('inside')).output

    return agent


def in_instructions(trace: Trace) -> Agent[Any, str]:
    agent = Agent(script(text('x')), toolsets=[Open(trace)])

    @agent.instructions
    async def slow() -> str:
        await trace.forever('instructions')
        return ''

    return agent


def in_output_validator(trace: Trace) -> Agent[Any, str]:
    agent = Agent(script(text('x')), toolsets=[Open(trace)])

    @agent.output_validator
    async def slow(value: str) -> str:
        await trace.forever('validator')
        return value

    return agent


POINTS = [in_request, in_one_tool, in_many_tools, in_nested_run, in_instructions, in_output_validator]


WAYS = [(point, how) for point in POINTS for how in ('cancel', 'wait_for')] + [
    (point, 'task group') for point in POINTS if point not in (in_many_tools, in_nested_run)
]


@pytest.mark.parametrize(('point', 'how'), WAYS, ids=lambda value: getattr(value, '__name__', value))
def test_everything_ends_with_the_run(point: Callable[[Trace], Agent[Any, str]], how: str):
    trace = Trace()
    agent = point(trace)

    async def cancelled() -> None:
        task = asyncio.ensure_future(agent.run('go'))
        await asyncio.wait_for(trace.waiting.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def timed_out() -> None:
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await timed_out_when(trace.waiting.is_set, agent.run('go'))

    async def sibling_failed() -> None:
        async def fail() -> None:
            await trace.waiting.wait()
            raise LookupError

        import anyio

        with pytest.raises(BaseException) as caught:
            async with anyio.create_task_group() as group:
                group.start_soon(agent.run, 'go')
                group.start_soon(fail)
        assert 'LookupError' in repr(caught.value)

    async def main() -> set[asyncio.Task[Any]]:
        before = asyncio.all_tasks()
        await {'cancel': cancelled, 'wait_for': timed_out, 'task group': sibling_failed}[how]()
        assert sorted(trace.ended) == sorted(trace.begun), 'it is over when the run is over, not later'
        return asyncio.all_tasks() - before

    assert asyncio.run(main()) == set()
    assert len(set(trace.begun)) > (point is in_nested_run)


def test_an_agent_can_be_used_again_after_a_cancelled_run():
    slow = [True]
    waiting = asyncio.Event()
    agent = Agent(script([call('t')], [call('t')], text('ok')))

    @agent.tool_plain
    async def t() -> str:
        if slow[0]:
            waiting.set()
            await asyncio.sleep(60)
        return 'x'

    async def main() -> str:
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await timed_out_when(waiting.is_set, agent.run('go'))
        slow[0] = False
        return (await agent.run('again')).output

    assert asyncio.run(main()) == 'ok'


@pytest.mark.skipif(sys.version_info < (3, 11), reason='whoever awaits a task gets another error before Python 3.11')
def test_a_cancelled_run_says_what_it_had():
    trace = Trace()
    agent = in_one_tool(trace)

    async def main() -> Any:
        task = asyncio.ensure_future(agent.run('go'))
        await asyncio.wait_for(trace.waiting.wait(), 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        return caught.value

    error = asyncio.run(main())
    assert kinds(error.messages) == ['user-prompt', 'tool-call', 'tool-return']
    assert error.usage.requests == 1


def test_nobody_waits_for_a_sync_tool_whose_run_was_cancelled():
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()
    agent = Agent(script([call('t')], text('x')))

    @agent.tool_plain
    def t() -> None:
        begun.set()
        release.wait(30)
        ended.set()

    async def main() -> None:
        task = asyncio.ensure_future(agent.run('go'))
        assert await asyncio.to_thread(begun.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not ended.is_set()
        release.set()

    asyncio.run(main())
    assert ended.wait(20), 'the thread ends when the function does'


def test_threads_do_not_grow_with_runs():
    agent = Agent('test')
    agent.tool_plain(name='a')(lambda: 1)
    agent.tool_plain(name='b')(lambda: 2)

    async def main() -> int:
        await agent.run('go')
        before = threading.active_count()
        for _ in range(30):
            await agent.run('go')
        return threading.active_count() - before

    assert asyncio.run(main()) <= 0
    agent.run_sync('go')
    before = resources()
    for _ in range(5):
        asyncio.run(main())
        agent.run_sync('go')
    threads, files = resources_at_last(before)
    assert threads <= before[0] and files <= before[1]


def test_cancelled_runs_do_not_pile_up_threads_or_files():
    agent = Agent(script([call('t')]))

    @agent.tool_plain
    def t() -> None:
        time.sleep(0.01)

    async def main() -> None:
        for _ in range(5):
            with pytest.raises((asyncio.TimeoutError, TimeoutError)):
                await asyncio.wait_for(agent.run('go'), 0.005)
        await asyncio.sleep(0.05)

    asyncio.run(main())
    before = resources()
    for _ in range(4):
        asyncio.run(main())
    threads, files = resources_at_last(before)
    assert threads <= before[0] and files <= before[1]


def test_siblings_of_a_failing_tool_are_cancelled_and_waited_for():
    trace = Trace()
    agent = Agent(script([call('slow', {'n': n}, f'c{n}') for n in range(3)] + [call('bad')]))

    @agent.tool_plain
    async def slow(n: int) -> None:
        await trace.forever(f'slow {n}')

    @agent.tool_plain
    async def bad() -> None:
        await until(lambda: len(trace.begun) == 3)
        raise ValueError('bad')

    async def main() -> set[asyncio.Task[Any]]:
        before = asyncio.all_tasks()
        with pytest.raises(ValueError, match='bad'):
            await asyncio.wait_for(agent.run('go'), 30)
        assert sorted(trace.ended) == sorted(trace.begun) == ['slow 0', 'slow 1', 'slow 2']
        return asyncio.all_tasks() - before

    assert asyncio.run(main()) == set()


def test_of_two_failing_tools_the_first_call_is_told():
    agent = Agent(script([call('t', {'n': n}, f'c{n}') for n in range(3)]))

    @agent.tool_plain
    async def t(n: int) -> None:
        raise ValueError(f'tool {n}')

    with pytest.raises(ValueError, match='^tool 0'):
        agent.run_sync('go')


def test_a_timeout_of_a_tool_is_told_to_the_model_and_ends_the_call():
    trace = Trace()
    agent = Agent(script([call('slow')], text('ok')), tool_timeout=0.02)

    @agent.tool_plain
    async def slow() -> None:
        await trace.forever('slow')

    result = agent.run_sync('go')
    assert result.output == 'ok'
    assert trace.ended == ['slow']
    assert kinds(result.all_messages()) == ['user-prompt', 'tool-call', 'retry-prompt', 'text']


def test_a_run_that_is_left_early_closes_its_toolsets():
    trace = Trace()
    agent = Agent(script(text('x')), toolsets=[Open(trace)])

    async def main() -> None:
        async with agent.iter('go') as run:
            async for _ in run:
                break
        assert trace.ended == ['toolset']

    asyncio.run(main())


def test_an_abandoned_iterator_leaves_no_task():
    agent = Agent(script([call('t')], text('x')))
    agent.tool(name='t')(lambda ctx: 'x')

    async def first_node() -> Any:
        async with agent.iter('go') as run:
            async for node in run:
                return node

    async def main() -> int:
        await first_node()
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1


def test_context_of_a_cancelled_run_is_restored():
    """An override inside a cancelled task ends with it."""
    agent = Agent(script(text('own')))
    trace = Trace()

    async def overridden() -> None:
        with agent.override(model=in_request(trace).model):  # type: ignore[arg-type]
            await agent.run('go')

    async def main() -> str:
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await timed_out_when(trace.waiting.is_set, overridden())
        return (await agent.run('go')).output

    assert asyncio.run(main()) == 'own'


def test_a_keyboard_interrupt_in_a_tool_goes_through():
    trace = Trace()
    agent = Agent(script([call('t'), call('u')]), toolsets=[Open(trace)])

    @agent.tool_plain
    def t() -> None:
        raise KeyboardInterrupt

    @agent.tool_plain
    async def u() -> None:
        await trace.forever('u')

    with pytest.raises(KeyboardInterrupt):
        agent.run_sync('go')
    assert sorted(trace.ended) == sorted(trace.begun)
    assert Agent(script([TextPart('ok')])).run_sync('again').output == 'ok', 'the loop is still usable'
