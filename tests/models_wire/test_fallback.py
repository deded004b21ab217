"""`FallbackModel`: the next model answers when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from _wire import Reset, Wire, as_json, as_sse
from kit import chat_model, chunk, chunks, completion

from stead import Agent
from stead.exceptions import FallbackExceptionGroup, ModelAPIError, ModelHTTPError, UserError
from stead.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from stead.models import ModelRequestParameters
from stead.models._telemetry import AnsweringModel
from stead.models.fallback import FallbackModel, ResponseRejected
from stead.models.function import AgentInfo, FunctionModel
from stead.profiles import ModelProfile


def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise ModelHTTPError(500, 'bad', {'error': 'x'})


def is_wrong(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise ValueError('wrong')


def answers(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart('fine')])


def filtered(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart('')], finish_reason='content_filter')


def model(function: Any, name: str) -> FunctionModel:
    return FunctionModel(function, model_name=name)


def was_filtered(response: ModelResponse) -> bool:
    return response.finish_reason == 'content_filter'


async def is_value_error(error: Exception) -> bool:
    return isinstance(error, ValueError)


def test_the_next_model_answers_after_an_error_of_the_provider() -> None:
    fallback = FallbackModel(model(fails, 'a'), model(answers, 'b'))
    result = Agent(fallback).run_sync('hi')
    assert result.output == 'fine'
    assert result.response.model_name == 'b'
    assert fallback.model_name == 'fallback:a,b'
    assert fallback.system == 'fallback:function,function'
    assert fallback.model_id == 'fallback:function:a,function:b'


def test_all_errors_are_told_when_all_models_fail() -> None:
    with pytest.raises(FallbackExceptionGroup) as caught:
        Agent(FallbackModel(model(fails, 'a'), model(fails, 'b'))).run_sync('hi')
    assert [type(error) for error in caught.value.exceptions] == [ModelHTTPError, ModelHTTPError]


def test_other_errors_go_on_to_the_caller() -> None:
    with pytest.raises(ValueError, match='wrong'):
        Agent(FallbackModel(model(is_wrong, 'a'), model(answers, 'b'))).run_sync('hi')


@pytest.mark.parametrize(
    'when',
    [
        ValueError,
        (ValueError,),
        lambda error: isinstance(error, ValueError),
        is_value_error,
        [ValueError, was_filtered],
    ],
)
def test_what_to_go_on_after_can_be_said(when: Any) -> None:
    assert (
        Agent(FallbackModel(model(is_wrong, 'a'), model(answers, 'b'), fallback_on=when)).run_sync('hi').output
        == 'fine'
    )


def test_responses_can_be_rejected() -> None:
    good = FallbackModel(model(filtered, 'a'), model(answers, 'b'), fallback_on=was_filtered)
    assert Agent(good).run_sync('hi').output == 'fine'
    bad = FallbackModel(model(filtered, 'a'), model(fails, 'b'), fallback_on=[was_filtered, ModelAPIError])
    with pytest.raises(FallbackExceptionGroup) as caught:
        Agent(bad).run_sync('hi')
    failed, rejected = caught.value.exceptions
    assert isinstance(failed, ModelHTTPError)
    assert isinstance(rejected, ResponseRejected)
    assert rejected.rejected_count == 1


@pytest.mark.parametrize('when', [[], 3, [3]])
def test_nonsense_is_refused(when: Any) -> None:
    with pytest.raises(UserError, match='fallback_on'):
        FallbackModel(model(answers, 'a'), fallback_on=when)


def test_the_trace_of_a_request_learns_who_answered() -> None:
    last = model(answers, 'b')
    fallback = FallbackModel(model(fails, 'a'), last)

    async def main() -> Any:
        with AnsweringModel(fallback) as answering:
            await fallback.request([ModelRequest.user_text_prompt('hi')], None, ModelRequestParameters())
            return answering.model

    assert asyncio.run(main()) is last


async def stream_of(fallback: FallbackModel) -> list[str]:
    async with Agent(fallback).run_stream('hi') as result:
        return [text async for text in result.stream_text(delta=True, debounce_by=None)]


def test_a_stream_falls_back_until_something_was_seen() -> None:
    async def breaks(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield 'a'
        raise ModelHTTPError(500, 'a')

    async def tells(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield 'fine'

    visible = FallbackModel(FunctionModel(stream_function=breaks), FunctionModel(stream_function=tells))
    with pytest.raises(ModelHTTPError):
        asyncio.run(stream_of(visible))


def test_a_stream_that_breaks_before_its_first_event_falls_back() -> None:
    broken = as_sse([chunk({'role': 'assistant', 'content': ''}), Reset()])

    async def main() -> list[str]:
        with Wire(broken) as first, Wire(chunks({'content': 'fi'}, {'content': 'ne'})) as second:
            return await stream_of(FallbackModel(chat_model(first), chat_model(second)))

    assert asyncio.run(main()) == ['fi', 'ne']


def test_it_falls_back_over_the_wire() -> None:
    slow = as_json({'error': {'message': 'slow down'}}, 429, {'retry-after': '9'})
    with Wire(slow) as first, Wire(completion()) as second:
        assert Agent(FallbackModel(chat_model(first), chat_model(second))).run_sync('hi').output == 'hello'
    assert (len(first.requests), len(second.requests)) == (1, 1)


def test_messages_are_fitted_to_each_model() -> None:
    seen: list[list[str]] = []

    def looks(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append([part.part_kind for part in messages[-1].parts])
        raise ModelHTTPError(500, 'a')

    late = [ModelRequest.user_text_prompt('a'), ModelResponse(parts=[TextPart('b')])]
    request = ModelRequest(parts=[SystemPromptPart('late'), UserPromptPart('c')])
    plain = FunctionModel(looks, profile=ModelProfile(supports_inline_system_prompts=False))
    inline = FunctionModel(looks, profile=ModelProfile(supports_inline_system_prompts=True))
    with pytest.raises(FallbackExceptionGroup):
        Agent(FallbackModel(plain, inline)).run_sync(message_history=[*late, request])
    assert seen == [['user-prompt', 'user-prompt'], ['system-prompt', 'user-prompt']]


class Counted(FunctionModel):
    opened = closed = 0

    async def __aenter__(self) -> Any:
        Counted.opened += 1
        if self.model_name == 'broken':
            raise OSError('cannot be opened')
        return self

    async def __aexit__(self, *args: object) -> None:
        Counted.closed += 1


def test_models_are_opened_and_closed_with_each_run() -> None:
    Counted.opened = Counted.closed = 0

    async def main() -> None:
        agent = Agent(FallbackModel(Counted(answers), Counted(answers)))
        await asyncio.gather(*(agent.run('hi') for _ in range(3)))
        assert Counted.opened == Counted.closed
        with pytest.raises(OSError, match='cannot be opened'):
            async with FallbackModel(Counted(answers), Counted(answers, model_name='broken')):
                pass

    asyncio.run(main())
    assert Counted.opened == Counted.closed + 1  # the one that could not be opened
