"""Tools, outputs, settings and media, as they are sent to Bedrock, whose families of models differ."""

from __future__ import annotations

from typing import Any

from _bedrock_bodies import CLAUDE, NOVA, answer, stream, text, texts
from _requests import REQUESTS
from _vocabulary import (
    OUTPUT_OBJECT,
    OUTPUT_TOOL,
    PNG,
    TOOL,
    TOOL_LOOSE,
    TOOL_NESTED,
    TOOL_NOT_STRICT,
    TOOL_STRICT,
    WITH_OUTPUT,
    WITH_TOOLS,
    WITH_TOOLS_AND_OUTPUT,
    Cases,
    Parameters,
    request_of,
)
from _wire import as_json

from stead.messages import BinaryContent, DocumentUrl, ImageUrl, TextContent, UploadedFile, VideoUrl
from stead.native_tools import CodeExecutionTool, WebSearchTool
from stead.output import OutputObjectDefinition

cases = Cases(CLAUDE, lambda: answer(text('hi')))
case = cases.add
MODELS = {
    'nova': NOVA,
    'nova1': 'amazon.nova-lite-v1:0',
    'llama': 'us.meta.llama3-3-70b-instruct-v1:0',
    'mistral': 'mistral.mistral-large-2402-v1:0',
    'magistral': 'mistral.magistral-small-2509',
    'qwen': 'qwen.qwen3-32b-v1:0',
    'gpt': 'openai.gpt-oss-120b-1:0',
    'r1': 'us.deepseek.r1-v1:0',
    'cohere': 'cohere.command-r-plus-v1:0',
    'titan': 'amazon.titan-text-express-v1',
    'gemma': 'google.gemma-3-12b-it',
    'kimi': 'moonshot.kimi-k2-thinking',
    'old': 'anthropic.claude-3-haiku-20240307-v1:0',
    'sonnet46': 'eu.anthropic.claude-sonnet-4-6',
    'opus45': 'global.anthropic.claude-opus-4-5-20251101-v1:0',
    'opus47': 'anthropic.claude-opus-4-7',
    'haiku45': 'jp.anthropic.claude-haiku-4-5-20251001-v1:0',
    'mythos': 'us-gov.anthropic.claude-mythos-5',
}
for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
    if 'choice' in name or name.startswith(('output', 'tools', 'calls', 'retur', 'native', 'settings', 'thinking')):
        for kind in ('nova', 'mistral'):
            case(f'{name}/{kind}', messages, params, settings, MODELS[kind])
    if name.startswith(('tools', 'output_native', 'output_tool')):
        for kind in ('qwen', 'gemma', 'old'):
            case(f'{name}/{kind}', messages, params, settings, MODELS[kind])
THINKING = ('nova', 'magistral', 'qwen', 'gpt', 'old', 'sonnet46', 'opus45', 'opus47')
for kind, model in MODELS.items():
    case(f'plain/{kind}', model=model)
    if kind not in THINKING:
        continue
    for level in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh'):
        case(f'thinks_{level}/{kind}', settings={'thinking': level, 'temperature': 0.5}, model=model)
    case(f'thinks_and_output/{kind}', params=WITH_TOOLS_AND_OUTPUT, settings={'thinking': True}, model=model)
    case(f'thinks_low_max/{kind}', settings={'thinking': 'low', 'max_tokens': 1000}, model=model)

MORE = 'bedrock_additional_model_requests_fields'
for name, settings in {
    'fields': {MORE: {'a': 1}},
    'fields_top_k': {MORE: {'a': 1}, 'top_k': 5},
    'fields_own_top_k': {MORE: {'top_k': 1}, 'top_k': 5},
    'fields_thinking': {MORE: {'thinking': {'type': 'enabled', 'budget_tokens': 1024}}},
    'fields_thinking_adaptive': {MORE: {'thinking': {'type': 'adaptive'}}},
    'fields_thinking_off': {MORE: {'thinking': {'type': 'disabled'}}, 'thinking': True},
    'fields_thinking_both': {MORE: {'thinking': {'type': 'enabled', 'budget_tokens': 1024}}, 'thinking': 'high'},
    'fields_other_both': {MORE: {'anthropic_beta': ['x']}, 'thinking': 'high'},
    'fields_config': {MORE: {'reasoning_config': 'low'}, 'thinking': 'high'},
    'fields_effort': {MORE: {'reasoning_effort': 'low'}, 'thinking': 'high'},
    'fields_output_config': {MORE: {'output_config': {'effort': 'low'}}, 'thinking': 'high'},
}.items():
    for kind in ('nova', 'qwen', 'gpt', 'sonnet46', 'haiku45'):
        case(f'{name}/{kind}', settings=settings, model=MODELS[kind])
        case(f'{name}_output/{kind}', settings=settings, params=WITH_TOOLS_AND_OUTPUT, model=MODELS[kind])

for name, settings in {
    'guardrail': {
        'bedrock_guardrail_config': {'guardrailIdentifier': 'g', 'guardrailVersion': '1', 'trace': 'enabled'}
    },
    'guardrail_mode': {
        'bedrock_guardrail_config': {
            'guardrailIdentifier': 'g',
            'guardrailVersion': 'DRAFT',
            'trace': 'disabled',
            'streamProcessingMode': 'async',
        }
    },
    'performance': {'bedrock_performance_configuration': {'latency': 'optimized'}},
    'metadata': {'bedrock_request_metadata': {'team': 'a'}},
    'paths': {'bedrock_additional_model_response_fields_paths': ['/stop_sequence']},
    'variables': {'bedrock_prompt_variables': {'a': {'text': 'b'}}},
    'profile': {'bedrock_inference_profile': 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/p1'},
    'profile_name': {'bedrock_inference_profile': 'eu.anthropic.claude-sonnet-4-6'},
    'tier_flex': {'bedrock_service_tier': {'type': 'flex'}},
    'tier_both': {'bedrock_service_tier': {'type': 'priority'}, 'service_tier': 'flex'},
    'tier_auto': {'service_tier': 'auto'},
    'tier_default': {'service_tier': 'default'},
    'tier_priority': {'service_tier': 'priority'},
    'tier_flexible': {'service_tier': 'flex'},
    'top_k': {'top_k': 7},
    'empty': {'bedrock_request_metadata': {}, 'bedrock_prompt_variables': {}, 'stop_sequences': []},
    'seed': {'seed': 3, 'logit_bias': {'a': 1}},
    'max_tokens': {'max_tokens': 9},
}.items():
    case(f'set_{name}', settings=settings)
    case(f's_set_{name}', settings=settings, reply=stream(*texts('hi')))

for kind in ('nova', 'mistral', 'haiku45'):
    native = Parameters(native_tools=[CodeExecutionTool()])
    case(f'code/{kind}', params=native, model=MODELS[kind])
    case(
        f'code_and_tool/{kind}',
        params=Parameters(native_tools=[CodeExecutionTool()], function_tools=[TOOL]),
        model=MODELS[kind],
    )
    case(
        f'code_and_output/{kind}',
        params=Parameters(
            native_tools=[CodeExecutionTool()], output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False
        ),
        model=MODELS[kind],
    )
    case(f'search/{kind}', params=Parameters(native_tools=[WebSearchTool()]), model=MODELS[kind])
    case(f'code_required/{kind}', params=native, settings={'tool_choice': 'required'}, model=MODELS[kind])
    case(
        f'code_none/{kind}',
        params=Parameters(native_tools=[CodeExecutionTool()], function_tools=[TOOL]),
        settings={'tool_choice': 'none'},
        model=MODELS[kind],
    )
    case(f'strict_nested/{kind}', params=Parameters(function_tools=[TOOL_NESTED, TOOL_STRICT]), model=MODELS[kind])

DEEP = {
    'type': 'object',
    'title': 'Deep',
    'properties': {
        'n': {'type': 'integer', 'minimum': 1, 'description': 'a number'},
        'of': {'type': 'array', 'items': {'type': 'object', 'properties': {'z': {'type': 'string'}}}, 'maxItems': 3},
    },
}
for kind in ('haiku45', 'old', 'gemma'):
    for strict in (None, True, False):
        wanted = OutputObjectDefinition(json_schema=DEEP, name='Deep', description='deep', strict=strict)
        case(
            f'native_{strict}/{kind}',
            params=Parameters(output_mode='native', output_object=wanted, function_tools=[TOOL_LOOSE]),
            model=MODELS[kind],
        )
    bare = OutputObjectDefinition(json_schema=DEEP)
    case(f'native_bare/{kind}', params=Parameters(output_mode='native', output_object=bare), model=MODELS[kind])

MEDIA: dict[str, Any] = {
    'gif': BinaryContent(b'gif', media_type='image/gif'),
    'jpeg': BinaryContent(b'jpeg', media_type='image/jpeg'),
    'webp': BinaryContent(b'webp', media_type='image/webp'),
    'svg': BinaryContent(b'svg', media_type='image/svg+xml'),
    'csv': BinaryContent(b'a,b', media_type='text/csv', identifier='f1'),
    'doc': BinaryContent(b'doc', media_type='application/msword', identifier='f1'),
    'docx': BinaryContent(
        b'docx', media_type='application/vnd.openxmlformats-officedocument.wordprocessingml.document', identifier='f1'
    ),
    'xls': BinaryContent(b'xls', media_type='application/vnd.ms-excel'),
    'xlsx': BinaryContent(b'x', media_type='application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    'html': BinaryContent(b'<p>', media_type='text/html'),
    'md': BinaryContent(b'# a', media_type='text/markdown'),
    'json': BinaryContent(b'{}', media_type='application/json'),
    'pptx': BinaryContent(b'p', media_type='application/vnd.openxmlformats-officedocument.presentationml.presentation'),
    'mkv': BinaryContent(b'v', media_type='video/x-matroska'),
    'mov': BinaryContent(b'v', media_type='video/quicktime'),
    'webm': BinaryContent(b'v', media_type='video/webm'),
    'flv': BinaryContent(b'v', media_type='video/x-flv'),
    'mpeg': BinaryContent(b'v', media_type='video/mpeg'),
    'wmv': BinaryContent(b'v', media_type='video/x-ms-wmv'),
    '3gp': BinaryContent(b'v', media_type='video/3gpp'),
    's3_image': ImageUrl('s3://bucket/key.png'),
    's3_image_type': ImageUrl('s3://bucket/key', media_type='image/jpeg'),
    's3_image_owner': ImageUrl('s3://bucket/key.png?bucketOwner=123456789012'),
    's3_image_other': ImageUrl('s3://bucket/key.png?bucketOwner=123456789012&x=1'),
    's3_pdf': DocumentUrl('s3://bucket/key.pdf'),
    's3_csv': DocumentUrl('s3://bucket/key.csv', identifier='f1'),
    's3_video': VideoUrl('s3://bucket/key.mp4'),
    's3_video_owner': VideoUrl('s3://bucket/folder/key.mov?bucketOwner=123456789012'),
    'uploaded': UploadedFile('s3://bucket/key.pdf', provider_name='bedrock'),
    'uploaded_image': UploadedFile('s3://bucket/key.png', provider_name='bedrock', media_type='image/png'),
    'uploaded_video': UploadedFile('s3://bucket/key.mp4', provider_name='bedrock', media_type='video/mp4'),
    'uploaded_owner': UploadedFile('s3://b/k.pdf?bucketOwner=123456789012', provider_name='bedrock'),
    'uploaded_audio': UploadedFile('s3://b/k.mp3', provider_name='bedrock', media_type='audio/mpeg'),
    'uploaded_id': UploadedFile('file-1', provider_name='bedrock', media_type='application/pdf'),
    'uploaded_other': UploadedFile('s3://bucket/key.pdf', provider_name='openai'),
    'text_content': TextContent('tc', metadata={'a': 1}),
    'empty_text': '',
    'space': ' ',
}
for name, item in MEDIA.items():
    case(f'media_{name}', [request_of(['look', item])])
case(
    'media_documents',
    [request_of([MEDIA['csv'], 'a', MEDIA['doc'], MEDIA['doc'], BinaryContent(PNG, media_type='image/png')])],
)
case(
    'media_documents_twice',
    [request_of([MEDIA['csv']]), request_of(['x', MEDIA['csv']]), request_of([MEDIA['doc']])],
)
case('media_only_document', [request_of([MEDIA['csv']])])
case('media_only_image', [request_of([BinaryContent(PNG, media_type='image/png')])])

for kind in ('haiku45', 'nova'):
    case(
        f'count/{kind}',
        params=Parameters(function_tools=[TOOL]),
        settings={'max_tokens': 5},
        model=MODELS[kind],
        reply=as_json({'inputTokens': 42}),
        count=True,
    )
case('count_profile', settings={'bedrock_inference_profile': 'p1'}, reply=as_json({'inputTokens': 42}), count=True)
case('count_error', reply=as_json({'message': 'no'}, 400), count=True)
case('count_system', REQUESTS['system_instructions'][0], reply=as_json({'inputTokens': 1}), count=True)
case('strict_tool', params=Parameters(function_tools=[TOOL_STRICT, TOOL_NOT_STRICT, TOOL]))
case('strict_output', params=WITH_OUTPUT, settings={'tool_choice': 'auto'})
case('native_and_tools', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT, function_tools=[TOOL]))
case('tools_thinking_required', params=WITH_TOOLS, settings={'tool_choice': 'required', 'thinking': True})
for kind in ('nova', 'qwen', 'old', 'haiku45'):
    for text_too in (True, False):
        auto = Parameters(
            output_tools=[OUTPUT_TOOL], output_mode='auto', output_object=OUTPUT_OBJECT, allow_text_output=text_too
        )
        case(f'auto_thinking_{text_too}/{kind}', params=auto, settings={'thinking': True}, model=MODELS[kind])
    tool_or_text = Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=True)
    case(f'thinking_or_text/{kind}', params=tool_or_text, settings={'thinking': True}, model=MODELS[kind])
case('tools_thinking_one', params=WITH_TOOLS, settings={'tool_choice': ['t1'], 'thinking': True})
