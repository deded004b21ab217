"""Stored user prompts with content of every kind: what they are read as."""

import json

from _common import attempt, fact
from pydantic_ai.messages import ModelMessagesTypeAdapter

T = '2024-01-01T00:00:00Z'
CONTENTS = [
    'x',
    [],
    ['x'],
    None,
    5,
    [5],
    [{'kind': 'image-url', 'url': 'http://x/a.png'}],
    [{'kind': 'image-url', 'url': 'http://x/a.png', 'media_type': None, 'identifier': None}],
    [{'kind': 'image-url', 'url': 'http://x/a', 'media_type': 'image/zz', 'identifier': 'q'}],
    [{'kind': 'image-url', 'url': 'http://x/a'}],
    [{'kind': 'image-url'}],
    [{'kind': 'image-url', 'url': 5}],
    [{'kind': 'binary', 'data': '__79', 'media_type': 'a/b'}],
    [{'kind': 'binary', 'data': '//79', 'media_type': 'a/b'}],
    [{'kind': 'binary', 'data': 'YWI', 'media_type': 'a/b', 'identifier': 'i', 'vendor_metadata': {'a': 1}}],
    [{'kind': 'binary', 'data': '%%%', 'media_type': 'a/b'}],
    [{'kind': 'binary', 'media_type': 'a/b'}],
    [{'kind': 'uploaded-file', 'file_id': 'f', 'provider_name': 'openai'}],
    [{'kind': 'uploaded-file', 'file_id': 'f', 'provider_name': 'zz'}],
    [{'kind': 'cache-point'}, {'kind': 'cache-point', 'ttl': '1h'}],
    [{'kind': 'cache-point', 'ttl': '9h'}],
    [{'kind': 'text-content', 'content': 'x', 'metadata': [1]}],
    [{'kind': 'video-url', 'url': 'https://youtu.be/x', 'force_download': True}],
    [{'kind': 'document-url', 'url': 'a.pdf', '_media_type': 'q/q', '_identifier': 'z'}],
]
for content in CONTENTS:
    stored = [{'kind': 'request', 'parts': [{'part_kind': 'user-prompt', 'content': content, 'timestamp': T}]}]

    def read(messages):
        return [repr(messages), ModelMessagesTypeAdapter.dump_json(messages).decode()]

    fact(
        json.dumps(content),
        [
            attempt(lambda: read(ModelMessagesTypeAdapter.validate_json(json.dumps(stored)))),
            attempt(lambda: read(ModelMessagesTypeAdapter.validate_python(stored))),
        ],
    )
