"""A single parameter with fields of its own: they stand in for it."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Annotated, Any, Generic, Optional, TypeVar

import pydantic.dataclasses
import pytest
from pydantic import BaseModel, Field, RootModel, ValidationError
from typing_extensions import NotRequired, TypedDict

from stead import RunContext, Tool

from .kit import answered, called, schema_of, validated

T = TypeVar('T')


class Model(BaseModel):
    """A model."""

    x: int = Field(description='the x')
    y: str = 'a'


@dataclasses.dataclass
class Data:
    """Some data."""

    x: int
    y: str = 'a'


@pydantic.dataclasses.dataclass
class PydanticData:
    """Some data."""

    x: int
    y: str = 'a'


class Typed(TypedDict):
    """Some data."""

    x: int
    y: NotRequired[str]


class Box(BaseModel, Generic[T]):
    """A box."""

    x: T


class Node(BaseModel):
    """A node."""

    x: int
    children: list[Node] = []


class HasArg(BaseModel):
    arg: int = 1
    x: int = 2


class Allow(BaseModel, extra='allow'):
    x: int = 1


class Strict(BaseModel, strict=True):
    day: datetime.date
    pair: tuple[int, int]


Numbers = RootModel[dict[str, int]]
Row = RootModel[list[int]]


def of_model(arg: Model) -> Any:
    return arg


def of_data(arg: Data) -> Any:
    return arg


def of_pydantic_data(arg: PydanticData) -> Any:
    return arg


def of_typed(arg: Typed) -> Any:
    return arg


def of_box(arg: Box[int]) -> Any:
    return arg


def of_keyword(*, arg: Model) -> Any:
    return arg


def of_positional(arg: Model, /) -> Any:
    return arg


def of_ctx(ctx: RunContext[int], arg: Model) -> Any:
    assert ctx.deps == 5
    return arg


FLAT = [
    (of_model, Model, 'A model.'),
    (of_data, Data, 'Some data.'),
    (of_pydantic_data, PydanticData, 'Some data.'),
    (of_typed, Typed, 'Some data.'),
    (of_box, Box[int], None),
    (of_keyword, Model, 'A model.'),
    (of_positional, Model, 'A model.'),
    (of_ctx, Model, 'A model.'),
]


@pytest.mark.parametrize(('function', 'kind', 'description'), FLAT)
def test_fields_stand_in_for_the_parameter(function: Any, kind: Any, description: Any):
    tool = Tool(function)
    schema = tool.tool_def.parameters_json_schema
    assert (tool.description, schema['title'], schema['required']) == (description, kind.__name__, ['x'])
    assert schema['properties']['x']['type'] == 'integer'
    assert 'description' not in schema
    assert called(function, {'x': '3'}, deps=5) == kind(x=3)
    assert called(function, {'arg': {'x': 3}}, deps=5) == kind(x=3)


def test_the_docstring_of_the_function_comes_first():
    def function(arg: Model):
        """Do it."""

    tool = Tool(function)
    assert (tool.description, tool.tool_def.parameters_json_schema['description']) == ('Do it.', 'A model.')


def annotated(arg: Annotated[Model, Field(description='it')]): ...
def optional(arg: Optional[Model]): ...
def several(arg: list[Model]): ...
def var(*arg: Model): ...
def keywords(**arg: Model): ...
def two(arg: Model, other: int): ...
def row(arg: Row): ...


@pytest.mark.parametrize('function', [annotated, optional, several, var, two, row])
def test_other_parameters_stay_themselves(function: Any):
    assert 'arg' in schema_of(function)['properties']


def test_models_of_lists_are_arguments():
    assert validated(row, {'arg': [1, 2]}) == {'arg': Row([1, 2])}


def test_models_of_objects_stand_in():
    def function(arg: Numbers): ...

    function.__annotations__['arg'] = Numbers
    assert schema_of(function)['additionalProperties'] == {'type': 'integer'}
    assert validated(function, {'a': 1, 'b': 2}) == {'arg': Numbers({'a': 1, 'b': 2})}
    assert validated(function, {'arg': 1}) == {'arg': Numbers({'arg': 1})}
    assert validated(function, {'arg': {'a': 1}}) == {'arg': Numbers({'a': 1})}


def test_recursive_models_stand_in():
    def function(arg: Node): ...

    schema = schema_of(function)
    assert schema['$ref'] == '#/$defs/Node'
    assert validated(function, {'x': 1, 'children': [{'x': 2}]}) == {'arg': Node(x=1, children=[Node(x=2)])}


def of_has_arg(arg: HasArg): ...
def of_allow(arg: Allow): ...


@pytest.mark.parametrize(
    ('function', 'arguments', 'value'),
    [
        (of_has_arg, {'arg': 3}, HasArg(arg=3)),
        (of_has_arg, {'arg': {'x': 5}}, HasArg(x=5)),
        (of_has_arg, {'arg': {'arg': 7}}, HasArg(arg=7)),
        (of_has_arg, {'arg': 3, 'x': 4}, HasArg(arg=3, x=4)),
        (of_allow, {'arg': 3}, Allow(arg=3)),
        (of_allow, {'arg': {'x': 5}}, Allow(x=5)),
        (of_allow, {'arg': {'x': 5}, 'x': 6}, Allow(x=6, arg={'x': 5})),
        (of_allow, {'arg': {'x': 'no'}}, Allow(arg={'x': 'no'})),
    ],
)
def test_fields_that_have_the_name_of_the_parameter(function: Any, arguments: Any, value: Any):
    assert validated(function, arguments) == {'arg': value}


@pytest.mark.parametrize(
    ('function', 'arguments', 'error', 'where'),
    [
        (of_model, {'arg': 3}, 'model_type', ()),
        (of_model, {'arg': {'x': 'no'}}, 'int_parsing', ('x',)),
        (of_model, {'arg': {}}, 'missing', ('x',)),
        (of_model, {}, 'missing', ('x',)),
        (of_model, [], 'model_type', ()),
        (of_model, {'arg': {'x': 1}, 'other': 2}, 'missing', ('x',)),
        (of_has_arg, {'arg': None}, 'int_type', ('arg',)),
    ],
)
def test_errors_are_about_the_fields(function: Any, arguments: Any, error: str, where: Any):
    with pytest.raises(ValidationError) as caught:
        validated(function, arguments)
    found = caught.value.errors()[0]
    assert (found['type'], found['loc'], caught.value.title) == (error, where, function.__name__)


@pytest.mark.parametrize('text', ['', '{', '{"arg":', '{"arg": {"x": 1}', '\x00', '[[['])
def test_broken_json_is_reported(text: str):
    with pytest.raises(ValidationError, match='Invalid JSON'):
        Tool(of_model).function_schema.validator.validate_json(text)


@pytest.mark.parametrize('named', [False, True])
def test_strict_models_take_json_as_json(named: bool):
    def function(arg: Strict) -> str:
        return f'{arg.day:%Y} {arg.pair}'

    fields = '{"day": "2020-02-29", "pair": [1, 2]}'
    part = answered([function], 'function', f'{{"arg": {fields}}}' if named else fields)
    assert part.content == '2020 (1, 2)'


@pytest.mark.parametrize('form', [str, str.encode, lambda text: bytearray(text.encode())])
def test_json_may_be_bytes(form: Any):
    validator = Tool(of_model).function_schema.validator
    assert validator.validate_json(form('{"arg": {"x": 1}}')) == {'arg': Model(x=1)}
    assert validator.validate_json(form('{"x": 1}')) == {'arg': Model(x=1)}


def test_partial_json_is_read_with_or_without_the_name_of_the_parameter():
    validator = Tool(of_typed).function_schema.validator
    options: dict[str, Any] = {'allow_partial': 'trailing-strings'}
    assert validator.validate_json('{"x": 1, "y": "he', **options) == {'arg': {'x': 1, 'y': 'he'}}
    assert validator.validate_json('{"arg": {"x": 1, "y": "he', **options) == {'arg': {'x': 1, 'y': 'he'}}


def test_instances_are_taken_as_they_are():
    instance = Model(x=1)
    assert Tool(of_model).function_schema.validator.validate_python(instance)['arg'] is instance
    assert Tool(of_model).function_schema.validator.validate_python({'arg': instance})['arg'] is instance
