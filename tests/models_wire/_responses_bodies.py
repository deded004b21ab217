"""Bodies of the Responses API, for its cases."""

from __future__ import annotations


def response_body(output=None, status='completed', **fields):
    return {
        'id': 'resp_1',
        'object': 'response',
        'created_at': 1700000000,
        'model': 'gpt-5-2025',
        'status': status,
        'output': [text_item('hi')] if output is None else output,
        'error': None,
        'incomplete_details': None,
        'instructions': None,
        'metadata': {},
        'parallel_tool_calls': True,
        'temperature': 1.0,
        'tool_choice': 'auto',
        'tools': [],
        'top_p': 1.0,
        'usage': {
            'input_tokens': 10,
            'output_tokens': 5,
            'total_tokens': 15,
            'input_tokens_details': {'cached_tokens': 3},
            'output_tokens_details': {'reasoning_tokens': 2},
        },
        **fields,
    }


def text_item(text, **fields):
    return {
        'type': 'message',
        'id': 'msg_1',
        'role': 'assistant',
        'status': 'completed',
        'content': [{'type': 'output_text', 'text': text, 'annotations': []}],
        **fields,
    }
