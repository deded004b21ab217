"""Tools, thinking and settings on the way out: as Google's SDK has them. No I/O."""

from __future__ import annotations

import warnings
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.warnings import PydanticAIDeprecationWarning
from ...exceptions import UserError
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

# On Google Cloud, tiers are headers: what to run on, and what else if that is used up.
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
_CLOUD_TIERS_OF_ALL = {'flex': 'pt_then_flex', 'priority': 'pt_then_priority'}
_IMAGE_SIZES = ('512', '1K', '2K', '4K')


def encode_options(
    settings: GoogleModelSettings, params: ModelRequestParameters, profile: GoogleModelProfile, *, is_cloud: bool
) -> dict[str, Any]:
    """Return the fields of a request that are about settings.

    Raises:
        UserError: A setting is one that Google does not have.
    """
    made: dict[str, Any] = {
        name: settings[key]  # type: ignore[literal-required]
        for key, name in _FIELDS.items()
        if settings.get(key) is not None
    }
    if made.get('response_logprobs') and settings.get('google_top_logprobs') is not None:
        made['logprobs'] = settings['google_top_logprobs']  # type: ignore[typeddict-item]
    if (thinking := _thinking(settings, params, profile)) is not None:
        made['thinking_config'] = thinking
    http = _http_options(settings)
    if is_cloud:
        http['headers'].update(_CLOUD_TIERS[_cloud_tier(settings)])
    else:
        if settings.get('google_service_tier') is not None:
            _is_old('google_service_tier', DeprecationWarning)
        if (tier := _TIERS.get(settings.get('service_tier') or '')) is not None:
            made['service_tier'] = tier
    made['http_options'] = http
    return made


def _http_options(settings: GoogleModelSettings) -> dict[str, Any]:
    options = options_of(settings)
    made: dict[str, Any] = {'headers': options['extra_headers']}
    if (timeout := options.get('timeout')) is not None:
        if not isinstance(timeout, (int, float)):
            raise UserError(
                f'Google takes one number of seconds as the setting `timeout`, not {timeout!r}. '
                'Give it that, or pass an `http_client` with other limits to the provider.'
            )
        made['timeout'] = int(timeout * 1000)
    if (extra := options['extra_body']) is not None:
        made['extra_body'] = extra
    return made


def _cloud_tier(settings: GoogleModelSettings) -> str:
    """Return the tier of a request on Google Cloud, with a warning about old names of the setting."""
    tier: str | None = settings.get('google_cloud_service_tier')
    if tier is None and (tier := settings.get('google_vertex_service_tier')) is not None:
        _is_old('google_vertex_service_tier', PydanticAIDeprecationWarning)
    if tier is None and (tier := settings.get('google_service_tier')) is not None:
        _is_old('google_service_tier', DeprecationWarning)
    if tier is None:
        tier = _CLOUD_TIERS_OF_ALL.get(settings.get('service_tier') or '', 'pt_then_on_demand')
    if tier not in _CLOUD_TIERS:
        raise UserError(f'There is no service tier {tier!r} on Google Cloud; there are {list(_CLOUD_TIERS)}.')
    return tier


def _is_old(name: str, category: type[Warning]) -> None:
    warnings.warn(
        f'The setting `{name}` is going away: use `google_cloud_service_tier` on Google Cloud, or `service_tier`.',
        category,
        stacklevel=2,
    )


def _thinking(
    settings: GoogleModelSettings, params: ModelRequestParameters, profile: GoogleModelProfile
) -> dict[str, Any] | None:
    if (given := settings.get('google_thinking_config')) is not None:
        return given
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


def encode_output(params: ModelRequestParameters, profile: GoogleModelProfile, *, has_tools: bool) -> dict[str, Any]:
    """Return the fields of a request that are about the output.

    Raises:
        UserError: The model cannot write JSON.
    """
    modalities = ['TEXT']
    if params.allow_image_output:
        has_text = params.allow_text_output or params.output_object is not None
        modalities = ['TEXT', 'IMAGE'] if has_text else ['IMAGE']
    made: dict[str, Any] = {'response_modalities': modalities}
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema = dict(output.json_schema)
        if output.name:
            schema['title'] = output.name
        if output.description:
            schema['description'] = output.description
        return {**made, 'response_mime_type': 'application/json', 'response_json_schema': schema}
    if params.output_mode == 'prompted' and not has_tools:
        if not profile.supports_json_object_output:
            raise UserError('The model cannot be held to JSON. Use another model, or text as the output.')
        made['response_mime_type'] = 'application/json'
    return made


def encode_tools(
    settings: GoogleModelSettings, params: ModelRequestParameters, profile: GoogleModelProfile, *, is_cloud: bool
) -> dict[str, Any]:
    """Return the fields of a request that are about tools.

    Raises:
        UserError: The model does not have such a tool, or the settings do not fit the tools.
    """
    made: dict[str, Any] = {}
    sent: list[dict[str, Any]] = []
    tells = False
    for tool in params.native_tools:
        if isinstance(tool, ImageGenerationTool):
            made['image_config'] = _image_config(tool, profile, is_cloud=is_cloud)
            continue
        sent.append(_native_tool(tool))
        tells = tells or not isinstance(tool, CodeExecutionTool)
    tools = [*params.function_tools, *params.output_tools]
    choice = resolve_tool_choice(settings, params)
    calling: dict[str, Any] = {'mode': 'AUTO'}
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
            raise UserError('The model has no tools. Use another model, or an agent without tools.')
        sent.append({'function_declarations': [_declaration(tool) for tool in tools]})
    else:
        calling = {'mode': 'AUTO'}
    if not sent:
        return made
    config: dict[str, Any] = {'function_calling_config': calling}
    if tells and profile.google_supports_server_side_tool_invocations and not is_cloud:
        config['include_server_side_tool_invocations'] = True
    return {**made, 'tools': sent, 'tool_config': config}


def _declaration(tool: ToolDefinition) -> dict[str, Any]:
    made: dict[str, Any] = {
        'name': tool.name,
        'description': tool.description or '',
        'parameters_json_schema': tool.parameters_json_schema,
    }
    if tool.return_schema is not None:
        made['response_json_schema'] = tool.return_schema
    return made


def _native_tool(tool: AbstractNativeTool) -> dict[str, Any]:
    if isinstance(tool, WebSearchTool):
        return {'google_search': {}}
    if isinstance(tool, WebFetchTool):
        return {'url_context': {}}
    if isinstance(tool, CodeExecutionTool):
        return {'code_execution': {}}
    if isinstance(tool, FileSearchTool):
        return {'file_search': {'file_search_store_names': list(tool.file_store_ids)}}
    raise UserError(f'Google has no native tool like {type(tool).__name__}.')


def _image_config(tool: ImageGenerationTool, profile: GoogleModelProfile, *, is_cloud: bool) -> dict[str, Any]:
    if not profile.supports_image_output:
        raise UserError("The model makes no images. Use one that does, such as those with 'image' in their names.")
    made: dict[str, Any] = {}
    if tool.aspect_ratio is not None:
        made['aspect_ratio'] = tool.aspect_ratio
    if tool.size is not None:
        if tool.size not in _IMAGE_SIZES:
            raise UserError(f'Google makes no images of size {tool.size!r}; it makes {list(_IMAGE_SIZES)}.')
        made['image_size'] = tool.size
    if not is_cloud:  # the Gemini API chooses the format itself
        return made
    form, compression = tool.output_format, tool.output_compression
    if compression is not None:
        if form not in (None, 'jpeg'):
            raise UserError(
                f'Google compresses images in JPEG only, but `output_format` is {form!r}. Leave `output_compression` out.'
            )
        made['output_compression_quality'] = compression
        form = 'jpeg'
    if form is not None:
        made['output_mime_type'] = f'image/{form}'
    return made
