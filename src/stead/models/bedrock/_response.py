"""Answers of the Converse API, as stead's. No I/O."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from ..._kit.ids import generate_tool_call_id
from ..._kit.json_types import JsonObject, as_count, as_dict, as_list
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
from ._request import CODE_EXECUTION, CODE_INTERPRETER, REDACTED, SEALED

FINISH_REASONS: dict[str, FinishReason] = {
    'end_turn': 'stop',
    'stop_sequence': 'stop',
    'tool_use': 'tool_call',
    'max_tokens': 'length',
    'model_context_window_exceeded': 'length',
    'guardrail_intervened': 'content_filter',
    'content_filtered': 'content_filter',
    'malformed_model_output': 'error',
    'malformed_tool_use': 'error',
}
"""Reasons of Bedrock and stead's. An unknown reason becomes `None`, and stays in the details."""

# What else answers and the ends of streams have that is worth keeping, and its names in the details.
_DETAILS = {
    'additionalModelResponseFields': 'additional_model_response_fields',
    'trace': 'trace',
}


def decode_answer(answer: Any, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response in an answer of `converse`.

    Raises:
        UnexpectedModelBehavior: It is not an answer.
    """
    body = as_dict(answer)
    message = as_dict(body.get('output')).get('message')
    if not isinstance(message, Mapping):
        raise unusable(model_name, 'it has no message', {name: body[name] for name in body if name[0].islower()})
    reason = body.get('stopReason')
    return ModelResponse(
        parts=list(decode_blocks(as_list(as_dict(message).get('content')), provider_name)),
        usage=usage_of(body.get('usage')),
        model_name=model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=request_id(body),
        provider_details=details_of(body) or None,
        finish_reason=FINISH_REASONS.get(str(reason)),
    )


def request_id(body: Mapping[str, Any]) -> str | None:
    """Return the id of the request from an answer. AWS finds the request by this id."""
    return as_dict(body.get('ResponseMetadata')).get('RequestId')


def details_of(body: Mapping[str, Any]) -> JsonObject:
    """Return the provider details in an answer, or in the events that end a stream."""
    details: JsonObject = {}
    if (reason := body.get('stopReason')) is not None:
        details['finish_reason'] = reason
    details.update({key: body[name] for name, key in _DETAILS.items() if body.get(name)})
    return details


def decode_blocks(blocks: list[Any], provider_name: str) -> Iterator[ModelResponsePart]:
    """Yield the parts for blocks of content; those of unknown types are left out."""
    running: set[object] = set()
    for item in blocks:
        block = as_dict(item)
        if text := block.get('text'):
            yield TextPart(text)
        elif thought := as_dict(block.get('reasoningContent')):
            yield decode_thought(thought, provider_name)
        elif cited := as_dict(block.get('citationsContent')):
            if quoted := ''.join(str(as_dict(piece).get('text') or '') for piece in as_list(cited.get('content'))):
                yield TextPart(quoted)
        elif use := as_dict(block.get('toolUse')):
            if not is_native(use):
                yield _call(use)
            elif use.get('name') == CODE_INTERPRETER:
                running.add(use.get('toolUseId'))
                yield native_call(use, provider_name)
        elif (result := as_dict(block.get('toolResult'))) and result.get('toolUseId') in running:
            yield native_return(result, as_list(result.get('content')), provider_name)


def _call(use: Mapping[str, Any]) -> ToolCallPart:
    arguments = use.get('input')
    if arguments is not None and not isinstance(arguments, (str, dict)):
        from pydantic_core import to_json

        arguments = to_json(arguments).decode()
    return ToolCallPart(str(use.get('name')), arguments, use.get('toolUseId') or generate_tool_call_id())  # type: ignore[reportUnknownArgumentType]


def is_native(use: Mapping[str, Any]) -> bool:
    """Return whether Bedrock itself runs the tool of a call."""
    return use.get('type') == 'server_tool_use'


def native_call(use: Mapping[str, Any], provider_name: str) -> NativeToolCallPart:
    """Return the part for code that Bedrock executes."""
    arguments: Any = use.get('input')
    return NativeToolCallPart(CODE_EXECUTION, arguments, str(use.get('toolUseId')), provider_name=provider_name)


def native_return(result: Mapping[str, Any], content: list[Any], provider_name: str) -> NativeToolReturnPart:
    """Return the part for the output of code that Bedrock executed."""
    found = [as_dict(item) for item in content]
    documents = [item['json'] for item in found if 'json' in item]
    texts = [str(item['text']) for item in found if item.get('text')]
    status = result.get('status')
    return NativeToolReturnPart(
        CODE_EXECUTION,
        documents[0] if documents else ''.join(texts) or None,
        str(result.get('toolUseId')),
        provider_name=provider_name,
        provider_details={'status': status} if status else None,
    )


def decode_thought(thought: Mapping[str, Any], provider_name: str) -> ThinkingPart:
    """Return the part for a thought: its text, or what only the model can read."""
    if (redacted := thought.get('redactedContent')) is not None:
        return ThinkingPart('', id=REDACTED, signature=sealed_text(redacted), provider_name=provider_name)
    inner = as_dict(thought.get('reasoningText'))
    signature = inner.get('signature')
    return ThinkingPart(
        inner.get('text') or '', signature=signature, provider_name=provider_name if signature else None
    )


def sealed_text(data: Any) -> str:
    """Return the bytes of a sealed thought as text, which a history can keep."""
    if isinstance(data, str):
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        return SEALED + b64encode(data).decode()


def usage_of(usage: object) -> RequestUsage:
    """Return the usage of an answer. Bedrock counts cached tokens separately."""
    counts = as_dict(usage)
    read, written = as_count(counts.get('cacheReadInputTokens')), as_count(counts.get('cacheWriteInputTokens'))
    return RequestUsage(
        input_tokens=as_count(counts.get('inputTokens')) + read + written,
        output_tokens=as_count(counts.get('outputTokens')),
        cache_read_tokens=read,
        cache_write_tokens=written,
        cache_write_1h_tokens=sum(
            as_count(as_dict(item).get('inputTokens'))
            for item in as_list(counts.get('cacheDetails'))
            if as_dict(item).get('ttl') == '1h'
        ),
    )
