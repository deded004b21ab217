"""`ModelFallback` and `RaiseContentFilterError`: which model answers, and what fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from stead import Agent, FallbackExceptionGroup, RunContext, UserError
from stead.capabilities import (
    Hooks,
    ModelFallback,
    RaiseContentFilterError,
    ResolveModelId,
    ThreadExecutor,
    UseThreadExecutor,
)
from stead.exceptions import ContentFilterError, ModelHTTPError
from stead.journal import Journal, MemoryStore
from stead.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from stead.models import CompletedStreamedResponse, Model, StreamedResponse
from stead.models.fallback import FallbackModel
from stead.models.function import AgentInfo, FunctionModel
from stead.models.wrapper import WrapperModel

DOWN = ModelHTTPError(500, 'm')


def model(name: str, error: Exception | None = None, reason: Any = None) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if error is not None:
            raise error
        return ModelResponse(parts=[TextPart(name)], finish_reason=reason)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        if error is not None:
            raise error
        yield name

    return FunctionModel(respond, stream_function=stream, model_name=name)


def whole(agent: Agent[Any, Any]) -> Any:
    return agent.run_sync('q').output


def streamed(agent: Agent[Any, Any]) -> Any:
    async def main() -> Any:
        async with agent.run_stream('q') as result:
            return await result.get_output()

    return asyncio.run(main())


@pytest.mark.parametrize('ask', [whole, streamed])
@pytest.mark.parametrize(
    ('first', 'fallback', 'answer'),
    [
        (model('a'), ModelFallback(model('b')), 'a'),
        (model('a', DOWN), ModelFallback(model('b')), 'b'),
        (model('a', DOWN), ModelFallback(model('b', DOWN), model('c')), 'c'),
        (model('a', ValueError('v')), ModelFallback(model('b'), fallback_on=(ValueError,)), 'b'),
        (model('a', ValueError('v')), ModelFallback(model('b'), fallback_on=lambda error: 'v' in str(error)), 'b'),
        (model('a', ValueError('v')), ModelFallback(model('b'), fallback_on=ValueError), 'b'),
    ],
)
def test_the_first_model_that_answers(ask: Any, first: FunctionModel, fallback: ModelFallback, answer: str) -> None:
    assert ask(Agent(first, capabilities=[fallback])) == answer


@pytest.mark.parametrize('ask', [whole, streamed])
def test_what_fails(ask: Any) -> None:
    with pytest.raises(FallbackExceptionGroup, match='All models from ModelFallback failed') as caught:
        ask(Agent(model('a', DOWN), capabilities=[ModelFallback(model('b', DOWN))]))
    assert len(caught.value.exceptions) == 2
    with pytest.raises(ValueError, match='^v$'):
        ask(Agent(model('a', ValueError('v')), capabilities=[ModelFallback(model('b'))]))


def test_each_step_and_each_run_begins_with_the_model_of_the_run() -> None:
    asked: list[str] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append('a')
        raise DOWN

    def spare(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append('b')
        return ModelResponse(parts=[TextPart('done') if len(messages) > 2 else ToolCallPart('t', {})])

    agent = Agent(FunctionModel(respond), capabilities=[ModelFallback(FunctionModel(spare))])

    @agent.tool_plain
    def t() -> str:
        return 'x'

    assert [agent.run_sync('q').output for _ in range(2)] == ['done', 'done']
    assert asked == ['a', 'b'] * 4


def test_hooks_see_the_model_that_is_asked() -> None:
    hooks, seen = Hooks[Any](), list[str]()

    @hooks.on.model_request
    async def note(ctx: RunContext[Any], /, *, request_context: Any, handler: Any) -> ModelResponse:
        seen.append(request_context.model.model_name)
        return await handler(request_context)

    Agent(model('a', DOWN), capabilities=[hooks, ModelFallback(model('b'))]).run_sync('q')
    assert seen == ['a', 'b']


def test_a_filtered_response_is_an_error_and_another_model_may_answer() -> None:
    filtered = model('a', None, 'content_filter')
    assert whole(Agent(filtered)) == 'a'
    with pytest.raises(ContentFilterError, match='Content filter triggered') as caught:
        whole(Agent(filtered, capabilities=[RaiseContentFilterError()]))
    assert caught.value.body is not None and '"content": "a"' in caught.value.body
    agent = Agent(filtered, capabilities=[RaiseContentFilterError(), ModelFallback(model('b'))])
    assert whole(agent) == 'b'


def test_there_must_be_a_model() -> None:
    with pytest.raises(UserError, match='no models'):
        ModelFallback()


def test_a_new_name() -> None:
    assert UseThreadExecutor is ThreadExecutor


def test_a_function_that_waits_before_it_decides() -> None:
    async def never(error: Exception) -> bool:
        return False

    with pytest.raises(ModelHTTPError):
        whole(Agent(model('a', DOWN), capabilities=[ModelFallback(model('b'), fallback_on=never)]))


def of_a_response(response: ModelResponse) -> bool:
    return True


@pytest.mark.parametrize(
    ('fallback_on', 'message'), [((), 'is empty'), (3, 'must consist of'), (of_a_response, 'sees errors only')]
)
def test_what_says_nothing_of_errors_is_refused(fallback_on: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        ModelFallback(model('b'), fallback_on=fallback_on)


def test_a_subclass_is_what_runs_use() -> None:
    seen: list[Exception] = []

    class Noted(ModelFallback):
        async def on_model_request_error(self, ctx: RunContext[Any], *, request_context: Any, error: Exception) -> Any:
            seen.append(error)
            return await super().on_model_request_error(ctx, request_context=request_context, error=error)

    assert whole(Agent(model('a', DOWN), capabilities=[Noted(model('b'))])) == 'b'
    assert seen == [DOWN]


@pytest.mark.parametrize('capabilities', [[], [RaiseContentFilterError()]])
def test_a_response_that_was_cut_off_by_a_filter_is_asked_of_the_next_model(capabilities: list[Any]) -> None:
    first = model('a', reason='content_filter')
    for around in ([*capabilities, ModelFallback(model('b'))], [ModelFallback(model('b')), *capabilities]):
        assert whole(Agent(first, capabilities=around)) == 'b'
    again = ModelFallback(model('b', reason='content_filter'), model('c', DOWN))
    with pytest.raises(FallbackExceptionGroup) as caught:
        whole(Agent(first, capabilities=[*capabilities, again]))
    assert [str(error) for error in caught.value.exceptions] == [
        str(DOWN),
        '2 model response(s) rejected by fallback_on handler',
    ]


def test_a_filtered_response_is_the_answer_if_the_fallback_is_for_other_errors() -> None:
    first = model('a', reason='content_filter')
    assert whole(Agent(first, capabilities=[ModelFallback(model('b'), fallback_on=ModelHTTPError)])) == 'a'


def fails_at_first(name: str, fails: int, asked: list[str]) -> FunctionModel:
    left = [DOWN] * fails

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(name)
        if left:
            raise left.pop()
        return ModelResponse(parts=[TextPart(name)])

    return FunctionModel(respond, model_name=name)


@pytest.mark.parametrize(('sticky', 'asked_later'), [(False, ['a']), (True, ['b'])])
def test_a_stored_conversation_stays_with_the_model_that_answered(sticky: bool, asked_later: list[str]) -> None:
    asked: list[str] = []

    def agent(fails: int) -> Agent[Any, Any]:
        asked.clear()
        fallback = ModelFallback(fails_at_first('b', 0, asked), model('c'), sticky=sticky)
        return Agent(fails_at_first('a', fails, asked), capabilities=[fallback])

    result = agent(1).run_sync('q')
    assert asked == ['a', 'b']
    [attempt] = result.response.failed_attempts or []
    assert (attempt.model_name, attempt.provider_name, attempt.outcome) == ('a', 'function', 'error')
    assert attempt.error is not None and attempt.error.startswith('ModelHTTPError: ')
    assert attempt.duration.total_seconds() >= 0
    stored = ModelMessagesTypeAdapter.validate_json(result.all_messages_json())
    agent(0).run_sync('go on', message_history=stored)
    assert asked == asked_later


def test_models_by_names_that_a_capability_knows_stay() -> None:
    asked: list[str] = []
    own = fails_at_first('own', 0, asked)
    names = ResolveModelId(lambda ctx, name: own if name == 'mine' else None)
    agent = Agent(fails_at_first('a', 1, asked), name='n', capabilities=[names, ModelFallback('mine', sticky=True)])
    history = agent.run_sync('q').all_messages()
    agent.run_sync('go on', message_history=history)
    assert asked == ['a', 'own', 'own']


def test_a_run_that_a_journal_continues_stays_with_the_model() -> None:
    asked: list[str] = []

    def agent(fails: int) -> Agent[Any, Any]:
        def calls(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            asked.append('b')
            return ModelResponse(parts=[ToolCallPart('t') if len(messages) == 1 else TextPart('done')])

        one = Agent(
            fails_at_first('a', fails, asked),
            name='n',
            capabilities=[journal, ModelFallback(FunctionModel(calls, model_name='b'), sticky=True)],
        )

        @one.tool_plain(effect='read')
        def t() -> str:
            if died:
                died.pop()
                raise RuntimeError('down')
            return 'x'

        return one

    died = [True]
    journal = Journal(MemoryStore())
    with pytest.raises(RuntimeError, match='down'):
        agent(1).run_sync('q', run_id='r')
    assert asked == ['a', 'b']
    assert asyncio.run(journal.resume(agent(0), 'r')).output == 'done'
    assert asked == ['a', 'b', 'b']


class Completed(WrapperModel):
    """Gives whole responses as streams, as durable engines do."""

    @asynccontextmanager
    async def request_stream(
        self, messages: list[ModelMessage], settings: Any, parameters: Any, run_context: Any = None
    ) -> AsyncIterator[StreamedResponse]:
        yield CompletedStreamedResponse(await self.request(messages, settings, parameters), parameters)


@pytest.mark.parametrize('second', [model('b'), FallbackModel(model('b'), model('c')), Completed(model('b'))])
def test_a_streamed_response_has_the_attempts_before_it(second: Model) -> None:
    async def main() -> None:
        agent = Agent(model('a', DOWN), capabilities=[ModelFallback(second)])
        async with agent.run_stream('q') as result:
            assert await result.get_output() == 'b'
        later = ModelMessagesTypeAdapter.validate_json(result.all_messages_json())[-1]
        for response in (result.response, later):
            assert isinstance(response, ModelResponse)
            assert [attempt.model_name for attempt in response.failed_attempts or ()] == ['a']

    asyncio.run(main())


def test_a_response_that_is_used_again_has_the_attempts_of_its_request() -> None:
    same = ModelResponse(parts=[TextPart('b')])
    agent = Agent(model('a', DOWN), capabilities=[ModelFallback(FunctionModel(lambda messages, info: same))])
    for _ in range(2):
        assert len(agent.run_sync('q').response.failed_attempts or ()) == 1
