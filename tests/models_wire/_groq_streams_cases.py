"""Answers of Groq that stream."""

from __future__ import annotations

from typing import Any

from _groq_answers_cases import GENERATIONS, PYTHON, SEARCH
from _groq_bodies import MODEL, USAGE, completion
from _vocabulary import WITH_OUTPUT, WITH_TOOLS, WITH_TOOLS_AND_OUTPUT, Cases, Parameters
from _wire import Cut, Reset, as_json, as_sse

from stead.native_tools import WebSearchTool
from stead.profiles import ModelProfile

cases = Cases(MODEL, completion)
case = cases.add


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
NOTHING_YET = {**SEARCH, 'output': '', 'search_results': {'results': []}}
for name, *found in (
    ('late', NOTHING_YET, SEARCH),
    ('text', {**SEARCH, 'search_results': {'results': []}}),
    ('nothing', NOTHING_YET),
):
    stream(
        f'searched_{name}',
        chunk({'executed_tools': [SEARCHING]}),
        *(chunk({'executed_tools': [item]}) for item in found),
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
stream(
    'created_moves',
    chunk({'content': 'a'}, created=1_700_000_005),
    chunk({'content': 'b'}, created=1_700_000_009),
    LAST,
)
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
