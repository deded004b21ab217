"""Whole answers of Cohere, as stead's. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..._kit.ids import generate_tool_call_id
from ..._kit.json_types import JsonObject, as_count, as_dict, as_list
from ...messages import FinishReason, ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart
from ...usage import RequestUsage
from .._wire_errors import unusable

FINISH_REASONS: dict[str, FinishReason] = {
    'COMPLETE': 'stop',
    'STOP_SEQUENCE': 'stop',
    'MAX_TOKENS': 'length',
    'TOOL_CALL': 'tool_call',
    'ERROR': 'error',
    'TIMEOUT': 'error',
}
"""Reasons of Cohere and stead's. An unknown reason becomes `None`, and stays in the details."""
PLAN = 'tool_plan'
"""The field with what a model thinks before it calls tools; the id of such thinking."""


def decode_answer(data: object, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response in an answer.

    Args:
        data: The answer, as JSON data.
        model_name: The model that was asked.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: The data is not an answer.
    """
    body = as_dict(data)
    message = body.get('message')
    if not isinstance(message, Mapping):
        raise unusable(model_name, 'it has no message' if body else 'it is not a JSON object', data)
    message, reason = as_dict(message), body.get('finish_reason')
    details: JsonObject = {'finish_reason': reason} if reason else {}
    if citations := message.get('citations'):
        details['citations'] = citations
    return ModelResponse(
        parts=list(_parts(message, model_name, provider_name)),
        usage=usage_of(body.get('usage')),
        model_name=model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('id'),
        provider_details=details or None,
        finish_reason=FINISH_REASONS.get(str(reason)),
    )


def _parts(message: JsonObject, model_name: str, provider_name: str) -> Iterator[ModelResponsePart]:
    content = message.get('content')
    if isinstance(content, str):
        yield TextPart(content)
    for item in as_list(content):
        piece = as_dict(item)
        if isinstance(thinking := piece.get('thinking'), str):
            yield ThinkingPart(thinking)
        elif isinstance(text := piece.get('text'), str):
            yield TextPart(text)
    if plan := message.get(PLAN):
        yield ThinkingPart(str(plan), id=PLAN, provider_name=provider_name)
    for item in as_list(message.get('tool_calls')):
        call = as_dict(item)
        function = as_dict(call.get('function'))
        if not function.get('name'):
            raise unusable(model_name, 'it calls a tool that has no name', message)
        yield ToolCallPart(
            function['name'], function.get('arguments') or None, call.get('id') or generate_tool_call_id()
        )


def usage_of(usage: Any) -> RequestUsage:
    """Return the usage that an answer reports, with what is billed as details; counts that are missing are 0."""
    counts = as_dict(usage)
    billed = as_dict(counts.get('billed_units'))
    tokens = as_dict(counts.get('tokens')) or billed
    return RequestUsage(
        input_tokens=as_count(tokens.get('input_tokens')),
        output_tokens=as_count(tokens.get('output_tokens')),
        cache_read_tokens=as_count(counts.get('cached_tokens')),
        details={name: count for name, value in billed.items() if (count := as_count(value))},
    )
