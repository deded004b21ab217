"""Histories with every kind of part, of any provider, sent to every vendor; see `record.py`."""

from __future__ import annotations

from typing import Any

from _vendors import Cases, Clients
from _vocabulary import Parameters, request_of, response_of

from stead.messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelRequest,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from stead.native_tools import CodeExecutionTool, MCPServerTool, MemoryTool, WebFetchTool, WebSearchTool
from stead.tools import ToolDefinition

cases = Cases()
case = cases.add
MODELS = {'chat': 'gpt-5', 'responses': 'gpt-5', 'anthropic': 'claude-sonnet-4-5'}
PNG = b'\x89PNG\r\n'
IMAGE = BinaryContent(PNG, media_type='image/png', identifier='pic')


def native(name: str, args: Any, content: Any, provider: str | None, **more: Any) -> list[Any]:
    return [
        NativeToolCallPart(name, args, 'n1', provider_name=provider, **more),
        NativeToolReturnPart(name, content, 'n1', provider_name=provider, **more),
    ]


for provider in ('openai', 'anthropic', None):
    parts: dict[str, list[Any]] = {
        'text': [TextPart('t', id='msg_1', provider_name=provider, provider_details={'phase': 'final_answer'})],
        'thinking': [ThinkingPart('hm', provider_name=provider), 't'],
        'thinking_id': [ThinkingPart('hm', id='rs_1', provider_name=provider), 't'],
        'thinking_field': [ThinkingPart('hm', id='reasoning_content', provider_name=provider), 't'],
        'thinking_content': [ThinkingPart('hm', id='content', provider_name=provider), 't'],
        'thinking_signed': [ThinkingPart('hm', id='rs_1', signature='s', provider_name=provider), 't'],
        'thinking_sealed': [ThinkingPart('', id='rs_1', signature='s', provider_name=provider), 't'],
        'thinking_redacted': [ThinkingPart('', id='redacted_thinking', signature='s', provider_name=provider), 't'],
        'thinking_raw': [
            ThinkingPart('hm', id='rs_1', provider_name=provider, provider_details={'raw_content': ['a', 'b']}),
            't',
        ],
        'thinking_many': [
            ThinkingPart('a', id='rs_1', signature='s', provider_name=provider),
            ThinkingPart('b', id='rs_1', provider_name=provider),
            ThinkingPart('c', id='rs_2', signature='u', provider_name=provider),
            't',
        ],
        'thinking_only': [ThinkingPart('hm', signature='s', provider_name=provider)],
        'call': [ToolCallPart('plain', '{"x":1}', 'c1', id='fc_1', provider_name=provider), 't'],
        'file': [FilePart(IMAGE, id='f1', provider_name=provider), 't'],
        'web_search': [*native('web_search', {'query': 'q'}, [{'url': 'u'}], provider), 't'],
        'web_search_openai': [
            *native('web_search', {'type': 'search', 'query': 'q'}, {'status': 'completed', 'sources': []}, provider),
            't',
        ],
        'web_fetch': [*native('web_fetch', {'url': 'u'}, {'type': 'web_fetch_result'}, provider), 't'],
        'code': [*native('code_execution', {'code': '1'}, {'type': 'code_execution_result'}, provider), 't'],
        'bash': [
            *native(
                'code_execution',
                {'command': 'ls'},
                {'stdout': ''},
                provider,
                provider_details={'anthropic_tool_name': 'bash_code_execution'},
            ),
            't',
        ],
        'code_openai': [
            *native(
                'code_execution', {'code': '1', 'container_id': 'k'}, {'status': 'failed', 'logs': ['l']}, provider
            ),
            't',
        ],
        'image': [
            *native('image_generation', None, {'status': 'completed', 'size': 's'}, provider),
            FilePart(IMAGE),
            't',
        ],
        'file_search': [
            *native('file_search', {'queries': ['q']}, {'status': 'completed', 'results': []}, provider),
            't',
        ],
        'memory': [*native('memory', {'command': 'view'}, {'x': 1}, provider), 't'],
        'mcp_anthropic': [
            *native(
                'mcp_server:srv',
                {'action': 'call_tool', 'tool_name': 'e', 'tool_args': {'a': 1}},
                {'content': [{'type': 'text', 'text': 'x'}], 'is_error': False},
                provider,
            ),
            't',
        ],
        'unknown': [*native('strange', {'a': 1}, 'b', provider), 't'],
        'call_alone': [NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name=provider), 't'],
        'return_alone': [NativeToolReturnPart('web_search', [], 'n1', provider_name=provider), 't'],
        'args_text': [*native('web_search', '{"query":"q"}', 'text', provider), 't'],
        'args_broken': [*native('code_execution', '{"code":"', 'text', provider), 't'],
    }
    for name, response_parts in parts.items():
        returned = [ToolReturnPart('plain', 1, 'c1')] if name == 'call' else []
        messages = [request_of('a'), response_of(*response_parts, provider_name=provider), request_of(*returned, 'b')]
        for vendor, model in MODELS.items():
            case(f'{vendor}/{name}_{provider}', messages, model=model)

# Prompts and what tools return.
CONTENT: dict[str, Any] = {
    'text': TextContent('t'),
    'image': IMAGE,
    'image_low': BinaryContent(PNG, media_type='image/png', vendor_metadata={'detail': 'low'}),
    'image_url': ImageUrl('https://x.test/a.png'),
    'image_url_low': ImageUrl('https://x.test/a.png', vendor_metadata={'detail': 'high'}),
    'gif': BinaryContent(b'g', media_type='image/gif'),
    'wav': BinaryContent(b'w', media_type='audio/wav'),
    'mp3': BinaryContent(b'w', media_type='audio/mpeg'),
    'ogg': BinaryContent(b'w', media_type='audio/ogg'),
    'mp4': BinaryContent(b'w', media_type='video/mp4'),
    'pdf': BinaryContent(b'p', media_type='application/pdf', identifier='doc'),
    'docx': BinaryContent(b'p', media_type='application/vnd.openxmlformats-officedocument.wordprocessingml.document'),
    'txt': BinaryContent(b'plain', media_type='text/plain', identifier='doc'),
    'html': BinaryContent(b'<b>', media_type='text/html', identifier='doc'),
    'json': BinaryContent(b'{}', media_type='application/json', identifier='doc'),
    'zip': BinaryContent(b'z', media_type='application/zip'),
    'pdf_url': DocumentUrl('https://x.test/a.pdf'),
    'video_url': VideoUrl('https://x.test/a.mp4'),
    'youtube': VideoUrl('https://youtube.com/watch?v=1'),
    'uploaded_openai': UploadedFile('file-1', provider_name='openai', media_type='application/pdf'),
    'uploaded_openai_image': UploadedFile('file-1', provider_name='openai', media_type='image/png'),
    'uploaded_anthropic': UploadedFile('file-1', provider_name='anthropic', media_type='application/pdf'),
    'uploaded_anthropic_image': UploadedFile('file-1', provider_name='anthropic', media_type='image/png'),
    'uploaded_anthropic_text': UploadedFile('file-1', provider_name='anthropic', media_type='text/plain'),
    'cache': CachePoint(),
}
for name, item in CONTENT.items():
    for vendor, model in MODELS.items():
        case(f'{vendor}/prompt_{name}', [request_of(['see', item, 'and say'])], model=model)
        back = ToolReturnPart('plain', item, 'c1')
        many = ToolReturnPart('plain', ['see', item, {'a': 1}], 'c1')
        for how, returned in {'one': [back], 'more': [many, 'next']}.items():
            if name not in ('cache', 'text'):
                messages = [request_of('a'), response_of(ToolCallPart('plain', '{}', 'c1')), request_of(*returned)]
                case(f'{vendor}/return_{how}_{name}', messages, model=model)

# Order and odd shapes.
SHAPES: dict[str, Any] = {
    'nothing': [ModelRequest(parts=[])],
    'instructions': [ModelRequest(parts=[], instructions='do')],
    'empty_prompt': [request_of('')],
    'empty_list': [request_of([])],
    'empty_items': [request_of(['', 'a', ''])],
    'system_only': [request_of(SystemPromptPart('s'))],
    'system_late': [request_of('a'), response_of('b'), request_of(SystemPromptPart('s'), 'c')],
    'system_between': [request_of('a', SystemPromptPart('s'), 'b')],
    'response_first': [response_of('hi'), request_of('a')],
    'response_last': [request_of('a'), response_of('b')],
    'responses': [request_of('a'), response_of('b'), response_of('c'), request_of('d')],
    'requests': [request_of('a'), request_of('b')],
    'blank': [request_of('a'), response_of(' '), request_of('b')],
    'instructions_old': [
        ModelRequest(parts=[UserPromptPart('a')], instructions='old'),
        response_of('b'),
        request_of('c'),
    ],
    'retry_text': [request_of('a'), response_of('b'), request_of(RetryPromptPart('no good'))],
    'retry_errors': [
        request_of('a'),
        response_of(ToolCallPart('plain', {}, 'c1')),
        request_of(
            RetryPromptPart(
                [{'type': 'missing', 'loc': ('x',), 'msg': 'Field required', 'input': {}}],
                tool_name='plain',
                tool_call_id='c1',
            )
        ),
    ],
    'call_before_text': [
        request_of('a'),
        response_of(ToolCallPart('plain', {}, 'c1'), 'later'),
        request_of(ToolReturnPart('plain', None, 'c1')),
    ],
    'call_args': [
        request_of('a'),
        response_of(
            ToolCallPart('plain', '', 'c1'), ToolCallPart('plain', None, 'c2'), ToolCallPart('plain', '[1]', 'c3')
        ),
        request_of(*(ToolReturnPart('plain', value, f'c{n}') for n, value in enumerate(('', {}, []), 1))),
    ],
    'returns': [
        request_of('a'),
        response_of(*(ToolCallPart('plain', {}, f'c{n}') for n in range(5))),
        request_of(
            *(ToolReturnPart('plain', value, f'c{n}') for n, value in enumerate((True, 1.5, b'by', {'é': 1}, 'ü')))
        ),
    ],
    'outcomes': [
        request_of('a'),
        response_of(ToolCallPart('plain', {}, 'c1'), ToolCallPart('plain', {}, 'c2')),
        request_of(
            ToolReturnPart('plain', 'no', 'c1', outcome='denied'), ToolReturnPart('plain', 'no', 'c2', outcome='failed')
        ),
    ],
    'cache_first': [request_of([CachePoint(), 'a'])],
    'cache_twice': [request_of(['a', CachePoint(), CachePoint(ttl='1h')])],
    'cache_image': [request_of([IMAGE, CachePoint()])],
    'cache_empty': [request_of(['', CachePoint(), 'a'])],
    'cache_second': [request_of('x'), response_of('y'), request_of(['a', CachePoint(), 'b'])],
}
for name, messages in SHAPES.items():
    for vendor, model in MODELS.items():
        case(f'{vendor}/shape_{name}', messages, model=model)
        if vendor != 'anthropic':
            case(f'{vendor}/shape_{name}_sys', messages, model='o1-mini')

# Cache settings of Anthropic, among native tools and several messages.
TOOL = ToolDefinition(name='plain', parameters_json_schema={'type': 'object', 'properties': {}})
MEMORY = ToolDefinition(name='memory', parameters_json_schema={'type': 'object', 'properties': {}})
SENT = {
    'functions': Parameters(function_tools=[TOOL, MEMORY]),
    'native': Parameters(function_tools=[TOOL], native_tools=[WebSearchTool(), WebFetchTool(), CodeExecutionTool()]),
    'memory': Parameters(function_tools=[TOOL, MEMORY], native_tools=[MemoryTool()]),
    'memory_only': Parameters(function_tools=[MEMORY], native_tools=[MemoryTool()]),
    'mcp': Parameters(native_tools=[MCPServerTool(id='m', url='https://m.test')]),
}
LONG = [request_of('a'), response_of('b'), request_of(['c', CachePoint(), 'd']), response_of('e'), request_of('f', 'g')]
CALLS = [request_of('a'), response_of(ToolCallPart('plain', {}, 'c1')), request_of(ToolReturnPart('plain', 1, 'c1'))]
FIRST = [
    request_of(SystemPromptPart('s'), 'a'),
    response_of(ThinkingPart('x', signature='s', provider_name='anthropic'), 'b'),
    request_of('c'),
]
for name, sent in SENT.items():
    for key in ('cache_tool_definitions', 'cache_instructions', 'cache_messages', 'cache'):
        for what, messages in {'long': LONG, 'calls': CALLS, 'first': FIRST}.items():
            case(f'anthropic/{key}_{name}_{what}', messages, sent, {f'anthropic_{key}': True})
every: Any = {
    f'anthropic_{key}': '1h' for key in ('cache_tool_definitions', 'cache_instructions', 'cache_messages', 'cache')
}
for what, messages in {'long': LONG, 'calls': CALLS, 'first': FIRST}.items():
    case(f'anthropic/cache_every_{what}', messages, SENT['native'], every)
ends: list[Any] = [
    response_of(ThinkingPart('x', signature='s', provider_name='anthropic'), provider_name='anthropic'),
    response_of('b'),
    request_of(IMAGE),
]
for number, end in enumerate(ends):
    case(f'anthropic/cache_end_{number}', [request_of('a'), end], settings={'anthropic_cache_messages': True})


# What is better here than there: thinking that cannot be read is left out, files of others are refused at once, and more
# is cached.
BETTER = {
    *(f'responses/thinking_{what}_{provider}' for what in ('sealed', 'redacted') for provider in ('anthropic', None)),
    *(name for name in cases if name.startswith('responses/return_') and '_uploaded_anthropic' in name),
    *(name for name in cases if name.startswith('anthropic/cache_tool_definitions_memory')),
    *(f'anthropic/cache_every_{what}' for what in ('long', 'calls', 'first')),
    'anthropic/cache_end_0',
}
cases.drop(BETTER)

client_of, run = Clients, cases.run
