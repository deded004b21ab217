"""A `FallbackModel` in mid-stream: the next model where nothing was seen yet, and after that what `on_partial` says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, UsageLimits, UserError
from stead.exceptions import FallbackExceptionGroup, ModelAPIError, ModelHTTPError, UsageLimitExceeded
from stead.messages import (
    AgentStreamEvent,
    ModelMessage,
    ModelResponse,
    ResponseRestartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from stead.models._telemetry import AnsweringModel
from stead.models.fallback import CircuitBreaker, FallbackModel
from stead.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel

Item = Any
BROKEN = ModelAPIError('a', 'the connection broke')


class Source:
    """A model that streams what it is given, and notes how often it was asked and whether its stream was closed."""

    def __init__(self, name: str, *answers: list[Item]) -> None:
        self.answers = list(answers)
        self.requests = self.closed = 0
        self.model = FunctionModel(stream_function=self._stream, model_name=name)

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        self.requests += 1
        try:
            for item in self.answers.pop(0):
                if isinstance(item, Exception):
                    raise item
                if isinstance(item, asyncio.Event):
                    await item.wait()
                else:
                    yield item
        finally:
            self.closed += 1


def pair(first: list[Item], second: list[Item], **options: Any) -> tuple[Source, Source, FallbackModel]:
    one, two = Source('a', first), Source('b', second)
    return one, two, FallbackModel(one.model, two.model, **options)


def call(arguments: str, name: str | None = None) -> dict[int, DeltaToolCall]:
    return {0: DeltaToolCall(name=name, json_args=arguments, tool_call_id='c1')}


@pytest.mark.parametrize('on_partial', ['raise', 'restart'])
@pytest.mark.parametrize('opening', ['nothing', 'empty text', 'empty thinking'])
def test_the_next_model_answers_where_nothing_was_seen(on_partial: str, opening: str) -> None:
    first = {'nothing': [], 'empty text': ['', ''], 'empty thinking': [{0: DeltaThinkingPart(content='')}]}[opening]
    one, two, model = pair([*first, BROKEN], ['who', 'le'], on_partial=on_partial)

    async def main() -> list[str]:
        async with Agent(model).run_stream('hi') as result:
            texts = [text async for text in result.stream_text(debounce_by=None)]
            assert [message.kind for message in result.all_messages()] == ['request', 'response']
            return texts

    assert asyncio.run(main()) == ['who', 'whole']
    assert (one.requests, one.closed, two.requests, two.closed) == (1, 1, 1, 1)


def test_what_was_seen_and_breaks_off_is_an_error_by_default() -> None:
    one, two, model = pair(['par', BROKEN], ['whole'])

    async def main() -> None:
        async with Agent(model).run_stream('hi') as result:
            async for _ in result.stream_text(debounce_by=None):
                pass

    with pytest.raises(ModelAPIError, match='the connection broke'):
        asyncio.run(main())
    assert (one.closed, two.requests) == (1, 0)


@pytest.mark.parametrize('debounce_by', [None, 0.01])
def test_the_response_begins_again_from_the_next_model(debounce_by: float | None) -> None:
    one, two, model = pair(['par', 'tial', BROKEN], ['who', 'le'], on_partial='restart')

    async def main() -> Any:
        with AnsweringModel(model) as answering:
            async with Agent(model).run_stream('hi') as result:
                texts = [text async for text in result.stream_text(debounce_by=debounce_by)]
            assert answering.model is two.model
        return texts, result

    texts, result = asyncio.run(main())
    assert texts[-1] == 'whole'
    if debounce_by is None:
        assert texts == ['par', 'partial', 'who', 'whole']
    response: ModelResponse = result.response
    assert (response.parts, response.model_name, response.state) == ([TextPart('whole')], 'b', 'complete')
    assert [message.kind for message in result.all_messages()] == ['request', 'response']
    assert (one.closed, two.closed) == (1, 1)


def test_usage_has_that_of_the_response_that_broke_off() -> None:
    _, _, alone = pair([BROKEN], ['whole'], on_partial='restart')
    _, _, both = pair(['some words of it', BROKEN], ['whole'], on_partial='restart')

    async def used(model: FallbackModel, **options: Any) -> Any:
        async with Agent(model).run_stream('hi', **options) as result:
            await result.get_output()
        return result.usage

    without, with_lost = asyncio.run(used(alone)), asyncio.run(used(both))
    assert with_lost.output_tokens > without.output_tokens
    assert with_lost.input_tokens == 2 * without.input_tokens
    assert (without.requests, with_lost.requests) == (1, 1)
    _, _, limited = pair(['some words of it', BROKEN], ['whole'], on_partial='restart')
    limits = UsageLimits(output_tokens_limit=without.output_tokens + 1)
    with pytest.raises(UsageLimitExceeded):
        asyncio.run(used(limited, usage_limits=limits))


def test_an_event_says_so_to_all_that_read_events() -> None:
    def seen(events: list[AgentStreamEvent]) -> list[ResponseRestartEvent]:
        return [event for event in events if isinstance(event, ResponseRestartEvent)]

    expected = ResponseRestartEvent(model_name='b', failed_model_name='a', error='ModelAPIError: the connection broke')
    parts = [{0: DeltaThinkingPart(content='hm')}, 'par', BROKEN], [{0: DeltaThinkingPart(content='so')}, 'whole']

    async def main() -> None:
        _, _, model = pair(*parts, on_partial='restart')
        async with Agent(model).run_stream_events('hi') as events:
            assert seen([event async for event in events]) == [expected]

        handled: list[AgentStreamEvent] = []

        async def handle(ctx: object, events: Any) -> None:
            handled.extend([event async for event in events])

        _, _, model = pair(*parts, on_partial='restart')
        result = await Agent(model).run('hi', event_stream_handler=handle)
        assert result.response.parts == [ThinkingPart('so'), TextPart('whole')]
        assert seen(handled) == [expected]

        _, _, model = pair(*parts, on_partial='restart')
        async with Agent(model).run_stream('hi', until='end') as streamed:
            assert [text async for text in streamed.stream_text(debounce_by=None)] == ['par', 'whole']

    asyncio.run(main())


class Rows(BaseModel):
    rows: list[int]


@pytest.mark.parametrize('until', ['answer', 'end'])
def test_output_that_grows_begins_again(until: Any) -> None:
    first = [call('{"rows": [1, 2, ', 'final_result'), call('3, '), BROKEN]
    second = [call('{"rows": [7, ', 'final_result'), call('8]}')]
    _, two, model = pair(first, second, on_partial='restart')

    async def main() -> list[list[int]]:
        async with Agent(model, output_type=Rows).run_stream(
            'hi', **({'until': 'end'} if until == 'end' else {})
        ) as result:
            return [output.rows async for output in result.stream_output(debounce_by=None)]

    outputs = asyncio.run(main())
    assert outputs[-1] == [7, 8]
    assert [1, 2, 3] in outputs
    assert two.closed == 1


def test_calls_of_a_response_that_broke_off_are_not_made() -> None:
    one, two = Source('a', [call('{"x": 1}', 'pay'), BROKEN]), Source('b', [call('{"x": 2}', 'pay')], ['done'])
    spare = Source('a', [BROKEN])
    one.answers += spare.answers
    agent = Agent(FallbackModel(one.model, two.model, on_partial='restart'))
    paid: list[int] = []

    @agent.tool_plain
    def pay(x: int) -> str:
        paid.append(x)
        return 'paid'

    async def main() -> Any:
        async with agent.run_stream_events('hi') as events:
            return [event async for event in events][-1]

    result = asyncio.run(main()).result
    assert (result.output, paid) == ('done', [2])
    calls = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolCallPart)]
    assert [part.args for part in calls] == ['{"x": 2}']


def test_the_errors_of_all_are_told() -> None:
    last = ModelAPIError('b', 'no power')
    _, _, model = pair(['par', BROKEN], ['tial', last], on_partial='restart')

    async def main() -> None:
        async with Agent(model).run_stream('hi') as result:
            await result.get_output()

    with pytest.raises(FallbackExceptionGroup) as caught:
        asyncio.run(main())
    assert list(caught.value.exceptions) == [BROKEN, last]


@pytest.mark.parametrize('later', [False, True], ids=['at once', 'after a restart'])
def test_errors_that_are_not_to_fall_back_on_are_raised(later: bool) -> None:
    wrong = ValueError('wrong')
    streams = (['par', BROKEN], ['tial', wrong]) if later else (['par', wrong], ['whole'])
    one, two, model = pair(*streams, on_partial='restart')

    async def main() -> None:
        async with Agent(model).run_stream('hi') as result:
            await result.get_output()

    with pytest.raises(ValueError, match='wrong'):
        asyncio.run(main())
    assert (one.closed, two.closed) == (1, int(later))


@pytest.mark.parametrize('leave', ['cancelled', 'left', 'stopped'])
def test_whatever_ends_it_leaves_nothing_open(leave: str) -> None:
    async def main() -> None:
        never = asyncio.Event()
        one, two, model = pair(['par', BROKEN], ['who', never, 'le'], on_partial='restart')
        restarted = asyncio.Event()

        async def read() -> None:
            async with Agent(model).run_stream('hi') as result:
                async for text in result.stream_text(debounce_by=None):
                    if text == 'who':
                        restarted.set()
                        if leave == 'left':
                            return
                        if leave == 'stopped':
                            await result.cancel()
                            return

        before = asyncio.all_tasks()
        reading = asyncio.ensure_future(read())
        await restarted.wait()
        if leave == 'cancelled':
            reading.cancel()
        await asyncio.wait([reading])
        assert (one.closed, two.closed) == (1, 1)
        assert asyncio.all_tasks() == before

    asyncio.run(main())


def test_what_happens_is_one_of_three() -> None:
    with pytest.raises(UserError, match="'raise', 'restart' or 'retry'"):
        FallbackModel('test', on_partial='again')  # type: ignore[arg-type]


PIECES = [f'{number:02} ' for number in range(40)]
WHOLE = ''.join(PIECES)


@pytest.mark.parametrize('on_partial', ['restart', 'retry'])
@pytest.mark.parametrize('at', range(40))
def test_an_error_of_the_server_at_every_place(at: int, on_partial: Any) -> None:
    """The answer is whole, no text comes twice, and the usage of both tries counts."""
    broken = [*PIECES[:at], ModelHTTPError(500, 'a')]

    def model() -> tuple[Source, Source, FallbackModel]:
        if on_partial == 'retry':
            one = Source('a', broken, PIECES)
            return one, one, FallbackModel(one.model, on_partial='retry')
        return pair(broken, PIECES, on_partial='restart')

    async def read(**options: Any) -> tuple[list[str], Any]:
        _, two, both = model()
        if on_partial == 'retry' and not at:  # nothing was seen, so the next model is asked, and there is none
            both = FallbackModel(both.models[0], both.models[0], on_partial='retry')
        async with Agent(both).run_stream('hi') as result:
            texts = [text async for text in result.stream_text(**options)]
            assert await result.get_output() == WHOLE and two.closed == two.requests
        assert [message.kind for message in result.all_messages()] == ['request', 'response']
        return texts, result

    for debounce_by in (None, 0.001):
        deltas, result = asyncio.run(read(delta=True, debounce_by=debounce_by))
        assert ''.join(deltas) == WHOLE
        texts, _ = asyncio.run(read(debounce_by=debounce_by))
        assert texts[-1] == WHOLE

    async def whole() -> Any:
        async with Agent(Source('a', PIECES).model).run_stream('hi') as result:
            await result.get_output()
        return result.usage

    lost = asyncio.run(whole())
    assert result.usage.output_tokens == lost.output_tokens + at
    assert result.usage.input_tokens == lost.input_tokens * (2 if at else 1)


def deltas_of(first: list[Item], second: list[Item], debounce_by: float | None) -> str:
    async def main() -> str:
        _, _, model = pair([*first, BROKEN], second, on_partial='restart')
        async with Agent(model).run_stream('hi') as result:
            return '|'.join([text async for text in result.stream_text(delta=True, debounce_by=debounce_by)])

    return asyncio.run(main())


@pytest.mark.parametrize(
    ('second', 'shown'),
    [
        (['The capital', ' of Peru', ' is Lima.'], 'The |capital of| Peru| is Lima.'),
        (['The capital of Peru'], 'The |capital of| Peru'),
        (['The cap', 'ybara'], 'The |capital of|The capybara'),
        (['The ', 'capital of'], 'The |capital of'),
        (['The ', 'cap'], 'The |capital of|The cap'),
        (['Lima', '.'], 'The |capital of|Lima|.'),
    ],
)
def test_deltas_repeat_nothing_that_the_next_model_says_as_well(second: list[str], shown: str) -> None:
    found = deltas_of(['The ', 'capital of'], second, None)
    assert found.replace('|', '') == shown.replace('|', '')
    assert deltas_of(['The ', 'capital of'], second, 0.001).replace('|', '') == shown.replace('|', '').replace(
        'ofPeru', 'of Peru'
    )


def test_the_same_model_is_asked_once_more_and_then_the_next() -> None:
    one, two = Source('a', ['par', BROKEN], ['part', BROKEN], ['never']), Source('b', ['who', BROKEN], ['whole'])

    async def main() -> Any:
        async with Agent(FallbackModel(one.model, two.model, on_partial='retry')).run_stream_events('hi') as events:
            return [event async for event in events]

    *events, last = asyncio.run(main())
    again = [(event.failed_model_name, event.model_name) for event in events if isinstance(event, ResponseRestartEvent)]
    assert again == [('a', 'a'), ('a', 'b'), ('b', 'b')] and last.result.output == 'whole'
    assert (one.requests, two.requests) == (2, 2)


class Answers:
    """A model that answers, or fails while it is down."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.down, self.asked = False, 0
        self.error = error or ModelHTTPError(503, name)
        self.model = FunctionModel(self._answer, stream_function=self._stream, model_name=name)

    def _check(self) -> None:
        self.asked += 1
        if self.down:
            raise self.error

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self._check()
        return ModelResponse(parts=[TextPart(self.model.model_name)])

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        self._check()
        yield self.model.model_name


async def answer(model: FallbackModel, is_streamed: bool, **options: Any) -> Any:
    if not is_streamed:
        return await Agent(model).run('hi', **options)
    async with Agent(model).run_stream('hi', **options) as result:
        await result.get_output()
    return result


@pytest.mark.parametrize('is_streamed', [False, True])
@pytest.mark.parametrize('on_partial', ['raise', 'restart'])
def test_a_conversation_stays_with_the_model_that_has_answered(is_streamed: bool, on_partial: Any) -> None:
    async def main() -> None:
        one, two = Answers('large'), Answers('large-2')
        model = FallbackModel(one.model, two.model, sticky=True, on_partial=on_partial)
        one.down = True
        result = await answer(model, is_streamed)
        one.down = False
        result = await answer(model, is_streamed, message_history=result.all_messages())
        assert (result.response.model_name, one.asked, two.asked) == ('large-2', 1, 2)
        two.down = True
        result = await answer(model, is_streamed, message_history=result.all_messages())
        assert result.response.model_name == 'large'
        assert (await answer(model, is_streamed)).response.model_name == 'large'  # another conversation

    asyncio.run(main())


@pytest.mark.parametrize('is_streamed', [False, True])
@pytest.mark.parametrize('on_partial', ['raise', 'restart'])
def test_a_model_that_fails_is_left_alone_by_all_runs(is_streamed: bool, on_partial: Any, monkeypatch: Any) -> None:
    now = [0.0]
    monkeypatch.setattr(time, 'monotonic', lambda: now[0])

    async def main() -> None:
        one, two = Answers('a'), Answers('b')
        breaker = CircuitBreaker(failures=2, seconds=10)
        models = [FallbackModel(one.model, two.model, breaker=breaker, on_partial=on_partial) for _ in range(2)]
        one.down = True
        for model in models * 3:
            assert (await answer(model, is_streamed)).response.model_name == 'b'
        assert one.asked == 2 and breaker.is_open(one.model)
        now[0] = 11
        await answer(models[0], is_streamed)  # the try, which fails
        await answer(models[0], is_streamed)
        assert one.asked == 3
        now[0], one.down = 22, False
        assert (await answer(models[1], is_streamed)).response.model_name == 'a'
        assert (await answer(models[0], is_streamed)).response.model_name == 'a' and not breaker.is_open(one.model)
        one.down = two.down = True
        for _ in range(3):
            with pytest.raises(FallbackExceptionGroup):
                await answer(models[0], is_streamed)
        one.down = two.down = False
        assert (await answer(models[0], is_streamed)).response.model_name == 'a'  # all are left alone: better than none

    asyncio.run(main())


def test_what_a_breaker_counts() -> None:
    model = Answers('a').model
    for error, counts in [
        (ModelHTTPError(400, 'a'), False),
        (ModelHTTPError(429, 'a'), True),
        (ModelHTTPError(500, 'a'), True),
        (ModelAPIError('a', 'no connection'), True),
        (ValueError('a'), False),
    ]:
        breaker = CircuitBreaker(failures=1)
        breaker.failed(model, error)
        assert breaker.is_open(model) is counts, error
    with pytest.raises(UserError, match='`seconds`'):
        CircuitBreaker(seconds=0)
    with pytest.raises(UserError, match='`breaker`'):
        FallbackModel('test', breaker=3)  # type: ignore[arg-type]
