"""Whole chat completions of Groq, as stead's. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import Unpack

from ..._kit.ids import generate_tool_call_id
from ..._kit.json_types import JsonObject, as_dict, as_list
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
    ResponseOrigin,
    calls_in,
    decode_dialect,
    split_thinking,
    text_in,
)


def decode_completion(data: object, *, model_profile: ModelProfile, **origin: Unpack[ResponseOrigin]) -> ModelResponse:
    """Return the response in a chat completion of Groq; arguments and errors as that of OpenAI."""

    def parts_in(message: JsonObject) -> Iterator[ModelResponsePart]:
        return _parts(message, origin['model_name'], origin['provider_name'], model_profile)

    return decode_dialect(data, parts_in, FINISH_REASONS, **origin)


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
