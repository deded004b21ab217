"""Models that follow a script, and ways to look at what a run did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stead import Agent
from stead.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, FunctionModel

Seen = list[tuple[list[ModelMessage], AgentInfo]]


def text(content: str) -> list[ModelResponsePart]:
    return [TextPart(content)]


def call(name: str, args: Any = None, call_id: str | None = None) -> ToolCallPart:
    return ToolCallPart(name, {} if args is None else args, tool_call_id=call_id or f'id_{name}')


def script(*responses: Any, seen: Seen | None = None, **options: Any) -> FunctionModel:
    """Return a model that gives one response after the other, and the last one forever.

    Args:
        responses: Lists of parts, responses, or errors to raise.
        seen: Gets what every request was sent: the messages, and what the model was told about the agent.
        options: For `FunctionModel`.
    """
    turn = 0

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal turn
        if seen is not None:
            seen.append((list(messages), info))
        response = responses[min(turn, len(responses) - 1)]
        turn += 1
        if isinstance(response, BaseException):
            raise response
        return response if isinstance(response, ModelResponse) else ModelResponse(parts=list(response))

    return FunctionModel(answer, **options)


def outline(messages: Sequence[ModelMessage]) -> list[list[tuple[str, Any]]]:
    """Return the parts of messages as pairs of their kind and what they say."""
    return [
        [
            (part.part_kind, getattr(part, 'content', None) if hasattr(part, 'content') else part.args)
            for part in m.parts
        ]  # type: ignore[union-attr]
        for m in messages
    ]


def kinds(messages: Sequence[ModelMessage]) -> list[str]:
    """Return the kinds of all parts, in order."""
    return [part.part_kind for message in messages for part in message.parts]


def calling(*calls: ToolCallPart, then: str = 'done', **options: Any) -> Agent[Any, str]:
    """Return an agent whose model makes these calls in one response, and then says something."""
    return Agent(script(list(calls), text(then)), **options)


def answers_in(messages: Any) -> list[Any]:
    """Return the contents of the answers to calls, in their order."""
    return [
        part.content
        for message in messages
        for part in message.parts
        if isinstance(part, (ToolReturnPart, RetryPromptPart))
    ]
