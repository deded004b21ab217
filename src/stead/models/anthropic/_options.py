"""Tools, thinking and settings on the way out: as Anthropic's API has them. No I/O."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.plain import as_dict, as_list
from ...exceptions import UserError
from ...messages import CompactionPart, ModelMessage, ModelResponse
from ...native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    MCPServerTool,
    MemoryTool,
    ToolSearchTool,
    WebFetchTool,
    WebSearchTool,
)
from ...profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP, AnthropicModelProfile, resolve_anthropic_effort
from .._tool_choice import Choice, resolve_tool_choice
from .._tool_search import native_search
from ._request import cache_control
from ._settings import AnthropicModelSettings

_FIELDS = {
    'stop_sequences': 'stop_sequences',
    'anthropic_metadata': 'metadata',
}
_SAMPLING = ('temperature', 'top_p', 'top_k')
_TIERS = {'auto': 'auto', 'default': 'standard_only'}


def is_thinking(settings: Any, thinking: Any) -> bool:
    """Return whether the settings make the model think."""
    given = as_dict(settings.get('anthropic_thinking'))
    return given.get('type') in ('enabled', 'adaptive') if given else bool(thinking)


def encode_options(
    settings: AnthropicModelSettings,
    params: ModelRequestParameters,
    profile: AnthropicModelProfile,
    messages: Sequence[ModelMessage],
) -> tuple[dict[str, Any], set[str]]:
    """Return the fields of a request that are about settings, and the betas they need."""
    betas: set[str] = set(settings.get('anthropic_betas') or ())
    made: dict[str, Any] = {name: settings[key] for key, name in _FIELDS.items() if key in settings}  # type: ignore[literal-required]
    if managed := _context_management(settings, messages, betas):
        made['context_management'] = managed
    if not refused_sampling(settings, profile):
        made.update({name: settings[name] for name in _SAMPLING if settings.get(name) is not None})  # type: ignore[literal-required]
    tier = settings.get('anthropic_service_tier') or _TIERS.get(settings.get('service_tier') or '')
    if tier:
        made['service_tier'] = tier
    if (thinking := _thinking(settings, params, profile)) is not None:
        made['thinking'] = thinking
    if output := _output_config(settings, params, profile):
        made['output_config'] = output
    if 'task_budget' in output:
        betas.add('task-budgets-2026-03-13')
    if (speed := settings.get('anthropic_speed')) is not None and profile.anthropic_supports_fast_speed:
        made['speed'] = speed
        betas.update(('fast-mode-2026-02-01',) if speed == 'fast' else ())
    if (container := _container(settings, messages)) is not None:
        made['container'] = container
    return made, betas


def check_settings(settings: AnthropicModelSettings, profile: AnthropicModelProfile, model_name: str) -> None:
    """Complain of settings that the model does not have.

    Raises:
        UserError: It would refuse the request.
    """
    thinking = as_dict(settings.get('anthropic_thinking'))
    if thinking.get('type') == 'enabled' and profile.anthropic_disallows_budget_thinking:
        raise UserError(
            f'{model_name!r} takes no budget for thinking, which `anthropic_thinking` has. '
            "Use `anthropic_thinking={'type': 'adaptive'}`, with `anthropic_effort` for how hard it thinks."
        )
    if settings.get('anthropic_task_budget') is not None and not profile.anthropic_supports_task_budgets:
        raise UserError(
            f'{model_name!r} takes no budget for tasks. Leave the setting `anthropic_task_budget` out, or use a model '
            'that does, such as `claude-opus-4-8`.'
        )
    if refused := refused_sampling(settings, profile):
        warnings.warn(
            f'These settings are left out, because {model_name!r} refuses them: {refused}.', UserWarning, stacklevel=2
        )
    if settings.get('anthropic_speed') == 'fast' and not profile.anthropic_supports_fast_speed:
        warnings.warn(
            f'The setting `anthropic_speed` is left out, because {model_name!r} has one speed only.',
            UserWarning,
            stacklevel=2,
        )


def refused_sampling(settings: AnthropicModelSettings, profile: AnthropicModelProfile) -> list[str]:
    """Return the names of the settings for sampling, if the model refuses those; also those of `extra_body`."""
    if not profile.anthropic_disallows_sampling_settings:
        return []
    given: dict[str, Any] = {**as_dict(settings.get('extra_body')), **settings}
    return [name for name in _SAMPLING if given.get(name) is not None]


def _context_management(
    settings: AnthropicModelSettings, messages: Sequence[ModelMessage], betas: set[str]
) -> dict[str, Any] | None:
    managed: Any = settings.get('anthropic_context_management')
    if managed is None and _has_summary(messages):  # the API takes summaries only with this
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
) -> dict[str, Any] | None:
    if 'anthropic_thinking' in settings:
        return settings['anthropic_thinking']
    if not params.thinking:
        return None
    if profile.anthropic_supports_adaptive_thinking:
        return {'type': 'adaptive'}
    return {'type': 'enabled', 'budget_tokens': ANTHROPIC_THINKING_BUDGET_MAP[params.thinking]}


def _output_config(
    settings: AnthropicModelSettings, params: ModelRequestParameters, profile: AnthropicModelProfile
) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if params.output_mode == 'native' and params.output_object is not None:
        made['format'] = {'type': 'json_schema', 'schema': params.output_object.json_schema}
    effort: Any = settings.get('anthropic_effort')
    if effort is None and params.thinking and profile.anthropic_supports_effort:
        xhigh = profile.anthropic_supports_xhigh_effort
        effort = resolve_anthropic_effort(params.thinking, supports_xhigh=xhigh)
    if effort is not None:
        made['effort'] = effort
    if (budget := settings.get('anthropic_task_budget')) is not None:
        made['task_budget'] = budget
    return made


def _container(settings: AnthropicModelSettings, messages: Sequence[ModelMessage]) -> Any:
    given: Any = settings.get('anthropic_container')
    if given is False:
        return None
    if given is not None:
        described = as_dict(given)
        return described['id'] if described.keys() == {'id'} else given
    for message in reversed(messages):
        if isinstance(message, ModelResponse) and message.provider_name == 'anthropic' and message.provider_details:
            if (found := message.provider_details.get('container_id')) is not None:
                return found
    return None


def encode_tools(
    settings: AnthropicModelSettings, params: ModelRequestParameters, profile: AnthropicModelProfile, model_name: str
) -> tuple[dict[str, Any], set[str]]:
    """Return the fields of a request that are about tools, and the betas they need.

    Raises:
        UserError: The model cannot be made to call a tool, and the settings demand that.
    """
    tools = [*params.function_tools, *params.output_tools]
    choice = resolve_tool_choice(settings, params)
    made: dict[str, Any] = {}
    sent: list[dict[str, Any]] = []
    if tools:
        forced, tools = _tool_choice(choice, tools, settings, params, profile, model_name)
        if 'parallel_tool_calls' in settings and forced['type'] != 'none':
            forced['disable_parallel_tool_use'] = not settings['parallel_tool_calls']
        made['tool_choice'] = forced
    native, servers, betas = _native_tools(params, settings, profile)
    own = {tool['name'] for tool in native}
    eager = settings.get('anthropic_eager_input_streaming')
    deferred = native_search(params).managed
    for tool in tools:
        if tool.name in own and tool.name == 'memory':  # it is how the native tool is run
            continue
        described = _tool(tool, profile, eager=bool(eager))
        if tool.name in deferred:
            described['defer_loading'] = True
        sent.append(described)
    if control := cache_control(settings.get('anthropic_cache_tool_definitions')):
        ends = [tool for tool in sent if 'defer_loading' not in tool] if sent else native  # deferred ones come later
        for tool in ends[-1:]:
            tool['cache_control'] = control
    if sent or native:
        made['tools'] = [*sent, *native]
    if servers:
        made['mcp_servers'] = servers
    return made, betas


def _tool_choice(
    choice: Choice,
    tools: list[ToolDefinition],
    settings: AnthropicModelSettings,
    params: ModelRequestParameters,
    profile: AnthropicModelProfile,
    model_name: str,
) -> tuple[dict[str, Any], list[ToolDefinition]]:
    """Return the field `tool_choice`, and the tools to send. All are sent where that is possible, which keeps caches."""
    if choice.mode != 'required':
        return {'type': choice.mode}, choice.among(tools)
    unable = None
    if not profile.anthropic_supports_forced_tool_choice:
        unable = f'The model {model_name!r} cannot be made to call a tool'
    elif is_thinking(settings, params.thinking):
        unable = f'The model {model_name!r} cannot be made to call a tool while it thinks'
    if unable is not None:
        if choice.explicit:
            raise UserError(f'{unable}, which the setting `tool_choice` demands. Leave the setting out.')
        return {'type': 'auto'}, choice.among(tools)
    if choice.only is not None:
        return {'type': 'tool', 'name': choice.only}, tools
    return {'type': 'any'}, choice.among(tools)


def _tool(tool: ToolDefinition, profile: AnthropicModelProfile, *, eager: bool) -> dict[str, Any]:
    made: dict[str, Any] = {
        'name': tool.name,
        'description': tool.description or '',
        'input_schema': tool.parameters_json_schema,
    }
    if tool.strict and profile.supports_json_schema_output:
        made['strict'] = True
    if eager:
        made['eager_input_streaming'] = True
    return made


def _native_tools(
    params: ModelRequestParameters, settings: AnthropicModelSettings, profile: AnthropicModelProfile
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], set[str]]:
    """Return native tools, MCP servers, and the betas they need."""
    tools: list[dict[str, Any]] = []
    servers: list[dict[str, Any]] = []
    betas: set[str] = set()
    for tool in params.native_tools:
        if isinstance(tool, MCPServerTool):
            servers.append(_mcp_server(tool))
            betas.add('mcp-client-2025-04-04')
            continue
        if isinstance(tool, MemoryTool):
            if 'memory' not in params.tool_defs:
                raise UserError(
                    "The native `MemoryTool` needs a function tool named 'memory', which keeps what the model writes."
                )
            betas.add('context-management-2025-06-27')
        elif isinstance(tool, WebFetchTool):
            betas.add('web-fetch-2025-09-10')
        elif isinstance(tool, ToolSearchTool) and tool.strategy == 'custom':  # the function `search_tools` does it
            continue
        tools.append(_native_tool(tool, settings, profile))
    return tools, servers, betas


def _native_tool(
    tool: AbstractNativeTool, settings: AnthropicModelSettings, profile: AnthropicModelProfile
) -> dict[str, Any]:
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
    if isinstance(tool, WebFetchTool):
        return {
            'name': 'web_fetch',
            'type': 'web_fetch_20250910',
            'max_uses': tool.max_uses,
            'allowed_domains': tool.allowed_domains,
            'blocked_domains': tool.blocked_domains,
            'citations': {'enabled': tool.enable_citations} if tool.enable_citations else None,
            'max_content_tokens': tool.max_content_tokens,
        }
    if isinstance(tool, CodeExecutionTool):
        version = settings.get('anthropic_code_execution_tool_version', 'auto')
        if version == 'auto':
            version = profile.anthropic_default_code_execution_tool_version
        if version not in profile.anthropic_supported_code_execution_tool_versions:
            raise UserError(
                f'The model has no version {version!r} of the tool that runs code; it has '
                f'{profile.anthropic_supported_code_execution_tool_versions}.'
            )
        return {'name': 'code_execution', 'type': f'code_execution_{version}'}
    if isinstance(tool, MemoryTool):
        return {'name': 'memory', 'type': 'memory_20250818'}
    if isinstance(tool, ToolSearchTool):
        name = f'tool_search_tool_{tool.strategy or "bm25"}'
        return {'name': name, 'type': f'{name}_20251119'}
    raise UserError(f'Anthropic has no native tool like {type(tool).__name__}.')


def _mcp_server(tool: MCPServerTool) -> dict[str, Any]:
    server: dict[str, Any] = {'type': 'url', 'name': tool.id, 'url': tool.url}
    if tool.allowed_tools is not None:
        server['tool_configuration'] = {'enabled': bool(tool.allowed_tools), 'allowed_tools': tool.allowed_tools}
    if tool.authorization_token:
        server['authorization_token'] = tool.authorization_token
    return server
