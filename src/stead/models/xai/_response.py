"""Messages on the way in: a response as stead has it. No I/O.

The SDK's names for enumerated values fail for values that came later than the SDK, so that numbers are compared here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.plain import as_dict
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
"""Whose text is the model's; 0 is a role that was not said."""
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
    """Return the response in an answer of xAI's API.

    Args:
        answer: The `GetChatCompletionResponse`.
        model_name: The model that was asked.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: It has no outputs, or could not be read.
    """
    if answer is None:  # as gRPC has what it cannot read
        raise unusable(model_name, 'it is no message of its API')
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
    if message.role in ASSISTANT_ROLES:
        if message.reasoning_content or message.encrypted_content:
            sealed = message.encrypted_content or None
            by = provider_name if sealed else None
            yield ThinkingPart(message.reasoning_content, signature=sealed, provider_name=by)
        if message.content:
            found = logprobs_of(output)
            yield TextPart(message.content, provider_details={'logprobs': {'content': found}} if found else None)
    elif message.role != TOOL_ROLE:
        return
    for call in message.tool_calls:
        if is_result(call, message.role):
            yield native_result(call, message.content, provider_name)
        elif is_native(call):
            yield native_call(call, provider_name)
        else:
            call_id = call.id or generate_tool_call_id()
            yield ToolCallPart(call.function.name, call.function.arguments, call_id)


def is_native(call: Any) -> bool:
    """Return whether a call is one that xAI runs itself."""
    return call.type not in _CLIENT_SIDE


def is_result(call: Any, role: int) -> bool:
    """Return whether a call comes with its result."""
    return is_native(call) and (role == TOOL_ROLE or call.status == _FAILED)


def native_name(call: Any) -> str:
    """Return the name that stead has for a native tool; one that it does not know keeps xAI's."""
    if call.type == _MCP:
        return f'{MCP_PREFIX}{call.function.name.partition(".")[0]}'
    name: str = call.function.name
    return _NATIVE_NAMES.get(call.type, name)


def native_call(call: Any, provider_name: str) -> NativeToolCallPart:
    """Return the part for a call that xAI runs itself."""
    name, text = call.function.name, call.function.arguments
    given = _parsed(text)
    arguments: Any = text or None
    if isinstance(given, dict):
        arguments = as_dict(given)
    if call.type == _MCP:
        arguments = {
            'action': 'call_tool',
            'tool_name': name.partition('.')[2] or name,
            'tool_args': as_dict(given),
        }
    return NativeToolCallPart(
        native_name(call), arguments, call.id, provider_name=provider_name, provider_details={'function_name': name}
    )


def native_result(call: Any, text: str, provider_name: str) -> NativeToolReturnPart:
    """Return the part for what a native call came to."""
    details = {'status': 'failed', 'error': call.error_message} if call.status == _FAILED else None
    return NativeToolReturnPart(
        native_name(call), _parsed(text), call.id, provider_name=provider_name, provider_details=details
    )


def with_citations(parts: list[ModelResponsePart], citations: list[str]) -> list[ModelResponsePart]:
    """Return parts whose searches of X name the sources of the response, which say more than what was found."""
    if not citations:
        return parts
    return [
        replace(part, content=_cited(part.content, citations))
        if isinstance(part, NativeToolReturnPart) and part.tool_name == 'x_search'
        else part
        for part in parts
    ]


def _cited(content: Any, citations: list[str]) -> dict[str, Any]:
    rest = as_dict(content) if isinstance(content, dict) else {} if content is None else {'output': content}
    return {**rest, 'citations': citations}


def finish_of(reason: int) -> tuple[FinishReason | None, dict[str, Any] | None]:
    """Return why the model stopped, and the details that keep xAI's reason if that says more."""
    found, detail = _FINISH_REASONS.get(reason, (None, str(reason)))
    return found, {'finish_reason': detail} if detail is not None else None


def created_of(answer: Any) -> datetime | None:
    """Return when an answer was made, if it says so."""
    seconds = answer.created.seconds
    return datetime.fromtimestamp(seconds, timezone.utc) if 0 < seconds < 1 << 35 else None


def usage_of(usage: Any) -> RequestUsage:
    """Return the usage that an answer reports."""
    details: dict[str, int] = {'reasoning_tokens': usage.reasoning_tokens} if usage.reasoning_tokens else {}
    for tool in usage.server_side_tools_used:
        name = f'server_side_tools_{_SERVER_TOOLS.get(tool, "unknown")}'
        details[name] = details.get(name, 0) + 1
    return RequestUsage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=usage.cached_prompt_text_tokens,
        details=details,
    )


def logprobs_of(output: Any) -> list[dict[str, Any]]:
    """Return how likely the tokens of an output were, as plain data."""
    return [
        {**_likely(token), 'top_logprobs': [_likely(other) for other in token.top_logprobs]}
        for token in output.logprobs.content
    ]


def _likely(token: Any) -> dict[str, Any]:
    return {'token': token.token, 'bytes': list(token.bytes), 'logprob': token.logprob}


def _parsed(text: str) -> Any:
    """Return what is JSON as plain data, other text as it is, and nothing as `None`."""
    from pydantic_core import from_json

    if not text:
        return None
    try:
        return from_json(text)
    except ValueError:
        return text
