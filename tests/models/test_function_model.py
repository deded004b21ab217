"""`FunctionModel`: a function in the place of a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from stead import Agent, UserError
from stead.messages import (
    BinaryContent,
    FilePart,
    ModelMessage,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
    ToolCallPartDelta,
)
from stead.models import ModelRequestParameters
from stead.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.usage import RequestUsage

from .kit import TEXT, do, streamed, tool, user


def text_response(text: str = 'said') -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)])


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return text_response()


async def later(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    await asyncio.sleep(0)
    return text_response('later')


def pieces(*items: Any) -> FunctionModel:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for item in items:
            yield item

    return FunctionModel(stream_function=stream)


def test_the_function_answers():
    assert Agent(FunctionModel(answer)).run_sync('x').output == 'said'
    assert Agent(FunctionModel(later)).run_sync('x').output == 'later'


def test_the_name_of_a_model_is_that_of_its_functions():
    class Caller:
        def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            return text_response()

    assert FunctionModel(answer).model_name == 'function:answer:'
    assert FunctionModel(answer, stream_function=pieces).model_name == 'function:answer:pieces'  # type: ignore[arg-type]
    assert FunctionModel(Caller()).model_name == 'function:Caller:'
    named = FunctionModel(answer, model_name='mine')
    assert (named.model_name, named.system) == ('mine', 'function')
    assert do(named.request([user()], None, TEXT)).model_name == 'mine'


def test_what_the_function_is_told():
    seen: list[AgentInfo] = []

    def look(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info)
        return ModelResponse(parts=[ToolCallPart('final_result', {'response': 3})])

    agent = Agent(
        FunctionModel(look, settings={'seed': 1, 'max_tokens': 2}),
        output_type=int,
        instructions='be kind',
        model_settings={'seed': 4},
    )

    @agent.tool_plain
    def helper() -> str:
        return ''

    assert agent.run_sync('x', instructions='and brief').output == 3
    (info,) = seen
    assert [each.name for each in info.function_tools] == ['helper']
    assert [each.name for each in info.output_tools] == ['final_result']
    assert info.allow_text_output is False
    assert info.model_settings == {'seed': 4, 'max_tokens': 2}
    assert info.instructions == 'be kind\nand brief'
    assert info.model_request_parameters.output_mode == 'tool'


def test_functions_of_the_other_kind_are_missed():
    with pytest.raises(TypeError, match='needs a `function`, a `stream_function`, or both'):
        FunctionModel()
    with pytest.raises(UserError, match='give it a `function` to use `run`'):
        Agent(pieces('x')).run_sync('x')


@pytest.mark.parametrize('wrong', ['text', None, TextPart('x')])
def test_something_that_is_no_response(wrong: Any):
    with pytest.raises(UserError, match=f'must return a `ModelResponse`, not {type(wrong).__name__}'):
        Agent(FunctionModel(lambda messages, info: wrong)).run_sync('x')


def test_usage_is_estimated_unless_it_is_given():
    response = do(FunctionModel(answer).request([user('one two three')], None, TEXT))
    assert response.usage == RequestUsage(input_tokens=53, output_tokens=1)
    counted = ModelResponse(parts=[TextPart('x')], usage=RequestUsage(output_tokens=7))
    assert do(FunctionModel(lambda messages, info: counted).request([user()], None, TEXT)).usage.output_tokens == 7


def test_every_function_can_be_sent_native_tools():
    from stead.native_tools import CodeExecutionTool

    seen: list[Any] = []

    def look(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.extend(info.model_request_parameters.native_tools)
        return text_response()

    do(FunctionModel(look).request([user()], None, ModelRequestParameters(native_tools=[CodeExecutionTool()])))
    assert seen == [CodeExecutionTool()]


SCRIPTS: list[tuple[list[Any], list[Any]]] = [
    (['Hello ', 'world'], [TextPart('Hello world')]),
    (
        [{0: DeltaToolCall('f', '{"a"', tool_call_id='c')}, {0: DeltaToolCall(json_args=': 1}')}],
        [ToolCallPart('f', '{"a": 1}', tool_call_id='c')],
    ),
    (
        [{0: DeltaToolCall('f', tool_call_id='c')}, {0: DeltaToolCall('oo', '{}')}],
        [ToolCallPart('foo', '{}', tool_call_id='c')],
    ),
    (
        [{0: DeltaToolCall('f', '{}', tool_call_id='c'), 1: DeltaToolCall('g', '{}', tool_call_id='d')}],
        [ToolCallPart('f', '{}', tool_call_id='c'), ToolCallPart('g', '{}', tool_call_id='d')],
    ),
    (
        [{0: DeltaThinkingPart(content='Hm')}, {0: DeltaThinkingPart(content=', well', signature='s')}, 'So be it.'],
        [ThinkingPart('Hm, well', signature='s', provider_name='function'), TextPart('So be it.')],
    ),
    (
        ['Look: ', {1: DeltaToolCall('f', '{}', tool_call_id='c')}],
        [TextPart('Look: '), ToolCallPart('f', '{}', tool_call_id='c')],
    ),
    (
        [
            {0: NativeToolCallPart('web_search', {'q': 'x'}, tool_call_id='n')},
            {1: NativeToolReturnPart('web_search', ['found'], tool_call_id='n')},
        ],
        [
            NativeToolCallPart('web_search', {'q': 'x'}, tool_call_id='n'),
            NativeToolReturnPart('web_search', ['found'], tool_call_id='n'),
        ],
    ),
]


@pytest.mark.parametrize(('script', 'parts'), SCRIPTS)
def test_pieces_become_parts(script: list[Any], parts: list[Any]):
    events, response = do(streamed(pieces(*script)))
    answer_so_far = response.get()
    for part, expected in zip(answer_so_far.parts, parts, strict=True):
        if isinstance(expected, NativeToolReturnPart):
            expected.timestamp = part.timestamp
        assert part == expected
    assert (answer_so_far.state, answer_so_far.model_name, answer_so_far.provider_name) == (
        'complete',
        'function::stream',
        None,
    )
    assert [event.index for event in events if isinstance(event, PartStartEvent)] == list(range(len(parts)))


def test_parts_that_grow_are_said_to_end():
    script = [{0: NativeToolReturnPart('web_search', [], tool_call_id='n')}, 'a', 'b', {2: DeltaToolCall('f', '{}')}]
    events, _ = do(streamed(pieces(*script)))
    assert [event.part.part_kind for event in events if isinstance(event, PartEndEvent)] == ['text', 'tool-call']
    starts = [event.previous_part_kind for event in events if isinstance(event, PartStartEvent)]
    assert starts == [None, 'builtin-tool-return', 'text']


def test_a_stream_without_anything():
    with pytest.raises(ValueError, match="stream function of 'function::stream' yielded nothing"):
        do(streamed(pieces()))


def test_a_stream_says_what_there_is_so_far():
    closed: list[bool] = []

    async def slow(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        try:
            for word in ('a ', 'b ', 'c'):
                yield word
        finally:
            closed.append(True)

    async def leave() -> None:
        async with FunctionModel(stream_function=slow).request_stream([user()], None, TEXT) as response:
            async for event in response:
                if isinstance(event, PartDeltaEvent):
                    break
            assert response.get().parts == [TextPart('a b ')]
            assert response.get().state == 'incomplete'
            assert response.usage.output_tokens == 2
            await response.cancel()
            assert response.get().state == 'interrupted'

    do(leave())
    assert closed == [True]


def test_an_error_on_the_way_is_the_callers():
    async def fails(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield 'a'
        raise LookupError('on the way')

    with pytest.raises(LookupError, match='on the way'):
        do(streamed(FunctionModel(stream_function=fails)))


@pytest.mark.parametrize(('name', 'final'), [('out', 'out'), ('f', None)])
def test_the_final_result_is_announced(name: str, final: str | None):
    params = ModelRequestParameters(
        function_tools=[tool('f')],
        output_tools=[tool('out', kind='output')],
        output_mode='tool',
        allow_text_output=False,
    )
    _, response = do(streamed(pieces('text', {1: DeltaToolCall(name, '{}', tool_call_id='c')}), params))
    event = response.final_result_event
    assert (event and event.tool_name) == final


def test_a_function_without_streams_is_streamed_in_pieces():
    parts = [
        ThinkingPart('Hm, well', signature='s', provider_name='function'),
        TextPart('One two  three', id='t'),
        ToolCallPart('f', {'x': 1}, 'c'),
        ToolCallPart('f', None, 'd'),
        FilePart(BinaryContent(b'x', media_type='image/png')),
    ]
    usage = RequestUsage(input_tokens=5, output_tokens=7)
    whole = ModelResponse(parts, usage=usage, finish_reason='stop', provider_details={'a': 1})

    async def events() -> tuple[list[Any], ModelResponse]:
        async with FunctionModel(lambda messages, info: whole).request_stream([user()], None, TEXT) as response:
            return [event async for event in response], response.get()

    seen, response = do(events())
    deltas = [event.delta for event in seen if isinstance(event, PartDeltaEvent)]
    assert [delta.content_delta for delta in deltas if isinstance(delta, TextPartDelta)] == ['two  ', 'three']
    assert [delta.args_delta for delta in deltas if isinstance(delta, ToolCallPartDelta)] == ['":1}']
    assert response.parts == [*parts[:2], ToolCallPart('f', '{"x":1}', 'c'), *parts[3:]]
    assert (response.usage, response.finish_reason, response.provider_details) == (usage, 'stop', {'a': 1})
    assert response.state == 'complete'


def test_a_stream_that_is_left_early_has_a_part_of_the_response():
    async def first() -> ModelResponse:
        async with FunctionModel(answer_words).request_stream([user()], None, TEXT) as response:
            async for _ in response:
                break
            await response.cancel()
            return response.get()

    def answer_words(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart('One two three')])

    response = do(first())
    assert (response.text, response.state) == ('One ', 'interrupted')
