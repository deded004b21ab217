"""Whole chat completions of Groq, as stead's. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..._kit.ids import generate_tool_call_id
from ..._kit.plain import as_dict, as_list
from ...messages import (
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
)
from ...native_tools import WebSearchTool
from ...profiles import ModelProfile
from .._chat_completions.response import (
    FINISH_REASONS,
    calls_in,
    choice_in,
    reason_and_time,
    split_thinking,
    text_in,
    usage_of,
)


def decode_completion(
    data: Any, *, model_name: str, provider_name: str, provider_url: str, profile: ModelProfile
) -> ModelResponse:
    """Return the response in a chat completion of Groq; arguments and errors as that of OpenAI."""
    body, choice = choice_in(data, model_name)
    reason = choice.get('finish_reason')
    return ModelResponse(
        parts=list(_parts(as_dict(choice['message']), model_name, provider_name, profile)),
        usage=usage_of(body.get('usage')),
        model_name=body.get('model') or model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('id'),
        provider_details=reason_and_time(body, reason) or None,
        finish_reason=FINISH_REASONS.get(str(reason)),
    )


def _parts(
    message: Mapping[str, Any], model_name: str, provider_name: str, profile: ModelProfile
) -> Iterator[ModelResponsePart]:
    if thinking := message.get('reasoning'):
        yield ThinkingPart(str(thinking))
    for tool in as_list(message.get('executed_tools')):
        yield from executed_parts(as_dict(tool), provider_name)
    if text := text_in(message.get('content')):
        for is_thinking, piece in split_thinking(text, profile.thinking_tags):
            yield ThinkingPart(piece) if is_thinking else TextPart(piece)
    yield from calls_in(message, model_name)


def executed_parts(
    tool: Mapping[str, Any], provider_name: str
) -> tuple[NativeToolCallPart, NativeToolReturnPart] | tuple[()]:
    """Return the call and the return of a tool that Groq ran; nothing for unknown tools."""
    if tool.get('type') != 'search':
        return ()
    name, call_id, arguments = WebSearchTool.kind, generate_tool_call_id(), tool.get('arguments')
    try:
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        pass  # it stays text
    results = as_dict(tool.get('search_results'))
    result = (results if results.get('results') else None) or tool.get('output') or None
    return (
        NativeToolCallPart(name, arguments or None, call_id, provider_name=provider_name),
        NativeToolReturnPart(name, result, call_id, provider_name=provider_name),
    )
