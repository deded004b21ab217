"""Requests of chat completions and answers to them, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import dataclasses
from typing import Any

import openai
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
from _wire import Cut, Reply, Reset, Wire, as_json, as_sse

from stead.messages import (
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
from stead.models.openai import OpenAIChatModel
from stead.native_tools import CodeExecutionTool, WebSearchTool
from stead.output import OutputObjectDefinition
from stead.profiles.openai import OpenAIModelProfile
from stead.providers.openai import OpenAIProvider
from stead.settings import ToolOrOutput


def completion(message=None, finish='stop', **kw):
    m = {'role': 'assistant', 'content': 'hi'} if message is None else message
    return {
        'id': 'c1',
        'object': 'chat.completion',
        'created': 1700000000,
        'model': 'gpt-4o-2024',
        'choices': [{'index': 0, 'message': m, 'finish_reason': finish, 'logprobs': None}],
        'usage': {
            'prompt_tokens': 10,
            'completion_tokens': 5,
            'total_tokens': 15,
            'prompt_tokens_details': {'cached_tokens': 3, 'audio_tokens': 1},
            'completion_tokens_details': {'reasoning_tokens': 2, 'audio_tokens': 4, 'accepted_prediction_tokens': 6},
        },
        **kw,
    }


cases = Cases('gpt-4o', lambda: as_json(completion()))
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
case('system_mid', [U(SystemPromptPart('s1'), 'hi'), R('x'), U(SystemPromptPart('s2'), 'hi2')])
for role in ('developer', 'user', 'system'):
    case(
        'sysrole_' + role,
        [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')],
        profile=OpenAIModelProfile(openai_system_prompt_role=role),
    )
case('o1mini', [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')], model='o1-mini')
case(
    'one_system',
    [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')],
    profile=OpenAIModelProfile(openai_chat_supports_multiple_system_messages=False),
)
case('history', [U('a'), R('b'), U('c'), R('d', 'e'), U('f')])
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
        R(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', '', 'id2'), ToolCallPart('t1', 'bad{', 'id3')),
        U(ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id2'), ToolReturnPart('t1', 3, 'id3')),
    ],
)
case(
    'retry', [U('a'), R(ToolCallPart('t1', '{}', 'id1')), U(RetryPromptPart('bad', tool_name='t1', tool_call_id='id1'))]
)
case('retry_notool', [U('a'), R('b'), U(RetryPromptPart('bad thing'))])
case(
    'retry_errors',
    [
        U('a'),
        R(ToolCallPart('t1', '{}', 'id1')),
        U(
            RetryPromptPart(
                [{'type': 'missing', 'loc': ('x',), 'msg': 'Field required', 'input': {}}],
                tool_name='t1',
                tool_call_id='id1',
            )
        ),
    ],
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
    'tool_two_files',
    [
        U('a'),
        R(ToolCallPart('t1', '{}', 'id1'), ToolCallPart('t1', '{}', 'id2')),
        U(
            ToolReturnPart('t1', BinaryContent(PNG, media_type='image/png', identifier='f1'), 'id1'),
            ToolReturnPart('t1', ImageUrl('http://x/i.png', identifier='f2'), 'id2'),
        ),
    ],
)
case(
    'failed', [U('a'), R(ToolCallPart('t1', '{}', 'id1')), U(ToolReturnPart('t1', 'denied!', 'id1', outcome='denied'))]
)
case('thinking', [U('a'), R(ThinkingPart('hmm'), 'b'), U('c')])
case(
    'thinking_sig',
    [
        U('a'),
        R(
            ThinkingPart('hmm', id='reasoning_content', provider_name='openai'),
            'b',
            ThinkingPart('more', id='reasoning', provider_name='other'),
        ),
        U('c'),
    ],
)
for mode in ('auto', 'tags', 'field', False):
    case(
        f'thinking_{mode}',
        [
            U('a'),
            R(
                ThinkingPart('hmm', id='reasoning_content', provider_name='openai'),
                'b',
                ThinkingPart('m2', provider_name='x'),
            ),
            U('c'),
        ],
        profile=OpenAIModelProfile(
            openai_chat_thinking_field='reasoning_content', openai_chat_send_back_thinking_parts=mode
        ),
    )
case('thinking_only', [U('a'), R(ThinkingPart('hmm')), U('c')])
case('empty_resp', [U('a'), R(), U('c')])
case('empty_text', [U('a'), R(''), U('c')])
case(
    'native_parts',
    [
        U('a'),
        R(
            NativeToolCallPart('web_search', {'q': 1}, 'n1', provider_name='openai'),
            NativeToolReturnPart('web_search', {'r': 1}, 'n1', provider_name='openai'),
            'b',
            FilePart(BinaryContent(PNG, media_type='image/png')),
        ),
        U('c'),
    ],
)
case('tools', params=P(function_tools=[tool, tool_loose, tool_strict, tool_nostrict]))
case(
    'tools_nostrict_profile',
    params=P(function_tools=[tool, tool_strict]),
    profile=OpenAIModelProfile(openai_supports_strict_tool_definition=False),
)
case('output_tool', params=P(function_tools=[tool], output_tools=[out], output_mode='tool', allow_text_output=False))
case('output_tool_only', params=P(output_tools=[out], output_mode='tool', allow_text_output=False))
case('output_tool_text', params=P(output_tools=[out], output_mode='tool', allow_text_output=True))
case(
    'output_tool_norequired',
    params=P(output_tools=[out], output_mode='tool', allow_text_output=False),
    profile=OpenAIModelProfile(openai_supports_tool_choice_required=False),
)
case('native', params=P(output_mode='native', output_object=oo, allow_text_output=True))
case('native_tools', params=P(output_mode='native', output_object=oo, function_tools=[tool_loose]))
case('native_strictF', params=P(output_mode='native', output_object=dataclasses.replace(oo, strict=False)))
case(
    'native_strictT',
    params=P(output_mode='native', output_object=dataclasses.replace(oo, strict=True, name=None, description=None)),
)
case(
    'native_loose',
    params=P(
        output_mode='native',
        output_object=OutputObjectDefinition(
            json_schema={'type': 'object', 'properties': {'y': {'type': 'string', 'default': 'a'}}}
        ),
    ),
)
case('prompted', params=P(output_mode='prompted', output_object=oo))
case(
    'prompted_instr',
    [ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')],
    params=P(output_mode='prompted', output_object=oo, instruction_parts=[InstructionPart(content='be nice')]),
)
case(
    'prompted_nojson',
    params=P(output_mode='prompted', output_object=oo),
    profile=OpenAIModelProfile(supports_json_object_output=False),
)
for n, tc in {
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
    case('tc_' + n, params=TC, settings={'tool_choice': tc})
    case('tco_' + n, params=TCO, settings={'tool_choice': tc})
    case(
        'tcn_' + n,
        params=TCO,
        settings={'tool_choice': tc},
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
case('settings_tools', params=TC, settings={'parallel_tool_calls': False})
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
for m in ('gpt-5', 'gpt-5.1', 'gpt-4o', 'o3', 'gpt-5.4'):
    for th in (True, False, 'minimal', 'low', 'xhigh'):
        case(
            f'think_{m}_{th}',
            settings={'thinking': th, 'temperature': 0.5, 'top_p': 0.3, 'openai_logprobs': True, 'max_tokens': 9},
            model=m,
        )
    case(f'think_{m}_unset', settings={'temperature': 0.5, 'logit_bias': {'1': 1}}, model=m)
    case(f'think_{m}_effnone', settings={'temperature': 0.5, 'openai_reasoning_effort': 'none'}, model=m)
    case(f'think_{m}_eff', settings={'temperature': 0.5, 'openai_reasoning_effort': 'high', 'thinking': 'low'}, model=m)
case(
    'unsupported',
    settings={'temperature': 0.5, 'seed': 3, 'openai_user': 'u', 'parallel_tool_calls': True},
    params=TC,
    profile=OpenAIModelProfile(openai_unsupported_model_settings=('seed', 'openai_user', 'parallel_tool_calls')),
)
case(
    'nosampling',
    settings={'temperature': 0.5, 'seed': 3},
    profile=OpenAIModelProfile(openai_supports_sampling_settings=False),
)
media = {
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
for k, v in media.items():
    case('media_' + k, [U(['look', v])])
case('media_str_list', [U(['a', 'b'])])
case(
    'media_azure_pdf',
    [U(['look', media['bin_pdf']])],
    profile=OpenAIModelProfile(openai_chat_supports_document_input=False),
)
case(
    'media_azure_txt',
    [U(['look', media['bin_txt']])],
    profile=OpenAIModelProfile(openai_chat_supports_document_input=False),
)
case(
    'media_uri_audio',
    [U(['look', media['bin_wav']])],
    profile=OpenAIModelProfile(openai_chat_audio_input_encoding='uri'),
)
case(
    'media_fileurl',
    [U(['look', DocumentUrl('http://x.com/a.pdf'), DocumentUrl('http://x.com/a.txt')])],
    profile=OpenAIModelProfile(openai_chat_supports_file_urls=True),
)
case(
    'native_ws',
    params=P(
        native_tools=[
            WebSearchTool(
                search_context_size='low', user_location={'city': 'B', 'country': 'DE', 'region': 'x', 'timezone': 'y'}
            )
        ]
    ),
    model='gpt-4o-search-preview',
)
case('native_ws_plain', params=P(native_tools=[WebSearchTool()]), model='gpt-4o-search-preview')
case('native_ws_no', params=P(native_tools=[WebSearchTool()]))
case('native_ce_no', params=P(native_tools=[CodeExecutionTool()]))
case('image_out', params=P(allow_image_output=True))


# responses
def resp(name, *a, **k):
    case('r_' + name, reply=as_json(completion(*a, **k)))


resp('null', {'role': 'assistant', 'content': None})
resp('empty', {'role': 'assistant', 'content': ''})
for f in ('stop', 'length', 'tool_calls', 'content_filter', 'function_call', 'weird', None):
    resp(f'finish_{f}', finish=f)
resp('refusal', {'role': 'assistant', 'content': None, 'refusal': 'no way'})
resp('refusal+text', {'role': 'assistant', 'content': 'hm', 'refusal': 'no way'})
resp('filter_empty', {'role': 'assistant', 'content': None}, finish='content_filter')
resp('length_empty', {'role': 'assistant', 'content': None}, finish='length')
resp(
    'calls',
    {
        'role': 'assistant',
        'content': 'a',
        'tool_calls': [
            {'id': 'i1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{"x":1}'}},
            {'id': '', 'type': 'function', 'function': {'name': 't2', 'arguments': ''}},
        ],
    },
    finish='tool_calls',
)
resp(
    'custom',
    {
        'role': 'assistant',
        'content': None,
        'tool_calls': [{'id': 'i1', 'type': 'custom', 'custom': {'name': 't1', 'input': 'zz'}}],
    },
    finish='tool_calls',
)
resp(
    'unknown_call',
    {
        'role': 'assistant',
        'content': None,
        'tool_calls': [{'id': 'i1', 'type': 'weird', 'weird': {'name': 't1', 'input': 'zz'}}],
    },
    finish='tool_calls',
)
resp(
    'badjson',
    {
        'role': 'assistant',
        'content': None,
        'tool_calls': [{'id': 'i1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{"x":'}}],
    },
    finish='tool_calls',
)
resp('reasoning', {'role': 'assistant', 'content': 'a', 'reasoning': 'hmm'})
resp('reasoning_content', {'role': 'assistant', 'content': 'a', 'reasoning_content': 'hmm'})
resp('reasoning_both', {'role': 'assistant', 'content': 'a', 'reasoning_content': 'hmm', 'reasoning': 'hm2'})
resp('think_tags', {'role': 'assistant', 'content': '<think>hm</think>\nanswer<think>x</think> b'})
resp('think_open', {'role': 'assistant', 'content': '<think>hm'})
resp(
    'audio',
    {'role': 'assistant', 'content': None, 'audio': {'id': 'a', 'data': 'AAAA', 'expires_at': 1, 'transcript': 'tr'}},
)
resp(
    'annotations',
    {
        'role': 'assistant',
        'content': 'x',
        'annotations': [
            {'type': 'url_citation', 'url_citation': {'start_index': 0, 'end_index': 1, 'url': 'u', 'title': 't'}}
        ],
    },
)
resp('service_tier', service_tier='flex', system_fingerprint='fp')
resp('nousage', usage=None)
resp('zerousage', usage={'prompt_tokens': 1, 'completion_tokens': 0, 'total_tokens': 1})
resp('nocreated', created=None)
resp('zerocreated', created=0)
resp('noid', id='')
resp('nochoices', choices=[])
resp('nullchoices', choices=None)
resp(
    'two',
    choices=[
        {'index': i, 'message': {'role': 'assistant', 'content': f'm{i}'}, 'finish_reason': 'stop'} for i in range(2)
    ],
)
lp = completion()
lp['choices'][0]['logprobs'] = {
    'content': [
        {
            'token': 'h',
            'logprob': -0.5,
            'bytes': [104],
            'top_logprobs': [{'token': 'h', 'logprob': -0.5, 'bytes': None}],
        }
    ],
    'refusal': None,
}
case('r_logprobs', reply=as_json(lp))
case('r_listcontent', reply=as_json(completion({'role': 'assistant', 'content': [{'type': 'text', 'text': 'hi'}]})))
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_string', reply=as_json('hello'))
case('r_list', reply=as_json([]))
case('r_error200', reply=as_json({'error': {'message': 'bad', 'code': 500}}))
for st in (400, 401, 404, 422):
    case(f'r_{st}', reply=as_json({'error': {'message': 'bad', 'type': 't', 'code': 'c'}}, status=st))
case(
    'r_400filter',
    reply=as_json(
        {
            'error': {
                'message': 'The response was filtered',
                'type': None,
                'code': 'content_filter',
                'innererror': {
                    'code': 'ResponsibleAIPolicyViolation',
                    'content_filter_result': {'hate': {'filtered': True, 'severity': 'high'}},
                },
            }
        },
        status=400,
    ),
)
case('r_400filter_top', reply=as_json({'message': 'f', 'code': 'content_filter'}, status=400))
case('r_400text', reply=Reply(400, {}, [b'plain text'], 'text/plain'))


def ch(delta=None, finish=None, **kw):
    d = {
        'id': 'c1',
        'object': 'chat.completion.chunk',
        'created': 1700000000,
        'model': 'gpt-4o-2024',
        'choices': [{'index': 0, 'delta': delta if delta is not None else {}, 'finish_reason': finish}],
    }
    d.update(kw)
    return d


USE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15, 'prompt_tokens_details': {'cached_tokens': 3}}
use = ch(choices=[], usage=USE)


def sc(name, *chunks, done=True, **kw):
    case('s_' + name, reply=as_sse(chunks, done=done), **kw)


def tc(i, id=None, name=None, args=None, **kw):
    f = {}
    if name is not None:
        f['name'] = name
    if args is not None:
        f['arguments'] = args
    d = {'index': i, 'function': f}
    if id:
        d['id'] = id
        d['type'] = 'function'
    d.update(kw)
    return {'tool_calls': [d]}


TP = P(function_tools=[tool])
sc(
    'text',
    ch({'role': 'assistant', 'content': ''}),
    ch({'content': 'he'}),
    ch({'content': 'llo'}),
    ch(finish='stop'),
    use,
)
sc('text_nousage', ch({'content': 'he'}), ch(finish='stop'))
sc('nodone', ch({'content': 'he'}), ch(finish='stop'), done=False)
sc('nofinish', ch({'content': 'he'}))
sc('finish_weird', ch({'content': 'he'}), ch(finish='weird'))
sc('empty')
sc('onlyusage', use)
sc('ws_lead', ch({'content': '\n'}), ch({'content': 'he'}), ch(finish='stop'))
sc(
    'ws_lead_prof',
    ch({'content': '\n'}),
    ch({'content': 'he'}),
    ch(finish='stop'),
    profile=OpenAIModelProfile(ignore_streamed_leading_whitespace=True),
)
sc(
    'calls',
    ch({'role': 'assistant', 'content': None, **tc(0, 'i1', 't1', '')}),
    ch(tc(0, args='{"x"')),
    ch(tc(0, args=':1}')),
    ch(tc(1, 'i2', 't1', '{}')),
    ch(finish='tool_calls'),
    use,
    params=TP,
)
sc(
    'calls_text',
    ch({'content': 'a'}),
    ch(tc(0, 'i1', 't1', '{}')),
    ch({'content': 'b'}),
    ch(finish='tool_calls'),
    params=TP,
)
sc('calls_noid', ch(tc(0, None, 't1', '{}')), ch(finish='tool_calls'), params=TP)
sc(
    'calls_emptyid',
    ch({'tool_calls': [{'index': 0, 'id': '', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}]}),
    ch(finish='tool_calls'),
    params=TP,
)
sc(
    'calls_nofunc',
    ch({'tool_calls': [{'index': 0, 'id': 'x', 'type': 'function', 'function': None}]}),
    ch(finish='tool_calls'),
    params=TP,
)
sc(
    'calls_custom',
    ch({'tool_calls': [{'index': 0, 'id': 'x', 'type': 'custom', 'custom': {'name': 't1', 'input': 'q'}}]}),
    ch(finish='tool_calls'),
    params=TP,
)
sc(
    'calls_noindex',
    ch({'tool_calls': [{'id': 'i1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}]}),
    ch({'tool_calls': [{'id': 'i2', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}]}),
    ch(finish='tool_calls'),
    params=TP,
)
sc(
    'calls_sameindex',
    ch(tc(0, 'i1', 't1', '{"x":1}')),
    ch(tc(0, 'i2', 't1', '{"x":2}')),
    ch(finish='tool_calls'),
    params=TP,
)
sc('calls_stop', ch(tc(0, 'i1', 't1', '{}')), ch(finish='stop'), params=TP)
sc('refusal', ch({'refusal': 'no '}), ch({'refusal': 'way'}), ch(finish='stop'))
sc('refusal_text', ch({'content': 'a'}), ch({'refusal': 'way'}), ch(finish='stop'))
sc('filter', ch(finish='content_filter'))
sc('reasoning', ch({'reasoning': 'hm'}), ch({'reasoning': 'm'}), ch({'content': 'a'}), ch(finish='stop'))
sc(
    'reasoning_content',
    ch({'reasoning_content': 'hm'}),
    ch({'reasoning_content': 'm'}),
    ch({'content': 'a'}),
    ch(finish='stop'),
)
sc('reasoning_both', ch({'reasoning_content': 'hm', 'reasoning': 'hm'}), ch({'content': 'a'}), ch(finish='stop'))
sc(
    'reasoning_prof',
    ch({'reasoning_content': 'hm', 'reasoning': 'hm2'}),
    ch({'content': 'a'}),
    ch(finish='stop'),
    profile=OpenAIModelProfile(openai_chat_thinking_field='reasoning_content'),
)
sc('reasoning_empty', ch({'reasoning_content': '', 'content': 'a'}), ch(finish='stop'))
sc(
    'think_tags',
    ch({'content': '<think>'}),
    ch({'content': 'hm'}),
    ch({'content': '</think>'}),
    ch({'content': 'a'}),
    ch(finish='stop'),
)
sc('think_tags_inline', ch({'content': '<think>hm</think>a'}), ch(finish='stop'))
sc(
    'logprobs',
    {
        **ch(),
        'choices': [
            {
                'index': 0,
                'delta': {'content': 'a'},
                'finish_reason': None,
                'logprobs': {
                    'content': [{'token': 'a', 'logprob': -1, 'bytes': [1], 'top_logprobs': []}],
                    'refusal': None,
                },
            }
        ],
    },
    {
        **ch(),
        'choices': [
            {
                'index': 0,
                'delta': {'content': 'b'},
                'finish_reason': None,
                'logprobs': {
                    'content': [{'token': 'b', 'logprob': -1, 'bytes': [1], 'top_logprobs': []}],
                    'refusal': None,
                },
            }
        ],
    },
    ch(finish='stop'),
)
sc(
    'usage_each',
    ch({'content': 'a'}, usage={'prompt_tokens': 10, 'completion_tokens': 1, 'total_tokens': 11}),
    ch({'content': 'b'}, usage={'prompt_tokens': 10, 'completion_tokens': 2, 'total_tokens': 12}),
    ch(finish='stop'),
    ch(choices=[], usage={'prompt_tokens': 10, 'completion_tokens': 3, 'total_tokens': 13}),
)
sc(
    'usage_each_set',
    ch({'content': 'a'}, usage={'prompt_tokens': 10, 'completion_tokens': 1, 'total_tokens': 11}),
    ch({'content': 'b'}, usage={'prompt_tokens': 10, 'completion_tokens': 2, 'total_tokens': 12}),
    ch(finish='stop'),
    ch(choices=[], usage={'prompt_tokens': 10, 'completion_tokens': 3, 'total_tokens': 13}),
    settings={'openai_continuous_usage_stats': True},
)
sc('role_only', ch({'role': 'assistant'}), ch(finish='stop'))
sc(
    'nulldelta',
    {**ch(), 'choices': [{'index': 0, 'delta': None, 'finish_reason': None}]},
    ch({'content': 'a'}),
    ch(finish='stop'),
)
sc('nullchoices', ch({'content': 'a'}), ch(choices=None), ch(finish='stop'))
sc(
    'two_choices',
    {**ch(), 'choices': [{'index': 0, 'delta': {'content': 'a'}}, {'index': 1, 'delta': {'content': 'b'}}]},
    ch(finish='stop'),
)
sc('model_empty', ch({'content': 'a'}, model=''), ch({'content': 'b'}, model='real'), ch(finish='stop'))
sc('err_event', ch({'content': 'a'}), {'error': {'message': 'boom', 'code': 500}})
sc('malformed', ch({'content': 'a'}), b'data: {bad\n\n', ch({'content': 'b'}))
sc('list_event', ch({'content': 'a'}), b'data: []\n\n')
sc('reset', ch({'content': 'a'}), Reset())
sc('reset0', Reset())
sc('cut', ch({'content': 'a'}), Cut())
sc('fn_call_str', ch({'content': 'a', 'function_call': {'name': 'x', 'arguments': '{}'}}), ch(finish='function_call'))
sc(
    'out_tool',
    ch(tc(0, 'i1', 'final_result', '{"x":1}')),
    ch(finish='tool_calls'),
    params=P(output_tools=[out], output_mode='tool', allow_text_output=False),
)
case('s_429', reply=as_json({'error': {'message': 'slow'}}, status=429, headers={'retry-after': '3'}))
case('s_500', reply=as_json({'error': {'message': 'slow'}}, status=500))
case('s_nonsse', reply=as_json(completion() if 0 else {'id': 'x'}))


# What is better here than there: unknown reasons and pieces of text are read, usage is not added up, and so on.
BETTER = {'r_finish_weird', 'r_listcontent', 's_nofinish', 's_calls_sameindex', 's_logprobs', 's_usage_each'}
cases.drop(BETTER)


def client_of(wire: Wire) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=wire.url, api_key='k', max_retries=0)


async def run(name: str, wire: Wire, client: openai.AsyncOpenAI) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = OpenAIChatModel(model_name, provider=OpenAIProvider(openai_client=client), profile=profile)
    return await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
