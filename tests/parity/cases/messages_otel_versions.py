"""Contents and values of each kind as message parts, in each version of the format."""

import datetime
from types import SimpleNamespace

from _common import fact
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchCallPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)


class Odd:
    def __repr__(self):
        return 'Odd()'


ITEMS = [
    BinaryContent(b'a', media_type=media_type)
    for media_type in ('image/png', 'audio/wav', 'video/mp4', 'application/pdf', 'zz')
] + [
    ImageUrl('a.png'),
    ImageUrl('a'),
    VideoUrl('https://youtu.be/a'),
    AudioUrl('a.mp3'),
    DocumentUrl('a', media_type='x/y'),
    UploadedFile('f', 'openai'),
    UploadedFile('f.png', 'google'),
    CachePoint(),
    TextContent('t', metadata=1),
]
VALUES = [
    None,
    '',
    'x',
    [1],
    b'abc',
    b'\xff',
    {'a': b'\xff'},
    ImageUrl('a'),
    {'a': ImageUrl('a')},
    Odd(),
    {'a': Odd()},
    float('nan'),
    [float('inf')],
    {1: 2},
    (1, 2),
    {1},
    datetime.date(2025, 1, 1),
    {'f': BinaryContent(b'a', media_type='a/b')},
]
CALL = ToolCallPart('t', '{}', 'i')
RESPONSES = [
    [],
    [TextPart('')],
    [CALL, TextPart('x')],
    [TextPart('x'), CALL, TextPart('y')],
    [CALL, ThinkingPart('h')],
    [FilePart(ITEMS[0])],
    [CompactionPart('c')],
    [NativeToolCallPart('n', None, 'j'), NativeToolReturnPart('n', None, 'j')],
    [ToolSearchCallPart(args={'queries': ['a']}, tool_call_id='i')],
    [ToolCallPart('t', {'a': b'\xff', 'b': 1}, 'i')],
]
for version in (1, 3, 4, 5):
    for content, binary in ((True, True), (True, False), (False, False)):
        settings = SimpleNamespace(version=version, include_content=content, include_binary_content=binary)
        fact('settings', [version, content, binary])
        for item in ITEMS:
            fact(type(item).__name__, UserPromptPart([item]).otel_message_parts(settings))
        for parts in RESPONSES:
            fact(
                repr(parts),
                [
                    ModelResponse(parts).otel_message_parts(settings),
                    [event.body for event in ModelResponse(parts).otel_events(settings)] if version == 1 else None,
                ],
            )
        for value in VALUES:
            fact(
                repr(value),
                [
                    ToolReturnPart('t', value, 'i').otel_message_parts(settings),
                    ModelResponse([ToolCallPart('t', {'k': value}, 'i')]).otel_message_parts(settings),
                    ModelResponse([NativeToolReturnPart('t', value, 'i')]).otel_message_parts(settings),
                ],
            )
        if version == 1:
            for prompt in ('u', [], ['a'], ['a', 'b'], [CachePoint()], ['a', CachePoint()], [TextContent('t')], ITEMS):
                fact(repr(prompt), UserPromptPart(prompt).otel_event(settings).body)
