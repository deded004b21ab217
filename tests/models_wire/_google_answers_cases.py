"""Answers of Google, whole and streamed, and tokens that it counts."""

from __future__ import annotations

from _google_answers import ANSWERS, CALL, SIGNATURE, body, stream, text, whole
from _google_models import SIGNED, THREE, native
from _google_requests_cases import WAV
from _requests import REQUESTS
from _vocabulary import TOOL_LOOSE, WITH_TOOLS, WITH_TOOLS_AND_OUTPUT, Cases, Parameters, request_of, response_of
from _wire import Reply, as_json

from stead.messages import AudioUrl, TextPart, ThinkingPart, ToolCallPart
from stead.native_tools import WebSearchTool

cases = Cases('gemini-2.5-flash', lambda: whole(text('hi')))
case = cases.add

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
