"""Encodes tools, thinking and settings for Google's SDK. No I/O."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import JsonObject
from ...exceptions import PydanticAIDeprecationWarning, UserError
from ...native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    WebFetchTool,
    WebSearchTool,
)
from ...profiles.google import GoogleModelProfile
from .._tool_choice import resolve_tool_choice
from .._vendor import options_of
from ._settings import GoogleModelSettings

_FIELDS = {
    'max_tokens': 'max_output_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'top_k': 'top_k',
    'seed': 'seed',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'stop_sequences': 'stop_sequences',
    'google_safety_settings': 'safety_settings',
    'google_labels': 'labels',
    'google_video_resolution': 'media_resolution',
    'google_cached_content': 'cached_content',
    'google_logprobs': 'response_logprobs',
}
_BUDGETS = {'minimal': 128, 'low': 2048, 'medium': 8192, 'high': 24576, 'xhigh': 24576}
_LEVELS = {'minimal': 'MINIMAL', 'low': 'LOW', 'medium': 'MEDIUM', 'high': 'HIGH', 'xhigh': 'HIGH'}
_TIERS = {'default': 'standard', 'flex': 'flex', 'priority': 'priority'}

# On Google Cloud, tiers are headers: the capacity to use, and the one to fall back to when that is exhausted.
_KIND, _SHARED = 'X-Vertex-AI-LLM-Request-Type', 'X-Vertex-AI-LLM-Shared-Request-Type'
_CLOUD_TIERS: dict[str, dict[str, str]] = {
    'pt_then_on_demand': {},
    'pt_only': {_KIND: 'dedicated'},
    'pt_then_flex': {_SHARED: 'flex'},
    'pt_then_priority': {_SHARED: 'priority'},
    'on_demand': {_KIND: 'shared'},
    'flex_only': {_KIND: 'shared', _SHARED: 'flex'},
    'priority_only': {_KIND: 'shared', _SHARED: 'priority'},
}
_CLOUD_TIERS_OF_GENERAL = {'flex': 'pt_then_flex', 'priority': 'pt_then_priority'}
_IMAGE_SIZES = ('512', '1K', '2K', '4K')


def encode_options(
    settings: GoogleModelSettings, params: ModelRequestParameters, profile: GoogleModelProfile, *, is_cloud: bool
) -> JsonObject:
    """Return the fields of a request for the settings.

    Raises:
        UserError: A setting has a value that Google does not support.
    """
    fields: JsonObject = {
        name: settings[key]  # type: ignore[literal-required]
        for key, name in _FIELDS.items()
        if settings.get(key) is not None
    }
    if fields.get('response_logprobs') and settings.get('google_top_logprobs') is not None:
        fields['logprobs'] = settings['google_top_logprobs']  # type: ignore[typeddict-item]
    if (thinking := _thinking(settings, params, profile)) is not None:
        fields['thinking_config'] = thinking
    http = _http_options(settings)
    if is_cloud:
        http['headers'].update(_CLOUD_TIERS[_cloud_tier(settings)])
    else:
        if settings.get('google_service_tier') is not None:
            _warn_deprecated('google_service_tier', DeprecationWarning)
        if (tier := _TIERS.get(settings.get('service_tier') or '')) is not None:
            fields['service_tier'] = tier
    fields['http_options'] = http
    return fields


def _http_options(settings: GoogleModelSettings) -> JsonObject:
    options = options_of(settings)
    fields: JsonObject = {'headers': options['extra_headers']}
    if (timeout := options.get('timeout')) is not None:
        if not isinstance(timeout, (int, float)):
            raise UserError(
                f'With Google, the setting `timeout` must be a number of seconds, not {timeout!r}. '
                'For other limits, pass an `http_client` to the provider.'
            )
        fields['timeout'] = int(timeout * 1000)
    if (retries := settings.get('max_retries')) is not None:
        fields['retry_options'] = {'attempts': retries + 1}
    if (extra := options['extra_body']) is not None:
        fields['extra_body'] = extra
    return fields


def _cloud_tier(settings: GoogleModelSettings) -> str:
    """Return the service tier of a request on Google Cloud, and warn about deprecated names of the setting.

    Raises:
        UserError: There is no such tier.
    """
    tier: str | None = settings.get('google_cloud_service_tier')
    if tier is None and (tier := settings.get('google_vertex_service_tier')) is not None:
        _warn_deprecated('google_vertex_service_tier', PydanticAIDeprecationWarning)
    if tier is None and (tier := settings.get('google_service_tier')) is not None:
        _warn_deprecated('google_service_tier', DeprecationWarning)
    if tier is None:
        tier = _CLOUD_TIERS_OF_GENERAL.get(settings.get('service_tier') or '', 'pt_then_on_demand')
    if tier not in _CLOUD_TIERS:
        raise UserError(f'There is no service tier {tier!r} on Google Cloud. Use one of {list(_CLOUD_TIERS)}.')
    return tier


def _warn_deprecated(name: str, category: type[Warning]) -> None:
    warnings.warn(
        f'The setting `{name}` is deprecated: use `google_cloud_service_tier` on Google Cloud, or `service_tier`.',
        category,
        stacklevel=2,
    )


def _thinking(
    settings: GoogleModelSettings, params: ModelRequestParameters, profile: GoogleModelProfile
) -> Mapping[str, object] | None:
    if (config := settings.get('google_thinking_config')) is not None:
        return config
    level = params.thinking
    if level is None:
        return None
    if level is True:
        return {'include_thoughts': True}
    if profile.google_supports_thinking_level:
        if level is False:
            return {'thinking_level': 'MINIMAL'}
        return {'include_thoughts': True, 'thinking_level': _LEVELS[level]}
    if level is False:
        return {'thinking_budget': 0}
    return {'include_thoughts': True, 'thinking_budget': _BUDGETS[level]}


def encode_output(params: ModelRequestParameters, profile: GoogleModelProfile, *, has_tools: bool) -> JsonObject:
    """Return the fields of a request for the output.

    Raises:
        UserError: The model does not support JSON output.
    """
    modalities = ['TEXT']
    if params.allow_image_output:
        has_text = params.allow_text_output or params.output_object is not None
        modalities = ['TEXT', 'IMAGE'] if has_text else ['IMAGE']
    fields: JsonObject = {'response_modalities': modalities}
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema = dict(output.json_schema)
        if output.name:
            schema['title'] = output.name
        if output.description:
            schema['description'] = output.description
        return {**fields, 'response_mime_type': 'application/json', 'response_json_schema': schema}
    if params.output_mode == 'prompted' and not has_tools:
        if not profile.supports_json_object_output:
            raise UserError('The model does not support JSON output. Use another model, or text output.')
        fields['response_mime_type'] = 'application/json'
    return fields


def encode_tools(
    settings: GoogleModelSettings, params: ModelRequestParameters, profile: GoogleModelProfile, *, is_cloud: bool
) -> JsonObject:
    """Return the fields of a request for the tools.

    Raises:
        UserError: The model does not support one of the tools, or `tool_choice` does not match the tools.
    """
    fields: JsonObject = {}
    sent: list[JsonObject] = []
    reports_calls = False
    for tool in params.native_tools:
        if isinstance(tool, ImageGenerationTool):
            fields['image_config'] = _image_config(tool, profile, is_cloud=is_cloud)
            continue
        sent.append(_native_tool(tool))
        reports_calls = reports_calls or not isinstance(tool, CodeExecutionTool)
    tools = [*params.function_tools, *params.output_tools]
    choice = resolve_tool_choice(settings, params)
    calling: JsonObject = {'mode': 'AUTO'}
    if choice.mode == 'none':
        calling['mode'] = 'NONE'
    elif choice.mode == 'required':
        calling['mode'] = 'ANY'
        if choice.allowed is not None and len(choice.among(tools)) < len(tools):
            calling['allowed_function_names'] = sorted(choice.allowed)
    else:
        tools = choice.among(tools)
    if tools:
        if not profile.supports_tools:
            raise UserError('The model does not support tools. Use another model, or an agent without tools.')
        sent.append({'function_declarations': [_declaration(tool) for tool in tools]})
    else:
        calling = {'mode': 'AUTO'}
    if not sent:
        return fields
    config: JsonObject = {'function_calling_config': calling}
    if reports_calls and profile.google_supports_server_side_tool_invocations and not is_cloud:
        config['include_server_side_tool_invocations'] = True
    return {**fields, 'tools': sent, 'tool_config': config}


def _declaration(tool: ToolDefinition) -> JsonObject:
    declaration: JsonObject = {
        'name': tool.name,
        'description': tool.description or '',
        'parameters_json_schema': tool.parameters_json_schema,
    }
    if tool.return_schema is not None:
        declaration['response_json_schema'] = tool.return_schema
    return declaration


def _native_tool(tool: AbstractNativeTool) -> JsonObject:
    if isinstance(tool, WebSearchTool):
        return {'google_search': {}}
    if isinstance(tool, WebFetchTool):
        return {'url_context': {}}
    if isinstance(tool, CodeExecutionTool):
        return {'code_execution': {}}
    if isinstance(tool, FileSearchTool):
        return {'file_search': {'file_search_store_names': list(tool.file_store_ids)}}
    raise UserError(f'Google does not support the native tool {type(tool).__name__}.')


def _image_config(tool: ImageGenerationTool, profile: GoogleModelProfile, *, is_cloud: bool) -> JsonObject:
    if not profile.supports_image_output:
        raise UserError("The model does not generate images. Use one with 'image' in its name.")
    config: JsonObject = {}
    if tool.aspect_ratio is not None:
        config['aspect_ratio'] = tool.aspect_ratio
    if tool.size is not None:
        if tool.size not in _IMAGE_SIZES:
            raise UserError(f'Google does not support the image size {tool.size!r}. Use one of {list(_IMAGE_SIZES)}.')
        config['image_size'] = tool.size
    if not is_cloud:  # the Gemini API chooses the format itself
        return config
    image_format, compression = tool.output_format, tool.output_compression
    if compression is not None:
        if image_format not in (None, 'jpeg'):
            raise UserError(
                f'Google compresses only JPEG images, but `output_format` is {image_format!r}. '
                'Leave `output_compression` out.'
            )
        config['output_compression_quality'] = compression
        image_format = 'jpeg'
    if image_format is not None:
        config['output_mime_type'] = f'image/{image_format}'
    return config
