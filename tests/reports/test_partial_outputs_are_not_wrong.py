"""What is shown of an output that is still being written is part of it, and nothing is done because of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from pydantic import BaseModel, Field

from stead import Agent, RunContext, TextOutput
from stead.models.function import DeltaToolCall, FunctionModel
from stead.output import NativeOutput, ToolOutput, output_function


class Mail(BaseModel):
    to: str = ''
    body: str = ''


def model_of(text: str, size: int = 1) -> FunctionModel:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]

    async def stream(messages: Any, info: Any) -> AsyncIterator[Any]:
        if info.output_tools:
            yield {0: DeltaToolCall(name=info.output_tools[0].name, json_args='', tool_call_id='c')}
        for piece in pieces:
            yield {0: DeltaToolCall(json_args=piece)} if info.output_tools else piece

    return FunctionModel(stream_function=stream)


def outputs(output_type: Any, text: str, size: int = 1) -> list[Any]:
    async def read() -> list[Any]:
        async with Agent[None, Any](model_of(text, size), output_type=output_type).run_stream('x') as result:
            return [output async for output in result.stream_output(debounce_by=None)]

    return asyncio.run(read())


MAIL = '{"to": "a@b.example", "body": "hello"}'


@pytest.mark.parametrize('wrap', [lambda function: function, lambda function: NativeOutput(function)])
def test_an_output_function_that_may_do_something_is_called_once(wrap: Callable[[Any], Any]) -> None:
    sent: list[Mail] = []

    def send(mail: Mail) -> str:
        sent.append(mail)
        return 'sent'

    assert set(outputs(wrap(send), MAIL, 9)) == {'sent'}
    assert sent == [Mail(to='a@b.example', body='hello')]


def test_one_that_can_know_is_called_for_parts() -> None:
    seen: list[bool] = []

    def knows(ctx: RunContext[None], mail: Mail) -> str:
        seen.append(ctx.partial_output)
        return mail.to

    @output_function(effect='read')
    def reads(mail: Mail) -> str:
        return mail.to

    assert len(set(outputs(knows, MAIL, 9))) > 1
    assert seen[0] is True and seen[-1] is False
    assert len(set(outputs(reads, MAIL, 9))) > 1
    assert len(set(outputs(TextOutput(str.upper), 'one two', 4))) > 1


class Row(BaseModel):
    n: int
    text: str = ''


class Table(BaseModel):
    rows: list[Row] = []
    total: int = 0
    numbers: list[int] = []


@pytest.mark.parametrize(
    ('output_type', 'text'),
    [
        (dict[str, int], '{"response": {"a": 1234, "b": -567}}'),
        (int, '{"response": 1234}'),
        (list[int], '{"response": [1234, -567 ]}'),
        (list[float], '{"response": [12.5e3, 1234.25]}'),
        (Table, '{"rows": [{"n": 1234, "text": "a: 12"}, {"n": -567}], "total": 1234, "numbers": [1234, 567]}'),
        (NativeOutput(Table), '{"numbers": [1234], "total": 1234}'),
    ],
    ids=str,
)
@pytest.mark.parametrize('size', [1, 3])
def test_a_number_is_shown_when_it_is_whole(output_type: Any, text: str, size: int) -> None:
    def numbers_in(value: Any) -> set[float]:
        if isinstance(value, BaseModel):
            value = value.model_dump(exclude_unset=True)
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return {number for item in value for number in numbers_in(item)}
        return {value} if isinstance(value, (int, float)) else set()

    shown = outputs(output_type, text, size)
    assert {number for value in shown for number in numbers_in(value)} <= {1234, -567, 567, 12500, 1234.25}
    assert numbers_in(shown[-1])


def test_digits_in_text_are_shown_as_they_come() -> None:
    class Note(BaseModel):
        text: str

    assert {note.text for note in outputs(Note, '{"text": "a: \\"x\\", 12"}')} >= {'a: "x", 1', 'a: "x", 12'}


class Ticket(BaseModel):
    kind: Optional[Literal['alpha', 'alphabet']] = None
    due: Optional[date] = None
    note: str = ''


class Tickets(BaseModel):
    items: list[Ticket] = []


TICKET = '{"kind": "alphabet", "due": "2026-01-12", "note": "alpha"}'


@pytest.mark.parametrize('wrap', [ToolOutput, NativeOutput])
@pytest.mark.parametrize('output_type', [Ticket, Tickets, Union[Ticket, Mail]])
def test_a_choice_is_shown_when_it_is_complete(wrap: Any, output_type: Any) -> None:
    text = TICKET
    if output_type is Tickets:
        text = f'{{"items": [{TICKET}, {TICKET}]}}'
    elif output_type is not Ticket and wrap is NativeOutput:
        text = f'{{"result": {{"kind": "Ticket", "data": {TICKET}}}}}'
    elif output_type is not Ticket:
        output_type = [ToolOutput(Ticket), ToolOutput(Mail)]
    shown = outputs(output_type if isinstance(output_type, list) else wrap(output_type), text)
    tickets = [ticket for output in shown for ticket in (output.items if isinstance(output, Tickets) else [output])]
    assert {ticket.kind for ticket in tickets} == {None, 'alphabet'}
    assert {ticket.due for ticket in tickets} == {None, date(2026, 1, 12)}
    assert {'a', 'al', 'alpha'} <= {ticket.note for ticket in tickets}  # free text grows
    assert tickets[-1] == Ticket(kind='alphabet', due=date(2026, 1, 12), note='alpha')


class Bill(BaseModel):
    total: Optional[Decimal] = None
    count: Optional[int] = None
    rate: Optional[float] = None
    code: Annotated[Optional[str], Field(pattern=r'^AB-[0-9]+$')] = None
    either: Union[int, str, None] = None
    sums: list[Decimal] = []
    note: str = ''


BILL = '{"total": "12.345", "count": "1234", "rate": "0.125", "code": "AB-1234", "either": "12", "sums": ["1.25"], "note": "12"}'


@pytest.mark.parametrize('wrap', [ToolOutput, NativeOutput])
@pytest.mark.parametrize('size', [1, 2, 5])
def test_a_number_in_quotes_and_a_text_with_a_pattern_are_shown_when_they_are_complete(wrap: Any, size: int) -> None:
    shown = outputs(wrap(Bill), BILL, size)
    for name in ('total', 'count', 'rate', 'code', 'either'):
        assert {getattr(bill, name) for bill in shown} == {None, getattr(shown[-1], name)}
    assert [Decimal('1.25')] in [bill.sums for bill in shown]
    assert all(bill.sums in ([], [Decimal('1.25')]) for bill in shown)
    assert shown[-1].code == 'AB-1234' and shown[-1].total == Decimal('12.345')
    if size == 1:
        assert {'1', '12'} <= {bill.note for bill in shown}  # free text grows


class Count(BaseModel):
    count: int = 0
    rate: float = 0.0
    note: str = ''


class Counts(BaseModel):
    items: list[Count] = []


COUNT = '{"count": "1234", "rate": "12.25", "note": "12"}'


@pytest.mark.parametrize('wrap', [ToolOutput, NativeOutput])
@pytest.mark.parametrize('size', [1, 2, 5])
@pytest.mark.parametrize('output_type', [Count, Counts])
def test_a_number_in_quotes_is_shown_when_it_is_complete_where_only_a_number_may_be(
    wrap: Any, size: int, output_type: Any
) -> None:
    shown = outputs(wrap(output_type), COUNT if output_type is Count else f'{{"items": [{COUNT}, {COUNT}]}}', size)
    counts = [count for output in shown for count in (output.items if isinstance(output, Counts) else [output])]
    assert {count.count for count in counts} == {0, 1234}
    assert {count.rate for count in counts} == {0, 12.25}
    if size == 1:
        assert {'1', '12'} <= {count.note for count in counts}  # free text grows
