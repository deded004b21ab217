"""The text of a result that models are sent is the same before and after it was stored, and has the names of its schema."""

from __future__ import annotations

import enum
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

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
from stead.messages import ModelMessage, ModelResponse
from stead.models.function import FunctionModel


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
def test_stored_messages(value: Any) -> None:
    part = ToolReturnPart('t', value, tool_call_id='1')
    [message] = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json([ModelRequest(parts=[part])]))
    [read] = message.parts
    assert isinstance(read, ToolReturnPart)
    if not isinstance(value, tuple):  # which is a list where it is an answer
        assert part.model_response_object() == read.model_response_object()
        assert part.model_response_str_and_user_content() == read.model_response_str_and_user_content()
    if value != ('see', FILE):
        assert part.model_response_str() == read.model_response_str()


def test_texts() -> None:
    assert ToolReturnPart('t', date(2026, 1, 2)).model_response_str() == '2026-01-02'
    assert ToolReturnPart('t', [date(2026, 1, 2)]).model_response_str() == '["2026-01-02"]'
    assert ToolReturnPart('t', Word.A).model_response_str() == 'a'
    assert ToolReturnPart('t', Price()).model_response_str() == '{"price":"1.10","firstName":"x","lastName":"y"}'


@pytest.mark.parametrize('value', [*VALUES, ToolReturn('r', content=['see', FILE])], ids=repr)
def test_a_run_that_crashed(value: Any, tmp_path: Path) -> None:
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
