"""Requests to Mistral."""

from __future__ import annotations

from _mistral_bodies import MODEL, completion
from _requests import REQUESTS
from _vocabulary import Cases, request_of, response_of

from stead.messages import DocumentUrl, ThinkingPart, ToolCallPart, ToolReturnPart
from stead.profiles import ModelProfile

cases = Cases(MODEL, completion)
case = cases.add
for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
for level in (True, False, 'high'):
    case(f'thinks_{level}/magistral', settings={'thinking': level}, model='magistral-medium-latest')
    case(f'thinks_{level}/able', settings={'thinking': level}, profile=ModelProfile(supports_thinking=True))
    case(f'thinks_{level}/small', settings={'thinking': level}, model='mistral-small-latest')
ABLE = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
for name in ('output_native', 'output_native_and_tool', 'output_prompted', 'output_prompted_and_tool'):
    case(f'{name}/able', *REQUESTS[name], profile=ABLE)
for name in ('thinking', 'thinking_two', 'thinking_and_call', 'thinking_only', 'thinking_after'):
    case(f'{name}/magistral', *REQUESTS[name], model='magistral-medium-latest')
case(
    'thinking_mine', [request_of('a'), response_of(ThinkingPart('hmm', provider_name='mistral'), 'b'), request_of('c')]
)
case(
    'long_call_id',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'call_0123456789abcdef')),
        request_of(ToolReturnPart('t1', 1, 'call_0123456789abcdef')),
    ],
)
case(
    'call_broken',
    [request_of('a'), response_of(ToolCallPart('t1', '{"x"', 'i1')), request_of(ToolReturnPart('t1', 1, 'i1'))],
)
case('answer_after_answer', [request_of('a'), response_of('b'), response_of('c'), request_of('d')])
case(
    'prompt_after_return',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'i1')),
        request_of(ToolReturnPart('t1', 1, 'i1')),
        request_of('and'),
    ],
)
case(
    'system_after_return',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'i1')),
        request_of(ToolReturnPart('t1', 1, 'i1'), 'x'),
        response_of('y'),
        request_of('z'),
    ],
)
case('ends_with_answer', [request_of('a'), response_of('b')])
case('pdf_by_type', [request_of([DocumentUrl('https://example.com/x', media_type='application/pdf')])])
