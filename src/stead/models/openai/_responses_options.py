"""Tools and settings for the Responses API, and where a conversation continues. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import ModelMessage, ModelResponse
from ...native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    OpenAIImageGenerationToolSettings,
    ToolSearchTool,
    WebSearchTool,
)
from ...profiles.openai import OpenAIModelProfile
from .._tool_choice import resolve_tool_choice
from .._tool_search import NativeSearch, native_search
from ._chat_options import json_schema_of, reasoning_effort, without, without_refused
from ._settings import OpenAIResponsesModelSettings

_FIELDS = {
    'max_tokens': 'max_output_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'openai_truncation': 'truncation',
    'openai_store': 'store',
    'openai_user': 'user',
    'openai_top_logprobs': 'top_logprobs',
    'openai_prompt_cache_key': 'prompt_cache_key',
    'openai_prompt_cache_retention': 'prompt_cache_retention',
    'openai_prompt_cache_options': 'prompt_cache_options',
    'openai_moderation': 'moderation',
    'openai_context_management': 'context_management',
}
_INCLUDED = {
    'openai_include_code_execution_outputs': 'code_interpreter_call.outputs',
    'openai_include_web_search_sources': 'web_search_call.action.sources',
    'openai_include_file_search_results': 'file_search_call.results',
    'openai_logprobs': 'message.output_text.logprobs',
}
MCP_SERVER_TOOL_CONNECTOR_URI_SCHEME = 'x-openai-connector'
"""The scheme of the URLs of connectors that OpenAI has, which stand for an MCP server."""
_CONNECTOR = f'{MCP_SERVER_TOOL_CONNECTOR_URI_SCHEME}:'
_SIZES = {'1:1': '1024x1024', '2:3': '1024x1536', '3:2': '1536x1024'}
"""The sizes of images by their aspect ratio."""


def encode_settings(
    settings: OpenAIResponsesModelSettings, params: ModelRequestParameters, profile: OpenAIModelProfile
) -> JsonObject:
    """Return the fields of a request that are about settings and the format of the output."""
    effort = reasoning_effort(settings, params)
    kept = without_refused(settings, profile, effort)
    fields: JsonObject = {name: kept[key] for key, name in _FIELDS.items() if key in kept}
    tier = kept.get('openai_service_tier', kept.get('service_tier'))
    if tier is not None:
        fields['service_tier'] = tier
    summary = kept.get('openai_reasoning_summary') or kept.get('openai_reasoning_generate_summary')
    reasoning = {name: value for name, value in (('effort', effort), ('summary', summary)) if value is not None}
    if reasoning:
        fields['reasoning'] = reasoning
    include = ['reasoning.encrypted_content'] if profile.openai_supports_encrypted_reasoning_content else []
    include += [name for key, name in _INCLUDED.items() if kept.get(key)]
    if include:
        fields['include'] = include
    text: JsonObject = {}
    if params.output_mode == 'native' and params.output_object is not None:
        text['format'] = {'type': 'json_schema', **json_schema_of(params.output_object, profile)}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output:
        text['format'] = {'type': 'json_object'}
    if verbosity := kept.get('openai_text_verbosity'):
        text['verbosity'] = verbosity
    if text:
        fields['text'] = text
    return fields


def encode_tools(
    settings: OpenAIResponsesModelSettings,
    params: ModelRequestParameters,
    profile: OpenAIModelProfile,
    model_name: str,
    system: str,
) -> JsonObject:
    """Return the fields of a request that are about tools.

    Raises:
        UserError: The settings demand a call of a tool, which the model cannot be held to.
    """
    kept = without(settings, profile.openai_unsupported_model_settings)
    search = native_search(params)
    native = [_native_tool(tool, search, system) for tool in params.native_tools]
    native.extend(kept.get('openai_native_tools', ()))
    tools = [*params.function_tools, *params.output_tools]
    if search.is_ours:  # it is sent as a tool of its own kind
        tools = [tool for tool in tools if tool is not search.function]
    choice = resolve_tool_choice(kept, params)
    if not tools and not native:
        return {}
    able = profile.openai_supports_tool_choice_required
    if choice.explicit and not able:
        raise UserError(f'The model {model_name!r} cannot be held to some of its tools, as `tool_choice` demands.')
    mode = 'auto' if choice.mode == 'required' and not able else choice.mode
    picked: Any = mode if tools or mode == 'none' else 'auto'
    if choice.only is not None and mode == 'required':
        picked = {'type': 'function', 'name': choice.only}
    elif choice.allowed is not None and len(choice.allowed) < len(tools):
        # All tools are sent, so that cached prompts stay valid.
        names = [{'type': 'function', 'name': name} for name in choice.allowed]
        picked = {'type': 'allowed_tools', 'mode': mode, 'tools': names}
    fields: JsonObject = {
        'tools': [*native, *(encode_function(tool, search, profile) for tool in tools)],
        'tool_choice': picked,
    }
    if 'parallel_tool_calls' in kept:
        fields['parallel_tool_calls'] = kept['parallel_tool_calls']
    return fields


def encode_function(tool: ToolDefinition, search: NativeSearch, profile: OpenAIModelProfile) -> JsonObject:
    """Return a function as a tool of the Responses API."""
    fields: JsonObject = {
        'type': 'function',
        'name': tool.name,
        'parameters': tool.parameters_json_schema,
        'description': tool.description,
        'strict': bool(tool.strict and profile.openai_supports_strict_tool_definition),
    }
    if tool.name in search.managed:
        fields['defer_loading'] = True
    return fields


def _tool_search(search: NativeSearch) -> JsonObject:
    if not search.is_ours:
        return {'type': 'tool_search'}
    function = search.function
    description = (function.description if function else None) or 'Search for relevant tools.'
    schema = function.parameters_json_schema if function else {'additionalProperties': False}
    return {'type': 'tool_search', 'execution': 'client', 'description': description, 'parameters': schema}


def _native_tool(tool: AbstractNativeTool, search: NativeSearch, system: str) -> JsonObject:
    if isinstance(tool, ToolSearchTool):
        return _tool_search(search)
    if isinstance(tool, WebSearchTool):
        fields: JsonObject = {'type': 'web_search', 'search_context_size': tool.search_context_size}
        if tool.user_location:
            fields['user_location'] = {'type': 'approximate', **tool.user_location}
        domains = {'allowed_domains': tool.allowed_domains, 'blocked_domains': tool.blocked_domains}
        if any(domains.values()):
            fields['filters'] = {name: value for name, value in domains.items() if value}
        if tool.external_web_access is not None:
            fields['external_web_access'] = tool.external_web_access
        return fields
    if isinstance(tool, FileSearchTool):
        fields = {'type': 'file_search', 'vector_store_ids': list(tool.file_store_ids)}
        if tool.max_num_results is not None:
            fields['max_num_results'] = tool.max_num_results
        return fields
    if isinstance(tool, CodeExecutionTool):
        files = tool.files_at(system)
        return {'type': 'code_interpreter', 'container': {'type': 'auto', **({'file_ids': files} if files else {})}}
    if isinstance(tool, MCPServerTool):
        return _mcp_server(tool)
    if isinstance(tool, ImageGenerationTool):
        return _image_generation(tool)
    raise UserError(f'The Responses API has no native tool like {type(tool).__name__}.')


def _mcp_server(tool: MCPServerTool) -> JsonObject:
    fields: JsonObject = {'type': 'mcp', 'server_label': tool.id, 'require_approval': 'never'}
    if tool.url.startswith(_CONNECTOR):
        fields['connector_id'] = tool.url.removeprefix(_CONNECTOR)
    else:
        fields['server_url'] = tool.url
    named = {
        'authorization': tool.authorization_token,
        'allowed_tools': tool.allowed_tools,
        'server_description': tool.description,
        'headers': tool.headers,
    }
    fields.update({name: value for name, value in named.items() if value is not None})
    return fields


def _image_generation(tool: ImageGenerationTool) -> JsonObject:
    shape = _SIZES.get(tool.aspect_ratio or '')
    if tool.aspect_ratio and shape is None:
        raise UserError(f'The Responses API makes images of the shapes {sorted(_SIZES)}, not {tool.aspect_ratio!r}.')
    size = shape or 'auto' if tool.size in (None, 'auto') else tool.size
    if size not in ('auto', *_SIZES.values()):
        raise UserError(f'The Responses API makes images of the sizes {sorted(_SIZES.values())}, not {size!r}.')
    if shape is not None and size != shape:
        raise UserError(
            f'The size {size!r} and the aspect ratio {tool.aspect_ratio!r} of the `ImageGenerationTool` do not go '
            'together. Give one of them.'
        )
    fields: JsonObject = {
        'type': 'image_generation',
        'output_compression': 100 if tool.output_compression is None else tool.output_compression,
        'output_format': tool.output_format or 'png',
        'size': size,
    }
    named = {name: tool.setting_for('openai', name) for name in OpenAIImageGenerationToolSettings.__annotations__}
    fields.update({name: value for name, value in named.items() if value is not None})
    return fields


def continuation_of(
    settings: OpenAIResponsesModelSettings, messages: Sequence[ModelMessage], system: str
) -> tuple[JsonObject, Sequence[ModelMessage]]:
    """Return the field that refers to what OpenAI has stored, and the messages that it has not stored.

    Raises:
        UserError: The settings refer to it in two ways.
    """
    previous, conversation = settings.get('openai_previous_response_id'), settings.get('openai_conversation_id')
    if conversation and previous:
        raise UserError(
            'The settings `openai_previous_response_id` and `openai_conversation_id` both continue what OpenAI has '
            'kept, and it accepts only one of them. Leave the other one out.'
        )
    if conversation:
        for index, response in _own_responses(messages, system):
            own_id = (response.provider_details or {}).get('conversation_id')
            if own_id and conversation in ('auto', own_id):
                return {'conversation': own_id}, messages[index + 1 :]
        return ({} if conversation == 'auto' else {'conversation': conversation}), messages
    if previous:
        for index, response in _own_responses(messages, system):
            if response.provider_response_id:
                return {'previous_response_id': response.provider_response_id}, messages[index + 1 :]
        return ({} if previous == 'auto' else {'previous_response_id': previous}), messages
    return {}, messages


def _own_responses(messages: Sequence[ModelMessage], system: str) -> list[tuple[int, ModelResponse]]:
    """Return the responses of a provider, the latest first."""
    responses = [(i, item) for i, item in enumerate(messages) if isinstance(item, ModelResponse)]
    return [(i, item) for i, item in reversed(responses) if item.provider_name == system]
