"""Messages, tools and settings on the way out: as Mistral's API has them. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ...exceptions import UserError
from ...messages import (
    BinaryContent,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from ...profiles import ModelProfile
from ...profiles.openai import OpenAIModelProfile
from .._media import Wish, is_text
from .._tool_choice import resolve_tool_choice
from ..openai._chat_request import ChatEncoder

PDF = 'application/pdf'

# Settings and the fields of the request that they become.
_FIELDS = {
    'max_tokens': 'max_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'seed': 'random_seed',
    'stop_sequences': 'stop',
}


@dataclass
class MistralEncoder(ChatEncoder):
    """Turns messages into those of Mistral's API, which are OpenAI's, with answers and files in pieces of its own."""

    @classmethod
    def of(cls, system: str) -> MistralEncoder:
        """Return an encoder for a provider."""
        return cls(system, OpenAIModelProfile(), 'system')

    def encode(self, messages: Sequence[ModelMessage], params: ModelRequestParameters) -> list[dict[str, Any]]:
        """Return messages as Mistral's API has them.

        Raises:
            UserError: A message has content that the model does not take.
        """
        made: list[dict[str, Any]] = []
        for message in super().encode(messages, params):
            if message['role'] == 'user' and made and made[-1]['role'] == 'tool':
                # The API wants an answer between what a tool returned and what the user says.
                made.append({'role': 'assistant', 'content': [{'type': 'text', 'text': 'OK'}]})
            made.append(message)
        return made

    def _response(self, message: ModelResponse) -> dict[str, Any] | None:
        thoughts: list[dict[str, Any]] = []
        content: list[dict[str, Any]] = []
        calls: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                content.append({'type': 'text', 'text': part.content})
            elif isinstance(part, ThinkingPart):
                if part.content:
                    thoughts.append({'type': 'text', 'text': part.content})
            elif isinstance(part, ToolCallPart):
                function = {'name': part.tool_name, 'arguments': part.args_as_json_str()}
                calls.append({'id': part.tool_call_id, 'type': 'function', 'function': function})
        if thoughts:
            content.insert(0, {'type': 'thinking', 'thinking': thoughts})
        if not (content or calls):
            return None
        answer: dict[str, Any] = {'role': 'assistant', 'content': content}
        if calls:
            answer['tool_calls'] = calls
        return answer

    def _item(self, item: Any) -> dict[str, Any] | None:
        if isinstance(item, (FileUrl, BinaryContent)) and item.media_type == PDF:
            if isinstance(item, BinaryContent):
                url = item.data_uri
            else:
                url = self.downloads[id(item)]['data'] if id(item) in self.downloads else item.url
            return {'type': 'document_url', 'document_url': url}
        if _is_taken(item):
            return super()._item(item)
        what = item.media_type if isinstance(item, BinaryContent) else type(item).__name__
        raise UserError(
            f'Mistral takes no {what} in user prompts: it takes images, PDF and text. Use another model for it, '
            'or send what it says as text.'
        )

    def wish(self, item: FileUrl) -> Wish:
        """Return the form that a link is downloaded in, if it is."""
        if isinstance(item, DocumentUrl) and item.media_type == PDF:
            return ('base64_uri', 'mime') if item.force_download else None
        return super().wish(item) if _is_taken(item) else None


def _is_taken(item: Any) -> bool:
    """Return whether content is sent as chat completions have it."""
    if isinstance(item, BinaryContent):
        return item.is_image or is_text(item.media_type)
    if isinstance(item, DocumentUrl):
        return is_text(item.media_type)
    return isinstance(item, ImageUrl) or not hasattr(item, 'media_type')


def encode_tools(settings: Any, params: ModelRequestParameters, profile: ModelProfile) -> dict[str, Any]:
    """Return the fields of a request that are about tools and the form of the output."""
    made: dict[str, Any] = {}
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if tools and choice.mode != 'none':
        made['tool_choice'] = 'any' if choice.mode == 'required' else 'auto'
        made['tools'] = [_tool(tool) for tool in choice.among(tools)]
        if 'parallel_tool_calls' in settings:
            made['parallel_tool_calls'] = settings['parallel_tool_calls']
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema: dict[str, Any] = {'name': output.name or 'final_result', 'schema': output.json_schema}
        if output.description:
            schema['description'] = output.description
        made['response_format'] = {'type': 'json_schema', 'json_schema': {**schema, 'strict': bool(output.strict)}}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
        made['response_format'] = {'type': 'json_object'}
    return made


def _tool(tool: Any) -> dict[str, Any]:
    schema = tool.parameters_json_schema
    function = {'name': tool.name, 'description': tool.description or '', 'parameters': schema}
    return {'type': 'function', 'function': function}


def encode_settings(settings: Any) -> dict[str, Any]:
    """Return the fields of a request that are about settings, and the timeout as the SDK has it."""
    made: dict[str, Any] = {name: settings[key] for key, name in _FIELDS.items() if key in settings}
    timeout = settings.get('timeout')
    timeout = getattr(timeout, 'read', timeout)  # of an `httpx.Timeout`
    if timeout is not None:
        made['timeout_ms'] = max(int(timeout * 1000), 1)
    return made
