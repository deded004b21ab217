"""Parameters of every kind: what the model is told about them, and how the function is called with them."""

from __future__ import annotations

import datetime
import enum
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar, Union

import pytest
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import TypeAliasType, TypedDict

from stead import Tool

from .kit import called, properties_of, schema_of, validated

T = TypeVar('T')


class Color(enum.Enum):
    """Colors."""

    RED = 'red'
    BLUE = 'blue'


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Item(BaseModel):
    """An item."""

    name: str
    size: int = 1


class Cat(BaseModel):
    kind: Literal['cat']


class Dog(BaseModel):
    kind: Literal['dog']


class Box(BaseModel, Generic[T]):
    inside: T


class Node(BaseModel):
    value: int
    children: list[Node] = []


class Half(TypedDict, total=False):
    a: int


Json = TypeAliasType('Json', 'dict[str, Json] | int')


def bare(x): ...
def plain(x: int, y: str): ...
def default(x: int, y: str = 'a'): ...
def none(x: Optional[int] = None): ...
def keyword_only(*, x: int, y: str = 'b'): ...
def positional_only(x: int, y: str = 'c', /): ...
def every_kind(a: int, /, b: str, c: float = 1.5, *args: int, d: bool, e: str = 'e', **kwargs: float): ...
def var(*args: int): ...
def keywords(**kwargs: int): ...
def anything(**kwargs: Any): ...
def nothing(): ...


@pytest.mark.parametrize(
    ('function', 'properties', 'required', 'more'),
    [
        (nothing, {}, None, False),
        (bare, {'x': {}}, ['x'], False),
        (plain, {'x': {'type': 'integer'}, 'y': {'type': 'string'}}, ['x', 'y'], False),
        (default, {'x': {'type': 'integer'}, 'y': {'default': 'a', 'type': 'string'}}, ['x'], False),
        (none, {'x': {'anyOf': [{'type': 'integer'}, {'type': 'null'}], 'default': None}}, None, False),
        (keyword_only, {'x': {'type': 'integer'}, 'y': {'default': 'b', 'type': 'string'}}, ['x'], False),
        (positional_only, {'x': {'type': 'integer'}, 'y': {'default': 'c', 'type': 'string'}}, ['x'], False),
        (var, {'args': {'type': 'array', 'items': {'type': 'integer'}}}, ['args'], False),
        (keywords, {}, None, {'type': 'integer'}),
        (anything, {}, None, True),
        (
            every_kind,
            {
                'a': {'type': 'integer'},
                'b': {'type': 'string'},
                'c': {'type': 'number', 'default': 1.5},
                'args': {'type': 'array', 'items': {'type': 'integer'}},
                'd': {'type': 'boolean'},
                'e': {'type': 'string', 'default': 'e'},
            },
            ['a', 'b', 'args', 'd'],
            {'type': 'number'},
        ),
    ],
)
def test_kinds_of_parameters(function: Any, properties: Any, required: Any, more: Any):
    wanted = {'type': 'object', 'properties': properties, 'additionalProperties': more}
    assert schema_of(function) == (wanted if required is None else {**wanted, 'required': required})


@pytest.mark.parametrize(
    ('annotation', 'schema'),
    [
        (list[int], {'type': 'array', 'items': {'type': 'integer'}}),
        (dict[str, float], {'type': 'object', 'additionalProperties': {'type': 'number'}}),
        (tuple[int, str], {'type': 'array', 'prefixItems': [{'type': 'integer'}, {'type': 'string'}], 'minItems': 2, 'maxItems': 2}),
        (set[int], {'type': 'array', 'items': {'type': 'integer'}, 'uniqueItems': True}),
        (Literal['a', 'b'], {'type': 'string', 'enum': ['a', 'b']}),
        (Literal['a'], {'type': 'string', 'const': 'a'}),
        (Union[int, str], {'anyOf': [{'type': 'integer'}, {'type': 'string'}]}),
        (Union[str, int], {'anyOf': [{'type': 'string'}, {'type': 'integer'}]}),
        (Color, {'$ref': '#/$defs/Color'}),
        (Level, {'$ref': '#/$defs/Level'}),
        (Item, {'$ref': '#/$defs/Item'}),
        (list[Item], {'type': 'array', 'items': {'$ref': '#/$defs/Item'}}),
        (Optional[Item], {'anyOf': [{'$ref': '#/$defs/Item'}, {'type': 'null'}]}),
        (Box[int], {'$ref': '#/$defs/Box_int_'}),
        (Node, {'$ref': '#/$defs/Node'}),
        (Json, {'$ref': '#/$defs/Json'}),
        (datetime.date, {'type': 'string', 'format': 'date'}),
        (Annotated[int, Field(gt=1, description='a number')], {'type': 'integer', 'exclusiveMinimum': 1, 'description': 'a number'}),
        (Annotated[Union[Cat, Dog], Field(discriminator='kind')], {
            'oneOf': [{'$ref': '#/$defs/Cat'}, {'$ref': '#/$defs/Dog'}],
            'discriminator': {'mapping': {'cat': '#/$defs/Cat', 'dog': '#/$defs/Dog'}, 'propertyName': 'kind'},
        }),
    ],
    ids=str,
)  # fmt: skip
def test_an_annotation_has_its_schema(annotation: Any, schema: Any):
    def function(x, other: int): ...

    function.__annotations__['x'] = annotation
    full_schema = schema_of(function)
    assert full_schema['properties']['x'] == schema
    for name in ('Color', 'Level', 'Item', 'Box_int_', 'Node', 'Json', 'Cat', 'Dog'):
        if f'#/$defs/{name}' in str(schema):
            assert name in full_schema['$defs']


def test_names_of_fields_are_not_titles():
    def function(item: Item, color: Color, half: Half): ...

    full_schema = schema_of(function)
    assert full_schema['$defs']['Item'] == {
        'description': 'An item.',
        'properties': {'name': {'type': 'string'}, 'size': {'default': 1, 'type': 'integer'}},
        'required': ['name'],
        'title': 'Item',
        'type': 'object',
    }
    assert full_schema['$defs']['Half'] == {'properties': {'a': {'type': 'integer'}}, 'title': 'Half', 'type': 'object'}


def test_types_inside_allow_what_they_allowed():
    """That the function itself takes nothing else says nothing about the types of its arguments."""

    def function(half: Half, item: Item): ...

    assert validated(function, {'half': {'a': 1, 'b': 2}, 'item': {'name': 'x', 'more': 1}}) == {
        'half': {'a': 1},
        'item': Item(name='x'),
    }
    with pytest.raises(ValidationError, match='Extra inputs'):
        validated(function, {'half': {}, 'item': {'name': 'x'}, 'more': 1})


@pytest.mark.parametrize(
    ('annotation', 'default', 'schema', 'arguments', 'value'),
    [
        (int, Field(5, description='f'), {'type': 'integer', 'default': 5, 'description': 'f'}, {}, 5),
        (int, Field(default_factory=lambda: 7), {'type': 'integer'}, {}, 7),
        (int, Field(description='f'), {'type': 'integer', 'description': 'f'}, {'x': 1}, 1),
        (Annotated[int, Field(default=4)], ..., {'type': 'integer', 'default': 4}, {}, 4),
        (Annotated[int, Field(description='f'), Field(default=4)], ..., {'type': 'integer', 'default': 4, 'description': 'f'}, {}, 4),
        (Annotated[int, 'just words'], 3, {'type': 'integer', 'default': 3}, {}, 3),
        (Annotated[int, Field(alias='ex')], ..., {'type': 'integer'}, {'ex': 1}, 1),
        (list, [], {'type': 'array', 'items': {}, 'default': []}, {}, []),
        (str, 5, {'type': 'string', 'default': 5}, {}, 5),
    ],
)  # fmt: skip
def test_fields_and_defaults(annotation: Any, default: Any, schema: Any, arguments: Any, value: Any):
    if default is ...:

        def function(x):
            return x
    else:

        def function(x=default):
            return x

    function.__annotations__['x'] = annotation
    assert list(properties_of(function).values()) == [schema]
    assert called(function, arguments) == value


def test_a_field_without_a_default_is_required():
    def function(x: int = Field(gt=1)): ...

    assert schema_of(function)['required'] == ['x']
    with pytest.raises(ValidationError, match='Field required'):
        validated(function, {})


def test_a_default_that_json_cannot_hold_is_left_out():
    def function(x: Any = object()): ...

    assert schema_of(function) == {'type': 'object', 'properties': {'x': {}}, 'additionalProperties': False}


def returns_all(a: int, /, b: str, c: float = 1.5, *args: int, d: bool, e: str = 'e', **kwargs: float) -> Any:
    return a, b, c, args, d, e, kwargs


def test_each_argument_arrives_where_it_belongs():
    arguments = {'a': 1, 'b': 'b', 'args': [1, 2], 'd': True, 'more': 3, 'not a name!': 4}
    assert called(returns_all, arguments) == (1, 'b', 1.5, (1, 2), True, 'e', {'more': 3.0, 'not a name!': 4.0})
    arguments = {'a': 1, 'b': 'b', 'c': 2, 'args': [], 'd': False, 'e': ''}
    assert called(returns_all, arguments) == (1, 'b', 2.0, (), False, '', {})


def test_positional_parameters_before_many():
    def function(x: int, y: int = 2, *args: str) -> Any:
        return x, y, args

    assert called(function, {'x': 1, 'args': ['a', 'b']}) == (1, 2, ('a', 'b'))


def test_descriptions_of_many():
    def function(*args: Annotated[int, Field(description='item')], **kwargs: Annotated[int, Field(description='more')]):
        """Do it.

        Args:
            *args: The numbers.
        """

    full_schema = schema_of(function)
    assert full_schema['properties']['args']['items'] == {'type': 'integer', 'description': 'item'}
    assert full_schema['additionalProperties'] == {'type': 'integer', 'description': 'more'}


def test_other_keywords_may_be_models():
    def function(**items: Item) -> Any:
        return items

    full_schema = schema_of(function)
    assert (full_schema['additionalProperties'], list(full_schema['$defs'])) == ({'$ref': '#/$defs/Item'}, ['Item'])
    assert called(function, {'a': {'name': 'x'}}) == {'a': Item(name='x')}


def test_types_may_have_the_name_of_anything():
    class Arguments(BaseModel):
        x: int

    def function(a: Arguments, b: int): ...

    function.__annotations__['a'] = Arguments
    assert schema_of(function)['properties']['a'] == {'$ref': '#/$defs/Arguments'}


def test_a_schema_of_ones_own():
    from pydantic.json_schema import GenerateJsonSchema

    class Titled(GenerateJsonSchema):
        pass

    assert properties_of(plain, schema_generator=Titled)['x'] == {'title': 'X', 'type': 'integer'}
    assert properties_of(plain)['x'] == {'type': 'integer'}


def test_models_that_are_built_on_first_use():
    class Late(BaseModel, defer_build=True):
        x: int

    def one(late: Late): ...
    def two(late: Late, other: int): ...

    one.__annotations__['late'] = two.__annotations__['late'] = Late
    assert schema_of(one)['properties'] == {'x': {'type': 'integer'}}
    assert validated(two, {'late': {'x': 1}, 'other': 2}) == {'late': Late(x=1), 'other': 2}


def test_changing_a_schema_changes_no_other_tool():
    first, second = Tool(plain), Tool(plain)
    first.tool_def.parameters_json_schema['properties']['x']['description'] = 'changed'
    assert properties_of(plain) == {'x': {'type': 'integer'}, 'y': {'type': 'string'}}
    assert 'description' not in second.tool_def.parameters_json_schema['properties']['x']
