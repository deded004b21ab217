"""Requests to Anthropic and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import anthropic
from _facts import R, U, facts
from _requests import (
    BOTH as TCO,
    OBJECT as oo,
    OUT as out,
    PNG,
    TOOL as tool,
    TOOL_LOOSE as tool_loose,
    TOOL_NOT_STRICT as tool_nostrict,
    TOOL_STRICT as tool_strict,
    TOOLS as TC,
    Cases,
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
from stead.models import ModelRequestParameters as P
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


def completion(content=None, stop='end_turn', **kw):
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
        **kw,
    }


cases = Cases('claude-sonnet-4-5', lambda: as_json(completion()))
case = cases.add

case('plain')
case('instructions', [ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')])
case(
    'instruction_parts',
    params=P(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
)
case('system', [U(SystemPromptPart('sys'), 'hi')])
case(
    'system+instr',
    [ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')],
)
case(
    'system+instrparts',
    [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')],
    params=P(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
)
case('system_mid', [U(SystemPromptPart('s1'), 'hi'), R('x'), U(SystemPromptPart('s2'), 'hi2')])
case('history', [U('a'), R('b'), U('c'), R('d', 'e'), U('f')])
case('two_user', [U('a', 'b'), U('c')])
case(
    'calls',
    [
        U('a'),
        R('let me', ToolCallPart('t1', '{"x":1}', 'id1'), ToolCallPart('t1', {'x': 2}, 'id2')),
        U(ToolReturnPart('t1', {'r': 1}, 'id1'), ToolReturnPart('t1', 'text', 'id2')),
    ],
)
case(
    'calls_noargs',
    [
        U('a'),
        R(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', '', 'id2')),
        U(ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id2'), 'more'),
    ],
)
case('calls_bad', [U('a'), R(ToolCallPart('t1', 'bad{', 'id3')), U(ToolReturnPart('t1', 3, 'id3'))])
case('calls_list', [U('a'), R(ToolCallPart('t1', '[1]', 'id3')), U(ToolReturnPart('t1', 3, 'id3'))])
case(
    'retry', [U('a'), R(ToolCallPart('t1', '{}', 'id1')), U(RetryPromptPart('bad', tool_name='t1', tool_call_id='id1'))]
)
case('retry_notool', [U('a'), R('b'), U(RetryPromptPart('bad thing'))])
case(
    'failed', [U('a'), R(ToolCallPart('t1', '{}', 'id1')), U(ToolReturnPart('t1', 'denied!', 'id1', outcome='denied'))]
)
case(
    'failed2', [U('a'), R(ToolCallPart('t1', '{}', 'id1')), U(ToolReturnPart('t1', 'denied!', 'id1', outcome='failed'))]
)
case(
    'tool_files',
    [
        U('a'),
        R(ToolCallPart('t1', '{}', 'id1')),
        U(ToolReturnPart('t1', ['see', BinaryContent(PNG, media_type='image/png', identifier='f1')], 'id1'), 'next'),
    ],
)
case(
    'tool_pdf',
    [
        U('a'),
        R(ToolCallPart('t1', '{}', 'id1')),
        U(ToolReturnPart('t1', BinaryContent(b'pdf', media_type='application/pdf', identifier='f1'), 'id1')),
    ],
)
case(
    'tool_mixed',
    [
        U('a'),
        R(ToolCallPart('t1', '{}', 'id1')),
        U(
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
        U('a'),
        R(ToolCallPart('t1', '{}', 'id1')),
        U(ToolReturnPart('t1', BinaryContent(b'w', media_type='audio/wav', identifier='f1'), 'id1')),
    ],
)
case('thinking', [U('a'), R(ThinkingPart('hmm'), 'b'), U('c')])
case('thinking_sig', [U('a'), R(ThinkingPart('hmm', signature='sig', provider_name='anthropic'), 'b'), U('c')])
case('thinking_sig_other', [U('a'), R(ThinkingPart('hmm', signature='sig', provider_name='openai'), 'b'), U('c')])
case(
    'thinking_redacted',
    [U('a'), R(ThinkingPart('', id='redacted_thinking', signature='sig', provider_name='anthropic'), 'b'), U('c')],
)
case('thinking_empty', [U('a'), R(ThinkingPart(''), 'b'), U('c')])
case('empty_resp', [U('a'), R(), U('c')])
case('empty_text', [U('a'), R(''), U('c')])
case('empty_user', [U('')])
case('ws_user', [U('a'), R('b '), U('c')])
case(
    'native_parts',
    [
        U('a'),
        R(
            NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'web_search',
                [{'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': None}],
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        U('c'),
    ],
)
case(
    'native_parts_other',
    [
        U('a'),
        R(
            NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='openai'),
            NativeToolReturnPart('web_search', {'a': 1}, 'n1', provider_name='openai'),
            'b',
        ),
        U('c'),
    ],
)
case(
    'native_parts_code',
    [
        U('a'),
        R(
            NativeToolCallPart('code_execution', {'code': '1'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'code_execution',
                {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        U('c'),
    ],
)
case(
    'native_parts_fetch',
    [
        U('a'),
        R(
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
        U('c'),
    ],
)
case('file_part', [U('a'), R('b', FilePart(BinaryContent(PNG, media_type='image/png'))), U('c')])
case('tools', params=P(function_tools=[tool, tool_loose, tool_strict, tool_nostrict]))
case('tools_old', params=P(function_tools=[tool, tool_loose, tool_strict, tool_nostrict]), model='claude-3-5-sonnet')
case('output_tool', params=P(function_tools=[tool], output_tools=[out], output_mode='tool', allow_text_output=False))
case('output_tool_text', params=P(output_tools=[out], output_mode='tool', allow_text_output=True))
case(
    'output_tool_noforce',
    params=P(output_tools=[out], output_mode='tool', allow_text_output=False),
    model='claude-mythos-5',
)
case('native', params=P(output_mode='native', output_object=oo))
case('native_old', params=P(output_mode='native', output_object=oo), model='claude-3-5-sonnet')
case('native_tools', params=P(output_mode='native', output_object=oo, function_tools=[tool_loose]))
case(
    'native_loose',
    params=P(
        output_mode='native',
        output_object=OutputObjectDefinition(
            json_schema={'type': 'object', 'properties': {'y': {'type': 'string', 'default': 'a', 'minLength': 2}}}
        ),
    ),
)
case('prompted', params=P(output_mode='prompted', output_object=oo))
for n, tc in {
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
    case('tc_' + n, params=TC, settings={'tool_choice': tc})
    case('tco_' + n, params=TCO, settings={'tool_choice': tc})
case('tc_parallel', params=TC, settings={'parallel_tool_calls': False})
case('tc_parallelT', params=TC, settings={'parallel_tool_calls': True})
case('tc_none_parallel', params=TC, settings={'parallel_tool_calls': False, 'tool_choice': 'none'})
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
for st in ('auto', 'default', 'priority'):
    case('tier_' + st, settings={'service_tier': st})
case('tier_a', settings={'anthropic_service_tier': 'standard_only', 'service_tier': 'priority'})
case('meta', settings={'anthropic_metadata': {'user_id': 'u'}})
case('thinkset', settings={'anthropic_thinking': {'type': 'enabled', 'budget_tokens': 1024}, 'max_tokens': 9000})
case('thinkset_out', settings={'anthropic_thinking': {'type': 'enabled', 'budget_tokens': 1024}}, params=TCO)
case(
    'thinkset_auto_out',
    settings={'anthropic_thinking': {'type': 'enabled', 'budget_tokens': 1024}},
    params=P(function_tools=[tool], output_tools=[out], output_object=oo, output_mode='auto', allow_text_output=False),
)
case('betas', settings={'anthropic_betas': ['b1', 'b2']})
case('betas_hdr', settings={'anthropic_betas': ['b1'], 'extra_headers': {'anthropic-beta': 'b3'}})
case('effort', settings={'anthropic_effort': 'high'}, model='claude-opus-4-5')
case('speed', settings={'anthropic_speed': 'fast'}, model='claude-opus-4-6')
case('ctx', settings={'anthropic_context_management': {'edits': [{'type': 'clear_tool_uses_20250919'}]}})
case('container', settings={'anthropic_container': {'id': 'c1'}})
for m in (
    'claude-3-7-sonnet',
    'claude-sonnet-4-5',
    'claude-opus-4-5',
    'claude-opus-4-6',
    'claude-opus-4-7',
    'claude-mythos-5',
):
    for th in (True, False, 'minimal', 'medium', 'xhigh'):
        case(f'think_{m}_{th}', settings={'thinking': th, 'temperature': 0.5}, model=m)
    case(f'think_{m}_max', settings={'thinking': 'high', 'max_tokens': 2000}, model=m)
    case(f'sampling_{m}', settings={'temperature': 0.5, 'top_p': 0.3, 'top_k': 3}, model=m)
    case(f'thinkout_{m}', settings={'thinking': True}, params=TCO, model=m)
ci = 'anthropic_cache_instructions'
ct = 'anthropic_cache_tool_definitions'
cm = 'anthropic_cache_messages'
ca = 'anthropic_cache'
for n, s in {
    'ci': {ci: True},
    'ci1h': {ci: '1h'},
    'ct': {ct: True},
    'cm': {cm: True},
    'cm1h': {cm: '1h'},
    'all': {ci: True, ct: True, cm: True},
    'ca': {ca: True},
    'ca1h': {ca: '1h'},
}.items():
    case(
        'cache_' + n,
        [ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart('hi')], instructions='be'), R('a'), U('b')],
        params=P(function_tools=[tool, tool_loose]),
        settings=s,
    )
case(
    'cache_ci_dyn',
    params=P(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
    settings={ci: True},
)
case('cache_point', [U(['a', CachePoint(), 'b'])])
case('cache_point1h', [U(['a', CachePoint(ttl='1h'), 'b', CachePoint()])])
case('cache_point_first', [U([CachePoint(), 'b'])])
case(
    'cache_many',
    [U(['a', CachePoint(), 'b', CachePoint(), 'c', CachePoint(), 'd', CachePoint(), 'e', CachePoint()])],
    settings={cm: True, ct: True},
    params=P(function_tools=[tool]),
)
media = {
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
for k, v in media.items():
    case('media_' + k, [U(['look', v])])


def N(*t, **k):
    return P(native_tools=list(t), **k)


case(
    'nt_ws',
    params=N(WebSearchTool(max_uses=3, allowed_domains=['a'], blocked_domains=None, user_location={'city': 'B'})),
)
case('nt_ws2', params=N(WebSearchTool(blocked_domains=['b'])))
case('nt_code', params=N(CodeExecutionTool()))
case('nt_code_old', params=N(CodeExecutionTool()), model='claude-3-7-sonnet')
case('nt_fetch', params=N(WebFetchTool(max_uses=1, allowed_domains=['a'], enable_citations=True, max_content_tokens=5)))
case(
    'nt_mem',
    params=N(
        MemoryTool(),
        function_tools=[ToolDefinition(name='memory', parameters_json_schema={'type': 'object', 'properties': {}})],
    ),
)
case('nt_mem_no', params=N(MemoryTool()))
case(
    'nt_mcp',
    params=N(
        MCPServerTool(
            id='m', url='http://m', authorization_token='tok', allowed_tools=['x'], description='d', headers={'a': 'b'}
        )
    ),
)
case('nt_mcp2', params=N(MCPServerTool(id='m', url='http://m')))
case('nt_img', params=N(ImageGenerationTool()))
case('nt_ws_fn', params=N(WebSearchTool(), function_tools=[tool]))


# responses
def resp(name, *a, **k):
    case('r_' + name, reply=as_json(completion(*a, **k)))


def T(t):
    return {'type': 'text', 'text': t}


for f in (
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
    resp(f'stop_{f}', stop=f)
resp('empty', [])
resp('emptytext', [T('')])
resp('two', [T('a'), T('b')])
resp(
    'calls',
    [
        T('a'),
        {'type': 'tool_use', 'id': 'i1', 'name': 't1', 'input': {'x': 1}},
        {'type': 'tool_use', 'id': 'i2', 'name': 't2', 'input': {}},
    ],
    stop='tool_use',
)
resp(
    'think',
    [{'type': 'thinking', 'thinking': 'hm', 'signature': 'sig'}, {'type': 'redacted_thinking', 'data': 'xx'}, T('a')],
)
resp('unknown', [{'type': 'weird', 'x': 1}, T('a')])
resp(
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
resp(
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
        T('a'),
    ],
)
resp(
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
resp(
    'code',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'code_execution', 'input': {'code': '1'}},
        {
            'type': 'code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
        },
        T('a'),
    ],
)
resp(
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
        T('a'),
    ],
)
resp(
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
resp(
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
resp('container', [T('a')], container={'id': 'c1', 'expires_at': '2025-01-01T00:00:00Z', 'skills': None})
resp(
    'usage_full',
    [T('a')],
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
resp('nousage', [T('a')], usage=None)
resp('stopseq', [T('a')], stop='stop_sequence', stop_sequence='XX')
for nm, b in {'garb': b'not json', 'half': b'{'}.items():
    case('r_' + nm, reply=Reply(pieces=[b]))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_obj', reply=as_json({}))
case('r_list', reply=as_json([]))
for st in (400, 401, 429, 500, 529):
    case(f'r_{st}', reply=as_json({'type': 'error', 'error': {'message': 'bad', 'type': 't'}}, status=st))
# streams
USE0 = {'input_tokens': 10, 'output_tokens': 1, 'cache_creation_input_tokens': 2, 'cache_read_input_tokens': 3}
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
        'usage': USE0,
    },
}


def end(stop='end_turn', **kw):
    return [
        {
            'type': 'message_delta',
            'delta': {'stop_reason': stop, 'stop_sequence': None, **kw},
            'usage': {'output_tokens': 7},
        },
        {'type': 'message_stop'},
    ]


def bs(i, b):
    return {'type': 'content_block_start', 'index': i, 'content_block': b}


def bd(i, **d):
    return {'type': 'content_block_delta', 'index': i, 'delta': d}


def be(i):
    return {'type': 'content_block_stop', 'index': i}


def sc(name, *ev, tail=None, **kw):
    case('s_' + name, reply=as_sse([START, *ev, *(end() if tail is None else tail)], done=False, named=True), **kw)


def TD(t):
    return {'type': 'text_delta', 'text': t}


sc('text', bs(0, T('')), bd(0, **TD('he')), bd(0, **TD('llo')), be(0))
sc('text_initial', bs(0, T('he')), bd(0, **TD('llo')), be(0))
sc('two', bs(0, T('')), bd(0, **TD('a')), be(0), bs(1, T('')), bd(1, **TD('b')), be(1))
sc(
    'think',
    bs(0, {'type': 'thinking', 'thinking': '', 'signature': ''}),
    bd(0, type='thinking_delta', thinking='h'),
    bd(0, type='thinking_delta', thinking='m'),
    bd(0, type='signature_delta', signature='sig'),
    be(0),
    bs(1, T('')),
    bd(1, **TD('b')),
    be(1),
)
sc('redacted', bs(0, {'type': 'redacted_thinking', 'data': 'xx'}), be(0), bs(1, T('')), bd(1, **TD('b')), be(1))
sc(
    'calls',
    bs(0, {'type': 'tool_use', 'id': 'i1', 'name': 't1', 'input': {}}),
    bd(0, type='input_json_delta', partial_json=''),
    bd(0, type='input_json_delta', partial_json='{"x"'),
    bd(0, type='input_json_delta', partial_json=':1}'),
    be(0),
    bs(1, {'type': 'tool_use', 'id': 'i2', 'name': 't2', 'input': {}}),
    be(1),
    tail=end('tool_use'),
    params=P(function_tools=[tool]),
)
sc(
    'out',
    bs(0, {'type': 'tool_use', 'id': 'i1', 'name': 'final_result', 'input': {}}),
    bd(0, type='input_json_delta', partial_json='{"x":1}'),
    be(0),
    tail=end('tool_use'),
    params=TCO,
)
sc(
    'ws',
    bs(0, {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {}}),
    bd(0, type='input_json_delta', partial_json='{"query":"q"}'),
    be(0),
    bs(
        1,
        {
            'type': 'web_search_tool_result',
            'tool_use_id': 's1',
            'content': [
                {'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': '1'}
            ],
        },
    ),
    be(1),
    bs(2, T('')),
    bd(2, **TD('a')),
    be(2),
)
sc(
    'mcp',
    bs(0, {'type': 'mcp_tool_use', 'id': 'm1', 'name': 'echo', 'server_name': 'srv', 'input': {}}),
    bd(0, type='input_json_delta', partial_json='{"a":1}'),
    be(0),
    bs(
        1,
        {
            'type': 'mcp_tool_result',
            'tool_use_id': 'm1',
            'is_error': False,
            'content': [{'type': 'text', 'text': 'x', 'citations': None}],
        },
    ),
    be(1),
)
sc(
    'code',
    bs(0, {'type': 'server_tool_use', 'id': 's1', 'name': 'code_execution', 'input': {}}),
    bd(0, type='input_json_delta', partial_json='{"code":"1"}'),
    be(0),
    bs(
        1,
        {
            'type': 'code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
        },
    ),
    be(1),
)
sc(
    'cite',
    bs(0, T('')),
    bd(
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
    bd(0, **TD('a')),
    be(0),
)
sc('ping', {'type': 'ping'}, bs(0, T('')), bd(0, **TD('a')), be(0))
sc('refusal', bs(0, T('')), bd(0, **TD('a')), be(0), tail=end('refusal'))
sc('weird', bs(0, {'type': 'weird'}), be(0), bs(1, T('')), bd(1, **TD('a')), be(1), tail=end('weird'))
sc('maxtok', bs(0, T('')), bd(0, **TD('a')), be(0), tail=end('max_tokens'))
sc('err', bs(0, T('')), bd(0, **TD('a')), {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'over'}})
sc('empty', tail=[])
sc(
    'usage_end',
    bs(0, T('')),
    bd(0, **TD('a')),
    be(0),
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
