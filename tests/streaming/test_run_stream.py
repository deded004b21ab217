"""`run_stream`: every way to read an answer while it comes in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict

from stead import Agent, ModelRetry, RunContext, TextOutput, UnexpectedModelBehavior, UsageLimitExceeded, UserError
from stead.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import DeltaThinkingPart
from stead.models.wrapper import WrapperModel
from stead.usage import UsageLimits

from .kit import call, in_virtual_time, outline, script

WORDS = ['one ', 'two ', 'three']


class Whale(TypedDict, total=False):
    name: str
    length: float


class Strict(BaseModel):
    name: str
    length: float


WHALE = {'name': 'Blue', 'length': 25.5}


@pytest.mark.parametrize('debounce_by', [None, 0.001, 0.5])
@pytest.mark.parametrize('delta', [False, True])
async def test_text_streams_as_deltas_or_as_a_whole(delta: bool, debounce_by: float | None):
    async with Agent(script(WORDS)).run_stream('q') as result:
        texts = [text async for text in result.stream_text(delta=delta, debounce_by=debounce_by)]
        assert result.is_complete
    assert (''.join(texts) if delta else texts[-1]) == 'one two three'
    if debounce_by is None:
        assert texts == (WORDS if delta else ['one ', 'one two ', 'one two three'])
    assert outline(result.all_messages()) == ['user-prompt: q', 'text: one two three']


async def test_before_and_after_reading():
    model = script(WORDS)
    async with Agent(model).run_stream('q') as result:
        assert (result.is_complete, result.response.state, model.open) == (False, 'incomplete', 1)
        assert outline(result.all_messages()) == ['user-prompt: q']
        assert (result.usage.requests, result.usage.output_tokens) == (1, 1)
        assert await result.get_output() == 'one two three'
        assert (result.is_complete, result.response.state, result.cancelled) == (True, 'complete', False)
        assert result.usage.output_tokens == 3
        assert result.new_messages() == result.all_messages()
    assert model.open == 0
    assert result.all_messages()[-1].run_id == result.run_id


async def test_reading_again_gives_what_was_read():
    async with Agent(script(WORDS)).run_stream('q') as result:
        assert [text async for text in result.stream_text(debounce_by=None)][-1] == 'one two three'
        assert [text async for text in result.stream_text(debounce_by=None)] == ['one two three']
        assert [text async for text in result.stream_text(debounce_by=0.01)] == ['one two three']
        assert [text async for text in result.stream_text(delta=True, debounce_by=0.01)] == ['one two three']
        assert [output async for output in result.stream_output()] == ['one two three']
        assert [response.state async for response in result.stream_response()] == ['complete']
        assert await result.get_output() == await result.get_output() == 'one two three'
        assert result.usage.requests == 1


@pytest.mark.parametrize('first', [None, 0.01])
@pytest.mark.parametrize('second', [None, 0.01])
@pytest.mark.parametrize('pause', [0, 0.02])
async def test_the_next_reader_goes_on_where_the_last_one_stopped(
    first: float | None, second: float | None, pause: float
):
    model = script(['one ', 0.03, 'two ', 0.03, 'three'])
    async with Agent(model).run_stream('q') as result:
        async for text in result.stream_text(debounce_by=first):
            assert text == 'one '
            break
        await asyncio.sleep(pause)
        texts = [text async for text in result.stream_text(debounce_by=second)]
        assert texts[-1] == 'one two three'
        assert texts == sorted(set(texts)), 'it only grows'
    assert outline(result.all_messages()) == ['user-prompt: q', 'text: one two three']


@pytest.mark.parametrize('debounce_by', [None, 0.01])
async def test_events_are_not_lost_between_readers(debounce_by: float | None):
    async with Agent(script(['one ', 0.03, 'two ', 0.03, 'three'])).iter('q') as run:
        node = await run.next(run.next_node)
        assert Agent.is_model_request_node(node)
        async with node.stream(run.ctx) as stream:
            async for _ in stream.stream_text(debounce_by=debounce_by):
                break
            texts = [e.delta.content_delta async for e in stream if e.event_kind == 'part_delta']  # type: ignore[union-attr]
    assert texts == ['two ', 'three']


async def test_a_reader_may_be_interrupted_while_it_waits():
    gate = asyncio.Event()
    async with Agent(script(['one ', gate, 'two'])).run_stream('q') as result:
        texts = result.stream_text(delta=True, debounce_by=0.001)
        assert await anext(texts) == 'one '
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await asyncio.wait_for(anext(texts), 0.01)
        gate.set()
        assert await result.get_output() == 'one two'


@in_virtual_time
async def test_slow_pieces_come_when_they_are_due():
    """Half a second of work in 100 pieces; a group must not wait for the end of it."""
    loop = asyncio.get_running_loop()
    pieces: list[Any] = [item for number in range(100) for item in (f'{number} ', 0.005)]
    async with Agent(script(pieces)).run_stream('q') as result:
        began, times, texts = loop.time(), [], []
        async for text in result.stream_text(delta=True, debounce_by=0.05):
            times.append(loop.time() - began)
            texts.append(text)
    assert ''.join(texts) == ''.join(f'{number} ' for number in range(100))
    assert 9 <= len(texts) <= 11, 'about a group every 0.05 seconds'
    assert times[0] < 0.3 * times[-1]


@in_virtual_time
async def test_text_waits_for_nothing_but_its_group():
    """A pause of the model does not hold back what came before it."""
    async with Agent(script(['one ', 0.2, 'two'])).run_stream('q') as result:
        texts = result.stream_text(debounce_by=0.01)
        assert await asyncio.wait_for(anext(texts), 0.15) == 'one '
        assert await anext(texts) == 'one two'


@in_virtual_time
async def test_text_goes_on_after_a_group_without_any():
    pieces = ['text', 0.2, {2: DeltaThinkingPart(content='ok')}, 0.2, ' on']
    for delta in (True, False):
        async with Agent(script(pieces)).run_stream('q') as result:
            texts = [text async for text in result.stream_text(delta=delta, debounce_by=0.01)]
            assert texts == (['text', ' on'] if delta else ['text', 'text on'])


async def test_a_slow_consumer_gets_everything():
    async with Agent(script([f'{number} ' for number in range(20)])).run_stream('q') as result:
        texts: list[str] = []
        async for text in result.stream_text(delta=True, debounce_by=0.001):
            texts.append(text)
            await asyncio.sleep(0.005)
    assert ''.join(texts) == ''.join(f'{number} ' for number in range(20))


async def test_text_around_other_parts_is_set_apart():
    pieces = [{1: DeltaThinkingPart(content='hm')}, 'text', {2: DeltaThinkingPart(content='ok')}, ' on']
    for delta in (True, False):
        async with Agent(script(pieces)).run_stream('q') as result:
            texts = [text async for text in result.stream_text(delta=delta, debounce_by=None)]
            assert (''.join(texts) if delta else texts[-1]) == result.response.text == 'text on'


@pytest.mark.parametrize('debounce_by', [None, 0.001])
async def test_structured_output_grows(debounce_by: float | None):
    model = script(call('final_result', WHALE, pieces=8))
    async with Agent(model, output_type=Whale).run_stream('q') as result:
        outputs = [output async for output in result.stream_output(debounce_by=debounce_by)]
    assert outputs[-1] == WHALE
    if debounce_by is None:
        assert {} in outputs or {'name': 'B'} in outputs or {'name': 'Bl'} in outputs, 'partial values come first'
        lengths = [len(json.dumps(output)) for output in outputs]
        assert lengths == sorted(lengths)
    assert outline(result.all_messages())[-1] == 'tool-return: Final result processed.'


async def test_partial_output_that_cannot_be_is_left_out():
    async with Agent(script(call('final_result', WHALE, pieces=8)), output_type=Strict).run_stream('q') as result:
        outputs = [output async for output in result.stream_output(debounce_by=None)]
    assert {output.name for output in outputs} == {'Blue'}, 'without a length it is no whale'
    assert outputs[-1] == Strict(**WHALE)


async def test_validators_know_that_output_is_partial():
    agent = Agent(script(WORDS))
    seen: list[tuple[bool, str]] = []

    @agent.output_validator
    def shout(ctx: RunContext[None], value: str) -> str:
        seen.append((ctx.partial_output, value))
        return value.upper()

    async with agent.run_stream('q') as result:
        assert [text async for text in result.stream_text(debounce_by=None)] == ['ONE ', 'ONE TWO ', 'ONE TWO THREE']
        assert await result.get_output() == 'ONE TWO THREE'
    assert [partial for partial, _ in seen] == [True, True, True, False]


async def test_an_invalid_answer_cannot_be_asked_for_again():
    agent = Agent(script(call('final_result', {'name': 'Blue'})), output_type=Strict)
    async with agent.run_stream('q') as result:
        with pytest.raises(UnexpectedModelBehavior, match='during streaming') as caught:
            await result.get_output()
        assert isinstance(caught.value.__cause__, ValidationError)
    assert outline(result.all_messages())[0] == 'user-prompt: q'


async def test_a_refused_answer_cannot_be_asked_for_again():
    agent = Agent(script(WORDS))

    @agent.output_validator
    def refuse(ctx: RunContext[None], value: str) -> str:
        if not ctx.partial_output:
            raise ModelRetry('not this')
        return value

    async with agent.run_stream('q') as result:
        with pytest.raises(UnexpectedModelBehavior, match='during streaming'):
            async for _ in result.stream_output(debounce_by=None):
                pass


async def test_responses_grow():
    async with Agent(script(WORDS)).run_stream('q') as result:
        states = [(r.text, r.state) async for r in result.stream_response(debounce_by=None)]
    assert states[0] == ('one ', 'incomplete')
    assert states[-1] == ('one two three', 'complete')
    assert [state for _, state in states[:-1]] == ['incomplete'] * (len(states) - 1)


async def test_a_response_can_be_validated_by_hand():
    async with Agent(script(call('final_result', WHALE)), output_type=Whale).run_stream('q') as result:
        half = ModelResponse(parts=[ToolCallPart('final_result', '{"name": "Bl')])
        assert await result.validate_response_output(half, allow_partial=True) == {'name': 'Bl'}
        with pytest.raises(ValidationError):
            await result.validate_response_output(half)
        with pytest.raises(UnexpectedModelBehavior, match='final_result'):
            await result.validate_response_output(ModelResponse(parts=[TextPart('no')]))
        async for response in result.stream_response(debounce_by=None):
            assert response.parts
        assert await result.validate_response_output(response) == WHALE


async def test_text_of_structured_output_is_refused():
    async with Agent(script(call('final_result', WHALE)), output_type=Whale).run_stream('q') as result:
        for delta in (True, False):
            with pytest.raises(UserError, match='stream_output'):
                async for _ in result.stream_text(delta=delta):
                    pass
        assert await result.get_output() == WHALE


async def test_text_functions_get_the_text():
    def words(text: str) -> list[str]:
        return text.split()

    async with Agent(script(WORDS), output_type=TextOutput(words)).run_stream('q') as result:
        outputs = [output async for output in result.stream_output(debounce_by=None)]
    assert outputs[0] == ['one']
    assert outputs[-1] == ['one', 'two', 'three']


async def test_tools_run_before_the_answer():
    agent = Agent(script([*call('look', {'x': 1}), *call('look', {'x': 2}, index=1)], ['the ', 'end']))
    seen: list[int] = []

    @agent.tool_plain
    def look(x: int) -> int:
        seen.append(x)
        return x

    async with agent.run_stream('q') as result:
        assert sorted(seen) == [1, 2]
        assert await result.get_output() == 'the end'
    assert (result.usage.requests, result.usage.tool_calls) == (2, 2)


async def test_a_tool_called_after_text_is_warned_of():
    agent = Agent(script(['let me see', *call('look')], ['never']))

    @agent.tool_plain
    def look() -> int:
        raise AssertionError

    with pytest.warns(UserWarning, match=r"tool 'look' for the answer, so the tool was not called.*until='end'"):
        async with agent.run_stream('q') as result:
            assert await result.get_output() == 'let me see'


async def test_history_and_json():
    history = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[TextPart('older')])]
    agent = Agent(script(call('final_result', WHALE)), output_type=Whale)
    async with agent.run_stream('q', message_history=history, metadata={'k': 1}, conversation_id='c') as result:
        await result.get_output()
    assert (len(result.all_messages()), len(result.new_messages())) == (5, 3)
    assert (result.metadata, result.conversation_id) == ({'k': 1}, 'c')
    assert len(json.loads(result.new_messages_json())) == 3
    changed = result.all_messages(output_tool_return_content='It is blue.')
    assert outline(changed)[-1] == 'tool-return: It is blue.'
    assert outline(json_messages(result.all_messages_json(output_tool_return_content='x')))[-1] == 'tool-return: x'
    assert outline(result.all_messages())[-1] == 'tool-return: Final result processed.'


def json_messages(data: bytes) -> Any:
    from stead.messages import ModelMessagesTypeAdapter

    return ModelMessagesTypeAdapter.validate_json(data)


async def test_limits_hold_while_the_response_comes_in():
    model = script([f'{number} ' for number in range(50)])
    with pytest.raises(UsageLimitExceeded, match='output_tokens_limit'):
        async with Agent(model).run_stream('q', usage_limits=UsageLimits(output_tokens_limit=5)) as result:
            texts = [text async for text in result.stream_text(delta=True, debounce_by=None)]
            raise AssertionError(f'not reached after {texts}')
    assert model.open == 0


async def test_a_run_that_hooks_answer_has_no_stream():
    from stead.capabilities import AbstractCapability

    class Answers(AbstractCapability[Any]):
        async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
            from stead.run import AgentRunResult

            return AgentRunResult('ready')

    async with Agent(script(WORDS), capabilities=[Answers()]).run_stream('q') as result:
        assert result.is_complete
        assert [text async for text in result.stream_text()] == ['ready']
        assert [output async for output in result.stream_output()] == ['ready']
        assert await result.get_output() == 'ready'
        with pytest.raises(ValueError, match='ended without a stream'):
            await result.validate_response_output(ModelResponse(parts=[]))


async def test_old_names_still_work():
    async with Agent(script(WORDS)).run_stream('q') as result:
        with pytest.warns(Warning, match='stream_output'):
            assert [output async for output in result.stream(debounce_by=None)][-1] == 'one two three'
    async with Agent(script(WORDS)).run_stream('q') as result:
        with pytest.warns(Warning, match='stream_response'):
            pairs = [(r.text, last) async for r, last in result.stream_responses(debounce_by=None)]
        assert (pairs[0], pairs[-1]) == (('one ', False), ('one two three', True))
        with pytest.warns(Warning, match='validate_response_output'):
            assert await result.validate_structured_output(result.response) == 'one two three'
    async with Agent(script(WORDS)).run_stream('q') as result:
        with pytest.warns(Warning):
            assert [last async for _, last in result.stream_structured(debounce_by=None)][-1]


class Closing(WrapperModel):
    """A model whose connection ends with an error of its own if reading it failed."""

    def __init__(self, wrapped: Any, own: BaseException | None) -> None:
        super().__init__(wrapped)
        self.own = own

    @asynccontextmanager
    async def request_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async with self.wrapped.request_stream(*args, **kwargs) as response:
            try:
                yield response
            except RuntimeError as error:
                if self.own is not None:
                    raise self.own from error
                raise


@pytest.mark.parametrize(('own', 'expected'), [(None, 'broke'), (LookupError('closed'), 'closed')])
async def test_an_error_of_closing_the_connection_takes_the_place_of_the_error_of_reading(
    own: Any, expected: str
) -> None:
    one = Agent(Closing(script(['some ', RuntimeError('broke')]), own))
    with pytest.raises((RuntimeError, LookupError), match=expected):
        async with one.run_stream('go') as result:
            async for _ in result.stream_text(debounce_by=None):
                pass


async def test_text_is_what_came_before_and_then_what_comes() -> None:
    one = Agent(script(['a', 'b', 'c']))
    async with one.run_stream('go') as result:
        first = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    assert first == ['a', 'b', 'c']
    async with Agent(script(['a', 'b', 'c'])).run_stream('go') as result:
        async for event in result.stream_response(debounce_by=None):
            if event.text == 'ab':
                break
        assert [piece async for piece in result.stream_text(delta=True, debounce_by=None)] == ['ab', 'c']
