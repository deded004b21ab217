"""`run_stream_sync`: from plain code, in a running loop, left half-way, dropped; nothing of it stays."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stead import Agent, UserError

from .kit import Watched, call, outline, script

WORDS = ['one ', 0.001, 'two ', 0.001, 'three']


def things() -> tuple[set[threading.Thread], int]:
    """Return the threads, and the number of open files; an event loop has some."""
    gc.collect()
    files = len(os.listdir('/proc/self/fd')) if os.path.isdir('/proc/self/fd') else 0
    return set(threading.enumerate()), files


def nothing_new(before: tuple[set[threading.Thread], int]) -> bool:
    threads, files = things()
    return threads <= before[0] and files <= before[1]


def plainly(work: Callable[[], None]) -> None:
    work()


def in_a_loop(work: Callable[[], None]) -> None:
    async def main() -> None:
        work()

    asyncio.run(main())


@pytest.fixture(params=[plainly, in_a_loop], ids=lambda way: way.__name__)
def where(request: pytest.FixtureRequest) -> Iterator[Callable[[Callable[[], None]], None]]:
    Agent('test').run_sync('q')  # the loop of the thread, which stays
    request.param(lambda: read_all(Agent(script(WORDS))))
    before = things()
    yield request.param
    deadline = time.monotonic() + 20  # threads take a moment to end
    while not nothing_new(before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert nothing_new(before), 'no thread and no event loop is left'


def read_all(agent: Agent[Any, Any]) -> None:
    assert agent.run_stream_sync('q').get_output() == 'one two three'


def test_all_ways_to_read(where: Any):
    def work() -> None:
        model = script(WORDS)
        agent = Agent(model)
        result = agent.run_stream_sync('q')
        assert (result.is_complete, result.response.state) == (False, 'incomplete')
        assert list(result.stream_text(debounce_by=None)) == ['one ', 'one two ', 'one two three']
        assert (result.is_complete, model.open) == (True, 0)
        assert result.get_output() == 'one two three', 'also after the end'
        assert list(result.stream_text()) == ['one two three']
        assert list(agent.run_stream_sync('q').stream_text(delta=True, debounce_by=60)) == ['one two three']
        assert list(agent.run_stream_sync('q').stream_output(debounce_by=None))[-1] == 'one two three'
        responses = list(agent.run_stream_sync('q').stream_response(debounce_by=None))
        assert [response.state for response in responses[-2:]] == ['incomplete', 'complete']
        assert outline(result.new_messages()) == ['user-prompt: q', 'text: one two three']
        assert result.usage.requests == 1
        assert result.run_id == result.all_messages()[-1].run_id

    where(work)


def test_a_with_block_closes_the_stream_at_its_end(where: Any):
    def work() -> None:
        model = script(WORDS)
        with Agent(model).run_stream_sync('q') as result:
            assert model.open == 1
            assert result.get_output() == 'one two three'
        with Agent(model).run_stream_sync('q') as result:
            for _ in result.stream_text(debounce_by=None):
                break
        assert model.open == 0
        assert outline(result.all_messages()) == ['user-prompt: q', 'text: one ', 'interrupted']
        with pytest.raises(LookupError):
            with Agent(model).run_stream_sync('q') as result:
                raise LookupError
        assert model.open == 0

    where(work)


def test_what_was_left_cannot_be_read(where: Any):
    def work() -> None:
        with Agent(script(WORDS)).run_stream_sync('q') as result:
            texts = result.stream_text(debounce_by=None)
            assert next(texts) == 'one '
        with pytest.raises((StopIteration, RuntimeError)):
            next(texts)

    where(work)


@pytest.mark.parametrize('debounce_by', [None, 0.0001])
def test_a_result_that_is_dropped_closes_its_stream(where: Any, debounce_by: float | None):
    def work() -> None:
        model = script(WORDS)
        result = Agent(model).run_stream_sync('q')
        for _ in result.stream_text(debounce_by=debounce_by):
            break
        messages = result.all_messages()
        assert model.open == 1
        dropped = weakref.ref(result)
        del result
        gc.collect()
        assert dropped() is None
        assert model.open == 0
        assert outline(messages)[1].startswith('text: one ')
        assert outline(messages)[-1] == 'interrupted'

    where(work)


def test_dropped_in_a_cycle(where: Any):
    def work() -> None:
        model = script(WORDS)
        result = Agent(model).run_stream_sync('q')
        result.myself = result  # type: ignore[attr-defined]
        del result
        gc.collect()
        assert model.open == 0

    where(work)


def test_dropped_in_a_loop_that_began_later():
    model = script(WORDS)
    before = things()
    results = [Agent(model).run_stream_sync('q')]

    async def main() -> None:
        assert results.pop().response.text == 'one '
        gc.collect()
        assert model.open == 0

    asyncio.run(main())
    assert things() == before


def test_read_in_a_loop_that_began_later():
    result = Agent(script(WORDS)).run_stream_sync('q')

    async def main() -> str:
        return result.get_output()

    assert asyncio.run(main()) == 'one two three'


def test_dropped_by_another_thread():
    model = script(WORDS)
    before = things()
    for way in (plainly, in_a_loop):
        results: list[Any] = []
        way(lambda: results.append(Agent(model).run_stream_sync('q')))
        thread = threading.Thread(target=lambda: (results.clear(), gc.collect()))
        thread.start()
        thread.join(10)
        assert not thread.is_alive()
        assert model.open == 0
    assert things() == before


def test_collected_by_the_thread_of_its_own_loop():
    """The collector may run anywhere; there, no one could wait for the end of the run."""
    before = things()
    model = script(WORDS)

    async def main() -> None:
        result = Agent(model).run_stream_sync('q')
        bridge = result._bridge
        result.myself = result  # type: ignore[attr-defined, union-attr]
        gc.disable()
        try:
            del result
            bridge.loop.call_soon_threadsafe(gc.collect)  # type: ignore[union-attr]
            bridge.thread.join(10)  # type: ignore[union-attr]
            assert not bridge.thread.is_alive()  # type: ignore[union-attr]
        finally:
            gc.enable()

    asyncio.run(main())
    assert model.open == 0
    assert things() == before


def test_other_runs_in_between(where: Any):
    def work() -> None:
        outer, inner = Agent(script(WORDS)), Agent(script(['a ', 'b']))

        @inner.instructions
        def plain() -> str:
            return ''

        with outer.run_stream_sync('q') as result:
            texts = result.stream_text(debounce_by=None)
            assert next(texts) == 'one '
            assert list(inner.run_stream_sync('q').stream_text(debounce_by=None)) == ['a ', 'a b']
            assert next(texts) == 'one two '
            assert Agent('test').run_sync('q').output == 'success (no tool calls)'
            with inner.run_stream_sync('q') as other:
                assert next(texts) == 'one two three'
                assert other.get_output() == 'a b'

    where(work)


def test_in_a_tool_of_a_run(where: Any):
    def work() -> None:
        inner = Agent(script(WORDS))
        agent = Agent('test')

        @agent.tool_plain
        def ask() -> str:
            return inner.run_stream_sync('q').get_output()

        assert agent.run_sync('q').output == '{"ask":"one two three"}'

    where(work)


def test_errors_of_the_model_reach_the_caller(where: Any):
    def work() -> None:
        with pytest.raises(LookupError):
            Agent(script([LookupError('at once')])).run_stream_sync('q')
        model = script(['one ', LookupError('later')])
        result = Agent(model).run_stream_sync('q')
        texts = result.stream_text(debounce_by=None)
        assert next(texts) == 'one '
        with pytest.raises(LookupError, match='later'):
            next(texts)
        result.close()
        result.close()
        assert model.open == 0
        assert outline(result.all_messages()) == ['user-prompt: q', 'text: one ', 'interrupted']
        with pytest.raises(UserError, match='until'):
            Agent(model).run_stream_sync('q', until='noon')  # type: ignore[arg-type]

    where(work)


def test_until_the_end(where: Any):
    def work() -> None:
        model = script(['look: ', *call('look')], ['it ', 'is 3'])
        agent = Agent(model)

        @agent.tool_plain
        def look() -> int:
            return 3

        result = agent.run_stream_sync('q', until='end')
        texts = [(result.attempt, text) for text in result.stream_text(debounce_by=None)]
        assert texts == [(1, 'look: '), (2, 'it '), (2, 'it is 3')]
        assert result.usage.requests == 2
        model = script(['look: ', *call('look')], ['it ', 'is 3'])
        with agent.override(model=model):
            result = agent.run_stream_sync('q', until='end')
            next(result.stream_text(debounce_by=None))
            del result
            gc.collect()
        assert (model.open, model.opened) == (0, 1)

    where(work)


def test_context_variables_are_those_of_the_caller(where: Any):
    from contextvars import ContextVar

    variable: ContextVar[str] = ContextVar('variable', default='unset')
    agent = Agent(script(WORDS))
    seen: list[str] = []

    @agent.output_validator
    def look(value: str) -> str:
        seen.append(variable.get())
        return value

    def work() -> None:
        variable.set('mine')
        assert agent.run_stream_sync('q').get_output() == 'one two three'

    where(work)
    assert seen == ['mine']


def test_a_keyboard_interrupt_leaves_nothing():
    before = things()
    model: Watched = script(['one ', KeyboardInterrupt(), 'two'])
    result = Agent(model).run_stream_sync('q')
    with pytest.raises(KeyboardInterrupt):
        result.get_output()
    result.close()
    assert model.open == 0
    assert things() == before


@pytest.mark.parametrize('way', ['plainly', 'in a loop'])
def test_left_open_when_the_program_ends(way: str):
    code = """
        import asyncio
        from stead import Agent
        from stead.models.function import FunctionModel

        async def stream(messages, info):
            try:
                for word in ('one ', 'two'):
                    yield word
            finally:
                print('closed')

        def main():
            global result
            result = Agent(FunctionModel(stream_function=stream)).run_stream_sync('q')
            print(next(result.stream_text(debounce_by=None)))

        async def in_loop():
            main()

        WAY
    """
    code = textwrap.dedent(code).replace('WAY', 'main()' if way == 'plainly' else 'asyncio.run(in_loop())')
    process = subprocess.run(
        [sys.executable, '-W', 'error', '-c', code], capture_output=True, text=True, timeout=30, check=False
    )
    assert (process.returncode, process.stdout.split(), process.stderr) == (0, ['one', 'closed'], '')
