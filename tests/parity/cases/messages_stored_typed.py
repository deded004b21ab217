"""Stored calls and returns of tools with a kind of their own, and how parts are narrowed to it."""

import json

from _common import attempt, fact
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    NativeToolCallPart,
    NativeToolReturnPart,
    ToolCallPart,
    ToolReturnPart,
)

T = '2024-01-01T00:00:00Z'
CONTENTS = [
    'x',
    {},
    {'discovered_tools': []},
    {'discovered_tools': [{'name': 'a', 'description': 'd'}], 'message': 'm'},
    {'discovered_tools': [{'name': 'a', 'description': None, 'zz': 1}], 'zz': 1},
    {'discovered_tools': [{'name': 'a'}]},
    {'discovered_tools': [], 'message': None},
    {'instructions': 'i', 'zz': 1},
    {'instructions': None},
    None,
    [],
]
ARGS = [
    None,
    '',
    '{bad',
    '{"queries":["a"]}',
    {},
    {'queries': ['a']},
    {'queries': ['a'], 'zz': 1},
    {'queries': 'a'},
    {'queries': [1]},
    {'id': 'x'},
    {'id': 5},
    {'id': 'x', 'y': 1},
]


def read(kind, part):
    def go():
        part_read = ModelMessagesTypeAdapter.validate_json(json.dumps([{'kind': kind, 'parts': [part]}]))[0].parts[0]
        return [
            type(part_read).__name__,
            repr(getattr(part_read, 'args', None)),
            repr(getattr(part_read, 'content', None)),
        ]

    return attempt(go)


def narrowed(cls, values, tool_kind):
    def go():
        part = cls(**values)
        result = cls.narrow_type(part, tool_kind=tool_kind)
        return [result is part, repr(result)]

    return attempt(go)


for tool_kind in ('tool-search', 'capability-load', 'zz', None):
    for name in ('search_tools', 'tool_search', 'load_capability', 't'):
        same = {'tool_name': name, 'tool_call_id': 'i', 'tool_kind': tool_kind}
        for content in CONTENTS:
            fact(
                f'{tool_kind} {name} {json.dumps(content)}',
                [
                    read('request', {**same, 'part_kind': 'tool-return', 'content': content, 'timestamp': T}),
                    read('response', {**same, 'part_kind': 'builtin-tool-return', 'content': content, 'timestamp': T}),
                ],
            )
        for args in ARGS:
            fact(
                f'{tool_kind} {name} {json.dumps(args)}',
                [
                    read('response', {**same, 'part_kind': 'tool-call', 'args': args}),
                    read('response', {**same, 'part_kind': 'builtin-tool-call', 'args': args}),
                ],
            )
for tool_kind in (None, 'tool-search', 'capability-load'):
    for own in (None, 'tool-search', 'capability-load'):
        for args in ARGS:
            values = {'tool_name': 't', 'args': args, 'tool_call_id': 'i', 'tool_kind': own, 'id': 'q'}
            fact(
                f'narrow {tool_kind} {own} {json.dumps(args)}',
                [narrowed(ToolCallPart, values, tool_kind), narrowed(NativeToolCallPart, values, tool_kind)],
            )
        for content in CONTENTS:
            values = {
                'tool_name': 't',
                'content': content,
                'tool_call_id': 'i',
                'tool_kind': own,
                'metadata': 1,
                'outcome': 'failed',
            }
            fact(
                f'narrow {tool_kind} {own} {json.dumps(content)}',
                [narrowed(ToolReturnPart, values, tool_kind), narrowed(NativeToolReturnPart, values, tool_kind)],
            )
