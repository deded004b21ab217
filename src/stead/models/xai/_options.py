"""Encodes tools, the output format and settings for xAI's API. No I/O."""

from __future__ import annotations

import json
from datetime import datetime, timezone

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    MCPServerTool,
    WebSearchTool,
    XSearchTool,
)
from ...profiles.grok import GrokModelProfile, GrokReasoningEffort
from ...settings import ThinkingLevel
from .._tool_choice import resolve_tool_choice
from ._settings import XaiModelSettings

_FIELDS = {
    'max_tokens': 'max_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'stop_sequences': 'stop',
    'parallel_tool_calls': 'parallel_tool_calls',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'seed': 'seed',
    'xai_logprobs': 'logprobs',
    'xai_top_logprobs': 'top_logprobs',
    'xai_user': 'user',
    'xai_max_turns': 'max_turns',
    'xai_agent_count': 'agent_count',
    'xai_store_messages': 'store_messages',
    'xai_previous_response_id': 'previous_response_id',
    'xai_include_encrypted_content': 'use_encrypted_content',
}
_INCLUDE = {
    'xai_include_code_execution_output': 'code_execution_call_output',
    'xai_include_web_search_output': 'web_search_call_output',
    'xai_include_inline_citations': 'inline_citations',
    'xai_include_x_search_output': 'x_search_call_output',
    'xai_include_collections_search_output': 'collections_search_call_output',
    'xai_include_attachment_search_output': 'attachment_search_call_output',
    'xai_include_mcp_output': 'mcp_call_output',
}
# Models that support only low and high effort get high effort for the levels in between.
_EFFORTS: dict[ThinkingLevel, GrokReasoningEffort] = {
    True: 'high',
    False: 'none',
    'minimal': 'low',
    'low': 'low',
    'medium': 'medium',
    'high': 'high',
    'xhigh': 'high',
}


def encode_options(settings: XaiModelSettings, params: ModelRequestParameters, profile: GrokModelProfile) -> JsonObject:
    """Return the arguments of the SDK for the settings; unset ones are left out."""
    arguments: JsonObject = {name: settings[key] for key, name in _FIELDS.items() if settings.get(key) is not None}  # type: ignore[literal-required]
    effort = settings.get('xai_reasoning_effort') or _effort(params.thinking, profile)
    if effort is not None:
        arguments['reasoning_effort'] = effort
    include = [name for key, name in _INCLUDE.items() if settings.get(key)]
    if any(isinstance(tool, XSearchTool) and tool.include_output for tool in params.native_tools):
        include.append('x_search_call_output')
    if include:
        arguments['include'] = list(dict.fromkeys(include))
    return arguments


def _effort(thinking: ThinkingLevel | None, profile: GrokModelProfile) -> GrokReasoningEffort | None:
    supported = profile.grok_reasoning_efforts
    if thinking is None or not supported:
        return None
    if thinking is True and 'none' in supported:  # such models think by default
        return None
    effort = _EFFORTS[thinking]
    if effort in supported:
        return effort
    return None if effort == 'none' else 'high'


def encode_tools(settings: XaiModelSettings, params: ModelRequestParameters, profile: GrokModelProfile) -> JsonObject:
    """Return the fields of a request for the tools, and for the choice among them.

    Raises:
        UserError: The setting `tool_choice` does not match the tools, or xAI does not support one of the native tools.
    """
    choice = resolve_tool_choice(settings, params)
    functions = [*params.function_tools, *params.output_tools]
    native = [_native_tool(tool) for tool in params.native_tools]
    if not functions and not native:
        return {}
    mode: JsonObject = {'mode': f'TOOL_MODE_{choice.mode.upper()}'}
    sent = functions if choice.mode == 'none' else choice.among(functions)
    if choice.mode == 'required' and not profile.grok_supports_tool_choice_required:
        mode = {'mode': 'TOOL_MODE_AUTO'}
    elif choice.only is not None and not native:
        mode, sent = {'function_name': choice.only}, functions
    return {'tools': [*native, *(_function(tool) for tool in sent)], 'tool_choice': mode}


def encode_format(params: ModelRequestParameters, profile: GrokModelProfile) -> JsonObject | None:
    """Return the format that the model must use for its output, or `None` for text."""
    if params.output_mode == 'native' and params.output_object is not None:
        return {'format_type': 'FORMAT_TYPE_JSON_SCHEMA', 'schema': json.dumps(params.output_object.json_schema)}
    tools = params.function_tools or params.output_tools or params.native_tools
    if params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
        return {'format_type': 'FORMAT_TYPE_JSON_OBJECT'}
    return None


def _function(tool: ToolDefinition) -> JsonObject:
    parameters = json.dumps(tool.parameters_json_schema)
    return {'function': {'name': tool.name, 'description': tool.description or '', 'parameters': parameters}}


def _native_tool(tool: AbstractNativeTool) -> JsonObject:
    if isinstance(tool, WebSearchTool):
        search: JsonObject = {
            'excluded_domains': tool.blocked_domains or [],
            'allowed_domains': tool.allowed_domains or [],
            'enable_image_understanding': False,
            'enable_image_search': False,
        }
        if tool.user_location:
            search['user_location'] = dict(tool.user_location)
        return {'web_search': search}
    if isinstance(tool, XSearchTool):
        return {'x_search': _x_search(tool)}
    if isinstance(tool, CodeExecutionTool):
        return {'code_execution': {}}
    if isinstance(tool, FileSearchTool):
        return {'collections_search': _file_search(tool)}
    if isinstance(tool, MCPServerTool):
        server = {
            'server_label': tool.id,
            'server_url': tool.url,
            'server_description': tool.description,
            'allowed_tool_names': tool.allowed_tools,
            'authorization': tool.authorization_token,
            'extra_headers': tool.headers,
        }
        return {'mcp': {name: value for name, value in server.items() if value}}
    raise UserError(f'xAI does not support the native tool {type(tool).__name__}. Leave it out, or use another model.')


def _file_search(tool: FileSearchTool) -> JsonObject:
    search: JsonObject = {'collection_ids': list(tool.file_store_ids)}
    named = {'limit': tool.max_num_results, 'instructions': tool.setting_for('xai', 'instructions')}
    search.update({name: value for name, value in named.items() if value is not None})
    if (mode := tool.setting_for('xai', 'retrieval_mode')) is not None:
        search[f'{mode}_retrieval'] = {}
    return search


def _x_search(tool: XSearchTool) -> JsonObject:
    search: JsonObject = {
        'allowed_x_handles': tool.allowed_x_handles or [],
        'excluded_x_handles': tool.excluded_x_handles or [],
        'enable_image_understanding': tool.enable_image_understanding,
        'enable_video_understanding': tool.enable_video_understanding,
    }
    for name, date in (('from_date', tool.from_date), ('to_date', tool.to_date)):
        if date is not None:
            search[name] = _timestamp(date)
    return search


def _timestamp(date: datetime) -> dict[str, int]:
    """Return a date as a protobuf timestamp; without a time zone, it is in UTC."""
    at = date if date.tzinfo is not None else date.replace(tzinfo=timezone.utc)
    whole = at.replace(microsecond=0)
    return {'seconds': int(whole.timestamp()), 'nanos': at.microsecond * 1000}
