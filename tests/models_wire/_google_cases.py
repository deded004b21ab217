"""Requests to Google and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import base64
import re
from typing import Any

import httpx
from _facts import facts
from _google_answers import ANSWERS, CALL, SIGNATURE, body, stream, text, whole
from _requests import REQUESTS
from _vocabulary import (
    OUTPUT_OBJECT,
    PNG,
    TOOL,
    TOOL_LOOSE,
    WITH_OUTPUT,
    WITH_TOOLS,
    WITH_TOOLS_AND_OUTPUT,
    Case,
    Cases,
    Parameters,
    called,
    request_of,
    response_of,
)
from _wire import Reply, Wire, as_json
from google import genai

from stead.messages import (
    AudioUrl,
    BinaryContent,
    BinaryImage,
    DocumentUrl,
    FilePart,
    ImageUrl,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    VideoUrl,
)
from stead.models.google import GoogleModel
from stead.native_tools import (
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
)
from stead.providers.google import GoogleProvider
from stead.providers.google_cloud import GoogleCloudProvider
from stead.tools import ToolDefinition

THREE = 'gemini-3-pro-preview'
IMAGE = 'gemini-2.5-flash-image'
IMAGE_3 = 'gemini-3-pro-image-preview'
PDF = 'application/pdf'


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

for name, given in {
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
        **given,
    )
    prompted = Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, **given)
    for model in ('gemini-2.5-flash', THREE):
        prefix = 'three_' if model is THREE else ''
        case(f'auto_{prefix}{name}', params=auto, model=model)
        case(f'prompted_{prefix}{name}', params=prompted, model=model)
case(
    'auto_image',
    params=Parameters(output_mode='auto', output_object=OUTPUT_OBJECT, allow_image_output=True),
    model=IMAGE,
)

# What a model said comes back.
SIGNED = {'thought_signature': base64.b64encode(b'sig').decode()}


def from_google(*parts: Any, **fields: Any) -> Any:
    return response_of(*parts, provider_name='google', **fields)


def native(name: str, arguments: Any, content: Any, provider: str = 'google', details: Any = None) -> list[Any]:
    return [
        NativeToolCallPart(name, arguments, 'n1', provider_name=provider, provider_details=details),
        NativeToolReturnPart(name, content, 'n1', provider_name=provider),
    ]


CODE = native('code_execution', {'language': 'PYTHON', 'code': '1'}, {'outcome': 'OUTCOME_OK', 'output': '1'})
RESPONSES = {
    'thought': [ThinkingPart('hm', signature='c2ln', provider_name='google'), 'b'],
    'thought_details': [ThinkingPart('hm', provider_name='google', provider_details=SIGNED), 'b'],
    'thought_gla': [ThinkingPart('hm', signature='c2ln', provider_name='google-gla'), 'b'],
    'thought_vertex': [ThinkingPart('hm', signature='c2ln', provider_name='google-vertex'), 'b'],
    'thought_other': [ThinkingPart('hm', signature='c2ln', provider_name='anthropic'), 'b'],
    'thought_unsigned': [ThinkingPart('hm', provider_name='google'), 'b'],
    'thought_empty': [ThinkingPart('', signature='c2ln', provider_name='google'), 'b'],
    'thought_last': ['b', ThinkingPart('', signature='c2ln', provider_name='google')],
    'thought_and_call': [ThinkingPart('hm', signature='c2ln', provider_name='google'), ToolCallPart('t1', {}, 'id1')],
    'thought_and_file': [
        ThinkingPart('hm', signature='c2ln', provider_name='google'),
        FilePart(BinaryImage(PNG, media_type='image/png')),
    ],
    'thought_not_base64': [ThinkingPart('hm', signature='no base64!', provider_name='google'), 'b'],
    'text_signed': [TextPart('b', provider_name='google', provider_details=SIGNED)],
    'text_signed_gla': [TextPart('b', provider_name='google-gla', provider_details=SIGNED)],
    'text_signed_other': [TextPart('b', provider_name='openai', provider_details=SIGNED)],
    'text_signed_unnamed': [TextPart('b', provider_details=SIGNED)],
    'call_signed': [ToolCallPart('t1', {'x': 1}, 'id1', provider_name='google', provider_details=SIGNED)],
    'calls_signed': [
        ToolCallPart('t1', {'x': 1}, 'id1', provider_name='google', provider_details=SIGNED),
        ToolCallPart('t2', {}, 'id2'),
    ],
    'call_signed_other': [ToolCallPart('t1', {'x': 1}, 'id1', provider_name='openai', provider_details=SIGNED)],
    'calls_unsigned': [ToolCallPart('t1', {'x': 1}, 'id1'), ToolCallPart('t2', {}, 'id2')],
    'call_id': [ToolCallPart('t1', {'x': 1}, 'id1', id='own', provider_name='google')],
    'file': [FilePart(BinaryImage(PNG, media_type='image/png'), provider_name='google')],
    'file_signed': [
        FilePart(BinaryImage(PNG, media_type='image/png'), provider_name='google', provider_details=SIGNED)
    ],
    'file_other': [FilePart(BinaryImage(PNG, media_type='image/png'), provider_name='openai')],
    'code': [*CODE, 'b'],
    'code_other': [*native('code_execution', {'code': '1'}, 'x', 'openai'), 'b'],
    'code_signed': [
        *native('code_execution', {'code': '1', 'language': 'PYTHON'}, {'outcome': 'OUTCOME_OK'}, details=SIGNED),
        'b',
    ],
    'search': [*native('web_search', {'queries': ['q']}, [{'uri': 'u'}]), 'b'],
    'fetch': [*native('web_fetch', {'urls': ['q']}, [{'retrieved_url': 'u'}]), 'b'],
    'files': [*native('file_search', {'query': 'q'}, [{'text': 'u'}]), 'b'],
    'image': [*native('image_generation', {}, None), 'b'],
    'server': [
        *native('web_search', {'queries': ['q']}, {'search_suggestions': 's'}, details={'tool_type': 'GOOGLE_SEARCH'}),
        'b',
    ],
    'empty': [''],
    'nothing': [],
}
for name, parts in RESPONSES.items():
    case(f'said_{name}', [request_of('a'), from_google(*parts), request_of('c')])
    case(f'said_three_{name}', [request_of('a'), from_google(*parts), request_of('c')], model=THREE)
case(
    'said_elsewhere',
    [request_of('a'), response_of(*RESPONSES['calls_unsigned'], provider_name='openai'), request_of('c')],
    model=THREE,
)
case('said_unfinished', [request_of('a'), from_google('b'), request_of('c'), from_google('d')])
case('said_first', [from_google('b'), request_of('c')])
BAD = RetryPromptPart([{'type': 'missing', 'loc': ('a',), 'msg': 'm', 'input': {}}], tool_name='t1', tool_call_id='i1')
case('said_retry_errors', called(BAD))

# Answers.
for name, chunks in ANSWERS.items():
    params = (
        WITH_TOOLS_AND_OUTPUT
        if name == 'call_output'
        else WITH_TOOLS
        if 'call' in name
        else Parameters(native_tools=[WebSearchTool()])
    )
    case(f'r_{name}', params=params, model=THREE, reply=as_json(chunks[0]))
    case(f's_{name}', params=params, model=THREE, reply=stream(*chunks))
for provider in (None, 'google', 'google-cloud', 'google-vertex', 'openai'):
    for part in (None, 'google', 'google-gla', 'google-cloud', 'openai'):
        code = native('code_execution', {'language': 'PYTHON', 'code': '1'}, {'outcome': 'OUTCOME_OK'}, part, SIGNED)
        parts = [
            ThinkingPart('hm', signature='c2ln', provider_name=part),
            TextPart('b', provider_name=part),
            TextPart('t', provider_name=part, provider_details=SIGNED),
            ToolCallPart('t1', {}, 'i', provider_name=part, provider_details=SIGNED),
            *code,
        ]
        for cloud in (False, True):
            name = f'from_{provider}_{part}{"_cloud" if cloud else ""}'
            case(name, [request_of('a'), response_of(*parts, provider_name=provider)], model=THREE, cloud=cloud)
case('r_cloud_created', reply=as_json(ANSWERS['created'][0]), cloud=True)
case('s_cloud_created', reply=stream(*ANSWERS['created']), cloud=True)
case('r_cloud_cited', reply=as_json(ANSWERS['cited'][0]), cloud=True)
case('r_cloud_text', reply=whole(text('hi', **SIGNATURE)), cloud=True)
case('s_cloud_text', reply=stream(body(text('hi', **SIGNATURE))), cloud=True)
case('s_leading', reply=stream(body(text('  ')), body(text('hi'))))
case('s_tool_after', params=WITH_TOOLS, reply=stream(body(text('a'), reason=None), body(CALL), body(text('b'))))
for status in (400, 401, 403, 404, 429, 500, 503):
    wrong = {'error': {'code': status, 'message': 'bad', 'status': 'NO'}}
    case(f'r_{status}', reply=as_json(wrong, status))
    case(f's_{status}', reply=Reply(status, {}, as_json(wrong).pieces, 'text/event-stream'))

# Counting.
COUNTED = as_json({'totalTokens': 12, 'cachedContentTokenCount': 3})
for cloud in (False, True):
    prefix = 'cloud_' if cloud else ''
    case(f'count_{prefix}plain', reply=COUNTED, count=True, cloud=cloud)
    case(f'count_{prefix}system', REQUESTS['system'][0], reply=COUNTED, count=True, cloud=cloud)
    case(
        f'count_{prefix}tools',
        params=Parameters(function_tools=[TOOL_LOOSE], native_tools=[]),
        settings={'max_tokens': 3, 'temperature': 0.5, 'thinking': 'low'},
        reply=COUNTED,
        count=True,
        cloud=cloud,
    )
case('count_nothing', reply=as_json({}), count=True)
case('count_refused', reply=as_json({'error': {'code': 400}}, 400), count=True)
case(
    'audio_wav_link',
    [request_of([AudioUrl('https://generativelanguage.googleapis.com/v1beta/files/a', media_type=WAV)])],
)


# What is better here than there: names of tools that the request does not have are left out; metadata for other vendors is
# left out; fields of the body can be added; Google Cloud is not sent a flag that it does not know; parts and tools that
# nobody knows yet are left out; streams tell what an answer is founded on; streams that end too early are errors. What would download something is tested elsewhere.
BETTER = (
    r'(three_)?choice_all|(cloud_)?settings_more|set_(three_)?labels|(cloud_)?image_bytes_detail|media_(cloud_)?(image|video)_resolution|set_(cloud_|three_)?body'
    r'|nt_cloud_three_(search.*|fetch)_tools|said_(three_)?image|._(file_data|server_other|unknown_part|empty_part)'
    r'|s_server_fetch|s_(grounded|files).*|s_fetched_.*|s_server_grounded|(three_)?returned_link|(image|pdf|text|audio|video)_link|image_detail|media_(cloud_)?file_api_forced'
)
for name in [name for name in cases if re.fullmatch(BETTER, name)]:
    del cases[name]


def alike(value: Any, key: str = '') -> Any:
    """Return a body as all releases of the SDK would send it: with one style of names, and of base64."""
    if isinstance(value, dict):
        return {_camel(name): alike(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return sorted(value) if key == 'allowedFunctionNames' else [alike(item) for item in value]
    return value.translate(_BASE64) if isinstance(value, str) and key in ('data', 'thoughtSignature') else value


def _camel(name: str) -> str:
    return re.sub(r'_([a-z])', lambda found: found[1].upper(), name)


_BASE64 = str.maketrans('-_', '+/')


class Clients:
    """A client for each of Google's two APIs."""

    def __init__(self, wire: Wire) -> None:
        self.http = httpx.AsyncClient()
        options: Any = {'base_url': wire.url, 'httpx_async_client': self.http}
        self.own = genai.Client(api_key='k', http_options={**options, 'api_version': 'v1beta'})
        self.cloud = genai.Client(vertexai=True, api_key='k', http_options=options)

    async def close(self) -> None:
        await self.http.aclose()


client_of = Clients


async def run(name: str, wire: Wire, clients: Clients) -> dict[str, Any]:
    case: Case = cases[name]
    wire.expect(case.reply)
    provider = (
        GoogleCloudProvider(client=clients.cloud) if case.more.get('cloud') else GoogleProvider(client=clients.own)
    )
    model = GoogleModel(case.model, provider=provider)
    if case.more.get('count'):
        try:
            usage = await model.count_tokens(case.messages, case.settings, case.params)
            result: Any = [usage.input_tokens, usage.output_tokens, usage.details, usage.cache_read_tokens]
        except Exception:
            result = 'error'
        return {'sent': [[item.path, alike(item.body)] for item in wire.requests], 'result': result}
    found = await facts(
        model, wire, case.messages, case.params, case.settings, stream=name.startswith('s_'), headers=('x-a',)
    )
    for sent in found['sent']:
        sent['body'] = alike(sent['body'])
        headers = wire.requests[0].headers
        sent['headers'] = {name: value for name, value in headers.items() if name.startswith(('x-vertex', 'x-server'))}
    return found
