"""Requests to Groq and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import groq
from _facts import facts
from _requests import REQUESTS
from _vocabulary import WITH_OUTPUT, WITH_TOOLS, WITH_TOOLS_AND_OUTPUT, Cases, Parameters
from _wire import Cut, Reply, Reset, Wire, as_json, as_sse

from stead.models.groq import GroqModel
from stead.native_tools import WebSearchTool
from stead.profiles import ModelProfile
from stead.providers.groq import GroqProvider

MODEL = 'llama-3.3-70b-versatile'
USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15, 'prompt_time': 0.1, 'queue_time': 0.2}


def completion(message: Any = None, finish: str = 'stop', **fields: Any) -> Reply:
    message = {'role': 'assistant', **({'content': 'hi'} if message is None else message)}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1700000000, 'model': 'llama-x-2024'}
    choice = {'index': 0, 'message': message, 'finish_reason': finish, 'logprobs': None}
    return as_json({**head, 'choices': [choice], 'usage': USAGE, 'x_groq': {'id': 'req_1'}, **fields})


cases = Cases(MODEL, completion)
case = cases.add
for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
NATIVE = (
    'output_native',
    'output_native_and_tool',
    'output_prompted',
    'output_prompted_and_tool',
    'output_tools',
    'tools',
)
for name in NATIVE:
    for model in ('moonshotai/kimi-k2-instruct-0905', 'openai/gpt-oss-120b', 'compound-beta'):
        case(f'{name}/{model}', *REQUESTS[name], model=model)
for name in ('native_web_search', 'system_later', 'plain'):
    case(f'{name}/compound', *REQUESTS[name], model='compound-beta')
for level in (True, False, 'high'):
    for model in ('qwen/qwen3-32b', 'deepseek-r1-distill-llama-70b', 'openai/gpt-oss-120b'):
        case(f'thinks_{level}/{model}', settings={'thinking': level}, model=model)
    case(f'thinks_{level}/able', settings={'thinking': level}, profile=ModelProfile(supports_thinking=True))
    case(
        f'thinks_{level}/raw',
        settings={'thinking': level, 'groq_reasoning_format': 'raw'},
        profile=ModelProfile(supports_thinking=True),
    )
for form in ('hidden', 'raw', 'parsed'):
    case(f'reasoning_{form}', settings={'groq_reasoning_format': form})
for tier in ('auto', 'default', 'flex', 'priority'):
    case(f'tier_{tier}', settings={'service_tier': tier})


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


def chunk(delta: Any = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1700000000, 'model': 'llama-x-2024'}
    choice = {'index': 0, 'delta': delta or {}, 'finish_reason': finish, 'logprobs': None}
    return {**head, 'choices': [choice], **fields}


FIRST = chunk({'role': 'assistant', 'content': ''}, x_groq={'id': 'req_1'})
LAST = chunk(None, 'stop', x_groq={'id': 'req_1', 'usage': USAGE})


def stream(
    name: str, *events: Any, done: bool = True, params: Any = None, model: str = MODEL, profile: Any = None
) -> None:
    case(f's_{name}', params=params, model=model, profile=profile, reply=as_sse(events, done=done))


def piece(place: int, call_id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    return {
        'tool_calls': [
            {'index': place, 'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}
        ]
    }


CALLED = chunk(None, 'tool_calls', x_groq={'id': 'req_1', 'usage': USAGE})
stream('text', FIRST, chunk({'content': 'he'}), chunk({'content': 'llo'}), LAST)
stream('usage_top', chunk({'content': 'he'}), chunk(None, 'stop', usage=USAGE))
stream('usage_both', chunk({'content': 'he'}), chunk(None, 'stop', usage=USAGE, x_groq={'id': 'r', 'usage': USAGE}))
stream('usage_alone', chunk({'content': 'he'}), chunk(None, 'stop'), {**chunk(), 'choices': [], 'usage': USAGE})
stream('usage_twice', chunk({'content': 'he'}, x_groq={'id': 'r', 'usage': USAGE}), LAST)
stream('no_usage', chunk({'content': 'he'}), chunk(None, 'stop'))
stream('not_done', chunk({'content': 'he'}), LAST, done=False)
stream('nothing')
stream('only_end', LAST)
stream('role_only', FIRST, LAST)
stream('space', chunk({'content': '\n'}), chunk({'content': 'he'}), LAST)
stream('space/qwen', chunk({'content': '\n'}), chunk({'content': 'he'}), LAST, model='qwen/qwen3-32b')
for reason in ('length', 'tool_calls', 'content_filter', 'function_call', 'bored'):
    stream(f'finish_{reason}', chunk({'content': 'he'}), chunk(None, reason, x_groq={'id': 'r', 'usage': USAGE}))
stream(
    'reasoning',
    chunk({'reasoning': 'h'}),
    chunk({'reasoning': 'm'}),
    chunk({'content': 'a'}),
    chunk({'content': 'b'}),
    LAST,
)
stream('reasoning_and_text', chunk({'reasoning': 'h', 'content': 'a'}), LAST)
stream(
    'reasoning_again',
    chunk({'reasoning': 'h'}),
    chunk({'content': 'a'}),
    chunk({'reasoning': 'm'}),
    chunk({'content': 'b'}),
    LAST,
)
stream('reasoning_empty', chunk({'reasoning': '', 'content': 'a'}), LAST)
stream('reasoning_and_call', chunk({'reasoning': 'h'}), chunk(piece(0, 'i1', 't1', '{}')), CALLED, params=WITH_TOOLS)
stream(
    'tags',
    chunk({'content': '<think>'}),
    chunk({'content': 'hm'}),
    chunk({'content': '</think>'}),
    chunk({'content': 'a'}),
    LAST,
)
stream('tags_inline', chunk({'content': '<think>hm</think>a'}), LAST)
stream(
    'tags_other',
    chunk({'content': '<t>'}),
    chunk({'content': 'hm'}),
    chunk({'content': '</t>'}),
    chunk({'content': 'a'}),
    LAST,
    profile=ModelProfile(thinking_tags=('<t>', '</t>')),
)
stream(
    'calls',
    chunk(piece(0, 'i1', 't1', '')),
    chunk(piece(0, None, None, '{"x"')),
    chunk(piece(0, None, None, ':1}')),
    chunk(piece(1, 'i2', 't2', '{}')),
    CALLED,
    params=WITH_TOOLS,
)
stream('calls_text', chunk({'content': 'well'}), chunk(piece(0, 'i1', 't1', '{"x":1}')), CALLED, params=WITH_TOOLS)
stream('calls_no_id', chunk(piece(0, None, 't1', '{}')), CALLED, params=WITH_TOOLS)
stream(
    'calls_together',
    chunk({'tool_calls': [*piece(0, 'i1', 't1', '{}')['tool_calls'], *piece(1, 'i2', 't2', '{}')['tool_calls']]}),
    CALLED,
    params=WITH_TOOLS,
)
stream('output', chunk(piece(0, 'i1', 'final_result', '{"x":1}')), CALLED, params=WITH_OUTPUT)
SEARCHING = {'index': 0, 'type': 'search', 'arguments': '{"query": "q"}'}
stream(
    'searched',
    chunk({'executed_tools': [SEARCHING]}),
    chunk({'executed_tools': [SEARCH]}),
    chunk({'content': 'a'}),
    LAST,
    model='compound-beta',
)
stream(
    'searched_same',
    chunk({'executed_tools': [SEARCHING]}),
    chunk({'executed_tools': [SEARCHING]}),
    chunk({'executed_tools': [SEARCH]}),
    chunk({'executed_tools': [SEARCH]}),
    chunk({'content': 'a'}),
    LAST,
    model='compound-beta',
)
stream('searched_at_once', chunk({'executed_tools': [SEARCH]}), chunk({'content': 'a'}), LAST, model='compound-beta')
stream(
    'searched_thinking',
    chunk({'reasoning': 'h'}),
    chunk({'executed_tools': [SEARCHING], 'reasoning': 'x'}),
    chunk({'executed_tools': [SEARCH]}),
    chunk({'reasoning': 'm'}),
    chunk({'content': 'a'}),
    LAST,
    model='compound-beta',
)
stream(
    'searched_twice',
    chunk({'executed_tools': [SEARCHING]}),
    chunk({'executed_tools': [SEARCH]}),
    chunk({'executed_tools': [{**SEARCHING, 'index': 1}]}),
    chunk({'executed_tools': [{**SEARCH, 'index': 1}]}),
    chunk({'content': 'a'}),
    LAST,
    model='compound-beta',
)
stream(
    'searched_two',
    chunk({'executed_tools': [SEARCHING, {**SEARCHING, 'index': 1}]}),
    chunk({'executed_tools': [SEARCH, {**SEARCH, 'index': 1}]}),
    chunk({'content': 'a'}),
    LAST,
    model='compound-beta',
)
stream(
    'searched_no_output', chunk({'executed_tools': [SEARCHING]}), chunk({'content': 'a'}), LAST, model='compound-beta'
)
stream(
    'searched_unasked',
    chunk({'executed_tools': [SEARCHING]}),
    chunk({'executed_tools': [SEARCH]}),
    chunk({'content': 'a'}),
    LAST,
)
stream(
    'searched_asked',
    chunk({'executed_tools': [SEARCHING]}),
    chunk({'executed_tools': [SEARCH]}),
    chunk({'content': 'a'}),
    LAST,
    params=Parameters(native_tools=[WebSearchTool()]),
)
stream(
    'python',
    chunk({'executed_tools': [{**PYTHON, 'output': None}]}),
    chunk({'executed_tools': [PYTHON]}),
    chunk({'content': 'a'}),
    LAST,
    model='compound-beta',
)
stream('model_empty', chunk({'content': 'a'}, model=''), chunk({'content': 'b'}, model='real'), LAST)
stream('null_choices', chunk({'content': 'a'}), chunk(choices=None), LAST)
stream('no_created', chunk({'content': 'a'}, created=None), LAST)
stream('error', chunk({'content': 'a'}), {'error': {'message': 'boom', 'type': 't'}})
stream('malformed', chunk({'content': 'a'}), b'data: {bad\n\n')
stream('reset', chunk({'content': 'a'}), Reset())
stream('cut', chunk({'content': 'a'}), Cut())
FAILED = {
    'error': {'message': 'Failed to call a function.', 'type': 'invalid_request_error', 'code': 'tool_use_failed'}
}
FAILS = ('call', 'text', 'unknown_call', 'output', 'broken', 'list', 'list_parameters')
READ = [name for name, generation in GENERATIONS.items() if generation is not None]
for name in FAILS:
    event = {'error': {**FAILED['error'], 'failed_generation': GENERATIONS[name], 'status_code': 400}}
    stream(f'fails_{name}', event, done=False, params=WITH_TOOLS_AND_OUTPUT)
    stream(f'fails_later_{name}', FIRST, chunk({'content': 'well'}), event, done=False, params=WITH_TOOLS_AND_OUTPUT)
stream(
    'fails_thinking',
    FIRST,
    chunk({'reasoning': 'hm'}),
    {'error': {**FAILED['error'], 'failed_generation': GENERATIONS['call']}},
    done=False,
    params=WITH_TOOLS_AND_OUTPUT,
)
stream(
    'fails_named',
    chunk({'reasoning': 'hm'}),
    b'event: error\ndata: {"error": {"message": "m", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "{\\"name\\": \\"t1\\", \\"arguments\\": {\\"x\\": 1}}"}}\n\n',
    done=False,
    params=WITH_TOOLS_AND_OUTPUT,
)
case('s_429', reply=as_json({'error': {'message': 'slow'}}, 429, {'retry-after': '3'}))
case('s_not_a_stream', reply=as_json({'id': 'x'}))


# What is better here than there: calls in more shapes are read of what Groq refuses, also where a stream begins with it;
# usage is read wherever it is and not added up; text files are sent; what is empty, missing or odd breaks nothing.
BETTER = {
    'answer_of_nothing',
    'image_bytes_detail',
    'image_detail',
    'r_calls_no_id',
    'r_failed_call_text_arguments',
    'r_failed_list',
    'r_failed_list_parameters',
    'r_failed_parameters',
    'r_failed_two',
    'r_finish_null',
    'r_full_usage',
    'r_reasoning_empty',
    'r_searched_text_args',
    's_fails_later_list',
    's_fails_later_list_parameters',
    's_model_empty',
    's_no_created',
    's_null_choices',
    's_reasoning_empty',
    's_searched_at_once',
    's_searched_same',
    's_usage_alone',
    's_usage_top',
    's_usage_twice',
    'text_bytes',
}
cases.drop((*BETTER, *(f's_fails_{name}' for name in FAILS), *(f's_failed_{name}' for name in READ)))


def client_of(wire: Wire) -> groq.AsyncGroq:
    return groq.AsyncGroq(base_url=wire.url, api_key='k', max_retries=0)


async def run(name: str, wire: Wire, client: groq.AsyncGroq) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = GroqModel(model_name, provider=GroqProvider(groq_client=client), profile=profile)
    found = await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
    for sent in found['sent']:
        if sent['body'].get('n') == 1:  # one answer is what comes anyway
            del sent['body']['n']
    return found
