"""Messages as OpenTelemetry sees them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import stead.messages
from stead.messages import (
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
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)

IMAGE = BinaryContent(b'abc', media_type='image/png')


def settings(version: int = 2, *, content: bool = True, binary: bool = True) -> Any:
    return SimpleNamespace(version=version, include_content=content, include_binary_content=binary)


# item, part up to version 3, part from version 4 on, keys that are content
ITEMS: list[tuple[Any, dict[str, Any], dict[str, Any], str]] = [
    ('t', {'type': 'text', 'content': 't'}, {'type': 'text', 'content': 't'}, 'content'),
    (TextContent('t'), {'type': 'text', 'content': 't'}, {'type': 'text', 'content': 't'}, 'content'),
    (
        ImageUrl('a.png'),
        {'type': 'image-url', 'url': 'a.png'},
        {'type': 'uri', 'modality': 'image', 'mime_type': 'image/png', 'uri': 'a.png'},
        'url uri',
    ),
    (AudioUrl('a'), {'type': 'audio-url', 'url': 'a'}, {'type': 'uri', 'modality': 'audio', 'uri': 'a'}, 'url uri'),
    (
        DocumentUrl('a.pdf'),
        {'type': 'document-url', 'url': 'a.pdf'},
        {'type': 'uri', 'mime_type': 'application/pdf', 'uri': 'a.pdf'},
        'url uri',
    ),
    (
        IMAGE,
        {'type': 'binary', 'media_type': 'image/png', 'content': 'YWJj'},
        {'type': 'blob', 'mime_type': 'image/png', 'modality': 'image', 'content': 'YWJj'},
        'content',
    ),
    (
        BinaryContent(b'', media_type='a/b'),
        {'type': 'binary', 'media_type': 'a/b', 'content': ''},
        {'type': 'blob', 'mime_type': 'a/b', 'content': ''},
        'content',
    ),
    (
        UploadedFile('f.wav', 'openai'),
        {'type': 'file', 'modality': 'audio', 'mime_type': 'audio/wav', 'file_id': 'f.wav'},
        {'type': 'file', 'modality': 'audio', 'mime_type': 'audio/wav', 'file_id': 'f.wav'},
        'file_id',
    ),
]


@pytest.mark.parametrize(('item', 'old', 'new', 'hidden'), ITEMS, ids=lambda value: type(value).__name__)
def test_items_of_a_user_prompt(item: Any, old: Any, new: Any, hidden: str) -> None:
    part = UserPromptPart([item, CachePoint()])
    for version, expected in ((1, old), (2, old), (3, old), (4, new), (5, new)):
        assert part.otel_message_parts(settings(version)) == [expected]
        assert part.otel_message_parts(settings(version, content=False)) == [
            {key: value for key, value in expected.items() if key not in hidden.split()}
        ]


def test_bytes_are_only_shown_if_both_are_wanted() -> None:
    for part in (UserPromptPart([IMAGE]), ModelResponse([FilePart(IMAGE)])):
        assert 'content' in part.otel_message_parts(settings(4))[0]
        assert 'content' not in part.otel_message_parts(settings(4, binary=False))[0]


PARTS: list[tuple[Any, Any, Any]] = [
    (SystemPromptPart('s'), {'type': 'text', 'content': 's'}, {'type': 'text'}),
    (UserPromptPart('u'), {'type': 'text', 'content': 'u'}, {'type': 'text'}),
    (
        ToolReturnPart('t', {'a': 1}, 'i'),
        {'type': 'tool_call_response', 'id': 'i', 'name': 't', 'result': {'a': 1}},
        {'type': 'tool_call_response', 'id': 'i', 'name': 't'},
    ),
    (
        RetryPromptPart('r', tool_call_id='i'),
        {'type': 'text', 'content': RetryPromptPart('r').model_response()},
        {'type': 'text'},
    ),
    (
        RetryPromptPart('r', tool_name='t', tool_call_id='i'),
        {'type': 'tool_call_response', 'id': 'i', 'name': 't', 'result': 'r\n\nFix the errors and try again.'},
        {'type': 'tool_call_response', 'id': 'i', 'name': 't'},
    ),
]


@pytest.mark.parametrize(('part', 'visible', 'hidden'), PARTS, ids=lambda value: type(value).__name__)
def test_parts_of_a_request(part: Any, visible: Any, hidden: Any) -> None:
    assert part.otel_message_parts(settings()) == [visible]
    assert part.otel_message_parts(settings(content=False)) == [hidden]


def test_parts_of_a_response() -> None:
    response = ModelResponse(
        [
            TextPart('x'),
            ThinkingPart('h'),
            CompactionPart('k'),
            ToolCallPart('t', '{"a":', 'i'),
            ToolCallPart('t', None, 'j'),
            NativeToolCallPart('n', {'a': 1}, 'k'),
            NativeToolReturnPart('n', ['r'], 'k'),
        ]
    )
    assert response.otel_message_parts(settings()) == [
        {'type': 'text', 'content': 'x'},
        {'type': 'thinking', 'content': 'h'},
        {'type': 'tool_call', 'id': 'i', 'name': 't', 'arguments': '{"a":'},
        {'type': 'tool_call', 'id': 'j', 'name': 't'},
        {'type': 'tool_call', 'id': 'k', 'name': 'n', 'builtin': True, 'arguments': {'a': 1}},
        {'type': 'tool_call_response', 'id': 'k', 'name': 'n', 'builtin': True, 'result': ['r']},
    ]
    hidden = response.otel_message_parts(settings(content=False))
    assert not {'content', 'arguments', 'result'} & {key for part in hidden for key in part}


class Odd:
    def __repr__(self) -> str:
        return 'Odd()'


@pytest.mark.parametrize(
    ('value', 'text'),
    [(b'\xff', "b'\\xff'"), ({'a': Odd()}, "{'a': Odd()}"), (float('nan'), None)],
)
def test_what_is_no_plain_data_becomes_text(value: Any, text: Any) -> None:
    assert ToolReturnPart('t', value).otel_message_parts(settings())[0].get('result') == text
    call = ToolCallPart('t', {'bad': value, 'good': 1})
    assert ModelResponse([call]).otel_message_parts(settings())[0]['arguments'] == {'bad': text, 'good': 1}


@pytest.mark.parametrize(
    ('part', 'name', 'body'),
    [
        (SystemPromptPart('s'), 'system', {'role': 'system', 'content': 's'}),
        (UserPromptPart('u'), 'user', {'content': 'u', 'role': 'user'}),
        (
            UserPromptPart(['a', IMAGE, CachePoint()]),
            'user',
            {'content': ['a', {'kind': 'binary', 'media_type': 'image/png', 'binary_content': 'YWJj'}], 'role': 'user'},
        ),
        (ToolReturnPart('t', 'x', 'i'), 'tool', {'role': 'tool', 'id': 'i', 'name': 't', 'content': 'x'}),
        (
            RetryPromptPart('r', tool_name='t', tool_call_id='i'),
            'tool',
            {'content': 'r\n\nFix the errors and try again.', 'role': 'tool', 'id': 'i', 'name': 't'},
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_events_of_version_1(part: Any, name: str, body: Any) -> None:
    event = part.otel_event(settings(1))
    assert isinstance(event, stead.messages.LogRecord)  # type: ignore[attr-defined]
    assert event.attributes == {'event.name': f'gen_ai.{name}.message'}
    assert event.body == body


def test_hidden_content_is_not_in_events() -> None:
    for part, _, _ in PARTS:
        if not isinstance(part, UserPromptPart):
            assert 'content' not in part.otel_event(settings(1, content=False)).body


def test_hidden_user_prompts_say_their_kinds() -> None:
    hidden = settings(1, content=False)
    assert UserPromptPart('u').otel_event(hidden).body == {'content': {'kind': 'text'}, 'role': 'user'}
    assert UserPromptPart(['u']).otel_event(hidden).body['content'] == {'kind': 'text'}
    assert UserPromptPart(['u', ImageUrl('x')]).otel_event(hidden).body['content'] == [
        {'kind': 'text'},
        {'kind': 'image-url'},
    ]


@pytest.mark.parametrize(
    ('parts', 'body'),
    [
        ([], {}),
        ([TextPart('x')], {'content': 'x'}),
        (
            [TextPart('x'), ThinkingPart('h')],
            {'content': [{'kind': 'text', 'text': 'x'}, {'kind': 'thinking', 'text': 'h'}]},
        ),
        (
            [ToolCallPart('t', '{}', 'i'), TextPart('x')],
            {
                'tool_calls': [{'id': 'i', 'type': 'function', 'function': {'name': 't', 'arguments': '{}'}}],
                'content': 'x',
            },
        ),
        ([FilePart(IMAGE)], {'content': [{'kind': 'binary', 'media_type': 'image/png', 'binary_content': 'YWJj'}]}),
        ([NativeToolCallPart('n')], {}),
    ],
)
def test_response_events_of_version_1(parts: Any, body: Any) -> None:
    (event,) = ModelResponse(parts).otel_events(settings(1))
    assert event.body == {'role': 'assistant', **body}
    assert event.attributes == {'event.name': 'gen_ai.assistant.message'}
