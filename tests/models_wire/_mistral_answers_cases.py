"""Answers of Mistral that come whole."""

from __future__ import annotations

from typing import Any

from _mistral_bodies import MODEL, USAGE, call, completion, text, thought
from _vocabulary import Cases
from _wire import Reply, as_json

cases = Cases(MODEL, completion)
case = cases.add


def answer(name: str, message: Any = None, finish: Any = 'stop', *, params: Any = None, **fields: Any) -> None:
    case(f'r_{name}', params=params, reply=completion(message, finish, **fields))


answer('null', {'content': None})
answer('empty', {'content': ''})
answer('no_content', {})
answer('pieces', {'content': [text('a'), text('b')]})
answer('no_pieces', {'content': []})
answer('empty_piece', {'content': [text('')]})
answer('thought', {'content': [thought('hm'), text('a')]})
answer('thoughts', {'content': [thought('h', 'm'), text('a'), thought('x', closed=True), text('b')]})
answer('thought_only', {'content': [thought('hm')]})
answer('thought_nothing', {'content': [thought(), text('a')]})
answer(
    'thought_reference',
    {
        'content': [
            {'type': 'thinking', 'thinking': [text('h'), {'type': 'reference', 'reference_ids': [1]}]},
            text('a'),
        ]
    },
)
answer('thought_and_call', {'content': [thought('hm')], 'tool_calls': [call('t1', '{}')]}, 'tool_calls')
answer('reference', {'content': [text('a'), {'type': 'reference', 'reference_ids': [1, 2]}, text('b')]})
answer('image', {'content': [text('a'), {'type': 'image_url', 'image_url': 'https://example.com/a.png'}]})
answer('image_object', {'content': [{'type': 'image_url', 'image_url': {'url': 'https://example.com/a.png'}}]})
answer('document', {'content': [text('a'), {'type': 'document_url', 'document_url': 'https://example.com/a.pdf'}]})
answer('audio', {'content': [text('a'), {'type': 'input_audio', 'input_audio': 'aGk='}]})
answer('file', {'content': [text('a'), {'type': 'file', 'file_id': '0190a0f4-7b1c-7e5e-9d7c-0123456789ab'}]})
answer('unknown', {'content': [text('a'), {'type': 'smell', 'smell': 1}]})
answer('think_tags', {'content': '<think>hm</think>\nanswer<think>x</think> b'})
answer('think_open', {'content': '<think>hm'})
answer('calls', {'content': '', 'tool_calls': [call('t1', '{"x":1}'), call('t2', '{}', 'i2', index=1)]}, 'tool_calls')
answer('calls_text', {'content': 'well', 'tool_calls': [call('t1', '{"x":1}')]}, 'tool_calls')
answer('calls_broken', {'content': '', 'tool_calls': [call('t1', '{"x":')]}, 'tool_calls')
answer('calls_object', {'content': '', 'tool_calls': [call('t1', {'x': 1})]}, 'tool_calls')
answer('calls_no_id', {'content': '', 'tool_calls': [{'function': {'name': 't1', 'arguments': '{}'}}]}, 'tool_calls')
answer('calls_null_id', {'content': '', 'tool_calls': [call('t1', '{}', 'null')]}, 'tool_calls')
answer('calls_empty', {'content': '', 'tool_calls': []})
for reason in ('stop', 'length', 'model_length', 'error', 'tool_calls', 'content_filter', 'bored'):
    answer(f'finish_{reason}', {'content': 'a'}, reason)
answer('finish_null', {'content': 'a'}, None)
answer('no_usage', usage=None)
answer('zero_usage', usage={'prompt_tokens': 0, 'completion_tokens': 0, 'total_tokens': 0})
answer(
    'full_usage',
    usage={
        **USAGE,
        'prompt_audio_seconds': 3,
        'num_cached_tokens': 4,
        'prompt_tokens_details': {'cached_tokens': 4},
        'prompt_token_details': {'cached_tokens': 4},
    },
)
answer('no_id', id='')
answer('no_created', created=None)
answer('zero_created', created=0)
answer('no_model', model='')
answer('no_choices', choices=[])
answer('null_choices', choices=None)
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_string', reply=as_json('hello'))
case('r_list', reply=as_json([]))
for status in (400, 401, 422, 429, 500, 503):
    case(f'r_{status}', reply=as_json({'object': 'error', 'message': 'bad', 'type': 't', 'code': '1'}, status))
case('r_422_detail', reply=as_json({'detail': [{'loc': ['body'], 'msg': 'm', 'type': 't'}]}, 422))
case('r_400_text', reply=Reply(400, {}, [b'plain text'], 'text/plain'))
