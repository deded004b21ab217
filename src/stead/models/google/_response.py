"""Messages on the way in: a response as stead has it. No I/O."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..._kit.ids import generate_tool_call_id
from ..._kit.plain import as_count, as_dict, as_list
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
_NOT_SAID = {'sdk_http_response', 'automatic_function_calling_history', 'parsed'}
_RATING = {
    'blocked': 'blocked',
    'category': 'category',
    'overwrittenThreshold': 'overwritten_threshold',
    'probability': 'probability',
    'probabilityScore': 'probability_score',
    'severity': 'severity',
    'severityScore': 'severity_score',
}
# The counts of usage, and what each of them is in the details.
_COUNTS = {
    'cached_content_token_count': 'cached_content_tokens',
    'thoughts_token_count': 'thoughts_tokens',
    'tool_use_prompt_token_count': 'tool_use_prompt_tokens',
}
_MODALITIES = {
    'prompt_tokens_details': 'prompt',
    'cache_tokens_details': 'cache',
    'candidates_tokens_details': 'candidates',
    'tool_use_prompt_tokens_details': 'tool_use_prompt',
}


def plain_answer(value: Any) -> dict[str, Any]:
    """Return an answer of the SDK as plain data, with the names that Python has for its fields."""
    dump = getattr(value, 'model_dump', None)
    return as_dict(value if dump is None else dump(exclude_none=True, exclude=_NOT_SAID, warnings=False))


def name_of(value: Any) -> Any:
    """Return a member of an enumeration as its name; anything else as it is."""
    return getattr(value, 'value', value)


def jsonable(value: Any) -> Any:
    """Return plain data with the names of members of enumerations."""
    if isinstance(value, Mapping):
        return {name: jsonable(item) for name, item in as_dict(value).items()}
    if isinstance(value, list):
        return [jsonable(item) for item in as_list(value)]
    return base64.b64encode(value).decode() if isinstance(value, bytes) else name_of(value)


def decode_response(
    body: Mapping[str, Any], *, model_name: str, provider_name: str, provider_url: str
) -> ModelResponse:
    """Return the response in an answer of Google's API.

    Args:
        body: The answer, as plain data.
        model_name: The model that was asked.
        provider_name: The provider.
        provider_url: Its URL.

    Raises:
        UnexpectedModelBehavior: It is no answer.
    """
    candidates = as_list(body.get('candidates'))
    if not candidates and not as_dict(body.get('prompt_feedback')):
        raise unusable(model_name, 'it has no candidates', dict(body))
    candidate = as_dict(candidates[0]) if candidates else {}
    if candidates and not candidate.get('content') and not candidate.get('finish_reason'):
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


def parts_of(candidate: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a candidate."""
    return [as_dict(part) for part in as_list(as_dict(candidate.get('content')).get('parts'))]


def decode_parts(parts: Iterable[Mapping[str, Any]], provider_name: str) -> Iterator[ModelResponsePart]:
    """Yield parts of a whole response; a result goes with the call before it."""
    last = None
    for part in parts:
        made = decode_part(part, provider_name, last)
        if made is not None and (made.part_kind != 'text' or part.get('text')):
            yield made
        if isinstance(made, NativeToolCallPart):
            last = made.tool_call_id


def decode_part(part: Mapping[str, Any], provider_name: str, last_call: str | None) -> ModelResponsePart | None:
    """Return the part of stead for one of Google; what is not known is left out.

    Args:
        part: The part.
        provider_name: The provider.
        last_call: The id of the last native call, which results do not repeat.
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
    part: Mapping[str, Any], provider: str, details: dict[str, Any] | None, last_call: str | None
) -> ModelResponsePart | None:
    if code := as_dict(part.get('executable_code')):
        return NativeToolCallPart(
            'code_execution',
            jsonable(code),
            generate_tool_call_id(),
            provider_name=provider,
            provider_details=details,
        )
    if ran := as_dict(part.get('code_execution_result')):
        return NativeToolReturnPart(
            'code_execution',
            jsonable(ran),
            last_call or generate_tool_call_id(),
            provider_name=provider,
            provider_details=details,
        )
    said = as_dict(part.get('tool_call') or part.get('tool_response'))
    name = _NAMES.get(str(name_of(said.get('tool_type'))))
    if name is None:
        return None
    if 'tool_call' in part:
        call_id = said.get('id') or generate_tool_call_id()
        return NativeToolCallPart(name, said.get('args'), call_id, provider_name=provider, provider_details=details)
    call_id = said.get('id') or last_call or generate_tool_call_id()
    return NativeToolReturnPart(name, said.get('response'), call_id, provider_name=provider, provider_details=details)


def signature_of(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the details with the signature of a part, if it has one."""
    signature = part.get('thought_signature')
    return {'thought_signature': base64.b64encode(signature).decode()} if signature else None


def tells_of_tools(parts: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether parts say themselves which tools Google used."""
    return any('tool_call' in part or 'tool_response' in part for part in parts)


def native_parts_of(candidate: Mapping[str, Any], provider_name: str) -> list[ModelResponsePart]:
    """Return the calls and results of native tools that a candidate tells of beside its parts."""
    if tells_of_tools(parts_of(candidate)):
        return []
    return [
        *search_parts_of(as_dict(candidate.get('grounding_metadata')), provider_name),
        *fetch_parts_of(candidate, provider_name),
    ]


def search_parts_of(grounding: Mapping[str, Any], provider_name: str) -> list[ModelResponsePart]:
    """Return the searches that an answer is founded on."""
    chunks = [as_dict(chunk) for chunk in as_list(grounding.get('grounding_chunks'))]
    made: list[ModelResponsePart] = []
    if queries := as_list(grounding.get('web_search_queries')):
        pages = [jsonable(chunk['web']) for chunk in chunks if chunk.get('web')]
        made += _pair('web_search', {'queries': queries}, pages or None, provider_name)
    if files := [jsonable(chunk['retrieved_context']) for chunk in chunks if chunk.get('retrieved_context')]:
        made += _pair('file_search', {}, files, provider_name)
    return made


def fetch_parts_of(candidate: Mapping[str, Any], provider_name: str) -> list[ModelResponsePart]:
    """Return the pages that Google read for an answer."""
    pages = as_list(as_dict(candidate.get('url_context_metadata')).get('url_metadata'))
    if not pages:
        return []
    plain: list[dict[str, Any]] = jsonable(pages)
    return _pair('web_fetch', {'urls': [page.get('retrieved_url') for page in plain]}, plain, provider_name)


def _pair(name: str, arguments: dict[str, Any], content: Any, provider_name: str) -> list[ModelResponsePart]:
    call_id = generate_tool_call_id()
    return [
        NativeToolCallPart(name, arguments, call_id, provider_name=provider_name),
        NativeToolReturnPart(name, content, call_id, provider_name=provider_name),
    ]


def finish_reason_of(body: Mapping[str, Any]) -> FinishReason | None:
    """Return why a response ended, in the terms of all providers."""
    candidates = as_list(body.get('candidates'))
    if not candidates:
        return 'content_filter' if as_dict(body.get('prompt_feedback')).get('block_reason') else None
    return FINISH_REASONS.get(str(name_of(as_dict(candidates[0]).get('finish_reason'))))


def details_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Google says besides the response."""
    made: dict[str, Any] = {}
    candidates = as_list(body.get('candidates'))
    said = as_dict(candidates[0]) if candidates else as_dict(body.get('prompt_feedback'))
    if reason := said.get('finish_reason'):
        made['finish_reason'] = name_of(reason)
    if reason := said.get('block_reason'):
        made['block_reason'] = name_of(reason)
    if message := said.get('block_reason_message'):
        made['block_reason_message'] = message
    if ratings := as_list(said.get('safety_ratings')):
        made['safety_ratings'] = [
            {name: name_of(as_dict(rating).get(field)) for name, field in _RATING.items()} for rating in ratings
        ]
    if created := body.get('create_time'):
        made['timestamp'] = created
    if traffic := as_dict(body.get('usage_metadata')).get('traffic_type'):
        made['traffic_type'] = name_of(traffic)
    return made


def logprobs_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return how likely the tokens of a response were, if it says so."""
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


def _tokens(tokens: list[Any]) -> list[dict[str, Any]]:
    return [{name: as_dict(token).get(name) for name in ('log_probability', 'token', 'token_id')} for token in tokens]


def usage_of(usage: Mapping[str, Any]) -> RequestUsage:
    """Return the usage that an answer reports; Google counts thinking, and what its tools read, apart from the rest."""
    count = {name: as_count(item) for name, item in usage.items()}
    details = {ours: count[name] for name, ours in _COUNTS.items() if count.get(name)}
    for name, kind in _MODALITIES.items():
        for item in as_list(usage.get(name)):
            modality, tokens = name_of(as_dict(item).get('modality')), as_count(as_dict(item).get('token_count'))
            if modality and tokens:
                details[f'{str(modality).lower()}_{kind}_tokens'] = tokens
    return RequestUsage(
        input_tokens=count.get('prompt_token_count', 0) + details.get('tool_use_prompt_tokens', 0),
        output_tokens=count.get('candidates_token_count', 0) + details.get('thoughts_tokens', 0),
        cache_read_tokens=details.get('cached_content_tokens', 0),
        cache_audio_read_tokens=details.get('audio_cache_tokens', 0),
        input_audio_tokens=details.get('audio_prompt_tokens', 0),
        output_audio_tokens=details.get('audio_candidates_tokens', 0),
        details=details,
    )
