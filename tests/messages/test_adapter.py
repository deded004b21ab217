"""Histories as JSON: what is written, and what is read, also of what earlier versions wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter, ValidationError

from stead.messages import (
    BinaryImage,
    FilePart,
    ImageUrl,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from ..loading import run_program

DATA = Path(__file__).parent / 'data'


@pytest.mark.parametrize('name', ['every_part', 'agent_run'])
def test_recorded_histories_are_written_as_they_were_read(name: str) -> None:
    recorded = (DATA / f'{name}.json').read_bytes()
    trusted = {'allow_local': True}  # there is a link that may lead to local addresses
    messages = ModelMessagesTypeAdapter.validate_json(recorded, context=trusted)
    assert ModelMessagesTypeAdapter.dump_json(messages) == recorded
    # The same by way of plain data. Text stays text there where JSON had bytes in a tool's return.
    plain = ModelMessagesTypeAdapter.dump_python(messages, mode='json')
    assert plain == json.loads(recorded)
    again = ModelMessagesTypeAdapter.validate_python(plain, context=trusted)
    assert ModelMessagesTypeAdapter.dump_python(again, mode='json') == plain


class Own(TextPart):
    """A part of a class that no union names."""


class OwnResponse(ModelResponse):
    """A message of such a class."""


OTHERS: dict[str, list[Any]] = {
    'an own part': [ModelResponse(parts=[TextPart('a'), Own('b')])],
    'an own message': [OwnResponse(parts=[TextPart('a')])],
    'a part of the other kind': [
        ModelResponse(parts=[ToolReturnPart('t', 1, 'c')]),
        ModelRequest(parts=[TextPart('a')]),
    ],
    'a tuple': [ModelResponse(parts=(TextPart('a'),))],  # type: ignore[arg-type]
    'nothing': [ModelResponse(parts=None)],  # type: ignore[arg-type]
    'plain data': [{'kind': 'request', 'parts': []}],
    'a number for a text': [ModelRequest(parts=[UserPromptPart(content=3)])],  # type: ignore[arg-type]
    'empty': [],
    'messages without parts': [ModelRequest(parts=[]), ModelResponse(parts=[])],
}


@pytest.mark.filterwarnings('ignore:Pydantic serializer warnings')
@pytest.mark.parametrize('name', ['recorded', *OTHERS])
def test_what_is_written_is_what_pydantic_writes(name: str) -> None:
    messages = OTHERS.get(name)
    if messages is None:
        recorded = (DATA / 'every_part.json').read_bytes()
        messages = ModelMessagesTypeAdapter.validate_json(recorded, context={'allow_local': True})
    # The method of pydantic, below what stead does.
    adapter: Any = TypeAdapter
    assert ModelMessagesTypeAdapter.dump_json(messages) == adapter.dump_json(ModelMessagesTypeAdapter, messages)


def test_a_field_of_a_wrong_type_is_warned_about() -> None:
    with pytest.warns(UserWarning, match='Pydantic serializer warnings'):
        ModelMessagesTypeAdapter.dump_json([ModelResponse(parts=[TextPart('a')], model_name=4)])  # type: ignore[arg-type]


def test_a_recorded_history_has_every_kind_of_part() -> None:
    messages = ModelMessagesTypeAdapter.validate_json((DATA / 'every_part.json').read_bytes())
    names = {type(part).__name__ for message in messages for part in message.parts}
    assert names == {
        *('SystemPromptPart', 'UserPromptPart', 'ToolReturnPart', 'RetryPromptPart', 'TextPart', 'ThinkingPart'),
        *('CompactionPart', 'FilePart', 'ToolCallPart', 'NativeToolCallPart', 'NativeToolReturnPart'),
        *('ToolSearchCallPart', 'ToolSearchReturnPart', 'NativeToolSearchCallPart', 'NativeToolSearchReturnPart'),
        *('LoadCapabilityCallPart', 'LoadCapabilityReturnPart'),
    }
    files = [part.content for message in messages for part in message.parts if isinstance(part, FilePart)]
    assert [type(content).__name__ for content in files] == ['BinaryImage', 'BinaryContent']
    photos = [
        part.content for part in messages[2].parts if isinstance(part, ToolReturnPart) and part.tool_name == 'photo'
    ]
    assert photos[0].data == files[0].data
    assert isinstance(photos[1][1], ImageUrl) and photos[1][2]['deep'] == [files[1]]


def test_old_histories_are_read() -> None:
    recorded = json.loads((DATA / 'old_shapes.json').read_text())
    messages = ModelMessagesTypeAdapter.validate_json(json.dumps(recorded['stored']))
    assert ModelMessagesTypeAdapter.dump_python(messages, mode='json') == recorded['read']
    response = messages[3]
    assert isinstance(response, ModelResponse)
    assert (response.provider_response_id, response.provider_details) == ('v1', {'finish': 'x'})
    assert (response.usage.input_tokens, response.usage.output_tokens) == (5, 6)


REQUEST = '[{"kind":"request","parts":[%s]}]'
RESPONSE = '[{"kind":"response","parts":[%s]}]'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('', 'Invalid JSON'),
        ('null', 'valid array'),
        ('{}', 'valid array'),
        ('[{"parts":[]}]', "'kind'"),
        ('[{"parts":[],"kind":"no"}]', "'request', 'response'"),
        ('[{"kind":"request"}]', 'parts'),
        (REQUEST % '{"content":"x"}', "'part_kind'"),
        (REQUEST % '{"part_kind":"text","content":"x"}', "'text'"),
        (RESPONSE % '{"part_kind":"user-prompt","content":"x"}', "'user-prompt'"),
        (REQUEST % '{"part_kind":"user-prompt","content":5}', 'content'),
        (REQUEST % '{"part_kind":"user-prompt","content":"x","timestamp":"no"}', 'timestamp'),
        (REQUEST % '{"part_kind":"tool-return","tool_name":"t","tool_call_id":"i"}', 'content'),
        (REQUEST % '{"part_kind":"tool-return","tool_name":"t","content":"x","outcome":5}', 'outcome'),
        (RESPONSE % '{"part_kind":"tool-call","tool_name":"t","args":[1]}', 'args'),
        (RESPONSE % '{"part_kind":"file","content":{"kind":"image-url","url":"u"}}', 'content'),
        ('[{"kind":"response","parts":[],"finish_reason":5}]', 'finish_reason'),
        ('[{"kind":"response","parts":[],"usage":{"input_tokens":"many"}}]', 'input_tokens'),
    ],
)
def test_what_is_no_history_says_where(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ModelMessagesTypeAdapter.validate_json(text)
    assert message in str(caught.value)


def test_deep_nesting_is_refused_and_not_a_crash() -> None:
    deep = '[' * 100_000 + ']' * 100_000
    with pytest.raises(ValidationError):
        ModelMessagesTypeAdapter.validate_json(
            REQUEST % f'{{"part_kind":"tool-return","tool_name":"t","content":{deep}}}'
        )


def test_instances_pass_as_they_are() -> None:
    messages: list[Any] = [ModelRequest([UserPromptPart('a')]), ModelResponse([ToolCallPart('t', {'a': 1})])]
    read = ModelMessagesTypeAdapter.validate_python(messages)
    assert all(mine is theirs for mine, theirs in zip(read, messages))


def test_there_is_a_json_schema() -> None:
    schema = ModelMessagesTypeAdapter.json_schema()
    assert {'ModelRequest', 'ModelResponse', 'BinaryContent', 'ImageUrl', 'ToolCallPart'} <= set(schema['$defs'])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(
    content=JSON,
    args=st.dictionaries(st.text(max_size=5), JSON, max_size=3) | st.text() | st.none(),
    data=st.binary(max_size=50),
)
def test_what_is_written_is_read_back(content: Any, args: Any, data: bytes) -> None:
    messages: list[Any] = [
        ModelResponse(
            [ToolCallPart('t', args, 'i'), FilePart(BinaryImage(data, media_type='image/png', identifier='x'))]
        ),
        ModelRequest([ToolReturnPart('t', content, 'i')]),
    ]
    text = ModelMessagesTypeAdapter.dump_json(messages)
    read = ModelMessagesTypeAdapter.validate_json(text)
    assert read == messages
    assert ModelMessagesTypeAdapter.dump_json(read) == text


def test_importing_builds_and_loads_nothing() -> None:
    code = (
        'import sys, typing_extensions, pydantic.dataclasses, pydantic_core\n'
        'loaded = set(sys.modules)\n'  # old releases of these load asyncio
        'import stead.messages as m\n'
        "heavy = {'httpx', 'opentelemetry', 'griffe', 'yaml', 'mimetypes', 'asyncio', 'email'}\n"
        'print(sorted(heavy & set(sys.modules) - loaded))\n'
        'built = [m.ModelMessagesTypeAdapter, m.tool_return_ta, m.error_details_ta]\n'
        'print([adapter.pydantic_complete for adapter in built])\n'
    )
    process = run_program(code)
    assert (process.stdout.splitlines(), process.stderr) == (['[]', '[False, False, False]'], '')
