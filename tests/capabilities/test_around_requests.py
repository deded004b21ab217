"""`wrap_model_request` is for one request: what it changes reaches the model and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from stead import Agent, UsageLimitExceeded, UsageLimits
from stead.capabilities import AbstractCapability
from stead.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from stead.models import ModelRequestContext
from stead.models.function import AgentInfo, FunctionModel
from stead.models.wrapper import WrapperModel
from stead.profiles import ModelProfile

HISTORY = [ModelRequest(parts=[UserPromptPart('old')]), ModelResponse(parts=[TextPart('answer')])]


def texts(messages: list[ModelMessage]) -> list[str]:
    return [' '.join(str(getattr(part, 'content', '')) for part in message.parts) for message in messages]


def request(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text)])


class Around(AbstractCapability[None]):
    """Adds a message before the hooks around the request, and changes it inside of them."""

    def __init__(self, change: Any, before: str | None = None) -> None:
        self.change, self.added = change, before
        self.saw: list[list[str]] = []
        self.knew: list[list[str]] = []
        self.errors: list[Exception] = []

    async def before_model_request(self, ctx: Any, request_context: ModelRequestContext) -> ModelRequestContext:
        if self.added:
            request_context.messages = [*request_context.messages, request(self.added)]
        return request_context

    async def wrap_model_request(self, ctx: Any, *, request_context: ModelRequestContext, handler: Any) -> Any:
        self.saw.append(texts(request_context.messages))
        self.knew.append(texts(ctx.messages))
        return await handler(self.change(request_context) or request_context)

    async def on_model_request_error(self, ctx: Any, *, request_context: Any, error: Exception) -> Any:
        self.errors.append(error)
        raise error


def listening(sent: list[list[str]], **options: Any) -> FunctionModel:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append(texts(messages))
        return ModelResponse(parts=[TextPart('done')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        sent.append(texts(messages))
        yield 'done'

    return FunctionModel(answer, stream_function=stream, **options)


CHANGES: dict[str, Any] = {
    'replaced': lambda one: replace(one, messages=[*one.messages, request('aside')]),
    'in place': lambda one: one.messages.append(request('aside')),
}


@pytest.mark.parametrize('streamed', [False, True], ids=['at once', 'streamed'])
@pytest.mark.parametrize('change', CHANGES.values(), ids=CHANGES)
def test_changes_of_a_wrap_are_not_kept(change: Any, streamed: bool) -> None:
    sent: list[list[str]] = []
    around = Around(change)
    agent = Agent(listening(sent), capabilities=[around])

    async def run() -> Any:
        if not streamed:
            return await agent.run('new', message_history=HISTORY)
        async with agent.run_stream('new', message_history=HISTORY) as result:
            assert await result.get_output() == 'done'
        return result

    result = asyncio.run(run())
    assert sent == [['old', 'answer', 'new', 'aside']]
    assert texts(result.all_messages()) == ['old', 'answer', 'new', 'done']
    assert texts(result.new_messages()) == ['new', 'done']


def test_what_came_before_the_wrap_is_in_the_history_and_fit_to_send() -> None:
    sent: list[list[str]] = []
    around = Around(lambda one: None, before='added')
    result = Agent(listening(sent), capabilities=[around]).run_sync('new')
    assert around.saw == [['new added']]  # neighbours of one kind are one message for the model
    assert around.knew == [['new', 'added']]
    assert sent == [['new added']]
    assert texts(result.all_messages()) == ['new', 'added', 'done']


def test_limits_are_checked_before_the_wrap_and_are_no_error_of_the_request() -> None:
    sent: list[list[str]] = []
    around = Around(lambda one: None)
    with pytest.raises(UsageLimitExceeded):
        Agent(listening(sent), capabilities=[around]).run_sync('new', usage_limits=UsageLimits(request_limit=0))
    assert (sent, around.saw, around.errors) == ([], [], [])


def test_messages_of_a_wrap_are_prepared_for_the_model() -> None:
    sent: list[list[str]] = []
    profile = ModelProfile(supports_inline_system_prompts=False)
    late = ModelRequest(parts=[SystemPromptPart('be brief')])
    around = Around(lambda one: replace(one, messages=[*one.messages, late]))
    Agent(listening(sent, profile=profile), capabilities=[around]).run_sync('new', message_history=HISTORY)
    assert sent == [['old', 'answer', 'new', '<system>be brief</system>']]


def test_another_model_of_a_wrap_prepares_the_messages_in_its_way() -> None:
    class Shouting(WrapperModel):
        def prepare_messages(self, messages: list[ModelMessage]) -> list[ModelMessage]:
            return [*super().prepare_messages(messages), request('LOUDER')]

    sent: list[list[str]] = []
    around = Around(lambda one: replace(one, model=Shouting(listening(sent))))
    result = Agent(listening([]), capabilities=[around]).run_sync('new')
    assert sent == [['new', 'LOUDER']]
    assert texts(result.all_messages()) == ['new', 'done']
