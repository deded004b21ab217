"""`Agent.output_json_schema`: the schema of what a run returns."""

from __future__ import annotations

from typing import Any, Optional, Union

import pytest
from pydantic import BaseModel, Field, computed_field
from pydantic_core import core_schema

from stead import (
    Agent,
    DeferredToolRequests,
    NativeOutput,
    PromptedOutput,
    StructuredDict,
    TextOutput,
    ToolOutput,
    UserError,
)


class Row(BaseModel):
    """A row."""

    n: int = Field(alias='number')

    @computed_field
    @property
    def twice(self) -> int:
        return self.n * 2


class Cell(BaseModel):
    k: str


class Tree(BaseModel):
    kids: list[Tree] = []


ROW = {
    'description': 'A row.',
    'properties': {
        'number': {'title': 'Number', 'type': 'integer'},
        'twice': {'readOnly': True, 'title': 'Twice', 'type': 'integer'},
    },
    'required': ['number', 'twice'],
    'title': 'Row',
    'type': 'object',
}
CELL = {'properties': {'k': {'title': 'K', 'type': 'string'}}, 'required': ['k'], 'title': 'Cell', 'type': 'object'}
TEXT, NUMBER = {'type': 'string'}, {'type': 'integer'}


def make(n: int) -> Row:
    return Row(number=n)


async def rows(text: str) -> list[Row]:
    return []


def silent(n: int):  # type: ignore[no-untyped-def]  # noqa: ANN201
    return n


def maybe(n: int) -> Optional[Cell]:  # noqa: UP045
    return None


FORMS: list[tuple[Any, Any]] = [
    (str, TEXT),
    (int, NUMBER),
    (Row, ROW),
    (make, ROW),
    (silent, TEXT),
    (ToolOutput(Row, name='x'), ROW),
    (ToolOutput(make), ROW),
    (NativeOutput(Row, name='x'), ROW),
    (TextOutput(len), TEXT),
    (TextOutput(str.upper), TEXT),
    ([Row, str], {'anyOf': [ROW, TEXT]}),
    ([Row, make], ROW),
    ([Row, Row], ROW),
    (Union[Row, Cell], {'anyOf': [ROW, CELL]}),
    (PromptedOutput([Row, Cell]), {'anyOf': [ROW, CELL]}),
    ([[Row, Cell], int], {'anyOf': [ROW, CELL, NUMBER]}),
    ([str, None], {'anyOf': [TEXT, {'type': 'null'}]}),
    (maybe, {'anyOf': [CELL, {'type': 'null'}]}),
    (
        StructuredDict({'type': 'object', 'properties': {}}, name='N'),
        {'type': 'object', 'properties': {}, 'title': 'N'},
    ),
]


@pytest.mark.parametrize(('output', 'schema'), FORMS)
def test_the_schema_of_an_output_is_that_of_its_type(output: Any, schema: Any):
    assert Agent('test', output_type=output).output_json_schema() == schema
    assert Agent('test').output_json_schema(output_type=output) == schema


def test_definitions_are_put_together():
    schema = Agent('test', output_type=[rows, Tree]).output_json_schema()
    assert schema['anyOf'] == [{'items': {'$ref': '#/$defs/Row'}, 'type': 'array'}, {'$ref': '#/$defs/Tree'}]
    assert set(schema['$defs']) == {'Row', 'Tree'}


def test_deferred_calls_are_among_the_outputs():
    schema = Agent('test', output_type=[str, DeferredToolRequests]).output_json_schema()
    assert schema['anyOf'][0] == TEXT
    assert schema['anyOf'][1]['title'] == 'DeferredToolRequests'


def test_an_output_without_schema():
    def opaque(n: int) -> type(iter([])):  # type: ignore[valid-type]
        return iter([])

    with pytest.raises(UserError, match='There is no JSON schema for the output'):
        Agent('test', output_type=opaque).output_json_schema()


class Even:
    """A type that validates by a function of its own, of which there is no JSON schema."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.no_info_plain_validator_function(lambda value: value)


def test_a_type_with_a_validator_of_its_own_may_be_anything():
    assert Agent('test', output_type=Even).output_json_schema() == {}
    assert Agent('test', output_type=[int, Even]).output_json_schema() == {'anyOf': [NUMBER, {}]}


def test_what_pydantic_says_of_a_type_is_told_in_one_line():
    class Opaque:
        pass

    with pytest.raises(UserError, match='Unable to generate pydantic-core schema for .*Opaque') as caught:
        Agent('test', output_type=Opaque)
    assert '\n' not in str(caught.value)
