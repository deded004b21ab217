"""Callbacks for requests of servers: completions of a model, input of the user, and roots."""

from __future__ import annotations

import base64
import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast

from .._contracts.model import AbstractModel, ModelRequestParameters
from .._kit.ids import now_utc
from .._kit.json_types import JsonObject
from .._kit.records import is_list
from ..messages import (
    BinaryContent,
    FilePart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserPromptPart,
)
from ..settings import ModelSettings
from ._content import binary
from ._wire import INTERNAL_ERROR, Callback, SdkObject, dump, field, types

_JSON_TYPES: dict[str, type[object]] = {'string': str, 'integer': int, 'number': float, 'boolean': bool, 'array': list}


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def sampling_with_model(get_model: Callable[[], AbstractModel | None]) -> Callback:
    """Return a sampling callback that asks a model."""

    async def sample(context: SdkObject, params: SdkObject) -> SdkObject:
        model = get_model()
        if model is None:
            return types().ErrorData(
                code=INTERNAL_ERROR, message='Sampling is not supported: there is no model for it.'
            )
        settings = ModelSettings(max_tokens=field(params, 'max_tokens'))
        if params.temperature is not None:
            settings['temperature'] = params.temperature
        if stop := field(params, 'stop_sequences'):
            settings['stop_sequences'] = stop
        messages = sampling_messages(params.messages, field(params, 'system_prompt'))
        response = await model.request(messages, settings, ModelRequestParameters())
        text = ''.join(part.content for part in response.parts if isinstance(part, TextPart))
        file = next((part.content for part in response.parts if isinstance(part, FilePart)), None)
        if file is not None and not text and (file.is_image or file.is_audio):
            return _sampled(_file(file), model.model_name)
        return _sampled(text, model.model_name)

    return sample


def as_handler(model: AbstractModel) -> Callback:
    """Return a function that answers sampling requests with a model, in the form that clients of `fastmcp` take."""
    sample = sampling_with_model(lambda: model)

    async def handle(messages: SdkObject, params: SdkObject, context: SdkObject) -> SdkObject:
        return await sample(context, params)

    return handle


def sampling_with_handler(handler: Callback) -> Callback:
    """Return a sampling callback that calls a function, which returns text or a result of the protocol."""

    async def sample(context: SdkObject, params: SdkObject) -> SdkObject:
        answer = await _awaited(handler(params.messages, params, context))
        return _sampled(answer, 'unknown') if isinstance(answer, str) else answer

    return sample


def _sampled(content: str | JsonObject, model_name: str) -> SdkObject:
    block = {'type': 'text', 'text': content} if isinstance(content, str) else content
    return types().CreateMessageResult.model_validate({'role': 'assistant', 'content': block, 'model': model_name})


def _file(file: BinaryContent) -> JsonObject:
    data = base64.b64encode(file.data).decode()
    return {'type': 'image' if file.is_image else 'audio', 'data': data, 'mimeType': file.media_type}


def sampling_messages(messages: Sequence[SdkObject], system_prompt: str | None) -> list[ModelMessage]:
    """Convert the messages of a sampling request to a message history."""
    history: list[ModelMessage] = []
    parts: list[Any] = [SystemPromptPart(content=system_prompt)] if system_prompt else []
    for message in messages:
        content: SdkObject = message.content
        blocks = [
            _sampling_content(block) for block in (cast('list[SdkObject]', content) if is_list(content) else [content])
        ]
        if message.role == 'user':
            lone_text = blocks[0] if len(blocks) == 1 and isinstance(blocks[0], str) else None
            parts.append(UserPromptPart(content=blocks if lone_text is None else lone_text))
            continue
        if parts:
            history.append(ModelRequest(parts=parts, timestamp=now_utc()))
            parts = []
        answer = [TextPart(content=block) if isinstance(block, str) else FilePart(content=block) for block in blocks]
        if history and isinstance(last := history[-1], ModelResponse):
            last.parts = [*last.parts, *answer]
        else:
            history.append(ModelResponse(parts=answer))
    if parts:
        history.append(ModelRequest(parts=parts, timestamp=now_utc()))
    return history


def _sampling_content(block: SdkObject) -> str | BinaryContent:
    if block.type == 'text':
        return block.text
    if block.type in ('image', 'audio'):
        return binary(block.data, field(block, 'mime_type'))
    return str(dump(block))


def elicitation_with_handler(handler: Callback) -> Callback:
    """Return an elicitation callback that calls a function to ask the user.

    The function receives the message, a dataclass for the answer (`None` if there is no field to fill in), and the parameters
    and context of the protocol. It returns an instance of that dataclass, a `dict`, or an `ElicitResult`.
    """

    async def elicit(context: SdkObject, params: SdkObject) -> SdkObject:
        schema = field(params, 'requested_schema')
        answer = await _awaited(handler(params.message, _answer_type(schema), params, context))
        action = getattr(answer, 'action', None)
        if isinstance(action, str):
            content = getattr(answer, 'content', None)
        else:
            action, content = 'accept', answer
        if dataclasses.is_dataclass(content) and not isinstance(content, type):
            content = dataclasses.asdict(content)
        return types().ElicitResult(action=action, content=content)

    return elicit


def _answer_type(schema: JsonObject | None) -> type[object] | None:
    """Return a dataclass with a field for each property, or `None` without properties, or if one cannot be a field."""
    properties: dict[str, JsonObject] = (schema or {}).get('properties') or {}
    if not properties or not all(name.isidentifier() for name in properties):
        return None
    required = set(cast('list[str]', (schema or {}).get('required') or []))
    fields: list[Any] = []
    for name in sorted(properties, key=lambda one: one not in required):  # those without a default come first
        hint = _JSON_TYPES.get(properties[name].get('type', ''), Any)
        default: Any = dataclasses.field(default=properties[name].get('default'))
        fields.append((name, hint) if name in required else (name, hint, default))
    return dataclasses.make_dataclass('Answer', fields)


def roots_callback(roots: Sequence[SdkObject] | Callback) -> Callback:
    """Return a callback that lists roots: URIs, or those that a function of the context returns."""

    async def list_roots(context: SdkObject) -> SdkObject:
        listed = await _awaited(roots(context)) if callable(roots) else roots
        kind = types().Root
        return types().ListRootsResult(roots=[one if isinstance(one, kind) else kind(uri=str(one)) for one in listed])

    return list_roots
