"""Requests to models of Outlines: chats of texts and images, and arguments of backends. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject, as_dict
from ...exceptions import UserError
from ...messages import (
    BinaryContent,
    CachePoint,
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
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from .._base import instructions_of
from .._media import DownloadFormat, Downloads

_SAMPLING = ('max_tokens', 'temperature', 'top_p')
_PENALTIES = ('presence_penalty', 'frequency_penalty')
# The settings of backends, by the names of their classes in Outlines; those of other classes get all of them.
_SETTINGS: dict[str, tuple[str, ...]] = {
    'Transformers': (*_SAMPLING, 'logit_bias'),
    'TransformersMultiModal': (*_SAMPLING, 'logit_bias'),
    'LlamaCpp': (*_SAMPLING, 'seed', *_PENALTIES, 'logit_bias'),
    'MLXLM': (),
    'SGLang': (*_SAMPLING, *_PENALTIES),
    'AsyncSGLang': (*_SAMPLING, *_PENALTIES),
}
_SERVERS = ('SGLang', 'AsyncSGLang')
_TRANSFORMERS = ('Transformers', 'TransformersMultiModal')
_GENERATION = {'max_tokens': 'max_new_tokens'}
VLLM = 'VLLMOffline'
"""The class of vLLM's backend, which takes an object with its settings."""
VLLM_SETTINGS = {
    **{name: name for name in (*_SAMPLING, 'top_k', 'seed', *_PENALTIES, 'logit_bias')},
    'stop_sequences': 'stop',
}
"""Settings and the parameters of vLLM that they become."""


@dataclass(frozen=True)
class ImageData:
    """An image in a message."""

    data: bytes


def kind_of(model: object) -> str:
    """Return the name of the class of a model in Outlines; empty if the class is not known."""
    known = (*_SETTINGS, VLLM)
    return next((cls.__name__ for cls in type(model).__mro__ if cls.__name__ in known), '')


def arguments_of(settings: JsonObject, kind: str) -> JsonObject:
    """Return the arguments for a backend other than vLLM: its settings, and those in `extra_body`."""
    names = _SETTINGS.get(kind)
    arguments = {name: value for name, value in settings.items() if name in (settings if names is None else names)}
    arguments.pop('extra_body', None)
    return {**arguments, **(settings.get('extra_body') or {})}


def generation_arguments(arguments: JsonObject, kind: str) -> JsonObject:
    """Return arguments of a backend under the names that it knows: those of `transformers` differ from all others."""
    if kind not in _TRANSFORMERS:
        return arguments
    known = {_GENERATION.get(name, name): value for name, value in arguments.items() if value is not None}
    if isinstance(bias := known.pop('logit_bias', None), dict):
        biases = as_dict(bias).items()
        known.setdefault('sequence_bias', {(int(token),): float(value) for token, value in biases})
    if known.get('temperature') == 0:  # it takes no such temperature, but has another word for it
        del known['temperature']
        known.setdefault('do_sample', False)
    elif 'temperature' in known or 'top_p' in known:  # which have no effect otherwise
        known.setdefault('do_sample', True)
    return known


def request_options(settings: JsonObject, kind: str) -> JsonObject:
    """Return the options of a request to a server: the time limit and further headers; none for other backends."""
    names = ('timeout', 'extra_headers') if kind in _SERVERS else ()
    return {name: settings[name] for name in names if settings.get(name) is not None}


def check_parameters(params: ModelRequestParameters) -> None:
    """Raise an error for what Outlines cannot do.

    Raises:
        UserError: The request has tools.
    """
    tools = [tool.name for tool in (*params.function_tools, *params.output_tools)]
    if tools:
        raise UserError(
            f'Models of Outlines call no tools, but the request has {tools}. Use another model, or leave them out; ask for '
            'outputs with `NativeOutput`.'
        )


def encode(messages: Sequence[ModelMessage], params: ModelRequestParameters, downloads: Downloads) -> list[JsonObject]:
    """Return the messages of a chat, whose contents are texts, or lists of texts and `ImageData`.

    Raises:
        UserError: A message has content that Outlines does not take.
    """
    if params.instruction_parts:
        texts = [part.content for part in params.instruction_parts]
    else:
        texts = [instructions_of(messages, params) or '']
    encoded: list[JsonObject] = [{'role': 'system', 'content': text} for text in texts if text]
    for message in messages:
        if isinstance(message, ModelRequest):
            encoded.extend(_request_part(part, downloads) for part in message.parts)
        elif (content := _response(message)) is not None:
            encoded.append({'role': 'assistant', 'content': content})
    return encoded


def _request_part(part: object, downloads: Downloads) -> JsonObject:
    if isinstance(part, SystemPromptPart):
        return {'role': 'system', 'content': part.content}
    if isinstance(part, UserPromptPart):
        return {'role': 'user', 'content': _prompt(part.content, downloads)}
    if isinstance(part, RetryPromptPart) and part.tool_name is None:
        return {'role': 'user', 'content': part.model_response()}
    raise _no_calls(part)


def _prompt(content: str | Sequence[UserContent], downloads: Downloads) -> str | list[Any]:
    if isinstance(content, str):
        return content
    items = [_item(item, downloads) for item in content if not isinstance(item, CachePoint)]
    texts = [item for item in items if isinstance(item, str)]
    return '\n\n'.join(texts) if len(texts) == len(items) else items


def _item(item: UserContent, downloads: Downloads) -> str | ImageData:
    if isinstance(item, str):
        return item
    if isinstance(item, TextContent):
        return item.content
    if isinstance(item, ImageUrl):
        return ImageData(downloads[id(item)]['data'])
    if isinstance(item, BinaryContent) and item.is_image:
        return ImageData(item.data)
    what = item.media_type if isinstance(item, BinaryContent) else type(item).__name__
    raise UserError(
        f'Outlines takes no {what} in user prompts: it takes text and images. Use another model for it, or send what it '
        'says as text.'
    )


def _response(message: ModelResponse) -> str | list[Any] | None:
    """Return the content of an answer, without its thinking; `None` if nothing is left."""
    texts: list[str] = []
    images: list[ImageData] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            texts.append(part.content)
        elif isinstance(part, ToolCallPart):
            raise _no_calls(part)
        elif isinstance(part, FilePart) and part.content.is_image:
            images.append(ImageData(part.content.data))
    if not (texts or images):
        return None
    text = '\n\n'.join(texts)
    return [*([text] if texts else []), *images] if images else text


def _no_calls(part: object) -> UserError:
    name = part.tool_name if isinstance(part, (ToolCallPart, ToolReturnPart, RetryPromptPart)) else type(part).__name__
    return UserError(
        f'Models of Outlines call no tools, but the history has a call of {name!r}. Use another model for this '
        'conversation, or take the calls out with a history processor.'
    )


def download_format(item: FileUrl) -> DownloadFormat | None:
    """Return the format that a link is downloaded in; `None` for links that are refused."""
    return ('bytes', 'mime') if isinstance(item, ImageUrl) else None
