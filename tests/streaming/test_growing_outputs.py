"""Outputs that grow in a stream: how often they are validated, which part is the output, and how often they are shown."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from stead import Agent, BinaryImage, ToolOutput
from stead.capabilities import Hooks
from stead.exceptions import SkipModelRequest
from stead.messages import FilePart, ModelResponse, TextPart
from stead.models.function import DeltaToolCall

from .kit import call, script

validated: list[int] = []


class Row(BaseModel):
    n: int

    @field_validator('n')
    @classmethod
    def count(cls, n: int) -> int:
        validated.append(n)
        return n


class Table(BaseModel):
    rows: list[Row]


def table(rows: int, index: int = 0) -> list[Any]:
    """Return the call of an output tool that comes in row by row."""
    pieces = ['{"rows": [', *(f'{{"n": {n}}}, ' for n in range(rows)), f'{{"n": {rows}}}]}}']
    return [
        {index: DeltaToolCall(name='table', tool_call_id='table')},
        *({index: DeltaToolCall(json_args=piece)} for piece in pieces),
    ]


def agent(*responses: Any, **options: Any) -> Agent[Any, Table]:
    return Agent(script(*responses), output_type=ToolOutput(Table, name='table'), **options)


async def test_rows_that_are_complete_are_not_validated_with_each_new_one() -> None:
    validated.clear()
    async with agent(table(40)).run_stream('go') as result:
        lengths = [len(output.rows) async for output in result.stream_output(debounce_by=None)]
    assert lengths[-1] == 41
    assert sorted(set(lengths)) == list(range(min(lengths), 42)), 'each row is shown when it is there'
    assert len(validated) < 41 * 5


async def test_the_output_grows_also_behind_the_call_of_another_tool() -> None:
    response = [*call('look'), *table(3, index=1)]
    async with agent(response, tools=[_look]).run_stream('go') as result:
        outputs = [[row.n for row in output.rows] async for output in result.stream_output(debounce_by=None)]
    assert outputs[-1] == [0, 1, 2, 3]
    assert [0, 1] in outputs


def _look() -> str:
    return 'looked'


async def test_outputs_are_collected_for_as_long_as_the_reader_says() -> None:
    async with agent(table(10)).run_stream('go') as result:
        each = [output async for output in result.stream_output(debounce_by=None)]
    async with agent(table(10)).run_stream('go') as result:
        collected = [output async for output in result.stream_output(debounce_by=0.5)]
    assert each[-1] == collected[-1]
    assert len(collected) < len(each) / 2


@pytest.mark.parametrize('allowed', [True, False])
async def test_an_image_is_the_output_where_that_is_allowed(allowed: bool) -> None:
    image = BinaryImage(b'1', media_type='image/png')
    hooks = Hooks[Any]()

    @hooks.on.before_model_request
    async def answer(ctx: Any, request_context: Any) -> Any:
        raise SkipModelRequest(ModelResponse(parts=[FilePart(image), TextPart('look')]))

    outputs: Any = [str, BinaryImage] if allowed else str
    one = Agent(script(['unused']), output_type=outputs, capabilities=[hooks])
    async with one.run_stream('go') as result:
        assert await result.get_output() == (image if allowed else 'look')
