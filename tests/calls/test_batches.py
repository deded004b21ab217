"""The calls of one response: how they run together, what one of them does to the others, and what is kept of them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator
from contextvars import ContextVar
from datetime import date
from typing import Any, Union

import pytest
from pydantic import BaseModel, field_validator

from stead import Agent, Tool, UsageLimits, capture_run_messages
from stead.exceptions import UnexpectedModelBehavior, UsageLimitExceeded
from stead.messages import ImageUrl, ToolReturnPart
from stead.models.function import DeltaToolCall, FunctionModel

from ..loop.kit import answers_in, call, calling
from ..waiting import run_in_virtual_time

color: ContextVar[str] = ContextVar('color', default='none')


def streaming(*calls: Any, **options: Any) -> Agent[Any, str]:
    """Return an agent whose model streams these calls, and then says that it is done."""

    async def stream(messages: Any, info: Any) -> AsyncIterator[Any]:
        if len(messages) > 1:
            yield 'done'
            return
        for index, one in enumerate(calls):
            yield {index: DeltaToolCall(one.tool_name, one.args_as_json_str(), tool_call_id=one.tool_call_id)}

    return Agent(FunctionModel(stream_function=stream), **options)


async def events_of(agent: Agent[Any, Any], log: list[Any]) -> None:
    async with agent.run_stream_events('go') as events:
        async for event in events:
            if event.event_kind.startswith('function_tool'):
                log.append((event.event_kind.removeprefix('function_tool_'), getattr(event, 'tool_call_id', None)))


MAY_HAVE_RUN = 'Tool result unknown - the run was interrupted while the tool was called, so it may have run.'


class Siblings:
    """Tools of which one fails, one is quick, one is slow and has to clean up."""

    def __init__(self) -> None:
        self.log: list[str] = []

    async def quick(self) -> str:
        return 'finished'

    async def fails(self) -> str:
        await asyncio.sleep(0.02)
        raise ValueError('boom')

    async def slow(self) -> str:
        try:
            await asyncio.sleep(30)
            return 'never'
        finally:
            await asyncio.sleep(0.01)
            self.log.append('cleaned up')


@pytest.mark.parametrize('mode', ['parallel', 'parallel_ordered_events'])
def test_a_failing_call_ends_the_others_at_once_and_what_is_done_is_kept(mode: Any) -> None:
    tools = Siblings()
    agent = calling(call('slow'), call('fails'), call('quick'), tools=[tools.slow, tools.fails, tools.quick])
    with Agent.parallel_tool_call_execution_mode(mode), pytest.raises(ValueError, match='boom') as caught:
        run_in_virtual_time(asyncio.wait_for(agent.run('go'), 5))
    assert tools.log == ['cleaned up']
    assert answers_in(caught.value.messages) == [MAY_HAVE_RUN, 'finished']  # type: ignore[attr-defined]


def test_a_run_that_is_cancelled_waits_for_its_tools_and_keeps_what_is_done() -> None:
    tools = Siblings()
    agent = calling(call('slow'), call('quick'), tools=[tools.slow, tools.quick])

    async def main() -> list[Any]:
        with capture_run_messages() as messages:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(agent.run('go'), 0.05)
        assert tools.log == ['cleaned up']
        return answers_in(messages)

    assert run_in_virtual_time(main()) == [MAY_HAVE_RUN, 'finished']


def test_two_runs_at_once_do_not_end_each_other() -> None:
    async def work(fail: bool) -> str:
        await asyncio.sleep(0.01 if fail else 0.05)
        if fail:
            raise ValueError('boom')
        return 'ok'

    async def main() -> list[Any]:
        runs = [
            calling(*[call('work', {'fail': fail}, str(n)) for n in range(2)], tools=[work]).run('go')
            for fail in (True, False)
        ]
        return await asyncio.gather(*runs, return_exceptions=True)

    failed, result = run_in_virtual_time(main())
    assert isinstance(failed, ValueError)
    assert answers_in(result.all_messages()) == ['ok', 'ok']


# Modes


def test_ordered_events_hold_back_results_and_nothing_else() -> None:
    ended = asyncio.Event()

    async def slow() -> AsyncIterator[Any]:
        await ended.wait()
        yield 'half'
        await asyncio.sleep(0.01)

    async def quick() -> AsyncIterator[Any]:
        yield 'half'
        ended.set()

    log: list[Any] = []
    with Agent.parallel_tool_call_execution_mode('parallel_ordered_events'):
        agent = streaming(call('slow', {}, 's'), call('quick', {}, 'q'), tools=[slow, quick])
        asyncio.run(asyncio.wait_for(events_of(agent, log), 30))
    assert log == [('call', 's'), ('call', 'q'), ('progress', 'q'), ('progress', 's'), ('result', 's'), ('result', 'q')]


def test_a_sequential_tool_makes_calls_wait_whatever_the_order_of_events() -> None:
    log: list[str] = []

    async def a() -> None:
        log.append('+a')
        await asyncio.sleep(0.01)
        log.append('-a')

    async def b() -> None:
        log.append('b')

    with Agent.parallel_tool_call_execution_mode('parallel_ordered_events'):
        calling(call('a'), call('b'), tools=[a, Tool(b, sequential=True)]).run_sync('go')
    assert log == ['+a', '-a', 'b']


def test_of_calls_in_turn_the_next_begins_when_the_result_has_been_read() -> None:
    log: list[Any] = []

    async def work(n: int) -> None:
        log.append(n)

    agent = streaming(*[call('work', {'n': n}, f'c{n}') for n in range(2)], tools=[Tool(work, sequential=True)])
    asyncio.run(events_of(agent, log))
    assert log == [('call', 'c0'), ('call', 'c1'), 0, ('result', 'c0'), 1, ('result', 'c1')]


@pytest.mark.parametrize('names', [['paint'], ['paint', 'paint'], ['paint', 'slow']])
def test_what_tools_do_to_context_variables_stays_with_them(names: list[str]) -> None:
    async def paint() -> str:
        color.set('red')
        await asyncio.sleep(0.001)
        return color.get()

    async def slow() -> str:
        return color.get()

    async def main() -> tuple[list[Any], str]:
        color.set('blue')
        result = await calling(
            *[call(name, {}, str(index)) for index, name in enumerate(names)], tools=[paint, slow]
        ).run('go')
        return answers_in(result.all_messages()), color.get()

    found, after = asyncio.run(main())
    assert found == ['red' if name == 'paint' else 'blue' for name in names]
    assert after == 'blue'


def test_a_lone_call_that_is_cancelled_or_fails_does_so_where_it_waits() -> None:
    log: list[str] = []

    async def lone(how: str) -> str:
        try:
            await asyncio.sleep(30 if how == 'cancelled' else 0.001)
        except asyncio.CancelledError:
            log.append('cancelled')
            raise
        raise KeyError(how)

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(calling(call('lone', {'how': 'cancelled'}), tools=[lone]).run('go'), 0.02)
        with pytest.raises(KeyError, match='by itself'):
            await calling(call('lone', {'how': 'by itself'}), tools=[lone]).run('go')

    run_in_virtual_time(main())
    assert log == ['cancelled']


# Events and limits


def test_the_call_that_ends_the_run_has_its_event() -> None:
    async def work(n: int) -> int:
        return n

    log: list[Any] = []
    agent = streaming(
        call('work', {'n': 1}, 'good'), call('work', {'n': 'x'}, 'bad'), tools=[Tool(work, max_retries=0)]
    )
    with pytest.raises(UnexpectedModelBehavior, match='exceeded max retries count of 0'):
        asyncio.run(events_of(agent, log))
    assert log == [('call', 'good'), ('call', 'bad')]


def test_unknown_names_count_among_the_calls_that_a_run_may_make() -> None:
    called: list[int] = []
    agent = calling(call('known'), call('nobody'), tools=[Tool(lambda: called.append(1), name='known')])
    with pytest.raises(UsageLimitExceeded, match='tool_calls_limit of 1'):
        agent.run_sync('go', usage_limits=UsageLimits(tool_calls_limit=1))
    assert called == []


# Arguments and results


class Strict(BaseModel, strict=True):
    day: date
    sizes: tuple[int, ...]


def stays(item: Strict) -> str:
    return f'{item.day.year} {item.sizes}'


@pytest.mark.parametrize('args', [{'day': '2020-01-02', 'sizes': [1, 2]}, '{"day": "2020-01-02", "sizes": [1, 2]}'])
def test_strict_types_take_what_json_can_say_however_the_arguments_arrive(args: Any) -> None:
    result = calling(call('stays', args), tools=[stays]).run_sync('go')
    assert answers_in(result.all_messages()) == ['2020 (1, 2)']


def test_strict_types_refuse_what_json_cannot_say_either() -> None:
    [faults] = answers_in(
        calling(call('stays', {'day': '2020-01-02', 'sizes': ['1']}), tools=[stays]).run_sync('go').all_messages()
    )
    assert {fault['type'] for fault in faults} == {'date_type', 'tuple_type'}, 'what the model sent is complained of'


def test_validators_are_asked_once() -> None:
    validated: list[int] = []

    class Picky(BaseModel):
        n: int

        @field_validator('n')
        @classmethod
        def check(cls, value: int) -> int:
            validated.append(value)
            raise ValueError('no')

    def take(item: Any) -> None: ...

    take.__annotations__['item'] = Picky
    calling(call('take', {'n': 1}), tools=[take]).run_sync('go')
    assert validated == [1]


class Unknown:
    pass


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize('value', [Unknown(), {'a': [Unknown()]}, [ImageUrl('https://x.org/y.png'), Unknown()], CIRCLE])
@pytest.mark.parametrize('model', ['script', 'test'])
def test_a_result_without_json_is_answered_by_the_name_of_its_tool(value: Any, model: str) -> None:
    agent = Agent('test') if model == 'test' else calling(call('lookup'))
    agent.tool_plain(name='lookup')(lambda: value)
    messages = agent.run_sync('go').all_messages()
    (answer,) = messages[2].parts
    assert isinstance(answer, ToolReturnPart) and answer.outcome == 'failed' and len(messages) == 4
    assert answer.content == "Tool 'lookup' ran, but what it returned cannot be read: there is no JSON for it."
    assert '`metadata` of a `ToolReturn`' in answer.metadata['message']


@functools.singledispatch
def describe(thing: Union[int, str], loud: bool = False) -> str:
    return f'something {thing}'


@describe.register
def _(thing: int, loud: bool = False) -> str:
    return f'number {thing}{"!" if loud else ""}'


def test_functions_of_several_types_see_the_one_that_was_sent() -> None:
    calls = [
        call('describe', args, str(index)) for index, args in enumerate([{'thing': 3, 'loud': True}, {'thing': 'x'}])
    ]
    assert answers_in(calling(*calls, tools=[describe]).run_sync('go').all_messages()) == ['number 3!', 'something x']
