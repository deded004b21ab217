"""`run_stream(until='end')`: every response is streamed, up to the one that really is the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict

from stead import Agent, ModelRetry, RunContext, ToolOutput, UnexpectedModelBehavior, UsageLimitExceeded, UserError
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    StreamAttemptEvent,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.usage import UsageLimits

from ..waiting import run_in_virtual_time
from .kit import call, event_names, outline, script


class Row(TypedDict, total=False):
    name: str
    size: int


def searching(*responses: Any, **options: Any) -> Agent[Any, Any]:
    agent: Agent[Any, Any] = Agent(script(*responses), **options)

    @agent.tool_plain
    def look() -> int:
        return 3

    return agent


def with_text_before_a_call() -> Agent[Any, Any]:
    return searching(['let me ', 'look', *call('look', index=1)], ['it ', 'is 3'])


@pytest.mark.parametrize('debounce_by', [None, 0.0001, 0.2])
async def test_text_before_a_tool_call_is_not_the_answer(debounce_by: float | None):
    async with with_text_before_a_call().run_stream('q', until='end') as result:
        texts: dict[int, str] = {}
        async for text in result.stream_text(debounce_by=debounce_by):
            assert text.startswith(texts.get(result.attempt, '')), 'it grows within an attempt'
            texts[result.attempt] = text
        assert result.is_complete
        assert texts[2] == 'it is 3' == await result.get_output()
        assert texts.get(1, 'let me look') == 'let me look'
    assert outline(result.all_messages()) == [
        'user-prompt: q',
        'text: let me look',
        'tool-call: {}',
        'tool-return: 3',
        'text: it is 3',
    ]
    assert (result.usage.requests, result.usage.tool_calls) == (2, 1)


@pytest.mark.parametrize('debounce_by', [None, 0.0001, 0.2])
async def test_deltas_of_one_attempt_are_not_mixed_with_those_of_another(debounce_by: float | None):
    async with with_text_before_a_call().run_stream('q', until='end') as result:
        texts: dict[int, str] = {}
        async for piece in result.stream_text(delta=True, debounce_by=debounce_by):
            assert piece, 'only text is yielded'
            texts[result.attempt] = texts.get(result.attempt, '') + piece
    assert texts == {1: 'let me look', 2: 'it is 3'}


async def test_by_default_it_is():
    with pytest.warns(UserWarning, match="until='end'"):
        async with with_text_before_a_call().run_stream('q') as result:
            assert await result.get_output() == 'let me look'
            assert result.attempt == 1


async def test_a_refused_output_is_asked_for_again():
    agent: Agent[Any, Any] = Agent(
        script(call('final_result', {'name': 'Nemo', 'size': -1}), call('final_result', {'name': 'Moby', 'size': 9})),
        output_type=ToolOutput(Row, name='final_result'),
    )

    @agent.output_validator
    def check(ctx: RunContext[Any], row: Row) -> Row:
        if not ctx.partial_output and row.get('size', 0) < 0:
            raise ModelRetry('too small')
        return row

    events: list[Any] = []

    async def handler(ctx: Any, stream: Any) -> None:
        async for event in stream:
            events.append(event)

    async with agent.run_stream('q', until='end', event_stream_handler=handler) as result:
        outputs = [(result.attempt, output) async for output in result.stream_output(debounce_by=None)]
    assert (1, {'name': 'Nemo', 'size': -1}) in outputs
    assert outputs[-1] == (2, {'name': 'Moby', 'size': 9})
    assert [attempt for attempt, _ in outputs] == sorted(attempt for attempt, _ in outputs)
    attempts = [event for event in events if isinstance(event, StreamAttemptEvent)]
    assert attempts == [StreamAttemptEvent(attempt=2, reason='retry')]
    place = events.index(attempts[0])
    assert event_names(events[place - 1 : place + 2]) == [
        'FunctionToolResultEvent',
        'StreamAttemptEvent',
        'PartStartEvent',
    ]


async def test_each_attempt_says_why_it_was_not_the_last():
    """A call after text, a refused answer, and a message that someone enqueued."""
    agent = searching(['a ', *call('look', index=1)], ['bad'], ['good'], ['at ', 'last'])

    @agent.output_validator
    def check(ctx: RunContext[Any], text: str) -> str:
        if not ctx.partial_output:
            if text == 'bad':
                raise ModelRetry('no')
            if text == 'good':
                ctx.enqueue('and more', priority='when_idle')
        return text

    reasons: list[str] = []

    async def handler(ctx: Any, stream: Any) -> None:
        async for event in stream:
            if isinstance(event, StreamAttemptEvent):
                reasons.append(event.reason)

    async with agent.run_stream('q', until='end', event_stream_handler=handler) as result:
        texts = [text async for text in result.stream_text(debounce_by=None)]
    assert reasons == ['tool-calls', 'retry', 'message']
    assert (texts, result.attempt) == (['a ', 'bad', 'good', 'at ', 'at last'], 4)


async def test_calls_alone_are_no_attempt():
    async with searching(call('look'), call('look'), ['end']).run_stream('q', until='end') as result:
        assert [text async for text in result.stream_text(debounce_by=None)] == ['end']
        assert (result.attempt, result.usage.requests) == (1, 3)


async def test_partial_output_that_a_validator_refuses_is_left_out():
    agent = Agent(script(['ok ', 'bad ', 'ok'], ['fine']))

    @agent.output_validator
    def check(text: str) -> str:
        if text.endswith('bad '):
            raise ModelRetry('no')
        return text

    async with agent.run_stream('q', until='end') as result:
        assert [text async for text in result.stream_text(debounce_by=None)] == ['ok ', 'ok bad ok']


async def test_what_is_known_meanwhile():
    async with with_text_before_a_call().run_stream('q', until='end', metadata={'k': 1}) as result:
        assert (result.response.text, result.response.state) == ('let me ', 'incomplete')
        assert (result.usage.requests, result.metadata) == (1, {'k': 1})
        assert outline(result.all_messages()) == ['user-prompt: q']
        assert result.timestamp == result.response.timestamp
        states = [response.state async for response in result.stream_response(debounce_by=None)]
        assert states[-1] == 'complete'
        assert result.response is result.all_messages()[-1]
    assert result.run_id == result.all_messages()[-1].run_id
    assert result.conversation_id == result.all_messages()[0].conversation_id


async def test_readers_take_turns():
    model = script(['a ', 0.01, 'b ', *call('look', index=1)], ['c ', 0.01, 'd'])
    agent = searching()
    with agent.override(model=model):
        async with agent.run_stream('q', until='end') as result:
            async for text in result.stream_text(debounce_by=0.0001):
                assert text == 'a '
                break
            async for text in result.stream_text(debounce_by=None):
                if result.attempt == 2:
                    break
            assert text == 'c '
            assert [text async for text in result.stream_text(debounce_by=0.0001)] == ['c ', 'c d']
            assert [text async for text in result.stream_text()] == ['c d']
            assert [output async for output in result.stream_output()] == ['c d']


@pytest.mark.parametrize('debounce_by', [None, 0.0001])
async def test_a_reader_may_give_up_waiting(debounce_by: float | None):
    gates = [asyncio.Event(), asyncio.Event()]
    model = script(['a ', gates[0], 'b ', *call('look', index=1)], [gates[1], 'c'])
    with (agent := searching()).override(model=model):
        async with agent.run_stream('q', until='end') as result:
            texts = result.stream_text(debounce_by=debounce_by)
            assert await anext(texts) == 'a '
            for gate in gates:
                for _ in range(10):
                    with pytest.raises((asyncio.TimeoutError, TimeoutError)):
                        await asyncio.wait_for(result.get_output(), 0.001)
                gate.set()
            assert await result.get_output() == 'c'


async def test_the_run_waits_while_nobody_reads():
    agent = Agent(script(['a', *call('look', index=1)], ['b']))
    called: list[int] = []

    @agent.tool_plain
    def look() -> None:
        called.append(1)

    async with agent.run_stream('q', until='end'):
        await asyncio.sleep(0.01)
        assert called == []
    await asyncio.sleep(0.01)
    assert called == []


async def test_errors_of_the_run_reach_the_reader():
    agent = Agent(script(['a'], ['b'], ['c']), retries={'output': 1})

    @agent.output_validator
    def check(ctx: RunContext[Any], text: str) -> str:
        if not ctx.partial_output:
            raise ModelRetry('no')
        return text

    async with agent.run_stream('q', until='end') as result:
        with pytest.raises(UnexpectedModelBehavior, match='output retries') as caught:
            async for _ in result.stream_text(debounce_by=0.0001):
                pass
        with pytest.raises(UnexpectedModelBehavior, match='output retries'):
            await result.get_output()
    assert outline(caught.value.messages)[-1] == 'text: b'
    with pytest.raises(UsageLimitExceeded):
        limits = UsageLimits(request_limit=1)
        async with with_text_before_a_call().run_stream('q', until='end', usage_limits=limits) as result:
            await result.get_output()
    with pytest.raises(LookupError, match='at once'):
        async with Agent(script([LookupError('at once')])).run_stream('q', until='end'):
            raise AssertionError('entered')


async def test_until_takes_two_values_and_only_where_it_is_an_option():
    with pytest.raises(UserError, match="'final-result' or 'end', not 'noon'"):
        Agent('test').run_stream('q', until='noon')  # type: ignore[arg-type]
    with pytest.raises(UserError, match="no option 'until'"):
        await Agent('test').run('q', until='end')  # type: ignore[call-arg]
    async with Agent(script(call('final_result', {'response': 3})), output_type=int).run_stream(
        'q', until='end'
    ) as result:
        with pytest.raises(UserError, match='stream_output'):
            async for _ in result.stream_text():
                pass
        assert await result.get_output() == 3


async def test_messages_with_another_text_for_the_output():
    model = script(call('final_result', {'response': 3}))
    history = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[TextPart('older')])]
    async with Agent(model, output_type=int).run_stream('q', until='end', message_history=history) as result:
        assert await result.get_output() == 3
    assert outline(result.new_messages(output_tool_return_content='It is three.'))[-1] == 'tool-return: It is three.'
    assert len(result.new_messages()) == 3


async def test_a_response_can_be_validated_by_hand():
    class Whale(BaseModel):
        name: str

    model = script(call('final_result', {'name': 'Moby'}))
    async with Agent(model, output_type=Whale).run_stream('q', until='end') as result:
        message = ModelResponse(parts=[ToolCallPart('final_result', {'name': 'Nemo'})])
        assert await result.validate_response_output(message) == Whale(name='Nemo')
        assert await result.get_output() == Whale(name='Moby')


async def test_a_run_that_resumes_calls():
    """The first thing that happens is a tool, not a response."""
    history = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[ToolCallPart('look', {}, 'c')])]
    async with searching(['it ', 'is 3']).run_stream(message_history=history, until='end') as result:
        assert [text async for text in result.stream_text(debounce_by=None)] == ['it ', 'it is 3']


async def test_a_run_without_any_response():
    from stead import AgentRunResult
    from stead.capabilities import AbstractCapability

    class Answers(AbstractCapability[Any]):
        async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
            return AgentRunResult('ready')

    async with Agent(script(['x']), capabilities=[Answers()]).run_stream('q', until='end') as result:
        assert result.is_complete
        assert [text async for text in result.stream_text()] == ['ready']


async def test_text_of_a_new_attempt_is_not_set_apart_from_that_of_the_last_one():
    native = NativeToolCallPart('web_search', {'query': 'q'}, tool_call_id='native')
    agent = searching(['let me look', *call('look', index=1)], [{0: native}, 'it is 3'])
    async with agent.run_stream('q', until='end') as result:
        texts = [text async for text in result.stream_text(debounce_by=None)]
    assert texts[-1] == 'it is 3'


async def test_the_output_of_a_later_attempt_grows_as_the_first_one_does():
    rows = [{'name': 'Nemo', 'size': 1}, {'name': 'Moby Dick', 'size': 9}]
    agent: Agent[Any, Any] = Agent(
        script(['hm, ', *call('look', index=1)], call('final_result', rows[1], pieces=12)),
        output_type=ToolOutput(Row, name='final_result'),
    )
    agent.tool_plain(lambda: 3, name='look')
    async with agent.run_stream('q', until='end') as result:
        outputs = [output async for output in result.stream_output(debounce_by=None)]
    assert outputs[-1] == rows[1]
    assert {'name': 'Moby'} in [{'name': output.get('name', '')[:4]} for output in outputs[:-1]]
    assert len(outputs) > 4


@pytest.mark.parametrize('until', ['end', 'first-output'])
async def test_half_a_response_is_valid_only_where_that_is_asked_for(until: Any):
    half = ModelResponse(parts=[ToolCallPart('final_result', '{"name": "Ne')])
    answers = script(call('final_result', {'name': 'Nemo'}))
    agent: Agent[Any, Any] = Agent(answers, output_type=ToolOutput(Row, name='final_result'))
    async with agent.run_stream('q', **({'until': until} if until == 'end' else {})) as result:
        assert await result.validate_response_output(half, allow_partial=True) == {'name': 'Ne'}
        with pytest.raises(ValidationError):
            await result.validate_response_output(half)


@pytest.mark.parametrize('until', ['end', 'final-result'])
def test_deltas_that_come_within_a_group_are_joined(until: Any) -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for piece in 'abcdefgh':
            yield piece
            await asyncio.sleep(0.01)

    async def main() -> list[str]:
        async with Agent(FunctionModel(stream_function=stream)).run_stream('go', until=until) as result:
            return [piece async for piece in result.stream_text(delta=True, debounce_by=1)]

    pieces = run_in_virtual_time(main())
    assert ''.join(pieces) == 'abcdefgh'
    assert len(pieces) <= 3
