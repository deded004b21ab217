"""Calls of tools, their results, and requests to try again."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

import stead.dropin
from stead.messages import (
    BaseToolReturnPart,
    BinaryContent,
    ImageUrl,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
    error_details_ta,
    tool_return_ta,
)

IMAGE = BinaryContent(b'abc', media_type='image/png')
PAPER = BinaryContent(b'abd', media_type='application/pdf', identifier='paper')

ARGS: list[tuple[Any, Any, str]] = [
    (None, {}, '{}'),
    ('', {}, '{}'),
    ({}, {}, '{}'),
    ('{}', {}, '{}'),
    ('{"a":1}', {'a': 1}, '{"a":1}'),
    ({'a': 'ü', 'b': [None]}, {'a': 'ü', 'b': [None]}, '{"a":"ü","b":[null]}'),
]
BROKEN_ARGS = [
    ('{"a":', ValueError),
    (' ', ValueError),
    ('{"a":1}x', ValueError),
    ('[1]', AssertionError),
    ('null', AssertionError),
    ('"s"', AssertionError),
]


@pytest.mark.parametrize('cls', [ToolCallPart, NativeToolCallPart])
@pytest.mark.parametrize(('args', 'as_dict', 'as_json'), ARGS)
def test_arguments_are_read_as_dict_and_as_json(cls: Any, args: Any, as_dict: Any, as_json: str) -> None:
    part = cls('t', args)
    assert part.args_as_dict() == part.args_as_dict(raise_if_invalid=True) == as_dict
    assert part.args_as_json_str() == as_json
    assert part.has_content() is bool(args)


@pytest.mark.parametrize(('args', 'error'), BROKEN_ARGS)
def test_broken_arguments_are_kept_or_raise(args: str, error: type[Exception]) -> None:
    part = ToolCallPart('weather', args)
    assert part.args_as_dict() == {'INVALID_JSON': args}
    assert part.args_as_json_str() == args
    with pytest.raises(error):
        part.args_as_dict(raise_if_invalid=True)


def test_the_error_names_the_tool() -> None:
    with pytest.raises(AssertionError, match="'weather'.*not an object: \\[1\\]"):
        ToolCallPart('weather', '[1]').args_as_dict(raise_if_invalid=True)


def test_an_object_is_handed_on_as_it_is() -> None:
    args = {'a': 1}
    assert ToolCallPart('t', args).args_as_dict() is args


def test_calls_without_an_id_get_one() -> None:
    first, second = ToolCallPart('t'), ToolCallPart('t')
    assert first.tool_call_id.startswith('pyd_ai_')
    assert first.tool_call_id != second.tool_call_id
    assert (
        ToolCallPart('t', tool_call_id='i')
        == ToolCallPart('t', tool_call_id='i')
        != NativeToolCallPart('t', tool_call_id='i')
    )


# content, text, object
RETURNS: list[tuple[Any, str, dict[str, Any]]] = [
    (None, '', {}),
    ('', '', {'return_value': ''}),
    ('text', 'text', {'return_value': 'text'}),
    ('{"a":1}', '{"a":1}', {'return_value': '{"a":1}'}),
    (1.5, '1.5', {'return_value': 1.5}),
    (False, 'false', {'return_value': False}),
    ({}, '{}', {}),
    ({'a': None}, '{"a":null}', {'a': None}),
    ({1: 2}, '{"1":2}', {'1': 2}),
    ([], '', {}),
    ([None], '[null]', {'return_value': [None]}),
    ([{'a': 1}], '[{"a":1}]', {'return_value': [{'a': 1}]}),
    ((1, 2), '[1,2]', {'return_value': [1, 2]}),
    (b'\xff', '_w==', {'return_value': '_w=='}),
    (float('nan'), '', {}),
    (datetime.date(2025, 1, 2), '2025-01-02', {'return_value': '2025-01-02'}),
    (IMAGE, '', {}),
    ([IMAGE], '', {}),
    ([IMAGE, 'x'], 'x', {'return_value': 'x'}),
    ([IMAGE, {'a': 1}], '{"a":1}', {'a': 1}),
    ([IMAGE, None], '', {}),
    (['x', IMAGE, 'y'], '["x","y"]', {'return_value': ['x', 'y']}),
]


@pytest.mark.parametrize('cls', [BaseToolReturnPart, ToolReturnPart, NativeToolReturnPart])
@pytest.mark.parametrize(('content', 'text', 'plain'), RETURNS, ids=lambda value: repr(value)[:30])
def test_what_the_model_is_told(cls: Any, content: Any, text: str, plain: dict[str, Any]) -> None:
    part = cls('t', content, 'i')
    assert part.model_response_str() == text
    assert part.model_response_object() == plain
    assert part.has_content() is (content is not None)


def test_files_inside_objects_are_part_of_the_text() -> None:
    text = '{"data":"YWJj","media_type":"image/png","vendor_metadata":null,"kind":"binary","identifier":"a9993e"}'
    for content in ({'f': IMAGE}, [{'f': IMAGE}]):
        part = ToolReturnPart('t', content)
        assert part.files == []
        assert text in part.model_response_str()


@pytest.mark.parametrize(
    ('content', 'text', 'files'),
    [
        ('x', 'x', []),
        ([1], '[1]', []),
        (IMAGE, 'See file a9993e.', ['This is file a9993e:', IMAGE]),
        ([IMAGE], '["See file a9993e."]', ['This is file a9993e:', IMAGE]),
        (
            ['x', PAPER, {'a': 1}, IMAGE],
            '["x","See file paper.","{\\"a\\":1}","See file a9993e."]',
            ['This is file paper:', PAPER, 'This is file a9993e:', IMAGE],
        ),
    ],
)
def test_files_are_told_apart_by_their_ids(content: Any, text: str, files: list[Any]) -> None:
    assert ToolReturnPart('t', content).model_response_str_and_user_content() == (text, files)


def test_items_of_the_content() -> None:
    part = ToolReturnPart('t', ['x', 1, {'a': None}, IMAGE])
    assert part.content_items() == ['x', 1, {'a': None}, IMAGE]
    assert part.content_items(mode='str') == ['x', '1', '{"a":null}', IMAGE]
    assert part.content_items(mode='jsonable') == ['x', 1, {'a': None}, IMAGE]
    assert ToolReturnPart('t', (1, 2)).content_items(mode='jsonable') == [[1, 2]]
    assert part.files == [IMAGE]


def test_what_is_no_json_is_an_error() -> None:
    part = ToolReturnPart('t', {'a': object()})
    for call in (part.model_response_str, part.model_response_object, lambda: part.content_items(mode='str')):
        with pytest.raises(PydanticSerializationError):
            call()


@dataclass
class Note:
    text: str


@pytest.mark.parametrize(
    ('content', 'text'),
    [
        ({'\ud800': None}, '{"\ufffd":null}'),
        ({'a': ['\ud83d\ude00', '\udcff']}, '{"a":["\U0001f600","\ufffd"]}'),
        (Note('half \ud83d'), '{"text":"half \ufffd"}'),
    ],
    ids=['key', 'value', 'object'],
)
def test_halves_of_surrogate_pairs_are_mended_where_content_becomes_json(content: object, text: str) -> None:
    for kind in (ToolReturnPart, NativeToolReturnPart):
        part = kind('look', content, 'c1')
        assert part.model_response_str() == text
        assert part.content_items(mode='str') == [text]
        assert not any(half in part.model_response_object() for half in ('\ud800', '\udcff'))
        assert part.content is content


STORED: list[tuple[Any, Any]] = [
    ({'kind': 'image-url', 'url': 'u.png'}, ImageUrl('u.png')),
    ({'kind': 'binary', 'data': 'YWJj', 'media_type': 'image/png'}, IMAGE),
    ([1, [{'a': {'kind': 'image-url', 'url': 'u.png'}}]], [1, [{'a': ImageUrl('u.png')}]]),
    ({'kind': 'binary'}, {'kind': 'binary'}),
    ({'kind': 'binary', 'data': '%', 'media_type': 'a/b'}, {'kind': 'binary', 'data': '%', 'media_type': 'a/b'}),
    ({'kind': ['image-url']}, {'kind': ['image-url']}),
    ({'kind': 'mine', 'url': 'u'}, {'kind': 'mine', 'url': 'u'}),
    ({'url': 'u'}, {'url': 'u'}),
    ('{"kind":"image-url","url":"u"}', '{"kind":"image-url","url":"u"}'),
]


@pytest.mark.parametrize(('stored', 'content'), STORED)
def test_stored_files_come_back(stored: Any, content: Any) -> None:
    adapter = TypeAdapter(ToolReturnPart)
    text = adapter.dump_json(ToolReturnPart('t', stored, 'i'))
    assert adapter.validate_json(text).content == content


def test_objects_of_tools_are_not_changed_in_place() -> None:
    inner = {'kind': 'image-url', 'url': 'u.png'}
    content: list[Any] = [{'a': inner}, [1, 2]]
    part = TypeAdapter(ToolReturnPart).validate_python({'tool_name': 't', 'content': content})
    assert part.content == [{'a': ImageUrl('u.png')}, [1, 2]]
    assert content == [{'a': {'kind': 'image-url', 'url': 'u.png'}}, [1, 2]]
    assert part.content[1] is content[1], 'what has no files is not copied'


@pytest.mark.parametrize(('level', 'is_content'), [(None, True), (1, False), (2, True)])
def test_text_for_the_bytes_of_plain_data_is_base64_except_at_level_1(level: Any, is_content: bool) -> None:
    plain = {'kind': 'binary', 'data': 'YWJj', 'media_type': 'a/b'}
    if level:
        stead.dropin.install(level=level)
    try:
        part = TypeAdapter(ToolReturnPart).validate_python({'tool_name': 't', 'content': [plain]})
    finally:
        stead.dropin.uninstall()
    assert part.content == [BinaryContent(b'abc', media_type='a/b') if is_content else plain]


def test_a_tool_return_shows_what_it_was_given() -> None:
    value = ToolReturn[int](1, content=['look', IMAGE], metadata={'a': 1})
    assert (value.return_value, value.kind) == (1, 'tool-return')
    assert repr(ToolReturn('x')) == "ToolReturn(return_value='x')"


ERRORS: list[Any] = [
    {'type': 'missing', 'loc': ('a', 0), 'msg': 'Field required', 'input': {'b': 'é'}, 'ctx': {'x': 1}},
    {'type': 'bad', 'loc': (), 'msg': 'Bad', 'input': 'all of it'},
]


MISSING = """1 validation error:
```json
[
  {
    "type": "missing",
    "loc": [
      "a",
      0
    ],
    "msg": "Field required",
    "input": {
      "b": "é"
    }
  }
]
```

Fix the errors and try again."""
BAD = """1 validation error:
```json
[
  {
    "type": "bad",
    "loc": [],
    "msg": "Bad"
  }
]
```

Fix the errors and try again."""


@pytest.mark.parametrize(
    ('content', 'tool_name', 'text'),
    [
        ('No.', None, 'Validation feedback:\nNo.\n\nFix the errors and try again.'),
        ('No.', 't', 'No.\n\nFix the errors and try again.'),
        (ERRORS[:1], 't', MISSING),
        (ERRORS[1:], None, BAD),
    ],
)
def test_a_retry_prompt_tells_the_model_what_was_wrong(content: Any, tool_name: str | None, text: str) -> None:
    assert RetryPromptPart(content, tool_name=tool_name).model_response() == text


def test_retry_prompts_count_errors_and_never_fail() -> None:
    errors: list[Any] = [
        *ERRORS,
        {'type': 'odd', 'loc': ('x', 'y'), 'msg': 'm', 'input': object},
        {'type': 'nan', 'loc': ('z',), 'msg': 'm', 'input': float('nan')},
    ]
    text = RetryPromptPart(errors, tool_name='t').model_response()
    assert text.startswith('4 validation errors:\n')
    assert '"input": "<class \'object\'>"' in text
    assert '"input": null' in text
    assert 'all of it' in text
    assert 'all of it' not in RetryPromptPart(errors).model_response(), 'the model has just written it'


def test_errors_of_a_validation_can_be_stored() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(int).validate_python('x')
    errors = caught.value.errors(include_url=False)
    part = RetryPromptPart(errors, tool_name='t', tool_call_id='i')
    adapter = TypeAdapter(RetryPromptPart)
    assert adapter.validate_json(adapter.dump_json(part)).content == errors
    assert error_details_ta.validate_json(error_details_ta.dump_json(errors)) == errors
    assert tool_return_ta.dump_json([IMAGE, b'\xff']).endswith(b',"_w=="]')
