"""Messages, tools and settings on the way out: as Groq's API has them. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ...exceptions import UserError
from ...messages import AudioUrl, BinaryContent, DocumentUrl, FileUrl, ModelMessage, UploadedFile, VideoUrl
from ...native_tools import WebSearchTool
from ...profiles import ModelProfile
from ...profiles.groq import GroqModelProfile
from ...profiles.openai import OpenAIModelProfile
from .._media import Wish, is_text
from .._tool_choice import resolve_tool_choice
from ..openai._chat_request import ChatEncoder
from ._settings import GroqModelSettings

# Settings and the fields of the request that they become.
_FIELDS = {
    'max_tokens': 'max_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'seed': 'seed',
    'logit_bias': 'logit_bias',
    'stop_sequences': 'stop',
}


@dataclass
class GroqEncoder(ChatEncoder):
    """Turns messages into those of Groq's API, which are OpenAI's, with images as the only files."""

    @classmethod
    def of(cls, system: str, profile: ModelProfile) -> GroqEncoder:
        """Return an encoder for a model with a profile."""
        tags = OpenAIModelProfile(thinking_tags=profile.thinking_tags, openai_chat_send_back_thinking_parts='tags')
        return cls(system, tags, 'system')

    def encode(self, messages: Sequence[ModelMessage], params: ModelRequestParameters) -> list[dict[str, Any]]:
        """Return messages as Groq's API has them: what there is nothing of is left out of them.

        Raises:
            UserError: A message has content that the model does not take.
        """
        made = super().encode(messages, params)
        return [{name: value for name, value in message.items() if value is not None} for message in made]

    def _item(self, item: Any) -> dict[str, Any] | None:
        if _is_refused(item):
            what = item.media_type if isinstance(item, BinaryContent) else type(item).__name__
            raise UserError(
                f'Groq takes no {what} in user prompts: it takes images and text. Use another model for it, '
                'or send what it says as text.'
            )
        return super()._item(item)

    def wish(self, item: FileUrl) -> Wish:
        """Return the form that a link is downloaded in, if it is."""
        return None if _is_refused(item) else super().wish(item)


def _is_refused(item: Any) -> bool:
    if isinstance(item, BinaryContent):
        return not item.is_image and not is_text(item.media_type)
    if isinstance(item, DocumentUrl):
        return not is_text(item.media_type)
    return isinstance(item, (AudioUrl, VideoUrl, UploadedFile))


def encode_tools(
    settings: GroqModelSettings, params: ModelRequestParameters, profile: ModelProfile, model_name: str
) -> dict[str, Any]:
    """Return the fields of a request that are about tools and the form of the output.

    Raises:
        UserError: A native tool is asked for that the model does not have.
    """
    made: dict[str, Any] = {}
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if tools:
        only = choice.only
        made['tool_choice'] = choice.mode if only is None else {'type': 'function', 'function': {'name': only}}
        # All are sent where that is possible, which keeps caches.
        made['tools'] = [_tool(tool) for tool in (choice.among(tools) if only is None else tools)]
        if 'parallel_tool_calls' in settings:
            made['parallel_tool_calls'] = settings['parallel_tool_calls']
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema: dict[str, Any] = {'name': output.name or 'final_result', 'schema': output.json_schema}
        if output.description:
            schema['description'] = output.description
        made['response_format'] = {'type': 'json_schema', 'json_schema': {**schema, 'strict': output.strict}}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
        made['response_format'] = {'type': 'json_object'}
    for tool in params.native_tools:  # a model that has it uses it unasked
        if (
            isinstance(tool, WebSearchTool)
            and not GroqModelProfile.from_profile(profile).groq_always_has_web_search_builtin_tool
        ):
            raise UserError(
                f'The model {model_name!r} does not search the web. On Groq, the models whose names begin with '
                '`compound-` do.'
            )
    return made


def _tool(tool: Any) -> dict[str, Any]:
    schema = tool.parameters_json_schema
    function = {'name': tool.name, 'description': tool.description or '', 'parameters': schema}
    return {'type': 'function', 'function': function}


def encode_settings(settings: GroqModelSettings, params: ModelRequestParameters) -> dict[str, Any]:
    """Return the fields of a request that are about settings."""
    made: dict[str, Any] = {name: settings[key] for key, name in _FIELDS.items() if key in settings}  # type: ignore[literal-required]
    if 'groq_reasoning_format' in settings:
        made['reasoning_format'] = settings['groq_reasoning_format']
    elif params.thinking is not None:
        made['reasoning_format'] = 'hidden' if params.thinking is False else 'parsed'
    return made
