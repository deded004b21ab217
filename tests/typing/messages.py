"""Messages, events and nodes narrow by their kind."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from typing_extensions import assert_type

from stead import (
    Agent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestNode,
    ModelResponse,
    RunUsage,
    capture_run_messages,
)
from stead.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    ModelResponsePart,
    PartDeltaEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)


def of_message(message: ModelMessage) -> None:
    if message.kind == 'response':
        assert_type(message, ModelResponse)
        assert_type(message.text, str | None)
        assert_type(message.tool_calls, list[ToolCallPart])
    else:
        assert_type(message, ModelRequest)


def of_part(part: ModelResponsePart) -> None:
    if part.part_kind == 'text':
        assert_type(part, TextPart)
    elif part.part_kind == 'thinking':
        assert_type(part, ThinkingPart)


def of_event(event: AgentStreamEvent) -> None:
    if event.event_kind == 'part_delta':
        assert_type(event, PartDeltaEvent)
    elif event.event_kind == 'function_tool_call':
        assert_type(event, FunctionToolCallEvent)
        assert_type(event.part, ToolCallPart)


def of_results() -> None:
    result = Agent('test').run_sync('x')
    assert_type(result.all_messages(), list[ModelMessage])
    assert_type(result.new_messages(), list[ModelMessage])
    assert_type(result.all_messages_json(), bytes)
    assert_type(result.response, ModelResponse)
    assert_type(ModelMessagesTypeAdapter.validate_json(b'[]'), list[ModelMessage])
    with capture_run_messages() as messages:
        assert_type(messages, list[ModelMessage])
    assert_type(result.response.cost().total_price, Decimal)
    usage: RunUsage = result.usage
    timestamp: datetime = result.timestamp
    metadata: dict[str, Any] | None = result.metadata
    del usage, timestamp, metadata


async def of_nodes(agent: Agent[None, int]) -> None:
    async with agent.iter('x') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                assert_type(node.request, ModelRequest)
            elif Agent.is_call_tools_node(node):
                assert_type(node.model_response, ModelResponse)
            elif Agent.is_end_node(node):
                assert_type(node.data.output, int)


def of_a_node_with_types(node: ModelRequestNode[int, str]) -> None:
    assert_type(node.request, ModelRequest)
