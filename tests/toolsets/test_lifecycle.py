"""Toolsets are entered once, and exited once, whatever happens in between and however many use them."""

from __future__ import annotations

import asyncio
import gc
import threading
from contextvars import ContextVar
from typing import Any

import anyio
import pytest
from hypothesis import given, strategies as st

from stead import Agent, FunctionToolset, RunContext
from stead.capabilities import AbstractCapability
from stead.toolsets import AbstractToolset, CombinedToolset, WrapperToolset
from stead.toolsets.wrapper import _shared

from .kit import Watched, calling, named, wait


def watched(log: list[str], *tags: str, **failures: str) -> list[Watched]:
    return [Watched(named(tag), tag, log, failures.get(tag, '')) for tag in tags]


def open_on_this_loop() -> int:
    return len(_shared._here())


def test_entered_in_order_and_exited_in_reverse() -> None:
    log: list[str] = []
    Agent(calling(('a', {})), toolsets=watched(log, 'a', 'b')).run_sync('go', toolsets=watched(log, 'c'))
    assert log == ['enter a', 'enter b', 'enter c', 'exit c', 'exit b', 'exit a']


@pytest.mark.parametrize('third', [0, 1, 2, 3, 4])
def test_when_entering_one_of_five_fails_the_others_are_exited(third: int) -> None:
    log: list[str] = []
    tags = 'abcde'
    agent = Agent(calling(), toolsets=watched(log, *tags, **{tags[third]: 'enter'}))
    for _ in range(2):  # nothing is left behind that the next run would stumble over
        log.clear()
        with pytest.raises(RuntimeError, match=f'{tags[third]} failed to enter'):
            agent.run_sync('go')
        entered = [f'enter {tag}' for tag in tags[: third + 1]]
        assert log == [*entered, *(f'exit {tag}' for tag in reversed(tags[:third]))]


def test_when_an_exit_fails_the_others_are_exited_still() -> None:
    log: list[str] = []
    agent = Agent(calling(), toolsets=watched(log, 'a', 'b', 'c', b='exit'))
    with pytest.raises(RuntimeError, match='b failed to exit'):
        agent.run_sync('go')
    assert log[3:] == ['exit c', 'exit b', 'exit a']


def test_exited_when_a_tool_fails() -> None:
    log: list[str] = []
    boom = FunctionToolset[Any]()

    @boom.tool_plain
    def divide() -> float:
        return 1 / 0

    with pytest.raises(ZeroDivisionError):
        Agent(calling(('divide', {})), toolsets=[*watched(log, 'a'), boom]).run_sync('go')
    assert log == ['enter a', 'exit a']


def test_exited_when_the_run_is_cancelled() -> None:
    log: list[str] = []

    async def main() -> None:
        waiting, started = FunctionToolset[Any](), asyncio.Event()

        @waiting.tool_plain
        async def sleep() -> None:
            started.set()
            await asyncio.sleep(60)

        agent = Agent(calling(('sleep', {})), toolsets=[*watched(log, 'a', 'b'), waiting])
        run = asyncio.ensure_future(agent.run('go'))
        await started.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert open_on_this_loop() == 0

    wait(main())
    assert log == ['enter a', 'enter b', 'exit b', 'exit a']


class Slow(FunctionToolset[Any]):
    """Takes until it is told so to be entered."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []
        self.entering, self.may_continue = asyncio.Event(), asyncio.Event()

    async def __aenter__(self) -> Any:
        self.log.append('entering')
        self.entering.set()
        try:
            await self.may_continue.wait()
        except asyncio.CancelledError:
            self.log.append('given up')
            raise
        self.log.append('entered')
        return self

    async def __aexit__(self, *args: Any) -> None:
        self.log.append('exited')


def test_cancelled_while_entering() -> None:
    log: list[str] = []

    async def main() -> list[str]:
        slow = Slow()
        run = asyncio.ensure_future(Agent(calling(), toolsets=[*watched(log, 'a'), slow]).run('go'))
        await slow.entering.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert open_on_this_loop() == 0
        return slow.log

    assert wait(main()) == ['entering', 'given up']
    assert log == ['enter a', 'exit a']


def test_one_of_two_is_cancelled_while_both_wait_for_the_toolset() -> None:
    async def main() -> list[str]:
        slow = Slow()
        runs = [asyncio.ensure_future(Agent(calling(), toolsets=[slow]).run('go')) for _ in range(2)]
        await slow.entering.wait()
        runs[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await runs[0]
        slow.may_continue.set()
        assert (await runs[1]).output == 'done'
        return slow.log

    assert wait(main()) == ['entering', 'entered', 'exited']


def test_shared_by_runs_at_once_it_is_entered_once() -> None:
    log: list[str] = []
    shared = watched(log, 'a')[0]
    inside = 0

    async def main() -> None:
        all_inside = asyncio.Event()
        tool = FunctionToolset[Any]()

        @tool.tool_plain
        async def meet() -> int:
            nonlocal inside
            inside += 1
            if inside == 4:
                all_inside.set()
            await all_inside.wait()
            return log.count('enter a')

        agent, other = (Agent(calling(('meet', {})), toolsets=[shared.prefixed(p), tool]) for p in 'pq')
        decorated = Agent(calling(('meet', {})), toolsets=[tool])
        decorated.toolset(lambda ctx: shared)
        runs = [agent.run('go'), agent.run('go'), other.run('go'), decorated.run('go', toolsets=[named('x')])]
        results = await asyncio.gather(*runs)
        counts = [result.all_messages()[2].parts[0].content for result in results]  # type: ignore[union-attr]
        assert counts == [1, 1, 1, 1]
        assert open_on_this_loop() == 0

    wait(main())
    assert log == ['enter a', 'exit a']


def test_what_a_capability_wraps_around_all_toolsets_belongs_to_a_run_and_what_it_wraps_is_shared() -> None:
    log: list[str] = []

    class Outer(WrapperToolset[Any]):
        async def __aenter__(self) -> Any:
            log.append('enter outer')
            return await super().__aenter__()

    class Wrapping(AbstractCapability[Any]):
        def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
            return Outer(toolset)

    async def main() -> None:
        agent = Agent(calling(('a', {})), toolsets=[Watched(named('a'), 'a', log)], capabilities=[Wrapping()])
        await asyncio.gather(agent.run('go'), agent.run('go'))

    wait(main())
    assert sorted(log) == ['enter a', 'enter outer', 'enter outer', 'exit a']


def test_one_run_after_the_other_enters_it_anew() -> None:
    log: list[str] = []
    agent = Agent(calling(), toolsets=watched(log, 'a'))
    agent.run_sync('go')
    agent.run_sync('go')
    assert log == ['enter a', 'exit a'] * 2


def test_a_run_that_comes_while_the_toolset_is_exited_enters_it_anew() -> None:
    log: list[str] = []
    leaving, left = asyncio.Event(), asyncio.Event()

    class Lingering(FunctionToolset[Any]):
        async def __aenter__(self) -> Any:
            log.append('enter')
            return self

        async def __aexit__(self, *args: Any) -> None:
            leaving.set()
            await left.wait()
            log.append('exit')

    async def main() -> None:
        agent = Agent(calling(), toolsets=[Lingering()])
        first = asyncio.ensure_future(agent.run('go'))
        await leaving.wait()
        second = asyncio.ensure_future(agent.run('go'))
        await asyncio.sleep(0.01)
        assert log == ['enter']
        left.set()
        await asyncio.gather(first, second)

    wait(main())
    assert log == ['enter', 'exit', 'enter', 'exit']


def test_a_failure_to_enter_reaches_all_who_wait_for_it() -> None:
    async def main() -> None:
        class Failing(Slow):
            async def __aenter__(self) -> Any:
                await super().__aenter__()
                raise RuntimeError('no connection')

        failing = Failing()
        agent = Agent(calling(), toolsets=[failing])
        runs = [asyncio.ensure_future(agent.run('go')) for _ in range(3)]
        await failing.entering.wait()
        failing.may_continue.set()
        errors = await asyncio.gather(*runs, return_exceptions=True)
        assert [str(error) for error in errors] == ['no connection'] * 3
        assert failing.log == ['entering', 'entered']
        with pytest.raises(RuntimeError, match='no connection'):
            await agent.run('go')
        assert failing.log == ['entering', 'entered'] * 2

    wait(main())


class TaskGroupToolset(FunctionToolset[Any]):
    """Needs to be exited by the task that entered it."""

    async def __aenter__(self) -> Any:
        self.group = anyio.create_task_group()
        await self.group.__aenter__()
        self.group.start_soon(anyio.sleep_forever)
        return self

    async def __aexit__(self, *args: Any) -> None:
        self.group.cancel_scope.cancel()
        await self.group.__aexit__(None, None, None)


def test_the_first_run_may_end_before_the_last() -> None:
    async def main() -> list[str]:
        first_done = asyncio.Event()
        tool = FunctionToolset[Any]()

        @tool.tool_plain
        async def outlast() -> None:
            await first_done.wait()

        shared = TaskGroupToolset()
        first = asyncio.ensure_future(Agent(calling(), toolsets=[shared]).run('go'))
        second = asyncio.ensure_future(Agent(calling(('outlast', {})), toolsets=[shared, tool]).run('go'))
        outputs = [(await first).output]
        first_done.set()
        return [*outputs, (await second).output]

    assert wait(main()) == ['done', 'done']


def test_context_variables_that_entering_sets_are_seen_by_tools_and_gone_after() -> None:
    variable: ContextVar[str] = ContextVar('variable', default='unset')
    own: ContextVar[str] = ContextVar('own', default='unset')

    class Setting(FunctionToolset[Any]):
        async def __aenter__(self) -> Any:
            variable.set('set')
            return self

    async def main() -> None:
        setting = Setting()

        @setting.tool_plain
        def look() -> list[str]:
            return [variable.get(), own.get()]

        agent = Agent(calling(('look', {})), toolsets=[setting])

        async def run(name: str) -> Any:
            own.set(name)
            messages = (await agent.run('go')).all_messages()
            assert variable.get() == 'unset'
            return messages[2].parts[0].content  # type: ignore[union-attr]

        assert await asyncio.gather(run('first'), run('second')) == [['set', 'first'], ['set', 'second']]

    wait(main())


def test_threads_enter_for_themselves() -> None:
    threads: list[tuple[str, int]] = []

    class PerThread(FunctionToolset[Any]):
        async def __aenter__(self) -> Any:
            threads.append(('enter', threading.get_ident()))
            return self

        async def __aexit__(self, *args: Any) -> None:
            threads.append(('exit', threading.get_ident()))

    toolset, meeting = PerThread(), threading.Barrier(2)

    @toolset.tool_plain
    def meet() -> None:
        meeting.wait(10)

    agent = Agent(calling(('meet', {})), toolsets=[toolset])
    workers = [threading.Thread(target=agent.run_sync, args=('go',)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    per_thread = {ident: [what for what, who in threads if who == ident] for _, ident in threads}
    assert list(per_thread.values()) == [['enter', 'exit']] * 2


def test_toolsets_with_nothing_to_enter_cost_no_task() -> None:
    async def main() -> int:
        toolset = named('a').prefixed('p').filtered(lambda ctx, definition: True)
        async with CombinedToolset([toolset, CombinedToolset([named('b').with_metadata(a=1)])]):
            return len(asyncio.all_tasks())

    assert wait(main()) == 1


def test_what_for_run_returns_is_what_is_entered() -> None:
    log: list[str] = []

    class PerRun(WrapperToolset[Any]):
        async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
            return Watched(self.wrapped, f'run {ctx.deps}', log)

    agent = Agent(calling(('a', {})), toolsets=[PerRun(named('a')).prefixed('p').renamed({'a': 'p_a'})], deps_type=int)
    agent.run_sync('go', deps=1)
    agent.run_sync('go', deps=2)
    assert log == ['enter run 1', 'exit run 1', 'enter run 2', 'exit run 2']


def test_no_task_is_left_when_a_loop_ends_with_a_run_in_it() -> None:
    log: list[str] = []

    async def main() -> None:
        waiting, started = FunctionToolset[Any](), asyncio.Event()

        @waiting.tool_plain
        async def sleep() -> None:
            started.set()
            await asyncio.sleep(60)

        agent = Agent(calling(('sleep', {})), toolsets=[*watched(log, 'a'), waiting])
        run = asyncio.ensure_future(agent.run('go'))
        await started.wait()
        assert not run.done()  # the loop is left during the run

    wait(main())
    gc.collect()  # a task that was destroyed while pending would be reported here, which is an error
    assert log == ['enter a', 'exit a']


def test_a_combination_can_be_entered_by_hand_several_times() -> None:
    log: list[str] = []

    async def main() -> None:
        combined = CombinedToolset([*watched(log, 'a'), CombinedToolset(watched(log, 'b'))])
        async with combined:
            async with combined:
                assert log == ['enter a', 'enter b']
            assert log == ['enter a', 'enter b']

    wait(main())
    assert log == ['enter a', 'enter b', 'exit b', 'exit a']


class Exclusive(FunctionToolset[Any]):
    """Notes whether it is entered while it is, or exited while it is not."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.faults = False, 0

    async def __aenter__(self) -> Any:
        await asyncio.sleep(0)
        self.faults += self.entered
        self.entered = True
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.entered = False
            raise
        return self

    async def __aexit__(self, *args: Any) -> None:
        await asyncio.sleep(0)
        self.faults += not self.entered
        self.entered = False
        await asyncio.sleep(0)


Ticks = st.integers(0, 8)


@given(st.lists(st.tuples(Ticks, Ticks, st.none() | Ticks), max_size=6))
def test_runs_that_come_and_go_and_are_cancelled(plans: list[tuple[int, int, int | None]]) -> None:
    async def ticks(number: int) -> None:
        for _ in range(number):
            await asyncio.sleep(0)

    async def main() -> None:
        exclusive = Exclusive()

        @exclusive.tool_plain
        async def work(number: int) -> bool:
            await ticks(number)
            return exclusive.entered

        async def run(start: int, number: int, cancel_after: int | None) -> None:
            await ticks(start)
            agent = Agent(calling(('work', {'number': number})), toolsets=[exclusive])
            task = asyncio.ensure_future(agent.run('go'))
            if cancel_after is not None:
                await ticks(cancel_after)
                task.cancel()
            try:
                messages = (await task).all_messages()
                assert messages[2].parts[0].content is True  # type: ignore[union-attr]
            except asyncio.CancelledError:
                assert cancel_after is not None

        await asyncio.gather(*(run(*plan) for plan in plans))
        await asyncio.sleep(0)
        assert (exclusive.entered, exclusive.faults) == (False, 0)
        assert open_on_this_loop() == 0
        assert len(asyncio.all_tasks()) == 1

    wait(main())
