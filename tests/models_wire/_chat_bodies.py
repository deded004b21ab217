"""Bodies of chat completions, for their cases."""

from __future__ import annotations


def completion_body(message=None, finish='stop', **fields):
    body_message = {'role': 'assistant', 'content': 'hi'} if message is None else message
    return {
        'id': 'c1',
        'object': 'chat.completion',
        'created': 1700000000,
        'model': 'gpt-4o-2024',
        'choices': [{'index': 0, 'message': body_message, 'finish_reason': finish, 'logprobs': None}],
        'usage': {
            'prompt_tokens': 10,
            'completion_tokens': 5,
            'total_tokens': 15,
            'prompt_tokens_details': {'cached_tokens': 3, 'audio_tokens': 1},
            'completion_tokens_details': {'reasoning_tokens': 2, 'audio_tokens': 4, 'accepted_prediction_tokens': 6},
        },
        **fields,
    }
