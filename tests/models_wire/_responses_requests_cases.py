"""Tools, outputs, settings, media and native tools, as they are sent to the Responses API."""

from __future__ import annotations

from _responses_bodies import response_body
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
    TextContent,
    UploadedFile,
    VideoUrl,
)
from stead.native_tools import CodeExecutionTool, FileSearchTool, ImageGenerationTool, MCPServerTool, WebSearchTool
from stead.output import OutputObjectDefinition
from stead.settings import ToolOrOutput

cases = Cases('gpt-4o', lambda: as_json(response_body()))
case = cases.add
case('tools', params=Parameters(function_tools=[TOOL, TOOL_LOOSE, TOOL_STRICT, TOOL_NOT_STRICT]))
case(
    'output_tool',
    params=Parameters(function_tools=[TOOL], output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
)
case('native', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT))
case(
    'native_loose',
    params=Parameters(
        output_mode='native',
        output_object=OutputObjectDefinition(
            json_schema={'type': 'object', 'properties': {'y': {'type': 'string', 'default': 'a'}}}
        ),
    ),
)
case('prompted', params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT))
case('prompted_tools', params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, function_tools=[TOOL]))
for name, choice in {
    'none': 'none',
    'auto': 'auto',
    'required': 'required',
    'list1': ['t1'],
    'list2': ['t1', 't2'],
    'too': ToolOrOutput(['t1']),
    'empty': [],
}.items():
    case('tc_' + name, params=WITH_TOOLS, settings={'tool_choice': choice})
    case('tco_' + name, params=WITH_TOOLS_AND_OUTPUT, settings={'tool_choice': choice})
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
        'frequency_penalty': 0.2,
        'logit_bias': {'1': 2},
        'stop_sequences': ['x'],
        'extra_headers': {'x-a': 'b'},
        'extra_body': {'zz': 1},
        'service_tier': 'flex',
        'parallel_tool_calls': True,
    },
)
case('settings_tools', params=WITH_TOOLS, settings={'parallel_tool_calls': False})
case(
    'settings_openai',
    settings={
        'openai_reasoning_effort': 'low',
        'openai_logprobs': True,
        'openai_top_logprobs': 2,
        'openai_store': True,
        'openai_user': 'u',
        'openai_service_tier': 'priority',
        'openai_prompt_cache_key': 'k',
        'openai_prompt_cache_retention': '24h',
        'openai_truncation': 'auto',
        'openai_text_verbosity': 'low',
        'openai_reasoning_summary': 'detailed',
    },
)
case(
    'settings_incl',
    settings={
        'openai_include_code_execution_outputs': True,
        'openai_include_web_search_sources': True,
        'openai_include_file_search_results': True,
    },
)
case('settings_gensum', settings={'openai_reasoning_generate_summary': 'concise'}, model='gpt-5')
case(
    'verb_native',
    settings={'openai_text_verbosity': 'low'},
    params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT),
)
case('ctxm', settings={'openai_context_management': [{'type': 'compaction', 'compact_threshold': 5}]})
case('ntools', settings={'openai_native_tools': [{'type': 'file_search', 'vector_store_ids': ['v']}]})
HISTORY = [request_of('a'), response_of('b', provider_response_id='resp_0', provider_name='openai'), request_of('c')]
case('prev_auto', HISTORY, settings={'openai_previous_response_id': 'auto'})
case('prev_id', HISTORY, settings={'openai_previous_response_id': 'resp_x'})
case('prev_auto_none', settings={'openai_previous_response_id': 'auto'})
case(
    'prev_auto_other',
    [request_of('a'), response_of('b', provider_response_id='resp_0', provider_name='anthropic'), request_of('c')],
    settings={'openai_previous_response_id': 'auto'},
)
case(
    'conv_auto',
    [
        request_of('a'),
        response_of(
            'b', provider_response_id='resp_0', provider_name='openai', provider_details={'conversation_id': 'conv_1'}
        ),
        request_of('c'),
    ],
    settings={'openai_conversation_id': 'auto'},
)
case('conv_id', HISTORY, settings={'openai_conversation_id': 'conv_x'})
for model in ('gpt-5', 'gpt-5.1', 'gpt-4o'):
    for level in (True, False, 'low'):
        case(f'think_{model}_{level}', settings={'thinking': level, 'temperature': 0.5, 'top_p': 0.3}, model=model)
    case(f'think_{model}_unset', settings={'temperature': 0.5}, model=model)
MEDIA = {
    'img': ImageUrl('http://x.com/i.png'),
    'img_detail': ImageUrl('http://x.com/i.png', vendor_metadata={'detail': 'low'}),
    'bin_img': BinaryContent(PNG, media_type='image/png'),
    'bin_img_detail': BinaryContent(PNG, media_type='image/png', vendor_metadata={'detail': 'high'}),
    'bin_wav': BinaryContent(b'wav', media_type='audio/wav'),
    'bin_pdf': BinaryContent(b'pdf', media_type='application/pdf'),
    'bin_txt': BinaryContent(b'h', media_type='text/plain', identifier='idt'),
    'bin_csv': BinaryContent(b'a,b', media_type='text/csv', identifier='idc'),
    'bin_vid': BinaryContent(b'v', media_type='video/mp4'),
    'bin_docx': BinaryContent(
        b'd', media_type='application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    ),
    'text': TextContent('tc'),
    'cache': CachePoint(),
    'uploaded': UploadedFile('file-1', provider_name='openai'),
    'uploaded_img': UploadedFile('file-1', provider_name='openai', media_type='image/png'),
    'uploaded_other': UploadedFile('file-1', provider_name='anthropic'),
    'video': VideoUrl('http://x.com/v.mp4'),
    'doc': DocumentUrl('http://x.com/a.pdf'),
    'audio': AudioUrl('http://x.com/a.mp3'),
}
for name, item in MEDIA.items():
    case('media_' + name, [request_of(['look', item])])


def with_native(*tools, **fields):
    return Parameters(native_tools=list(tools), **fields)


case(
    'nt_ws',
    params=with_native(
        WebSearchTool(search_context_size='low', user_location={'city': 'B'}, allowed_domains=['a'], max_uses=2)
    ),
)
case('nt_ws_plain', params=with_native(WebSearchTool()))
case('nt_ws_block', params=with_native(WebSearchTool(blocked_domains=['b'])))
case('nt_ci', params=with_native(CodeExecutionTool()))
case('nt_fs', params=with_native(FileSearchTool(file_store_ids=['v1'])))
case(
    'nt_mcp',
    params=with_native(
        MCPServerTool(
            id='m', url='http://m', authorization_token='tok', allowed_tools=['x'], description='d', headers={'a': 'b'}
        )
    ),
)
case(
    'nt_mcp_conn',
    params=with_native(MCPServerTool(id='m', url='x-openai-connector:connector_gmail', authorization_token='tok')),
)
case('nt_img', params=with_native(ImageGenerationTool()))
case(
    'nt_img2',
    params=with_native(
        ImageGenerationTool(
            size='1024x1536',
            quality='low',
            output_format='jpeg',
            output_compression=50,
            partial_images=1,
            input_fidelity='high',
            model='gpt-image-1',
            aspect_ratio='2:3',
        )
    ),
)
case(
    'nt_img_out',
    params=Parameters(allow_image_output=True, allow_text_output=False, native_tools=[ImageGenerationTool()]),
)
case('nt_fn', params=with_native(CodeExecutionTool(), function_tools=[TOOL]))
