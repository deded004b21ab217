"""Streams that end early, however that comes: connections are closed, messages are kept, and the history can continue."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from datetime import datetime, timezone
from typing import Any

import pytest

from stead import Agent, RunUsage, UnexpectedModelBehavior, UserError, capture_run_messages
from stead.capabilities import AbstractCapability
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolReturnPart
from stead.models import Model, StreamedResponse
from stead.models.function import FunctionModel

from ..waiting import timed_out_when, until
from .kit import call, check_history, outline, script


async def goes_on(messages: list[ModelMessage]) -> None:
    """Check that a conversation takes another prompt; the model checks that its calls are answered."""
    async with Agent(script(['fine'])).run_stream('again', message_history=messages) as result:
        assert await result.get_output() == 'fine'
    check_history(result.all_messages()[:-1])


# Ways to break off; each gets an agent, and leaves the stream after its first piece


async def breaks(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('q') as result:
        async for _ in result.stream_text(debounce_by=None):
            break


async def breaks_debounced(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('q') as result:
        async for _ in result.stream_text(debounce_by=0.0001):
            break


async def reads_nothing(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('q'):
        pass


async def raises(agent: Agent[Any, Any]) -> None:
    with pytest.raises(LookupError, match='mine'):
        async with agent.run_stream('q') as result:
            async for _ in result.stream_text(debounce_by=None):
                raise LookupError('mine')


async def raises_to_the_end(agent: Agent[Any, Any]) -> None:
    with pytest.raises(LookupError, match='mine'):
        async with agent.run_stream('q', until='end') as result:
            async for _ in result.stream_text(debounce_by=None):
                raise LookupError('mine')


async def breaks_to_the_end(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('q', until='end') as result:
        async for _ in result.stream_text(debounce_by=0.0001):
            break


async def cancels(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('q') as result:
        await result.cancel()
        await result.cancel()
        assert (result.cancelled, result.is_complete, result.response.state) == (True, True, 'interrupted')


async def cancels_while_reading(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('q') as result:
        async for _ in result.stream_text(debounce_by=None):
            await result.cancel()
        assert result.cancelled


async def cancels_to_the_end(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream('q', until='end') as result:
        async for _ in result.stream_text(debounce_by=None):
            await result.cancel()
        assert (result.cancelled, result.is_complete, result.response.state) == (True, True, 'interrupted')


async def leaves_events(agent: Agent[Any, Any]) -> None:
    async with agent.run_stream_events('q') as events:
        async for event in events:
            assert event
            break


async def drops_events(agent: Agent[Any, Any]) -> None:
    before = asyncio.all_tasks()
    events = agent.run_stream_events('q')
    with pytest.warns(DeprecationWarning, match='without a block'):
        async for event in events:
            assert event
            break
    await until(lambda: asyncio.all_tasks() <= before)


async def handler_raises(agent: Agent[Any, Any]) -> None:
    async def handler(ctx: Any, events: Any) -> None:
        async for _ in events:
            raise LookupError('mine')

    with pytest.raises(LookupError, match='mine'):
        await agent.run('q', event_stream_handler=handler)


async def node_stream_raises(agent: Agent[Any, Any]) -> None:
    with pytest.raises(LookupError, match='mine'):
        async with agent.iter('q') as run:
            node = await run.next(run.next_node)  # type: ignore[arg-type]
            assert Agent.is_model_request_node(node)
            async with node.stream(run.ctx) as stream:
                async for _ in stream:
                    raise LookupError('mine')


async def is_timed_out(agent: Agent[Any, Any]) -> None:
    begun = asyncio.Event()

    async def run() -> None:
        async with agent.run_stream('q') as result:
            await anext(result.stream_text(debounce_by=None))
            begun.set()
            await asyncio.sleep(60)

    with pytest.raises((asyncio.TimeoutError, TimeoutError)):
        await timed_out_when(begun.is_set, run())


WAYS = [
    breaks,
    breaks_debounced,
    reads_nothing,
    raises,
    raises_to_the_end,
    breaks_to_the_end,
    cancels,
    cancels_while_reading,
    cancels_to_the_end,
    leaves_events,
    drops_events,
    handler_raises,
    node_stream_raises,
    is_timed_out,
]


class Around(AbstractCapability[Any]):
    """Hooks around requests and the run, which are then tasks of their own; they all must end."""

    def __init__(self) -> None:
        self.inside = 0

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        self.inside += 1
        try:
            return await handler(request_context)
        finally:
            await asyncio.sleep(0)
            self.inside -= 1

    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        self.inside += 1
        try:
            return await handler()
        finally:
            await asyncio.sleep(0)
            self.inside -= 1


@pytest.mark.parametrize('hooked', [False, True])
@pytest.mark.parametrize('way', WAYS, ids=lambda way: way.__name__)
async def test_what_came_is_kept_and_the_stream_is_closed(way: Any, hooked: bool):
    model = script(['one ', 0.001, 'two ', 0.001, 'three', *call('look', index=1)])
    around = Around()
    agent = Agent(model, capabilities=[around] if hooked else [])

    @agent.tool_plain
    def look() -> None:
        raise AssertionError('half-received')

    with capture_run_messages() as messages:
        await way(agent)
    assert (model.open, model.opened, around.inside) == (0, 1, 0)
    assert outline(messages)[1].startswith('text: one ')
    assert outline(messages)[-1] == 'interrupted'
    await goes_on(messages)


@pytest.mark.parametrize('way', WAYS, ids=lambda way: way.__name__)
async def test_tools_of_a_half_received_response_are_not_run(way: Any):
    """The first call is whole, the second one is not."""
    model = script([*call('look', index=0), *call('look', {'a': 1}, index=1), 0.01, 'some text'])
    agent: Agent[Any, Any] = Agent(model)

    @agent.tool_plain
    def look() -> None:
        raise AssertionError('half-received')

    async def until_second_call(events: Any) -> None:
        async for event in events:
            if getattr(event, 'index', 0) == 1:
                return

    with capture_run_messages() as messages:
        async with agent.iter('q') as run:
            node: Any = await run.next(run.next_node)  # type: ignore[arg-type]
            async with node.stream(run.ctx) as stream:
                await until_second_call(stream)
                if 'cancel' in way.__name__:
                    await stream.cancel()
    assert model.open == 0
    assert messages[-1].kind == 'response'
    assert messages[-1].state == 'interrupted'
    await goes_on(messages)


async def test_a_run_goes_on_after_a_half_received_response():
    """Its calls are answered as not executed; what the model makes of it is up to the model."""
    model = script([*call('look', index=0), *call('look', {'a': 1}, index=1)], ['then not'])
    agent = Agent(model)

    @agent.tool_plain
    def look() -> None:
        raise AssertionError('half-received')

    async with agent.iter('q') as run:
        node: Any = await run.next(run.next_node)  # type: ignore[arg-type]
        async with node.stream(run.ctx) as stream:
            async for event in stream:
                if getattr(event, 'index', 0) == 1:
                    break
        node = await run.next(node)
        async with node.stream(run.ctx) as stream:
            events = [event async for event in stream]
        node = await run.next(node)
        async with node.stream(run.ctx) as stream:
            assert (await stream.get_output()) == 'then not'
        while not Agent.is_end_node(node):
            node = await run.next(node)
    assert run.result is not None
    assert run.result.output == 'then not'
    assert [event.event_kind for event in events] == ['function_tool_result', 'function_tool_result']
    answers = [part for part in run.all_messages()[2].parts if isinstance(part, ToolReturnPart)]
    assert [(answer.outcome, answer.content) for answer in answers] == [
        ('failed', 'Tool not executed - the run was interrupted.')
    ] * 2


class Broken(Model):
    """A model whose connection does what real ones do; it notes how it was left."""

    model_name = 'broken'  # type: ignore[assignment]
    system = 'test'  # type: ignore[assignment]

    def __init__(self, fails_after: int | None = None, fails_to_close: bool = False) -> None:
        super().__init__()
        self.fails_after = fails_after
        self.fails_to_close = fails_to_close
        self.log: list[str] = []

    async def request(self, *args: Any) -> ModelResponse:
        raise NotImplementedError

    @asynccontextmanager
    async def request_stream(self, messages: Any, settings: Any, parameters: Any, run_context: Any = None) -> Any:
        self.log.append('opened')
        error: BaseException | None = None
        try:
            yield BrokenStream(parameters, self)
        except BaseException as raised:
            error = raised
            raise
        finally:
            self.log.append('closed' if error is None else f'closed with {type(error).__name__}')
            if self.fails_to_close:
                raise OSError('reset')


class BrokenStream(StreamedResponse):
    model_name = 'broken'  # type: ignore[assignment]
    provider_name = provider_url = None  # type: ignore[assignment]
    timestamp = datetime(2026, 1, 1, tzinfo=timezone.utc)  # type: ignore[assignment]

    def __init__(self, parameters: Any, model: Broken) -> None:
        super().__init__(parameters)
        self.model = model

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        for number in range(4):
            await asyncio.sleep(0.001)
            if self._cancelled:
                raise ConnectionError('closed under it')
            if number == self.model.fails_after:
                raise OSError('lost')
            for event in self._parts_manager.handle_text_delta(vendor_part_id=1, content=f'{number} '):
                yield event

    async def close_stream(self) -> None:
        self.model.log.append('stream closed')

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        return (ConnectionError,)


async def nothing(ctx: Any, events: Any) -> None:
    async for _ in events:
        pass


async def read(agent: Agent[Any, Any]) -> Any:
    async with agent.run_stream('q') as result:
        return await result.get_output()


async def read_debounced(agent: Agent[Any, Any]) -> Any:
    async with agent.run_stream('q') as result:
        async for text in result.stream_text(debounce_by=0.01):
            assert text
        return await result.get_output()


async def read_to_the_end(agent: Agent[Any, Any]) -> Any:
    async with agent.run_stream('q', until='end') as result:
        return await result.get_output()


async def handle(agent: Agent[Any, Any]) -> Any:
    return (await agent.run('q', event_stream_handler=nothing)).output


async def read_events(agent: Agent[Any, Any]) -> Any:
    async with agent.run_stream_events('q') as stream:
        events = [event async for event in stream]
    return events[-1].result.output  # type: ignore[union-attr]


READERS = [read, read_debounced, read_to_the_end, handle, read_events]


@pytest.mark.parametrize('way', READERS, ids=lambda way: way.__name__)
async def test_a_whole_stream_is_closed(way: Any):
    model = Broken()
    assert await way(Agent(model)) == '0 1 2 3 '
    assert model.log == ['opened', 'closed']


@pytest.mark.parametrize('fails_after', [0, 1, 3])
@pytest.mark.parametrize('way', READERS, ids=lambda way: way.__name__)
async def test_a_connection_that_is_lost(way: Any, fails_after: int):
    model = Broken(fails_after)
    with capture_run_messages() as messages, pytest.raises(OSError, match='lost') as caught:
        await way(Agent(model))
    assert model.log == ['opened', 'stream closed', 'closed with OSError']
    text = ''.join(f'{number} ' for number in range(fails_after))
    assert outline(messages) == ['user-prompt: q', *([f'text: {text}', 'interrupted'] if text else [])]
    assert outline(caught.value.messages) == outline(messages)  # type: ignore[attr-defined]
    await goes_on(messages)


@pytest.mark.parametrize('way', [breaks, breaks_debounced, reads_nothing, raises, leaves_events, node_stream_raises])
async def test_a_stream_that_is_left_is_closed(way: Any):
    model = Broken()
    await way(Agent(model))
    assert model.log[:2] == ['opened', 'stream closed']
    assert model.log[2].startswith('closed')
    assert len(model.log) == 3


@pytest.mark.parametrize('way', [cancels, cancels_while_reading, cancels_to_the_end])
async def test_errors_of_a_connection_that_was_closed_are_no_errors(way: Any):
    model = Broken()
    await way(Agent(model))
    assert 'stream closed' in model.log
    assert model.log[-1].startswith('closed')


@pytest.mark.parametrize('way', [read, read_to_the_end, handle, read_events])
async def test_a_connection_that_fails_to_close(way: Any):
    model = Broken(fails_to_close=True)
    with pytest.raises(OSError, match='reset'):
        await way(Agent(model))
    model = Broken(fails_after=1, fails_to_close=True)
    with capture_run_messages() as messages, pytest.raises(OSError, match='reset') as caught:
        await way(Agent(model))
    assert isinstance(caught.value.__context__, OSError)
    assert outline(messages) == ['user-prompt: q', 'text: 0 ', 'interrupted']


async def test_a_result_that_is_read_on_after_its_run_was_left_changes_nothing():
    async with Agent(script(['one ', 'two '])).run_stream('q') as result:
        pass
    before = outline(result.all_messages()), copy(result.usage)
    await result.get_output()
    assert (outline(result.all_messages()), result.usage) == before


async def test_a_response_that_never_begins():
    model = script([LookupError('no answer')])
    for way in READERS:
        with capture_run_messages() as messages, pytest.raises(LookupError, match='no answer'):
            await way(Agent(model))
        assert outline(messages) == ['user-prompt: q']
        await goes_on(messages)


async def test_a_node_is_streamed_once():
    async with Agent(script(['one'])).iter('q') as run:
        node: Any = await run.next(run.next_node)  # type: ignore[arg-type]
        async with node.stream(run.ctx) as stream:
            await stream.drain()
        with pytest.raises(UserError, match='streamed once'):
            async with node.stream(run.ctx):
                pass


async def test_usage_of_what_was_broken_off_counts():
    async with Agent(script(['one ', 'two'])).run_stream('q') as result:
        async for _ in result.stream_text(debounce_by=None):
            break
    assert (result.usage.requests, result.usage.output_tokens) == (1, 1)
    model = script(['one ', 0.01, 'two'])
    agent = Agent(model)
    from stead.usage import RunUsage

    usage = RunUsage()
    async with agent.run_stream_events('q', usage=usage) as events:
        async for _ in events:
            break
    assert (usage.requests, usage.output_tokens) == (1, 1)


async def test_cancelled_while_tools_run():
    running, ended = asyncio.Event(), []
    agent = Agent(script(['text ', *call('slow', index=1), *call('quick', index=2)], ['never']))

    @agent.tool_plain
    async def slow() -> None:
        running.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append('slow')

    @agent.tool_plain
    async def quick() -> str:
        return 'done'

    async with agent.run_stream('q', until='end') as result:
        reader = asyncio.ensure_future(result.get_output())
        await running.wait()
        for _ in range(100):  # so that the quick one is finished
            await asyncio.sleep(0)
        await result.cancel()
        from stead import AgentRunError

        with pytest.raises(AgentRunError, match='cancelled before its end'):
            await reader
    assert ended == ['slow']
    assert outline(result.all_messages())[-1] == 'tool-return: done', 'what is finished is kept'
    await goes_on(result.all_messages())


async def test_a_stream_that_stops_in_mid_part():
    """To the reader it looks like any other end; what is half is not valid, and asked for again."""
    cut = call('look', {'city': 'Oslo'})[:2]
    agent = Agent(script(cut, call('look', {'city': 'Oslo'}), ['done']))

    @agent.tool_plain
    def look(city: str) -> str:
        return city

    async with agent.run_stream('q') as result:
        assert await result.get_output() == 'done'
    assert [word.split(':')[0] for word in outline(result.all_messages())] == [
        *('user-prompt', 'tool-call', 'retry-prompt', 'tool-call', 'tool-return', 'text')
    ]
    half, whole = call('final_result', {'response': 12})[:2], call('final_result', {'response': 12})
    numbers = Agent(script(half, whole), output_type=int)
    async with numbers.run_stream('q') as result:
        with pytest.raises(UnexpectedModelBehavior, match='during streaming'):
            await result.get_output()
    await goes_on(result.all_messages())
    with numbers.override(model=script(half, whole)):
        async with numbers.run_stream('q', until='end') as result:
            assert await result.get_output() == 12
        assert result.attempt == 2


async def test_results_of_tools_are_part_of_the_error_of_a_handler():
    async def handler(ctx: Any, events: Any) -> None:
        kinds = [event.event_kind async for event in events]
        if 'function_tool_result' in kinds:
            raise LookupError('mine')

    agent = Agent(script(call('look'), ['never']))

    @agent.tool_plain
    async def look() -> str:
        return 'looked'

    with pytest.raises(LookupError) as caught:
        await agent.run('q', event_stream_handler=handler)
    messages = caught.value.messages  # type: ignore[attr-defined]
    assert outline(messages) == ['user-prompt: q', 'tool-call: {}', 'tool-return: looked']
    await goes_on(messages)


@pytest.mark.parametrize('first', [['one ', LookupError('lost')], ['refused']])
async def test_a_hook_that_asks_again_gets_the_whole_response(first: list[Any]):
    class Twice(AbstractCapability[Any]):
        async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
            try:
                await handler(request_context)
            except LookupError:
                pass
            return await handler(request_context)

    async def handler(ctx: Any, events: Any) -> None:
        async for _ in events:
            pass

    model = script(first, ['the whole ', 0.001, 'response'])
    result = await Agent(model, capabilities=[Twice()]).run('q', event_stream_handler=handler)
    assert result.output == 'the whole response'
    assert (model.open, model.opened) == (0, 2)
    assert result.usage.requests == 1
    check_history(result.all_messages()[:-1])


@pytest.mark.parametrize('failure', [asyncio.TimeoutError, LookupError])
async def test_a_run_goes_on_when_a_hook_around_it_leaves_early(failure: type[Exception]):
    class Impatient(AbstractCapability[Any]):
        async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
            try:
                return await asyncio.wait_for(handler(), 0.001)
            except asyncio.TimeoutError as error:
                left.set()
                raise failure from error

    async def answer(messages: Any, info: Any) -> ModelResponse:
        await left.wait()
        return ModelResponse(parts=[TextPart('late')])

    left = asyncio.Event()
    reports: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
    result = await Agent(FunctionModel(answer), capabilities=[Impatient()]).run('q')
    assert result.output == 'late'
    del result
    gc.collect()
    assert reports == []


class ForgetfulAgent(Agent[Any, Any]):
    """An agent that leaves out what broke off."""

    keep_interrupted = False


@pytest.mark.parametrize('way', [*READERS, raises, raises_to_the_end, node_stream_raises], ids=lambda way: way.__name__)
async def test_what_broke_off_can_be_left_out(way: Any):
    async def left_by(agent: Agent[Any, Any]) -> list[str]:
        with capture_run_messages() as messages:
            if way not in READERS:
                await way(agent)
                return outline(messages)
            with pytest.raises(OSError, match='lost') as caught:
                await way(agent)
        assert outline(caught.value.messages) == outline(messages)  # type: ignore[attr-defined]
        await goes_on(messages)
        return outline(messages)

    def model() -> Model:
        return Broken(fails_after=2) if way in READERS else Broken()

    one = Agent(model())
    one.keep_interrupted = False
    assert await left_by(one) == await left_by(ForgetfulAgent(model())) == ['user-prompt: q']
    assert (await left_by(Agent(model())))[-1] == 'interrupted'


async def test_usage_of_what_was_left_out_counts():
    agent, usage = ForgetfulAgent(Broken(fails_after=2)), RunUsage()
    with pytest.raises(OSError, match='lost'):
        await agent.run('q', usage=usage, event_stream_handler=nothing)
    assert usage.requests == 1
