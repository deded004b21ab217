"""Requests to Mistral and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import json
from typing import Any

from _facts import facts
from _requests import REQUESTS
from _vocabulary import (
    OUTPUT_OBJECT,
    OUTPUT_TOOL,
    WITH_OUTPUT,
    WITH_TOOLS,
    WITH_TOOLS_AND_OUTPUT,
    Cases,
    Parameters,
    request_of,
    response_of,
)
from _wire import Cut, Reply, Reset, Wire, as_json, as_sse
from mistralai.client import Mistral

from stead.messages import DocumentUrl, ThinkingPart, ToolCallPart, ToolReturnPart
from stead.models.mistral import MistralModel
from stead.profiles import ModelProfile
from stead.providers.mistral import MistralProvider

MODEL = 'mistral-large-latest'
USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}


def completion(message: Any = None, finish: Any = 'stop', **fields: Any) -> Reply:
    message = {'role': 'assistant', 'tool_calls': None, **({'content': 'hi'} if message is None else message)}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1700000000, 'model': 'mistral-x-2024'}
    return as_json(
        {**head, 'choices': [{'index': 0, 'message': message, 'finish_reason': finish}], 'usage': USAGE, **fields}
    )


cases = Cases(MODEL, completion)
case = cases.add
for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
for level in (True, False, 'high'):
    case(f'thinks_{level}/magistral', settings={'thinking': level}, model='magistral-medium-latest')
    case(f'thinks_{level}/able', settings={'thinking': level}, profile=ModelProfile(supports_thinking=True))
    case(f'thinks_{level}/small', settings={'thinking': level}, model='mistral-small-latest')
ABLE = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
for name in ('output_native', 'output_native_and_tool', 'output_prompted', 'output_prompted_and_tool'):
    case(f'{name}/able', *REQUESTS[name], profile=ABLE)
for name in ('thinking', 'thinking_two', 'thinking_and_call', 'thinking_only', 'thinking_after'):
    case(f'{name}/magistral', *REQUESTS[name], model='magistral-medium-latest')
case(
    'thinking_mine', [request_of('a'), response_of(ThinkingPart('hmm', provider_name='mistral'), 'b'), request_of('c')]
)
case(
    'long_call_id',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'call_0123456789abcdef')),
        request_of(ToolReturnPart('t1', 1, 'call_0123456789abcdef')),
    ],
)
case(
    'call_broken',
    [request_of('a'), response_of(ToolCallPart('t1', '{"x"', 'i1')), request_of(ToolReturnPart('t1', 1, 'i1'))],
)
case('answer_after_answer', [request_of('a'), response_of('b'), response_of('c'), request_of('d')])
case(
    'prompt_after_return',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'i1')),
        request_of(ToolReturnPart('t1', 1, 'i1')),
        request_of('and'),
    ],
)
case(
    'system_after_return',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'i1')),
        request_of(ToolReturnPart('t1', 1, 'i1'), 'x'),
        response_of('y'),
        request_of('z'),
    ],
)
case('ends_with_answer', [request_of('a'), response_of('b')])
case('pdf_by_type', [request_of([DocumentUrl('https://example.com/x', media_type='application/pdf')])])


def answer(name: str, message: Any = None, finish: Any = 'stop', *, params: Any = None, **fields: Any) -> None:
    case(f'r_{name}', params=params, reply=completion(message, finish, **fields))


def call(name: str, arguments: Any, call_id: Any = 'i1', **more: Any) -> dict[str, Any]:
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}, **more}


def thought(*texts: str, **more: Any) -> dict[str, Any]:
    return {'type': 'thinking', 'thinking': [{'type': 'text', 'text': text} for text in texts], **more}


def text(content: str) -> dict[str, Any]:
    return {'type': 'text', 'text': content}


answer('null', {'content': None})
answer('empty', {'content': ''})
answer('no_content', {})
answer('pieces', {'content': [text('a'), text('b')]})
answer('no_pieces', {'content': []})
answer('empty_piece', {'content': [text('')]})
answer('thought', {'content': [thought('hm'), text('a')]})
answer('thoughts', {'content': [thought('h', 'm'), text('a'), thought('x', closed=True), text('b')]})
answer('thought_only', {'content': [thought('hm')]})
answer('thought_nothing', {'content': [thought(), text('a')]})
answer(
    'thought_reference',
    {
        'content': [
            {'type': 'thinking', 'thinking': [text('h'), {'type': 'reference', 'reference_ids': [1]}]},
            text('a'),
        ]
    },
)
answer('thought_and_call', {'content': [thought('hm')], 'tool_calls': [call('t1', '{}')]}, 'tool_calls')
answer('reference', {'content': [text('a'), {'type': 'reference', 'reference_ids': [1, 2]}, text('b')]})
answer('image', {'content': [text('a'), {'type': 'image_url', 'image_url': 'https://example.com/a.png'}]})
answer('image_object', {'content': [{'type': 'image_url', 'image_url': {'url': 'https://example.com/a.png'}}]})
answer('document', {'content': [text('a'), {'type': 'document_url', 'document_url': 'https://example.com/a.pdf'}]})
answer('audio', {'content': [text('a'), {'type': 'input_audio', 'input_audio': 'aGk='}]})
answer('file', {'content': [text('a'), {'type': 'file', 'file_id': '0190a0f4-7b1c-7e5e-9d7c-0123456789ab'}]})
answer('unknown', {'content': [text('a'), {'type': 'smell', 'smell': 1}]})
answer('think_tags', {'content': '<think>hm</think>\nanswer<think>x</think> b'})
answer('think_open', {'content': '<think>hm'})
answer('calls', {'content': '', 'tool_calls': [call('t1', '{"x":1}'), call('t2', '{}', 'i2', index=1)]}, 'tool_calls')
answer('calls_text', {'content': 'well', 'tool_calls': [call('t1', '{"x":1}')]}, 'tool_calls')
answer('calls_broken', {'content': '', 'tool_calls': [call('t1', '{"x":')]}, 'tool_calls')
answer('calls_object', {'content': '', 'tool_calls': [call('t1', {'x': 1})]}, 'tool_calls')
answer('calls_no_id', {'content': '', 'tool_calls': [{'function': {'name': 't1', 'arguments': '{}'}}]}, 'tool_calls')
answer('calls_null_id', {'content': '', 'tool_calls': [call('t1', '{}', 'null')]}, 'tool_calls')
answer('calls_empty', {'content': '', 'tool_calls': []})
for reason in ('stop', 'length', 'model_length', 'error', 'tool_calls', 'content_filter', 'bored'):
    answer(f'finish_{reason}', {'content': 'a'}, reason)
answer('finish_null', {'content': 'a'}, None)
answer('no_usage', usage=None)
answer('zero_usage', usage={'prompt_tokens': 0, 'completion_tokens': 0, 'total_tokens': 0})
answer(
    'full_usage',
    usage={
        **USAGE,
        'prompt_audio_seconds': 3,
        'num_cached_tokens': 4,
        'prompt_tokens_details': {'cached_tokens': 4},
        'prompt_token_details': {'cached_tokens': 4},
    },
)
answer('no_id', id='')
answer('no_created', created=None)
answer('zero_created', created=0)
answer('no_model', model='')
answer('no_choices', choices=[])
answer('null_choices', choices=None)
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_string', reply=as_json('hello'))
case('r_list', reply=as_json([]))
for status in (400, 401, 422, 429, 500, 503):
    case(f'r_{status}', reply=as_json({'object': 'error', 'message': 'bad', 'type': 't', 'code': '1'}, status))
case('r_422_detail', reply=as_json({'detail': [{'loc': ['body'], 'msg': 'm', 'type': 't'}]}, 422))
case('r_400_text', reply=Reply(400, {}, [b'plain text'], 'text/plain'))


def chunk(delta: Any = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1700000000, 'model': 'mistral-x-2024'}
    return {**head, 'choices': [{'index': 0, 'delta': delta or {}, 'finish_reason': finish}], **fields}


FIRST = chunk({'role': 'assistant', 'content': ''})
LAST = chunk({'content': ''}, 'stop', usage=USAGE)


def stream(
    name: str,
    *events: Any,
    done: bool = True,
    params: Any = None,
    profile: Any = None,
    messages: Any = None,
    settings: Any = None,
) -> None:
    case(f's_{name}', messages, params, settings, profile=profile, reply=as_sse(events, done=done))


def piece(place: int, call_id: Any, name: str, arguments: Any) -> dict[str, Any]:
    return {'tool_calls': [{'index': place, 'id': call_id, 'function': {'name': name, 'arguments': arguments}}]}


CALLED = chunk({'content': ''}, 'tool_calls', usage=USAGE)
stream('text', FIRST, chunk({'content': 'he'}), chunk({'content': 'llo'}), LAST)
stream('last_text', chunk({'content': 'he'}), chunk({'content': 'llo'}, 'stop', usage=USAGE))
stream('usage_alone', chunk({'content': 'he'}), chunk({}, 'stop'), {**chunk(usage=USAGE), 'choices': []})
stream('usage_twice', chunk({'content': 'he'}, usage=USAGE), LAST)
stream('no_usage', chunk({'content': 'he'}), chunk({'content': ''}, 'stop'))
stream('not_done', chunk({'content': 'he'}), LAST, done=False)
stream('not_finished', chunk({'content': 'he'}), done=False)
stream('nothing')
stream('only_end', LAST)
stream('role_only', FIRST, LAST)
stream('space', chunk({'content': '\n'}), chunk({'content': 'he'}), LAST)
for reason in ('length', 'tool_calls', 'error', 'bored'):
    stream(f'finish_{reason}', chunk({'content': 'he'}), chunk({'content': ''}, reason, usage=USAGE))
stream(
    'thoughts',
    chunk({'content': [thought('h')]}),
    chunk({'content': [thought('m')]}),
    chunk({'content': [text('a')]}),
    chunk({'content': 'b'}),
    LAST,
)
stream('thoughts_and_text', chunk({'content': [thought('h'), text('a')]}), LAST)
stream(
    'thoughts_again',
    chunk({'content': [thought('h')]}),
    chunk({'content': 'a'}),
    chunk({'content': [thought('m')]}),
    chunk({'content': 'b'}),
    LAST,
)
stream(
    'thoughts_and_call',
    chunk({'content': [thought('h')]}),
    chunk(piece(0, 'i1', 't1', '{}')),
    CALLED,
    params=WITH_TOOLS,
)
stream('thoughts_nothing', chunk({'content': [thought()]}), chunk({'content': 'a'}), LAST)
stream(
    'reference',
    chunk({'content': [text('a')]}),
    chunk({'content': [{'type': 'reference', 'reference_ids': [1]}]}),
    chunk({'content': 'b'}),
    LAST,
)
stream('unknown', chunk({'content': [{'type': 'smell'}]}), chunk({'content': 'b'}), LAST)
stream(
    'tags',
    chunk({'content': '<think>'}),
    chunk({'content': 'hm'}),
    chunk({'content': '</think>'}),
    chunk({'content': 'a'}),
    LAST,
)
stream('calls', chunk(piece(0, 'i1', 't1', '{"x":1}')), chunk(piece(1, 'i2', 't2', '{}')), CALLED, params=WITH_TOOLS)
stream(
    'calls_at_end',
    FIRST,
    chunk({'content': '', **piece(0, 'i1', 't1', '{"x":1}')}, 'tool_calls', usage=USAGE),
    params=WITH_TOOLS,
)
stream(
    'calls_in_pieces',
    chunk(piece(0, 'i1', 't1', '')),
    chunk(piece(0, 'i1', 't1', '{"x"')),
    chunk(piece(0, 'i1', 't1', ':1}')),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_in_pieces_no_name',
    chunk(piece(0, 'i1', 't1', '{"x"')),
    chunk(piece(0, 'null', '', ':1}')),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_two_no_id',
    chunk({'tool_calls': [*piece(0, 'null', 't1', '{}')['tool_calls'], *piece(1, 'null', 't2', '{}')['tool_calls']]}),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_same_place',
    chunk({'tool_calls': [*piece(0, 'i1', 't1', '{}')['tool_calls'], *piece(0, 'i2', 't2', '{}')['tool_calls']]}),
    CALLED,
    params=WITH_TOOLS,
)
stream('calls_text', chunk({'content': 'well'}), chunk(piece(0, 'i1', 't1', '{"x":1}')), CALLED, params=WITH_TOOLS)
stream('calls_object', chunk(piece(0, 'i1', 't1', {'x': 1})), CALLED, params=WITH_TOOLS)
stream('output', chunk(piece(0, 'i1', 'final_result', '{"x":1}')), CALLED, params=WITH_OUTPUT)
stream('output_later', FIRST, chunk(piece(0, 'i1', 'final_result', '{"x":1}')), CALLED, params=WITH_OUTPUT)
stream('tools', FIRST, LAST, params=WITH_TOOLS)
stream('tools_and_output', FIRST, LAST, params=WITH_TOOLS_AND_OUTPUT)
stream(
    'tools_or_output',
    FIRST,
    LAST,
    params=Parameters(
        function_tools=WITH_TOOLS.function_tools, output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=True
    ),
)
for name in ('none', 'required', 'one', 'output', 'one_or_output', 'no', 'all'):
    stream(f'choice_{name}', FIRST, LAST, params=WITH_TOOLS, settings=REQUESTS[f'choice_{name}'][2])
    stream(f'output_choice_{name}', FIRST, LAST, params=WITH_TOOLS_AND_OUTPUT, settings=REQUESTS[f'choice_{name}'][2])
stream(
    'native',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT),
    profile=ABLE,
)
stream(
    'prompted',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT),
)
stream(
    'prompted/able',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT),
    profile=ABLE,
)
stream(
    'prompted_and_tool',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, function_tools=WITH_TOOLS.function_tools),
)
stream('model_empty', chunk({'content': 'a'}, model=''), chunk({'content': 'b'}, model='real'), LAST)
stream('no_created', chunk({'content': 'a'}, created=None), LAST)
stream('null_choices', chunk({'content': 'a'}), chunk(choices=None), LAST)
stream('error', chunk({'content': 'a'}), {'object': 'error', 'message': 'boom', 'type': 't'})
stream('malformed', chunk({'content': 'a'}), b'data: {bad\n\n')
stream('reset', chunk({'content': 'a'}), Reset())
stream('cut', chunk({'content': 'a'}), Cut())
case('s_429', reply=as_json({'message': 'slow'}, 429, {'retry-after': '3'}))
case('s_not_a_stream', reply=as_json({'id': 'x'}))


# What is better here than there: streams have settings, calls in them do not overwrite each other, outputs are asked for as
# the API has it where a model can do that, and what is empty, missing or odd breaks nothing.
BETTER = {
    'answer_of_nothing',
    'image_bytes_detail',
    'image_detail',
    'not_parallel',
    'not_parallel_output',
    'output_native/able',
    'output_native_and_tool/able',
    'output_prompted/able',
    'parallel',
    'r_calls_no_id',
    'r_calls_null_id',
    'r_finish_null',
    'r_full_usage',
    'r_no_created',
    'r_no_model',
    'r_no_usage',
    's_calls',
    's_calls_in_pieces',
    's_calls_in_pieces_no_name',
    's_calls_two_no_id',
    's_model_empty',
    's_native',
    's_no_created',
    's_not_finished',
    's_null_choices',
    's_prompted/able',
    's_usage_twice',
    'settings',
    'settings_zero',
    'text_bytes',
    'thinking_nothing',
}
cases.drop(BETTER)


class Client:
    """A client of the SDK."""

    def __init__(self, wire: Wire) -> None:
        self.sdk = Mistral(api_key='k', server_url=wire.url)

    async def close(self) -> None:
        await self.sdk.__aexit__(None, None, None)


client_of = Client

# What the API assumes anyway need not be said.
ASSUMED = {'n': 1, 'top_p': 1.0, 'stop': None, 'presence_penalty': None, 'frequency_penalty': None}


def without_assumed(body: dict[str, Any]) -> dict[str, Any]:
    for message in body['messages']:
        if message.get('tool_calls') == []:
            del message['tool_calls']
        message.pop('prefix', None)
        for called in message.get('tool_calls', ()):
            called.pop('index', None)
            function = called['function']
            if not isinstance(function['arguments'], str):  # an object is as good as its text
                function['arguments'] = json.dumps(function['arguments'], separators=(',', ':'))
    return {name: value for name, value in body.items() if name not in ASSUMED or value != ASSUMED[name]}


async def run(name: str, wire: Wire, client: Client) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = MistralModel(model_name, provider=MistralProvider(mistral_client=client.sdk), profile=profile)
    found = await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
    for sent in found['sent']:
        sent['body'] = without_assumed(sent['body'])
    return found
