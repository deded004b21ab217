"""Chat completions that come whole."""

from __future__ import annotations

from _chat_bodies import completion_body
from _vocabulary import Cases
from _wire import Reply, as_json

cases = Cases('gpt-4o', lambda: as_json(completion_body()))
case = cases.add


def answer(name, *message, **fields):
    case('r_' + name, reply=as_json(completion_body(*message, **fields)))


answer('null', {'role': 'assistant', 'content': None})
answer('empty', {'role': 'assistant', 'content': ''})
for reason in ('stop', 'length', 'tool_calls', 'content_filter', 'function_call', 'weird', None):
    answer(f'finish_{reason}', finish=reason)
answer('refusal', {'role': 'assistant', 'content': None, 'refusal': 'no way'})
answer('refusal+text', {'role': 'assistant', 'content': 'hm', 'refusal': 'no way'})
answer('filter_empty', {'role': 'assistant', 'content': None}, finish='content_filter')
answer('length_empty', {'role': 'assistant', 'content': None}, finish='length')
answer(
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
answer(
    'custom',
    {
        'role': 'assistant',
        'content': None,
        'tool_calls': [{'id': 'i1', 'type': 'custom', 'custom': {'name': 't1', 'input': 'zz'}}],
    },
    finish='tool_calls',
)
answer(
    'unknown_call',
    {
        'role': 'assistant',
        'content': None,
        'tool_calls': [{'id': 'i1', 'type': 'weird', 'weird': {'name': 't1', 'input': 'zz'}}],
    },
    finish='tool_calls',
)
answer(
    'badjson',
    {
        'role': 'assistant',
        'content': None,
        'tool_calls': [{'id': 'i1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{"x":'}}],
    },
    finish='tool_calls',
)
answer('reasoning', {'role': 'assistant', 'content': 'a', 'reasoning': 'hmm'})
answer('reasoning_content', {'role': 'assistant', 'content': 'a', 'reasoning_content': 'hmm'})
answer('reasoning_both', {'role': 'assistant', 'content': 'a', 'reasoning_content': 'hmm', 'reasoning': 'hm2'})
answer('think_tags', {'role': 'assistant', 'content': '<think>hm</think>\nanswer<think>x</think> b'})
answer('think_open', {'role': 'assistant', 'content': '<think>hm'})
answer(
    'audio',
    {'role': 'assistant', 'content': None, 'audio': {'id': 'a', 'data': 'AAAA', 'expires_at': 1, 'transcript': 'tr'}},
)
answer(
    'annotations',
    {
        'role': 'assistant',
        'content': 'x',
        'annotations': [
            {'type': 'url_citation', 'url_citation': {'start_index': 0, 'end_index': 1, 'url': 'u', 'title': 't'}}
        ],
    },
)
answer('service_tier', service_tier='flex', system_fingerprint='fp')
answer('nousage', usage=None)
answer('zerousage', usage={'prompt_tokens': 1, 'completion_tokens': 0, 'total_tokens': 1})
answer('nocreated', created=None)
answer('zerocreated', created=0)
answer('noid', id='')
answer('nochoices', choices=[])
answer('nullchoices', choices=None)
answer(
    'two',
    choices=[
        {'index': i, 'message': {'role': 'assistant', 'content': f'm{i}'}, 'finish_reason': 'stop'} for i in range(2)
    ],
)
with_logprobs = completion_body()
with_logprobs['choices'][0]['logprobs'] = {
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
case('r_logprobs', reply=as_json(with_logprobs))
case(
    'r_listcontent', reply=as_json(completion_body({'role': 'assistant', 'content': [{'type': 'text', 'text': 'hi'}]}))
)
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_string', reply=as_json('hello'))
case('r_list', reply=as_json([]))
case('r_error200', reply=as_json({'error': {'message': 'bad', 'code': 500}}))
for status in (400, 401, 404, 422):
    case(f'r_{status}', reply=as_json({'error': {'message': 'bad', 'type': 't', 'code': 'c'}}, status=status))
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
