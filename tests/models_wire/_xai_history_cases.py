"""Conversations that are sent to xAI: prompts, results of tools, responses of models."""

from __future__ import annotations

from typing import Any

from _grpc_wire import Answer, Status
from _vocabulary import Cases, Parameters, request_of, response_of
from _xai_bodies import answer, chunks, delta

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

cases = Cases('grok-4-fast', answer)
case = cases.add


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
