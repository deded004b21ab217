"""Messages in records are read as those that the adapter of histories writes, and take less room."""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from stead import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied
from stead.journal import Journal
from stead.journal._encode import messages_from, messages_json, parts_from, parts_json, record_json
from stead.messages import (
    BinaryContent,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.test import TestModel
from stead.usage import RequestUsage


@dataclass
class Order:
    """What a tool may return."""

    number: int
    note: str | None = None


class Price(BaseModel):
    """What a tool may return."""

    value: int
    unit: bytes = b'kg'


class Colour(Enum):
    """What a tool may return."""

    RED = 'red'


NOON = datetime(2026, 11, 1, 12, tzinfo=timezone.utc)
MESSAGES: list[ModelMessage] = [
    ModelRequest([SystemPromptPart('be brief', timestamp=NOON), UserPromptPart('hello', timestamp=NOON)], run_id='r'),
    ModelRequest(
        [UserPromptPart(['look', BinaryContent(b'\xff\xfe', media_type='image/png'), ImageUrl('https://a/b.png')])]
    ),
    ModelResponse(
        [TextPart('hm'), ToolCallPart('add', '{"a": 1}', 'c1')], model_name='m', provider_details={'a': None}
    ),
    ModelResponse([ThinkingPart('hm', signature='s'), FilePart(BinaryContent(b'\x00', media_type='image/png'))]),
    ModelResponse(
        [NativeToolCallPart('search', {'q': 1}, 'n1'), NativeToolReturnPart('search', [None], 'n1')],
        metadata={'k': [1]},
    ),
    ModelRequest(
        [ToolReturnPart('add', {'none': None, 'bytes': b'\xff'}, 'c1'), RetryPromptPart('again', tool_name='add')],
        instructions='be brief',
        timestamp=NOON,
    ),
    ModelResponse([]),
    ModelRequest(
        [
            RetryPromptPart(
                [{'type': 'int_type', 'loc': ('a', 0), 'msg': 'no', 'input': b'x', 'ctx': {'e': Order(1)}}]
            ),
            ToolReturnPart('add', None, 'c1', metadata={'none': None}),
            ToolReturnPart('add', [1, None, math.nan, math.inf], 'c2', outcome='failed'),
            ToolReturnPart('add', {'deep': [Order(2), Price(value=3)], 4: {5.5: Colour.RED}}, 'c3'),
            ToolReturnPart(
                'add', [BinaryContent(b'\xff', media_type='image/png'), 'and', ImageUrl('https://a/b.png')], 'c4'
            ),
            ToolReturnPart('add', (Decimal('1.0'), {7}, timedelta(1), NOON.date(), UUID(int=1)), 'c5'),
        ],
        metadata={'none': None, 'at': NOON},
    ),
    ModelResponse(
        [
            ToolCallPart('add', None, 'c1'),
            ToolCallPart('add', {'a': [None, b'\xff']}, 'c2', provider_details={'b': None}),
        ],
        usage=RequestUsage(input_tokens=3, details={'reasoning': 2}),
        finish_reason='tool_call',
    ),
]


@pytest.mark.parametrize('message', MESSAGES, ids=range(len(MESSAGES)))
def test_messages_are_read_as_those_of_histories_are(message: ModelMessage) -> None:
    history = ModelMessagesTypeAdapter.dump_json([message])
    assert messages_from(json.loads(messages_json([message], {})), {}) == ModelMessagesTypeAdapter.validate_json(
        history
    )


@pytest.mark.parametrize('message', MESSAGES, ids=range(len(MESSAGES)))
@pytest.mark.parametrize('text', ['plain', 'half \ud800'], ids=['at once', 'one by one'])
def test_a_record_has_what_its_messages_and_parts_have_by_themselves(message: ModelMessage, text: str) -> None:
    """A record is written at once, or piece by piece if something in it can be written in one way only."""
    last = ToolReturnPart('add', text, 'c9', timestamp=NOON)
    parts = [last, *message.parts] if isinstance(message, ModelRequest) else [last]
    body = record_json({'step': 2}, [b'"pending":[]'], messages=[message], parts=parts)  # type: ignore[arg-type]
    assert json.loads(body) == {
        'step': 2,
        'pending': [],
        'messages': json.loads(messages_json([message], {})),
        'parts': json.loads(parts_json(parts)),  # type: ignore[arg-type]
    }


def test_a_record_may_be_empty_but_for_a_piece() -> None:
    assert (record_json({}), record_json({}, [b'"a":1']), record_json({'b': 2}, [b'"a":1'])) == (
        b'{}',
        b'{"a":1}',
        b'{"b":2,"a":1}',
    )


def test_what_a_program_puts_on_a_message_is_not_written() -> None:
    """Messages and parts are plain objects: a program may have set an attribute of its own."""
    call, response = ToolCallPart('add', {}, 'c1'), ModelResponse([], timestamp=NOON)
    expected = messages_json([ModelResponse([ToolCallPart('add', {}, 'c1')], timestamp=NOON)], {})
    response.parts = [call]
    for item in (call, response, response.usage):
        item.seen = object()  # type: ignore[union-attr]
    assert messages_json([response], {}) == expected


def test_rare_counts_that_come_later_are_written() -> None:
    """A usage holds none of them until then: two are made in each step."""
    late, whole = RequestUsage(input_tokens=1), RequestUsage(input_tokens=1, cache_read_tokens=2)
    assert vars(late) == {'input_tokens': 1, 'output_tokens': 0, 'details': {}}
    late.cache_read_tokens += 2
    assert (late, repr(late)) == (whole, 'RequestUsage(input_tokens=1, cache_read_tokens=2)')
    one, other = (
        json.loads(messages_json([ModelResponse([], usage=usage, timestamp=NOON)], {})) for usage in (late, whole)
    )
    assert one == other
    with pytest.raises(TypeError, match=r"RequestUsage.__init__\(\) got an unexpected keyword argument 'tokens'"):
        RequestUsage(tokens=1)  # type: ignore[call-arg]


def test_what_is_none_by_default_is_left_out_and_content_is_not() -> None:
    (item,) = json.loads(messages_json([ModelResponse([ToolCallPart('add', {'a': None}, 'c1')], timestamp=NOON)], {}))
    (call,) = item['message'].pop('parts')
    assert call == {'tool_name': 'add', 'args': {'a': None}, 'tool_call_id': 'c1', 'part_kind': 'tool-call'}
    assert item['message'].pop('usage') == {}
    assert item['message'] == {'timestamp': '2026-11-01T12:00:00Z', 'kind': 'response', 'state': 'complete'}


def test_answers_that_are_recorded_are_named() -> None:
    answer, other = ToolReturnPart('add', 1, 'c1'), UserPromptPart('and now?')
    item = json.loads(messages_json([ModelRequest([answer, other])], {id(answer): ('c1', 0)}))
    assert [part['content'] for part in item[0]['message']['parts']] == ['and now?']
    (read,) = messages_from(item, {'c1': [answer]})
    assert read.parts == [answer, other]


def test_parts_are_read_again() -> None:
    parts = [ToolReturnPart('add', 1, 'c1', timestamp=NOON), UserPromptPart('look', timestamp=NOON)]
    assert parts_from(json.loads(parts_json(parts))) == parts


def test_halves_of_surrogate_pairs_are_mended() -> None:
    (item,) = json.loads(messages_json([ModelResponse([TextPart('a\ud800')], model_name='m\ud800')], {}))
    assert item['message']['parts'][0]['content'] == 'a�'
    assert item['message']['model_name'] == 'm�'


@pytest.mark.parametrize('prompt', ['a\ud800', ['a\ud800', ImageUrl('https://x.example/a.png')]], ids=ascii)
def test_texts_that_cannot_be_encoded_do_not_end_a_run(prompt: Any) -> None:
    """Names of files that are not UTF-8 have halves of surrogate pairs, and JSON of models has them, too."""
    agent = Agent(TestModel(), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(metadata={'m': 'm\ud800'})
    def name() -> dict[str, str]:
        return {'name': 'n\ud800'}

    @agent.tool_plain(requires_approval=True)
    def wipe() -> str:
        raise OSError('no file f\ud800')

    async def main() -> None:
        journal: Journal[Any] = Journal()
        first = await journal.run(agent, prompt, key='k', metadata={'m': 'm\ud800'})
        assert isinstance(first.output, DeferredToolRequests)
        (call,) = first.output.approvals
        await journal.answer(first.run_id, DeferredToolResults(approvals={call.tool_call_id: ToolDenied('d\ud800')}))
        result = await journal.resume(agent, first.run_id)
        assert '"wipe":"d\ufffd"' in result.output
        parts = [part for message in await journal.messages(first.run_id) for part in message.parts]
        (name_of_file,) = [part for part in parts if isinstance(part, ToolReturnPart) and part.tool_name == 'name']
        assert name_of_file.content == {'name': 'n\ufffd'}

        other = await agent.run(prompt, capabilities=[journal])
        await journal.answer(other.run_id, DeferredToolResults(approvals={call.tool_call_id: True}))
        with pytest.raises(OSError, match='no file'):
            await journal.resume(agent, other.run_id)
        assert (await journal.state(other.run_id)).error == {'type': 'OSError', 'message': 'no file f\ufffd'}

    asyncio.run(main())


def test_what_has_no_json_is_named() -> None:
    part = ToolReturnPart('add', object(), 'c1')
    with pytest.raises(PydanticSerializationError, match="part 'tool-return' of the tool 'add'"):
        messages_json([ModelRequest([part])], {})
    with pytest.raises(PydanticSerializationError, match="part 'tool-return' of the tool 'add'"):
        parts_json([part])


def test_a_tool_may_return_bytes_that_are_no_text() -> None:
    journal: Journal[Any] = Journal()
    agent = Agent(TestModel(), capabilities=[journal])

    @agent.tool_plain
    def picture() -> bytes:
        return b'\xff\x00'

    async def main() -> str:
        result = await agent.run('go')
        history = await journal.messages(result.run_id)
        assert json.loads(ModelMessagesTypeAdapter.dump_json(history)) == json.loads(result.all_messages_json())
        return result.output

    assert asyncio.run(main()) == '{"picture":"_wA="}'
