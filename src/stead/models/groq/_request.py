"""Requests to Groq: chat completions in its dialect. No I/O."""

from __future__ import annotations

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...native_tools import WebSearchTool
from ...profiles import ModelProfile
from ...profiles.groq import GroqModelProfile
from .._chat_completions.images import ImageEncoder
from .._chat_completions.request import STANDARD_SETTINGS, encode_function_tools, encode_output
from ._settings import GroqModelSettings


class GroqEncoder(ImageEncoder):
    """Encoder of messages in the dialect of Groq: images are the only files."""

    label = 'Groq'


def encode_tools(
    settings: GroqModelSettings, params: ModelRequestParameters, profile: ModelProfile, model_name: str
) -> JsonObject:
    """Return the fields of a request that are about tools and the format of the output.

    Raises:
        UserError: The request has a native tool that the model lacks.
    """
    fields = encode_function_tools(settings, params)
    if 'tools' in fields and 'parallel_tool_calls' in settings:
        fields['parallel_tool_calls'] = settings['parallel_tool_calls']
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema = {**encode_output(output), 'strict': output.strict}
        fields['response_format'] = {'type': 'json_schema', 'json_schema': schema}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and 'tools' not in fields:
        fields['response_format'] = {'type': 'json_object'}
    for tool in params.native_tools:  # nothing is sent for it: models that have it use it by themselves
        if (
            isinstance(tool, WebSearchTool)
            and not GroqModelProfile.from_profile(profile).groq_always_has_web_search_builtin_tool
        ):
            raise UserError(
                f'The model {model_name!r} does not search the web. On Groq, the models whose names begin with '
                '`compound-` do.'
            )
    return fields


def encode_settings(settings: GroqModelSettings, params: ModelRequestParameters) -> JsonObject:
    """Return the fields of a request that are about settings."""
    fields: JsonObject = {name: settings[key] for key, name in STANDARD_SETTINGS.items() if key in settings}  # type: ignore[literal-required]
    if 'groq_reasoning_effort' in settings:
        fields['reasoning_effort'] = settings['groq_reasoning_effort']
    if 'groq_reasoning_format' in settings:
        fields['reasoning_format'] = settings['groq_reasoning_format']
    elif params.thinking is not None:
        fields['reasoning_format'] = 'hidden' if params.thinking is False else 'parsed'
    return fields
