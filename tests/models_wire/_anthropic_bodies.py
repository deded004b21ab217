"""Bodies of Anthropic, for its cases."""

from __future__ import annotations


def message_body(content=None, stop='end_turn', **fields):
    return {
        'id': 'msg_1',
        'type': 'message',
        'role': 'assistant',
        'model': 'claude-x-2024',
        'content': [{'type': 'text', 'text': 'hi'}] if content is None else content,
        'stop_reason': stop,
        'stop_sequence': None,
        'usage': {
            'input_tokens': 10,
            'output_tokens': 5,
            'cache_creation_input_tokens': 2,
            'cache_read_input_tokens': 3,
        },
        **fields,
    }


def text(content):
    return {'type': 'text', 'text': content}
