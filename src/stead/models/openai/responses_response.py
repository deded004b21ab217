"""The Responses API, on the way in: a response as stead has it. No I/O."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.plain import as_count, as_dict, as_list
from ...exceptions import ModelAPIError
from ...messages import (
    BinaryContent,
    BinaryImage,
    CompactionPart,
    FilePart,
    FinishReason,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from ...usage import RequestUsage
from .._wire_errors import unusable
from .responses_request import MCP_PREFIX

FINISH_REASONS: dict[str, FinishReason] = {
    'max_output_tokens': 'length',
    'content_filter': 'content_filter',
    'completed': 'stop',
    'cancelled': 'error',
    'failed': 'error',
}
"""Why models stop; a reason that is not here becomes `None`, and stays in the details."""


def decode_response(
    data: Any, *, model_name: str, provider_name: str, provider_url: str, annotations: bool
) -> ModelResponse:
    """Return the response in one of the Responses API.

    Args:
        data: The response, as plain data.
        model_name: The model that was asked.
        provider_name: The provider.
        provider_url: Its URL.
        annotations: Whether texts keep their annotations.

    Raises:
        ModelAPIError: OpenAI says that it failed.
        UnexpectedModelBehavior: It is no response.
    """
    body = as_dict(data)
    if not isinstance(body.get('output'), list):
        raise unusable(model_name, 'it has no output' if body else 'it is no JSON object', data)
    check_failed(body, model_name)
    parts: list[Any] = []
    details = details_of(body)
    for item in as_list(body['output']):
        parts.extend(decode_item(as_dict(item), provider_name, details, annotations=annotations))
    finish_reason = FINISH_REASONS.get(str(details.get('finish_reason')))
    if 'refusal' in details:
        del details['finish_reason']
        finish_reason = 'content_filter'
    return ModelResponse(
        parts=parts,
        usage=usage_of(body.get('usage')),
        model_name=body.get('model') or model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('id'),
        provider_details=details,
        finish_reason=finish_reason,
    )


def check_failed(body: Mapping[str, Any], model_name: str) -> None:
    """Raise if OpenAI says that a response failed."""
    error = as_dict(body.get('error'))
    if body.get('status') == 'failed' and error:
        raise ModelAPIError(model_name, f'{model_name!r} failed: {error.get("message")} ({error.get("code")}).')


def details_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what OpenAI says besides the response."""
    details: dict[str, Any] = {}
    if reason := as_dict(body.get('incomplete_details')).get('reason') or body.get('status'):
        details['finish_reason'] = reason
    at = as_count(body.get('created_at'))
    details['timestamp'] = datetime.fromtimestamp(at, tz=timezone.utc) if at > 0 else now_utc()
    if conversation := as_dict(body.get('conversation')).get('id'):
        details['conversation_id'] = conversation
    return details


def decode_item(item: dict[str, Any], provider: str, details: dict[str, Any], *, annotations: bool) -> list[Any]:
    """Return the parts in a whole item; items that are not known are left out."""
    kind, item_id = str(item.get('type')), item.get('id')
    if kind == 'message':
        return _texts(item, provider, details, annotations)
    if kind == 'reasoning':
        return _thinking(item, provider)
    if kind == 'function_call':
        call_id = item.get('call_id') or generate_tool_call_id()
        return [ToolCallPart(str(item.get('name')), item.get('arguments'), call_id, id=item_id, provider_name=provider)]
    if kind == 'compaction':
        return [CompactionPart(id=item_id, provider_name=provider, provider_details={'created_by': None, **item})]
    call = native_call(item, provider)
    if call is None:
        return []
    return [call, *files_of(item), native_return(item, provider)]


def _texts(item: dict[str, Any], provider: str, details: dict[str, Any], annotations: bool) -> list[Any]:
    parts: list[Any] = []
    for content in map(as_dict, as_list(item.get('content'))):
        if content.get('type') == 'refusal':
            details['refusal'] = content.get('refusal')
        elif content.get('type') == 'output_text':
            more = text_details(item, content, annotations)
            text = str(content.get('text') or '')
            parts.append(TextPart(text, id=item.get('id'), provider_name=provider, provider_details=more))
    return parts


def text_details(item: dict[str, Any], content: dict[str, Any], annotations: bool) -> dict[str, Any] | None:
    """Return what OpenAI says about a text besides it."""
    details: dict[str, Any] = {}
    if logprobs := as_list(content.get('logprobs')):
        details['logprobs'] = logprobs
    if annotations and (found := as_list(content.get('annotations'))):
        details['annotations'] = found
    if phase := item.get('phase'):
        details['phase'] = phase
    return details or None


def _thinking(item: dict[str, Any], provider: str) -> list[Any]:
    item_id, signature = item.get('id'), item.get('encrypted_content')
    details = raw_thinking(item)
    summaries = [str(as_dict(summary).get('text') or '') for summary in as_list(item.get('summary'))]
    if not summaries and (signature or details):
        summaries = ['']
    return [
        ThinkingPart(
            text,
            id=item_id,
            signature=None if index else signature,
            provider_name=provider,
            provider_details=None if index else details,
        )
        for index, text in enumerate(summaries)
    ]


def raw_thinking(item: dict[str, Any]) -> dict[str, Any] | None:
    """Return the thinking that open models show as it is."""
    raw = [as_dict(content).get('text') for content in as_list(item.get('content'))]
    return {'raw_content': raw} if raw else None


def native_call(item: dict[str, Any], provider: str) -> NativeToolCallPart | None:
    """Return the call in the item of a native tool, if it is one that is known."""
    kind, call_id = str(item.get('type')), str(item.get('id'))
    arguments: dict[str, Any] | None = None
    own_id: str | None = None
    if kind == 'web_search_call':
        name, own_id = 'web_search', call_id
        arguments = {key: value for key, value in as_dict(item.get('action')).items() if key != 'sources'} or None
    elif kind == 'file_search_call':
        name, arguments, own_id = 'file_search', {'queries': item.get('queries')}, call_id
    elif kind == 'code_interpreter_call':
        name, arguments = 'code_execution', {'container_id': item.get('container_id'), 'code': item.get('code')}
    elif kind == 'image_generation_call':
        name = 'image_generation'
    elif kind == 'mcp_list_tools':
        name, arguments = f'{MCP_PREFIX}{item.get("server_label")}', {'action': 'list_tools'}
    elif kind == 'mcp_call':
        name = f'{MCP_PREFIX}{item.get("server_label")}'
        arguments = {'action': 'call_tool', 'tool_name': item.get('name'), 'tool_args': _arguments(item)}
    else:
        return None
    return NativeToolCallPart(name, arguments, call_id, id=own_id, provider_name=provider)


def _arguments(item: dict[str, Any]) -> Any:
    from pydantic_core import from_json

    try:
        return from_json(item.get('arguments') or '{}')
    except ValueError:
        return {}


def files_of(item: dict[str, Any]) -> list[FilePart]:
    """Return the images that a native tool made."""
    kind, item_id = item.get('type'), item.get('id')
    if kind == 'image_generation_call' and isinstance(data := item.get('result'), str):
        return [image_part(data, str(item.get('output_format') or 'png'), item_id)]
    if kind != 'code_interpreter_call':
        return []
    urls = [as_dict(output).get('url') for output in as_list(item.get('outputs'))]
    found = [BinaryContent.from_data_uri(url) for url in urls if isinstance(url, str) and url.startswith('data:')]
    return [FilePart(BinaryContent.narrow_type(content), id=item_id) for content in found]


def image_part(data: str, form: str, item_id: str | None) -> FilePart:
    """Return the part for an image in base64."""
    content = BinaryImage(base64.b64decode(data), media_type=f'image/{form}')
    return FilePart(content, id=item_id)


def native_return(item: dict[str, Any], provider: str) -> NativeToolReturnPart:
    """Return what came of the call in the item of a native tool."""
    kind, call_id = item.get('type'), str(item.get('id'))
    content: dict[str, Any] = {'status': item.get('status')}
    name = {
        'web_search_call': 'web_search',
        'file_search_call': 'file_search',
        'code_interpreter_call': 'code_execution',
        'image_generation_call': 'image_generation',
    }.get(str(kind))
    if kind == 'web_search_call':
        if (sources := as_dict(item.get('action')).get('sources')) is not None:
            content['sources'] = sources
    elif kind == 'file_search_call':
        if item.get('results') is not None:
            content['results'] = item['results']
    elif kind == 'code_interpreter_call':
        outputs = map(as_dict, as_list(item.get('outputs')))
        if logs := [output.get('logs') for output in outputs if output.get('type') == 'logs']:
            content['logs'] = logs
    elif kind == 'image_generation_call':
        keys = ('background', 'quality', 'size', 'revised_prompt')
        content.update({key: item[key] for key in keys if item.get(key) is not None})
    else:
        name = f'{MCP_PREFIX}{item.get("server_label")}'
        what = 'tools' if kind == 'mcp_list_tools' else 'output'
        content = {what: item.get(what), 'error': item.get('error')}
    return NativeToolReturnPart(str(name), content, call_id, provider_name=provider)


def usage_of(usage: Any) -> RequestUsage:
    """Return the usage that a response reports."""
    counts = as_dict(usage)
    given, made = as_dict(counts.get('input_tokens_details')), as_dict(counts.get('output_tokens_details'))
    return RequestUsage(
        input_tokens=as_count(counts.get('input_tokens')),
        output_tokens=as_count(counts.get('output_tokens')),
        cache_read_tokens=as_count(given.get('cached_tokens')),
        cache_write_tokens=as_count(given.get('cache_write_tokens')),
        details={name: count for name, count in made.items() if isinstance(count, int)},
    )
