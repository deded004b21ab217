"""Tools, outputs, settings, cache points, media and native tools, as they are sent to Anthropic."""

from __future__ import annotations

from _anthropic_bodies import message_body
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
from _wire import as_json

from stead.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    SystemPromptPart,
    TextContent,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from stead.native_tools import (
    CodeExecutionTool,
    ImageGenerationTool,
    MCPServerTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
)
from stead.output import OutputObjectDefinition
from stead.settings import ToolOrOutput
from stead.tools import ToolDefinition

cases = Cases('claude-sonnet-4-5', lambda: as_json(message_body()))
case = cases.add
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
