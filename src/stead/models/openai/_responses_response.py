"""Responses of the Responses API, as stead's. No I/O."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ..._kit.ids import generate_tool_call_id, now_utc
from ..._kit.json_types import JsonObject, as_count, as_dict, as_list
from ...messages import (
    BinaryContent,
    BinaryImage,
    CompactionPart,
    FilePart,
    FinishReason,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolSearchArgs,
    ToolSearchCallPart,
    ToolSearchMatch,
    ToolSearchReturnContent,
)
from ...usage import RequestUsage
from .._citations import cited_marks
from .._wire_errors import reported_error, unusable
from ._responses_request import MCP_PREFIX

FINISH_REASONS: dict[str, FinishReason] = {
    'max_output_tokens': 'length',
    'content_filter': 'content_filter',
    'completed': 'stop',
    'cancelled': 'error',
    'failed': 'error',
}
"""Statuses of OpenAI and stead's reasons. An unknown one becomes `None`, and stays in the details."""


def decode_response(
    data: object, *, model_name: str, provider_name: str, provider_url: str, annotations: bool
) -> ModelResponse:
    """Return a response of the Responses API.

    Args:
        data: The response, as JSON data.
        model_name: The model that was asked.
        provider_name: The provider.
        provider_url: Its URL.
        annotations: Whether texts keep their annotations.

    Raises:
        ModelAPIError: The response failed.
        UnexpectedModelBehavior: The data is not a response.
    """
    body = as_dict(data)
    if not isinstance(body.get('output'), list):
        raise unusable(model_name, 'it has no output' if body else 'it is not a JSON object', data)
    check_failed(body, model_name)
    parts: list[Any] = []
    details = details_of(body)
    searches: list[str] = []
    for item in map(as_dict, as_list(body['output'])):
        if item.get('type') in ('tool_search_call', 'tool_search_output'):
            parts.extend(decode_search(item, provider_name, searches))
        else:
            parts.extend(decode_item(item, provider_name, details, annotations=annotations))
    finish_reason = FINISH_REASONS.get(str(details.get('finish_reason')))
    if 'refusal' in details:
        del details['finish_reason']
        parts, finish_reason = [], 'content_filter'
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


def decode_compaction(data: object, *, model_name: str, provider_name: str, provider_url: str) -> ModelResponse:
    """Return the response of the endpoint for compactions; arguments as `decode_response`.

    Raises:
        UnexpectedModelBehavior: It has no summary.
    """
    body = as_dict(data)
    summaries = [item for item in map(as_dict, as_list(body.get('output'))) if item.get('type') == 'compaction']
    if not summaries:
        raise unusable(model_name, 'it has no summary of the messages' if body else 'it is not a JSON object', data)
    return ModelResponse(
        parts=[compaction_part(summaries[-1], provider_name)],
        usage=usage_of(body.get('usage')),
        model_name=model_name,
        provider_name=provider_name,
        provider_url=provider_url,
        provider_response_id=body.get('id'),
        provider_details={'compaction': True},
    )


def check_failed(body: Mapping[str, Any], model_name: str) -> None:
    """Raise `ModelAPIError` if a response failed."""
    error = as_dict(body.get('error'))
    if body.get('status') == 'failed' and error:
        raise reported_error(error, model_name, None)


def details_of(body: Mapping[str, Any]) -> JsonObject:
    """Return the details of a response: why it ended, when it was created, and its conversation."""
    details: JsonObject = {}
    if reason := as_dict(body.get('incomplete_details')).get('reason') or body.get('status'):
        details['finish_reason'] = reason
    at = body.get('created_at') if as_count(body.get('created_at')) > 0 else None
    details['timestamp'] = now_utc() if at is None else datetime.fromtimestamp(at, tz=timezone.utc)
    if conversation := as_dict(body.get('conversation')).get('id'):
        details['conversation_id'] = conversation
    return details


def decode_item(item: JsonObject, provider: str, details: JsonObject, *, annotations: bool) -> list[Any]:
    """Return the parts in a complete item; unknown items are left out."""
    kind, item_id = str(item.get('type')), item.get('id')
    if kind == 'message':
        return _texts(item, provider, details, annotations)
    if kind == 'reasoning':
        return _thinking(item, provider)
    if kind == 'function_call':
        call_id = item.get('call_id') or generate_tool_call_id()
        call = ToolCallPart(str(item.get('name')), item.get('arguments'), call_id, id=item_id, provider_name=provider)
        call.provider_details = call_details(item)
        return [call]
    if kind == 'compaction':
        return [compaction_part(item, provider)]
    call = native_call(item, provider)
    if call is None:
        return []
    return [call, *files_of(item), native_return(item, provider)]


def compaction_part(item: JsonObject, provider: str) -> CompactionPart:
    """Return the part for an encrypted summary."""
    return CompactionPart(id=item.get('id'), provider_name=provider, provider_details={'created_by': None, **item})


def call_details(item: JsonObject) -> JsonObject | None:
    """Return the details of a call."""
    return {'namespace': item['namespace']} if item.get('namespace') is not None else None


def decode_search(item: JsonObject, provider: str, open_calls: list[str]) -> list[Any]:
    """Return the part in an item of a search for tools.

    Args:
        item: The item.
        provider: The provider.
        open_calls: The ids of searches without a result so far; OpenAI does not repeat them for searches of its own.
    """
    item_id, call_id = item.get('id'), item.get('call_id')
    if item.get('type') == 'tool_search_output':
        return _search_output(item, provider, call_id, open_calls)
    arguments: Any = search_arguments(item)
    if item.get('execution') == 'client':
        call = ToolSearchCallPart(args=arguments, tool_call_id=call_id or generate_tool_call_id(), id=item_id)
        call.provider_name = provider
        return [call]
    call_id = str(call_id or item_id)
    open_calls.append(call_id)
    queries = arguments.get('queries', arguments.get('paths'))
    args = ToolSearchArgs(queries=[str(query) for query in as_list(queries)])
    return [NativeToolSearchCallPart(args=args, tool_call_id=call_id, id=item_id, provider_name=provider)]


def search_arguments(item: JsonObject) -> JsonObject:
    """Return the arguments of a search for tools."""
    arguments = item.get('arguments')
    return as_dict(_arguments(item) if isinstance(arguments, str) else arguments)


def _search_output(item: JsonObject, provider: str, call_id: Any, open_calls: list[str]) -> list[Any]:
    if item.get('execution') == 'client':
        return []
    call_id = str(call_id) if call_id is not None else open_calls[-1] if open_calls else str(item.get('id'))
    if call_id in open_calls:
        open_calls.remove(call_id)
    matches: list[ToolSearchMatch] = []
    for tool in map(as_dict, as_list(item.get('tools'))):
        inner = map(as_dict, as_list(tool.get('tools'))) if tool.get('type') == 'namespace' else [tool]
        matches += [
            ToolSearchMatch(name=each['name'], description=each.get('description'))
            for each in inner
            if isinstance(each.get('name'), str)
        ]
    return [
        NativeToolSearchReturnPart(
            content=ToolSearchReturnContent(discovered_tools=matches),
            tool_call_id=call_id,
            provider_name=provider,
            provider_details={'status': item.get('status')},
        )
    ]


def _texts(item: JsonObject, provider: str, details: JsonObject, annotations: bool) -> list[Any]:
    parts: list[Any] = []
    for content in map(as_dict, as_list(item.get('content'))):
        if content.get('type') == 'refusal':
            details['refusal'] = content.get('refusal')
        elif content.get('type') == 'output_text':
            more = text_details(item, content, annotations)
            text = str(content.get('text') or '')
            own, citations = cited_marks(as_list(content.get('annotations')))
            more = {**(more or {}), **own} if own else more
            parts.append(
                TextPart(text, id=item.get('id'), provider_name=provider, provider_details=more, citations=citations)
            )
    return parts


def text_details(item: JsonObject, content: JsonObject, annotations: bool) -> JsonObject | None:
    """Return the details of a text."""
    details: JsonObject = {}
    if logprobs := as_list(content.get('logprobs')):
        details['logprobs'] = logprobs
    if annotations and (notes := as_list(content.get('annotations'))):
        details['annotations'] = notes
    if phase := item.get('phase'):
        details['phase'] = phase
    return details or None


def _thinking(item: JsonObject, provider: str) -> list[Any]:
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


def raw_thinking(item: JsonObject) -> JsonObject | None:
    """Return the raw thinking, which open models send."""
    raw = [as_dict(content).get('text') for content in as_list(item.get('content'))]
    return {'raw_content': raw} if raw else None


def native_call(item: JsonObject, provider: str) -> NativeToolCallPart | None:
    """Return the call in the item of a native tool; `None` if the tool is unknown."""
    kind, call_id = str(item.get('type')), str(item.get('id'))
    arguments: JsonObject | None = None
    own_id: str | None = None
    if kind == 'web_search_call':
        name, own_id = 'web_search', call_id
        arguments = {key: value for key, value in as_dict(item.get('action')).items() if key != 'sources'} or None
    elif kind == 'file_search_call':
        name, arguments, own_id = 'file_search', {'queries': item.get('queries')}, call_id
    elif kind == 'code_interpreter_call':
        name, arguments = 'code_execution', {'container_id': item.get('container_id'), 'code': item.get('code') or ''}
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


def _arguments(item: JsonObject) -> Any:
    from pydantic_core import from_json

    try:
        return from_json(item.get('arguments') or '{}')
    except ValueError:
        return {}


def files_of(item: JsonObject) -> list[FilePart]:
    """Return the images that a native tool generated."""
    kind, item_id = item.get('type'), item.get('id')
    if kind == 'image_generation_call' and isinstance(data := item.get('result'), str):
        return [image_part(data, str(item.get('output_format') or 'png'), item_id)]
    if kind != 'code_interpreter_call':
        return []
    urls = [as_dict(output).get('url') for output in as_list(item.get('outputs'))]
    images = [BinaryContent.from_data_uri(url) for url in urls if isinstance(url, str) and url.startswith('data:')]
    return [FilePart(BinaryContent.narrow_type(content), id=item_id) for content in images]


def image_part(data: str, image_format: str, item_id: str | None) -> FilePart:
    """Return the part for an image in base64."""
    content = BinaryImage(base64.b64decode(data), media_type=f'image/{image_format}')
    return FilePart(content, id=item_id)


def native_return(item: JsonObject, provider: str) -> NativeToolReturnPart:
    """Return the result in the item of a native tool."""
    kind, call_id = item.get('type'), str(item.get('id'))
    content: JsonObject = {'status': item.get('status')}
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


def usage_of(usage: object) -> RequestUsage:
    """Return the usage that a response reports."""
    counts = as_dict(usage)
    input_details = as_dict(counts.get('input_tokens_details'))
    output_details = as_dict(counts.get('output_tokens_details'))
    return RequestUsage(
        input_tokens=as_count(counts.get('input_tokens')),
        output_tokens=as_count(counts.get('output_tokens')),
        cache_read_tokens=as_count(input_details.get('cached_tokens')),
        cache_write_tokens=as_count(input_details.get('cache_write_tokens')),
        output_reasoning_tokens=as_count(output_details.get('reasoning_tokens')),
        details={name: count for name, count in output_details.items() if isinstance(count, int) and count >= 0},
    )
