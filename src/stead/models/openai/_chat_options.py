"""Tools and settings of chat completions, as OpenAI's API has them. No I/O."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.output import OutputObjectDefinition
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...native_tools import WebSearchTool
from ...profiles.openai import OPENAI_REASONING_EFFORT_MAP, SAMPLING_PARAMS, OpenAIModelProfile
from .._chat_completions.request import encode_output, encode_tool
from .._tool_choice import ResolvedToolChoice, resolve_tool_choice
from ._settings import OpenAIChatModelSettings

# Settings and the fields of the request that they become.
_FIELDS = {
    'max_tokens': 'max_completion_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'seed': 'seed',
    'logit_bias': 'logit_bias',
    'stop_sequences': 'stop',
    'openai_logprobs': 'logprobs',
    'openai_top_logprobs': 'top_logprobs',
    'openai_store': 'store',
    'openai_user': 'user',
    'openai_prediction': 'prediction',
    'openai_prompt_cache_key': 'prompt_cache_key',
    'openai_prompt_cache_retention': 'prompt_cache_retention',
    'openai_prompt_cache_options': 'prompt_cache_options',
    'openai_moderation': 'moderation',
    'openai_text_verbosity': 'verbosity',
}


def encode_tools(
    settings: OpenAIChatModelSettings, params: ModelRequestParameters, profile: OpenAIModelProfile, model_name: str
) -> JsonObject:
    """Return the fields of a request that are about tools and the format of the output.

    Raises:
        UserError: The settings demand a call of a tool, or of some tools, which the model cannot be held to.
    """
    fields: JsonObject = {}
    kept = without(settings, profile.openai_unsupported_model_settings)
    choice = resolve_tool_choice(kept, params)
    tools = [*params.function_tools, *params.output_tools]
    if tools:
        fields['tool_choice'], sent = _tool_choice(choice, tools, profile, model_name)
        strict = profile.openai_supports_strict_tool_definition
        fields['tools'] = [encode_tool(tool, strict=bool(strict and tool.strict)) for tool in sent]
        if 'parallel_tool_calls' in kept:
            fields['parallel_tool_calls'] = kept['parallel_tool_calls']
    if params.output_mode == 'native' and params.output_object is not None:
        fields['response_format'] = {
            'type': 'json_schema',
            'json_schema': json_schema_of(params.output_object, profile),
        }
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
        fields['response_format'] = {'type': 'json_object'}
    for tool in params.native_tools:
        if isinstance(tool, WebSearchTool):
            fields['web_search_options'] = _web_search(tool)
    return fields


def json_schema_of(output: OutputObjectDefinition, profile: OpenAIModelProfile) -> JsonObject:
    """Return the JSON schema that an output is held to, as OpenAI's APIs have it."""
    schema = encode_output(output)
    if profile.openai_supports_strict_tool_definition:
        schema['strict'] = bool(output.strict)
    return schema


def _tool_choice(
    choice: ResolvedToolChoice, tools: list[ToolDefinition], profile: OpenAIModelProfile, model_name: str
) -> tuple[str | JsonObject, list[ToolDefinition]]:
    """Return the field `tool_choice`, and the tools to send. All are sent where that is possible, which keeps caches."""
    if choice.mode == 'required' and not profile.openai_supports_tool_choice_required:
        if choice.explicit:
            raise UserError(
                f'The model {model_name!r} cannot be made to call a tool, which the setting `tool_choice` demands. '
                'Leave the setting out, or use another model.'
            )
        return 'auto', choice.among(tools)
    if choice.explicit and not profile.openai_supports_tool_choice_required:
        raise UserError(f'The model {model_name!r} cannot be held to some of its tools, as `tool_choice` demands.')
    if choice.only is not None:
        return {'type': 'function', 'function': {'name': choice.only}}, tools
    return choice.mode, choice.among(tools)


def _web_search(tool: WebSearchTool) -> JsonObject:
    options: JsonObject = {'search_context_size': tool.search_context_size}
    if tool.user_location:
        options['user_location'] = {'type': 'approximate', 'approximate': dict(tool.user_location)}
    return options


def encode_settings(
    settings: OpenAIChatModelSettings, params: ModelRequestParameters, profile: OpenAIModelProfile
) -> JsonObject:
    """Return the fields of a request that are about settings; those that the model refuses are left out."""
    effort = reasoning_effort(settings, params)
    kept = without_refused(settings, profile, effort)
    fields: JsonObject = {name: kept[key] for key, name in _FIELDS.items() if key in kept}
    if effort is not None:
        fields['reasoning_effort'] = effort
    tier = kept.get('openai_service_tier', kept.get('service_tier'))
    if tier is not None:
        fields['service_tier'] = tier
    return fields


def reasoning_effort(settings: OpenAIChatModelSettings, params: ModelRequestParameters) -> str | None:
    """Return how hard the model reasons; `None` leaves it to the model."""
    effort = settings.get('openai_reasoning_effort')
    if effort is not None:
        return effort
    return None if params.thinking is None else OPENAI_REASONING_EFFORT_MAP[params.thinking]


def without_refused(settings: Mapping[str, Any], profile: OpenAIModelProfile, effort: str | None) -> Mapping[str, Any]:
    """Return settings without those that the model refuses, with a warning where that changes the answer."""
    refused = list(profile.openai_unsupported_model_settings)
    if profile.openai_supports_reasoning:
        resting = profile.openai_supports_reasoning_effort_none and effort in (None, 'none')
        sampling = () if resting else SAMPLING_PARAMS
        if unused := [name for name in sampling if settings.get(name) is not None]:
            warnings.warn(
                f'These settings are left out, because the model refuses them while it reasons: {unused}.',
                UserWarning,
                stacklevel=2,
            )
        refused.extend(sampling)
    return without(settings, refused)


def without(settings: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    """Return settings without some of them."""
    if not any(name in settings for name in names):
        return settings
    return {name: value for name, value in settings.items() if name not in names}
