"""Tools, the form of the output and settings on the way out: as xAI's API has them. No I/O."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
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
    'xai_include_mcp_output': 'mcp_call_output',
}
# Models that know only low and high effort take what is between them as high.
_EFFORTS: dict[ThinkingLevel, GrokReasoningEffort] = {
    True: 'high',
    False: 'none',
    'minimal': 'low',
    'low': 'low',
    'medium': 'medium',
    'high': 'high',
    'xhigh': 'high',
}


def encode_options(
    settings: XaiModelSettings, params: ModelRequestParameters, profile: GrokModelProfile
) -> dict[str, Any]:
    """Return the arguments of the SDK for a request that are about settings; those that are unset are left out."""
    made: dict[str, Any] = {name: settings[key] for key, name in _FIELDS.items() if settings.get(key) is not None}  # type: ignore[literal-required]
    effort = settings.get('xai_reasoning_effort') or _effort(params.thinking, profile)
    if effort is not None:
        made['reasoning_effort'] = effort
    include = {name: None for key, name in _INCLUDE.items() if settings.get(key)}
    if any(isinstance(tool, XSearchTool) and tool.include_output for tool in params.native_tools):
        include['x_search_call_output'] = None
    if include:
        made['include'] = list(include)
    return made


def _effort(thinking: ThinkingLevel | None, profile: GrokModelProfile) -> GrokReasoningEffort | None:
    known = profile.grok_reasoning_efforts
    if thinking is None or not known:
        return None
    if thinking is True and 'none' in known:  # such models think unless told not to
        return None
    effort = _EFFORTS[thinking]
    if effort in known:
        return effort
    return None if effort == 'none' else 'high'


def encode_tools(
    settings: XaiModelSettings, params: ModelRequestParameters, profile: GrokModelProfile
) -> dict[str, Any]:
    """Return the tools of a request, and which of them the model may or must call.

    Raises:
        UserError: The setting `tool_choice` names tools that there are not.
    """
    choice = resolve_tool_choice(settings, params)
    functions = [*params.function_tools, *params.output_tools]
    native = [_native_tool(tool) for tool in params.native_tools]
    if not functions and not native:
        return {}
    mode: dict[str, Any] = {'mode': f'TOOL_MODE_{choice.mode.upper()}'}
    sent = functions if choice.mode == 'none' else choice.among(functions)
    if choice.mode == 'required' and not profile.grok_supports_tool_choice_required:
        mode = {'mode': 'TOOL_MODE_AUTO'}
    elif choice.only is not None and not native:
        mode, sent = {'function_name': choice.only}, functions
    return {'tools': [*native, *(_function(tool) for tool in sent)], 'tool_choice': mode}


def encode_format(params: ModelRequestParameters, profile: GrokModelProfile) -> dict[str, Any] | None:
    """Return the form that the output is held to, if it is held to one."""
    if params.output_mode == 'native' and params.output_object is not None:
        return {'format_type': 'FORMAT_TYPE_JSON_SCHEMA', 'schema': json.dumps(params.output_object.json_schema)}
    tools = params.function_tools or params.output_tools or params.native_tools
    if params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
        return {'format_type': 'FORMAT_TYPE_JSON_OBJECT'}
    return None


def _function(tool: ToolDefinition) -> dict[str, Any]:
    parameters = json.dumps(tool.parameters_json_schema)
    return {'function': {'name': tool.name, 'description': tool.description or '', 'parameters': parameters}}


def _native_tool(tool: AbstractNativeTool) -> dict[str, Any]:
    if isinstance(tool, WebSearchTool):
        search: dict[str, Any] = {
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
        return {'collections_search': {'collection_ids': list(tool.file_store_ids)}}
    if isinstance(tool, MCPServerTool):
        given = {
            'server_label': tool.id,
            'server_url': tool.url,
            'server_description': tool.description,
            'allowed_tool_names': tool.allowed_tools,
            'authorization': tool.authorization_token,
            'extra_headers': tool.headers,
        }
        return {'mcp': {name: value for name, value in given.items() if value}}
    raise UserError(f'xAI has no native tool like {type(tool).__name__}. Leave it out, or use another model for it.')


def _x_search(tool: XSearchTool) -> dict[str, Any]:
    made: dict[str, Any] = {
        'allowed_x_handles': tool.allowed_x_handles or [],
        'excluded_x_handles': tool.excluded_x_handles or [],
        'enable_image_understanding': tool.enable_image_understanding,
        'enable_video_understanding': tool.enable_video_understanding,
    }
    for name, date in (('from_date', tool.from_date), ('to_date', tool.to_date)):
        if date is not None:
            made[name] = _timestamp(date)
    return made


def _timestamp(date: datetime) -> dict[str, int]:
    """Return a point in time as protobuf has it; one without a time zone is in UTC."""
    at = date if date.tzinfo is not None else date.replace(tzinfo=timezone.utc)
    whole = at.replace(microsecond=0)
    return {'seconds': int(whole.timestamp()), 'nanos': at.microsecond * 1000}
