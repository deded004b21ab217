"""Requests to Anthropic and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import anthropic
from _facts import facts
from _vocabulary import (
    OUTPUT_OBJECT,
    OUTPUT_TOOL,
    PNG,
    TOOL,
    TOOL_LOOSE,
    TOOL_NOT_STRICT,
    TOOL_STRICT,
    WITH_TOOLS,
    WITH_TOOLS_AND_OUTPUT,
    Cases,
    Parameters,
    request_of,
    response_of,
)
from _wire import Reply, Wire, as_json, as_sse

from stead.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    DocumentUrl,
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
    UserPromptPart,
    VideoUrl,
)
from stead.models.anthropic import AnthropicModel
from stead.native_tools import (
    CodeExecutionTool,
    ImageGenerationTool,
    MCPServerTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
)
from stead.output import OutputObjectDefinition
from stead.providers.anthropic import AnthropicProvider
from stead.settings import ToolOrOutput
from stead.tools import ToolDefinition


def message_body(content=None, stop='end_turn', **fields):
    return {
        'id': 'msg_1',
        'type': 'message',
        'role': 'assistant',
        'model': 'claude-x-2024',
        'content': [{'type': 'text', 'text': 'hi'}] if content is None else content,
        'stop_reason': stop,
        'stop_sequence': None,
        'usage': {
            'input_tokens': 10,
            'output_tokens': 5,
            'cache_creation_input_tokens': 2,
            'cache_read_input_tokens': 3,
        },
        **fields,
    }


cases = Cases('claude-sonnet-4-5', lambda: as_json(message_body()))
case = cases.add

case('plain')
case('instructions', [ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')])
case(
    'instruction_parts',
    params=Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
)
case('system', [request_of(SystemPromptPart('sys'), 'hi')])
case(
    'system+instr',
    [ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')],
)
case(
    'system+instrparts',
    [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')],
    params=Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
)
case(
    'system_mid',
    [request_of(SystemPromptPart('s1'), 'hi'), response_of('x'), request_of(SystemPromptPart('s2'), 'hi2')],
)
case('history', [request_of('a'), response_of('b'), request_of('c'), response_of('d', 'e'), request_of('f')])
case('two_user', [request_of('a', 'b'), request_of('c')])
case(
    'calls',
    [
        request_of('a'),
        response_of('let me', ToolCallPart('t1', '{"x":1}', 'id1'), ToolCallPart('t1', {'x': 2}, 'id2')),
        request_of(ToolReturnPart('t1', {'r': 1}, 'id1'), ToolReturnPart('t1', 'text', 'id2')),
    ],
)
case(
    'calls_noargs',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', '', 'id2')),
        request_of(ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id2'), 'more'),
    ],
)
case(
    'calls_bad',
    [request_of('a'), response_of(ToolCallPart('t1', 'bad{', 'id3')), request_of(ToolReturnPart('t1', 3, 'id3'))],
)
case(
    'calls_list',
    [request_of('a'), response_of(ToolCallPart('t1', '[1]', 'id3')), request_of(ToolReturnPart('t1', 3, 'id3'))],
)
case(
    'retry',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(RetryPromptPart('bad', tool_name='t1', tool_call_id='id1')),
    ],
)
case('retry_notool', [request_of('a'), response_of('b'), request_of(RetryPromptPart('bad thing'))])
case(
    'failed',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', 'denied!', 'id1', outcome='denied')),
    ],
)
case(
    'failed2',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', 'denied!', 'id1', outcome='failed')),
    ],
)
case(
    'tool_files',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(
            ToolReturnPart('t1', ['see', BinaryContent(PNG, media_type='image/png', identifier='f1')], 'id1'), 'next'
        ),
    ],
)
case(
    'tool_pdf',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', BinaryContent(b'pdf', media_type='application/pdf', identifier='f1'), 'id1')),
    ],
)
case(
    'tool_mixed',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(
            ToolReturnPart(
                't1',
                [
                    {'a': 1},
                    ImageUrl('http://x.com/i.png', identifier='f2'),
                    BinaryContent(b'hi', media_type='text/plain', identifier='f3'),
                ],
                'id1',
            )
        ),
    ],
)
case(
    'tool_audio',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', BinaryContent(b'w', media_type='audio/wav', identifier='f1'), 'id1')),
    ],
)
case('thinking', [request_of('a'), response_of(ThinkingPart('hmm'), 'b'), request_of('c')])
case(
    'thinking_sig',
    [
        request_of('a'),
        response_of(ThinkingPart('hmm', signature='sig', provider_name='anthropic'), 'b'),
        request_of('c'),
    ],
)
case(
    'thinking_sig_other',
    [request_of('a'), response_of(ThinkingPart('hmm', signature='sig', provider_name='openai'), 'b'), request_of('c')],
)
case(
    'thinking_redacted',
    [
        request_of('a'),
        response_of(ThinkingPart('', id='redacted_thinking', signature='sig', provider_name='anthropic'), 'b'),
        request_of('c'),
    ],
)
case('thinking_empty', [request_of('a'), response_of(ThinkingPart(''), 'b'), request_of('c')])
case('empty_resp', [request_of('a'), response_of(), request_of('c')])
case('empty_text', [request_of('a'), response_of(''), request_of('c')])
case('empty_user', [request_of('')])
case('ws_user', [request_of('a'), response_of('b '), request_of('c')])
case(
    'native_parts',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'web_search',
                [{'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': None}],
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'native_parts_other',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='openai'),
            NativeToolReturnPart('web_search', {'a': 1}, 'n1', provider_name='openai'),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'native_parts_code',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('code_execution', {'code': '1'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'code_execution',
                {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'native_parts_fetch',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_fetch', {'url': 'q'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'web_fetch',
                {
                    'type': 'web_fetch_result',
                    'url': 'q',
                    'retrieved_at': None,
                    'content': {
                        'type': 'document',
                        'source': {'type': 'text', 'media_type': 'text/plain', 'data': 'x'},
                        'title': None,
                        'citations': None,
                    },
                },
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'file_part',
    [request_of('a'), response_of('b', FilePart(BinaryContent(PNG, media_type='image/png'))), request_of('c')],
)
case('tools', params=Parameters(function_tools=[TOOL, TOOL_LOOSE, TOOL_STRICT, TOOL_NOT_STRICT]))
case(
    'tools_old',
    params=Parameters(function_tools=[TOOL, TOOL_LOOSE, TOOL_STRICT, TOOL_NOT_STRICT]),
    model='claude-3-5-sonnet',
)
case(
    'output_tool',
    params=Parameters(function_tools=[TOOL], output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
)
case('output_tool_text', params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=True))
case(
    'output_tool_noforce',
    params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
    model='claude-mythos-5',
)
case('native', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT))
case('native_old', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT), model='claude-3-5-sonnet')
case('native_tools', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT, function_tools=[TOOL_LOOSE]))
case(
    'native_loose',
    params=Parameters(
        output_mode='native',
        output_object=OutputObjectDefinition(
            json_schema={'type': 'object', 'properties': {'y': {'type': 'string', 'default': 'a', 'minLength': 2}}}
        ),
    ),
)
case('prompted', params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT))
for name, choice in {
    'none': 'none',
    'auto': 'auto',
    'required': 'required',
    'list1': ['t1'],
    'list2': ['t1', 't2'],
    'too': ToolOrOutput(['t1']),
    'too0': ToolOrOutput([]),
    'listall': ['t1', 't2', 'final_result'],
    'empty': [],
}.items():
    case('tc_' + name, params=WITH_TOOLS, settings={'tool_choice': choice})
    case('tco_' + name, params=WITH_TOOLS_AND_OUTPUT, settings={'tool_choice': choice})
case('tc_parallel', params=WITH_TOOLS, settings={'parallel_tool_calls': False})
case('tc_parallelT', params=WITH_TOOLS, settings={'parallel_tool_calls': True})
case('tc_none_parallel', params=WITH_TOOLS, settings={'parallel_tool_calls': False, 'tool_choice': 'none'})
case(
    'settings',
    settings={
        'max_tokens': 5,
        'temperature': 0.1,
        'top_p': 0.2,
        'top_k': 3,
        'timeout': 20,
        'seed': 7,
        'presence_penalty': 0.1,
        'stop_sequences': ['x'],
        'extra_headers': {'x-a': 'b'},
        'extra_body': {'zz': 1},
        'service_tier': 'flex',
    },
)
for tier in ('auto', 'default', 'priority'):
    case('tier_' + tier, settings={'service_tier': tier})
case('tier_a', settings={'anthropic_service_tier': 'standard_only', 'service_tier': 'priority'})
case('meta', settings={'anthropic_metadata': {'user_id': 'u'}})
case('thinkset', settings={'anthropic_thinking': {'type': 'enabled', 'budget_tokens': 1024}, 'max_tokens': 9000})
case(
    'thinkset_out',
    settings={'anthropic_thinking': {'type': 'enabled', 'budget_tokens': 1024}},
    params=WITH_TOOLS_AND_OUTPUT,
)
case(
    'thinkset_auto_out',
    settings={'anthropic_thinking': {'type': 'enabled', 'budget_tokens': 1024}},
    params=Parameters(
        function_tools=[TOOL],
        output_tools=[OUTPUT_TOOL],
        output_object=OUTPUT_OBJECT,
        output_mode='auto',
        allow_text_output=False,
    ),
)
case('betas', settings={'anthropic_betas': ['b1', 'b2']})
case('betas_hdr', settings={'anthropic_betas': ['b1'], 'extra_headers': {'anthropic-beta': 'b3'}})
case('effort', settings={'anthropic_effort': 'high'}, model='claude-opus-4-5')
case('speed', settings={'anthropic_speed': 'fast'}, model='claude-opus-4-6')
case('ctx', settings={'anthropic_context_management': {'edits': [{'type': 'clear_tool_uses_20250919'}]}})
case('container', settings={'anthropic_container': {'id': 'c1'}})
for model in (
    'claude-3-7-sonnet',
    'claude-sonnet-4-5',
    'claude-opus-4-5',
    'claude-opus-4-6',
    'claude-opus-4-7',
    'claude-mythos-5',
):
    for level in (True, False, 'minimal', 'medium', 'xhigh'):
        case(f'think_{model}_{level}', settings={'thinking': level, 'temperature': 0.5}, model=model)
    case(f'think_{model}_max', settings={'thinking': 'high', 'max_tokens': 2000}, model=model)
    case(f'sampling_{model}', settings={'temperature': 0.5, 'top_p': 0.3, 'top_k': 3}, model=model)
    case(f'thinkout_{model}', settings={'thinking': True}, params=WITH_TOOLS_AND_OUTPUT, model=model)
INSTRUCTIONS = 'anthropic_cache_instructions'
TOOL_DEFINITIONS = 'anthropic_cache_tool_definitions'
MESSAGES = 'anthropic_cache_messages'
EVERYTHING = 'anthropic_cache'
for name, settings in {
    'ci': {INSTRUCTIONS: True},
    'ci1h': {INSTRUCTIONS: '1h'},
    'ct': {TOOL_DEFINITIONS: True},
    'cm': {MESSAGES: True},
    'cm1h': {MESSAGES: '1h'},
    'all': {INSTRUCTIONS: True, TOOL_DEFINITIONS: True, MESSAGES: True},
    'ca': {EVERYTHING: True},
    'ca1h': {EVERYTHING: '1h'},
}.items():
    case(
        'cache_' + name,
        [
            ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart('hi')], instructions='be'),
            response_of('a'),
            request_of('b'),
        ],
        params=Parameters(function_tools=[TOOL, TOOL_LOOSE]),
        settings=settings,
    )
case(
    'cache_ci_dyn',
    params=Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
    settings={INSTRUCTIONS: True},
)
case('cache_point', [request_of(['a', CachePoint(), 'b'])])
case('cache_point1h', [request_of(['a', CachePoint(ttl='1h'), 'b', CachePoint()])])
case('cache_point_first', [request_of([CachePoint(), 'b'])])
case(
    'cache_many',
    [request_of(['a', CachePoint(), 'b', CachePoint(), 'c', CachePoint(), 'd', CachePoint(), 'e', CachePoint()])],
    settings={MESSAGES: True, TOOL_DEFINITIONS: True},
    params=Parameters(function_tools=[TOOL]),
)
MEDIA = {
    'img': ImageUrl('http://x.com/i.png'),
    'bin_img': BinaryContent(PNG, media_type='image/png'),
    'bin_wav': BinaryContent(b'wav', media_type='audio/wav'),
    'bin_pdf': BinaryContent(b'pdf', media_type='application/pdf'),
    'bin_txt': BinaryContent('hé'.encode(), media_type='text/plain', identifier='idt'),
    'bin_json': BinaryContent(b'{}', media_type='application/json', identifier='idj'),
    'bin_csv': BinaryContent(b'a,b', media_type='text/csv', identifier='idj'),
    'bin_vid': BinaryContent(b'v', media_type='video/mp4'),
    'text': TextContent('tc'),
    'uploaded': UploadedFile('file-1', provider_name='anthropic'),
    'uploaded_img': UploadedFile('file-1', provider_name='anthropic', media_type='image/png'),
    'uploaded_other': UploadedFile('file-1', provider_name='openai'),
    'video': VideoUrl('http://x.com/v.mp4'),
    'doc_pdf': DocumentUrl('http://x.com/a.pdf'),
    'audio': AudioUrl('http://x.com/a.mp3'),
    'img_svg': BinaryContent(b's', media_type='image/svg+xml'),
}
for name, item in MEDIA.items():
    case('media_' + name, [request_of(['look', item])])


def with_native(*tools, **fields):
    return Parameters(native_tools=list(tools), **fields)


case(
    'nt_ws',
    params=with_native(
        WebSearchTool(max_uses=3, allowed_domains=['a'], blocked_domains=None, user_location={'city': 'B'})
    ),
)
case('nt_ws2', params=with_native(WebSearchTool(blocked_domains=['b'])))
case('nt_code', params=with_native(CodeExecutionTool()))
case('nt_code_old', params=with_native(CodeExecutionTool()), model='claude-3-7-sonnet')
case(
    'nt_fetch',
    params=with_native(WebFetchTool(max_uses=1, allowed_domains=['a'], enable_citations=True, max_content_tokens=5)),
)
case(
    'nt_mem',
    params=with_native(
        MemoryTool(),
        function_tools=[ToolDefinition(name='memory', parameters_json_schema={'type': 'object', 'properties': {}})],
    ),
)
case('nt_mem_no', params=with_native(MemoryTool()))
case(
    'nt_mcp',
    params=with_native(
        MCPServerTool(
            id='m', url='http://m', authorization_token='tok', allowed_tools=['x'], description='d', headers={'a': 'b'}
        )
    ),
)
case('nt_mcp2', params=with_native(MCPServerTool(id='m', url='http://m')))
case('nt_img', params=with_native(ImageGenerationTool()))
case('nt_ws_fn', params=with_native(WebSearchTool(), function_tools=[TOOL]))


# responses
def answer(name, *arguments, **fields):
    case('r_' + name, reply=as_json(message_body(*arguments, **fields)))


def text(content):
    return {'type': 'text', 'text': content}


for reason in (
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'pause_turn',
    'refusal',
    'model_context_window_exceeded',
    'weird',
    None,
):
    answer(f'stop_{reason}', stop=reason)
answer('empty', [])
answer('emptytext', [text('')])
answer('two', [text('a'), text('b')])
answer(
    'calls',
    [
        text('a'),
        {'type': 'tool_use', 'id': 'i1', 'name': 't1', 'input': {'x': 1}},
        {'type': 'tool_use', 'id': 'i2', 'name': 't2', 'input': {}},
    ],
    stop='tool_use',
)
answer(
    'think',
    [
        {'type': 'thinking', 'thinking': 'hm', 'signature': 'sig'},
        {'type': 'redacted_thinking', 'data': 'xx'},
        text('a'),
    ],
)
answer('unknown', [{'type': 'weird', 'x': 1}, text('a')])
answer(
    'cite',
    [
        {
            'type': 'text',
            'text': 'a',
            'citations': [
                {
                    'type': 'char_location',
                    'cited_text': 'x',
                    'document_index': 0,
                    'document_title': 't',
                    'start_char_index': 0,
                    'end_char_index': 1,
                    'file_id': None,
                }
            ],
        }
    ],
)
answer(
    'ws',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {'query': 'q'}},
        {
            'type': 'web_search_tool_result',
            'tool_use_id': 's1',
            'content': [
                {'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': '1'}
            ],
        },
        text('a'),
    ],
)
answer(
    'ws_err',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {'query': 'q'}},
        {
            'type': 'web_search_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'web_search_tool_result_error', 'error_code': 'unavailable'},
        },
    ],
)
answer(
    'code',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'code_execution', 'input': {'code': '1'}},
        {
            'type': 'code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
        },
        text('a'),
    ],
)
answer(
    'bash',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'bash_code_execution', 'input': {'command': 'ls'}},
        {
            'type': 'bash_code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {
                'type': 'bash_code_execution_result',
                'stdout': '1',
                'stderr': '',
                'return_code': 0,
                'content': [],
            },
        },
        text('a'),
    ],
)
answer(
    'fetch',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'web_fetch', 'input': {'url': 'u'}},
        {
            'type': 'web_fetch_tool_result',
            'tool_use_id': 's1',
            'content': {
                'type': 'web_fetch_result',
                'url': 'u',
                'retrieved_at': 't',
                'content': {
                    'type': 'document',
                    'source': {'type': 'text', 'media_type': 'text/plain', 'data': 'x'},
                    'title': 't',
                    'citations': None,
                },
            },
        },
    ],
)
answer(
    'mcp',
    [
        {'type': 'mcp_tool_use', 'id': 'm1', 'name': 'echo', 'server_name': 'srv', 'input': {'a': 1}},
        {
            'type': 'mcp_tool_result',
            'tool_use_id': 'm1',
            'is_error': False,
            'content': [{'type': 'text', 'text': 'x', 'citations': None}],
        },
    ],
)
answer('container', [text('a')], container={'id': 'c1', 'expires_at': '2025-01-01T00:00:00Z', 'skills': None})
answer(
    'usage_full',
    [text('a')],
    usage={
        'input_tokens': 10,
        'output_tokens': 5,
        'cache_creation_input_tokens': 2,
        'cache_read_input_tokens': 3,
        'cache_creation': {'ephemeral_5m_input_tokens': 1, 'ephemeral_1h_input_tokens': 1},
        'server_tool_use': {'web_search_requests': 2, 'web_fetch_requests': 1},
        'service_tier': 'standard',
    },
)
answer('nousage', [text('a')], usage=None)
answer('stopseq', [text('a')], stop='stop_sequence', stop_sequence='XX')
for name, content in {'garb': b'not json', 'half': b'{'}.items():
    case('r_' + name, reply=Reply(pieces=[content]))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_obj', reply=as_json({}))
case('r_list', reply=as_json([]))
for status in (400, 401, 429, 500, 529):
    case(f'r_{status}', reply=as_json({'type': 'error', 'error': {'message': 'bad', 'type': 't'}}, status=status))
# streams
USAGE = {'input_tokens': 10, 'output_tokens': 1, 'cache_creation_input_tokens': 2, 'cache_read_input_tokens': 3}
START = {
    'type': 'message_start',
    'message': {
        'id': 'msg_1',
        'type': 'message',
        'role': 'assistant',
        'model': 'claude-x-2024',
        'content': [],
        'stop_reason': None,
        'stop_sequence': None,
        'usage': USAGE,
    },
}


def end(stop='end_turn', **fields):
    return [
        {
            'type': 'message_delta',
            'delta': {'stop_reason': stop, 'stop_sequence': None, **fields},
            'usage': {'output_tokens': 7},
        },
        {'type': 'message_stop'},
    ]


def block_start(place, block):
    return {'type': 'content_block_start', 'index': place, 'content_block': block}


def block_delta(place, **delta):
    return {'type': 'content_block_delta', 'index': place, 'delta': delta}


def block_stop(place):
    return {'type': 'content_block_stop', 'index': place}


def stream(name, *events, tail=None, **fields):
    case(
        's_' + name,
        reply=as_sse([START, *events, *(end() if tail is None else tail)], done=False, named=True),
        **fields,
    )


def text_delta(content):
    return {'type': 'text_delta', 'text': content}


stream(
    'text',
    block_start(0, text('')),
    block_delta(0, **text_delta('he')),
    block_delta(0, **text_delta('llo')),
    block_stop(0),
)
stream('text_initial', block_start(0, text('he')), block_delta(0, **text_delta('llo')), block_stop(0))
stream(
    'two',
    block_start(0, text('')),
    block_delta(0, **text_delta('a')),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('b')),
    block_stop(1),
)
stream(
    'think',
    block_start(0, {'type': 'thinking', 'thinking': '', 'signature': ''}),
    block_delta(0, type='thinking_delta', thinking='h'),
    block_delta(0, type='thinking_delta', thinking='m'),
    block_delta(0, type='signature_delta', signature='sig'),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('b')),
    block_stop(1),
)
stream(
    'redacted',
    block_start(0, {'type': 'redacted_thinking', 'data': 'xx'}),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('b')),
    block_stop(1),
)
stream(
    'calls',
    block_start(0, {'type': 'tool_use', 'id': 'i1', 'name': 't1', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json=''),
    block_delta(0, type='input_json_delta', partial_json='{"x"'),
    block_delta(0, type='input_json_delta', partial_json=':1}'),
    block_stop(0),
    block_start(1, {'type': 'tool_use', 'id': 'i2', 'name': 't2', 'input': {}}),
    block_stop(1),
    tail=end('tool_use'),
    params=Parameters(function_tools=[TOOL]),
)
stream(
    'out',
    block_start(0, {'type': 'tool_use', 'id': 'i1', 'name': 'final_result', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"x":1}'),
    block_stop(0),
    tail=end('tool_use'),
    params=WITH_TOOLS_AND_OUTPUT,
)
stream(
    'ws',
    block_start(0, {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"query":"q"}'),
    block_stop(0),
    block_start(
        1,
        {
            'type': 'web_search_tool_result',
            'tool_use_id': 's1',
            'content': [
                {'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': '1'}
            ],
        },
    ),
    block_stop(1),
    block_start(2, text('')),
    block_delta(2, **text_delta('a')),
    block_stop(2),
)
stream(
    'mcp',
    block_start(0, {'type': 'mcp_tool_use', 'id': 'm1', 'name': 'echo', 'server_name': 'srv', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"a":1}'),
    block_stop(0),
    block_start(
        1,
        {
            'type': 'mcp_tool_result',
            'tool_use_id': 'm1',
            'is_error': False,
            'content': [{'type': 'text', 'text': 'x', 'citations': None}],
        },
    ),
    block_stop(1),
)
stream(
    'code',
    block_start(0, {'type': 'server_tool_use', 'id': 's1', 'name': 'code_execution', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"code":"1"}'),
    block_stop(0),
    block_start(
        1,
        {
            'type': 'code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
        },
    ),
    block_stop(1),
)
stream(
    'cite',
    block_start(0, text('')),
    block_delta(
        0,
        type='citations_delta',
        citation={
            'type': 'char_location',
            'cited_text': 'x',
            'document_index': 0,
            'document_title': 't',
            'start_char_index': 0,
            'end_char_index': 1,
            'file_id': None,
        },
    ),
    block_delta(0, **text_delta('a')),
    block_stop(0),
)
stream('ping', {'type': 'ping'}, block_start(0, text('')), block_delta(0, **text_delta('a')), block_stop(0))
stream('refusal', block_start(0, text('')), block_delta(0, **text_delta('a')), block_stop(0), tail=end('refusal'))
stream(
    'weird',
    block_start(0, {'type': 'weird'}),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('a')),
    block_stop(1),
    tail=end('weird'),
)
stream('maxtok', block_start(0, text('')), block_delta(0, **text_delta('a')), block_stop(0), tail=end('max_tokens'))
stream(
    'err',
    block_start(0, text('')),
    block_delta(0, **text_delta('a')),
    {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'over'}},
)
stream('empty', tail=[])
stream(
    'usage_end',
    block_start(0, text('')),
    block_delta(0, **text_delta('a')),
    block_stop(0),
    tail=[
        {
            'type': 'message_delta',
            'delta': {'stop_reason': 'end_turn', 'stop_sequence': None},
            'usage': {
                'input_tokens': 20,
                'output_tokens': 7,
                'cache_read_input_tokens': 4,
                'cache_creation_input_tokens': 1,
            },
        },
        {'type': 'message_stop'},
    ],
)
case('s_none', reply=as_sse([], done=False))


# What is better here than there: blocks that nobody knows yet are left out, streams that end too early are errors.
BETTER = {'ctx', 'r_unknown', 'r_nousage', 's_empty'}
cases.drop(BETTER)


def client_of(wire: Wire) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=wire.url, api_key='k', max_retries=0)


async def run(name: str, wire: Wire, client: anthropic.AsyncAnthropic) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = AnthropicModel(model_name, provider=AnthropicProvider(anthropic_client=client), profile=profile)
    headers = ('anthropic-beta',)
    return await facts(model, wire, messages, params, settings, stream=name.startswith('s_'), headers=headers)
