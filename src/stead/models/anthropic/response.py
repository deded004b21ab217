"""Messages on the way in: a response as stead has it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._kit.ids import generate_tool_call_id
from ..._kit.plain import as_count, as_dict, as_list
from ...messages import (
    FinishReason,
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from ...usage import RequestUsage
from .._wire_errors import unusable
from .request import MCP_PREFIX

FINISH_REASONS: dict[str, FinishReason] = {
    'end_turn': 'stop',
    'max_tokens': 'length',
    'stop_sequence': 'stop',
    'tool_use': 'tool_call',
    'pause_turn': 'stop',
    'refusal': 'content_filter',
    'model_context_window_exceeded': 'length',
}
"""Why models stop; a reason that is not here becomes `None`, and stays in the details."""

_COUNTS = ('input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens')
# Parts of the tool that runs code have names of their own.
_CODE = ('bash_code_execution', 'text_editor_code_execution')


def decode_message(data: Any, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response in a message of Anthropic's API.

    Args:
        data: The message, as plain data.
        model_name: The model that was asked.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: It is no message.
    """
    body = as_dict(data)
    if not isinstance(body.get('content'), list):
        raise unusable(model_name, 'it is no JSON object' if not body else 'it has no content', data)
    servers: dict[str, str] = {}
    parts: list[ModelResponsePart] = []
    for item in as_list(body['content']):
        if (part := decode_block(as_dict(item), provider_name, servers)) is not None:
            parts.append(part)
    reason = body.get('stop_reason')
    return ModelResponse(
        parts=parts,
        usage=usage_of(as_dict(body.get('usage'))),
        model_name=body.get('model') or model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('id'),
        provider_details=details_of(body) or None,
        finish_reason=FINISH_REASONS.get(str(reason)),
    )


def decode_block(block: Mapping[str, Any], provider_name: str, servers: dict[str, str]) -> ModelResponsePart | None:
    """Return the part in a whole block; blocks that are not known are left out.

    Args:
        block: The block.
        provider_name: The provider.
        servers: The names of MCP servers by the ids of calls to them, which their results do not repeat.
    """
    kind, block_id = str(block.get('type')), block.get('id') or generate_tool_call_id()
    if kind == 'text':
        return TextPart(str(block.get('text') or ''))
    if kind == 'thinking':
        text, signature = str(block.get('thinking') or ''), block.get('signature')
        return ThinkingPart(text, signature=signature, provider_name=provider_name)
    if kind == 'redacted_thinking':
        return ThinkingPart('', id=kind, signature=block.get('data'), provider_name=provider_name)
    if kind == 'tool_use':
        return ToolCallPart(str(block.get('name')), as_dict(block.get('input')), block_id)
    if kind == 'server_tool_use':
        name, details = native_name(str(block.get('name')))
        arguments = as_dict(block.get('input')) or None
        return NativeToolCallPart(name, arguments, block_id, provider_name=provider_name, provider_details=details)
    if kind == 'mcp_tool_use':
        name = f'{MCP_PREFIX}{block.get("server_name")}'
        servers[block_id] = name
        arguments = {
            'action': 'call_tool',
            'tool_name': block.get('name'),
            'tool_args': as_dict(block.get('input')),
        }
        return NativeToolCallPart(name, arguments, block_id, provider_name=provider_name)
    if kind.endswith('_tool_result'):
        return _native_result(kind.removesuffix('_tool_result'), block, provider_name, servers)
    return None


def _native_result(
    name: str, block: Mapping[str, Any], provider_name: str, servers: dict[str, str]
) -> NativeToolReturnPart:
    call_id = str(block.get('tool_use_id'))
    if name == 'mcp':
        content: Any = {'content': block.get('content'), 'is_error': bool(block.get('is_error'))}
        name = servers.get(call_id, MCP_PREFIX)
        return NativeToolReturnPart(name, content, call_id, provider_name=provider_name)
    name, details = native_name(name)
    return NativeToolReturnPart(
        name, block.get('content'), call_id, provider_name=provider_name, provider_details=details
    )


def native_name(name: str) -> tuple[str, dict[str, Any] | None]:
    """Return the name that stead has for a native tool, and the details that keep Anthropic's, if that is another."""
    return ('code_execution', {'anthropic_tool_name': name}) if name in _CODE else (name, None)


def details_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Anthropic says besides the response."""
    details: dict[str, Any] = {}
    if reason := body.get('stop_reason'):
        details['finish_reason'] = reason
    if container := as_dict(body.get('container')).get('id'):
        details['container_id'] = container
    return details


def usage_of(usage: Mapping[str, Any]) -> RequestUsage:
    """Return the usage that a message reports; Anthropic counts cached tokens apart from the others."""
    counts = {name: as_count(usage[name]) for name in _COUNTS if usage.get(name) is not None}
    written, read = counts.get('cache_creation_input_tokens', 0), counts.get('cache_read_input_tokens', 0)
    return RequestUsage(
        input_tokens=counts.get('input_tokens', 0) + written + read,
        output_tokens=counts.get('output_tokens', 0),
        cache_write_tokens=written,
        cache_read_tokens=read,
        details=counts,
    )
