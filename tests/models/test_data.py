"""The data that `TestModel` makes: valid under whatever schema, and the same for the same seed."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import ipaddress
import json
import math
import uuid
from dataclasses import make_dataclass
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import AnyUrl, BaseModel, Field, Json, TypeAdapter, create_model
from typing_extensions import TypedDict

from stead import UserError
from stead.models.test import TestModel

from .kit import tool, wrong

S, I, N, Z = {'type': 'string'}, {'type': 'integer'}, {'type': 'number'}, {'type': 'null'}  # noqa: E741
SEEDS = (0, 1, 2, 5, 7, 94, 9000)


def data(schema: dict[str, Any], seed: int = 0) -> Any:
    return TestModel(seed=seed).gen_tool_args(tool(schema=schema))


def obj(*required: str, **properties: Any) -> dict[str, Any]:
    return {'type': 'object', 'properties': properties, 'required': list(required)}


HOSTILE = {
    'one integer': {'type': 'integer', 'minimum': 3, 'maximum': 3},
    'integers between fractions': {'type': 'integer', 'exclusiveMinimum': 0.5, 'exclusiveMaximum': 2.5},
    'both kinds of lower bounds': {'type': 'integer', 'minimum': 2, 'exclusiveMinimum': 7},
    'both kinds of upper bounds': {'type': 'integer', 'maximum': 9, 'exclusiveMaximum': 5},
    'multiples': {'type': 'integer', 'multipleOf': 7},
    'the only multiple': {'type': 'integer', 'multipleOf': 5, 'minimum': 6, 'maximum': 14},
    'negative multiples': {'type': 'integer', 'multipleOf': 4, 'maximum': -5},
    'multiples of a fraction': {'type': 'integer', 'multipleOf': 1.5, 'minimum': 1},
    'tenths': {'type': 'number', 'multipleOf': 0.1, 'minimum': 0.25, 'maximum': 0.35},
    'between 0 and 1': {'type': 'number', 'exclusiveMinimum': 0, 'exclusiveMaximum': 1},
    'above 0 to 1': {'type': 'number', 'exclusiveMinimum': 0, 'maximum': 1},
    'between fractions': {'type': 'number', 'exclusiveMinimum': 0.2, 'exclusiveMaximum': 0.4},
    'bound and not the bound': {'type': 'number', 'minimum': 2, 'exclusiveMinimum': 2},
    'endless bounds': {'type': 'number', 'minimum': -math.inf, 'maximum': math.inf},
    'one character': {'type': 'string', 'maxLength': 1},
    'text of some length': {'type': 'string', 'minLength': 2, 'maxLength': 4},
    'pattern': {'type': 'string', 'pattern': '^[A-Z]{3}-\\d{4}$'},
    'pattern and length': {'type': 'string', 'pattern': '^[a-f]+$', 'minLength': 20, 'maxLength': 30},
    'pattern that looks ahead': {'type': 'string', 'pattern': '^(?=.*\\d)(?=.*[a-z]).{4,8}$'},
    'pattern that looks back': {'type': 'string', 'pattern': '^(x|y)\\1-(?P<n>z)(?P=n)$'},
    'pattern with a negated set': {'type': 'string', 'pattern': '^[^a-z0-9\\s]+$'},
    'pattern with branches': {'type': 'string', 'pattern': '^(?:blue|(red)?(?(1)x|yyy))$', 'maxLength': 4},
    'pattern of an address': {'type': 'string', 'pattern': '^[^@]+@[^@]+\\.[a-z]{2,}$'},
    'date in December': {'type': 'string', 'format': 'date', 'pattern': '^2024-12'},
    'long address': {'type': 'string', 'format': 'email', 'minLength': 40, 'pattern': '^a+@'},
    'constant null': {'const': None},
    'constant false': {'const': False},
    'several types': {'type': ['string', 'null']},
    'an object or null': {'type': ['object', 'null'], 'properties': {'a': I}, 'required': ['a']},
    'no type but a length': {'minLength': 5},
    'no type but bounds': {'minimum': 5},
    'no text': {'not': {'type': 'string'}},
    'examples that do not fit': {'type': 'integer', 'examples': ['x', 4]},
    'options that do not fit': {'anyOf': [{'type': 'integer', 'minimum': 5, 'maximum': 3}, S]},
    'options and a type': {'type': 'string', 'anyOf': [{'minLength': 3}, {'pattern': '^x'}]},
    'options of required properties': {
        **obj('a', a=I),
        'anyOf': [{'properties': {'b': S}, 'required': ['b']}, {'required': ['a']}],
    },
    'one of constants': {'oneOf': [{'const': 'x'}, {'const': 'y'}]},
    'exactly one': {'oneOf': [{'type': 'integer', 'maximum': 4}, {'type': 'integer', 'minimum': 0}]},
    'all of': {'allOf': [{'$ref': '#/$defs/X'}, {'maximum': 4}], '$defs': {'X': {'type': 'integer', 'minimum': 3}}},
    'all of objects': {'allOf': [obj('a', a=I), obj('b', a={'minimum': 3}, b=S)]},
    'a reference and bounds': {'$ref': '#/$defs/X', 'minimum': 9, '$defs': {'X': {'type': 'integer'}}},
    'a reference elsewhere': {'$ref': '#/definitions/X/properties/y', 'definitions': {'X': {'properties': {'y': I}}}},
    'a reference through a list': {'$ref': '#/anyOf/1', 'anyOf': [S, I]},
    'an escaped reference': {'$ref': '#/$defs/a~1b~0c', '$defs': {'a/b~c': {'const': 4}}},
    'required but not described': {'type': 'object', 'required': ['z', 'y'], 'additionalProperties': I},
    'two properties': {'type': 'object', 'minProperties': 2, 'additionalProperties': I},
    'optional ones to make two': {**obj(a=S, b=I), 'minProperties': 2, 'additionalProperties': False},
    'no properties allowed': {'type': 'object', 'maxProperties': 0, 'additionalProperties': I},
    'a property of that name': {**obj(additionalProperty=S), 'additionalProperties': I},
    'a property of that name, required': {**obj('additionalProperty', additionalProperty=S), 'additionalProperties': I},
    'names from a list': {'type': 'object', 'propertyNames': {'enum': ['x', 'y']}, 'additionalProperties': I, 'minProperties': 1},
    'names by pattern': {'type': 'object', 'patternProperties': {'^S_': S}, 'minProperties': 1, 'additionalProperties': False},
    'one needs another': {**obj('a', a=I, b=I), 'dependentRequired': {'a': ['b']}},
    'anything or nothing': {**obj('a', a=True), 'additionalProperties': False},
    'nothing may be there': obj(a=False),
    'no more than first items': {'type': 'array', 'prefixItems': [I, S], 'maxItems': 1},
    'room for none of the rest': {'type': 'array', 'prefixItems': [I, S], 'items': I, 'maxItems': 2},
    'first items and none else': {'type': 'array', 'prefixItems': [I], 'items': False},
    'different members': {'type': 'array', 'items': {'enum': ['a', 'b', 'c']}, 'uniqueItems': True, 'minItems': 3},
    'all integers there are': {
        'type': 'array',
        'items': {'type': 'integer', 'minimum': 0, 'maximum': 2},
        'uniqueItems': True,
        'minItems': 3,
    },
    'different options': {'type': 'array', 'items': {'anyOf': [I, S, Z]}, 'uniqueItems': True, 'minItems': 6},
    'different patterns': {'type': 'array', 'items': {'type': 'string', 'pattern': '^[ab]{2}$'}, 'uniqueItems': True, 'minItems': 4},
    'different ids': {'type': 'array', 'items': {'type': 'string', 'format': 'uuid'}, 'uniqueItems': True, 'minItems': 3},
    'different objects': {'type': 'array', 'items': obj('a', a=I), 'uniqueItems': True, 'minItems': 3},
    'different constants': {'type': 'array', 'items': {'const': 1}, 'uniqueItems': True},
    'contains': {'type': 'array', 'contains': {'const': 4}},
    'contains among items': {'type': 'array', 'items': {'anyOf': [S, I]}, 'contains': I, 'maxItems': 1},
    'a node that is always there': {
        '$ref': '#/$defs/N',
        '$defs': {'N': obj('n', n={'anyOf': [{'$ref': '#/$defs/N'}, Z]})},
    },
    'a tree': {'$ref': '#/$defs/N', '$defs': {'N': obj('k', k={'type': 'array', 'items': {'$ref': '#/$defs/N'}})}},
    'a binary tree': {
        '$ref': '#/$defs/N',
        '$defs': {'N': {'type': 'array', 'items': {'anyOf': [{'$ref': '#/$defs/N'}, I]}, 'minItems': 2}},
    },
    'any JSON': {
        '$ref': '#/$defs/J',
        '$defs': {
            'J': {
                'anyOf': [
                    {'type': 'object', 'additionalProperties': {'$ref': '#/$defs/J'}},
                    {'type': 'array', 'items': {'$ref': '#/$defs/J'}},
                    S,
                    N,
                ]
            }
        },
    },
    'the document in itself': {**obj('a', a={'anyOf': [{'$ref': '#'}, Z]})},
    'a dictionary of itself': {'$ref': '#/$defs/N', '$defs': {'N': {'type': 'object', 'additionalProperties': {'$ref': '#/$defs/N'}}}},
    'different nodes of itself': {
        '$ref': '#/$defs/N',
        '$defs': {'N': obj('v', 'k', v=I, k={'type': 'array', 'items': {'$ref': '#/$defs/N'}, 'uniqueItems': True})},
    },
}  # fmt: skip


@pytest.mark.parametrize('name', HOSTILE)
def test_data_fit_hostile_schemas_and_are_the_same_each_time(name: str):
    schema = HOSTILE[name]
    before = copy.deepcopy(schema)
    for seed in SEEDS:
        value = data(schema, seed)
        assert not wrong(value, schema), seed
        assert value == data(schema, seed)
        assert json.loads(json.dumps(value)) == value
    assert schema == before


NEVER = {
    'a chain without end': (
        {'$ref': '#/$defs/N', '$defs': {'N': obj('n', n={'$ref': '#/$defs/N'})}},
        'contains itself',
    ),
    'a reference to itself': ({'$ref': '#/$defs/N', '$defs': {'N': {'$ref': '#/$defs/N'}}}, 'contains itself'),
    'a missing definition': ({'$ref': '#/$defs/N'}, "refers to '#/\\$defs/N', which it does not define"),
    'a reference through text': ({'$ref': '#/type/x', 'type': 'object'}, 'does not define'),
    'a schema on the web': ({'$ref': 'https://example.com/x.json'}, "refers to 'https://example.com/x.json'"),
    'no such type': ({'type': 'foobar'}, "has the type 'foobar', but types are 'object', "),
    'too deep': ([0], 'nested too deeply'),
    'properties that are none': ({'type': 'object', 'properties': None}, 'is not a JSON schema .*NoneType'),
    'a bound that is no number': ({'type': 'integer', 'minimum': '5'}, 'is not a JSON schema .*TypeError'),
    'members that are none': ({'enum': 3}, 'is not a JSON schema .*TypeError'),
}


@pytest.mark.parametrize('name', NEVER)
def test_schemas_without_data(name: str):
    schema, reason = NEVER[name]
    if name == 'too deep':
        schema = {}
        for _ in range(2000):
            schema = obj('a', a=schema)
    with pytest.raises(UserError, match=f"cannot generate arguments for the tool 'mine': .*{reason}.*`call_tools`"):
        TestModel().gen_tool_args(tool('mine', schema))


def test_impossible_bounds_get_a_guess():
    # The tool then tells the model what is wrong, as it would tell any other.
    assert data({'type': 'integer', 'minimum': 5, 'maximum': 3}) == 5
    assert data({'type': 'array', 'items': {'const': 1}, 'uniqueItems': True, 'minItems': 2}) == [1, 1]


def test_definitions_that_refer_to_each_other_do_not_take_for_ever():
    again = {'$ref': '#/$defs/A'}
    schema = {
        '$ref': '#/$defs/A',
        '$defs': {'A': {'anyOf': [again, again, {'type': 'integer', 'multipleOf': 3}]}},
    }
    assert data(schema, 1) % 3 == 0


def test_seeds_may_be_large():
    schema = obj('a', 'b', a={'type': 'string', 'format': 'date'}, b={'type': 'string', 'format': 'date-time'})
    value = data(schema, 10**15)
    dt.date.fromisoformat(value['a'])
    dt.datetime.fromisoformat(value['b'].replace('Z', '+00:00'))


def test_seeds_make_other_data():
    schema = obj('a', 'b', 'c', a=S, b=I, c={'enum': [1, 2, 3]})
    values = [data(schema, seed) for seed in range(4)]
    assert values[0] == {'a': 'a', 'b': 0, 'c': 1}
    assert values[3] == {'a': 'd', 'b': 3, 'c': 1}
    assert len({json.dumps(each) for each in values}) == 4


class Color(enum.Enum):
    RED = 'red'
    BLUE = 'blue'


class Node(BaseModel):
    value: int
    left: Optional[Node] = None  # noqa: UP045 - pydantic evaluates it on Python 3.10
    more: list[Node]


class Cat(BaseModel):
    kind: Literal['cat']
    lives: int = Field(ge=1, le=9)


class Dog(BaseModel):
    kind: Literal['dog']
    name: str = Field(min_length=2, max_length=5)


FORMATS = [
    dt.date, dt.datetime, dt.time, dt.timedelta, uuid.UUID, AnyUrl, bytes, ipaddress.IPv4Address,
    ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network, Json,
]  # fmt: skip
LEAVES = st.sampled_from([int, str, bool, float, type(None), Color, Literal['x', 3], Any, *FORMATS])
PATTERNS = ['^[a-z]+$', r'^\d{3}-\d{2}$', '^(a|bc)*$', '[A-Z]', r'^\w+@\w+$']


@st.composite
def constrained(draw: st.DrawFn) -> Any:
    """A number or a text with bounds that leave something."""
    kind = draw(st.sampled_from(['int', 'float', 'str', 'pattern']))
    low = draw(st.integers(-20, 20))
    room = draw(st.integers(1, 10))
    if kind == 'int':
        step = draw(st.one_of(st.none(), st.integers(1, room)))
        return Annotated[int, Field(ge=low, le=low + room, multiple_of=step)]
    if kind == 'float':
        return Annotated[float, Field(gt=low / 7, lt=low / 7 + room / 9)]
    if kind == 'str':
        return Annotated[str, Field(min_length=abs(low), max_length=abs(low) + room)]
    return Annotated[str, Field(pattern=draw(st.sampled_from(PATTERNS)))]


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.lists(st.sampled_from('abcdef'), unique=True, min_size=1, max_size=3)
    size = st.integers(0, 3)
    return st.one_of(
        st.builds(lambda t, n: Annotated[list[t], Field(min_length=n, max_length=n + 1)], inner, size),
        st.builds(lambda t, u: tuple[t, u], inner, inner),
        inner.map(lambda t: tuple[t, ...]),
        st.builds(lambda n: Annotated[set[int], Field(min_length=n)], size),
        st.builds(lambda n: Annotated[set[str], Field(min_length=n)], size),
        inner.map(lambda t: dict[str, t]),
        inner.map(lambda t: Optional[t]),
        st.builds(lambda t, u: Union[t, u], inner, inner),
        st.builds(lambda keys, t: create_model('M', **dict.fromkeys(keys, (t, ...))), names, inner),
        st.builds(lambda keys, t: create_model('D', **dict.fromkeys(keys, (Optional[t], None))), names, inner),
        st.builds(lambda keys, t: make_dataclass('C', [(k, t) for k in keys]), names, inner),
        st.builds(lambda keys, t: TypedDict('T', dict.fromkeys(keys, t)), names, inner),  # type: ignore[operator]
    )


TYPES = st.recursive(st.one_of(LEAVES, constrained(), st.sampled_from([Node, Union[Cat, Dog]])), composed, max_leaves=6)


@settings(max_examples=150)
@given(form=TYPES, seed=st.integers(0, 200))
def test_data_is_valid_for_types(form: Any, seed: int):
    adapter = TypeAdapter(form)
    value = data({**obj('x', x=(schema := adapter.json_schema())), '$defs': schema.get('$defs', {})}, seed)
    adapter.validate_json(json.dumps(value['x']))


@st.composite
def schemas(draw: st.DrawFn, depth: int = 0) -> dict[str, Any]:
    """A JSON schema for which there is data."""
    kinds = ['integer', 'number', 'string', 'enum', 'typeless', 'types']
    kind = draw(st.sampled_from(kinds + (['array', 'object', 'anyOf', 'allOf', 'oneOf', '$ref'] if depth < 3 else [])))
    inner = schemas(depth + 1)
    if kind in ('integer', 'number'):
        step = draw(st.integers(1, 9)) / (1 if kind == 'integer' else 4)
        base = draw(st.integers(-9, 9)) * step
        schema: dict[str, Any] = {'type': kind, 'multipleOf': step}
        schema[draw(st.sampled_from(['minimum', 'x']))] = base
        schema[draw(st.sampled_from(['exclusiveMinimum', 'x']))] = base - draw(st.integers(1, 5))
        schema[draw(st.sampled_from(['maximum', 'x']))] = base
        schema[draw(st.sampled_from(['exclusiveMaximum', 'x']))] = base + draw(st.integers(1, 5))
        return schema
    if kind == 'string':
        low = draw(st.integers(0, 9))
        return {'type': 'string', 'minLength': low, 'maxLength': low + draw(st.integers(0, 3))}
    if kind == 'enum':
        return {
            'enum': draw(st.lists(st.one_of(st.integers(0, 9), st.text(max_size=2), st.none()), min_size=1, max_size=4))
        }
    if kind == 'typeless':
        return draw(
            st.sampled_from([{}, {'title': 'T'}, {'minimum': 3}, {'minLength': 3}, {'not': {'type': 'string'}}])
        )
    if kind == 'types':
        return {'type': draw(st.lists(st.sampled_from(['null', 'integer', 'string', 'array']), min_size=1, max_size=3))}
    if kind == 'array':
        low = draw(st.integers(0, 3))
        first = draw(st.lists(inner, max_size=2))
        return {
            'type': 'array',
            'prefixItems': first,
            'items': draw(inner),
            'minItems': low,
            'maxItems': low + draw(st.integers(0, 2)),
        }
    if kind == 'object':
        properties = draw(st.dictionaries(st.sampled_from('abc'), inner, max_size=3))
        required = draw(st.lists(st.sampled_from('abcd'), unique=True, max_size=3))
        extra = draw(st.one_of(st.just(True), inner))
        least = draw(st.integers(0, 4))
        return {
            'type': 'object',
            'properties': properties,
            'required': required,
            'additionalProperties': extra,
            'minProperties': least,
        }
    if kind == '$ref':
        return {'$ref': f'#/$defs/{draw(st.sampled_from("AB"))}'}
    parts = draw(st.lists(inner, min_size=1, max_size=3))
    if kind == 'oneOf':
        return {
            'oneOf': [
                obj(f'k{place}', **{f'k{place}': {'const': place}, 'v': part}) for place, part in enumerate(parts)
            ]
        }
    return {'anyOf': parts} if kind == 'anyOf' else {'allOf': parts[:1]}


@settings(max_examples=150)
@given(schema=schemas(), first=schemas(depth=3), second=schemas(depth=3), seed=st.integers(0, 100))
def test_data_is_valid_for_schemas(schema: dict[str, Any], first: Any, second: Any, seed: int):
    whole = {**schema, '$defs': {'A': first, 'B': second}}
    value = data(whole, seed)
    assert not wrong(value, whole)
    assert value == data(whole, seed)
