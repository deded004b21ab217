"""Chat completions, on the way out: messages, tools and settings as OpenAI's API has them. No I/O."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ...exceptions import UserError
from ...messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    DocumentUrl,
    FilePart,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from ...native_tools import WebSearchTool
from ...profiles.openai import OPENAI_REASONING_EFFORT_MAP, SAMPLING_PARAMS, OpenAIModelProfile
from .._base import instructions_of
from .._media import Downloads, Wish, as_text_file, is_text
from .._tool_choice import Choice, resolve_tool_choice
from ._settings import OpenAIChatModelSettings

_OMITTED: Any = object()

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
}


@dataclass
class ChatEncoder:
    """Turns messages into those of a chat completion."""

    system: str
    """The provider; what comes from another one is not sent back as if it were its own."""
    profile: OpenAIModelProfile
    system_role: str
    downloads: Downloads = field(default_factory=lambda: {})

    def encode(self, messages: Sequence[ModelMessage], params: ModelRequestParameters) -> list[dict[str, Any]]:
        """Return messages as OpenAI's API has them.

        Raises:
            UserError: A message has content that the model does not take.
        """
        made: list[dict[str, Any]] = []
        for message in messages:
            if isinstance(message, ModelRequest):
                made.extend(self._request(message))
            elif (answer := self._response(message)) is not None:
                made.append(answer)
        self._insert_instructions(made, messages, params)
        if not self.profile.openai_chat_supports_multiple_system_messages:
            self._join_system_messages(made)
        return made

    def _insert_instructions(
        self, made: list[dict[str, Any]], messages: Sequence[ModelMessage], params: ModelRequestParameters
    ) -> None:
        if params.instruction_parts:
            texts = [part.content for part in params.instruction_parts]
        else:
            text = instructions_of(messages, params)
            texts = [text] if text else []
        # After the system prompts, which the instructions may build on.
        place = next((i for i, message in enumerate(made) if message['role'] != self.system_role), len(made))
        made[place:place] = [{'role': self.system_role, 'content': text} for text in texts if text]

    def _join_system_messages(self, made: list[dict[str, Any]]) -> None:
        end = next((i for i, message in enumerate(made) if message['role'] != self.system_role), len(made))
        if end > 1:
            made[:end] = [{'role': self.system_role, 'content': '\n\n'.join(item['content'] for item in made[:end])}]

    def _request(self, message: ModelRequest) -> Iterable[dict[str, Any]]:
        files: list[Any] = []
        for part in message.parts:
            if isinstance(part, SystemPromptPart):
                yield {'role': self.system_role, 'content': part.content}
            elif isinstance(part, UserPromptPart):
                yield {'role': 'user', 'content': self.user_content(part.content)}
            elif isinstance(part, ToolReturnPart):
                text, found = part.model_response_str_and_user_content()
                files.extend(found)
                yield {'role': 'tool', 'tool_call_id': part.tool_call_id, 'content': text}
            elif isinstance(part, RetryPromptPart):
                if part.tool_name is None:
                    yield {'role': 'user', 'content': part.model_response()}
                else:
                    yield {'role': 'tool', 'tool_call_id': part.tool_call_id, 'content': part.model_response()}
        if files:  # tool messages are text only
            yield {'role': 'user', 'content': self.user_content(files)}

    def _response(self, message: ModelResponse) -> dict[str, Any] | None:
        texts: list[str] = []
        thinking: dict[str, list[str]] = {}
        calls: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                texts.append(part.content)
            elif isinstance(part, ThinkingPart):
                self._thinking(part, texts, thinking)
            elif isinstance(part, ToolCallPart):
                calls.append(
                    {
                        'id': part.tool_call_id,
                        'type': 'function',
                        'function': {'name': part.tool_name, 'arguments': part.args_as_json_str()},
                    }
                )
            elif isinstance(part, FilePart):
                pass  # chat completions take no files of the assistant
        if not (texts or thinking or calls):
            return None
        answer: dict[str, Any] = {'role': 'assistant', 'content': '\n\n'.join(texts) if texts else None}
        answer.update({name: '\n\n'.join(pieces) for name, pieces in thinking.items()})
        if calls:
            answer['tool_calls'] = calls
        return answer

    def _thinking(self, part: ThinkingPart, texts: list[str], fields: dict[str, list[str]]) -> None:
        """Add thinking to the texts, between tags, or to the field it goes into."""
        how = self.profile.openai_chat_send_back_thinking_parts
        if how is False:
            return
        name = None
        if how == 'field':
            name = self.profile.openai_chat_thinking_field or 'reasoning_content'
        elif how == 'auto' and part.provider_name == self.system and part.id and part.id != 'content':
            name = part.id
        if name is not None:
            fields.setdefault(name, []).append(part.content)
        else:
            start, end = self.profile.thinking_tags
            texts.append(f'{start}\n{part.content}\n{end}')

    def user_content(self, content: str | Sequence[Any]) -> Any:
        """Return the content of a user prompt."""
        if isinstance(content, str):
            return content
        items = (self._item(item) for item in content)
        return [item for item in items if item is not None]

    def _item(self, item: Any) -> dict[str, Any] | None:
        if isinstance(item, str):
            return {'type': 'text', 'text': item}
        if isinstance(item, TextContent):
            return {'type': 'text', 'text': item.content}
        if isinstance(item, CachePoint):  # these prompts are cached without being told to
            return None
        if isinstance(item, BinaryContent):
            return self._binary(item)
        if isinstance(item, ImageUrl):
            return _image(self.downloads[id(item)]['data'] if id(item) in self.downloads else item.url, item)
        if isinstance(item, AudioUrl):
            found = self.downloads[id(item)]
            return {'type': 'input_audio', 'input_audio': {'data': found['data'], 'format': found['data_type']}}
        if isinstance(item, DocumentUrl):
            return self._document(item)
        if isinstance(item, UploadedFile):
            if item.provider_name != self.system:
                raise UserError(
                    f'The uploaded file {item.file_id!r} is one of {item.provider_name!r}, but the request goes to '
                    f'{self.system!r}. Upload it there, or send its bytes as `BinaryContent`.'
                )
            return {'type': 'file', 'file': {'file_id': item.file_id}}
        what = 'videos' if isinstance(item, VideoUrl) else f'content like {type(item).__name__}'
        raise UserError(f'Chat completions take no {what}. Use another model for it, or leave it out.')

    def _document(self, item: DocumentUrl) -> dict[str, Any]:
        if id(item) not in self.downloads:
            return {'type': 'file', 'file': {'file_data': item.url, 'filename': f'filename.{item.format}'}}
        found = self.downloads[id(item)]
        if is_text(item.media_type):
            text = as_text_file(found['data'], media_type=item.media_type, identifier=item.identifier)
            return {'type': 'text', 'text': text}
        self._check_documents()
        return {'type': 'file', 'file': {'file_data': found['data'], 'filename': f'filename.{found["data_type"]}'}}

    def _binary(self, item: BinaryContent) -> dict[str, Any]:
        if is_text(item.media_type):
            text = item.data.decode('utf-8', errors='replace')
            return {
                'type': 'text',
                'text': as_text_file(text, media_type=item.media_type, identifier=item.identifier),
            }
        if item.is_image:
            return _image(item.data_uri, item)
        if item.is_audio:
            if item.format not in ('wav', 'mp3'):
                raise UserError(f'Chat completions take audio as wav and mp3, not as {item.format}. Convert it first.')
            uri = self.profile.openai_chat_audio_input_encoding == 'uri'
            data = item.data_uri if uri else base64.b64encode(item.data).decode()
            return {'type': 'input_audio', 'input_audio': {'data': data, 'format': item.format}}
        if item.is_document:
            self._check_documents()
            return {'type': 'file', 'file': {'file_data': item.data_uri, 'filename': f'filename.{item.format}'}}
        raise UserError(
            f'Chat completions take no {item.media_type!r}: they take images, audio (wav, mp3), documents and text.'
        )

    def _check_documents(self) -> None:
        if not self.profile.openai_chat_supports_document_input:
            raise UserError(
                f'The provider {self.system!r} takes no documents in chat completions. Send their text, '
                'or use `OpenAIResponsesModel`.'
            )

    def wish(self, item: FileUrl) -> Wish:
        """Return the form that a link is downloaded in, if it is."""
        if isinstance(item, ImageUrl):
            return ('base64_uri', 'extension') if item.force_download else None
        if isinstance(item, AudioUrl):
            uri = self.profile.openai_chat_audio_input_encoding == 'uri'
            return ('base64_uri' if uri else 'base64', 'extension')
        if isinstance(item, DocumentUrl):
            if self.profile.openai_chat_supports_file_urls and not item.force_download:
                return None
            return ('text', 'extension') if is_text(item.media_type) else ('base64_uri', 'extension')
        return None


def _image(url: str, item: ImageUrl | BinaryContent) -> dict[str, Any]:
    image: dict[str, Any] = {'url': url}
    if detail := (item.vendor_metadata or {}).get('detail'):
        image['detail'] = detail
    return {'type': 'image_url', 'image_url': image}


def encode_tools(
    settings: OpenAIChatModelSettings, params: ModelRequestParameters, profile: OpenAIModelProfile, model_name: str
) -> dict[str, Any]:
    """Return the fields of a request that are about tools and the form of the output.

    Raises:
        UserError: The model cannot be made to call a tool, and the settings demand that.
    """
    made: dict[str, Any] = {}
    settings = without(settings, profile.openai_unsupported_model_settings)
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if tools:
        made['tool_choice'], sent = _tool_choice(choice, tools, profile, model_name)
        made['tools'] = [encode_tool(tool, profile) for tool in sent]
        if 'parallel_tool_calls' in settings:
            made['parallel_tool_calls'] = settings['parallel_tool_calls']
    if params.output_mode == 'native' and params.output_object is not None:
        made['response_format'] = {'type': 'json_schema', 'json_schema': json_schema_of(params.output_object, profile)}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
        made['response_format'] = {'type': 'json_object'}
    for tool in params.native_tools:
        if isinstance(tool, WebSearchTool):
            made['web_search_options'] = _web_search(tool)
    return made


def json_schema_of(output: Any, profile: OpenAIModelProfile) -> dict[str, Any]:
    """Return the schema that an output is held to, as OpenAI's APIs have it."""
    made: dict[str, Any] = {'name': output.name or 'final_result', 'schema': output.json_schema}
    if output.description:
        made['description'] = output.description
    if profile.openai_supports_strict_tool_definition:
        made['strict'] = bool(output.strict)
    return made


def _tool_choice(
    choice: Choice, tools: list[Any], profile: OpenAIModelProfile, model_name: str
) -> tuple[Any, list[Any]]:
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


def encode_tool(tool: Any, profile: OpenAIModelProfile) -> dict[str, Any]:
    """Return a tool as chat completions have it."""
    function: dict[str, Any] = {
        'name': tool.name,
        'description': tool.description or '',
        'parameters': tool.parameters_json_schema,
    }
    if tool.strict and profile.openai_supports_strict_tool_definition:
        function['strict'] = True
    return {'type': 'function', 'function': function}


def _web_search(tool: WebSearchTool) -> dict[str, Any]:
    made: dict[str, Any] = {'search_context_size': tool.search_context_size}
    if tool.user_location:
        made['user_location'] = {'type': 'approximate', 'approximate': dict(tool.user_location)}
    return made


def encode_settings(
    settings: OpenAIChatModelSettings, params: ModelRequestParameters, profile: OpenAIModelProfile
) -> dict[str, Any]:
    """Return the fields of a request that are about settings; those that the model refuses are left out."""
    effort = reasoning_effort(settings, params)
    kept: dict[str, Any] = without_refused(settings, profile, effort)
    made: dict[str, Any] = {name: kept[key] for key, name in _FIELDS.items() if key in kept}
    if effort is not None:
        made['reasoning_effort'] = effort
    tier = kept.get('openai_service_tier', kept.get('service_tier'))
    if tier is not None:
        made['service_tier'] = tier
    return made


def reasoning_effort(settings: OpenAIChatModelSettings, params: ModelRequestParameters) -> str | None:
    """Return how hard the model reasons; `None` leaves it to the model."""
    effort = settings.get('openai_reasoning_effort')
    if effort is not None:
        return effort
    return None if params.thinking is None else OPENAI_REASONING_EFFORT_MAP[params.thinking]


def without_refused(settings: Any, profile: OpenAIModelProfile, effort: str | None) -> Any:
    """Return settings without those that the model refuses, with a warning where that changes the answer."""
    refused = list(profile.openai_unsupported_model_settings)
    if profile.openai_supports_reasoning:
        resting = profile.openai_supports_reasoning_effort_none and effort in (None, 'none')
        sampling = () if resting else SAMPLING_PARAMS
        if given := [name for name in sampling if settings.get(name) is not None]:
            warnings.warn(
                f'These settings are left out, because the model refuses them while it reasons: {given}.',
                UserWarning,
                stacklevel=2,
            )
        refused.extend(sampling)
    return without(settings, refused)


def without(settings: Any, names: Sequence[str]) -> Any:
    """Return settings without some of them."""
    if not any(name in settings for name in names):
        return settings
    kept: dict[str, Any] = {name: settings[name] for name in settings if name not in names}
    return kept
