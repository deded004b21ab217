"""Decodes whole chat completions, with helpers that the decoder of chunks shares. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from typing_extensions import TypedDict, Unpack

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.json_types import JsonObject, as_count, as_dict, as_list
from ...messages import FinishReason, ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart
from ...profiles.openai import OpenAIModelProfile
from ...usage import RequestUsage
from .._citations import cited_marks
from .._wire_errors import unusable

FINISH_REASONS: dict[str, FinishReason] = {
    'stop': 'stop',
    'length': 'length',
    'tool_calls': 'tool_call',
    'content_filter': 'content_filter',
    'function_call': 'tool_call',
    'error': 'error',
}
"""Reasons of the protocol and stead's. An unknown reason becomes `None`, and stays in the details."""

_THINKING_FIELDS = ('reasoning', 'reasoning_content')


class ResponseOrigin(TypedDict):
    """Where a response comes from."""

    model_name: str
    """The model that was asked."""
    provider_name: str
    provider_url: str


def decode_completion(
    data: object, *, model_profile: OpenAIModelProfile, **origin: Unpack[ResponseOrigin]
) -> ModelResponse:
    """Return the response in a chat completion.

    Args:
        data: The completion, as JSON data.
        model_profile: What the model can do.
        origin: Where the completion comes from.

    Raises:
        UnexpectedModelBehavior: The data is not a completion.
    """
    model_name, provider_name = origin['model_name'], origin['provider_name']
    body, choice = choice_in(data, model_name)
    message = as_dict(choice['message'])
    raw_reason = str(choice.get('finish_reason') or 'stop')
    details = details_of(body, raw_reason)
    if (logprobs := as_dict(choice.get('logprobs')).get('content')) is not None:
        details['logprobs'] = logprobs
    if notes := as_list(message.get('annotations')):  # what the text cites
        details['annotations'] = notes
    if refusal := message.get('refusal'):
        details.pop('finish_reason')
        parts: list[ModelResponsePart] = []
        details['refusal'] = refusal
        finish_reason: FinishReason | None = 'content_filter'
    else:
        parts = list(_parts(message, model_name, provider_name, model_profile))
        finish_reason = FINISH_REASONS.get(raw_reason)
    return _response(body, parts, details, finish_reason, origin)


def decode_dialect(
    data: object,
    parts_in: Callable[[JsonObject], Iterable[ModelResponsePart]],
    finish_reasons: Mapping[str, FinishReason],
    **origin: Unpack[ResponseOrigin],
) -> ModelResponse:
    """Return the response in a chat completion whose message and reasons are those of a vendor; errors as `decode_completion`.

    Args:
        data: The completion, as JSON data.
        parts_in: Returns the parts of a message.
        finish_reasons: The vendor's reasons and stead's.
        origin: Where the completion comes from.
    """
    body, choice = choice_in(data, origin['model_name'])
    reason = choice.get('finish_reason')
    parts = list(parts_in(as_dict(choice['message'])))
    return _response(body, parts, reason_and_time(body, reason) or None, finish_reasons.get(str(reason)), origin)


def _response(
    body: JsonObject,
    parts: list[ModelResponsePart],
    details: JsonObject | None,
    finish_reason: FinishReason | None,
    origin: ResponseOrigin,
) -> ModelResponse:
    return ModelResponse(
        parts=parts,
        usage=usage_of(body.get('usage')),
        model_name=body.get('model') or origin['model_name'],
        provider_name=origin['provider_name'],
        provider_url=origin['provider_url'],
        provider_response_id=body.get('id'),
        provider_details=details,
        finish_reason=finish_reason,
    )


def _parts(
    message: Mapping[str, Any], model_name: str, provider_name: str, profile: OpenAIModelProfile
) -> Iterable[ModelResponsePart]:
    if (thinking := thinking_in(message, profile)) is not None:
        name, text = thinking
        yield ThinkingPart(text, id=name, provider_name=provider_name)
    if text := text_in(message.get('content')):
        details, citations = cited_marks(as_list(message.get('annotations')))
        provider = provider_name if details else None
        for is_thinking, piece in split_thinking(text, profile.thinking_tags):
            if is_thinking:
                yield ThinkingPart(piece, id='content', provider_name=provider_name)
            else:
                yield TextPart(piece, provider_name=provider, provider_details=details, citations=citations)
    yield from calls_in(message, model_name)


def choice_in(data: object, model_name: str) -> tuple[JsonObject, JsonObject]:
    """Return a completion and its choice, which has a message.

    Raises:
        UnexpectedModelBehavior: The data is not a completion.
    """
    if isinstance(data, str):
        raise unusable(model_name, 'it is not JSON', data)
    body = as_dict(data)
    choices = as_list(body.get('choices'))
    if not choices:
        raise unusable(model_name, 'it has no choices' if body else 'it is not a JSON object', data)
    choice = as_dict(choices[0])
    if not isinstance(choice.get('message'), Mapping):
        raise unusable(model_name, 'its choice has no message', body)
    return body, choice


def calls_in(message: Mapping[str, Any], model_name: str, no_id: str = '') -> Iterator[ToolCallPart]:
    """Yield the calls of tools in a message.

    Args:
        message: The message.
        model_name: The model that was asked.
        no_id: What the server sends in place of a missing id.

    Raises:
        UnexpectedModelBehavior: One of them has no function name.
    """
    for item in as_list(message.get('tool_calls')):
        call = as_dict(item)
        function = as_dict(call.get('function'))
        if not function.get('name'):
            raise unusable(model_name, 'it calls a tool in a way that chat completions do not have', message)
        yield ToolCallPart(function['name'], function.get('arguments'), id_of(call, no_id) or generate_tool_call_id())


def id_of(call: Mapping[str, Any], no_id: str) -> str | None:
    """Return the id of a call; `None` if it has none."""
    call_id = call.get('id')
    return call_id if call_id != no_id else None


def thinking_in(message: Mapping[str, Any], profile: OpenAIModelProfile) -> tuple[str, str] | None:
    """Return the field that holds the thinking of a message or delta, and its text; `None` if there is none."""
    field = profile.openai_chat_thinking_field
    for name in (field, *_THINKING_FIELDS) if field else _THINKING_FIELDS:
        if isinstance(text := message.get(name), str) and text:
            return name, text
    return None


def text_in(content: object) -> str | None:
    """Return the text of a message; some servers send it as a list of texts."""
    if isinstance(content, str) or content is None:
        return content
    return ''.join(str(as_dict(item).get('text') or '') for item in as_list(content))


def split_thinking(text: str, tags: tuple[str, str]) -> Iterable[tuple[bool, str]]:
    """Yield the pieces of a text, each with whether it was between thinking tags."""
    start, end = tags
    before, tag, rest = text.partition(start)
    while tag:
        if before:
            yield False, before
        thinking, closed, rest = rest.partition(end)
        if not closed:  # the tag was part of the text, or the text was cut off: either way, there is no more
            if thinking:
                yield False, thinking
            return
        yield True, thinking
        before, tag, rest = rest.partition(start)
    if before:
        yield False, before


def details_of(data: Mapping[str, Any], finish_reason: str | None) -> JsonObject:
    """Return the details of a response: why it ended, if that is known, and when it was created, which is now by default."""
    details = reason_and_time(data, finish_reason)
    details.setdefault('timestamp', now_utc())
    return details


def reason_and_time(data: Mapping[str, Any], finish_reason: object) -> JsonObject:
    """Return why a completion ended, and when it was created, as far as it says so."""
    details: JsonObject = {}
    if finish_reason:
        details['finish_reason'] = finish_reason
    if (created := as_count(data.get('created'))) > 0:
        details['timestamp'] = datetime.fromtimestamp(created, tz=timezone.utc)
    return details


def usage_of(usage: object) -> RequestUsage:
    """Return the usage that a completion reports; counts that are missing are 0."""
    counts = as_dict(usage)
    prompt, completion = as_dict(counts.get('prompt_tokens_details')), as_dict(counts.get('completion_tokens_details'))
    return RequestUsage(
        input_tokens=as_count(counts.get('prompt_tokens')),
        output_tokens=as_count(counts.get('completion_tokens')),
        cache_read_tokens=as_count(prompt.get('cached_tokens') or counts.get('prompt_cache_hit_tokens')),
        cache_write_tokens=as_count(prompt.get('cache_write_tokens')),
        output_reasoning_tokens=as_count(completion.get('reasoning_tokens')),
        input_audio_tokens=as_count(prompt.get('audio_tokens')),
        output_audio_tokens=as_count(completion.get('audio_tokens')),
        details={name: count for name, count in completion.items() if isinstance(count, int) and count >= 0},
    )
