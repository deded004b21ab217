"""Requests to Groq: messages, tools and settings as its API has them. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import AudioUrl, BinaryContent, DocumentUrl, FileUrl, ModelMessage, UploadedFile, UserContent, VideoUrl
from ...native_tools import WebSearchTool
from ...profiles import ModelProfile
from ...profiles.groq import GroqModelProfile
from ...profiles.openai import OpenAIModelProfile
from .._chat_completions.request import ChatEncoder, encode_output, encode_tool
from .._media import DownloadFormat, is_text
from .._tool_choice import resolve_tool_choice
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
    """Encoder of messages in the dialect of Groq: images are the only files."""

    @classmethod
    def of(cls, system: str, profile: ModelProfile) -> GroqEncoder:
        """Return an encoder for a model with a profile."""
        tags = OpenAIModelProfile(thinking_tags=profile.thinking_tags, openai_chat_send_back_thinking_parts='tags')
        return cls(system, tags, 'system')

    def encode_message(self, message: ModelMessage) -> list[JsonObject]:
        """Return the messages of Groq's API that a message becomes, without fields that are null.

        Raises:
            UserError: The message has content that the model does not take.
        """
        encoded = super().encode_message(message)
        return [{name: value for name, value in item.items() if value is not None} for item in encoded]

    def _item(self, item: UserContent) -> JsonObject | None:
        if _is_refused(item):
            what = item.media_type if isinstance(item, BinaryContent) else type(item).__name__
            raise UserError(
                f'Groq takes no {what} in user prompts: it takes images and text. Use another model for it, '
                'or send what it says as text.'
            )
        return super()._item(item)

    def download_format(self, item: FileUrl) -> DownloadFormat | None:
        """Return the format that a link is downloaded in; `None` sends the link."""
        return None if _is_refused(item) else super().download_format(item)


def _is_refused(item: UserContent | FileUrl) -> bool:
    if isinstance(item, BinaryContent):
        return not item.is_image and not is_text(item.media_type)
    if isinstance(item, DocumentUrl):
        return not is_text(item.media_type)
    return isinstance(item, (AudioUrl, VideoUrl, UploadedFile))


def encode_tools(
    settings: GroqModelSettings, params: ModelRequestParameters, profile: ModelProfile, model_name: str
) -> JsonObject:
    """Return the fields of a request that are about tools and the format of the output.

    Raises:
        UserError: The request has a native tool that the model lacks.
    """
    fields: JsonObject = {}
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if tools:
        only = choice.only
        fields['tool_choice'] = choice.mode if only is None else {'type': 'function', 'function': {'name': only}}
        # All tools are sent where possible, so that cached prompts stay valid.
        fields['tools'] = [encode_tool(tool) for tool in (choice.among(tools) if only is None else tools)]
        if 'parallel_tool_calls' in settings:
            fields['parallel_tool_calls'] = settings['parallel_tool_calls']
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema = {**encode_output(output), 'strict': output.strict}
        fields['response_format'] = {'type': 'json_schema', 'json_schema': schema}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
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
    fields: JsonObject = {name: settings[key] for key, name in _FIELDS.items() if key in settings}  # type: ignore[literal-required]
    if 'groq_reasoning_format' in settings:
        fields['reasoning_format'] = settings['groq_reasoning_format']
    elif params.thinking is not None:
        fields['reasoning_format'] = 'hidden' if params.thinking is False else 'parsed'
    return fields
