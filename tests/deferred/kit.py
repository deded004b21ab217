"""Agents whose calls wait for someone."""

from __future__ import annotations

from typing import Any

from stead import Agent, ApprovalRequired, CallDeferred, DeferredToolRequests, RunContext
from stead.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import ToolDefinition
from stead.toolsets import ExternalToolset

CALLS: list[tuple[str, Any]] = [
    ('fine', {}),
    ('need', {'x': 1}),
    ('ask', {'q': 'why'}),
    ('pay', {'amount': 50}),
    ('job', {}),
]
"""Calls of every kind: only the first comes to something at once."""


def model(*responses: list[tuple[str, Any]]) -> FunctionModel:
    """Return a model that makes these calls, one list after the other as the history grows, and then is done."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        number = sum(isinstance(message, ModelResponse) for message in messages)
        if number >= len(responses):
            return ModelResponse(parts=[TextPart('done')])
        parts: list[ModelResponsePart] = [
            ToolCallPart(name, args, tool_call_id=f'{number}_{name}') for name, args in responses[number]
        ]
        return ModelResponse(parts=parts)

    return FunctionModel(answer)


def agent_of(*responses: list[tuple[str, Any]], ran: list[Any] | None = None, **options: Any) -> Agent[None, Any]:
    """Return an agent with a tool of every kind; `ran` gets what was really called."""
    log = [] if ran is None else ran
    external: ExternalToolset[Any] = ExternalToolset([ToolDefinition(name='ask')])
    options.setdefault('output_type', [str, DeferredToolRequests])
    agent: Agent[None, Any] = Agent(model(*responses), toolsets=[external], **options)

    @agent.tool_plain
    def fine() -> str:
        log.append('fine')
        return 'fine'

    @agent.tool(requires_approval=True)
    def need(ctx: RunContext[None], x: int) -> str:
        log.append(('need', x, ctx.tool_call_metadata))
        return f'needed {x}'

    @agent.tool
    def pay(ctx: RunContext[None], amount: int) -> str:
        if amount > 10 and not ctx.tool_call_approved:
            raise ApprovalRequired({'amount': amount})
        log.append(('pay', amount, ctx.tool_call_metadata))
        return f'paid {amount}'

    @agent.tool_plain
    def job() -> None:
        raise CallDeferred({'job': 1})

    return agent


def answers(messages: list[ModelMessage]) -> dict[str, Any]:
    """Return what the model is told about each call, by the name of its tool."""
    return {
        part.tool_name: (part.part_kind, part.content)
        for message in messages
        for part in message.parts
        if part.part_kind in ('tool-return', 'retry-prompt') and part.tool_name
    }
