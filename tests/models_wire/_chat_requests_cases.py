"""Tools, outputs, settings, media and native tools, as they are sent in chat completions."""

from __future__ import annotations

import dataclasses

from _chat_bodies import completion_body
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
)
from _wire import as_json

from stead.messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    TextContent,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from stead.native_tools import CodeExecutionTool, WebSearchTool
from stead.output import OutputObjectDefinition
from stead.profiles.openai import OpenAIModelProfile
from stead.settings import ToolOrOutput

cases = Cases('gpt-4o', lambda: as_json(completion_body()))
case = cases.add
case('tools', params=Parameters(function_tools=[TOOL, TOOL_LOOSE, TOOL_STRICT, TOOL_NOT_STRICT]))
case(
    'tools_nostrict_profile',
    params=Parameters(function_tools=[TOOL, TOOL_STRICT]),
    profile=OpenAIModelProfile(openai_supports_strict_tool_definition=False),
)
case(
    'output_tool',
    params=Parameters(function_tools=[TOOL], output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
)
case('output_tool_only', params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False))
case('output_tool_text', params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=True))
case(
    'output_tool_norequired',
    params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
    profile=OpenAIModelProfile(openai_supports_tool_choice_required=False),
)
case('native', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT, allow_text_output=True))
case('native_tools', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT, function_tools=[TOOL_LOOSE]))
case(
    'native_strictF',
    params=Parameters(output_mode='native', output_object=dataclasses.replace(OUTPUT_OBJECT, strict=False)),
)
case(
    'native_strictT',
    params=Parameters(
        output_mode='native', output_object=dataclasses.replace(OUTPUT_OBJECT, strict=True, name=None, description=None)
    ),
)
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
case(
    'prompted_instr',
    [ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')],
    params=Parameters(
        output_mode='prompted', output_object=OUTPUT_OBJECT, instruction_parts=[InstructionPart(content='be nice')]
    ),
)
case(
    'prompted_nojson',
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT),
    profile=OpenAIModelProfile(supports_json_object_output=False),
)
for name, choice in {
    'none': 'none',
    'auto': 'auto',
    'required': 'required',
    'list1': ['t1'],
    'list2': ['t1', 't2'],
    'too': ToolOrOutput(['t1']),
    'too0': ToolOrOutput([]),
    'listall': ['t1', 't2', 'final_result'],
    'unknown': ['zz'],
    'empty': [],
    'null': None,
}.items():
    case('tc_' + name, params=WITH_TOOLS, settings={'tool_choice': choice})
    case('tco_' + name, params=WITH_TOOLS_AND_OUTPUT, settings={'tool_choice': choice})
    case(
        'tcn_' + name,
        params=WITH_TOOLS_AND_OUTPUT,
        settings={'tool_choice': choice},
        profile=OpenAIModelProfile(openai_supports_tool_choice_required=False),
    )
case('tc_notools', settings={'tool_choice': 'required'})
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
        'openai_prediction': {'type': 'content', 'content': 'x'},
        'openai_prompt_cache_key': 'k',
        'openai_prompt_cache_retention': '24h',
    },
)
case('settings_ua', settings={'extra_headers': {'User-Agent': 'me'}})
for model in ('gpt-5', 'gpt-5.1', 'gpt-4o', 'o3', 'gpt-5.4'):
    for level in (True, False, 'minimal', 'low', 'xhigh'):
        case(
            f'think_{model}_{level}',
            settings={'thinking': level, 'temperature': 0.5, 'top_p': 0.3, 'openai_logprobs': True, 'max_tokens': 9},
            model=model,
        )
    case(f'think_{model}_unset', settings={'temperature': 0.5, 'logit_bias': {'1': 1}}, model=model)
    case(f'think_{model}_effnone', settings={'temperature': 0.5, 'openai_reasoning_effort': 'none'}, model=model)
    case(
        f'think_{model}_eff',
        settings={'temperature': 0.5, 'openai_reasoning_effort': 'high', 'thinking': 'low'},
        model=model,
    )
case(
    'unsupported',
    settings={'temperature': 0.5, 'seed': 3, 'openai_user': 'u', 'parallel_tool_calls': True},
    params=WITH_TOOLS,
    profile=OpenAIModelProfile(openai_unsupported_model_settings=('seed', 'openai_user', 'parallel_tool_calls')),
)
case(
    'nosampling',
    settings={'temperature': 0.5, 'seed': 3},
    profile=OpenAIModelProfile(openai_supports_sampling_settings=False),
)
MEDIA = {
    'img': ImageUrl('http://x.com/i.png'),
    'img_detail': ImageUrl('http://x.com/i.png', vendor_metadata={'detail': 'low'}),
    'bin_img': BinaryContent(PNG, media_type='image/png'),
    'bin_img_detail': BinaryContent(PNG, media_type='image/png', vendor_metadata={'detail': 'high'}),
    'bin_wav': BinaryContent(b'wav', media_type='audio/wav'),
    'bin_mp3': BinaryContent(b'mp3', media_type='audio/mpeg'),
    'bin_ogg': BinaryContent(b'ogg', media_type='audio/ogg'),
    'bin_pdf': BinaryContent(b'pdf', media_type='application/pdf'),
    'bin_txt': BinaryContent('hé'.encode(), media_type='text/plain', identifier='idt'),
    'bin_json': BinaryContent(b'{}', media_type='application/json', identifier='idj'),
    'bin_vid': BinaryContent(b'v', media_type='video/mp4'),
    'bin_docx': BinaryContent(
        b'd', media_type='application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    ),
    'bin_csv': BinaryContent(b'a,b', media_type='text/csv', identifier='idc'),
    'bin_md': BinaryContent(b'#a', media_type='text/markdown', identifier='idm'),
    'bin_oct': BinaryContent(b'a,b', media_type='application/octet-stream'),
    'bin_xml': BinaryContent(b'<a/>', media_type='application/xml', identifier='i'),
    'bin_yaml': BinaryContent(b'a: 1', media_type='application/yaml', identifier='i'),
    'text': TextContent('tc'),
    'cache': CachePoint(),
    'uploaded': UploadedFile('file-1', provider_name='openai'),
    'uploaded_other': UploadedFile('file-1', provider_name='anthropic'),
    'video': VideoUrl('http://x.com/v.mp4'),
}
for name, item in MEDIA.items():
    case('media_' + name, [request_of(['look', item])])
case('media_str_list', [request_of(['a', 'b'])])
case(
    'media_azure_pdf',
    [request_of(['look', MEDIA['bin_pdf']])],
    profile=OpenAIModelProfile(openai_chat_supports_document_input=False),
)
case(
    'media_azure_txt',
    [request_of(['look', MEDIA['bin_txt']])],
    profile=OpenAIModelProfile(openai_chat_supports_document_input=False),
)
case(
    'media_uri_audio',
    [request_of(['look', MEDIA['bin_wav']])],
    profile=OpenAIModelProfile(openai_chat_audio_input_encoding='uri'),
)
case(
    'media_fileurl',
    [request_of(['look', DocumentUrl('http://x.com/a.pdf'), DocumentUrl('http://x.com/a.txt')])],
    profile=OpenAIModelProfile(openai_chat_supports_file_urls=True),
)
case(
    'native_ws',
    params=Parameters(
        native_tools=[
            WebSearchTool(
                search_context_size='low', user_location={'city': 'B', 'country': 'DE', 'region': 'x', 'timezone': 'y'}
            )
        ]
    ),
    model='gpt-4o-search-preview',
)
case('native_ws_plain', params=Parameters(native_tools=[WebSearchTool()]), model='gpt-4o-search-preview')
case('native_ws_no', params=Parameters(native_tools=[WebSearchTool()]))
case('native_ce_no', params=Parameters(native_tools=[CodeExecutionTool()]))
case('image_out', params=Parameters(allow_image_output=True))
