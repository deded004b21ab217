"""Settings, media, tools and outputs, as they are sent to Google."""

from __future__ import annotations

import httpx
from _google_answers import text, whole
from _google_models import IMAGE, IMAGE_3, PDF, THREE
from _requests import REQUESTS
from _vocabulary import (
    OUTPUT_OBJECT,
    PNG,
    TOOL,
    WITH_OUTPUT,
    WITH_TOOLS,
    WITH_TOOLS_AND_OUTPUT,
    Cases,
    Parameters,
    called,
    request_of,
)

from stead.messages import (
    AudioUrl,
    BinaryContent,
    BinaryImage,
    DocumentUrl,
    ImageUrl,
    RetryPromptPart,
    ToolReturnPart,
    UploadedFile,
    VideoUrl,
)
from stead.native_tools import (
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
)
from stead.tools import ToolDefinition

cases = Cases('gemini-2.5-flash', lambda: whole(text('hi')))
case = cases.add

for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
    if name.startswith(('choice_', 'output_', 'returned', 'thinks', 'calls')) and 'output_choice' not in name:
        case(f'three_{name}', messages, params, settings, model=THREE)
    if name.startswith(('image', 'pdf', 'audio', 'video', 'uploaded', 'settings', 'text_', 'output_native')):
        case(f'cloud_{name}', messages, params, settings, cloud=True)

# Settings.
SAFETY = [{'category': 'HARM_CATEGORY_HARASSMENT', 'threshold': 'BLOCK_ONLY_HIGH'}]
for name, settings in {
    'safety': {'google_safety_settings': SAFETY},
    'thinking_config': {'google_thinking_config': {'include_thoughts': True, 'thinking_budget': 100}},
    'thinking_config_wins': {'google_thinking_config': {'thinking_budget': 100}, 'thinking': 'high'},
    'labels': {'google_labels': {'team_name': 'a'}},
    'resolution': {'google_video_resolution': 'MEDIA_RESOLUTION_LOW'},
    'cached': {'google_cached_content': 'cachedContents/1'},
    'logprobs': {'google_logprobs': True},
    'top_logprobs': {'google_logprobs': True, 'google_top_logprobs': 3},
    'top_logprobs_only': {'google_top_logprobs': 3},
    'tier': {'google_service_tier': 'flex'},
    'tier_cloud': {'google_cloud_service_tier': 'flex_only'},
    'tier_vertex': {'google_vertex_service_tier': 'pt_only'},
    'timeout': {'timeout': 2.5},
    'timeout_httpx': {'timeout': httpx.Timeout(3)},
    'headers': {'extra_headers': {'x-a': 'b'}},
    'body': {'extra_body': {'foo': {'bar_baz': 1}, 'generationConfig': {'topK': 9}}},
    **{f'service_{tier}': {'service_tier': tier} for tier in ('auto', 'default', 'flex', 'priority')},
    **{f'google_tier_{tier}': {'google_service_tier': tier} for tier in ('standard', 'flex', 'priority')},
    **{
        f'cloud_tier_{tier}': {'google_cloud_service_tier': tier}
        for tier in (
            'pt_then_on_demand',
            'pt_only',
            'pt_then_flex',
            'pt_then_priority',
            'on_demand',
            'flex_only',
            'priority_only',
        )
    },
}.items():
    case(f'set_{name}', None, None, settings)
    case(f'set_cloud_{name}', None, None, settings, cloud=True)
case('set_cached_tools', None, WITH_TOOLS, {'google_cached_content': 'c/1', 'tool_choice': 'required'})
case('set_cached_system', REQUESTS['system'][0], WITH_TOOLS, {'google_cached_content': 'c/1'})
for level in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh'):
    case(f'pro_thinks_{level}', settings={'thinking': level}, model='gemini-2.5-pro')
    case(f'flash3_thinks_{level}', settings={'thinking': level}, model='gemini-3-flash-preview')
    case(f'old_thinks_{level}', settings={'thinking': level}, model='gemini-2.0-flash')

# Media.
WAV, MP4 = 'audio/wav', 'video/mp4'
VIDEO = {'start_offset': '10s', 'end_offset': '20s', 'fps': 2}
MEDIA = {
    'youtube': VideoUrl('https://www.youtube.com/watch?v=abc'),
    'youtube_short': VideoUrl('https://youtu.be/abc', vendor_metadata=VIDEO),
    'youtube_forced': VideoUrl('https://youtu.be/abc', force_download=True),
    'gs_video': VideoUrl('gs://b/a.mp4', vendor_metadata=VIDEO),
    'gs_image': ImageUrl('gs://b/a.png'),
    'gs_document': DocumentUrl('gs://b/a.pdf'),
    'file_api': ImageUrl('https://generativelanguage.googleapis.com/v1beta/files/abc', media_type='image/png'),
    'file_api_document': DocumentUrl('https://generativelanguage.googleapis.com/v1beta/files/abc', media_type=PDF),
    'file_api_forced': DocumentUrl(
        'https://generativelanguage.googleapis.com/v1beta/files/abc', media_type=PDF, force_download=True
    ),
    'video_metadata': BinaryContent(b'v', media_type=MP4, vendor_metadata=VIDEO),
    'video_resolution': BinaryContent(
        b'v', media_type=MP4, vendor_metadata={'media_resolution': 'MEDIA_RESOLUTION_LOW'}
    ),
    'image_metadata': BinaryContent(b'v', media_type='image/png', vendor_metadata={'fps': 1}),
    'image_resolution': BinaryContent(
        b'v', media_type='image/png', vendor_metadata={'media_resolution': 'MEDIA_RESOLUTION_HIGH'}
    ),
    'image_resolution_object': ImageUrl(
        'gs://b/a.png', vendor_metadata={'media_resolution': {'level': 'MEDIA_RESOLUTION_HIGH'}}
    ),
    'wav': BinaryContent(bytes(range(256)), media_type=WAV),
    'csv': BinaryContent(b'a,b', media_type='text/csv', identifier='i1'),
    'json': BinaryContent(b'{}', media_type='application/json', identifier='i1'),
    'uploaded_own': UploadedFile('files/abc', provider_name='google', media_type=PDF),
    'uploaded_gla': UploadedFile('files/abc', provider_name='google-gla', media_type=PDF),
    'uploaded_uri': UploadedFile(
        'https://generativelanguage.googleapis.com/v1beta/files/abc', provider_name='google', media_type=PDF
    ),
    'uploaded_video': UploadedFile('files/a', provider_name='google', media_type=MP4, vendor_metadata=VIDEO),
    'uploaded_cloud': UploadedFile('gs://b/a.pdf', provider_name='google-cloud', media_type=PDF),
    'uploaded_vertex': UploadedFile('gs://b/a.pdf', provider_name='google-vertex', media_type=PDF),
    'uploaded_untyped': UploadedFile('files/abc', provider_name='google'),
}
for name, item in MEDIA.items():
    case(f'media_{name}', [request_of(['look', item])])
    case(f'media_cloud_{name}', [request_of(['look', item])], cloud=True)
for name, item in {
    'png': BinaryImage(PNG, media_type='image/png', identifier='f1'),
    'pdf': BinaryContent(b'p', media_type=PDF, identifier='f1'),
    'wav': BinaryContent(b'p', media_type=WAV, identifier='f1'),
    'txt': BinaryContent(b'p', media_type='text/plain', identifier='f1'),
    'gs': DocumentUrl('gs://b/a.pdf', identifier='f1'),
    'youtube': VideoUrl('https://youtu.be/abc', identifier='f1'),
    'uploaded': UploadedFile('files/abc', provider_name='google', media_type=PDF, identifier='f1'),
}.items():
    for prefix, content in {'one': item, 'some': ['see', item, {'a': 1}, item]}.items():
        case(f'file_{prefix}_{name}', called(ToolReturnPart('t1', content, 'id1'), 'next'))
        case(f'file_{prefix}_three_{name}', called(ToolReturnPart('t1', content, 'id1'), 'next'), model=THREE)

for name, item in {
    'gs': DocumentUrl('gs://b/a.pdf', identifier='f1'),
    'png': ImageUrl('https://a.b/c.png', identifier='f1'),
}.items():
    case(f'file_cloud_{name}', called(ToolReturnPart('t1', ['see', item], 'id1')), cloud=True)
    case(f'file_cloud_three_{name}', called(ToolReturnPart('t1', ['see', item], 'id1')), cloud=True, model=THREE)
case('mixed_order', called('before', ToolReturnPart('t1', 'r', 'id1'), RetryPromptPart('no'), 'after'))
case('media_gs_audio_cloud', [request_of([AudioUrl('gs://b/a.wav')])], cloud=True)
case(
    'file_three_both',
    called(
        ToolReturnPart(
            't1',
            [
                'see',
                BinaryImage(PNG, media_type='image/png', identifier='f1'),
                BinaryContent(b'w', media_type=WAV, identifier='f2'),
            ],
            'id1',
        )
    ),
    model=THREE,
)

# Tools, and native tools.
RETURNS = ToolDefinition(
    name='t6',
    description='d6',
    parameters_json_schema={'type': 'object', 'properties': {}},
    return_schema={'type': 'object', 'properties': {'a': {'type': 'string', 'format': 'date'}}},
    include_return_schema=True,
)
case('tool_returns', params=Parameters(function_tools=[RETURNS]))
case('tool_returns_three', params=Parameters(function_tools=[RETURNS]), model=THREE)
case('tool_empty', params=Parameters(function_tools=[ToolDefinition(name='t', parameters_json_schema={})]))
NATIVE = {
    'search': WebSearchTool(),
    'search_more': WebSearchTool(blocked_domains=['a.com'], allowed_domains=['b.com'], max_uses=2),
    'fetch': WebFetchTool(),
    'code': CodeExecutionTool(),
    'files': FileSearchTool(file_store_ids=['fileSearchStores/a', 'b']),
    'image': ImageGenerationTool(),
    'memory': MemoryTool(),
}
for name, tool in NATIVE.items():
    ways = {
        'only': Parameters(native_tools=[tool]),
        'tools': Parameters(native_tools=[tool], function_tools=[TOOL]),
        'output': Parameters(
            native_tools=[tool],
            output_tools=WITH_TOOLS_AND_OUTPUT.output_tools,
            output_mode='tool',
            allow_text_output=False,
        ),
        'native': Parameters(native_tools=[tool], output_mode='native', output_object=OUTPUT_OBJECT),
    }
    for way, params in ways.items():
        case(f'nt_{name}_{way}', params=params)
        case(f'nt_three_{name}_{way}', params=params, model=THREE)
    case(f'nt_cloud_{name}', params=ways['only'], cloud=True)
    case(f'nt_cloud_three_{name}_tools', params=ways['tools'], cloud=True, model=THREE)
case('nt_all', params=Parameters(native_tools=[WebSearchTool(), WebFetchTool(), CodeExecutionTool()]))
case(
    'nt_all_three',
    params=Parameters(native_tools=[WebSearchTool(), CodeExecutionTool()], function_tools=[TOOL]),
    model=THREE,
)
for name, tool in {
    'plain': ImageGenerationTool(),
    'ratio': ImageGenerationTool(aspect_ratio='16:9'),
    'size': ImageGenerationTool(size='2K', aspect_ratio='1:1'),
    'pixels': ImageGenerationTool(size='1024x1024'),
    'auto': ImageGenerationTool(size='auto', aspect_ratio='4:3'),
    'png': ImageGenerationTool(output_format='png', output_compression=50),
    'jpeg': ImageGenerationTool(output_format='jpeg'),
    'webp': ImageGenerationTool(output_format='webp', quality='high', background='opaque'),
    'compressed': ImageGenerationTool(output_compression=50),
}.items():
    params = Parameters(native_tools=[tool], allow_image_output=True)
    case(f'img_{name}', params=params, model=IMAGE)
    case(f'img_three_{name}', params=params, model=IMAGE_3)
    case(f'img_cloud_{name}', params=params, model=IMAGE_3, cloud=True)
case('img_only', params=Parameters(allow_image_output=True, allow_text_output=False), model=IMAGE)
case('img_both', params=Parameters(allow_image_output=True), model=IMAGE)
case(
    'img_object',
    params=Parameters(allow_image_output=True, output_mode='native', output_object=OUTPUT_OBJECT),
    model=IMAGE,
)
case('img_tools', params=WITH_TOOLS, model=IMAGE)
case('img_output', params=WITH_OUTPUT, model=IMAGE_3)
case('prompted_image', params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT), model=IMAGE)

for name, tools in {
    'search': {'native_tools': [WebSearchTool()]},
    'code': {'native_tools': [CodeExecutionTool()]},
    'tools': {'function_tools': [TOOL]},
    'both': {'native_tools': [WebSearchTool()], 'function_tools': [TOOL]},
    'nothing': {},
}.items():
    auto = Parameters(
        output_mode='auto',
        output_tools=WITH_TOOLS_AND_OUTPUT.output_tools,
        output_object=OUTPUT_OBJECT,
        allow_text_output=False,
        **tools,
    )
    prompted = Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, **tools)
    for model in ('gemini-2.5-flash', THREE):
        prefix = 'three_' if model is THREE else ''
        case(f'auto_{prefix}{name}', params=auto, model=model)
        case(f'prompted_{prefix}{name}', params=prompted, model=model)
case(
    'auto_image',
    params=Parameters(output_mode='auto', output_object=OUTPUT_OBJECT, allow_image_output=True),
    model=IMAGE,
)
