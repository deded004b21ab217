"""Whole chat completions of Mistral, as stead's. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import Unpack

from ..._kit.json_types import JsonObject, as_dict, as_list
from ...messages import FinishReason, ModelResponse, ModelResponsePart, TextPart, ThinkingPart
from .._chat_completions.response import ResponseOrigin, calls_in, decode_dialect

FINISH_REASONS: dict[str, FinishReason] = {
    'stop': 'stop',
    'length': 'length',
    'model_length': 'length',
    'error': 'error',
    'tool_calls': 'tool_call',
}
"""Reasons of Mistral and stead's. An unknown reason becomes `None`, and stays in the details."""
NO_ID = 'null'
"""What the API sends in place of a missing id."""


def plain(value: Any) -> Any:
    """Return an object of the SDK as JSON data, by the names of the API."""
    dump = getattr(value, 'model_dump', None)
    return value if dump is None else dump(by_alias=True, exclude_unset=True, warnings=False)


def decode_completion(data: object, **origin: Unpack[ResponseOrigin]) -> ModelResponse:
    """Return the response in a chat completion of Mistral; arguments and errors as that of OpenAI."""

    def parts_in(message: JsonObject) -> Iterator[ModelResponsePart]:
        return _parts(message, origin['model_name'])

    return decode_dialect(data, parts_in, FINISH_REASONS, **origin)


def _parts(message: Mapping[str, Any], model_name: str) -> Iterator[ModelResponsePart]:
    text, thoughts = content_of(message.get('content'))
    for thought in thoughts:
        yield ThinkingPart(thought)
    if text:
        yield TextPart(text)
    yield from calls_in(message, model_name, NO_ID)


def content_of(content: Any) -> tuple[str, list[str]]:
    """Return the text and the thoughts in the content of a message or delta; other items are left out."""
    if isinstance(content, str):
        return content, []
    texts: list[str] = []
    thoughts: list[str] = []
    for item in as_list(content):
        piece = as_dict(item)
        if isinstance(piece.get('text'), str):
            texts.append(piece['text'])
        thoughts.extend(thought for inner in as_list(piece.get('thinking')) if (thought := as_dict(inner).get('text')))
    return ''.join(texts), thoughts
