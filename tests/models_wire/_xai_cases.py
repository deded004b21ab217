"""Requests to xAI and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import datetime
from typing import Any

import xai_sdk
from _facts import facts
from _grpc_wire import Answer, GrpcWire, Status
from _vocabulary import Cases, Parameters, request_of, response_of

from stead.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    FilePart,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    VideoUrl,
)
from stead.models.xai import XaiModel
from stead.native_tools import (
    CodeExecutionTool,
    FileSearchTool,
    MCPServerTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from stead.output import OutputObjectDefinition
from stead.profiles.grok import GrokModelProfile
from stead.providers.xai import XaiProvider
from stead.settings import ToolOrOutput
from stead.tools import ToolDefinition

wire_class = GrpcWire
USAGE = {
    'completion_tokens': 5,
    'reasoning_tokens': 3,
    'prompt_tokens': 10,
    'total_tokens': 18,
    'prompt_text_tokens': 9,
    'cached_prompt_text_tokens': 2,
    'prompt_image_tokens': 1,
}
HEAD: dict[str, Any] = {'id': 'r1', 'model': 'grok-x', 'created': '2024-01-01T00:00:00Z'}


def output(content='hi', reason='REASON_STOP', index=0, role='ROLE_ASSISTANT', **message):
    return {'finish_reason': reason, 'index': index, 'message': {'content': content, 'role': role, **message}}


def answer(*outputs, **fields):
    return Answer([{**HEAD, 'usage': USAGE, 'outputs': list(outputs) or [output()], **fields}])


def delta(content='', index=0, role='ROLE_ASSISTANT', reason=0, **fields):
    return {'finish_reason': reason, 'index': index, 'delta': {'content': content, 'role': role, **fields}}


def chunks(*deltas, reason='REASON_STOP', **fields):
    chunk_bodies = [{**HEAD, 'outputs': [item]} for item in deltas]
    return Answer([*chunk_bodies, {**HEAD, 'usage': USAGE, 'outputs': [delta(reason=reason)], **fields}], stream=True)


def call(name='t', args='{"x":1}', call_id='c1', kind='CLIENT_SIDE', status='COMPLETED', **fields):
    status = f'TOOL_CALL_STATUS_{status}'
    function = {'name': name, 'arguments': args}
    return {'id': call_id, 'type': f'TOOL_CALL_TYPE_{kind}_TOOL', 'status': status, 'function': function, **fields}


def search(call_id='n1', status='COMPLETED', **fields):
    return call('web_search', '{"q":"x"}', call_id, 'WEB_SEARCH', status, **fields)


cases = Cases('grok-4-fast', answer)
case = cases.add


def client_of(wire):
    return xai_sdk.AsyncClient(
        api_key='k', api_host=wire.host, use_insecure_channel=True, channel_options=[('grpc.enable_retries', 0)]
    )


async def run(name, wire, client):
    messages, params, settings, model, reply, profile, _ = cases[name]
    wire.expect(reply)
    asking = XaiModel(model, provider=XaiProvider(xai_client=client), profile=profile)
    return await facts(asking, wire, messages, params, settings, stream=reply.stream)


# Prompts

PNG = BinaryContent(b'\x89PNG', media_type='image/png')
PDF = BinaryContent(b'%PDF', media_type='application/pdf')
WAV = BinaryContent(b'x', media_type='audio/wav')

case('plain')
case('plain, streamed', reply=chunks(delta('he'), delta('llo')))
case(
    'system prompts, instructions',
    [request_of(SystemPromptPart('sys'), 'q'), response_of('a'), ModelRequest(parts=[], instructions='I')],
)
INSTRUCTIONS = Parameters(instruction_parts=[InstructionPart('A'), InstructionPart('B', dynamic=True)])
case(
    'parts of instructions',
    [request_of(SystemPromptPart('S'), SystemPromptPart('T'), 'q'), response_of('a'), request_of('b')],
    INSTRUCTIONS,
)
case('a system prompt later', [request_of('q'), response_of('a'), request_of(SystemPromptPart('S'), 'b')])
case('an empty system prompt', [request_of(SystemPromptPart(''), 'q')])
case('an empty prompt', [request_of('')])
case('no content at all', [request_of([])])
for title, *items in (
    ('texts', 'a', TextContent('b', metadata={'x': 1}), ''),
    ('a link to an image', 'see', ImageUrl('https://example.com/x.png')),
    ('image detail', ImageUrl('https://example.com/x.png', vendor_metadata={'detail': 'low'})),
    ('image detail that is none', ImageUrl('https://example.com/x.png', vendor_metadata={'detail': 'much'})),
    ('an image', PNG),
    ('an image in detail', BinaryContent(b'x', media_type='image/jpeg', vendor_metadata={'detail': 'high'})),
    ('a document', 'look', PDF),
    ('a named document', BinaryContent(b'%PDF', media_type='application/pdf', identifier='id7')),
    ('a text file', BinaryContent(b'hello', media_type='text/plain')),
    ('audio', WAV),
    ('video', BinaryContent(b'x', media_type='video/mp4')),
    ('a link to audio', AudioUrl('https://example.com/x.mp3')),
    ('a link to a video', VideoUrl('https://example.com/x.mp4')),
    ('a private link to download', ImageUrl('http://127.0.0.1:9/x.png', force_download=True)),
    ('a cache point', 'a', CachePoint()),
    ('an uploaded file', UploadedFile(file_id='f1', provider_name='xai')),
    ('an uploaded file of another provider', UploadedFile(file_id='f1', provider_name='openai')),
):
    case(f'prompt: {title}', [request_of(list(items))])
case('prompt: an upload that fails', [request_of([PDF])], reply=Answer([Status('UNAVAILABLE', 'no')]))

# Results of tools

for title, *parts in (
    ('text', ToolReturnPart('t', 'res', 'c1')),
    ('an object', ToolReturnPart('t', {'a': 1}, 'c1')),
    ('a list', ToolReturnPart('t', ['a', 1], 'c1')),
    ('nothing', ToolReturnPart('t', None, 'c1')),
    ('an image', ToolReturnPart('t', PNG, 'c1')),
    ('all kinds', ToolReturnPart('t', ['a', PNG, {'a': 1}, PDF, ImageUrl('https://example.com/x.png')], 'c1')),
    ('an uploaded file', ToolReturnPart('t', [UploadedFile(file_id='f1', provider_name='xai')], 'c1')),
    ('a file of another provider', ToolReturnPart('t', [UploadedFile(file_id='f1', provider_name='openai')], 'c1')),
    ('audio', ToolReturnPart('t', [WAV], 'c1')),
    ('two files and a prompt', ToolReturnPart('t', PNG, 'c1'), ToolReturnPart('t', PDF, 'c2'), 'and'),
    ('a failure', ToolReturnPart('t', 'no', 'c1', outcome='failed')),
    ('a retry', RetryPromptPart('bad', tool_name='t', tool_call_id='c1')),
    (
        'errors',
        RetryPromptPart([{'type': 'missing', 'loc': ('a',), 'msg': 'm', 'input': 1}], tool_name='t', tool_call_id='c1'),
    ),
    ('a retry of text', RetryPromptPart('bad')),
):
    case(f'result: {title}', [request_of('q'), response_of(ToolCallPart('t', {'x': 1}, 'c1')), request_of(*parts)])
TWO_CALLS = response_of(ToolCallPart('t', {}, 'c1'), ToolCallPart('u', {}, 'c2'))
RESULT_U, RESULT_T = ToolReturnPart('u', 'b', 'c2'), ToolReturnPart('t', 'a', 'c1')
case('result: order', [request_of('q'), TWO_CALLS, request_of(RESULT_U, 'x', RESULT_T)])
case(
    'result: order in two messages',
    [request_of('q'), TWO_CALLS, request_of('first', RESULT_U), request_of(RESULT_T, 'y')],
)
OTHER = ToolReturnPart('z', 'zz', 'c9')
case(
    'result: order with one that nobody asked for',
    [request_of('q'), TWO_CALLS, request_of(OTHER, RetryPromptPart('no', tool_name='u', tool_call_id='c2'), RESULT_T)],
)

# What the model said before


def native(name='web_search', args: Any = None, call_id='n1', by='xai', **fields):
    return NativeToolCallPart(name, {'q': 1} if args is None else args, call_id, provider_name=by, **fields)


def native_return(name='web_search', call_id='n1', by='xai', **fields):
    return NativeToolReturnPart(name, {'r': 1}, call_id, provider_name=by, **fields)


MCP = {'action': 'call_tool', 'tool_name': 'ask', 'tool_args': {'a': 1}}
for title, *parts in (
    ('texts', 'a', 'b'),
    ('an empty text', ''),
    ('nothing',),
    ('text and calls', 'a', ToolCallPart('t', {'x': 1}, 'c1'), 'b', ToolCallPart('t', '{"y":2}', 'c2')),
    ('no arguments', ToolCallPart('t', None, 'c1'), ToolCallPart('t', '', 'c2')),
    ('thinking', ThinkingPart('think', signature='S', provider_name='xai'), 'a'),
    ('thinking without signature', ThinkingPart('think', provider_name='xai'), 'a'),
    ('thinking that is secret', ThinkingPart('', signature='S', provider_name='xai'), 'a'),
    ('thinking of another provider', ThinkingPart('think', signature='S', provider_name='openai'), 'a'),
    ('secret thinking of another provider', ThinkingPart('', signature='S', provider_name='openai'), 'a'),
    ('thinking of nobody', ThinkingPart('think'), 'a'),
    ('thinking and a call', ThinkingPart('think', signature='S', provider_name='xai'), ToolCallPart('t', {}, 'c1')),
    ('a file', FilePart(PNG), 'a'),
    ('a search', native(), native_return(), 'a'),
    ('a search of another provider', native(by='openai'), native_return(by='openai'), 'a'),
    ('two searches', native(), native('web_search', None, 'n2'), native_return(), native_return(call_id='n2'), 'a'),
    ('a search and a call', native(), native_return(), ToolCallPart('t', {}, 'c1')),
    ('a search with its name', native('x_search', provider_details={'function_name': 'x_keyword_search'}), 'a'),
    ('a search of X', native('x_search'), native_return('x_search'), 'a'),
    ('code', native('code_execution', {'code': '1'}), native_return('code_execution'), 'a'),
    ('a search of files', native('file_search', provider_details={'function_name': 'collections_search'}), 'a'),
    ('an MCP server', native('mcp_server:srv', MCP), native_return('mcp_server:srv'), 'a'),
    ('an MCP server without a tool', native('mcp_server:srv', {'action': 'list_tools'}), 'a'),
    ('a native tool that is not known', native('unknown'), native_return('unknown'), 'a'),
    ('a search that failed', native(), native_return(provider_details={'status': 'failed', 'error': 'e'}), 'a'),
    ('parts in between', 'x', native(), 'y', native_return(), ToolCallPart('t', {}, 'c1'), 'z'),
):
    case(f'history: {title}', [request_of('q'), response_of(*parts, provider_name='xai'), request_of('r')])

# Tools

SCHEMA: dict[str, Any] = {'type': 'object', 'properties': {'x': {'type': 'integer'}}, 'required': ['x']}
TOOL_T = ToolDefinition(name='t', description='d', parameters_json_schema=SCHEMA)
TOOL_S = ToolDefinition(name='s', parameters_json_schema={'type': 'object', 'properties': {}}, strict=True)
TOOL_Z = ToolDefinition(name='z')
case('tools', params=Parameters(function_tools=[TOOL_T, TOOL_S]))
WITH_OUTPUT_TOOL = Parameters(
    function_tools=[TOOL_T, TOOL_Z], output_tools=[TOOL_S], output_mode='tool', allow_text_output=False
)
case('output tools', params=WITH_OUTPUT_TOOL)
for choice in ('none', 'auto', 'required', ['t'], ['t', 's'], ['t', 'z'], ToolOrOutput(function_tools=['t']), ['who']):
    case(
        f'tool choice {choice}',
        params=Parameters(function_tools=[TOOL_T, TOOL_S, TOOL_Z]),
        settings={'tool_choice': choice},
    )
    case(f'tool choice {choice} with output tools', params=WITH_OUTPUT_TOOL, settings={'tool_choice': choice})
NO_FORCED_CALLS = GrokModelProfile(grok_supports_tool_choice_required=False)
case('a model that cannot be made to call', params=WITH_OUTPUT_TOOL, profile=NO_FORCED_CALLS)
for choice in ('required', ['t'], ['t', 'z']):
    params = Parameters(function_tools=[TOOL_T, TOOL_S, TOOL_Z])
    case(
        f'a model that cannot be made to call, {choice}',
        params=params,
        settings={'tool_choice': choice},
        profile=NO_FORCED_CALLS,
    )
DAY = datetime.datetime(2024, 1, 1)
for title, tool in (
    ('web search', WebSearchTool()),
    ('web search with options', WebSearchTool(search_context_size='high', allowed_domains=['a.com'], max_uses=3)),
    ('web search without domains', WebSearchTool(blocked_domains=['b.com'])),
    ('X', XSearchTool()),
    (
        'X with options',
        XSearchTool(allowed_x_handles=['a'], from_date=DAY, enable_image_understanding=True, include_output=True),
    ),
    ('X without accounts', XSearchTool(excluded_x_handles=['b'], to_date=DAY.replace(tzinfo=datetime.timezone.utc))),
    ('code', CodeExecutionTool()),
    ('an MCP server', MCPServerTool(id='srv', url='https://m.example.com')),
    (
        'an MCP server with options',
        MCPServerTool(
            id='srv',
            url='https://m.example.com',
            authorization_token='tok',
            description='d',
            allowed_tools=['a'],
            headers={'h': 'v'},
        ),
    ),
    ('files', FileSearchTool(file_store_ids=['c1', 'c2'])),
    ('web fetch', WebFetchTool()),
    ('memory', MemoryTool()),
):
    case(f'native tool: {title}', params=Parameters(native_tools=[tool]))
WITH_SEARCH = Parameters(native_tools=[WebSearchTool()], function_tools=[TOOL_T])
case('native tools and others', params=WITH_SEARCH)
case('native tools and no calls', params=WITH_SEARCH, settings={'tool_choice': 'none'})
case('native tools and one call', params=WITH_SEARCH, settings={'tool_choice': ['t']})
case('a model without native tools', params=WITH_SEARCH, model='grok-3-mini')

# Output

OUTPUT_OBJECT = OutputObjectDefinition(json_schema=SCHEMA, name='n', description='ä', strict=True)
case('native output', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT))
case(
    'native output and tools',
    params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT, function_tools=[TOOL_T]),
)
case(
    'prompted output',
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, prompted_output_template='X {schema}'),
)
case(
    'prompted output and tools',
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, function_tools=[TOOL_T]),
)
case(
    'prompted output and native tools',
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, native_tools=[WebSearchTool()]),
)
case(
    'automatic output',
    params=Parameters(output_mode='auto', output_tools=[TOOL_S], output_object=OUTPUT_OBJECT, allow_text_output=False),
)
case('output of images', params=Parameters(output_mode='image', allow_image_output=True))

# Settings

case(
    'settings',
    settings={
        'max_tokens': 5,
        'temperature': 0.1,
        'top_p': 0.9,
        'top_k': 3,
        'timeout': 10,
        'parallel_tool_calls': False,
        'seed': 3,
        'presence_penalty': 0.5,
        'frequency_penalty': 0.25,
        'logit_bias': {'a': 1},
        'stop_sequences': ['x'],
        'service_tier': 'priority',
        'xai_logprobs': True,
        'xai_top_logprobs': 2,
        'xai_user': 'u',
        'xai_store_messages': True,
        'xai_previous_response_id': 'p',
    },
)
INCLUDE = ('encrypted_content', 'code_execution_output', 'web_search_output', 'inline_citations', 'mcp_output')
INCLUDE += ('x_search_output', 'collections_search_output')
for name in INCLUDE:
    case(f'include {name}', settings={f'xai_include_{name}': True})
case('include all', settings={f'xai_include_{name}': True for name in INCLUDE})
case('include nothing', settings={f'xai_include_{name}': False for name in INCLUDE})
case(
    'include X twice',
    params=Parameters(native_tools=[XSearchTool(include_output=True)]),
    settings={'xai_include_x_search_output': True},
)
for model in ('grok-4-fast', 'grok-4.3', 'grok-3-mini'):
    for thinking in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh'):
        case(f'{model} thinks: {thinking}', model=model, settings={'thinking': thinking})
for effort in ('none', 'low', 'medium', 'high'):
    case(f'effort {effort}', settings={'xai_reasoning_effort': effort})
case('effort over thinking', model='grok-4.3', settings={'xai_reasoning_effort': 'low', 'thinking': 'high'})

# Answers

for reason in ('INVALID', 'MAX_LEN', 'STOP', 'TOOL_CALLS'):
    case(f'reason {reason}', reply=answer(output(reason=f'REASON_{reason}')))
LIKELY = {
    'token': 'hi',
    'logprob': -0.5,
    'bytes': 'aGk=',
    'top_logprobs': [{'token': 'ho', 'logprob': -1.5, 'bytes': 'aG8='}],
}
SERVER_TOOLS = ('WEB_SEARCH', 'WEB_SEARCH', 'X_SEARCH', 'CODE_EXECUTION', 'MCP', 'COLLECTIONS_SEARCH', 'VIEW_IMAGE')
SERVER_TOOLS += ('ATTACHMENT_SEARCH', 'VIEW_X_VIDEO', 'INVALID')
USED = {**USAGE, 'server_side_tools_used': [f'SERVER_SIDE_TOOL_{name}' for name in SERVER_TOOLS], 'num_sources_used': 4}
TOOL_ROLE = 'ROLE_TOOL'
for title, reply in (
    ('calls', answer(output('', 'REASON_TOOL_CALLS', tool_calls=[call(), call('u', '{}', 'c2')]))),
    ('text and a call', answer(output('txt', 'REASON_TOOL_CALLS', tool_calls=[call()]))),
    ('thinking', answer(output('a', reasoning_content='think', encrypted_content='E'))),
    ('thinking that is secret', answer(output('a', encrypted_content='E'))),
    ('thinking in the open', answer(output('a', reasoning_content='think'))),
    ('no text', answer(output(''))),
    ('two outputs', answer(output('a'), output('b', index=1))),
    ('text of others', answer(output('a', role=TOOL_ROLE), output('c', index=1, role='ROLE_USER'))),
    ('citations', answer(system_fingerprint='fp', citations=['https://a', 'https://b'])),
    ('likely tokens', answer({**output(), 'logprobs': {'content': [LIKELY]}})),
    (
        'inline citations',
        answer(output('a', citations=[{'id': '1', 'end_index': 1, 'web_citation': {'url': 'https://w'}}])),
    ),
    ('no usage', answer(usage={})),
    ('usage of tools', answer(usage=USED)),
    ('usage of a tool that is not known', answer(usage={'prompt_tokens': 1, 'server_side_tools_used': [99]})),
    ('a search that is running', answer(output('a', tool_calls=[search(status='IN_PROGRESS')]))),
    ('a search without a result', answer(output('a', tool_calls=[search()]))),
    ('a result alone', answer(output('res', role=TOOL_ROLE, tool_calls=[search()]), output('a', index=1))),
    (
        'a failure',
        answer(
            output('', role=TOOL_ROLE, tool_calls=[search(status='FAILED', error_message='e')]), output('a', index=1)
        ),
    ),
    (
        'a failure with text',
        answer(output('no', role=TOOL_ROLE, tool_calls=[search(status='FAILED', error_message='e')])),
    ),
    ('a failure of the model', answer(output('x', tool_calls=[search(status='FAILED', error_message='e')]))),
    (
        'an unfinished search',
        answer(output('x', role=TOOL_ROLE, tool_calls=[search(status='INCOMPLETE', error_message='e')])),
    ),
    ('two results in one', answer(output('res', role=TOOL_ROLE, tool_calls=[search(), search('n2')]))),
    ('a call of ours with a result', answer(output('r', role=TOOL_ROLE, tool_calls=[call()]), output('f', index=1))),
    (
        'two searches',
        answer(
            output('', tool_calls=[search(), search('n2')]),
            output('[1]', index=1, role=TOOL_ROLE, tool_calls=[search()]),
            output('"s"', index=2, role=TOOL_ROLE, tool_calls=[search('n2')]),
            output('final', index=3),
        ),
    ),
    (
        'thinking and a search',
        answer(
            output('', reasoning_content='th', encrypted_content='E1', tool_calls=[search()]),
            output('r', index=1, role=TOOL_ROLE, tool_calls=[search()]),
            output('final', index=2, reasoning_content='th2', encrypted_content='E2'),
        ),
    ),
):
    case(f'answer: {title}', reply=reply)
for name, kind in (
    ('web_search', 'WEB_SEARCH'),
    ('browse_page', 'WEB_SEARCH'),
    ('x_keyword_search', 'X_SEARCH'),
    ('code_execution', 'CODE_EXECUTION'),
    ('collections_search', 'COLLECTIONS_SEARCH'),
    ('srv.ask', 'MCP'),
    ('a.b.c', 'MCP'),
    ('noserver', 'MCP'),
    ('attachment_search', 'ATTACHMENT_SEARCH'),
):
    used = call(name, '{"q":"x"}', 'n1', kind)
    running = call(name, '{"q":"x"}', 'n1', kind, 'IN_PROGRESS')
    for text in ('result', '{"r":1}', ''):
        outputs = [
            output('', tool_calls=[used]),
            output(text, index=1, role=TOOL_ROLE, tool_calls=[used]),
            output('f', index=2),
        ]
        case(f'answer: {name} came to {text!r}', reply=answer(*outputs))
        deltas = [delta(tool_calls=[running]), delta(text, 1, TOOL_ROLE, tool_calls=[used]), delta('f', 2)]
        case(f'stream: {name} came to {text!r}', reply=chunks(*deltas))
X_SEARCH = call('x_keyword_search', '{"q":"x"}', 'n1', 'X_SEARCH')
SOURCES = ['https://x.com/1', 'https://a']
outputs = [
    output('', tool_calls=[X_SEARCH]),
    output('', index=1, role=TOOL_ROLE, tool_calls=[X_SEARCH]),
    output('f', index=2),
]
case('answer: sources of X', reply=answer(*outputs, citations=SOURCES))
deltas = [delta(tool_calls=[X_SEARCH]), delta('', 1, TOOL_ROLE, tool_calls=[X_SEARCH]), delta('f', 2)]
case('stream: sources of X', reply=chunks(*deltas, citations=SOURCES))
for title, reply in (
    (
        'thinking',
        chunks(delta(reasoning_content='th'), delta(reasoning_content='ink'), delta('a'), delta(encrypted_content='E')),
    ),
    (
        'secrets in pieces',
        chunks(delta(reasoning_content='th'), delta(encrypted_content='E1'), delta(encrypted_content='E2'), delta('a')),
    ),
    ('a secret only', chunks(delta('a'), delta(encrypted_content='E'))),
    (
        'text and calls',
        chunks(
            delta('txt'),
            delta(tool_calls=[call()]),
            delta(tool_calls=[call('u', '{}', 'c2')]),
        ),
    ),
    ('two calls at once', chunks(delta(tool_calls=[call(), call('u', '{}', 'c2')]))),
    (
        'a search that goes on',
        chunks(delta(tool_calls=[search(status='IN_PROGRESS')]), delta(tool_calls=[search()]), delta('f', 1)),
    ),
    ('text of others', chunks(delta('b', role='ROLE_USER'))),
    ('no text', chunks(delta(''), delta(''))),
    ('usage of tools', chunks(delta('a'), usage=USED)),
    ('nothing', Answer([], stream=True)),
):
    case(f'stream: {title}', reply=reply)
for code in ('UNAVAILABLE', 'INVALID_ARGUMENT'):
    for streamed in (False, True):
        case(f'error {code}, {streamed}', reply=Answer([Status(code, 'no')], stream=streamed))
