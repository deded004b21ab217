"""Chat completions that stream."""

from __future__ import annotations

from _chat_bodies import completion_body
from _vocabulary import OUTPUT_TOOL, TOOL, Cases, Parameters
from _wire import Cut, Reset, as_json, as_sse

from stead.profiles.openai import OpenAIModelProfile

cases = Cases('gpt-4o', lambda: as_json(completion_body()))
case = cases.add


def chunk(delta=None, finish=None, **fields):
    body = {
        'id': 'c1',
        'object': 'chat.completion.chunk',
        'created': 1700000000,
        'model': 'gpt-4o-2024',
        'choices': [{'index': 0, 'delta': delta if delta is not None else {}, 'finish_reason': finish}],
    }
    body.update(fields)
    return body


USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15, 'prompt_tokens_details': {'cached_tokens': 3}}
USAGE_CHUNK = chunk(choices=[], usage=USAGE)


def stream(name, *chunks, done=True, **fields):
    case('s_' + name, reply=as_sse(chunks, done=done), **fields)


def tool_call_delta(place, call_id=None, name=None, arguments=None, **fields):
    function = {}
    if name is not None:
        function['name'] = name
    if arguments is not None:
        function['arguments'] = arguments
    call = {'index': place, 'function': function}
    if call_id:
        call['id'] = call_id
        call['type'] = 'function'
    call.update(fields)
    return {'tool_calls': [call]}


WITH_TOOL = Parameters(function_tools=[TOOL])
stream(
    'text',
    chunk({'role': 'assistant', 'content': ''}),
    chunk({'content': 'he'}),
    chunk({'content': 'llo'}),
    chunk(finish='stop'),
    USAGE_CHUNK,
)
stream('text_nousage', chunk({'content': 'he'}), chunk(finish='stop'))
stream('nodone', chunk({'content': 'he'}), chunk(finish='stop'), done=False)
stream('nofinish', chunk({'content': 'he'}))
stream('finish_weird', chunk({'content': 'he'}), chunk(finish='weird'))
stream('empty')
stream('onlyusage', USAGE_CHUNK)
stream('ws_lead', chunk({'content': '\n'}), chunk({'content': 'he'}), chunk(finish='stop'))
stream(
    'ws_lead_prof',
    chunk({'content': '\n'}),
    chunk({'content': 'he'}),
    chunk(finish='stop'),
    profile=OpenAIModelProfile(ignore_streamed_leading_whitespace=True),
)
stream(
    'calls',
    chunk({'role': 'assistant', 'content': None, **tool_call_delta(0, 'i1', 't1', '')}),
    chunk(tool_call_delta(0, arguments='{"x"')),
    chunk(tool_call_delta(0, arguments=':1}')),
    chunk(tool_call_delta(1, 'i2', 't1', '{}')),
    chunk(finish='tool_calls'),
    USAGE_CHUNK,
    params=WITH_TOOL,
)
stream(
    'calls_text',
    chunk({'content': 'a'}),
    chunk(tool_call_delta(0, 'i1', 't1', '{}')),
    chunk({'content': 'b'}),
    chunk(finish='tool_calls'),
    params=WITH_TOOL,
)
stream('calls_noid', chunk(tool_call_delta(0, None, 't1', '{}')), chunk(finish='tool_calls'), params=WITH_TOOL)
stream(
    'calls_emptyid',
    chunk({'tool_calls': [{'index': 0, 'id': '', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}]}),
    chunk(finish='tool_calls'),
    params=WITH_TOOL,
)
stream(
    'calls_nofunc',
    chunk({'tool_calls': [{'index': 0, 'id': 'x', 'type': 'function', 'function': None}]}),
    chunk(finish='tool_calls'),
    params=WITH_TOOL,
)
stream(
    'calls_custom',
    chunk({'tool_calls': [{'index': 0, 'id': 'x', 'type': 'custom', 'custom': {'name': 't1', 'input': 'q'}}]}),
    chunk(finish='tool_calls'),
    params=WITH_TOOL,
)
stream(
    'calls_noindex',
    chunk({'tool_calls': [{'id': 'i1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}]}),
    chunk({'tool_calls': [{'id': 'i2', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}]}),
    chunk(finish='tool_calls'),
    params=WITH_TOOL,
)
stream(
    'calls_sameindex',
    chunk(tool_call_delta(0, 'i1', 't1', '{"x":1}')),
    chunk(tool_call_delta(0, 'i2', 't1', '{"x":2}')),
    chunk(finish='tool_calls'),
    params=WITH_TOOL,
)
stream('calls_stop', chunk(tool_call_delta(0, 'i1', 't1', '{}')), chunk(finish='stop'), params=WITH_TOOL)
stream('refusal', chunk({'refusal': 'no '}), chunk({'refusal': 'way'}), chunk(finish='stop'))
stream('refusal_text', chunk({'content': 'a'}), chunk({'refusal': 'way'}), chunk(finish='stop'))
stream('filter', chunk(finish='content_filter'))
stream(
    'reasoning', chunk({'reasoning': 'hm'}), chunk({'reasoning': 'm'}), chunk({'content': 'a'}), chunk(finish='stop')
)
stream(
    'reasoning_content',
    chunk({'reasoning_content': 'hm'}),
    chunk({'reasoning_content': 'm'}),
    chunk({'content': 'a'}),
    chunk(finish='stop'),
)
stream(
    'reasoning_both',
    chunk({'reasoning_content': 'hm', 'reasoning': 'hm'}),
    chunk({'content': 'a'}),
    chunk(finish='stop'),
)
stream(
    'reasoning_prof',
    chunk({'reasoning_content': 'hm', 'reasoning': 'hm2'}),
    chunk({'content': 'a'}),
    chunk(finish='stop'),
    profile=OpenAIModelProfile(openai_chat_thinking_field='reasoning_content'),
)
stream('reasoning_empty', chunk({'reasoning_content': '', 'content': 'a'}), chunk(finish='stop'))
stream(
    'think_tags',
    chunk({'content': '<think>'}),
    chunk({'content': 'hm'}),
    chunk({'content': '</think>'}),
    chunk({'content': 'a'}),
    chunk(finish='stop'),
)
stream('think_tags_inline', chunk({'content': '<think>hm</think>a'}), chunk(finish='stop'))
stream(
    'logprobs',
    {
        **chunk(),
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
        **chunk(),
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
    chunk(finish='stop'),
)
stream(
    'usage_each',
    chunk({'content': 'a'}, usage={'prompt_tokens': 10, 'completion_tokens': 1, 'total_tokens': 11}),
    chunk({'content': 'b'}, usage={'prompt_tokens': 10, 'completion_tokens': 2, 'total_tokens': 12}),
    chunk(finish='stop'),
    chunk(choices=[], usage={'prompt_tokens': 10, 'completion_tokens': 3, 'total_tokens': 13}),
)
stream(
    'usage_each_set',
    chunk({'content': 'a'}, usage={'prompt_tokens': 10, 'completion_tokens': 1, 'total_tokens': 11}),
    chunk({'content': 'b'}, usage={'prompt_tokens': 10, 'completion_tokens': 2, 'total_tokens': 12}),
    chunk(finish='stop'),
    chunk(choices=[], usage={'prompt_tokens': 10, 'completion_tokens': 3, 'total_tokens': 13}),
    settings={'openai_continuous_usage_stats': True},
)
stream('role_only', chunk({'role': 'assistant'}), chunk(finish='stop'))
stream(
    'nulldelta',
    {**chunk(), 'choices': [{'index': 0, 'delta': None, 'finish_reason': None}]},
    chunk({'content': 'a'}),
    chunk(finish='stop'),
)
stream('nullchoices', chunk({'content': 'a'}), chunk(choices=None), chunk(finish='stop'))
stream(
    'two_choices',
    {**chunk(), 'choices': [{'index': 0, 'delta': {'content': 'a'}}, {'index': 1, 'delta': {'content': 'b'}}]},
    chunk(finish='stop'),
)
stream('model_empty', chunk({'content': 'a'}, model=''), chunk({'content': 'b'}, model='real'), chunk(finish='stop'))
stream('err_event', chunk({'content': 'a'}), {'error': {'message': 'boom', 'code': 500}})
stream('malformed', chunk({'content': 'a'}), b'data: {bad\n\n', chunk({'content': 'b'}))
stream('list_event', chunk({'content': 'a'}), b'data: []\n\n')
stream('reset', chunk({'content': 'a'}), Reset())
stream('reset0', Reset())
stream('cut', chunk({'content': 'a'}), Cut())
stream(
    'fn_call_str',
    chunk({'content': 'a', 'function_call': {'name': 'x', 'arguments': '{}'}}),
    chunk(finish='function_call'),
)
stream(
    'out_tool',
    chunk(tool_call_delta(0, 'i1', 'final_result', '{"x":1}')),
    chunk(finish='tool_calls'),
    params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
)
case('s_429', reply=as_json({'error': {'message': 'slow'}}, status=429, headers={'retry-after': '3'}))
case('s_500', reply=as_json({'error': {'message': 'slow'}}, status=500))
case('s_nonsse', reply=as_json(completion_body() if 0 else {'id': 'x'}))
