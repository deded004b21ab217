"""What a run has come to is freed when the program lets go of it, and does not wait for the garbage collector.

The collector looks for circles after a number of objects, however large they are. A server with few, long histories would hold
hundreds of them that no one uses.
"""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from stead import Agent, RunContext
from stead.capabilities import Hooks, Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

Messages = list['weakref.ref[ModelMessage]']


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def three_steps(**options: Any) -> tuple[Agent[None, Any], Messages]:
    """Return an agent that calls a tool twice and then answers, and the messages that its model has got."""
    seen: Messages = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.extend(weakref.ref(message) for message in messages)
        step = len(messages) // 2
        return ModelResponse(parts=[ToolCallPart('look', '{}', f'c{step}') if step < 2 else TextPart('done')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        part = answer(messages, info).parts[0]
        if isinstance(part, ToolCallPart):
            yield {0: DeltaToolCall('look', '{}', tool_call_id=part.tool_call_id)}
        else:
            for letter in 'done':
                yield letter

    agent: Agent[None, Any] = Agent(FunctionModel(answer, stream_function=stream), **options)

    @agent.tool
    async def look(ctx: RunContext[None]) -> str:
        seen.append(weakref.ref(ctx.messages[-1]))
        return 'seen'

    return agent, seen


def alive(seen: Messages) -> int:
    """Return how many messages are still there; a `FunctionModel` keeps one, the last whose tokens it has counted."""
    return len({id(message) for reference in seen if (message := reference()) is not None})


async def run(agent: Agent[None, Any]) -> None:
    assert (await agent.run('go')).output == 'done'


async def stream(agent: Agent[None, Any]) -> None:
    async with agent.run_stream('go') as streamed:
        assert await streamed.get_output() == 'done'


async def leave_a_stream(agent: Agent[None, Any]) -> None:
    async with agent.run_stream('go') as streamed:
        async for _ in streamed.stream_text(debounce_by=None):
            break


async def events(agent: Agent[None, Any]) -> None:
    async with agent.run_stream_events('go') as all_events:
        assert len([event async for event in all_events]) > 10


async def iterate(agent: Agent[None, Any]) -> None:
    async with agent.iter('go') as agent_run:
        async for node in agent_run:
            if Agent.is_model_request_node(node):
                async with node.stream(agent_run.ctx) as streamed:
                    async for _ in streamed:
                        pass


@pytest.mark.parametrize(
    'options', [{}, {'capabilities': [Hooks()]}, {'capabilities': [Journal()]}], ids=['plain', 'hooks', 'journal']
)
@pytest.mark.parametrize('how', [run, stream, leave_a_stream, events, iterate], ids=lambda how: how.__name__)
def test_the_history_of_a_run_is_freed_with_the_run(
    how: Callable[[Agent[None, Any]], Awaitable[None]], options: dict[str, Any]
) -> None:
    async def main() -> int:
        agent, seen = three_steps(**options)
        await how(agent)
        assert len(seen) == 11
        await asyncio.sleep(0.05)  # the thread of a journal lets go of what it has written
        return alive(seen)

    assert asyncio.run(main()) <= 1


def test_the_history_of_a_run_without_a_loop_is_freed() -> None:
    agent, seen = three_steps()
    output = agent.run_sync('go').output
    assert output == 'done'
    assert len(seen) == 11
    assert alive(seen) <= 1


def test_the_history_of_a_cancelled_run_is_freed() -> None:
    async def main() -> int:
        agent, seen = three_steps()
        waits = asyncio.Event()

        @agent.tool_plain(name='wait')
        async def wait() -> str:
            waits.set()
            return await asyncio.Event().wait() and ''

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            seen.append(weakref.ref(messages[0]))
            return ModelResponse(parts=[ToolCallPart('wait', '{}', 'c')])

        task = asyncio.ensure_future(agent.run('go', model=FunctionModel(answer)))
        await waits.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        del task
        assert len(seen) == 1
        return alive(seen)

    assert asyncio.run(main()) <= 1


def test_tools_still_have_a_context_when_the_run_has_ended() -> None:
    """What is left of a stream can be validated then, and what a tool began continues."""
    kept: list[RunContext[None]] = []
    hooks = Hooks[Any]()

    @hooks.on.before_model_request
    async def keep(ctx: RunContext[None], request_context: Any) -> Any:
        kept.append(ctx)
        return request_context

    async def main() -> None:
        agent, _ = three_steps(capabilities=[hooks])
        await agent.run('go')
        assert [ctx.run_step for ctx in kept] == [1, 2, 3]
        for ctx in kept:
            assert list(ctx.tools) == ['look']
            assert len(ctx.messages) == 6
            tools: Any = ctx.tool_manager
            answer = await tools.handle_call(ToolCallPart('look', '{}', 'later'))
            assert answer == 'seen'

    asyncio.run(main())
