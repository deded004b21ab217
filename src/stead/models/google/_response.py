"""Decodes responses of Google's API. No I/O."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from pydantic import TypeAdapter

from ..._kit.ids import generate_tool_call_id
from ..._kit.json_types import JsonObject, as_count, as_dict, as_list
from ...messages import (
    BinaryContent,
    FilePart,
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
from ._request import TOOL_TYPES

FINISH_REASONS: dict[str, FinishReason] = {
    'STOP': 'stop',
    'MAX_TOKENS': 'length',
    'SAFETY': 'content_filter',
    'RECITATION': 'content_filter',
    'BLOCKLIST': 'content_filter',
    'PROHIBITED_CONTENT': 'content_filter',
    'SPII': 'content_filter',
    'IMAGE_SAFETY': 'content_filter',
    'IMAGE_PROHIBITED_CONTENT': 'content_filter',
    'LANGUAGE': 'error',
    'MALFORMED_FUNCTION_CALL': 'error',
    'UNEXPECTED_TOOL_CALL': 'error',
    'TOO_MANY_TOOL_CALLS': 'error',
    'MISSING_THOUGHT_SIGNATURE': 'error',
    'MALFORMED_RESPONSE': 'error',
    'NO_IMAGE': 'error',
}
_NAMES = {kind: name for name, kind in TOOL_TYPES.items()}
_EXCLUDED = {'sdk_http_response', 'automatic_function_calling_history', 'parsed'}
_TIER_HEADER = 'x-gemini-service-tier'
_RATING = {
    'blocked': 'blocked',
    'category': 'category',
    'overwrittenThreshold': 'overwritten_threshold',
    'probability': 'probability',
    'probabilityScore': 'probability_score',
    'severity': 'severity',
    'severityScore': 'severity_score',
}
# The fields of the usage that become details, and their names there.
_COUNTS = {
    'cached_content_token_count': 'cached_content_tokens',
    'thoughts_token_count': 'thoughts_tokens',
    'tool_use_prompt_token_count': 'tool_use_prompt_tokens',
}
_OPAQUE = frozenset({'args', 'response'})
_BASE64 = frozenset({'data', 'thoughtSignature', 'continuationToken'})
_FILE_QUERY = re.compile(r"""file_search\.query\(query=(["'])((?:\\.|(?!\1|\\).)*)\1\)""")
_CAPITAL = re.compile('[A-Z]')
_MODALITIES = {
    'prompt_tokens_details': 'prompt',
    'cache_tokens_details': 'cache',
    'candidates_tokens_details': 'candidates',
    'tool_use_prompt_tokens_details': 'tool_use_prompt',
}


def plain_response(value: object) -> JsonObject:
    """Return a response of the SDK as plain data, with the Python names of its fields."""
    dump = getattr(value, 'model_dump', None)
    body = as_dict(value if dump is None else dump(exclude_none=True, exclude=_EXCLUDED, warnings=False))
    return (
        body if dump is None else with_tier(body, getattr(getattr(value, 'sdk_http_response', None), 'headers', None))
    )


def with_tier(body: JsonObject, headers: Mapping[str, str] | None) -> JsonObject:
    """Return the body of a response with the service tier that the headers name, if they do."""
    if headers and (tier := headers.get(_TIER_HEADER)):
        body['service_tier'] = tier.lower()
    return body


def named_as_in_python(value: JsonObject, *, has_time: bool = False) -> JsonObject:
    """Return the body of a response with the Python names of its fields, and bytes for base64, as the SDK has them.

    Args:
        value: The body.
        has_time: Whether to keep the time of the response, which the SDK does only for Google Cloud.

    Raises:
        ValueError: A value is not what it has to be.
    """
    named: JsonObject = {}
    for name, item in value.items():
        if item is None:
            continue
        if name in _OPAQUE:  # arguments and results, whose names are those of tools
            named[name] = item
        elif name in _BASE64:
            named[_python_name(name)] = base64.b64decode(item)
        elif name == 'createTime':
            if has_time:
                named['create_time'] = _times().validate_python(item)
        elif isinstance(item, dict):
            named[_python_name(name)] = named_as_in_python(as_dict(item))
        elif isinstance(item, list):
            named[_python_name(name)] = [
                named_as_in_python(as_dict(each)) if isinstance(each, dict) else each for each in as_list(item)
            ]
        else:
            named[_python_name(name)] = item
    return named


@lru_cache(maxsize=1024)  # what answers may be another server than Google's
def _python_name(name: str) -> str:
    return _CAPITAL.sub(lambda letter: f'_{letter[0].lower()}', name)


@cache
def _times() -> TypeAdapter[datetime]:
    return TypeAdapter(datetime)


def token_in(body: JsonObject) -> bytes | None:
    """Return what a response is continued with that reached a limit of its request; newer releases of the SDK do that."""
    candidate = as_dict(next(iter(as_list(body.get('candidates'))), None))
    token = candidate.get('continuation_token')
    return token if token and candidate.get('finish_reason') in (None, 'CONTINUATION') else None


def plain_enum(value: object) -> object:
    """Return the value of an enum member, or any other value as it is."""
    return getattr(value, 'value', value)


def jsonable(value: object) -> Any:
    """Return plain data as JSON data: enum members as their values, and bytes in base64."""
    if isinstance(value, Mapping):
        return {name: jsonable(item) for name, item in as_dict(value).items()}
    if isinstance(value, list):
        return [jsonable(item) for item in as_list(value)]
    return base64.b64encode(value).decode() if isinstance(value, bytes) else plain_enum(value)


def decode_response(body: JsonObject, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response for a body of Google's API.

    Args:
        body: The body, as plain data.
        model_name: The name of the model in the request.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: The body has neither content nor a reason for having none.
    """
    candidates = as_list(body.get('candidates'))
    if not candidates and not as_dict(body.get('prompt_feedback')):
        raise unusable(model_name, 'it has no candidates', dict(body))
    candidate = as_dict(candidates[0]) if candidates else {}
    if candidates and not as_dict(candidate.get('content')) and not candidate.get('finish_reason'):
        raise unusable(model_name, 'its candidate is empty', dict(body))
    parts = [*native_parts_of(candidate, provider_name), *decode_parts(parts_of(candidate), provider_name)]
    return ModelResponse(
        parts=parts,
        usage=usage_of(as_dict(body.get('usage_metadata'))),
        model_name=body.get('model_version') or model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('response_id'),
        provider_details=details_of(body) or None,
        finish_reason=finish_reason_of(body),
    )


def parts_of(candidate: JsonObject) -> list[JsonObject]:
    """Return the parts of a candidate."""
    return [as_dict(part) for part in as_list(as_dict(candidate.get('content')).get('parts'))]


def decode_parts(parts: Iterable[JsonObject], provider_name: str) -> Iterator[ModelResponsePart]:
    """Yield the parts of a complete response. A native result belongs to the call before it."""
    last_call = None
    for part in parts:
        decoded = decode_part(part, provider_name, last_call)
        if decoded is not None and (decoded.part_kind != 'text' or part.get('text')):
            yield decoded
        if isinstance(decoded, NativeToolCallPart):
            last_call = decoded.tool_call_id


def decode_part(part: JsonObject, provider_name: str, last_call: str | None) -> ModelResponsePart | None:
    """Return stead's part for one of Google's, or `None` for an unknown kind.

    Args:
        part: The part.
        provider_name: The provider.
        last_call: The id of the latest native call, which its result does not repeat.
    """
    details = signature_of(part)
    own = provider_name if details else None
    if (text := part.get('text')) is not None:
        if part.get('thought'):
            return ThinkingPart(text, provider_name=own, provider_details=details)
        return TextPart(text, provider_name=own, provider_details=details)
    if call := as_dict(part.get('function_call')):
        call_id, arguments = call.get('id') or generate_tool_call_id(), call.get('args')
        return ToolCallPart(str(call.get('name')), arguments, call_id, provider_name=own, provider_details=details)
    if blob := as_dict(part.get('inline_data')):
        content = BinaryContent(blob.get('data') or b'', media_type=blob.get('mime_type') or 'application/octet-stream')
        return FilePart(BinaryContent.narrow_type(content), provider_name=own, provider_details=details)
    return _native_part(part, provider_name, details, last_call)


def _native_part(
    part: JsonObject, provider: str, details: JsonObject | None, last_call: str | None
) -> ModelResponsePart | None:
    if code := as_dict(part.get('executable_code')):
        return NativeToolCallPart(
            'code_execution',
            jsonable(code),
            generate_tool_call_id(),
            provider_name=provider,
            provider_details=details,
        )
    if result := as_dict(part.get('code_execution_result')):
        return NativeToolReturnPart(
            'code_execution',
            jsonable(result),
            last_call or generate_tool_call_id(),
            provider_name=provider,
            provider_details=details,
        )
    tool = as_dict(part.get('tool_call') or part.get('tool_response'))
    name = _NAMES.get(str(plain_enum(tool.get('tool_type'))))
    if name is None:
        return None
    if 'tool_call' in part:
        call_id = tool.get('id') or generate_tool_call_id()
        return NativeToolCallPart(name, tool.get('args'), call_id, provider_name=provider, provider_details=details)
    call_id = tool.get('id') or last_call or generate_tool_call_id()
    return NativeToolReturnPart(name, tool.get('response'), call_id, provider_name=provider, provider_details=details)


def signature_of(part: JsonObject) -> JsonObject | None:
    """Return the provider details with the signature of a part, if it has one."""
    signature = part.get('thought_signature')
    return {'thought_signature': base64.b64encode(signature).decode()} if signature else None


def has_tool_parts(parts: Iterable[JsonObject]) -> bool:
    """Return whether the parts include the calls and results of native tools."""
    return any('tool_call' in part or 'tool_response' in part for part in parts)


def native_parts_of(candidate: JsonObject, provider_name: str) -> list[ModelResponsePart]:
    """Return the calls and results of native tools that a candidate reports in its metadata, rather than its parts."""
    if has_tool_parts(parts_of(candidate)):
        return []
    return [
        *search_parts_of(as_dict(candidate.get('grounding_metadata')), provider_name),
        *fetch_parts_of(candidate, provider_name),
    ]


def search_parts_of(grounding: JsonObject, provider_name: str) -> list[ModelResponsePart]:
    """Return the searches in the grounding metadata of a candidate."""
    chunks = [as_dict(chunk) for chunk in as_list(grounding.get('grounding_chunks'))]
    parts: list[ModelResponsePart] = []
    if queries := as_list(grounding.get('web_search_queries')):
        pages = [jsonable(chunk['web']) for chunk in chunks if chunk.get('web')]
        parts += _pair('web_search', {'queries': queries}, pages or None, provider_name)
    if files := files_of(grounding):
        parts += _pair('file_search', {}, files, provider_name)
    return parts


def files_of(grounding: JsonObject) -> list[JsonObject]:
    """Return the pieces of files that a search found, from the grounding metadata of a candidate."""
    chunks = [as_dict(chunk) for chunk in as_list(grounding.get('grounding_chunks'))]
    return [jsonable(chunk['retrieved_context']) for chunk in chunks if chunk.get('retrieved_context')]


def file_query_of(part: JsonObject) -> str | None:
    """Return the query of a search of files, which streams show as code that runs it; `None` for other code."""
    found = _FILE_QUERY.search(str(as_dict(part.get('executable_code')).get('code')))
    return re.sub(r'\\(.)', r'\1', found[2]) if found else None


def fetch_parts_of(candidate: JsonObject, provider_name: str) -> list[ModelResponsePart]:
    """Return the pages that Google fetched for a candidate."""
    pages = as_list(as_dict(candidate.get('url_context_metadata')).get('url_metadata'))
    if not pages:
        return []
    plain: list[JsonObject] = jsonable(pages)
    return _pair('web_fetch', {'urls': [page.get('retrieved_url') for page in plain]}, plain, provider_name)


def _pair(name: str, arguments: JsonObject, content: Any, provider_name: str) -> list[ModelResponsePart]:
    call_id = generate_tool_call_id()
    return [
        NativeToolCallPart(name, arguments, call_id, provider_name=provider_name),
        NativeToolReturnPart(name, content, call_id, provider_name=provider_name),
    ]


def finish_reason_of(body: JsonObject) -> FinishReason | None:
    """Return why a response ended, in the vocabulary that all providers share."""
    candidates = as_list(body.get('candidates'))
    if not candidates:
        return 'content_filter' if as_dict(body.get('prompt_feedback')).get('block_reason') else None
    return FINISH_REASONS.get(str(plain_enum(as_dict(candidates[0]).get('finish_reason'))))


def details_of(body: JsonObject) -> JsonObject:
    """Return the provider details of a response."""
    details: JsonObject = {}
    candidates = as_list(body.get('candidates'))
    status = as_dict(candidates[0]) if candidates else as_dict(body.get('prompt_feedback'))
    if reason := status.get('finish_reason'):
        details['finish_reason'] = plain_enum(reason)
    if reason := status.get('block_reason'):
        details['block_reason'] = plain_enum(reason)
    if message := status.get('block_reason_message'):
        details['block_reason_message'] = message
    if ratings := as_list(status.get('safety_ratings')):
        details['safety_ratings'] = [
            {name: plain_enum(as_dict(rating).get(field)) for name, field in _RATING.items()} for rating in ratings
        ]
    if tier := body.get('service_tier'):
        details['service_tier'] = tier
    if created := body.get('create_time'):
        details['timestamp'] = created
    if traffic := as_dict(body.get('usage_metadata')).get('traffic_type'):
        details['traffic_type'] = plain_enum(traffic)
    return details


def logprobs_of(body: JsonObject) -> JsonObject:
    """Return the log probabilities of the tokens in a response, if it has them."""
    candidates = as_list(body.get('candidates'))
    candidate = as_dict(candidates[0]) if candidates else {}
    result = as_dict(candidate.get('logprobs_result'))
    if not result:
        return {}
    top = [as_list(as_dict(step).get('candidates')) for step in as_list(result.get('top_candidates'))]
    logprobs = {
        'chosen_candidates': _tokens(as_list(result.get('chosen_candidates'))),
        'log_probability_sum': result.get('log_probability_sum'),
        'top_candidates': [{'candidates': _tokens(tokens)} for tokens in top],
    }
    return {'logprobs': logprobs, 'avg_logprobs': candidate.get('avg_logprobs')}


def _tokens(tokens: list[Any]) -> list[JsonObject]:
    return [{name: as_dict(token).get(name) for name in ('log_probability', 'token', 'token_id')} for token in tokens]


def usage_of(usage: JsonObject) -> RequestUsage:
    """Return the usage of a response. Google counts thinking, and the prompts of its native tools, separately."""
    count = {name: as_count(item) for name, item in usage.items()}
    details = {ours: count[name] for name, ours in _COUNTS.items() if count.get(name)}
    for name, kind in _MODALITIES.items():
        for item in as_list(usage.get(name)):
            modality, tokens = plain_enum(as_dict(item).get('modality')), as_count(as_dict(item).get('token_count'))
            if modality and tokens:
                details[f'{str(modality).lower()}_{kind}_tokens'] = tokens
    return RequestUsage(
        input_tokens=count.get('prompt_token_count', 0) + details.get('tool_use_prompt_tokens', 0),
        output_tokens=count.get('candidates_token_count', 0) + details.get('thoughts_tokens', 0),
        cache_read_tokens=details.get('cached_content_tokens', 0),
        output_reasoning_tokens=details.get('thoughts_tokens', 0),
        cache_audio_read_tokens=details.get('audio_cache_tokens', 0),
        input_audio_tokens=details.get('audio_prompt_tokens', 0),
        output_audio_tokens=details.get('audio_candidates_tokens', 0),
        details=details,
    )
