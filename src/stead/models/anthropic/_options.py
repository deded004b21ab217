"""Encodes tools, thinking and settings for Anthropic's API. No I/O."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...exceptions import UserError
from ...messages import CompactionPart, ModelMessage, ModelResponse
from ...native_tools import (
    AbstractNativeTool,
    AdvisorTool,
    CodeExecutionTool,
    MCPServerTool,
    MemoryTool,
    ToolSearchTool,
    WebFetchTool,
    WebSearchTool,
)
from ...profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP, AnthropicModelProfile, resolve_anthropic_effort
from ...settings import ThinkingLevel
from .._tool_choice import ResolvedToolChoice, resolve_tool_choice
from .._tool_search import native_search
from ._request import Platform, cache_control
from ._settings import AnthropicModelSettings

_FIELDS = {
    'stop_sequences': 'stop_sequences',
    'anthropic_metadata': 'metadata',
}
_SAMPLING = ('temperature', 'top_p', 'top_k')
_TIERS = {'auto': 'auto', 'default': 'standard_only'}


def is_thinking(settings: AnthropicModelSettings, thinking: ThinkingLevel | None) -> bool:
    """Return whether the model thinks, by its own setting or by the setting `thinking`."""
    config = as_dict(settings.get('anthropic_thinking'))
    return config.get('type') in ('enabled', 'adaptive') if config else bool(thinking)


def encode_options(
    settings: AnthropicModelSettings,
    params: ModelRequestParameters,
    profile: AnthropicModelProfile,
    platform: Platform,
    messages: Sequence[ModelMessage],
) -> tuple[JsonObject, set[str]]:
    """Return the fields of a request for the settings, and the beta features that they require."""
    betas: set[str] = set(settings.get('anthropic_betas') or ())
    fields: JsonObject = {name: settings[key] for key, name in _FIELDS.items() if key in settings}  # type: ignore[literal-required]
    if managed := _context_management(settings, messages, betas):
        fields['context_management'] = managed
    if not refused_sampling(settings, profile):
        fields.update({name: settings[name] for name in _SAMPLING if settings.get(name) is not None})  # type: ignore[literal-required]
    tier = settings.get('anthropic_service_tier') or _TIERS.get(settings.get('service_tier') or '')
    if tier:
        fields['service_tier'] = tier
    if (thinking := _thinking(settings, params, profile)) is not None:
        fields['thinking'] = thinking
    if output := _output_config(settings, params, profile):
        fields['output_config'] = output
    if 'task_budget' in output:
        betas.add('task-budgets-2026-03-13')
    speed = settings.get('anthropic_speed')
    if speed is not None and platform.has_speeds and profile.anthropic_supports_fast_speed:
        fields['speed'] = speed
        betas.update(('fast-mode-2026-02-01',) if speed == 'fast' else ())
    if (container := _container(settings, messages)) is not None:
        fields['container'] = container
    return fields, betas


def check_settings(
    settings: AnthropicModelSettings, profile: AnthropicModelProfile, platform: Platform, model_name: str
) -> None:
    """Check that the model supports the settings, and warn about settings that are left out.

    Raises:
        UserError: The model would reject the request.
    """
    thinking = as_dict(settings.get('anthropic_thinking'))
    if thinking.get('type') == 'enabled' and profile.anthropic_disallows_budget_thinking:
        raise UserError(
            f'{model_name!r} does not support the thinking budget in `anthropic_thinking`. '
            "Use `anthropic_thinking={'type': 'adaptive'}`, with `anthropic_effort` to set how much it thinks."
        )
    if settings.get('anthropic_task_budget') is not None and not profile.anthropic_supports_task_budgets:
        raise UserError(
            f'{model_name!r} does not support task budgets. Leave the setting `anthropic_task_budget` out, or use a model '
            'that supports them, such as `claude-opus-4-8`.'
        )
    if refused := refused_sampling(settings, profile):
        warnings.warn(
            f'These settings are left out, because {model_name!r} rejects them: {refused}.', UserWarning, stacklevel=2
        )
    if settings.get('anthropic_cache') and settings.get('anthropic_cache_messages'):
        raise UserError(
            'The settings `anthropic_cache` and `anthropic_cache_messages` are two ways to cache the same messages. Leave '
            'one of them out.'
        )
    if settings.get('anthropic_speed') == 'fast' and not (
        platform.has_speeds and profile.anthropic_supports_fast_speed
    ):
        where = f'{model_name!r}' if platform.has_speeds else f'the platform of {model_name!r}'
        warnings.warn(
            f'The setting `anthropic_speed` is left out, because {where} has only one speed.',
            UserWarning,
            stacklevel=2,
        )


def refused_sampling(settings: AnthropicModelSettings, profile: AnthropicModelProfile) -> list[str]:
    """Return the sampling settings that the model rejects, of the settings and their `extra_body`."""
    if not profile.anthropic_disallows_sampling_settings:
        return []
    fields: JsonObject = {**as_dict(settings.get('extra_body')), **settings}
    return [name for name in _SAMPLING if fields.get(name) is not None]


def _context_management(
    settings: AnthropicModelSettings, messages: Sequence[ModelMessage], betas: set[str]
) -> Mapping[str, object] | None:
    managed: Mapping[str, object] | None = settings.get('anthropic_context_management')
    if managed is None and _has_summary(messages):  # the API accepts summaries only with this edit
        managed = {'edits': [{'type': 'compact_20260112'}]}
    if managed is not None:
        betas.add('compact-2026-01-12')
        edits = as_list(as_dict(managed).get('edits'))
        if any(not str(as_dict(edit).get('type')).startswith('compact_') for edit in edits):
            betas.add('context-management-2025-06-27')
    return managed


def _has_summary(messages: Sequence[ModelMessage]) -> bool:
    return any(
        isinstance(part, CompactionPart) and part.provider_name == 'anthropic'
        for message in messages
        for part in message.parts
    )


def _thinking(
    settings: AnthropicModelSettings, params: ModelRequestParameters, profile: AnthropicModelProfile
) -> Mapping[str, object] | None:
    if 'anthropic_thinking' in settings:
        return settings['anthropic_thinking']
    if not params.thinking:
        return None
    if profile.anthropic_supports_adaptive_thinking:
        return {'type': 'adaptive'}
    return {'type': 'enabled', 'budget_tokens': ANTHROPIC_THINKING_BUDGET_MAP[params.thinking]}


def _output_config(
    settings: AnthropicModelSettings, params: ModelRequestParameters, profile: AnthropicModelProfile
) -> JsonObject:
    config: JsonObject = {}
    if params.output_mode == 'native' and params.output_object is not None:
        config['format'] = {'type': 'json_schema', 'schema': params.output_object.json_schema}
    effort = settings.get('anthropic_effort')
    if effort is None and params.thinking and profile.anthropic_supports_effort:
        xhigh = profile.anthropic_supports_xhigh_effort
        effort = resolve_anthropic_effort(params.thinking, supports_xhigh=xhigh)
    if effort is not None:
        config['effort'] = effort
    if (budget := settings.get('anthropic_task_budget')) is not None:
        config['task_budget'] = budget
    return config


def _container(settings: AnthropicModelSettings, messages: Sequence[ModelMessage]) -> object:
    """Return the container to run code in: that of the settings, or the latest one in the history."""
    setting: object = settings.get('anthropic_container')
    if setting is False:
        return None
    if setting is not None:
        container = as_dict(setting)
        return container['id'] if container.keys() == {'id'} else setting
    for message in reversed(messages):
        if isinstance(message, ModelResponse) and message.provider_name == 'anthropic' and message.provider_details:
            if (container_id := message.provider_details.get('container_id')) is not None:
                return container_id
    return None


def encode_tools(
    settings: AnthropicModelSettings, params: ModelRequestParameters, profile: AnthropicModelProfile, model_name: str
) -> tuple[JsonObject, set[str]]:
    """Return the fields of a request for the tools, and the beta features that they require.

    Raises:
        UserError: The setting `tool_choice` requires a tool call, and the model cannot be forced to call a tool; or the
            model does not support one of the native tools.
    """
    tools = [*params.function_tools, *params.output_tools]
    choice = resolve_tool_choice(settings, params)
    fields: JsonObject = {}
    sent: list[JsonObject] = []
    if tools:
        forced, tools = _tool_choice(choice, tools, settings, params, profile, model_name)
        if 'parallel_tool_calls' in settings and forced['type'] != 'none':
            forced['disable_parallel_tool_use'] = not settings['parallel_tool_calls']
        fields['tool_choice'] = forced
    native, servers, betas = _native_tools(params, settings, profile)
    native_names = {tool['name'] for tool in native}
    eager = settings.get('anthropic_eager_input_streaming')
    deferred = native_search(params).managed
    for tool in tools:
        if tool.name in native_names and tool.name == 'memory':  # this function implements the native tool
            continue
        definition = _tool(tool, profile, eager=bool(eager))
        if tool.name in deferred:
            definition['defer_loading'] = True
        sent.append(definition)
    if control := cache_control(settings.get('anthropic_cache_tool_definitions')):
        # Deferred tools are not part of the prefix that is cached.
        cacheable = [tool for tool in sent if 'defer_loading' not in tool] if sent else native
        for tool in cacheable[-1:]:
            tool['cache_control'] = control
    if sent or native:
        fields['tools'] = [*sent, *native]
    if servers:
        fields['mcp_servers'] = servers
    return fields, betas


def _tool_choice(
    choice: ResolvedToolChoice,
    tools: list[ToolDefinition],
    settings: AnthropicModelSettings,
    params: ModelRequestParameters,
    profile: AnthropicModelProfile,
    model_name: str,
) -> tuple[JsonObject, list[ToolDefinition]]:
    """Return the field `tool_choice`, and the tools to send: all of them where possible, since that keeps caches valid."""
    if choice.mode != 'required':
        return {'type': choice.mode}, choice.among(tools)
    reason = None
    if not profile.anthropic_supports_forced_tool_choice:
        reason = f'The model {model_name!r} cannot be forced to call a tool'
    elif is_thinking(settings, params.thinking):
        reason = f'The model {model_name!r} cannot be forced to call a tool while it thinks'
    if reason is not None:
        if choice.explicit:
            raise UserError(f'{reason}, which the setting `tool_choice` requires. Leave the setting out.')
        return {'type': 'auto'}, choice.among(tools)
    if choice.only is not None:
        return {'type': 'tool', 'name': choice.only}, tools
    return {'type': 'any'}, choice.among(tools)


def _tool(tool: ToolDefinition, profile: AnthropicModelProfile, *, eager: bool) -> JsonObject:
    definition: JsonObject = {
        'name': tool.name,
        'description': tool.description or '',
        'input_schema': tool.parameters_json_schema,
    }
    if tool.strict and profile.supports_json_schema_output:
        definition['strict'] = True
    if eager:
        definition['eager_input_streaming'] = True
    return definition


def _native_tools(
    params: ModelRequestParameters, settings: AnthropicModelSettings, profile: AnthropicModelProfile
) -> tuple[list[JsonObject], list[JsonObject], set[str]]:
    """Return the native tools, the MCP servers, and the beta features that they require."""
    tools: list[JsonObject] = []
    servers: list[JsonObject] = []
    betas: set[str] = set()
    for tool in params.native_tools:
        if isinstance(tool, MCPServerTool):
            servers.append(_mcp_server(tool))
            betas.add('mcp-client-2025-04-04')
            continue
        if isinstance(tool, MemoryTool):
            if 'memory' not in params.tool_defs:
                raise UserError(
                    "The native `MemoryTool` requires a function tool named 'memory' that stores what the model writes."
                )
            betas.add('context-management-2025-06-27')
        elif isinstance(tool, AdvisorTool):
            betas.add('advisor-tool-2026-03-01')
        elif isinstance(tool, WebFetchTool):
            betas.add('web-fetch-2025-09-10')
        elif isinstance(tool, ToolSearchTool) and tool.strategy == 'custom':  # `search_tools` searches instead
            continue
        tools.append(_native_tool(tool, settings, profile))
    return tools, servers, betas


def _web_tool(tool: WebSearchTool | WebFetchTool, settings: AnthropicModelSettings) -> JsonObject:
    if isinstance(tool, WebSearchTool):
        location = {'type': 'approximate', **tool.user_location} if tool.user_location else None
        return {
            'name': 'web_search',
            'type': 'web_search_20250305',
            'max_uses': tool.max_uses,
            'allowed_domains': tool.allowed_domains,
            'blocked_domains': tool.blocked_domains,
            'user_location': location,
        }
    return {
        'name': 'web_fetch',
        'type': 'web_fetch_20250910',
        'max_uses': tool.max_uses,
        'allowed_domains': tool.allowed_domains,
        'blocked_domains': tool.blocked_domains,
        'citations': {'enabled': True}
        if tool.setting_for('anthropic', 'enable_citations') or settings.get('citations')
        else None,
        'max_content_tokens': tool.setting_for('anthropic', 'max_content_tokens'),
    }


def _native_tool(
    tool: AbstractNativeTool, settings: AnthropicModelSettings, profile: AnthropicModelProfile
) -> JsonObject:
    if isinstance(tool, (WebSearchTool, WebFetchTool)):
        fields = _web_tool(tool, settings)
        if callers := settings.get('anthropic_web_tools_allowed_callers'):
            # The first versions of these tools can be called by the model only.
            fields.update(type=f'{tool.kind}_20260209', allowed_callers=list(callers))
        names = ('response_inclusion', 'use_cache')
        own = {name: value for name in names if (value := tool.setting_for('anthropic', name)) is not None}
        if own:
            fields.update(own, type=f'{tool.kind}_20260318')
            if fields.get('citations'):  # code that calls the tool has no citations
                fields.setdefault('allowed_callers', ['direct'])
        return fields
    if isinstance(tool, AdvisorTool):
        return _advisor(tool)
    if isinstance(tool, CodeExecutionTool):
        version = settings.get('anthropic_code_execution_tool_version', 'auto')
        if version == 'auto':
            version = profile.anthropic_default_code_execution_tool_version
        if version not in profile.anthropic_supported_code_execution_tool_versions:
            raise UserError(
                f'The model does not support version {version!r} of the code execution tool. Use one of '
                f'{profile.anthropic_supported_code_execution_tool_versions}.'
            )
        return {'name': 'code_execution', 'type': f'code_execution_{version}'}
    if isinstance(tool, MemoryTool):
        return {'name': 'memory', 'type': 'memory_20250818'}
    if isinstance(tool, ToolSearchTool):
        name = f'tool_search_tool_{tool.strategy or "bm25"}'
        return {'name': name, 'type': f'{name}_20251119'}
    raise UserError(f'Anthropic does not support the native tool {type(tool).__name__}.')


def _advisor(tool: AdvisorTool) -> JsonObject:
    fields: JsonObject = {'name': 'advisor', 'type': 'advisor_20260301', 'model': tool.model}
    named = {'max_uses': tool.max_uses, 'max_tokens': tool.max_tokens}
    fields.update({name: value for name, value in named.items() if value is not None})
    if ttl := tool.setting_for('anthropic', 'caching'):
        fields['caching'] = {'type': 'ephemeral', 'ttl': ttl}
    return fields


def _mcp_server(tool: MCPServerTool) -> JsonObject:
    server: JsonObject = {'type': 'url', 'name': tool.id, 'url': tool.url}
    if tool.allowed_tools is not None:
        server['tool_configuration'] = {'enabled': bool(tool.allowed_tools), 'allowed_tools': tool.allowed_tools}
    if tool.authorization_token:
        server['authorization_token'] = tool.authorization_token
    return server
