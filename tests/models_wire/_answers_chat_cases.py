"""Messages of chat completions, whole and as deltas."""

from __future__ import annotations

from typing import Any

from _answers_responses_cases import CITED
from _vendors import Cases, chunks, completion

cases = Cases()
case = cases.add

# Messages of chat completions, whole and as deltas.
MESSAGES: dict[str, Any] = {
    'annotated': {
        'content': 'hi',
        'annotations': [{'type': 'url_citation', 'url_citation': {k: v for k, v in CITED.items() if k != 'type'}}],
    },
    'audio': {'content': None, 'audio': {'id': 'a', 'data': 'AA==', 'expires_at': 1, 'transcript': 'hi'}},
    'function': {'content': None, 'function_call': {'name': 'plain', 'arguments': '{}'}},
    'reasoning': {'content': 'hi', 'reasoning': 'hm'},
    'reasoning_content': {'content': 'hi', 'reasoning_content': 'hm'},
    'both': {'content': 'hi', 'reasoning': 'a', 'reasoning_content': 'b'},
    'empty_reasoning': {'content': 'hi', 'reasoning': '', 'reasoning_content': ''},
    'tags': {'content': 'a<think>hm</think>b<think>so</think>'},
    'open_tag': {'content': '<think>hm'},
    'close_tag': {'content': 'hm</think>hi'},
    'blank': {'content': ' \n'},
    'nothing': {'content': None},
    'text_and_call': {
        'content': 'let me',
        'tool_calls': [
            {'id': 'c1', 'type': 'function', 'index': 0, 'function': {'name': 'plain', 'arguments': '{"x":1}'}}
        ],
    },
    'refused': {'content': None, 'refusal': 'no'},
    'refused_empty': {'content': 'hi', 'refusal': ''},
}
for name, fields in MESSAGES.items():
    reason = 'tool_calls' if name == 'text_and_call' else 'stop'
    case(f'chat/r_{name}', reply=completion({'role': 'assistant', **fields}, reason))
    case(f'chat/s_{name}', reply=chunks({'role': 'assistant', **fields}, reason=reason))
TOKEN = {'token': 'hi', 'logprob': -0.1, 'bytes': [104], 'top_logprobs': []}
probable = {'logprobs': {'content': [TOKEN], 'refusal': None}}
case('chat/r_logprobs', reply=completion({'role': 'assistant', 'content': 'hi'}, choice=probable))
case(
    'chat/r_logprobs_refused',
    reply=completion(
        {'role': 'assistant', 'content': None, 'refusal': 'no'},
        choice={'logprobs': {'content': None, 'refusal': [TOKEN]}},
    ),
)
case('chat/s_refused_later', reply=chunks({'content': 'a'}, {'refusal': 'n'}, {'refusal': 'o'}))
for reason in ('stop', 'length', 'content_filter', 'tool_calls', 'function_call'):
    case(f'chat/s_reason_{reason}', reply=chunks({'content': 'hi'}, reason=reason))
case(
    'chat/r_tier', reply=completion({'role': 'assistant', 'content': 'hi'}, service_tier='flex', system_fingerprint='f')
)
prompt_details = {'cached_tokens': 3, 'audio_tokens': 0}
completion_details = {
    'reasoning_tokens': 4,
    'audio_tokens': 0,
    'accepted_prediction_tokens': 1,
    'rejected_prediction_tokens': 2,
}
usage = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}
usage_full = {**usage, 'prompt_tokens_details': prompt_details, 'completion_tokens_details': completion_details}
case('chat/r_usage', reply=completion({'role': 'assistant', 'content': 'hi'}, usage=usage_full))
case('chat/r_usage_none', reply=completion({'role': 'assistant', 'content': 'hi'}, usage=None))
