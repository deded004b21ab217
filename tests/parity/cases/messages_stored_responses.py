"""Stored responses with old, odd and invalid fields and parts: what they are read as."""

import json

from _common import attempt, fact
from pydantic_ai.messages import ModelMessagesTypeAdapter

T = '2024-01-01T00:00:00Z'
FIELDS = [
    {},
    {'usage': {}},
    {'usage': None},
    {'usage': {'request_tokens': 1, 'response_tokens': 2, 'total_tokens': 3, 'requests': 1}},
    {'usage': {'request_tokens': None}},
    {'usage': {'input_tokens': 1, 'request_tokens': 2, 'details': None}},
    {'usage': {'details': {'a': 1}, 'cache_read_tokens': 4, 'zz': 1}},
    {'usage': {'details': {'a': 'x'}}},
    {'vendor_id': 'v'},
    {'vendor_details': {'a': 1}},
    {'provider_request_id': 'p'},
    {'provider_response_id': 'a', 'vendor_id': 'b'},
    {'vendor_id': 'b', 'provider_request_id': 'c'},
    {'provider_details': {'a': 1}, 'vendor_details': {'b': 1}},
    {'provider_response_id': None, 'vendor_id': 'x'},
    {'price': 3},
    {'finish_reason': 'stop'},
    {'finish_reason': 'zz'},
    {'state': 'interrupted'},
    {'state': 'zz'},
    {'state': None},
    {'run_id': 'r', 'conversation_id': 'c', 'metadata': {'a': 1}},
    {'metadata': 5},
    {'instructions': 'i'},
    {'timestamp': None},
    {'timestamp': 'x'},
]
PARTS = [
    {'part_kind': 'text'},
    {'part_kind': 'text', 'content': None},
    {'part_kind': 'thinking', 'content': '', 'signature': 's'},
    {'part_kind': 'compaction'},
    {'part_kind': 'file', 'content': {'data': 'YWJj', 'media_type': 'image/png'}},
    {'part_kind': 'file', 'content': {'data': 'YWJj', 'media_type': 'text/plain', 'identifier': 'q'}, 'id': 'i'},
    {'part_kind': 'file', 'content': 'x'},
    {'content': 'x'},
    {'part_kind': 'user-prompt', 'content': 'x'},
]
for kind in (
    'tool-call',
    'builtin-tool-call',
    'builtin-tool-return',
):
    PARTS += [
        {
            'part_kind': kind,
            'tool_name': 't',
            'args': '{}',
            'tool_call_id': 'i',
            'content': 'c',
            'timestamp': T,
            'id': 'x',
            'provider_name': 'p',
            'provider_details': {'a': 1},
        },
        {'part_kind': kind, 'tool_name': 't', 'args': [1], 'tool_call_id': 'i', 'timestamp': T},
    ]


def read(message):
    def go():
        text = ModelMessagesTypeAdapter.dump_json(ModelMessagesTypeAdapter.validate_json(json.dumps([message])))
        return [text.decode(), text == ModelMessagesTypeAdapter.dump_json(ModelMessagesTypeAdapter.validate_json(text))]

    return attempt(go)


for fields in FIELDS:
    fact(
        json.dumps(fields),
        read({'kind': 'response', 'parts': [{'part_kind': 'text', 'content': 'x'}], 'timestamp': T, **fields}),
    )
for part in PARTS:
    fact(
        json.dumps(part),
        [
            read({'kind': 'response', 'parts': [part], 'timestamp': T}),
            read({'kind': 'request', 'parts': [part], 'timestamp': T, 'unknown': 1}),
        ],
    )
for text in (
    '',
    'null',
    '{}',
    '[{}]',
    '[{"kind":"zz","parts":[]}]',
    '[{"kind":"request"}]',
    '[{"kind":"request","parts":[]',
):
    fact(text, attempt(lambda: ModelMessagesTypeAdapter.validate_json(text)))
