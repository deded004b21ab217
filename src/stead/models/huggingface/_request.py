"""Requests to Hugging Face: chat completions in the dialect of its inference client. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ...profiles import ModelProfile
from ...settings import ModelSettings
from .._chat_completions.images import ImageEncoder
from .._chat_completions.request import STANDARD_SETTINGS, encode_function_tools, encode_output

LatestHuggingFaceModelNames: TypeAlias = Literal[
    'deepseek-ai/DeepSeek-R1',
    'meta-llama/Llama-3.3-70B-Instruct',
    'meta-llama/Llama-4-Maverick-17B-128E-Instruct',
    'meta-llama/Llama-4-Scout-17B-16E-Instruct',
    'Qwen/QwQ-32B',
    'Qwen/Qwen2.5-72B-Instruct',
    'Qwen/Qwen3-235B-A22B',
    'Qwen/Qwen3-32B',
]
"""Names that are known."""
HuggingFaceModelName: TypeAlias = Union[str, LatestHuggingFaceModelNames]
"""The name of a model on the Hugging Face Hub; those that are known, or any other."""


class HuggingFaceModelSettings(ModelSettings, total=False):
    """Settings of models behind Hugging Face: those that all models have."""


class HuggingFaceEncoder(ImageEncoder):
    """Encoder of messages for the inference client: images are the only files."""

    label = 'Hugging Face'


def encode_tools(
    settings: HuggingFaceModelSettings, params: ModelRequestParameters, profile: ModelProfile
) -> JsonObject:
    """Return the arguments that are about tools and the format of the output."""
    fields = encode_function_tools(settings, params)
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema = encode_output(output)
        if output.strict is not None:
            schema['strict'] = output.strict
        fields['response_format'] = {'type': 'json_schema', 'json_schema': schema}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and 'tools' not in fields:
        fields['response_format'] = {'type': 'json_object'}
    return fields


def encode_settings(settings: Mapping[str, Any]) -> JsonObject:
    """Return the arguments that are about settings."""
    fields: JsonObject = {name: settings[key] for key, name in STANDARD_SETTINGS.items() if key in settings}
    if more := settings.get('extra_body'):
        fields['extra_body'] = more
    return fields
