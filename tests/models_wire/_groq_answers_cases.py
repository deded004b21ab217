"""Answers of Groq that come whole, and its refusals."""

from __future__ import annotations

from typing import Any

from _groq_bodies import MODEL, USAGE, completion
from _vocabulary import WITH_TOOLS, WITH_TOOLS_AND_OUTPUT, Cases, Parameters
from _wire import Reply, as_json

from stead.native_tools import WebSearchTool

cases = Cases(MODEL, completion)
case = cases.add


def answer(
    name: str,
    message: Any = None,
    finish: str = 'stop',
    *,
    model: str = MODEL,
    profile: Any = None,
    params: Any = None,
    **fields: Any,
) -> None:
    case(f'r_{name}', params=params, model=model, profile=profile, reply=completion(message, finish, **fields))


def call(name: str, arguments: Any, call_id: str | None = 'i1', **more: Any) -> dict[str, Any]:
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}, **more}


SEARCH = {
    'index': 0,
    'type': 'search',
    'arguments': '{"query": "q"}',
    'output': 'Title: t',
    'search_results': {'results': [{'title': 't', 'url': 'u', 'content': 'c', 'score': 0.9}], 'images': None},
}
PYTHON = {
    'index': 1,
    'type': 'python',
    'arguments': '{"code": "1+1"}',
    'output': '2',
    'search_results': {'results': []},
}
answer('null', {'content': None})
answer('empty', {'content': ''})
answer('reasoning', {'content': 'a', 'reasoning': 'hmm'})
answer('reasoning_only', {'content': None, 'reasoning': 'hmm'})
answer('reasoning_empty', {'content': 'a', 'reasoning': ''})
answer('reasoning_and_call', {'content': None, 'reasoning': 'hmm', 'tool_calls': [call('t1', '{}')]}, 'tool_calls')
answer('think_tags', {'content': '<think>hm</think>\nanswer<think>x</think> b'})
answer('think_open', {'content': '<think>hm'})
answer('think_first', {'content': 'a<think>hm</think>'})
answer('calls', {'content': None, 'tool_calls': [call('t1', '{"x":1}'), call('t2', '{}', 'i2')]}, 'tool_calls')
answer('calls_text', {'content': 'well', 'tool_calls': [call('t1', '{"x":1}')]}, 'tool_calls')
answer('calls_broken', {'content': None, 'tool_calls': [call('t1', '{"x":')]}, 'tool_calls')
answer('calls_no_id', {'content': None, 'tool_calls': [call('t1', '{}', None)]}, 'tool_calls')
answer('searched', {'content': 'a', 'executed_tools': [SEARCH]})
answer('searched/compound', {'content': 'a', 'executed_tools': [SEARCH]}, model='compound-beta')
answer(
    'searched_on_request',
    {'content': 'a', 'executed_tools': [SEARCH]},
    params=Parameters(native_tools=[WebSearchTool()]),
)
answer(
    'searched_and_thought',
    {'content': 'a', 'reasoning': 'hm', 'executed_tools': [SEARCH, PYTHON]},
    model='compound-beta',
)
answer('python/compound', {'content': 'a', 'executed_tools': [PYTHON]}, model='compound-beta')
answer('python', {'content': 'a', 'executed_tools': [PYTHON]})
answer(
    'unknown_tool',
    {'content': 'a', 'executed_tools': [{'index': 0, 'type': 'browse', 'arguments': '{}', 'output': 'o'}]},
    model='compound-beta',
)
answer(
    'searched_no_results',
    {'content': 'a', 'executed_tools': [{'index': 0, 'type': 'search', 'arguments': '{}'}]},
    model='compound-beta',
)
answer('searched_twice', {'content': 'a', 'executed_tools': [SEARCH, {**SEARCH, 'index': 1}]}, model='compound-beta')
answer(
    'searched_text_args',
    {'content': 'a', 'executed_tools': [{**SEARCH, 'arguments': 'no json'}]},
    model='compound-beta',
)
answer('searched_none', {'content': 'a', 'executed_tools': []}, model='compound-beta')
for reason in ('stop', 'length', 'tool_calls', 'content_filter', 'function_call', 'bored'):
    answer(f'finish_{reason}', {'content': 'a'}, reason)
answer('finish_null', {'content': 'a'}, None)  # type: ignore[arg-type]
answer('no_usage', usage=None)
answer('zero_usage', usage={'prompt_tokens': 0, 'completion_tokens': 0, 'total_tokens': 0})
answer(
    'full_usage',
    usage={
        **USAGE,
        'prompt_tokens_details': {'cached_tokens': 3},
        'completion_tokens_details': {'reasoning_tokens': 2},
    },
)
answer('no_id', id='')
answer('no_created', created=None)
answer('tier', service_tier='flex', system_fingerprint='fp', usage_breakdown={'models': []})
answer('no_choices', choices=[])
answer('null_choices', choices=None)
answer('annotations', {'content': 'a', 'annotations': [{'type': 'document_citation'}]})
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_string', reply=as_json('hello'))
case('r_list', reply=as_json([]))
for status in (400, 401, 413, 429, 498, 500, 503):
    case(f'r_{status}', reply=as_json({'error': {'message': 'bad', 'type': 't', 'code': 'c'}}, status))
case('r_400_text', reply=Reply(400, {}, [b'plain text'], 'text/plain'))


def failed(generation: str | None, **fields: Any) -> Reply:
    """A call of a tool that Groq could not read, or that does not fit its schema."""
    error = {'message': 'Failed to call a function.', 'type': 'invalid_request_error', 'code': 'tool_use_failed'}
    return as_json({'error': {**error, 'failed_generation': generation, **fields}}, 400)


GENERATIONS = {
    'call': '{"name": "t1", "arguments": {"x": "a"}}',
    'call_text_arguments': '{"name": "t1", "arguments": "{}"}',
    'call_no_arguments': '{"name": "t1"}',
    'parameters': '{"name": "t1", "parameters": {"x": "a"}}',
    'unknown_call': '{"name": "t9", "arguments": {"x": 1}}',
    'null_arguments': '{"name": "t1", "arguments": null}',
    'list': '[{"name": "t1", "arguments": {"x": "a"}}]',
    'list_parameters': '[{"name": "t1", "parameters": {"x": "a"}}]',
    'two': '[{"name": "t1", "arguments": {"x": "a"}}, {"name": "t2", "arguments": {}}]',
    'tool_calls': '{"tool_calls": [{"name": "t1", "arguments": {}}]}',
    'text': 'I would call t1',
    'tag': '<function=t1>{"x": "a"}</function>',
    'tagged': '<tool-use>{"tool_call": {"id": "pending", "type": "function", "function": {"name": "t1"}}}</tool-use>',
    'broken': '{"name": "t1", "arguments": {"x": ',
    'output': '{"name": "final_result", "arguments": {"x": "a"}}',
    'json': '{"x": 1}',
    'number': '1',
    'empty': '',
    'null': None,
    'spaced': '\n {"name": "t1", "arguments": {"x": "a"}} \n',
    'more': '{"name": "t1", "arguments": {"x": "a"}, "id": "i"}',
    'number_name': '{"name": 1, "arguments": {"x": "a"}}',
}
for name, generation in GENERATIONS.items():
    case(f'r_failed_{name}', params=WITH_TOOLS_AND_OUTPUT, reply=failed(generation))
    case(f's_failed_{name}', params=WITH_TOOLS_AND_OUTPUT, reply=failed(generation))
case('r_failed_no_tools', reply=failed(GENERATIONS['call']))
case('r_failed_text_no_tools', reply=failed(GENERATIONS['text']))
case(
    'r_failed_no_generation',
    params=WITH_TOOLS,
    reply=as_json({'error': {'message': 'm', 'code': 'tool_use_failed'}}, 400),
)
case(
    'r_failed_bare',
    params=WITH_TOOLS,
    reply=as_json(
        {'error': {'message': 'm', 'code': 'tool_use_failed', 'failed_generation': GENERATIONS['call']}}, 400
    ),
)
case('r_failed_type', params=WITH_TOOLS, reply=failed(GENERATIONS['call'], type='other'))
case(
    'r_failed_validation',
    params=WITH_TOOLS,
    reply=failed(
        GENERATIONS['call'],
        message='tool call validation failed: parameters for tool t1 did not match schema: errors: [`/x`: expected integer, but got string]',
    ),
)
case('r_failed_other_code', params=WITH_TOOLS, reply=failed(GENERATIONS['call'], code='json_validate_failed'))
case(
    'r_failed_top',
    params=WITH_TOOLS,
    reply=as_json({'message': 'm', 'code': 'tool_use_failed', 'failed_generation': GENERATIONS['call']}, 400),
)
case('r_failed_422', params=WITH_TOOLS, reply=Reply(422, {}, failed(GENERATIONS['call']).pieces))
