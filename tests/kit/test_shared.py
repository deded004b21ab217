"""What several users share is entered once, and exited once, by one task, in whatever order users come, leave and are cancelled."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import anyio
import pytest
from hypothesis import given, strategies as st

from stead._kit.shared import Opening, Shared

from .clean import outcome, run_clean, ticks


class Door:
    """Takes some time to be entered and exited, and notes everything."""

    def __init__(self, opening: int = 1, closing: int = 1, failure: str = '') -> None:
        self.opening, self.closing, self.failure = opening, closing, failure
        self.log: list[str] = []
        self.errors: list[BaseException | None] = []
        self.tasks: set[Any] = set()
        self.shared: Shared[Door] = Shared()

    async def enter(self) -> Opening[Door]:
        return await self.shared.enter(lambda: self)

    async def __aenter__(self) -> Door:
        self.log.append('opening')
        self.tasks = {asyncio.current_task()}
        try:
            await ticks(self.opening)
        except asyncio.CancelledError:
            self.log.append('given up')
            raise
        if 'enter' in self.failure:
            raise ValueError('cannot enter')
        self.log.append('open')
        return self

    async def __aexit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        self.log.append('closing')
        self.errors.append(error)
        self.tasks.add(asyncio.current_task())
        await ticks(self.closing)
        self.log.append('closed')
        if 'exit' in self.failure:
            raise ValueError('cannot exit')


ONCE = ['opening', 'open', 'closing', 'closed']


def test_it_is_open_from_the_first_user_to_the_last() -> None:
    door = Door()

    async def main() -> None:
        assert door.shared.get() is None
        first, second = await asyncio.gather(door.enter(), door.enter())
        assert first is second is door.shared.get()
        assert (first.value, first.users, door.shared.users) == (door, 2, 2)
        assert await first.leave() is None
        third = await door.enter()
        assert third is first
        await second.leave()
        assert door.log == ['opening', 'open']
        await third.leave(error := ValueError())
        assert (door.shared.get(), door.shared.users, door.errors) == (None, 0, [error])

    run_clean(main())
    assert door.log == ONCE
    assert len(door.tasks) == 1


def test_the_next_user_opens_it_again() -> None:
    door = Door()

    async def main() -> None:
        for _ in range(2):
            await (await door.enter()).leave()

    run_clean(main())
    assert door.log == ONCE * 2


def test_a_user_who_comes_while_it_closes_waits() -> None:
    door = Door(closing=5)

    async def use() -> None:
        await (await door.enter()).leave()

    async def main() -> None:
        first = asyncio.ensure_future(use())
        while 'closing' not in door.log:
            await ticks(1)
        await asyncio.gather(use(), use(), first)

    run_clean(main())
    assert door.log == ONCE * 2


def test_keys_tell_what_is_shared() -> None:
    doors = {key: Door() for key in 'ab'}
    shared: Shared[Door] = Shared()

    async def main() -> None:
        openings = [await shared.enter(lambda key=key: doors[key], key) for key in 'aba']
        assert [opening.value for opening in openings] == [doors['a'], doors['b'], doors['a']]
        assert shared.get('a') is openings[0]
        for opening in openings:
            await opening.leave()

    run_clean(main())
    assert [door.log for door in doors.values()] == [ONCE, ONCE]


def test_an_error_of_the_opening_reaches_all_who_wait() -> None:
    door = Door(failure='enter')

    async def main() -> None:
        errors = await asyncio.gather(*(door.enter() for _ in range(3)), return_exceptions=True)
        assert [str(error) for error in errors] == ['cannot enter'] * 3
        assert (door.shared.get(), door.shared.users) == (None, 0)
        door.failure = ''
        await (await door.enter()).leave()

    run_clean(main())
    assert door.log == ['opening', *ONCE]


def test_an_error_of_the_exit_is_returned_to_the_last() -> None:
    door = Door(failure='exit')

    async def main() -> None:
        first, second = await door.enter(), await door.enter()
        assert await first.leave() is None
        assert str(await second.leave()) == 'cannot exit'
        assert door.shared.get() is None

    run_clean(main())


@pytest.mark.parametrize('after', range(6))
def test_the_only_user_is_cancelled_while_it_opens(after: int) -> None:
    door = Door(opening=2)

    async def main() -> None:
        task = asyncio.ensure_future(door.enter())
        await ticks(after)
        if task.cancel():
            assert isinstance(await outcome(task), asyncio.CancelledError)
        else:
            await task.result().leave()
        assert door.shared.users == 0

    run_clean(main())
    assert door.log in ([], ['opening', 'given up'], ONCE)


def test_an_opening_that_does_not_let_itself_be_cancelled_is_closed() -> None:
    class Stubborn(Door):
        async def __aenter__(self) -> Door:
            try:
                return await super().__aenter__()
            except asyncio.CancelledError:
                self.log.append('open')
                return self

    door = Stubborn(opening=5)

    async def main() -> None:
        task = asyncio.ensure_future(door.enter())
        await ticks(3)
        task.cancel()
        assert isinstance(await outcome(task), asyncio.CancelledError)

    run_clean(main())
    assert door.log == ['opening', 'given up', 'open', 'closing', 'closed']


def test_one_of_two_is_cancelled_while_it_opens() -> None:
    door = Door(opening=5)

    async def main() -> None:
        cancelled, other = (asyncio.ensure_future(door.enter()) for _ in range(2))
        await ticks(2)
        cancelled.cancel()
        assert isinstance(await outcome(cancelled), asyncio.CancelledError)
        await (await other).leave()

    run_clean(main())
    assert door.log == ONCE


def test_a_user_is_cancelled_while_waiting_for_the_close() -> None:
    door = Door(closing=20)

    async def main() -> None:
        leaving = asyncio.ensure_future((await door.enter()).leave())
        await ticks(2)
        coming = asyncio.ensure_future(door.enter())
        await ticks(1)
        leaving.cancel()
        coming.cancel()
        assert [type(await outcome(task)) for task in (leaving, coming)] == [asyncio.CancelledError] * 2
        assert door.log == ['opening', 'open', 'closing']
        await (await door.enter()).leave()  # waits for the close, which continues
        assert (door.shared.get(), door.shared.users) == (None, 0)

    run_clean(main())
    assert door.log == ONCE * 2


def test_inside_of_a_cancelled_scope_the_close_is_waited_for() -> None:
    door = Door(closing=5)

    async def main() -> None:
        with anyio.CancelScope() as scope:
            opening = await door.enter()
            scope.cancel()
            try:
                await anyio.sleep_forever()
            finally:
                await opening.leave()
                assert door.log == ONCE

    run_clean(main())
    assert door.log == ONCE


class Breaking(Door):
    """Has a task group, in which something may fail."""

    async def __aenter__(self) -> Door:
        self.group = anyio.create_task_group()
        await self.group.__aenter__()
        self.broken = anyio.Event()
        self.group.start_soon(self.work)
        return await super().__aenter__()

    async def work(self) -> None:
        await self.broken.wait()
        if 'break' in self.failure:
            raise LookupError('broken')

    async def __aexit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        self.broken.set()
        try:
            await super().__aexit__(kind, error, traceback)
        finally:
            await self.group.__aexit__(kind, error, traceback)


def test_what_breaks_is_exited_and_opened_again_for_the_next_user() -> None:
    door = Breaking(failure='break')

    async def main() -> None:
        first, other = await door.enter(), await door.enter()
        door.broken.set()
        await asyncio.wait([first.task])
        assert door.log[2] == 'closing'
        door.failure = ''
        second = await door.enter()
        assert second is not first
        assert door.shared.get() is second
        assert await first.leave() is None
        error: Any = await other.leave()
        assert [str(inner) for inner in error.exceptions] == ['broken']
        assert (door.shared.get(), door.shared.users) == (second, 1)
        await second.leave()

    run_clean(main())


def test_what_breaks_and_is_left_by_all() -> None:
    door = Breaking(failure='break')

    async def main() -> None:
        opening = await door.enter()
        door.broken.set()
        await asyncio.wait([opening.task])
        assert door.shared.users == 1
        assert await opening.leave() is not None
        assert (door.shared.get(), door.shared.users) == (None, 0)

    run_clean(main())


def test_the_task_that_enters_a_task_group_exits_it() -> None:
    door = Breaking()

    async def use(length: int) -> None:
        opening = await door.enter()
        await ticks(length)
        assert await opening.leave() is None

    async def main() -> None:
        await asyncio.gather(use(2), use(9), use(5))

    run_clean(main())
    assert door.log == ONCE


def test_an_event_loop_that_closes_exits_it() -> None:
    door = Door()

    async def main() -> None:
        await door.enter()

    asyncio.run(main())
    assert door.log == ONCE
    assert isinstance(door.errors[0], asyncio.CancelledError)


def test_event_loops_share_nothing_and_are_not_kept() -> None:
    door = Door()
    loops: list[weakref.ref[Any]] = []
    meeting = threading.Barrier(2)

    async def main() -> None:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        opening = await door.enter()
        meeting.wait(10)
        assert door.shared.users == 2
        meeting.wait(10)
        await opening.leave()

    threads = [threading.Thread(target=run_clean, args=(main(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(door.log) == sorted(ONCE * 2)
    door.tasks.clear()
    gc.collect()
    assert [loop() for loop in loops] == [None, None]


def test_context_variables_that_entering_sets() -> None:
    variable: ContextVar[str] = ContextVar('variable', default='unset')
    other: ContextVar[str] = ContextVar('other', default='unset')

    @asynccontextmanager
    async def setting() -> AsyncIterator[None]:
        variable.set(f'set by the opening of {other.get()}')
        yield

    async def main() -> None:
        other.set('the first user')
        opening = await Shared[None]().enter(setting)
        assert opening.variables == {variable: 'set by the opening of the first user'}
        assert variable.get() == 'unset'
        await opening.leave()

    run_clean(main())


Ticks = st.integers(0, 6)
Users = st.lists(st.tuples(Ticks, Ticks, st.none() | st.integers(0, 12)), max_size=6)


@given(Users, Ticks, Ticks, st.sampled_from(['', 'enter', 'exit']))
def test_users_that_come_and_go_and_are_cancelled(
    users: list[tuple[int, int, int | None]], opening: int, closing: int, failure: str
) -> None:
    door = Door(opening, closing, failure)

    def is_open() -> bool:
        return door.log[-1] == 'open'

    async def use(length: int) -> BaseException | None:
        shared = await door.enter()
        try:
            for _ in range(length):
                assert is_open()
                await ticks(1)
        except BaseException as error:
            await shared.leave(error)
            raise
        return await shared.leave()

    async def user(start: int, length: int, cancel_after: int | None) -> None:
        await ticks(start)
        task = asyncio.ensure_future(use(length))
        if cancel_after is not None:
            await ticks(cancel_after)
            task.cancel()
        result = await outcome(task)
        if isinstance(result, asyncio.CancelledError):
            assert cancel_after is not None
        else:
            assert str(result) in ('None', f'cannot {failure}')

    async def main() -> None:
        await asyncio.gather(*(user(*plan) for plan in users))
        assert door.shared.users == 0
        if (shared := door.shared.get()) is not None:  # the wait for the close was cancelled
            await asyncio.wait([shared.task])
            await ticks(1)
        assert door.shared.get() is None

    run_clean(main())
    log = ' '.join(door.log)
    for whole in (' '.join(ONCE), 'opening given up', 'opening'):
        log = log.replace(whole, '')
    assert not log.strip()
    if failure != 'enter':
        assert door.log.count('opening') == door.log.count('open') + door.log.count('given up')
