"""The text of a result that models are sent is the same before and after it was stored, and has the names of its schema."""

from __future__ import annotations

import enum
import itertools
import math
from collections import deque
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pydantic
import pytest
from pydantic import BaseModel, Field

from stead import (
    Agent,
    BinaryContent,
    ModelMessagesTypeAdapter,
    ModelRequest,
    TextPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)
from stead.capabilities import Journal
from stead.messages import ModelMessage, ModelResponse, sent_items
from stead.models.function import FunctionModel
from stead.models.test import TestModel


class Pair(NamedTuple):
    a: float
    b: float


class Size(BaseModel):
    width: float


class Letter(enum.Enum):
    A = 'a'


class Word(str, enum.Enum):
    A = 'a'


class Price(BaseModel):
    price: Decimal = Decimal('1.10')
    first_name: str = Field(alias='firstName', default='x')
    last_name: str = Field(serialization_alias='lastName', default='y')


FILE = BinaryContent(b'\x89', media_type='image/png')
VALUES: list[Any] = [
    Decimal('1.10'),
    date(2026, 1, 2),
    UUID(int=5),
    Letter.A,
    Word.A,
    Price(),
    [Price()],
    {'k': Price()},
    b'\xff\x00',
    float('nan'),
    float('inf'),
    {'k': float('nan')},
    {1, 2},
    (1, 2),
    ('see', FILE),
    10**30,
    None,
    'null',
    '',
]


@pytest.mark.parametrize('value', VALUES, ids=repr)
def test_a_result_reads_the_same_after_it_was_stored(value: Any) -> None:
    part = ToolReturnPart('t', value, tool_call_id='1')
    [message] = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json([ModelRequest(parts=[part])]))
    [read] = message.parts
    assert isinstance(read, ToolReturnPart)
    if not isinstance(value, tuple):  # which is a list where it is an answer
        assert part.model_response_object() == read.model_response_object()
        assert part.model_response_str_and_user_content() == read.model_response_str_and_user_content()
    if value != ('see', FILE):
        assert part.model_response_str() == read.model_response_str()


def test_a_result_is_written_as_its_return_schema_says() -> None:
    assert ToolReturnPart('t', date(2026, 1, 2)).model_response_str() == '2026-01-02'
    assert ToolReturnPart('t', [date(2026, 1, 2)]).model_response_str() == '["2026-01-02"]'
    assert ToolReturnPart('t', Word.A).model_response_str() == 'a'
    assert ToolReturnPart('t', Price()).model_response_str() == '{"price":"1.10","firstName":"x","lastName":"y"}'


@pytest.mark.parametrize('value', [*VALUES, ToolReturn('r', content=['see', FILE])], ids=repr)
def test_a_result_reads_the_same_after_a_crash(value: Any, tmp_path: Path) -> None:
    journal, texts = Journal(tmp_path / 'runs.db'), list[Any]()

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart('get', {}, tool_call_id='c')])
        part = messages[-1].parts[0]
        assert isinstance(part, ToolReturnPart)
        texts.append(part.model_response_str_and_user_content())
        if len(texts) == 1:
            raise RuntimeError('crash')
        return ModelResponse(parts=[TextPart('done')])

    agent = Agent(FunctionModel(answer), name='a', capabilities=[journal])

    @agent.tool_plain
    def get() -> Any:
        return value

    async def story() -> None:
        with pytest.raises(RuntimeError, match='crash'):
            await agent.run('x')
        [info] = await journal.runs()
        await journal.resume(agent, info.run_id)

    import asyncio

    asyncio.run(story())
    assert texts[0] == texts[1]


ITERATORS: list[Any] = [
    lambda: map(str, [1]),
    lambda: (number for number in range(2)),
    lambda: {'a': iter([1])},
    lambda: ['x', zip([1], [2])],
]


@pytest.mark.parametrize('function', ITERATORS)
def test_what_an_iterator_has_is_read_once_and_kept(function: Any) -> None:
    texts: list[list[str]] = []

    def model(messages: list[ModelMessage], info: Any) -> ModelResponse:
        parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        texts.append([part.model_response_str() for part in parts])
        return ModelResponse([ToolCallPart('t', {})] if len(texts) < 3 else [TextPart('end')])

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    def t() -> Any:
        return function()

    agent.run_sync('x')
    text = {'map': '["1"]', 'generator': '[0,1]', 'dict': '{"a":[1]}', 'list': '["x",[[1,2]]]'}[
        type(function()).__name__
    ]
    assert texts == [[], [text], [text, text]]


def test_an_iterator_without_an_end_is_not_read() -> None:
    agent = Agent(TestModel())

    @agent.tool_plain
    def t() -> Any:
        return itertools.count()

    assert 'cannot be read' in agent.run_sync('x').output


@pytest.mark.parametrize('value', [(1, 'a'), {1}, frozenset({'a'}), deque([1, 2]), Pair(1, math.nan)])
def test_the_items_of_a_result_are_the_same_when_it_was_stored(value: Any) -> None:
    if isinstance(value, deque) and pydantic.VERSION < '2.12.5':
        pytest.skip('this pydantic has no JSON for a deque')
    history = [ModelRequest([ToolReturnPart('t', value, 'c')])]
    stored = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(history))
    before, after = (message.parts[0] for message in (*history, *stored))
    assert isinstance(before, ToolReturnPart)
    assert isinstance(after, ToolReturnPart)
    assert sent_items(before) == sent_items(after)
    assert before.model_response_object() == after.model_response_object()


def test_a_number_that_json_does_not_have_in_a_model_of_a_result() -> None:
    part = ToolReturnPart('t', Size(width=math.nan), 'c')
    assert part.model_response_object() == {'width': None}
