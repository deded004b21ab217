"""Encodes tools, thinking and settings for the Converse API. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import JsonObject, as_dict
from ...exceptions import UserError
from ...native_tools import CodeExecutionTool
from ...profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP, resolve_anthropic_effort
from ...providers.bedrock import BedrockModelProfile
from ...settings import ThinkingLevel
from .._tool_choice import ResolvedToolChoice, resolve_tool_choice
from ._request import CODE_INTERPRETER, cache_point
from ._settings import BedrockModelSettings

_INFERENCE = {'temperature': 'temperature', 'top_p': 'topP'}
_FIELDS = {
    'bedrock_performance_configuration': 'performanceConfig',
    'bedrock_request_metadata': 'requestMetadata',
    'bedrock_additional_model_response_fields_paths': 'additionalModelResponseFieldPaths',
    'bedrock_prompt_variables': 'promptVariables',
}
_TIERS = ('default', 'flex', 'priority')
_QWEN_EFFORTS = {'minimal': 'low', 'low': 'low'}


def is_thinking(settings: Mapping[str, Any], thinking: ThinkingLevel | None) -> bool:
    """Return whether the model thinks, by its own fields or by the setting `thinking`."""
    own = as_dict(settings.get('bedrock_additional_model_requests_fields')).get('thinking')
    if own is not None:
        return as_dict(own).get('type') in ('enabled', 'adaptive')
    return bool(thinking)


def encode_options(
    settings: BedrockModelSettings, params: ModelRequestParameters, profile: BedrockModelProfile, *, stream: bool
) -> JsonObject:
    """Return the fields of a request for the settings."""
    values: Mapping[str, Any] = settings
    inference: JsonObject = {name: values[key] for key, name in _INFERENCE.items() if values.get(key) is not None}
    if most := values.get('max_tokens'):
        inference['maxTokens'] = most
    if stops := values.get('stop_sequences'):
        inference['stopSequences'] = stops
    fields: JsonObject = {'inferenceConfig': inference}
    fields.update({name: values[key] for key, name in _FIELDS.items() if values.get(key)})
    if guardrail := as_dict(values.get('bedrock_guardrail_config')):
        only_streams = () if stream else ('streamProcessingMode',)
        fields['guardrailConfig'] = {name: guardrail[name] for name in guardrail if name not in only_streams}
    tier = values.get('service_tier')
    if tier := values.get('bedrock_service_tier') or ({'type': tier} if tier in _TIERS else None):
        fields['serviceTier'] = tier
    own = as_dict(values.get('bedrock_additional_model_requests_fields'))
    decided = 'thinking' in own and profile.bedrock_thinking_variant == 'anthropic'
    if more := {**({} if decided else _thinking(params.thinking, profile)), **own}:
        fields['additionalModelRequestFields'] = more
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema: JsonObject = {'name': output.name or 'final_result', 'schema': to_json(output.json_schema).decode()}
        if output.description:
            schema['description'] = output.description
        fields['outputConfig'] = {'textFormat': {'type': 'json_schema', 'structure': {'jsonSchema': schema}}}
    return fields


def _thinking(level: ThinkingLevel | None, profile: BedrockModelProfile) -> JsonObject:
    """Return the fields that say how much a model thinks; each family has its own."""
    variant = profile.bedrock_thinking_variant
    if level is None or variant is None:
        return {}
    if variant == 'openai':
        return {'reasoning_effort': 'medium' if level is True else level} if level else {}
    if variant == 'qwen':
        return {'reasoning_config': _QWEN_EFFORTS.get(str(level), 'high')} if level else {}
    if not profile.bedrock_supports_adaptive_thinking:
        if level is False:
            return {'thinking': {'type': 'disabled'}}
        return {'thinking': {'type': 'enabled', 'budget_tokens': ANTHROPIC_THINKING_BUDGET_MAP[level]}}
    if level is False:
        return {}
    fields: JsonObject = {'thinking': {'type': 'adaptive'}}
    effort = resolve_anthropic_effort(level, supports_xhigh=False)
    if profile.bedrock_supports_effort and effort is not None:
        fields['output_config'] = {'effort': effort}
    return fields


def encode_tools(
    settings: BedrockModelSettings, params: ModelRequestParameters, profile: BedrockModelProfile, model_name: str
) -> JsonObject:
    """Return the field of a request for the tools, if there are any.

    Raises:
        UserError: The setting `tool_choice` requires a tool call, and the model cannot be forced to call a tool.
    """
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if choice.mode == 'none':
        return {}
    forced, tools = _tool_choice(choice, tools, settings, params, profile, model_name)
    sent = [_tool(tool, profile) for tool in tools]
    if any(isinstance(tool, CodeExecutionTool) for tool in params.native_tools):
        sent.append({'systemTool': {'name': CODE_INTERPRETER}})
    if not sent:
        return {}
    if profile.bedrock_supports_tool_caching:
        point = cache_point(settings.get('bedrock_cache_tool_definitions'))
        sent += [point] if point is not None else []
    config: JsonObject = {'tools': sent}
    if profile.bedrock_supports_tool_choice:
        config['toolChoice'] = forced
    return {'toolConfig': config}


def _tool_choice(
    choice: ResolvedToolChoice,
    tools: list[ToolDefinition],
    settings: BedrockModelSettings,
    params: ModelRequestParameters,
    profile: BedrockModelProfile,
    model_name: str,
) -> tuple[JsonObject, list[ToolDefinition]]:
    """Return the choice as the API has it, and the tools to send: all of them where possible, for the sake of caches."""
    among = choice.among(tools)
    if choice.mode != 'required':
        return {'auto': {}}, among
    reason = None
    if not profile.bedrock_supports_tool_choice:
        reason = f'The model {model_name!r} cannot be forced to call a tool'
    elif is_thinking(settings, params.thinking):
        reason = f'The model {model_name!r} cannot be forced to call a tool while it thinks'
    if reason is not None:
        if choice.explicit:
            raise UserError(f'{reason}, which the setting `tool_choice` requires. Leave the setting out.')
        return {'auto': {}}, among
    if choice.only is not None:
        return {'tool': {'name': choice.only}}, tools
    return {'any': {}}, among


def _tool(tool: ToolDefinition, profile: BedrockModelProfile) -> JsonObject:
    spec: JsonObject = {'name': tool.name, 'inputSchema': {'json': tool.parameters_json_schema}}
    if tool.description:
        spec['description'] = tool.description
    if tool.strict and profile.bedrock_supports_strict_tool_definition:
        spec['strict'] = True
    return {'toolSpec': spec}
