"""Chat completions on the way in: a response as stead has it. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from ..._kit.ids import generate_tool_call_id
from ..._kit.plain import as_count, as_dict, as_list
from ...messages import FinishReason, ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart
from .._wire_errors import unusable
from ..openai.chat_response import usage_of

FINISH_REASONS: dict[str, FinishReason] = {
    'stop': 'stop',
    'length': 'length',
    'model_length': 'length',
    'error': 'error',
    'tool_calls': 'tool_call',
}
"""Why models stop; a reason that is not here becomes `None`, and stays in the details."""


def plain(value: Any) -> Any:
    """Return an object of the SDK as plain data, by the names that the API has."""
    dump = getattr(value, 'model_dump', None)
    return value if dump is None else dump(by_alias=True, exclude_unset=True, warnings=False)


def decode_completion(data: Any, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response in a chat completion of Mistral.

    Args:
        data: The completion, as plain data.
        model_name: The model that was asked.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: It is no completion.
    """
    body = as_dict(data)
    choices = as_list(body.get('choices'))
    if not choices:
        raise unusable(model_name, 'it has no choices' if body else 'it is no JSON object', data)
    choice = as_dict(choices[0])
    if not isinstance(choice.get('message'), Mapping):
        raise unusable(model_name, 'its choice has no message', body)
    reason = choice.get('finish_reason')
    return ModelResponse(
        parts=list(_parts(as_dict(choice['message']), model_name)),
        usage=usage_of(body.get('usage')),
        model_name=body.get('model') or model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('id'),
        provider_details=details_of(body, reason) or None,
        finish_reason=FINISH_REASONS.get(str(reason)),
    )


def _parts(message: Mapping[str, Any], model_name: str) -> Iterator[ModelResponsePart]:
    text, thoughts = content_of(message.get('content'))
    for thought in thoughts:
        yield ThinkingPart(thought)
    if text:
        yield TextPart(text)
    for item in as_list(message.get('tool_calls')):
        call = as_dict(item)
        function = as_dict(call.get('function'))
        if not function.get('name'):
            raise unusable(model_name, 'it calls a tool in a way that chat completions do not have', message)
        yield ToolCallPart(function['name'], function.get('arguments'), id_of(call) or generate_tool_call_id())


def content_of(content: Any) -> tuple[str, list[str]]:
    """Return the text and the thoughts in the content of a message or delta; other pieces are left out."""
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


def id_of(call: Mapping[str, Any]) -> str | None:
    """Return the id of a call; `'null'` is what the API says where it has none."""
    found = call.get('id')
    return found if found != 'null' else None


def details_of(body: Mapping[str, Any], finish_reason: Any) -> dict[str, Any]:
    """Return what Mistral says besides the response."""
    details: dict[str, Any] = {}
    if finish_reason:
        details['finish_reason'] = finish_reason
    if (created := as_count(body.get('created'))) > 0:
        details['timestamp'] = datetime.fromtimestamp(created, tz=timezone.utc)
    return details
