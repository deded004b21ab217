"""However a run ends, the process ends too, nothing that was done is lost, and the history says what really happened.

The promises one by one, and then all of them at once for runs that are interrupted at random: see `interruptions.py`.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stead import (
    Agent,
    CallDeferred,
    ConcurrencyLimit,
    FunctionToolset,
    RunContext,
    Tool,
    UserError,
    capture_run_messages,
)
from stead.capabilities import Hooks
from stead.exceptions import ConcurrencyLimitExceeded
from stead.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ToolReturnPart
from stead.models.function import DeltaToolCall

from ..loop.kit import call, calling, script, text
from ..waiting import run_in_virtual_time, until
from .interruptions import MAY_HAVE_RUN, NOT_EXECUTED

FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
signals = pytest.mark.skipif(sys.platform == 'win32', reason='signals')


def answers(messages: list[ModelMessage]) -> dict[str, Any]:
    """Return what each call was answered with, by its id."""
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    returns = [part for part in parts if isinstance(part, ToolReturnPart)]
    assert len({part.tool_call_id for part in returns}) == len(returns), 'no call is answered twice'
    return {part.tool_call_id: part.content for part in returns}


def continue_run(
    messages: list[ModelMessage], *tools: Callable[..., Any], prompt: str | None = 'go on'
) -> dict[str, Any]:
    """Store and load a history, continue it, and return the answers that the model reads."""
    loaded = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))
    result = Agent(script(text('done')), tools=tools).run_sync(prompt, message_history=loaded)
    assert result.output == 'done'
    return answers(result.all_messages())


# All at once


@signals
@pytest.mark.skipif(sys.version_info < (3, 11), reason='`asyncio.run` lets Ctrl+C be raised anywhere in the event loop')
@pytest.mark.parametrize('seed', range(12 if FULL else 2))
def test_of_runs_that_are_interrupted_none_hangs_and_none_loses_a_result(seed: int) -> None:
    count = 250 if FULL else 20
    process = subprocess.run(
        [sys.executable, '-m', 'tests.trust.interruptions', str(seed), str(count)],
        capture_output=True,
        text=True,
        timeout=1_800,  # the program ends itself when one of its runs hangs
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout.splitlines()[-1:] == [f'{count} interruptions, 0 failures'], process.stdout + process.stderr
    assert process.returncode == 0


# What the history says


async def cancelled(agent: Agent[Any, Any], when: Callable[[], bool]) -> list[ModelMessage]:
    with capture_run_messages() as messages:
        task = asyncio.ensure_future(agent.run('go'))
        await until(when)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    return messages


@pytest.mark.parametrize('kind', ['async', 'sync'])
def test_a_tool_that_had_begun_is_not_told_as_not_executed(kind: str) -> None:
    begun, release = threading.Event(), threading.Event()

    async def pay_async() -> str:
        begun.set()
        await asyncio.sleep(60)
        return 'paid'

    def pay_sync() -> str:
        begun.set()
        release.wait(30)
        return 'paid'

    pay = Tool(pay_async if kind == 'async' else pay_sync, name='pay', sequential=True)
    agent = calling(call('pay'), call('later'), tools=[pay, Tool(lambda: 'late', name='later', takes_ctx=False)])
    messages = asyncio.run(cancelled(agent, begun.is_set))
    release.set()
    assert answers(messages) == {'id_pay': MAY_HAVE_RUN}
    assert continue_run(messages) == {'id_pay': MAY_HAVE_RUN, 'id_later': NOT_EXECUTED}

    def later() -> str:
        return 'now'

    assert continue_run(messages, later, prompt=None) == {'id_pay': MAY_HAVE_RUN, 'id_later': 'now'}


def test_a_call_that_waits_for_its_turn_has_not_begun() -> None:
    begun: list[str] = []

    async def slow() -> None:
        begun.append('slow')
        await asyncio.sleep(60)

    agent = calling(call('slow', call_id='a'), call('slow', call_id='b'), tools=[Tool(slow, max_tool_concurrency=1)])
    messages = run_in_virtual_time(cancelled(agent, lambda: bool(begun)))
    assert continue_run(messages) == {'a': MAY_HAVE_RUN, 'b': NOT_EXECUTED}


def test_a_tool_that_raised_may_have_run_and_is_called_again_only_without_a_prompt() -> None:
    async def pay() -> str:
        raise RuntimeError('after the money was sent')

    with capture_run_messages() as messages, pytest.raises(RuntimeError, match='money'):
        calling(call('pay'), tools=[pay]).run_sync('go')
    assert continue_run(messages) == {'id_pay': MAY_HAVE_RUN}
    assert continue_run(messages, lambda: 'unused', prompt='again') == {'id_pay': MAY_HAVE_RUN}

    def pay_again() -> str:
        return 'paid'

    pay_again.__name__ = 'pay'
    assert continue_run(messages, pay_again, prompt=None) == {'id_pay': 'paid'}


def test_an_output_function_that_was_cancelled_may_have_run() -> None:
    begun: list[str] = []

    async def book(room: str) -> str:
        begun.append(room)
        await asyncio.sleep(60)
        return room

    agent = Agent(script([call('final_result', {'room': 'A'})]), output_type=book)
    messages = run_in_virtual_time(cancelled(agent, lambda: bool(begun)))
    assert continue_run(messages) == {'id_final_result': MAY_HAVE_RUN}


def test_results_beside_a_call_that_has_no_place_are_kept() -> None:
    paid: list[int] = []

    def pay() -> str:
        paid.append(1)
        return 'receipt 17'

    def later() -> str:
        raise CallDeferred

    with capture_run_messages() as messages, pytest.raises(UserError, match='wait for an approval') as caught:
        calling(call('pay'), call('later'), tools=[pay, later]).run_sync('go')
    assert messages == caught.value.messages  # type: ignore[attr-defined]
    assert continue_run(messages)['id_pay'] == 'receipt 17'
    assert paid == [1]


@pytest.mark.parametrize('hook', ['after_tool_execute', 'tool_execute'])
@pytest.mark.parametrize('error', [RuntimeError('hook'), asyncio.CancelledError()])
def test_the_result_of_a_tool_is_kept_when_a_hook_fails_after_it(hook: str, error: BaseException) -> None:
    async def pay() -> str:
        return 'receipt 17'

    hooks: Hooks[Any] = Hooks()

    async def after(ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        raise error

    async def around(ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        await handler(args)
        raise error

    getattr(hooks.on, hook)(after if hook == 'after_tool_execute' else around)
    agent = calling(call('pay'), tools=[pay], capabilities=[hooks])
    with capture_run_messages() as messages, pytest.raises(type(error)):
        asyncio.run(agent.run('go'))
    assert answers(messages) == {'id_pay': 'receipt 17'}


@pytest.mark.parametrize('way', ['run', 'iter', 'next', 'stream', 'events'])
def test_what_the_error_has_is_in_the_captured_messages_and_in_those_of_the_run(way: str) -> None:
    def pay() -> str:
        return 'receipt 17'

    def bad() -> str:
        raise RuntimeError('bad')

    async def stream(messages: Any, info: Any) -> Any:
        yield {0: DeltaToolCall('pay', '{}', tool_call_id='id_pay')}
        yield {1: DeltaToolCall('bad', '{}', tool_call_id='id_bad')}

    tools = [Tool(pay, sequential=True), Tool(bad, sequential=True)]
    agent = Agent(script([call('pay'), call('bad')], stream_function=stream), tools=tools)
    runs: list[Any] = []

    async def main() -> None:
        if way == 'run':
            await agent.run('go')
        elif way == 'stream':
            async with agent.run_stream('go', until='end') as result:
                await result.get_output()
        elif way == 'events':
            async with agent.run_stream_events('go') as events:
                async for _ in events:
                    pass
        else:
            async with agent.iter('go') as run:
                runs.append(run)
                try:
                    node: Any = run.next_node
                    while way == 'next':
                        node = await run.next(node)
                    async for node in run:
                        pass
                except RuntimeError:
                    assert answers(run.all_messages()) == {'id_pay': 'receipt 17'}
                    raise

    with capture_run_messages() as messages, pytest.raises(RuntimeError, match='bad') as caught:
        asyncio.run(main())
    assert messages == caught.value.messages  # type: ignore[attr-defined]
    assert all(run.all_messages() == messages for run in runs)
    assert continue_run(messages) == {'id_pay': 'receipt 17', 'id_bad': MAY_HAVE_RUN}


def test_a_node_that_a_hook_runs_again_does_not_run_what_was_done() -> None:
    ran: list[str] = []
    hooks: Hooks[Any] = Hooks()

    @hooks.on.node_run
    async def twice(ctx: Any, *, node: Any, handler: Any) -> Any:
        try:
            return await handler(node)
        except RuntimeError:
            return await handler(node)

    def pay() -> str:
        ran.append('pay')
        return 'receipt 17'

    def flaky() -> str:
        ran.append('flaky')
        if ran.count('flaky') == 1:
            raise RuntimeError('flaky')
        return 'ok'

    tools = [Tool(pay, sequential=True), Tool(flaky, sequential=True)]
    result = calling(call('pay'), call('flaky'), tools=tools, capabilities=[hooks]).run_sync('go')
    assert result.output == 'done' and ran == ['pay', 'flaky', 'flaky']
    assert answers(result.all_messages()) == {'id_pay': 'receipt 17', 'id_flaky': 'ok'}


# Errors that mean the end of a loop


class Stopping:
    """Things of a program that raise `StopAsyncIteration`."""

    @staticmethod
    def tool() -> Agent[Any, Any]:
        async def stop() -> None:
            raise StopAsyncIteration('mine')

        async def quick() -> str:
            return 'q'

        return calling(call('quick'), call('stop'), tools=[quick, stop])

    @staticmethod
    def hook() -> Agent[Any, Any]:
        hooks: Hooks[Any] = Hooks()

        @hooks.on.before_model_request
        async def stop(ctx: Any, request_context: Any) -> Any:
            raise StopAsyncIteration('mine')

        return Agent(script(text('x')), capabilities=[hooks])

    @staticmethod
    def validator() -> Agent[Any, Any]:
        agent: Agent[Any, str] = Agent(script(text('x')))

        @agent.output_validator
        async def stop(value: str) -> str:
            raise StopAsyncIteration('mine')

        return agent

    @staticmethod
    def run_hook() -> Agent[Any, Any]:
        hooks: Hooks[Any] = Hooks()

        @hooks.on.before_run
        async def stop(ctx: Any) -> Any:
            raise StopAsyncIteration('mine')

        return Agent(script(text('x')), capabilities=[hooks])


@pytest.mark.parametrize('where', ['tool', 'hook', 'validator', 'run_hook'])
@pytest.mark.parametrize('way', ['run', 'iter'])
def test_stop_async_iteration_is_an_error_and_not_the_end_of_the_run(where: str, way: str) -> None:
    agent: Agent[Any, Any] = getattr(Stopping, where)()

    async def main() -> None:
        if way == 'run':
            await agent.run('go')
            return
        async with agent.iter('go') as run:
            async for _ in run:
                pass
        raise AssertionError('the loop took it for the end')

    with pytest.raises(RuntimeError, match='raised StopAsyncIteration') as caught:
        asyncio.run(main())
    cause = caught.value.__cause__
    assert isinstance(cause, StopAsyncIteration) and cause.args == ('mine',)
    if where == 'tool':
        assert "Tool 'stop'" in str(caught.value)
        assert answers(caught.value.messages) == {'id_quick': 'q'}  # type: ignore[attr-defined]


# A node that raised


def test_nothing_runs_after_a_node_that_raised() -> None:
    async def bad() -> None:
        raise RuntimeError('bad')

    async def main() -> None:
        async with calling(call('bad'), tools=[bad]).iter('go') as run:
            with pytest.raises(RuntimeError, match='bad') as first:
                async for node in run:
                    pass
            for again in (lambda: run.next_node, lambda: run.__anext__().send(None), lambda: run.next(node).send(None)):
                with pytest.raises(RuntimeError, match='bad') as caught:
                    again()
                assert caught.value is first.value
            assert run.result is None and not run.has_ended

    asyncio.run(main())


# Runs and tools that wait for themselves


def test_an_agent_whose_tool_runs_it_does_not_wait_for_itself() -> None:
    agent = Agent(script([call('again')], text('inner'), text('outer')), max_concurrency=1)

    @agent.tool_plain
    async def again() -> str:
        return (await agent.run('inner')).output

    assert run_in_virtual_time(asyncio.wait_for(agent.run('go'), 5)).output == 'outer'


def test_agents_that_call_each_other_do_not_wait_for_each_other() -> None:
    async def main() -> list[str]:
        one: Agent[Any, str] = Agent(name='one', max_concurrency=1)
        other: Agent[Any, str] = Agent(name='other', max_concurrency=1)
        started: list[str] = []

        def asks(agent: Agent[Any, str]) -> Any:
            async def ask(ctx: RunContext) -> str:
                started.append('x')
                await until(lambda: len(started) == 2)
                return (await agent.run('inner', model=script(text('ok')))).output

            return Tool(ask, name='ask')

        def outer(agent: Agent[Any, str], helper: Agent[Any, str]) -> Any:
            model = script([call('ask')], text('done'))
            return agent.run('go', model=model, toolsets=[FunctionToolset([asks(helper)])])

        results = await asyncio.wait_for(asyncio.gather(outer(one, other), outer(other, one)), 50)
        return [result.output for result in results]

    assert run_in_virtual_time(main()) == ['done', 'done']


def test_tools_that_call_each_other_do_not_wait_for_each_other() -> None:
    agent = calling(call('a', {'deep': False}), call('b', {'deep': False}))

    @agent.tool(max_tool_concurrency=1)
    async def a(ctx: RunContext, deep: bool) -> str:
        await asyncio.sleep(0.01)
        return 'A' if deep else await ctx.tool_manager.handle_call(call('b', {'deep': True}))  # type: ignore[union-attr]

    @agent.tool(max_tool_concurrency=1)
    async def b(ctx: RunContext, deep: bool) -> str:
        await asyncio.sleep(0.01)
        return 'B' if deep else await ctx.tool_manager.handle_call(call('a', {'deep': True}))  # type: ignore[union-attr]

    result = run_in_virtual_time(asyncio.wait_for(agent.run('go'), 5))
    assert answers(result.all_messages()) == {'id_a': 'B', 'id_b': 'A'}


def test_a_limit_still_holds_where_waiting_is_enough() -> None:
    """What waits for a place that becomes free by itself waits, also inside of another place."""
    now: list[int] = []
    most: list[int] = []
    agent = calling(*(call('outer', call_id=f'c{n}') for n in range(6)), max_concurrency=1)

    @agent.tool(max_tool_concurrency=3)
    async def outer(ctx: RunContext) -> str:
        return await ctx.tool_manager.handle_call(call('inner'))  # type: ignore[union-attr]

    @agent.tool_plain(max_tool_concurrency=1)
    async def inner() -> str:
        now.append(1)
        most.append(len(now))
        await asyncio.sleep(0.01)
        now.pop()
        return 'x'

    run_in_virtual_time(asyncio.wait_for(agent.run('go'), 5))
    assert len(most) == 6 and max(most) == 1


def test_the_block_around_a_run_is_not_inside_of_it() -> None:
    agent = Agent(script(text('x')), max_concurrency=ConcurrencyLimit(max_running=1, max_queued=0))

    async def main() -> None:
        async with agent.iter('go'):
            with pytest.raises(ConcurrencyLimitExceeded):
                await agent.run('another')

    asyncio.run(main())
