"""Decodes responses of Anthropic's API. No I/O."""

from __future__ import annotations

from typing import Any

from ..._kit.ids import generate_tool_call_id
from ..._kit.json_types import JsonObject, as_count, as_dict, as_list
from ...messages import (
    Citation,
    CompactionPart,
    FinishReason,
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolSearchArgs,
    ToolSearchMatch,
    ToolSearchReturnContent,
)
from ...usage import RequestUsage
from .._citations import cited_passages
from .._wire_errors import unusable
from ._request import MCP_PREFIX

FINISH_REASONS: dict[str, FinishReason] = {
    'end_turn': 'stop',
    'max_tokens': 'length',
    'stop_sequence': 'stop',
    'tool_use': 'tool_call',
    'pause_turn': 'stop',
    'refusal': 'content_filter',
    'model_context_window_exceeded': 'length',
    'compaction': 'stop',
}
"""Finish reasons by Anthropic's stop reasons. An unknown stop reason becomes `None`, and remains in the details."""

_COUNTS = ('input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens')
_REFUSAL_FIELDS = {'explanation': 'refusal', 'category': 'refusal_category'}
SEARCH_PREFIX = 'tool_search_tool_'
"""The beginning of the names of native tool searches; the strategy follows."""
# The tools that code execution consists of.
_CODE_EXECUTION_TOOLS = ('bash_code_execution', 'text_editor_code_execution')


def decode_message(data: object, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response for a message of Anthropic's API.

    Args:
        data: The message, as plain data.
        model_name: The name of the model in the request.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: The data is not a message with content.
    """
    body = as_dict(data)
    if not isinstance(body.get('content'), list):
        raise unusable(model_name, 'it is not a JSON object' if not body else 'it has no content', data)
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


def decode_block(block: JsonObject, provider_name: str, servers: dict[str, str]) -> ModelResponsePart | None:
    """Return the part for a complete block, or `None` for an unknown kind.

    Args:
        block: The block.
        provider_name: The provider.
        servers: The names of MCP servers by the ids of calls to them. Calls are added, since results have only the id.
    """
    kind, block_id = str(block.get('type')), block.get('id') or generate_tool_call_id()
    if kind == 'text':
        text = str(block.get('text') or '')
        details, citations = cited(as_list(block.get('citations')), text)
        return TextPart(
            text,
            provider_name=provider_name if details else None,
            provider_details=details,
            citations=citations,
        )
    if kind == 'thinking':
        text, signature = str(block.get('thinking') or ''), block.get('signature')
        return ThinkingPart(text, signature=signature, provider_name=provider_name)
    if kind == 'redacted_thinking':
        return ThinkingPart('', id=kind, signature=block.get('data'), provider_name=provider_name)
    if kind == 'tool_use':
        return ToolCallPart(str(block.get('name')), as_dict(block.get('input')), block_id)
    if kind == 'compaction':
        return CompactionPart(
            block.get('content'), provider_name=provider_name, provider_details=compaction_details(block)
        )
    if kind == 'server_tool_use' and str(block.get('name')).startswith(SEARCH_PREFIX):
        strategy = str(block['name']).removeprefix(SEARCH_PREFIX)
        arguments = ToolSearchArgs(queries=[search_query(as_dict(block.get('input')))])
        details = {'strategy': strategy}
        return NativeToolSearchCallPart(
            args=arguments, tool_call_id=block_id, provider_name=provider_name, provider_details=details
        )
    if kind == 'tool_search_tool_result':
        return _search_result(block, provider_name)
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


def _native_result(name: str, block: JsonObject, provider_name: str, servers: dict[str, str]) -> NativeToolReturnPart:
    call_id = str(block.get('tool_use_id'))
    if name == 'mcp':
        content = {'content': block.get('content'), 'is_error': bool(block.get('is_error'))}
        name = servers.get(call_id, MCP_PREFIX)
        return NativeToolReturnPart(name, content, call_id, provider_name=provider_name)
    name, details = native_name(name)
    return NativeToolReturnPart(
        name, block.get('content'), call_id, provider_name=provider_name, provider_details=details
    )


def cited(notes: list[Any], text: str) -> tuple[JsonObject | None, list[Citation] | None]:
    """Return the provider details and the citations of a text: some of what Anthropic says must be sent back."""
    return ({'citations': notes}, cited_passages(notes, len(text))) if notes else (None, None)


def compaction_details(block: JsonObject) -> JsonObject | None:
    """Return the provider details of a summary, which must be sent back with its text."""
    sealed = block.get('encrypted_content')
    return None if sealed is None else {'encrypted_content': sealed}


def search_query(arguments: JsonObject) -> str:
    """Return the query in the arguments of a native tool search."""
    query = arguments.get('pattern', arguments.get('query'))
    return query if isinstance(query, str) else ''


def _search_result(block: JsonObject, provider_name: str) -> NativeToolSearchReturnPart:
    content = as_dict(block.get('content'))
    names = [as_dict(reference).get('tool_name') for reference in as_list(content.get('tool_references'))]
    matches = [ToolSearchMatch(name=name, description=None) for name in names if isinstance(name, str)]
    details = {key: content[key] for key in ('error_code', 'error_message') if content.get(key) is not None}
    return NativeToolSearchReturnPart(
        content=ToolSearchReturnContent(discovered_tools=matches),
        tool_call_id=str(block.get('tool_use_id')),
        provider_name=provider_name,
        provider_details=details or None,
    )


def native_name(name: str) -> tuple[str, JsonObject | None]:
    """Return stead's name of a native tool, and the provider details with Anthropic's name if it differs."""
    return ('code_execution', {'anthropic_tool_name': name}) if name in _CODE_EXECUTION_TOOLS else (name, None)


def details_of(body: JsonObject) -> JsonObject:
    """Return the provider details of a response."""
    details: JsonObject = {}
    if reason := body.get('stop_reason'):
        details['finish_reason'] = reason
    stop_details = as_dict(body.get('stop_details'))
    if stop_details.get('type') == 'refusal':
        details.update(
            {key: stop_details[name] for name, key in _REFUSAL_FIELDS.items() if stop_details.get(name) is not None},
        )
    if container := as_dict(body.get('container')).get('id'):
        details['container_id'] = container
    return details


def usage_of(usage: JsonObject) -> RequestUsage:
    """Return the usage of a message. Anthropic counts cached tokens, and the tokens of summaries, separately."""
    counts = {name: as_count(usage[name]) for name in _COUNTS if usage.get(name) is not None}
    details = dict(counts)
    total = [counts.get(name, 0) for name in _COUNTS]
    rounds = list(map(as_dict, as_list(usage.get('iterations'))))
    if summaries := [item for item in rounds if item.get('type') == 'compaction']:
        details['compaction_iterations'] = len(summaries)
        details['message_iterations'] = sum(item.get('type') == 'message' for item in rounds)
        for place, name in enumerate(_COUNTS):
            if count := sum(as_count(item.get(name)) for item in summaries):
                total[place] += count
                details[f'compaction_{name}'] = count
    uncached, output, written, read = total
    return RequestUsage(
        input_tokens=uncached + written + read,
        output_tokens=output,
        cache_write_tokens=written,
        cache_read_tokens=read,
        cache_write_1h_tokens=as_count(as_dict(usage.get('cache_creation')).get('ephemeral_1h_input_tokens')),
        output_reasoning_tokens=as_count(as_dict(usage.get('output_tokens_details')).get('thinking_tokens')),
        details=details,
    )
