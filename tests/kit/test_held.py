"""A function is held open in its handler until the caller is done, whatever either does or is cancelled in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any

import anyio
import pytest
from hypothesis import given, strategies as st

from stead._kit.held import HeldOpen
from stead._kit.variables import BorrowedVariables, variables_set_since

from .clean import outcome, run_clean, ticks

Held = HeldOpen[str, str]
Function = Callable[[Held], Any]


async def opened(function: Function) -> Held:
    """Open a function that is to wait in its handler."""
    held = Held()
    assert await held.open(lambda: function(held))
    return held


async def plain(held: Held) -> str:
    return f'<{await held.park()}>'


class Ends:
    """A function that notes what its handler came to, and cleans up for a while."""

    def __init__(self) -> None:
        self.seen: Any = None
        self.cleaned = False

    async def __call__(self, held: Held) -> str:
        try:
            self.seen = await held.park()
        except BaseException as error:
            self.seen = error
            raise
        finally:
            await ticks(3)
            self.cleaned = True
        return f'<{self.seen}>'


def test_the_handler_returns_what_the_caller_ends_with() -> None:
    async def main() -> str:
        held = await opened(plain)
        assert (held.parked, held.is_done) == (True, False)
        return await held.close('done')

    assert run_clean(main()) == '<done>'


def test_a_function_that_never_calls_its_handler() -> None:
    async def answer() -> str:
        await ticks(2)
        return 'answer'

    async def main() -> list[Any]:
        held = Held()
        assert not await held.open(answer)
        assert not held.parked
        return [held.result, await held.close('x'), await held.fail(ValueError()), await held.fail(SystemExit())]

    assert run_clean(main()) == ['answer', 'answer', None, None]


@pytest.mark.parametrize('error', [ValueError, asyncio.CancelledError])
def test_an_error_before_the_handler(error: type[BaseException]) -> None:
    async def refuse() -> str:
        await ticks(1)
        raise error

    async def main() -> None:
        with pytest.raises(error):
            await Held().open(refuse)

    run_clean(main())


def test_an_error_after_the_handler() -> None:
    async def function(held: Held) -> str:
        await held.park()
        raise ValueError('after')

    async def main() -> None:
        with pytest.raises(ValueError, match='after'):
            await (await opened(function)).close('x')

    run_clean(main())


def test_an_error_of_the_caller_reaches_the_handler_and_comes_back() -> None:
    error, ends = ValueError('no'), Ends()

    async def main() -> None:
        assert await (await opened(ends)).fail(error) is None

    run_clean(main())
    assert (ends.seen, ends.cleaned) == (error, True)


def test_a_function_recovers_from_an_error() -> None:
    async def function(held: Held) -> str:
        try:
            return await held.park()
        except ValueError as error:
            return f'recovered from {error}'

    async def main() -> str | None:
        return await (await opened(function)).fail(ValueError('x'))

    assert run_clean(main()) == 'recovered from x'


def test_a_function_swallows_an_error_and_returns_nothing() -> None:
    async def function(held: Held) -> Any:
        try:
            await held.park()
        except ValueError:
            return None

    async def main() -> str | None:
        return await (await opened(function)).fail(ValueError('x'))

    assert run_clean(main()) is None


def test_a_function_raises_another_error() -> None:
    async def function(held: Held) -> str:
        try:
            return await held.park()
        except ValueError as error:
            raise LookupError('other') from error

    async def main() -> None:
        with pytest.raises(LookupError, match='other'):
            await (await opened(function)).fail(ValueError('x'))

    run_clean(main())


def test_a_handler_that_is_called_again_has_the_same_outcome() -> None:
    seen: list[Any] = []

    async def again(held: Held) -> str:
        for _ in range(3):
            try:
                seen.append(await held.park())
            except ValueError as error:
                seen.append(str(error))
        return 'end'

    async def main() -> list[Any]:
        return [await (await opened(again)).close('a'), await (await opened(again)).fail(ValueError('b'))]

    assert run_clean(main()) == ['end', 'end']
    assert seen == ['a', 'a', 'a', 'b', 'b', 'b']


def test_a_handler_that_is_called_several_times_at_once() -> None:
    async def twice(held: Held) -> str:
        return ' '.join(await asyncio.gather(held.park(), held.park()))

    async def main() -> str:
        return await (await opened(twice)).close('a')

    assert run_clean(main()) == 'a a'


def test_a_function_that_gives_its_handler_up_and_calls_it_again() -> None:
    async def function(held: Held) -> str:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(held.park(), 0.001)
        return await held.park()

    async def main() -> str:
        held = await opened(function)
        await asyncio.sleep(0.02)
        return await held.close('a')

    assert run_clean(main()) == 'a'


async def leaves_with_a_result(held: Held) -> str:
    with anyio.move_on_after(0.001):
        await held.park()
    return 'early'


async def leaves_with_an_error(held: Held) -> str:
    return await asyncio.wait_for(held.park(), 0.001)


def test_a_function_that_ends_before_the_caller() -> None:
    async def ended(function: Function) -> Held:
        held = await opened(function)
        await asyncio.sleep(0.02)
        return held

    async def main() -> None:
        assert await (await ended(leaves_with_a_result)).close('late') == 'early'
        assert await (await ended(leaves_with_a_result)).fail(ValueError()) is None
        with pytest.raises(asyncio.TimeoutError):
            await (await ended(leaves_with_an_error)).close('late')
        assert await (await ended(leaves_with_an_error)).fail(ValueError()) is None
        await (await ended(leaves_with_an_error)).cancel()
        held = await ended(leaves_with_an_error)
        assert held.is_done  # so that the caller may leave it at that

    run_clean(main())


def test_a_function_that_ends_as_soon_as_it_waits() -> None:
    async def function(held: Held) -> str:
        parking = asyncio.ensure_future(held.park())
        await ticks(1)
        parking.cancel()
        return 'at once'  # and leaves the handler behind

    async def main() -> str:
        held = Held()
        await held.open(lambda: function(held))
        result = await held.close('x')
        await ticks(1)
        return result

    assert run_clean(main()) == 'at once'


@pytest.mark.parametrize('after', range(6))
def test_the_caller_is_cancelled_while_it_opens(after: int) -> None:
    log: list[str] = []

    async def function() -> str:
        log.append('+')
        try:
            await asyncio.sleep(60)
        finally:
            await ticks(2)
            log.append('-')
        return ''

    async def main() -> None:
        task = asyncio.ensure_future(Held().open(function))
        await ticks(after)
        task.cancel()
        assert isinstance(await outcome(task), asyncio.CancelledError)

    run_clean(main())
    assert log in ([], ['+', '-'])


def test_an_opening_that_does_not_let_itself_be_cancelled_is_waited_for() -> None:
    async def stubborn() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await ticks(5)
        return 'too late'

    async def main() -> None:
        task = asyncio.ensure_future(Held().open(stubborn))
        await ticks(3)
        task.cancel()
        assert isinstance(await outcome(task), asyncio.CancelledError)

    run_clean(main())


@pytest.mark.parametrize('error', [asyncio.CancelledError('why'), KeyboardInterrupt(), SystemExit(1), GeneratorExit()])
def test_what_is_no_exception_cancels_the_function(error: BaseException) -> None:
    ends = Ends()

    async def main() -> None:
        assert await (await opened(ends)).fail(error) is None

    run_clean(main())
    assert ends.cleaned
    assert type(ends.seen) is asyncio.CancelledError
    assert ends.seen is not error
    assert ends.seen.args == (('why',) if isinstance(error, asyncio.CancelledError) else ())


class Left(asyncio.CancelledError):
    """Says why."""


def in_a_task(held: Held) -> Any:
    return asyncio.ensure_future(held.park())


def bounded(held: Held) -> Any:
    return asyncio.wait_for(held.park(), 60)


@pytest.mark.parametrize('wait', [Held.park, in_a_task, bounded])
def test_a_function_sees_why_it_is_cancelled(wait: Callable[[Held], Any]) -> None:
    seen: list[BaseException] = []

    async def function(held: Held) -> str:
        async def handler() -> str:
            try:
                return await held.park()
            except asyncio.CancelledError as error:
                seen.append(error)
                raise

        watched: Any = type('Watched', (), {'park': staticmethod(handler)})
        return await (handler() if wait is Held.park else wait(watched))

    async def main() -> None:
        await (await opened(function)).cancel(Left('gone'))

    run_clean(main())
    assert [(type(error), error.args) for error in seen] == [(Left, ('gone',))]


@pytest.mark.parametrize('end', ['cancel', 'fail'])
def test_a_function_is_cancelled_also_where_it_does_not_wait_in_its_handler(end: str) -> None:
    async def function(held: Held) -> str:
        parking = asyncio.ensure_future(held.park())
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.gather(parking, return_exceptions=True)
        return ''

    async def main() -> None:
        held = await opened(function)
        await (held.cancel() if end == 'cancel' else held.fail(asyncio.CancelledError()))

    run_clean(main())


def test_what_a_cancelled_function_returns_or_raises_is_dropped() -> None:
    async def returns(held: Held) -> str:
        try:
            return await held.park()
        except asyncio.CancelledError:
            return 'all is well'

    async def raises(held: Held) -> str:
        try:
            return await held.park()
        finally:
            raise ValueError('from the cleanup')

    async def main() -> None:
        for function in (returns, raises):
            await (await opened(function)).cancel()
            assert await (await opened(function)).fail(asyncio.CancelledError()) is None

    run_clean(main())


@pytest.mark.parametrize('error', [None, ValueError('x')])
@pytest.mark.parametrize('after', range(1, 8))
def test_the_caller_is_cancelled_while_the_function_ends(error: Exception | None, after: int) -> None:
    ends = Ends()

    async def main() -> None:
        held = await opened(ends)
        task: asyncio.Task[Any] = asyncio.ensure_future(held.close('a') if error is None else held.fail(error))
        await ticks(after)
        in_time = task.cancel()
        assert isinstance(await outcome(task), asyncio.CancelledError) is in_time  # a cancellation is never lost

    run_clean(main())
    assert ends.seen is not None


def test_inside_of_a_cancelled_scope_the_function_is_waited_for() -> None:
    ends = Ends()

    async def main() -> None:
        with anyio.CancelScope() as scope:
            held = await opened(ends)
            scope.cancel()
            try:
                await anyio.sleep_forever()
            except asyncio.CancelledError as error:
                assert await held.fail(error) is None
                assert ends.cleaned
                raise

    run_clean(main())
    assert ends.cleaned


def test_a_cancellation_of_the_task_from_elsewhere_is_passed_on() -> None:
    ends = Ends()

    async def main() -> None:
        before = asyncio.all_tasks()
        held = await opened(ends)
        (task,) = asyncio.all_tasks() - before
        task.cancel()
        await ticks(8)
        with pytest.raises(asyncio.CancelledError):
            await held.close('a')

    run_clean(main())
    assert isinstance(ends.seen, asyncio.CancelledError)
    assert ends.cleaned


def test_an_event_loop_that_closes_ends_the_function() -> None:
    ends = Ends()

    async def main() -> None:
        await opened(ends)

    asyncio.run(main())
    assert isinstance(ends.seen, asyncio.CancelledError)
    assert ends.cleaned


def test_context_variables() -> None:
    variable: ContextVar[str] = ContextVar('variable', default='unset')
    other: ContextVar[str] = ContextVar('other', default='unset')

    async def main() -> None:
        other.set('of the caller')
        before = copy_context()
        taken: dict[ContextVar[Any], Any] = {}

        async def function(held: Held) -> str:
            assert other.get() == 'of the caller'
            variable.set('of the function')
            taken.update(variables_set_since(before))
            return await held.park()

        held = await opened(function)
        assert variable.get() == 'unset'
        assert list(taken) == [variable]
        borrowed = BorrowedVariables(taken)
        assert variable.get() == 'of the function'

        async def elsewhere() -> None:
            BorrowedVariables(taken).reset()
            await ticks(1)

        await asyncio.ensure_future(elsewhere())
        borrowed.reset()
        assert variable.get() == 'unset'
        borrowed.reset()
        await held.close('x')

    run_clean(main())


def test_variables_can_be_given_back_in_another_task() -> None:
    variable: ContextVar[str] = ContextVar('variable', default='unset')

    async def main() -> None:
        borrowed = BorrowedVariables({variable: 'set'})

        async def elsewhere() -> str:
            borrowed.reset()
            return variable.get()

        assert await asyncio.ensure_future(elsewhere()) == 'set'

    run_clean(main())


Ticks = st.integers(0, 5)
Ways = st.sampled_from(['plain', 'task', 'timeout', 'twice', 'never', 'leave'])
Reactions = st.sampled_from(['raise', 'recover', 'other', 'swallow'])
Endings = st.sampled_from(['close', 'fail', 'cancel'])


@given(Ticks, Ways, Reactions, Ticks, Ticks, Endings, st.none() | st.integers(0, 20))
def test_whatever_both_do(
    before: int, way: str, reaction: str, after: int, block: int, ending: str, cancel_after: int | None
) -> None:
    error = ValueError('of the block')
    inside = 0

    async def handle(held: Held) -> str:
        if way == 'task':
            return await asyncio.ensure_future(held.park())
        if way == 'timeout':
            return await asyncio.wait_for(held.park(), 60)
        if way == 'twice':
            return (await asyncio.gather(held.park(), held.park()))[0]
        if way == 'leave':
            parking = asyncio.ensure_future(held.park())
            await ticks(2)
            parking.cancel()
            return 'left'
        return await held.park() if way == 'plain' else 'never'

    async def function(held: Held) -> str:
        nonlocal inside
        inside += 1
        try:
            await ticks(before)
            return await handle(held)
        except Exception as raised:
            if reaction == 'recover':
                return 'recovered'
            if reaction == 'other':
                raise LookupError from raised
            raise
        except asyncio.CancelledError:
            if reaction == 'swallow':
                return 'swallowed'
            raise
        finally:
            try:
                await ticks(after)
            finally:
                inside -= 1

    async def caller() -> Any:
        held = Held()
        waits = await held.open(lambda: function(held))
        try:
            await ticks(block)
            if ending != 'close':
                raise error if ending == 'fail' else asyncio.CancelledError
        except BaseException as raised:
            recovered = await held.fail(raised)
            assert inside == 0
            assert recovered is None or waits
            if recovered is None:
                raise
            return recovered
        result = await held.close('closed')
        assert inside == 0
        return result

    async def main() -> Any:
        task = asyncio.ensure_future(caller())
        if cancel_after is not None:
            await ticks(cancel_after)
            task.cancel()
        result = await outcome(task)
        await ticks(1)  # for the tasks of handlers that the function has cancelled and not waited for
        return result

    result = run_clean(main())
    assert inside == 0
    if isinstance(result, asyncio.CancelledError):
        assert ending == 'cancel' or cancel_after is not None
    elif result == 'swallowed':
        assert reaction == 'swallow' and cancel_after is not None
    elif way in ('never', 'leave'):
        assert result == (way if way == 'never' else 'left') or (ending == 'fail' and result is error)
    elif ending == 'close':
        assert result == 'closed'
    elif reaction == 'other':
        assert isinstance(result, LookupError)
    else:
        assert result == 'recovered' if reaction == 'recover' else result is error
