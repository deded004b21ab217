"""Requests to Cohere: messages, tools and settings as version 2 of its chat API has them. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ...messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from ...profiles import ModelProfile
from ...settings import ModelSettings
from .._chat_completions.images import ImageEncoder
from .._chat_completions.request import encode_tool
from .._tool_choice import resolve_tool_choice
from .._vendor import options_of
from .._wire.call_ids import CHAT_IDS
from ._response import PLAN

LatestCohereModelNames: TypeAlias = Literal[
    'c4ai-aya-expanse-32b',
    'c4ai-aya-expanse-8b',
    'command-nightly',
    'command-r-08-2024',
    'command-r-plus-08-2024',
    'command-r7b-12-2024',
]
"""Names that are known."""
CohereModelName: TypeAlias = Union[str, LatestCohereModelNames]
"""The name of a model; those that are known, or any other."""


class CohereModelSettings(ModelSettings, total=False):
    """Settings of Cohere's models: those that all models have."""


# Settings and the fields of the request that they become.
_FIELDS = {
    'max_tokens': 'max_tokens',
    'temperature': 'temperature',
    'top_p': 'p',
    'top_k': 'k',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'seed': 'seed',
    'stop_sequences': 'stop_sequences',
}


class CohereEncoder(ImageEncoder):
    """Encoder of messages for Cohere, whose answers are lists of texts and thoughts."""

    label = 'Cohere'

    def _response(self, message: ModelResponse) -> JsonObject | None:
        texts: list[str] = []
        thoughts: list[str] = []
        plans: list[str] = []
        calls: list[JsonObject] = []
        planned = any(isinstance(part, ToolCallPart) for part in message.parts)
        for part in message.parts:
            if isinstance(part, TextPart):
                if part.content:
                    texts.append(part.content)
            elif isinstance(part, ThinkingPart):
                is_plan = planned and part.id == PLAN and part.provider_name == self.system
                (plans if is_plan else thoughts).append(part.content)
            elif isinstance(part, ToolCallPart):
                function = {'name': part.tool_name, 'arguments': part.args_as_json_str()}
                calls.append({'id': CHAT_IDS.fit(part.tool_call_id), 'type': 'function', 'function': function})
        if not (texts or thoughts or calls):
            return None
        content: list[JsonObject] = []
        if thoughts:
            content.append({'type': 'thinking', 'thinking': '\n\n'.join(thoughts)})
        if texts:
            content.append({'type': 'text', 'text': '\n\n'.join(texts)})
        response: JsonObject = {'role': 'assistant'}
        if content:
            response['content'] = content
        if plans:
            response['tool_plan'] = '\n\n'.join(plans)
        if calls:
            response['tool_calls'] = calls
        return response


def encode_tools(settings: CohereModelSettings, params: ModelRequestParameters, profile: ModelProfile) -> JsonObject:
    """Return the fields of a request that are about tools and the format of the output."""
    fields: JsonObject = {}
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if tools:
        fields['tools'] = [encode_tool(tool) for tool in choice.among(tools)]
        # Older models do not know the field, so that only those get it who ask for it.
        if choice.mode == 'none':
            fields['tool_choice'] = 'NONE'
        elif choice.mode == 'required' and choice.explicit:
            fields['tool_choice'] = 'REQUIRED'
        return fields  # beside tools, the API takes no format
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        fields['response_format'] = {'type': 'json_object', 'json_schema': output.json_schema}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output:
        fields['response_format'] = {'type': 'json_object'}
    return fields


def encode_settings(settings: Mapping[str, Any], params: ModelRequestParameters) -> JsonObject:
    """Return the fields of a request that are about settings, and the options of the SDK."""
    fields: JsonObject = {name: settings[key] for key, name in _FIELDS.items() if key in settings}
    if params.thinking is not None:
        fields['thinking'] = {'type': 'disabled' if params.thinking is False else 'enabled'}
    shared = options_of(settings)  # type: ignore[arg-type]
    options: JsonObject = {'additional_headers': shared['extra_headers']}
    if shared['extra_body']:
        options['additional_body_parameters'] = shared['extra_body']
    if shared.get('timeout') is not None:
        options['timeout_in_seconds'] = shared['timeout']
    if settings.get('max_retries') is not None:
        options['max_retries'] = settings['max_retries']
    fields['request_options'] = options
    return fields
