"""System prompts in the middle of a conversation become user prompts for models that have no place for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stead import Agent, ModelProfile, RunContext
from stead._loop.state import LatePrompts
from stead.capabilities import AbstractCapability
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.models.wrapper import WrapperModel

FIRST = ModelRequest(parts=[SystemPromptPart('first'), UserPromptPart('a')])
LATE = ModelRequest(parts=[SystemPromptPart('late'), UserPromptPart('c')])
ANSWER = ModelResponse(parts=[TextPart('b')])


def contents(messages: list[ModelMessage]) -> list[Any]:
    return [part.content for message in messages if isinstance(message, ModelRequest) for part in message.parts]


@pytest.mark.parametrize(('inline', 'sent'), [(False, '<system>late</system>'), (True, 'late')])
def test_what_is_sent_and_what_is_kept(inline: bool, sent: str) -> None:
    seen: list[list[Any]] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(contents(messages))
        return ModelResponse(parts=[TextPart('ok')])

    profile = ModelProfile(supports_inline_system_prompts=inline)
    result = Agent(FunctionModel(respond, profile=profile)).run_sync(
        'now', message_history=[FIRST, ANSWER, LATE, ANSWER]
    )
    assert seen == [['first', 'a', sent, 'c', 'now']]
    assert contents(result.all_messages()) == ['first', 'a', 'late', 'c', 'now']
    assert contents([LATE]) == ['late', 'c']


def test_each_message_is_looked_at_once() -> None:
    prompts = LatePrompts()
    assert not prompts.update([ANSWER, FIRST, ANSWER])
    assert not prompts.update([LATE, LATE, LATE])  # it has looked at three messages
    assert prompts.update([ANSWER, FIRST, ANSWER, LATE])
    assert prompts.update([])
    plain = ModelRequest(parts=[UserPromptPart('c')])
    assert not LatePrompts().update([FIRST, ANSWER, plain]), 'only a system prompt is one'


def test_a_hook_around_requests_may_add_one_at_any_step() -> None:
    """What hooks leave is looked at again as far as it is not what they left for the request before."""
    places: list[int | None] = [None, 2, None, 4, 4, None, None]
    late = [ModelRequest([SystemPromptPart('late')]) for _ in places]
    seen: list[list[Any]] = []

    class Adds(AbstractCapability[Any]):
        async def wrap_model_request(self, ctx: RunContext[Any], *, request_context: Any, handler: Any) -> Any:
            messages = [*request_context.messages]
            if (place := places[ctx.run_step - 1]) is not None:
                messages.insert(place, late[place])
            return await handler(replace(request_context, messages=messages))

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append([text for text in contents(messages) if 'late' in str(text)])
        return ModelResponse([TextPart('ok') if len(seen) == len(places) else ToolCallPart('look', {})])

    agent = Agent(
        FunctionModel(respond, profile=ModelProfile(supports_inline_system_prompts=False)), capabilities=[Adds()]
    )
    agent.tool_plain(lambda: 1, name='look')
    agent.run_sync('go')
    assert seen == [[] if place is None else ['<system>late</system>'] for place in places]


def test_a_model_may_prepare_messages_in_its_own_way() -> None:
    """It is asked at each request, also inside of wrappers."""
    lengths: list[int] = []

    class Own(WrapperModel):
        def prepare_messages(self, messages: list[ModelMessage]) -> list[ModelMessage]:
            lengths.append(len(messages))
            return super().prepare_messages(messages)

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart('ok') if len(messages) > 2 else ToolCallPart('one', {})])

    agent = Agent(WrapperModel(Own(FunctionModel(respond))))
    agent.tool_plain(lambda: 1, name='one')
    agent.run_sync('hi')
    assert lengths == [1, 3]
