"""Responses of models, as they are sent back to Google."""

from __future__ import annotations

from typing import Any

from _google_answers import text, whole
from _google_models import SIGNED, THREE, native
from _vocabulary import PNG, Cases, called, request_of, response_of

from stead.messages import BinaryImage, FilePart, RetryPromptPart, TextPart, ThinkingPart, ToolCallPart

cases = Cases('gemini-2.5-flash', lambda: whole(text('hi')))
case = cases.add


def from_google(*parts: Any, **fields: Any) -> Any:
    return response_of(*parts, provider_name='google', **fields)


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
