"""Whole chat completions of Mistral, as stead's. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..._kit.plain import as_dict, as_list
from ...messages import FinishReason, ModelResponse, ModelResponsePart, TextPart, ThinkingPart
from .._chat_completions.response import calls_in, choice_in, reason_and_time, usage_of

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


def decode_completion(data: Any, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response in a chat completion of Mistral; arguments and errors as that of OpenAI."""
    body, choice = choice_in(data, model_name)
    reason = choice.get('finish_reason')
    return ModelResponse(
        parts=list(_parts(as_dict(choice['message']), model_name)),
        usage=usage_of(body.get('usage')),
        model_name=body.get('model') or model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('id'),
        provider_details=reason_and_time(body, reason) or None,
        finish_reason=FINISH_REASONS.get(str(reason)),
    )


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
