"""Deferred tools, and the searches that find them, with providers that search themselves; see `record.py`."""

from __future__ import annotations

import json
from typing import Any

from _facts import show
from _vendors import (
    Cases,
    Clients,
    added,
    done,
    message,
    message_stream,
    response,
    response_stream,
    text_answer,
    text_item,
    whole,
)
from _vocabulary import Parameters, request_of, response_of
from _wire import Wire

from stead import Agent
from stead.capabilities import Capability, ToolSearch
from stead.messages import (
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
)
from stead.native_tools import WebSearchTool
from stead.tools import ToolDefinition

SCHEMA: dict[str, Any] = {'type': 'object', 'properties': {'x': {'type': 'integer'}}, 'required': ['x']}
QUERIES: dict[str, Any] = {
    'type': 'object',
    'properties': {'queries': {'type': 'array', 'items': {'type': 'string'}}},
    'required': ['queries'],
}


def tool(name: str, **more: Any) -> ToolDefinition:
    return ToolDefinition(name=name, description=f'does {name}', parameters_json_schema=SCHEMA, **more)


def hidden(name: str, **more: Any) -> ToolDefinition:
    return tool(name, with_native='tool_search', defer_loading=True, **more)


def search(strategy: Any = 'custom', **more: Any) -> ToolDefinition:
    return ToolDefinition(
        name='search_tools',
        description='finds tools',
        parameters_json_schema=QUERIES,
        unless_native=None if strategy == 'custom' else 'tool_search',
        tool_kind='tool-search',
        **more,
    )


def provided(strategy: Any) -> list[Any]:
    """The search of the provider; with a strategy of our own it leaves the searching to `search_tools`."""
    return list(ToolSearch(strategy='keywords' if strategy == 'custom' else strategy).get_native_tools())


def params(strategy: Any = None, *tools: ToolDefinition, **more: Any) -> Parameters:
    functions = [tool('plain'), hidden('far'), hidden('away', strict=True), search(strategy), *tools]
    return Parameters(function_tools=functions, native_tools=provided(strategy), **more)


FOUND: Any = {'discovered_tools': [{'name': 'far', 'description': 'does far'}]}
NOTHING: Any = {'discovered_tools': [], 'message': 'nothing there'}


def local(content: Any, *, typed: bool = True) -> list[Any]:
    """A history in which the function `search_tools` was called."""
    args: Any = {'queries': ['far']}
    if typed:
        return [
            request_of('find'),
            response_of(ToolSearchCallPart(args=args, tool_call_id='s1'), provider_name='openai'),
            request_of(ToolSearchReturnPart(content=content, tool_call_id='s1')),
        ]
    called = response_of(ToolCallPart('search_tools', args, 's1'), provider_name='openai')
    return [request_of('find'), called, request_of(ToolReturnPart('search_tools', content, 's1'))]


def native(provider: str, content: Any = FOUND, details: Any = None, args: Any = None) -> list[Any]:
    """A history in which the provider searched."""
    call = NativeToolSearchCallPart(
        args={'queries': ['far']} if args is None else args,
        tool_call_id='n1',
        provider_name=provider,
        provider_details=details,
    )
    back = NativeToolSearchReturnPart(
        content=content, tool_call_id='n1', provider_name=provider, provider_details=details
    )
    return [request_of('find'), response_of(call, back, 'found it', provider_name=provider), request_of('go on')]


cases = Cases()
MODELS = {'anthropic': 'claude-sonnet-4-5', 'responses': 'gpt-5.4'}
for vendor, model in MODELS.items():
    case, own = cases.add, 'anthropic' if vendor == 'anthropic' else 'openai'
    for strategy in (None, 'bm25', 'regex', 'custom'):
        if vendor == 'anthropic' or strategy not in ('bm25', 'regex'):
            case(f'{vendor}/{strategy}', params=params(strategy), model=model)
    case(f'{vendor}/discovered', params=params(None, tool('seen', with_native='tool_search')), model=model)
    case(f'{vendor}/discovered_c', params=params('custom', tool('seen', with_native='tool_search')), model=model)
    more = Parameters(function_tools=[hidden('far')], native_tools=[WebSearchTool(), *provided('custom')])
    case(f'{vendor}/beside', params=more, model=model)
    for choice in ('required', 'none', 'auto', ['far'], ['search_tools'], ['plain', 'far']):
        name = choice if isinstance(choice, str) else '+'.join(choice)
        if vendor == 'anthropic' or len(choice) != 2:  # the reference sends allowed tools in any order
            case(f'{vendor}/choice_{name}', params=params('custom'), settings={'tool_choice': choice}, model=model)
            if 'search_tools' not in choice:
                case(f'{vendor}/choice_n_{name}', params=params(None), settings={'tool_choice': choice}, model=model)
    for strategy in ('custom', None):
        for what, content in {'found': FOUND, 'nothing': NOTHING, 'empty': {'discovered_tools': []}}.items():
            case(f'{vendor}/local_{what}_{strategy}', local(content), params(strategy), model=model)
    case(f'{vendor}/local_without', local(FOUND), Parameters(function_tools=[tool('plain'), tool('far')]), model=model)
    case(
        f'{vendor}/local_unknown',
        local({'discovered_tools': [{'name': 'gone', 'description': None}]}),
        params('custom'),
        model=model,
    )
    case(f'{vendor}/local_untyped', local(FOUND, typed=False), params('custom'), model=model)
    retry = [*local(FOUND)[:2], request_of(RetryPromptPart('no', tool_name='search_tools', tool_call_id='s1'))]
    case(f'{vendor}/local_retry', retry, params('custom'), model=model)
    for provider in ('anthropic', 'openai', 'google'):
        case(f'{vendor}/native_{provider}', native(provider), params(None), model=model)
        case(f'{vendor}/native_c_{provider}', native(provider), params('custom'), model=model)
    case(f'{vendor}/native_nothing', native(own, NOTHING), params(None), model=model)
    case(f'{vendor}/native_off', native(own), Parameters(function_tools=[tool('far')]), model=model)
case(
    'anthropic/local_old',
    local(FOUND),
    Parameters(function_tools=[tool('far'), search()]),
    model='claude-3-haiku-20240307',
)
case('responses/local_old', local(FOUND), Parameters(function_tools=[tool('far'), search()]), model='gpt-5')
case('chat/local', local(FOUND), Parameters(function_tools=[tool('far'), search()]))
case('chat/native', native('openai'), Parameters(function_tools=[tool('far'), search()]))

# Histories that say more.
for name, details, args in (
    ('regex', {'strategy': 'regex'}, None),
    ('many', {'strategy': 'bm25'}, {'queries': ['far', 'away']}),
    ('many_regex', {'strategy': 'regex'}, {'queries': ['far', 'away']}),
    ('none', None, {'queries': []}),
    ('text', None, '{"queries":["far"]}'),
    ('raw', None, '{"query":"far"}'),
    ('raw_regex', {'strategy': 'regex'}, '{"pattern":"far"}'),
    ('broken', None, '{"queries":["f'),
    ('failed', {'error_code': 'unavailable', 'error_message': 'gone'}, None),
    ('status', {'status': 'incomplete'}, None),
):
    for vendor, model in MODELS.items():
        own = 'anthropic' if vendor == 'anthropic' else 'openai'
        case(f'{vendor}/native_{name}', native(own, details=details, args=args), params(None), model=model)
again = [*native('anthropic', FOUND), *native('anthropic', FOUND)[1:]]
case('anthropic/native_again', again, params(None))
case(
    'anthropic/native_gone',
    native('anthropic', {'discovered_tools': [{'name': 'gone', 'description': None}]}),
    params(None),
)
used = [
    request_of('go'),
    response_of(
        ToolCallPart('far', '{"x":1}', 'c1', provider_details={'namespace': 'space'}, provider_name='openai'),
        ToolCallPart('far', '{"x":2}', 'c2'),
        ToolCallPart('plain', '{"x":3}', 'c3'),
        ToolCallPart('seen', '{"x":3}', 'c4', provider_name='openai', id='fc_4'),
        ToolCallPart('gone', '{"x":3}', 'c5', provider_name='openai', provider_details={'namespace': 'gone'}),
        ToolCallPart('far', '{"x":1}', 'c6', provider_details={'namespace': 'other'}, provider_name='google'),
        provider_name='openai',
    ),
    request_of(*(ToolReturnPart('far', 1, f'c{number}') for number in range(1, 7))),
]
seen = tool('seen', with_native='tool_search')
case('responses/used', used, params(None, seen), model='gpt-5.4')
case('responses/used_custom', used, params('custom', seen), model='gpt-5.4')
case('responses/used_off', used, Parameters(function_tools=[tool('far'), seen, tool('plain')]), model='gpt-5.4')
case('responses/used_old', used, Parameters(function_tools=[tool('far'), seen, tool('plain')]), model='gpt-5')
ids = {'openai_send_reasoning_ids': False}
case('responses/used_no_ids', used, params(None, seen), ids, model='gpt-5.4')
case('responses/native_no_ids', native('openai'), params(None), ids, model='gpt-5.4')
case('responses/local_no_ids', local(FOUND), params('custom'), ids, model='gpt-5.4')
case('responses/previous', native('openai'), params(None), {'openai_previous_response_id': 'auto'}, model='gpt-5.4')

# Answers.
SEARCHED: Any = {'type': 'server_tool_use', 'id': 'srv_1', 'name': 'tool_search_tool_bm25', 'input': {'query': 'far'}}
REFERENCE: Any = {'type': 'tool_reference', 'tool_name': 'far'}


def searched(name: str = 'bm25', **tool_input: Any) -> Any:
    return {**SEARCHED, 'name': f'tool_search_tool_{name}', 'input': tool_input}


def result(*found: Any, **content: Any) -> Any:
    inner = content or {'type': 'tool_search_tool_search_result', 'tool_references': list(found)}
    return {'type': 'tool_search_tool_result', 'tool_use_id': 'srv_1', 'content': inner}


FAILED: Any = {'type': 'tool_search_tool_result_error', 'error_code': 'unavailable', 'error_message': 'gone'}
ANSWERS = {
    'bm25': [SEARCHED, result(REFERENCE)],
    'regex': [searched('regex', pattern='f.*'), result(REFERENCE)],
    'regex_q': [searched('regex', query='f.*'), result(REFERENCE)],
    'limit': [searched(query='far', limit=3), result(REFERENCE, {**REFERENCE, 'tool_name': 'away'})],
    'bare': [searched(), result()],
    'failed': [SEARCHED, result(**FAILED)],
}
for name, blocks in ANSWERS.items():
    blocks = [*blocks, {'type': 'text', 'text': 'hi'}]
    case(f'anthropic/r_{name}', params=params(None), reply=message(*blocks))
    beginning = {'type': 'input_json_delta', 'partial_json': json.dumps(blocks[0]['input'])[:5]}
    rest = {'type': 'input_json_delta', 'partial_json': json.dumps(blocks[0]['input'])[5:]}
    stream = message_stream([{**blocks[0], 'input': {}}, beginning, rest], *([block] for block in blocks[1:]))
    case(f'anthropic/s_{name}', params=params(None), reply=stream)
called: Any = {'type': 'tool_use', 'id': 'tu_1', 'name': 'search_tools', 'input': {'queries': ['far']}}
case('anthropic/r_custom', params=params('custom'), reply=message(called))
delta = {'type': 'input_json_delta', 'partial_json': '{"queries":["far"]}'}
case('anthropic/s_custom', params=params('custom'), reply=message_stream([{**called, 'input': {}}, delta]))

CALL: Any = {'type': 'tool_search_call', 'id': 'tsc_1', 'call_id': None, 'execution': 'server', 'status': 'completed'}
CALL['arguments'] = {'paths': ['far']}
FAR: Any = {'type': 'function', 'name': 'far', 'description': 'does far', 'parameters': SCHEMA, 'strict': True}
FAR['defer_loading'] = True
OUTPUT: Any = {'type': 'tool_search_output', 'id': 'tso_1', 'call_id': None, 'execution': 'server', 'tools': [FAR]}
OUTPUT['status'] = 'completed'
CLIENT: Any = {**CALL, 'execution': 'client', 'call_id': 'call_1', 'arguments': {'queries': ['far']}}
USE: Any = {'type': 'function_call', 'id': 'fc_1', 'call_id': 'call_2', 'name': 'far', 'arguments': '{"x":1}'}
SPACE = {'type': 'namespace', 'name': 'all', 'description': 'd', 'tools': [FAR]}
ITEMS = {
    'server': [CALL, OUTPUT],
    'ids': [{**CALL, 'call_id': 'call_1'}, {**OUTPUT, 'call_id': 'call_1'}],
    'queries': [{**CALL, 'arguments': {'queries': ['far']}}, OUTPUT],
    'bare': [{**CALL, 'arguments': {}}, {**OUTPUT, 'tools': []}],
    'text': [{**CALL, 'arguments': '{"paths":["far"]}'}, OUTPUT],
    'space': [CALL, {**OUTPUT, 'tools': [SPACE]}],
    'use': [CALL, OUTPUT, {**USE, 'namespace': 'far', 'status': 'completed'}],
    'alone': [OUTPUT],
    'twice': [CALL, OUTPUT, {**CALL, 'id': 'tsc_2'}, {**OUTPUT, 'id': 'tso_2'}],
    'unfinished': [{**CALL, 'status': 'incomplete'}],
}
for name, items in ITEMS.items():
    case(f'responses/r_{name}', params=params(None), model='gpt-5.4', reply=response(*items, text_item('hi')))
    events = [event for place, item in enumerate(items) for event in whole(item, place)]
    case(f'responses/s_{name}', params=params(None), model='gpt-5.4', reply=response_stream(*events))
late = [added({**CALL, 'status': 'in_progress', 'arguments': {}}), done(CALL), *whole(OUTPUT, 1)]
case('responses/s_late', params=params(None), model='gpt-5.4', reply=response_stream(*late))
case('responses/r_client', params=params('custom'), model='gpt-5.4', reply=response(CLIENT))
case('responses/s_client', params=params('custom'), model='gpt-5.4', reply=response_stream(*whole(CLIENT)))
late = [added({**CLIENT, 'status': 'in_progress', 'arguments': {}}), done(CLIENT)]
case('responses/s_client_late', params=params('custom'), model='gpt-5.4', reply=response_stream(*late))


# Whole runs.
def run_of(
    name: str,
    vendor: str,
    *replies: Any,
    strategy: Any = None,
    model: str | None = None,
    deferred: bool = False,
    stream: bool = False,
) -> None:
    """A run of an agent with deferred tools, or with a deferred capability: what was sent and what came of it."""

    async def running(wire: Wire, clients: Clients) -> Any:
        wire.expect(*replies, text_answer(vendor))
        capabilities: list[Any] = [ToolSearch(strategy=strategy)] if strategy else []
        if deferred:
            capabilities.append(
                Capability(id='cap', description='a capability', instructions='be good', defer_loading=True)
            )
        owner: Any = Agent(clients.model(vendor, model or MODELS[vendor]), capabilities=capabilities)

        @owner.tool_plain
        def plain(x: int) -> int:
            """Say a number."""
            return x

        @(capabilities[-1] if deferred else owner).tool_plain(defer_loading=True)
        def far(x: int) -> int:
            """Say it from far away."""
            return x

        outcome = await owner.run('hi')
        again = await owner.run('and now', message_history=outcome.all_messages())
        return {'sent': [item.body for item in wire.requests], 'messages': show(again.all_messages())}

    cases[f'{vendor}/run_{name}'] = running


use = {'type': 'tool_use', 'id': 'tu_2', 'name': 'far', 'input': {'x': 1}}
load = {'type': 'tool_use', 'id': 'tu_3', 'name': 'load_capability', 'input': {'id': 'cap'}}
run_of('native', 'anthropic', message(SEARCHED, result(REFERENCE), use, stop_reason='tool_use'))
run_of('keywords', 'anthropic', message(called), message(use), strategy='keywords')
run_of('capability', 'anthropic', message(load), message(use), deferred=True)
run_of('old', 'anthropic', message(called), message(use), model='claude-3-haiku-20240307')
run_of('native', 'responses', response(CALL, OUTPUT, USE))
run_of('keywords', 'responses', response(CLIENT), response(USE), strategy='keywords')
LOAD: Any = {**USE, 'id': 'fc_3', 'call_id': 'call_3', 'name': 'load_capability', 'arguments': '{"id":"cap"}'}
run_of('capability', 'responses', response(LOAD), response(USE), deferred=True)


# What is better here than there: searches are paired with what they found, and a search that failed is sent as one; the
# arguments of searches come in one form; tools are deferred only where something finds them.
BETTER = {
    'responses/local_untyped',
    'responses/local_retry',
    'responses/used_off',
    'responses/used_old',
    'responses/s_server',
    'responses/s_queries',
    'responses/s_bare',
    'responses/s_late',
    'anthropic/r_regex_q',
    'anthropic/run_old',
    'responses/run_native',
    *(f'anthropic/s_{name}' for name in ANSWERS),
    *(f'responses/{way}_{name}' for name in ('text', 'space', 'use', 'twice', 'alone') for way in 'rs'),
    'responses/r_server',
    'responses/r_queries',
    'responses/r_unfinished',
}
cases.drop(BETTER)

client_of, run = Clients, cases.run
