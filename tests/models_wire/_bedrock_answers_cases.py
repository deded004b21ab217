"""Answers of Bedrock that come whole."""

from __future__ import annotations

from typing import Any

from _bedrock_bodies import CLAUDE, NOVA, USAGE, answer, error, sealed, text, thought, tool_result, tool_use
from _vocabulary import WITH_TOOLS, Cases
from _wire import Cut, Reply, Reset, as_json

cases = Cases(CLAUDE, lambda: answer(text('hi')))
case = cases.add


def came(name: str, *content: Any, model: str | None = None, **fields: Any) -> None:
    case(f'r_{name}', params=WITH_TOOLS, model=model, reply=answer(*content, **fields))


came('text', text('hi'))
came('texts', text('a'), text('b'))
came('empty_text', text(''))
came('nothing')
came('call', tool_use('t1', {'x': 1}), reason='tool_use')
came('calls', text('well'), tool_use('t1', {'x': 1}), tool_use('t2', {}, 'i2'), reason='tool_use')
came('call_text_arguments', tool_use('t1', '{"x": 1}'), reason='tool_use')
came('call_list_arguments', tool_use('t1', [1]), reason='tool_use')
came('call_null_arguments', tool_use('t1', None), reason='tool_use')
came('call_deep', tool_use('t1', {'a': {'b': [1, 2.5, None, True, 'é']}}), reason='tool_use')
came('thought', thought('hm', 'sig'), text('a'))
came('thought_unsigned', thought('hm'), text('a'))
came('thought_empty', thought('', 'sig'), text('a'))
came('thoughts', thought('h', 's1'), thought('m', 's2'), text('a'))
came('thought_only', thought('hm', 'sig'))
came('sealed', sealed('aGk='), text('a'))
came('sealed_and_open', thought('hm', 'sig'), sealed('aGk='), text('a'))
came('thought_and_call', thought('hm', 'sig'), tool_use('t1', {}), reason='tool_use')
came('think_tags', text('<think>hm</think>a'))
came('thinking_tags', text('<thinking>hm</thinking>a'))
came('think_tags_nova', text('<think>hm</think>a'), model=NOVA)
came('unknown_block', text('a'), {'smell': {'x': 1}})
came('citations', {'citationsContent': {'content': [{'text': 'cited'}], 'citations': [{'title': 't'}]}})
came('image', text('a'), {'image': {'format': 'png', 'source': {'bytes': 'aGk='}}})
came('guard', {'guardContent': {'text': {'text': 'x'}}})
CODE = {'type': 'server_tool_use'}
RESULT = {'stdOut': '1', 'stdErr': '', 'exitCode': 0, 'isError': False}
for kind, model in {'nova': NOVA}.items():
    came(
        f'code/{kind}',
        tool_use('nova_code_interpreter', {'snippet': 'print(1)'}, 'n1', **CODE),
        tool_result({'json': RESULT}, call_id='n1', type='nova_code_interpreter_result'),
        text('it is 1'),
        model=model,
    )
    came(
        f'code_text/{kind}',
        tool_use('nova_code_interpreter', {'snippet': 'print(1)'}, 'n1', **CODE),
        tool_result({'text': 'out'}, call_id='n1', type='nova_code_interpreter_result'),
        model=model,
    )
    came(
        f'code_error/{kind}',
        tool_use('nova_code_interpreter', {'snippet': 'print(1)'}, 'n1', **CODE),
        tool_result({'json': RESULT}, call_id='n1', status='error', type='nova_code_interpreter_result'),
        model=model,
    )
    came(
        f'code_no_status/{kind}',
        tool_use('nova_code_interpreter', {'snippet': 'print(1)'}, 'n1', **CODE),
        tool_result({'json': RESULT}, {'text': 'x'}, call_id='n1', status=None),
        model=model,
    )
    came(f'code_without_type/{kind}', tool_use('nova_code_interpreter', {'snippet': 'print(1)'}, 'n1'), model=model)
    came(f'grounding/{kind}', tool_use('nova_grounding', {}, 'n1', **CODE), model=model)
    came(
        f'grounding_result/{kind}',
        tool_use('nova_grounding', {}, 'n1', **CODE),
        tool_result({'text': 'x'}, call_id='n1', type='nova_grounding_result'),
        text('a'),
        model=model,
    )
    came(f'result_alone/{kind}', tool_result({'text': 'x'}, call_id='n9'), text('a'), model=model)
for reason in (
    'end_turn',
    'tool_use',
    'max_tokens',
    'stop_sequence',
    'guardrail_intervened',
    'content_filtered',
    'model_context_window_exceeded',
    'malformed_model_output',
    'malformed_tool_use',
    'bored',
    '',
):
    came(f'finish_{reason or "empty"}', text('a'), reason=reason)
came('finish_null', text('a'), reason=None)
came('usage_zero', text('a'), usage={'inputTokens': 0, 'outputTokens': 0, 'totalTokens': 0})
came('usage_none', text('a'), usage=None)
came('usage_cache', text('a'), usage={**USAGE, 'cacheReadInputTokens': 3, 'cacheWriteInputTokens': 4})
came('usage_cache_zero', text('a'), usage={**USAGE, 'cacheReadInputTokens': 0, 'cacheWriteInputTokens': 0})
came(
    'usage_cache_details',
    text('a'),
    usage={**USAGE, 'cacheWriteInputTokens': 4, 'cacheDetails': [{'ttl': '1h', 'inputTokens': 4}]},
)
TRACE = {'guardrail': {'modelOutput': ['x'], 'inputAssessment': {'g': {'topicPolicy': {'topics': []}}}}}
came('trace', text('no'), reason='guardrail_intervened', trace=TRACE)
came('more_fields', text('a'), additionalModelResponseFields={'stop_sequence': 'x'})
came('performance', text('a'), performanceConfig={'latency': 'optimized'})
came('tier', text('a'), serviceTier={'type': 'flex'})
case('r_empty', reply=as_json({}))
case('r_no_output', reply=as_json({'stopReason': 'end_turn', 'usage': USAGE}))
case('r_no_message', reply=as_json({'output': {}, 'stopReason': 'end_turn', 'usage': USAGE}))
case(
    'r_no_reason', reply=as_json({'output': {'message': {'role': 'assistant', 'content': [text('a')]}}, 'usage': USAGE})
)
case('r_list', reply=as_json([]))
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_reset', reply=Reply(pieces=[Reset()]))
case('r_cut', reply=Reply(pieces=[b'{"out', Cut()]))
for kind, status in {
    'ValidationException': 400,
    'AccessDeniedException': 403,
    'ResourceNotFoundException': 404,
    'ModelTimeoutException': 408,
    'ModelErrorException': 424,
    'ThrottlingException': 429,
    'ModelNotReadyException': 429,
    'InternalServerException': 500,
    'ServiceUnavailableException': 503,
}.items():
    case(f'r_{kind}', reply=error(kind, status))
case('r_500_text', reply=Reply(500, {}, [b'plain'], 'text/plain'))
