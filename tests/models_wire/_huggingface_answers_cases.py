"""Answers of Hugging Face, whole and streamed."""

from __future__ import annotations

from typing import Any

from _huggingface_bodies import MODEL, USAGE, call, chunk, completion
from _vocabulary import WITH_OUTPUT, WITH_TOOLS, Cases
from _wire import Cut, Reply, Reset, as_json, as_sse

from stead.profiles import ModelProfile

cases = Cases(MODEL, completion)
case = cases.add
TAGS = ModelProfile(thinking_tags=('<t>', '</t>'))


def answer(name: str, message: Any = None, finish: str | None = 'stop', params: Any = None, **fields: Any) -> None:
    case(f'r_{name}', params=params, reply=completion(message, finish, **fields))


answer('text')
answer('empty', {'content': ''})
answer('null', {'content': None})
for reason in ('length', 'tool_calls', 'content_filter', 'eos_token', 'stop_sequence', 'bored', ''):
    answer(f'finish_{reason}', finish=reason)
answer('calls', {'content': None, 'tool_calls': [call(0, 'i1', 't1', '{"x":1}')]}, 'tool_calls', WITH_TOOLS)
answer('calls_text', {'content': 'well', 'tool_calls': [call(0, 'i1', 't1', '{"x":1}')]}, 'tool_calls', WITH_TOOLS)
answer('calls_object', {'tool_calls': [call(0, 'i1', 't1', {'x': 1})]}, 'tool_calls', WITH_TOOLS)
answer(
    'calls_two', {'tool_calls': [call(0, 'i1', 't1', '{"x":1}'), call(1, 'i2', 't2', '{}')]}, 'tool_calls', WITH_TOOLS
)
answer('calls_no_id', {'tool_calls': [call(0, None, 't1', '{}')]}, 'tool_calls', WITH_TOOLS)
answer('calls_none', {'content': 'a', 'tool_calls': []})
answer('output', {'tool_calls': [call(0, 'i1', 'final_result', '{"x":1}')]}, 'tool_calls', WITH_OUTPUT)
answer('reasoning', {'content': 'a', 'reasoning': 'hm'})
answer('reasoning_content', {'content': 'a', 'reasoning_content': 'hm'})
answer('tags', {'content': '<think>hm</think>a'})
case('r_tags_other', profile=TAGS, reply=completion({'content': '<t>hm</t>a'}))
answer('tags_open', {'content': '<think>hm'})
answer('no_usage', usage=None)
answer('no_id', id='')
answer('no_created', created=None)
answer('no_model', model=None)
answer(
    'two_choices', choices=[{'index': i, 'message': {'role': 'assistant', 'content': t}} for i, t in enumerate('ab')]
)
answer(
    'full_usage',
    usage={
        **USAGE,
        'prompt_tokens_details': {'cached_tokens': 3},
        'completion_tokens_details': {'reasoning_tokens': 2},
    },
)
answer('no_choices', choices=[])
answer('null_choices', choices=None)
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_string', reply=as_json('hello'))
case('r_list', reply=as_json([]))
for status in (400, 401, 402, 404, 422, 429, 500, 503):
    case(f'r_{status}', reply=as_json({'error': 'bad'}, status))
case('r_400_text', reply=Reply(400, {}, [b'plain text'], 'text/plain'))


def stream(name: str, *events: Any, done: bool = True, params: Any = None, profile: Any = None, **fields: Any) -> None:
    case(f's_{name}', params=params, profile=profile, reply=as_sse(events, done=done), **fields)


LAST = chunk({'content': ''}, 'stop')
COUNTED = {**chunk(), 'choices': [], 'usage': USAGE}
CALLED = chunk(None, 'tool_calls', usage=USAGE)
A, B = chunk({'content': 'he'}), chunk({'content': 'llo'})
stream('text', A, B, LAST, COUNTED)
stream('usage_in_last', A, B, chunk(None, 'stop', usage=USAGE))
stream(
    'usage_in_all', chunk({'content': 'he'}, usage={**USAGE, 'completion_tokens': 1}), chunk(None, 'stop', usage=USAGE)
)
stream('no_usage', A, LAST)
stream('not_done', A, LAST, COUNTED, done=False)
stream('nothing')
stream('only_end', LAST)
stream('space', chunk({'content': '\n\n'}), A, LAST)
stream('space/llama', chunk({'content': '\n\n'}), A, LAST, model='meta-llama/Llama-3.3-70B-Instruct')
for reason in ('length', 'tool_calls', 'content_filter', 'eos_token', 'stop_sequence', 'bored'):
    stream(f'finish_{reason}', A, chunk(None, reason))
stream('reasoning', chunk({'reasoning': 'h'}), chunk({'reasoning': 'm'}), A, B, LAST)
stream('reasoning_content', chunk({'reasoning_content': 'h'}), chunk({'reasoning_content': 'm'}), A, LAST)
stream('tags', *(chunk({'content': text}) for text in ('<think>', 'h', 'm', '</think>', 'a')), LAST)
stream('tags_other', *(chunk({'content': text}) for text in ('<t>', 'hm', '</t>', 'a')), LAST, profile=TAGS)
stream('tags_inline', chunk({'content': '<think>hm</think>a'}), LAST)
stream(
    'calls',
    chunk({'tool_calls': [call(0, 'i1', 't1', '')]}),
    chunk({'tool_calls': [call(0, None, None, '{"x"')]}),
    chunk({'tool_calls': [call(0, None, None, ':1}')]}),
    chunk({'tool_calls': [call(1, 'i2', 't2', '{}')]}),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_same_id',
    chunk({'tool_calls': [call(0, 'i1', 't1', '{"x"')]}),
    chunk({'tool_calls': [call(0, 'i1', None, ':1}')]}),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_text',
    chunk({'content': 'well'}),
    chunk({'tool_calls': [call(0, 'i1', 't1', '{"x":1}')]}),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_together',
    chunk({'tool_calls': [call(0, 'i1', 't1', '{}'), call(1, 'i2', 't2', '{}')]}),
    CALLED,
    params=WITH_TOOLS,
)
stream('calls_no_id', chunk({'tool_calls': [call(0, None, 't1', '{}')]}), CALLED, params=WITH_TOOLS)
stream('output', chunk({'tool_calls': [call(0, 'i1', 'final_result', '{"x":1}')]}), CALLED, params=WITH_OUTPUT)
stream('model_later', A, chunk({'content': 'b'}, model='real'), LAST)
stream('null_choices', A, chunk(choices=None), LAST)
stream('no_created', chunk({'content': 'a'}, created=None), LAST)
stream('error', A, {'error': 'boom', 'error_type': 'generation'})
stream('error_object', A, {'error': {'message': 'boom', 'type': 't'}})
stream('malformed', A, b'data: {bad\n\n')
stream('reset', A, Reset())
stream('cut', A, Cut())
case('s_429', reply=as_json({'error': 'slow'}, 429, {'retry-after': '3'}))
case('s_not_a_stream', reply=as_json({'id': 'x'}))
