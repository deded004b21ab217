"""Stored tool returns with content of every kind: what they are read as."""

import json

from _common import attempt, fact
from pydantic_ai.messages import ModelMessagesTypeAdapter

T = '2024-01-01T00:00:00Z'
BINARY = {'kind': 'binary', 'data': 'YWJj', 'media_type': 'image/png'}
IMAGE = {'kind': 'image-url', 'url': 'u.png'}
CONTENTS = [
    None,
    'x',
    0,
    1.5,
    True,
    [],
    {},
    [1, 'a', None],
    BINARY,
    IMAGE,
    [BINARY, 'x', {'a': IMAGE}],
    {'a': BINARY},
    {'a': [BINARY]},
    [[IMAGE]],
    {'kind': 'binary'},
    {'kind': 'binary', 'data': '%%', 'media_type': 'x'},
    {'kind': 'image-url'},
    {'kind': 'zz', 'url': 'x'},
    {'kind': 'text-content', 'content': 'x'},
    {'kind': 'cache-point'},
    {'kind': 'uploaded-file', 'file_id': 'f', 'provider_name': 'zz'},
    {'kind': 'uploaded-file', 'file_id': 'f', 'provider_name': 'openai'},
    {**IMAGE, 'extra': 1},
    {'kind': 'video-url', 'url': 'u'},
    {'url': 'u.png'},
    {'kind': 'tool-return', 'return_value': 1},
    {'kind': 5},
    {'kind': None},
    {'kind': ['x']},
    {**IMAGE, 'data': IMAGE},
    json.dumps(IMAGE),
    {'timestamp': T},
    {'part_kind': 'text', 'content': 'x'},
]
for content in CONTENTS:
    stored = [
        {
            'kind': 'request',
            'parts': [
                {'part_kind': 'tool-return', 'tool_name': 't', 'content': content, 'tool_call_id': 'i', 'timestamp': T}
            ],
        }
    ]

    def read(messages):
        return [repr(messages[0].parts[0].content), ModelMessagesTypeAdapter.dump_json(messages).decode()]

    fact(
        json.dumps(content),
        [
            attempt(lambda: read(ModelMessagesTypeAdapter.validate_json(json.dumps(stored)))),
            attempt(lambda: read(ModelMessagesTypeAdapter.validate_python(stored))),
        ],
    )
