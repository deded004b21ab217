"""Cancellation proven by search: every way to run is cancelled after 0, 1, 2, … turns of the event loop, up to its end."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from stead import Agent, ModelRetry, RunContext, UnexpectedModelBehavior, capture_run_messages
from stead.capabilities import AbstractCapability
from stead.messages import ModelMessage, ModelRequest, ToolReturnPart

from .kit import Watched, call, check_history, script

Way = Callable[[Agent[Any, Any]], Awaitable[Any]]
Build = Callable[[list[str]], tuple[Agent[Any, Any], Watched]]
TURNS = 400
"""More than any of these runs takes; who gets there hangs."""


def model(*responses: Any) -> Watched:
    """Return a model that gives up its turn between any two pieces."""
    return script(*([item for piece in response for item in (piece, 0.0)] for response in responses))


def plain(finished: list[str]) -> tuple[Agent[Any, Any], Watched]:
    streams = model(['one ', 'two'])
    return Agent(streams), streams


def one_tool(finished: list[str]) -> tuple[Agent[Any, Any], Watched]:
    streams = model(call('look', {'x': 1}), ['the ', 'end'])
    return with_tools(Agent(streams), finished), streams


def many_tools(finished: list[str]) -> tuple[Agent[Any, Any], Watched]:
    calls = [item for x in range(3) for item in call('look', {'x': x}, index=x)]
    streams = model([*calls, *call('block', index=3)], call('again', index=0), ['the ', 'end'])
    return with_tools(Agent(streams), finished), streams


def output_tool(finished: list[str]) -> tuple[Agent[Any, Any], Watched]:
    both = [*call('final_result', {'response': 3}), *call('look', {'x': 1}, index=1)]
    streams = model(both)
    agent: Agent[Any, Any] = Agent(streams, output_type=int, end_strategy='exhaustive')
    return with_tools(agent, finished), streams


def refused(finished: list[str]) -> tuple[Agent[Any, Any], Watched]:
    streams = model(['bad'], ['good'])
    agent = Agent(streams)

    @agent.output_validator
    async def check(ctx: RunContext[Any], value: str) -> str:
        await asyncio.sleep(0)
        if value == 'bad' and not ctx.partial_output:
            raise ModelRetry('no')
        return value

    return agent, streams


def hooks(finished: list[str]) -> tuple[Agent[Any, Any], Watched]:
    class Slow(AbstractCapability[Any]):
        async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
            await asyncio.sleep(0)
            result = await handler()
            await asyncio.sleep(0)
            return result

        async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
            await asyncio.sleep(0)
            response = await handler(request_context)
            await asyncio.sleep(0)
            return response

        async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
            await asyncio.sleep(0)
            return await handler(args)

        async def wrap_node_run(self, ctx: Any, *, node: Any, handler: Any) -> Any:
            await asyncio.sleep(0)
            result = await handler(node)
            await asyncio.sleep(0)
            return result

        async def wrap_run_event_stream(self, ctx: Any, *, stream: Any) -> Any:
            async for event in stream:
                await asyncio.sleep(0)
                yield event

    streams = model([*call('look', {'x': 1}), *call('look', {'x': 2}, index=1)], ['the ', 'end'])
    return with_tools(Agent(streams, capabilities=[Slow()]), finished), streams


def with_tools(agent: Agent[Any, Any], finished: list[str]) -> Agent[Any, Any]:
    @agent.tool
    async def look(ctx: RunContext[Any], x: int) -> str:
        for _ in range(x):
            await asyncio.sleep(0)
        finished.append(f'look {x}')
        return f'look {x}'

    @agent.tool_plain
    async def block() -> str:
        await asyncio.sleep(0)
        finished.append('block')
        return 'block'

    @agent.tool(retries=2)
    async def again(ctx: RunContext[Any]) -> str:
        await asyncio.sleep(0)
        if not ctx.retry:
            raise ModelRetry('again')
        finished.append('again')
        return 'again'

    return agent


async def nothing(ctx: Any, events: Any) -> None:
    async for _ in events:
        await asyncio.sleep(0)


async def run(agent: Agent[Any, Any]) -> None:
    await agent.run('go')


async def run_with_handler(agent: Agent[Any, Any]) -> None:
    await agent.run('go', event_stream_handler=nothing)


async def iterated(agent: Agent[Any, Any]) -> None:
    async with agent.iter('go') as run:
        async for _ in run:
            await asyncio.sleep(0)


async def nodes_streamed(agent: Agent[Any, Any]) -> None:
    async with agent.iter('go') as run:
        node = run.next_node
        while not Agent.is_end_node(node):
            if Agent.is_model_request_node(node) or Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as stream:
                    async for _ in stream:
                        await asyncio.sleep(0)
            node = await run.next(node)  # type: ignore[arg-type]


async def run_stream(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('go', event_stream_handler=nothing) as result:
        with suppress(UnexpectedModelBehavior):  # of the agent whose answer is refused
            async for _ in result.stream_output(debounce_by=None):
                await asyncio.sleep(0)


async def run_stream_debounced(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('go') as result:
        with suppress(UnexpectedModelBehavior):
            async for _ in result.stream_response(debounce_by=0.0001):
                await asyncio.sleep(0)
            await result.get_output()


async def run_stream_to_the_end(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('go', until='end', event_stream_handler=nothing) as result:
        async for _ in result.stream_output(debounce_by=None):
            await asyncio.sleep(0)


async def run_stream_to_the_end_debounced(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('go', until='end') as result:
        async for _ in result.stream_response(debounce_by=0.0001):
            await asyncio.sleep(0)


async def run_stream_events(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream_events('go') as events:
        async for _ in events:
            await asyncio.sleep(0)


WAYS: list[Way] = [
    run,
    run_with_handler,
    iterated,
    nodes_streamed,
    run_stream,
    run_stream_debounced,
    run_stream_to_the_end,
    run_stream_to_the_end_debounced,
    run_stream_events,
]
AGENTS: list[Build] = [plain, one_tool, many_tools, output_tool, refused, hooks]


async def cancelled_after(turns: int, way: Way, build: Build) -> tuple[bool, list[ModelMessage], list[str]]:
    """Cancel a run after so many turns; return whether it had ended before, its messages, and the tools that ran."""
    finished: list[str] = []
    agent, streams = build(finished)
    with capture_run_messages() as messages:
        task = asyncio.ensure_future(way(agent))
        for _ in range(turns):
            if task.done():
                break
            await asyncio.sleep(0)
        ended = task.done()
        task.cancel()
        await asyncio.wait([task], timeout=5)
        assert task.done(), 'it hangs'
        if ended:
            await task
        else:
            with pytest.raises(asyncio.CancelledError):
                await task
    for _ in range(20):  # generators that were dropped are closed by tasks of their own, from the outside in
        await asyncio.sleep(0)
    assert streams.open == 0, 'a stream is open'
    assert asyncio.all_tasks() == {asyncio.current_task()}, 'a task is left'
    return ended, messages, finished


async def goes_on(messages: list[ModelMessage]) -> None:
    """Check that a history takes another prompt; the model checks that its calls are answered."""
    agent = Agent(script(['fine']))
    result = await agent.run('again', message_history=messages)
    assert result.output == 'fine'
    check_history(result.all_messages()[:-1])


@pytest.mark.parametrize('build', AGENTS, ids=lambda build: build.__name__)
@pytest.mark.parametrize('way', WAYS, ids=lambda way: way.__name__)
@pytest.mark.filterwarnings('ignore:.run_stream. took the text', 'ignore:.async for. over a run')
async def test_every_await_point(way: Way, build: Build):
    lengths: set[int] = set()
    for turns in range(TURNS):
        ended, messages, finished = await cancelled_after(turns, way, build)
        returned = [
            part.content
            for message in messages
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, ToolReturnPart) and part.outcome == 'success'
        ]
        assert sorted(set(finished) - set(returned)) == [], (
            f'after {turns} turns, a finished tool is not in the messages'
        )
        lengths.add(len(messages))
        await goes_on(messages)
        if ended:
            break
    else:
        raise AssertionError('the run has no end')
    gc.collect()
    assert len(lengths) > 1, 'it was cancelled in the middle, too'
