"""Events of a run: `run_stream_events`, event handlers, the streams of nodes, and hooks that see them."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any

import pytest
from pydantic import TypeAdapter

from stead import Agent, AgentRunResultEvent, ModelRetry, RunContext
from stead.capabilities import AbstractCapability, ProcessEventStream
from stead.messages import AgentStreamEvent

from .kit import call, event_names, script

RESPONSES = (['let ', 'me ', *call('add', {'a': 1, 'b': 2})], ['it ', 'is 3'])
RESPONSE_EVENTS = [
    'PartStartEvent',
    'FinalResultEvent',
    'PartDeltaEvent',
    'PartEndEvent',
    'PartStartEvent',
    'PartDeltaEvent',
    'PartDeltaEvent',
    'PartEndEvent',
]
TOOL_EVENTS = ['FunctionToolCallEvent', 'FunctionToolResultEvent']
ANSWER_EVENTS = ['PartStartEvent', 'FinalResultEvent', 'PartDeltaEvent', 'PartEndEvent']
ALL_EVENTS = [*RESPONSE_EVENTS, *TOOL_EVENTS, *ANSWER_EVENTS]


def adder(**options: Any) -> Agent[None, str]:
    agent = Agent(script(*RESPONSES), **options)

    @agent.tool_plain
    def add(a: int, b: int) -> int:
        return a + b

    return agent


class Collector:
    """An event handler that keeps what it is shown, a list for each step."""

    def __init__(self) -> None:
        self.steps: list[list[Any]] = []

    async def __call__(self, ctx: RunContext[Any], events: Any) -> None:
        step: list[Any] = []
        self.steps.append(step)
        async for event in events:
            step.append(event)


async def test_handlers_are_called_once_a_step():
    seen = Collector()
    result = await adder().run('q', event_stream_handler=seen)
    assert result.output == 'it is 3'
    assert [event_names(step) for step in seen.steps] == [RESPONSE_EVENTS, TOOL_EVENTS, ANSWER_EVENTS, []]


async def test_the_handler_of_the_agent_and_that_of_the_run():
    of_agent, of_run = Collector(), Collector()
    with pytest.warns(Warning, match='ProcessEventStream'):
        agent = adder(event_stream_handler=of_agent)
    await agent.run('q')
    assert [event for step in of_agent.steps for event in event_names(step)] == ALL_EVENTS
    of_agent.steps.clear()
    with agent.override(model=script(*RESPONSES)):
        await agent.run('q', event_stream_handler=of_run)
    assert (len(of_agent.steps), len(of_run.steps)) == (0, 4), 'that of the run takes its place'
    assert agent.event_stream_handler is of_agent


async def test_handlers_in_sync_runs():
    seen = Collector()
    result = await asyncio.to_thread(lambda: adder().run_sync('q', event_stream_handler=seen))
    assert (result.output, len(seen.steps)) == ('it is 3', 4)


async def test_a_handler_of_run_stream_sees_what_comes_before_the_answer():
    seen = Collector()
    model = script(call('add', {'a': 1, 'b': 2}), ['it ', 'is 3'])
    agent = adder()
    with agent.override(model=model):
        async with agent.run_stream('q', event_stream_handler=seen) as result:
            assert event_names(seen.steps[-1]) == ['PartStartEvent', 'FinalResultEvent']
            await result.get_output()
    assert event_names(seen.steps[1]) == TOOL_EVENTS
    assert len(seen.steps) == 3


async def test_a_handler_may_stop_early():
    async def first_only(ctx: Any, events: Any) -> None:
        async for _ in events:
            return

    for handler in (first_only, lambda ctx, events: asyncio.sleep(0)):
        result = await adder().run('q', event_stream_handler=handler)
        assert result.output == 'it is 3'


async def test_the_context_of_a_handler():
    steps: list[tuple[int, int, str]] = []

    async def handler(ctx: RunContext[str], events: Any) -> None:
        async for _ in events:
            pass
        steps.append((ctx.run_step, len(ctx.messages), ctx.deps))

    await adder(deps_type=str).run('q', deps='mine', event_stream_handler=handler)  # type: ignore[arg-type]
    assert steps == [(1, 1, 'mine'), (1, 2, 'mine'), (2, 3, 'mine'), (2, 4, 'mine')]


async def test_run_stream_events():
    async with adder().run_stream_events('q') as events:
        seen = [event async for event in events]
    assert event_names(seen) == [*ALL_EVENTS, 'AgentRunResultEvent']
    assert isinstance(seen[-1], AgentRunResultEvent)
    assert seen[-1].result.output == 'it is 3'
    assert seen[-1].result.usage.requests == 2
    adapter: TypeAdapter[Any] = TypeAdapter(AgentStreamEvent)
    for event in seen[:-1]:
        assert adapter.validate_json(adapter.dump_json(event)) == event


async def test_events_without_a_block():
    events = adder().run_stream_events('q')
    with pytest.warns(DeprecationWarning, match='without a block') as warned:
        assert event_names([event async for event in events])[-1] == 'AgentRunResultEvent'
    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match='without a block'):
        assert [event async for event in events] == [], 'they are gone with the loop'
    events = adder().run_stream_events('q')
    assert event_names([await anext(events)]) == ['PartStartEvent']
    await events.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(events)


async def test_a_run_of_events_waits_for_its_reader():
    """Nothing happens that the reader does not ask for."""
    called: list[int] = []
    agent = Agent(script(call('look'), ['end']))

    @agent.tool_plain
    def look() -> None:
        called.append(1)

    async with agent.run_stream_events('q') as events:
        async for event in events:
            await asyncio.sleep(0.002)
            if event.event_kind == 'function_tool_call':
                assert called == [], 'the call is announced before it is made'
            if event.event_kind == 'part_end':
                break
        await asyncio.sleep(0.01)
        assert called == []
    await asyncio.sleep(0.01)
    assert called == [], 'the run was stopped'


async def test_errors_come_after_the_events_before_them():
    agent = Agent(script(['one ', LookupError('lost')]))
    seen: list[Any] = []
    with pytest.raises(LookupError, match='lost'):
        async with agent.run_stream_events('q') as events:
            async for event in events:
                seen.append(event)
    assert event_names(seen) == ['PartStartEvent', 'FinalResultEvent']
    async with Agent(script(['x'])).run_stream_events('q') as events:
        assert event_names([event async for event in events])[-1] == 'AgentRunResultEvent'


async def test_events_that_are_never_read_start_nothing():
    model = script(['one'])
    async with Agent(model).run_stream_events('q'):
        pass
    Agent(model).run_stream_events('q')
    await asyncio.sleep(0)
    assert model.opened == 0


async def test_streams_of_nodes():
    names: list[list[str]] = []
    async with adder().iter('q') as run:
        node: Any = run.next_node
        while not Agent.is_end_node(node):
            if not Agent.is_user_prompt_node(node):
                async with node.stream(run.ctx) as stream:
                    names.append(event_names([event async for event in stream]))
            node = await run.next(node)
    assert names == [RESPONSE_EVENTS, TOOL_EVENTS, ANSWER_EVENTS, []]
    assert run.result is not None
    assert run.result.output == 'it is 3'


async def test_a_node_that_is_not_read_is_read_by_the_run():
    async with adder().iter('q') as run:
        node: Any = run.next_node
        while not Agent.is_end_node(node):
            if Agent.is_call_tools_node(node):
                async with node.stream(run.ctx):
                    pass
            elif Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    await stream.drain()
            node = await run.next(node)
    assert run.result is not None
    assert (run.result.output, run.result.usage.tool_calls) == ('it is 3', 1)


@pytest.mark.parametrize('leave', [False, True])
async def test_leaving_the_events_of_tools_waits_for_them(leave: bool):
    ended: list[str] = []
    agent = Agent(script([*call('slow'), *call('slow', index=1)], ['end']))

    @agent.tool_plain
    async def slow() -> str:
        await asyncio.sleep(0.01)
        ended.append('slow')
        return 'x'

    async with agent.iter('q') as run:
        node: Any = await run.next(run.next_node)  # type: ignore[arg-type]
        async with node.stream(run.ctx) as stream:
            await stream.drain()
        node = await run.next(node)
        async with node.stream(run.ctx) as events:
            async for _ in events:
                if leave:
                    break
        assert ended == ['slow', 'slow']
        node = await run.next(node)
        assert Agent.is_model_request_node(node)
        assert len(node.request.parts) == 2


async def test_an_exception_while_tools_run_cancels_them():
    ended: list[str] = []
    agent = Agent(script([*call('quick'), *call('slow', index=1)], ['end']))

    @agent.tool_plain
    async def quick() -> None:
        await asyncio.sleep(0)

    @agent.tool_plain
    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append('cancelled')

    with pytest.raises(LookupError):
        async with agent.iter('q') as run:
            node: Any = await run.next(run.next_node)  # type: ignore[arg-type]
            async with node.stream(run.ctx) as stream:
                await stream.drain()
            node = await run.next(node)
            async with node.stream(run.ctx) as events:
                async for event in events:
                    if event.event_kind == 'function_tool_result':
                        raise LookupError
    assert ended == ['cancelled']


class Watch(AbstractCapability[Any]):
    """Notes everything; what a run does must not depend on how it is read."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.events: list[str] = []

    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        self.log.append('run')
        result = await handler()
        self.log.append(f'run done: {result.output}')
        return result

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        self.log.append('before request')
        return request_context

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        self.log.append('request')
        response = await handler(request_context)
        self.log.append(f'response of {len(response.parts)} parts')
        return response

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        self.log.append('after request')
        return response

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        self.log.append(f'tool {args}')
        return await handler(args)

    async def wrap_run_event_stream(self, ctx: Any, *, stream: Any) -> Any:
        async for event in stream:
            self.events.append(type(event).__name__)
            yield event


async def with_handler(agent: Any) -> Any:
    await agent.run('q', event_stream_handler=Collector())


async def by_events(agent: Any) -> Any:
    async with agent.run_stream_events('q') as events:
        async for _ in events:
            pass


async def to_the_end(agent: Any) -> Any:
    async with agent.run_stream('q', until='end') as result:
        await result.get_output()


async def plainly(agent: Any) -> Any:
    await agent.run('q')


async def stream(agent: Any) -> Any:
    async with agent.run_stream('q') as result:
        await result.get_output()


@pytest.mark.parametrize('way', [plainly, with_handler, by_events, to_the_end], ids=lambda way: way.__name__)
async def test_hooks_are_the_same_in_every_form(way: Any):
    watch = Watch()
    await way(adder(capabilities=[watch]))
    assert watch.log == [
        'run',
        *('before request', 'request', 'response of 2 parts', 'after request', "tool {'a': 1, 'b': 2}"),
        *('before request', 'request', 'response of 1 parts', 'after request'),
        'run done: it is 3',
    ]
    assert watch.events == ALL_EVENTS


@pytest.mark.parametrize('way', [plainly, with_handler, by_events, to_the_end, stream], ids=lambda way: way.__name__)
async def test_context_variables_of_hooks_reach_tools(way: Any):
    variable: ContextVar[str] = ContextVar('variable', default='unset')
    seen: list[str] = []

    class Sets(AbstractCapability[Any]):
        async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
            token = variable.set('set')
            try:
                return await handler()
            finally:
                variable.reset(token)

    agent = Agent(script(call('look'), ['end']), capabilities=[Sets()])

    @agent.tool_plain
    def look() -> None:
        seen.append(variable.get())

    await way(agent)
    assert (seen, variable.get()) == (['set'], 'unset')


@pytest.mark.parametrize('way', [with_handler, by_events, to_the_end, stream], ids=lambda way: way.__name__)
async def test_hooks_that_change_the_response(way: Any):
    class Again(AbstractCapability[Any]):
        requests = 0

        async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
            self.requests += 1
            if self.requests == 1 and way is not stream:  # there the answer was streamed already
                raise ModelRetry('again')
            response.parts[0].content += '!'
            return response

    agent = Agent(script(['one'], ['two']), capabilities=[Again()])
    from stead import capture_run_messages

    with capture_run_messages() as messages:
        await way(agent)
    assert [m.parts[0].content for m in messages if m.kind == 'response'][-1] in ('two!', 'one!')  # type: ignore[union-attr]


async def test_events_of_a_processor():
    seen: list[str] = []

    async def watch(ctx: Any, events: Any) -> None:
        async for event in events:
            seen.append(type(event).__name__)

    await adder(capabilities=[ProcessEventStream(watch)]).run('q')
    assert seen == ALL_EVENTS


async def test_tools_in_threads_and_many_at_once():
    agent = Agent(script([item for n in range(8) for item in call('slow', {'n': n}, index=n)], ['end']))

    @agent.tool_plain
    def slow(n: int) -> int:
        import time

        time.sleep(0.002 * (8 - n))
        return n

    async with agent.run_stream_events('q') as stream:
        events = [event async for event in stream]
    calls = [event.part.args for event in events if event.event_kind == 'function_tool_call']
    results = [event.part.content for event in events if event.event_kind == 'function_tool_result']
    assert calls == [f'{{"n": {n}}}' for n in range(8)]
    assert sorted(results) == list(range(8))
    messages = events[-1].result.all_messages()  # type: ignore[union-attr]
    assert [part.content for part in messages[2].parts] == list(range(8)), 'for the model, in the order of the calls'
