"""Decodes responses of xAI's API. No I/O.

Enum values are compared as numbers: looking up their names fails for values that are newer than the SDK.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.json_types import JsonObject, as_dict
from ...messages import (
    FinishReason,
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from ...usage import RequestUsage
from .._wire_errors import unusable
from ._request import MCP_PREFIX

ASSISTANT_ROLES = (0, 2)
"""The roles whose text is the model's; 0 means that the role is unset."""
TOOL_ROLE = 5
_CLIENT_SIDE = (0, 1)
_MCP = 6
_NATIVE_NAMES = {2: 'web_search', 3: 'x_search', 4: 'code_execution', 5: 'file_search'}
_FAILED = 3
_FINISH_REASONS: dict[int, tuple[FinishReason, str | None]] = {
    0: ('stop', None),
    1: ('length', None),
    2: ('length', 'REASON_MAX_CONTEXT'),
    3: ('stop', None),
    4: ('tool_call', None),
    5: ('error', 'REASON_TIME_LIMIT'),
}
_SERVER_TOOLS = {
    1: 'web_search',
    2: 'x_search',
    3: 'code_execution',
    4: 'view_image',
    5: 'view_x_video',
    6: 'file_search',
    7: 'mcp_server',
}


def decode_response(answer: Any, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response for a message of xAI's API.

    Args:
        answer: The `GetChatCompletionResponse`.
        model_name: The name of the model in the request.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: The message has no outputs, or could not be parsed.
    """
    if answer is None:  # gRPC's result for a message that it cannot parse
        raise unusable(model_name, 'it is not a message of its API')
    if not answer.outputs:
        raise unusable(model_name, 'it has no outputs')
    parts: list[ModelResponsePart] = []
    reason = 0
    for output in answer.outputs:
        parts.extend(_decode_output(output, provider_name))
        reason = output.finish_reason or reason
    finish_reason, details = finish_of(reason)
    return ModelResponse(
        parts=with_citations(parts, list(answer.citations)),
        usage=usage_of(answer.usage),
        model_name=model_name,
        timestamp=created_of(answer) or now_utc(),
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=answer.id or None,
        provider_details=details,
        finish_reason=finish_reason,
    )


def _decode_output(output: Any, provider_name: str) -> Iterable[ModelResponsePart]:
    message = output.message
    if message.role not in (*ASSISTANT_ROLES, TOOL_ROLE):
        return
    if message.reasoning_content or message.encrypted_content:
        sealed = message.encrypted_content or None
        signed_by = provider_name if sealed else None
        yield ThinkingPart(message.reasoning_content, signature=sealed, provider_name=signed_by)
    if message.content and message.role != TOOL_ROLE:
        logprobs = logprobs_of(output)
        yield TextPart(message.content, provider_details={'logprobs': {'content': logprobs}} if logprobs else None)
    for call in message.tool_calls:
        if is_result(call, message.role):
            yield native_result(call, message.content, provider_name)
        elif is_native(call):
            yield native_call(call, provider_name)
        else:
            call_id = call.id or generate_tool_call_id()
            yield ToolCallPart(call.function.name, call.function.arguments, call_id)


def is_native(call: Any) -> bool:
    """Return whether xAI runs the call itself."""
    return call.type not in _CLIENT_SIDE


def is_result(call: Any, role: int) -> bool:
    """Return whether a call comes with its result."""
    return is_native(call) and (role == TOOL_ROLE or call.status == _FAILED)


def native_name(call: Any) -> str:
    """Return stead's name of a native tool, or xAI's name of an unknown one."""
    if call.type == _MCP:
        return f'{MCP_PREFIX}{call.function.name.partition(".")[0]}'
    name: str = call.function.name
    return _NATIVE_NAMES.get(call.type, name)


def native_call(call: Any, provider_name: str) -> NativeToolCallPart:
    """Return the part for a call that xAI runs itself."""
    name, text = call.function.name, call.function.arguments
    parsed = _parsed(text)
    arguments: str | JsonObject | None = text or None
    if isinstance(parsed, dict):
        arguments = as_dict(parsed)  # type: ignore[reportUnknownArgumentType]
    if call.type == _MCP:
        arguments = {
            'action': 'call_tool',
            'tool_name': name.partition('.')[2] or name,
            'tool_args': as_dict(parsed),
        }
    return NativeToolCallPart(
        native_name(call), arguments, call.id, provider_name=provider_name, provider_details={'function_name': name}
    )


def native_result(call: Any, text: str, provider_name: str) -> NativeToolReturnPart:
    """Return the part for the result of a native call."""
    details = {'status': 'failed', 'error': call.error_message} if call.status == _FAILED else None
    return NativeToolReturnPart(
        native_name(call), _parsed(text), call.id, provider_name=provider_name, provider_details=details
    )


def with_citations(parts: list[ModelResponsePart], citations: list[str]) -> list[ModelResponsePart]:
    """Return parts with the citations of the response added to the results of X searches, which lack the sources."""
    if not citations:
        return parts
    return [
        replace(part, content=_cited(part.content, citations))
        if isinstance(part, NativeToolReturnPart) and part.tool_name == 'x_search'
        else part
        for part in parts
    ]


def _cited(content: object, citations: list[str]) -> JsonObject:
    rest = as_dict(content) if isinstance(content, dict) else {} if content is None else {'output': content}
    return {**rest, 'citations': citations}


def finish_of(reason: int) -> tuple[FinishReason | None, JsonObject | None]:
    """Return why the model stopped, and the provider details with xAI's reason if it is more specific."""
    finish_reason, detail = _FINISH_REASONS.get(reason, (None, str(reason)))
    return finish_reason, {'finish_reason': detail} if detail is not None else None


def created_of(answer: Any) -> datetime | None:
    """Return when a response was created, if it says so."""
    seconds = answer.created.seconds
    return datetime.fromtimestamp(seconds, timezone.utc) if 0 < seconds < 1 << 35 else None


def usage_of(usage: Any) -> RequestUsage:
    """Return the usage of a response."""
    details: dict[str, int] = {'reasoning_tokens': usage.reasoning_tokens} if usage.reasoning_tokens else {}
    for tool in usage.server_side_tools_used:
        name = f'server_side_tools_{_SERVER_TOOLS.get(tool, "unknown")}'
        details[name] = details.get(name, 0) + 1
    return RequestUsage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=usage.cached_prompt_text_tokens,
        output_reasoning_tokens=usage.reasoning_tokens,
        details=details,
    )


def logprobs_of(output: Any) -> list[JsonObject]:
    """Return the log probabilities of the tokens in an output, as plain data."""
    return [
        {**_token_logprob(token), 'top_logprobs': [_token_logprob(other) for other in token.top_logprobs]}
        for token in output.logprobs.content
    ]


def _token_logprob(token: Any) -> JsonObject:
    return {'token': token.token, 'bytes': list(token.bytes), 'logprob': token.logprob}


def _parsed(text: str) -> object:
    """Return the data in JSON text, other text as it is, and `None` for no text."""
    from pydantic_core import from_json

    if not text:
        return None
    try:
        return from_json(text)
    except ValueError:
        return text
