"""Outputs of several types in text: hooks that replace the value, definitions of one name, the order of members."""

from __future__ import annotations

from typing import Any, Union

import pytest
from pydantic import BaseModel, create_model
from typing_extensions import TypedDict

from stead import PromptedOutput, ToolOutput
from stead.capabilities import Hooks

from .kit import PROMPTED, parameters_of, run


class Cat(BaseModel):
    name: str


class Dog(BaseModel):
    name: str


class Fish(TypedDict):
    scales: int


def feed_fish(fish: Fish) -> str:
    return f'{fish["scales"]} scales got flakes'


def feed_cat(cat: Cat) -> str:
    return f'{cat.name} got fish'


def feed_dog(dog: Dog) -> str:
    return f'{dog.name} got a bone'


@pytest.mark.parametrize(
    ('replaced', 'output'),
    [
        (None, 'Tom got fish'),
        (Cat(name='Kit'), 'Kit got fish'),
        (Dog(name='Rex'), 'Rex got a bone'),
        ({'scales': 9}, '9 scales got flakes'),
        ('none', 'none'),
    ],
)
def test_the_function_for_the_type_of_the_new_value_gets_it(replaced: Any, output: str) -> None:
    hooks = Hooks[Any]()

    @hooks.on.after_output_validate
    async def replace(ctx: Any, *, output_context: Any, output: Any) -> Any:
        return output if replaced is None else replaced

    answer = '{"result": {"kind": "Cat", "data": {"name": "Tom"}}}'
    outputs = PromptedOutput([feed_cat, feed_dog, feed_fish])
    assert run(outputs, answer, profile=PROMPTED, capabilities=[hooks]).output == output


def schema_of(outputs: list[Any]) -> dict[str, Any]:
    params = parameters_of(PromptedOutput(outputs), PROMPTED)
    assert params.output_object is not None
    return params.output_object.json_schema


def references(schema: Any) -> list[str]:
    """Return all references in a schema, and the values of the mappings of its discriminators."""
    if isinstance(schema, list):
        return [name for item in schema for name in references(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema['$ref']] if '$ref' in schema else []
    own += schema['discriminator']['mapping'].values() if 'discriminator' in schema else []
    return own + [name for value in schema.values() for name in references(value)]


def test_definitions_of_one_name_are_told_apart() -> None:
    one, two = create_model('Inner', a=(int, ...)), create_model('Inner', b=(int, ...))
    first, second = create_model('First', inner=(one, ...)), create_model('Second', inner=(two, ...))
    schema = schema_of([first, second])
    assert references(schema) == ['#/$defs/Inner', '#/$defs/Second_Inner_1']
    assert [list(schema['$defs'][name]['properties']) for name in ('Inner', 'Second_Inner_1')] == [['a'], ['b']]


def test_definitions_of_one_name_in_types_of_one_name_are_numbered() -> None:
    inner = [create_model('Inner', **{name: (int, ...)}) for name in 'abc']  # type: ignore[call-overload]
    schema = schema_of([create_model('Same', inner=(one, ...)) for one in inner])
    assert references(schema) == ['#/$defs/Inner', '#/$defs/Same_Inner_1', '#/$defs/Same_Inner_2']
    assert [list(schema['$defs'][name.rpartition('/')[2]]['properties']) for name in references(schema)] == [
        ['a'],
        ['b'],
        ['c'],
    ]


class Node(BaseModel):
    children: list[Node] = []


def test_a_list_of_a_type_that_holds_itself_can_be_the_output() -> None:
    answer = ('final_result', {'response': [{'children': [{}]}]})
    assert run(ToolOutput(list[Node]), answer).output == [Node(children=[Node()])]


@pytest.mark.parametrize('args', [None, '', {}, '{}'])
def test_a_call_without_arguments_is_an_object_without_fields(args: Any) -> None:
    assert run(ToolOutput(Node), ('final_result', args)).output == Node()


def test_unions_with_members_in_another_order_are_shown_to_the_model_in_theirs() -> None:
    def order(*members: Any) -> list[str]:
        tool = parameters_of(ToolOutput(Union[members])).output_tools[0]  # type: ignore[valid-type]
        return [item['type'] for item in tool.parameters_json_schema['properties']['response']['anyOf']]

    assert order(int, str) == ['integer', 'string']
    assert order(str, int) == ['string', 'integer']
