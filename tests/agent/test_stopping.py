"""Runs that end before their end: by `timeout`, by a token, by `cancel()` of a context, and by others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, CancellationToken, RunCancelled, RunContext, RunTimedOut, UsageLimits, UserError
from stead.agent import WrapperAgent
from stead.capabilities import Hooks
from stead.graph import GraphBuilder, StepContext
from stead.journal import Journal
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.models.test import TestModel


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if isinstance(messages[-1].parts[-1], UserPromptPart):
        return ModelResponse(parts=[ToolCallPart('t', {}, tool_call_id='c')])
    return ModelResponse(parts=[TextPart('done')])


async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    if isinstance(messages[-1].parts[-1], UserPromptPart):
        yield {0: DeltaToolCall('t', '{}', tool_call_id='c')}
    else:
        yield 'done'


MODEL = FunctionModel(respond, stream_function=stream)


async def run(agent: Any, **options: Any) -> Any:
    return (await agent.run('q', **options)).output


async def run_stream(agent: Any, **options: Any) -> Any:
    async with agent.run_stream('q', **options) as result:
        return await result.get_output()


async def run_iter(agent: Any, **options: Any) -> Any:
    async with agent.iter('q', **options) as run:
        async for _ in run:
            pass
    return run.result.output


async def run_events(agent: Any, **options: Any) -> Any:
    async with agent.run_stream_events('q', **options) as events:
        return [event async for event in events][-1].result.output


async def run_wrapped(agent: Any, **options: Any) -> Any:
    return (await WrapperAgent(agent).run('q', **options)).output


async def run_inside(agent: Any, **options: Any) -> Any:
    """As the agent of a tool."""
    outer = Agent(MODEL)

    @outer.tool_plain
    async def t() -> str:
        return await run(agent, **options)

    return (await outer.run('q')).output


async def run_in_a_thread(agent: Any, **options: Any) -> Any:
    return (await asyncio.to_thread(agent.run_sync, 'q', **options)).output


async def run_in_a_graph(agent: Any, **options: Any) -> Any:
    graph = GraphBuilder(output_type=str)

    @graph.step
    async def ask(ctx: StepContext[None, None, None]) -> str:
        return await run(agent, **options)

    graph.add(graph.edge_from(graph.start_node).to(ask), graph.edge_from(ask).to(graph.end_node))
    return await graph.build().run()


WAYS = [run, run_stream, run_iter, run_events, run_wrapped, run_inside, run_in_a_thread, run_in_a_graph]
Way = Callable[..., Coroutine[Any, Any, Any]]


def waiting(tool: Callable[[RunContext[Any]], None], **options: Any) -> tuple[Agent[Any, Any], list[str]]:
    """An agent whose tool does something and then waits until it is cancelled."""
    agent, seen = Agent(MODEL, metadata={'team': 'red'}, **options), list[str]()

    @agent.tool
    async def t(ctx: RunContext[Any]) -> str:
        tool(ctx)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append('cancelled')
            raise
        return 'never'

    return agent, seen


def check(error: RunCancelled) -> None:
    assert [type(message) for message in error.all_messages()] == [ModelRequest, ModelResponse, ModelRequest]
    assert error.new_messages() == error.all_messages() and b'tool-call' in error.new_messages_json()
    assert error.usage.requests == 1 and error.metadata == {'team': 'red'} and error.run_id and error.conversation_id
    assert error.response is error.all_messages()[1] and error.timestamp == error.response.timestamp
    assert isinstance(error.__cause__, asyncio.CancelledError)


@pytest.mark.parametrize('way', WAYS)
def test_a_token_that_is_cancelled_while_a_tool_runs(way: Way) -> None:
    token = CancellationToken()
    agent, seen = waiting(lambda ctx: token.cancel())
    with pytest.raises(RunCancelled) as caught:
        asyncio.run(way(agent, cancellation_token=token))
    assert seen == ['cancelled'] and token.cancelled and type(caught.value) is RunCancelled
    check(caught.value)


@pytest.mark.parametrize('way', WAYS)
def test_a_context_cancels_its_run(way: Way) -> None:
    agent, seen = waiting(lambda ctx: ctx.cancel())
    with pytest.raises(RunCancelled) as caught:
        asyncio.run(way(agent))
    assert seen == ['cancelled']
    check(caught.value)


@pytest.mark.parametrize('way', WAYS)
def test_a_run_that_takes_too_long(way: Way) -> None:
    agent, seen = waiting(lambda ctx: None)
    with pytest.raises(RunTimedOut) as caught:
        asyncio.run(way(agent, timeout=0.5))
    assert seen == ['cancelled'] and isinstance(caught.value, TimeoutError)
    check(caught.value)


@pytest.mark.parametrize('way', WAYS)
def test_a_run_that_is_stopped_before_it_begins(way: Way) -> None:
    token = CancellationToken()
    token.cancel()
    agent, _ = waiting(lambda ctx: None)
    with pytest.raises(RunCancelled) as caught:
        asyncio.run(way(agent, cancellation_token=token))
    assert (caught.value.all_messages(), caught.value.all_messages_json()) == ([], b'[]')
    with pytest.raises(RunTimedOut):
        asyncio.run(way(agent, timeout=0))


def test_run_sync_and_another_thread() -> None:
    token = CancellationToken()
    agent, seen = waiting(lambda ctx: threading.Thread(target=token.cancel).start())
    with pytest.raises(RunCancelled) as caught:
        agent.run_sync('q', cancellation_token=token)
    check(caught.value)
    assert seen == ['cancelled']


def test_a_token_stops_all_its_runs_and_no_others() -> None:
    token = CancellationToken()

    async def main() -> list[Any]:
        both = asyncio.Barrier(2) if hasattr(asyncio, 'Barrier') else None
        agent = Agent(MODEL)

        @agent.tool_plain
        async def t() -> str:
            if both is not None:
                await both.wait()
            token.cancel()
            await asyncio.Event().wait()
            return 'never'

        other = Agent(TestModel(custom_output_text='fine'))
        runs = [agent.run('q', cancellation_token=token), agent.run('q', cancellation_token=token), other.run('q')]
        results = await asyncio.gather(*runs, return_exceptions=True)
        with pytest.raises(RunCancelled):
            await other.run('q', cancellation_token=token)
        return results

    first, second, third = asyncio.run(main())
    assert isinstance(first, RunCancelled) and isinstance(second, RunCancelled) and third.output == 'fine'


def test_nothing_is_left_behind_by_a_run_that_ends_in_time() -> None:
    token = CancellationToken()

    async def main() -> None:
        result = await Agent(TestModel(custom_output_text='fine')).run('q', cancellation_token=token, timeout=1)
        assert result.output == 'fine'
        token.cancel()
        await asyncio.sleep(0)

    asyncio.run(main())


def test_a_task_that_is_cancelled_by_others_stays_cancelled() -> None:
    agent, seen = waiting(lambda ctx: None)

    async def main() -> None:
        task = asyncio.create_task(agent.run('q', timeout=50))
        while not task.done() and not seen:
            await asyncio.sleep(0.01)
            task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        found = RunCancelled.from_cancellation(caught.value)
        assert found is not None and found.usage.requests <= 1 and found.run_id

    asyncio.run(main())
    assert RunCancelled.from_cancellation(asyncio.CancelledError()) is None


def test_a_run_cancels_itself_from_outside_of_its_tools() -> None:
    async def main() -> None:
        async with Agent(TestModel()).iter('q') as run:
            run.cancel()
            async for _ in run:
                pass

    with pytest.raises(RunCancelled):
        asyncio.run(main())


def test_contexts_say_how_much_time_is_left() -> None:
    seen: list[Any] = []
    agent = Agent(TestModel())

    @agent.tool
    def t(ctx: RunContext[Any]) -> str:
        seen.append((ctx.deadline, ctx.remaining_time(), ctx.usage_limits))
        return 'x'

    agent.run_sync('q')
    agent.run_sync('q', timeout=100, usage_limits=UsageLimits(request_limit=7))
    assert seen[0] == (None, None, None)
    deadline, left, limits = seen[1]
    assert deadline.tzinfo is not None and 0 < left <= 100 and limits.request_limit == 7


def test_a_hook_around_the_run_sees_the_error() -> None:
    hooks, seen = Hooks[Any](), list[str]()

    @hooks.on.run_error
    async def note(ctx: RunContext[Any], /, *, error: BaseException) -> Any:
        seen.append(type(error).__name__)
        raise error

    agent, _ = waiting(lambda ctx: ctx.cancel(), capabilities=[hooks])
    with pytest.raises(RunCancelled):
        agent.run_sync('q')
    assert seen == ['RunCancelled']


def test_a_recorded_run_goes_on_after_it_timed_out(tmp_path: Path) -> None:
    journal: Any = Journal(tmp_path / 'runs.db')
    agent = Agent(MODEL, name='a', capabilities=[journal])
    late = True

    @agent.tool_plain(effect='read')
    async def t() -> str:
        if late:
            await asyncio.Event().wait()
        return 'ran'

    with pytest.raises(RunTimedOut) as caught:
        agent.run_sync('q', timeout=1, run_id='mine')
    assert caught.value.run_id == 'mine'
    late = False
    result = agent.run_sync(message_history=caught.value.all_messages())
    assert result.output == 'done'


def test_a_run_has_the_id_that_was_passed() -> None:
    result = Agent(TestModel()).run_sync('q', run_id='abc')
    assert result.run_id == 'abc' and {message.run_id for message in result.all_messages()} == {'abc'}


@pytest.mark.parametrize(
    ('options', 'text'),
    [
        ({'timeout': 'x'}, 'number of seconds'),
        ({'timeout': float('nan')}, 'number of seconds'),
        ({'timeout': float('inf')}, 'number of seconds'),
        ({'run_id': ''}, 'not empty'),
        ({'run_id': 5}, 'not empty'),
        ({'cancellation_token': 'x'}, 'CancellationToken'),
    ],
)
def test_values_that_are_refused(options: Any, text: str) -> None:
    with pytest.raises(UserError, match=text):
        Agent(TestModel()).run_sync('q', **options)


def test_a_context_without_a_run() -> None:
    from stead.usage import RunUsage

    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    with pytest.raises(UserError, match='no run to cancel'):
        ctx.cancel()


@pytest.mark.parametrize(('retries', 'calls'), [({'tools': 2}, 3), ({'tools': 0, 'output': 3}, 1), (3, 2)])
def test_retries_of_tools_for_one_run(retries: Any, calls: int) -> None:
    from stead import ModelRetry, UnexpectedModelBehavior

    seen: list[int] = []
    agent = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[ToolCallPart('t', {})])))

    @agent.tool_plain
    def t() -> str:
        seen.append(1)
        raise ModelRetry('no')

    with pytest.raises(UnexpectedModelBehavior, match="'t' exceeded max retries"):
        agent.run_sync('q', retries=retries)
    assert len(seen) == calls


def test_a_function_that_is_registered_twice_is_called_until_both_are_taken_back() -> None:
    token, calls = CancellationToken(), list[str]()

    def stop() -> None:
        calls.append('stopped')

    take_back = token.register(stop)
    token.register(stop)
    take_back()
    token.cancel()
    assert calls == ['stopped']


@pytest.mark.parametrize('way', WAYS)
def test_the_reason_is_part_of_the_error(way: Way) -> None:
    token = CancellationToken()
    for agent, options in (
        (waiting(lambda ctx: token.cancel('hung up'))[0], {'cancellation_token': token}),
        (waiting(lambda ctx: ctx.cancel('hung up'))[0], {}),
    ):
        with pytest.raises(RunCancelled, match='cancelled: hung up') as caught:
            asyncio.run(way(agent, **options))
        assert caught.value.reason == 'hung up'
    token.cancel('another')
    assert token.reason == 'hung up'
