"""Schemas that bound what they describe, and the grammars of them. No engine is needed."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from typing import Any

import pytest

from stead._kit.json_bounds.grammar import as_gbnf, grammar_of
from stead._kit.json_bounds.patterns import FORMATS, UnsupportedPattern, bounded_pattern, decimals, integers
from stead._kit.json_bounds.schema import Bounds, UnsatisfiableSchema, bounded
from stead._kit.json_data.fits import Checker

from .random_types import Node, Types

SMALL = Bounds(string=10, items=3)


class Sampler:
    """Writes values of a bounded schema, the longest ones that there may be."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root

    def longest(self, node: dict[str, Any]) -> Any:
        if '$ref' in node:
            return self.longest(self.root['$defs'][node['$ref'].removeprefix('#/$defs/')])
        if 'anyOf' in node:
            return max((self.longest(option) for option in node['anyOf']), key=lambda value: len(json.dumps(value)))
        if 'enum' in node:
            return max(node['enum'], key=lambda value: len(json.dumps(value)))
        if node['type'] == 'array':
            items = [self.longest(item) for item in node.get('prefixItems', ())]
            while node['items'] and len(items) < node['maxItems']:
                items.append(self.longest(node['items']))
            return items[: node['maxItems']]
        if node['type'] == 'object' and 'propertyNames' not in node:
            return {name: self.longest(value) for name, value in node['properties'].items()}
        if node['type'] == 'object':
            return {f'key{place}': self.longest(node['additionalProperties']) for place in range(node['maxProperties'])}
        if node['type'] == 'string':
            return 'x' * node.get('maxLength', 60)
        return {'integer': 10**15, 'number': 10.25**12, 'boolean': False, 'null': None}[node['type']]


@pytest.mark.parametrize('seed', range(0, 400, 20))
def test_all_values_are_bounded(seed: int) -> None:
    node = bounded(Types(seed).model().model_json_schema(), SMALL)
    assert len(json.dumps(Sampler(node).longest(node))) < 200_000


def test_what_refers_to_itself_is_bounded() -> None:
    node = bounded(Node.model_json_schema(), Bounds(items=2))
    value = Sampler(node).longest(node)
    assert Checker(Node.model_json_schema()).fits(value, Node.model_json_schema())
    assert len(json.dumps(value)) < 5000


@pytest.mark.parametrize(
    'schema',
    [
        {
            '$ref': '#/$defs/A',
            '$defs': {'A': {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/A'}}, 'required': ['a']}},
        },
        {'type': 'string', 'minLength': 5, 'maxLength': 4},
        {'type': 'integer', 'minimum': 3, 'maximum': 2},
        {'type': 'integer', 'exclusiveMinimum': 3, 'exclusiveMaximum': 4},
        {'allOf': [{'type': 'integer'}, {'type': 'string'}]},
        {'type': 'string', 'pattern': '^abc$', 'maxLength': 2},
        {'enum': ['a'], 'type': 'integer'},
        {'type': 'array', 'items': False, 'minItems': 1},
        {'type': 'object', 'properties': {'a': False}, 'required': ['a']},
        {'type': 'integer', 'multipleOf': 10, 'minimum': 1, 'maximum': 9},
    ],
    ids=['recursion', 'length', 'range', 'between', 'types', 'pattern', 'enum', 'items', 'property', 'multiple'],
)
def test_what_nothing_fits_is_an_error(schema: dict[str, Any]) -> None:
    with pytest.raises(UnsatisfiableSchema):
        bounded(schema, SMALL)


@pytest.mark.parametrize(
    ('schema', 'expected'),
    [
        ({'type': 'string'}, {'type': 'string', 'minLength': 0, 'maxLength': 10}),
        ({'type': 'string', 'minLength': 20}, {'type': 'string', 'minLength': 20, 'maxLength': 20}),
        ({'type': 'string', 'maxLength': 5000}, {'type': 'string', 'minLength': 0, 'maxLength': 10}),
        ({'type': ['string', 'null'], 'enum': ['a', None, 3]}, {'enum': ['a', None]}),
        ({'const': None}, {'enum': [None]}),
        ({'type': 'integer', 'multipleOf': 5, 'maximum': 12, 'minimum': -2}, {'enum': [0, 5, 10]}),
        ({'type': 'number', 'multipleOf': 0.1}, {'type': 'number', 'minimum': -(10**6), 'maximum': 10**6, 'places': 1}),
        ({'type': 'array', 'maxItems': 0}, {'type': 'array', 'minItems': 0, 'maxItems': 0, 'items': False}),
        ({'anyOf': [{'type': 'boolean'}, False]}, {'type': 'boolean'}),
        ({'allOf': [{'minimum': 1}, {'maximum': 3}], 'type': 'integer'}, {'type': 'integer', 'minimum': 1, 'maximum': 3, 'places': 0}),
        ({'$ref': '#/$defs/A', '$defs': {'A': {'type': 'null'}}}, {'$ref': '#/$defs/A.0', '$defs': {'A.0': {'type': 'null'}}}),
        ({'anyOf': [{'type': 'number'}, {'type': 'string'}]}, {'type': 'number', 'minimum': -(10**15), 'maximum': 10**15, 'places': 2}),  # Decimal
    ],
)  # fmt: skip
def test_a_schema_gets_the_bounds_it_lacks(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert bounded(schema, SMALL) == expected


def test_arrays_inside_of_arrays_are_shorter() -> None:
    node = bounded({'type': 'array', 'items': {'type': 'array', 'items': {'type': 'array'}}}, Bounds(items=8))
    assert (node['maxItems'], node['items']['maxItems'], node['items']['items']['maxItems']) == (8, 4, 2)


@pytest.mark.parametrize(
    'item',
    [
        {'enum': [1, 2, 3]},
        {'type': 'boolean'},
        {'type': 'integer'},
        {'type': 'integer', 'minimum': 4, 'maximum': 5},
        {'type': 'number', 'minimum': 0, 'maximum': 1},
        {'type': 'string'},
        {'type': 'string', 'minLength': 3, 'maxLength': 3},
        {'type': 'string', 'pattern': '^[a-z]{2}$'},
        {'type': 'string', 'pattern': r'^"\\?\d$'},
        {'type': 'string', 'format': 'date'},
        {'anyOf': [{'type': 'null'}, {'type': 'boolean'}]},
    ],
)
def test_items_that_must_differ_do(item: dict[str, Any]) -> None:
    node = bounded({'type': 'array', 'items': item, 'minItems': 2, 'maxItems': 2, 'uniqueItems': True}, SMALL)
    chance = random.Random(1)
    one, other = ({value_of(share, chance) for _ in range(50)} for share in node['prefixItems'])
    assert one
    assert not one & other
    assert all(Checker(item).fits(value, item) for value in one | other)


def value_of(node: dict[str, Any], chance: random.Random) -> Any:
    """Return a value of a bounded schema without parts."""
    from stead._kit.json_data.matching import matching

    if 'enum' in node:
        return chance.choice(node['enum'])
    if node['type'] == 'string':
        return next(iter(chance.sample(list(matching(f'^({node["pattern"]})$', attempts=30)), 1)))
    unit = 10 ** node['places']
    return chance.randint(int(node['minimum'] * unit), int(node['maximum'] * unit)) / unit


def test_keys_differ_as_well() -> None:
    key = {'pattern': '^[a-z]{2}$'}
    node = bounded({'type': 'object', 'propertyNames': key, 'additionalProperties': True, 'minProperties': 2}, SMALL)
    one, other = ({*share['enum']} for share in node['fixedNames'])
    assert one
    assert not one & other


@pytest.mark.parametrize(('low', 'high'), [(0, 0), (-3, 12), (7, 7), (95, 1207), (-1010, -99), (0, 10**6), (-1, 1)])
def test_integers_of_a_range(low: int, high: int) -> None:
    expression = re.compile(str(integers(low, high)))
    near = {low, high, low - 1, high + 1, low + 1, high - 1, 0, (low + high) // 2, 10 * high, -high, 1, 9, 99, 100}
    assert {number for number in near if expression.fullmatch(str(number))} == {n for n in near if low <= n <= high}


@pytest.mark.parametrize(
    ('low', 'high'), [('0', '1'), ('-2.75', '0.5'), ('0.001', '0.013'), ('3.1', '3.1'), ('-12.5', '-1.05')]
)
def test_decimals_of_a_range(low: str, high: str) -> None:
    one, other = Fraction(low), Fraction(high)
    expression = re.compile(str(decimals(one, other, 3)))
    chance = random.Random(1)
    texts = [low, high, *(f'{chance.uniform(float(one) - 1, float(other) + 1):.3f}' for _ in range(300))]
    texts = [f'{Fraction(text).numerator * 1000 // Fraction(text).denominator / 1000:.3f}' for text in texts]
    for text in texts:
        assert bool(expression.fullmatch(text)) == (one <= Fraction(text) <= other), text


def test_there_may_be_no_number() -> None:
    assert integers(3, 2) is None
    assert decimals(Fraction('0.01'), Fraction('0.09'), 1) is None


@pytest.mark.parametrize('name', sorted(FORMATS))
def test_texts_of_formats_are_in_them(name: str) -> None:
    from stead._kit.json_data.fits import in_format
    from stead._kit.json_data.matching import matching

    texts = [text for text, _ in zip(matching(f'^({FORMATS[name]})$', attempts=20), range(20))]
    assert texts
    if name not in (
        'ipv6network',
        'ipvanynetwork',
        'ipv4network',
    ):  # networks have no bits of hosts, which chance does not know
        assert [text for text in texts if not in_format(text, name)] == []


@pytest.mark.parametrize(
    ('pattern', 'expected'),
    [
        ('^ab?$', 'a(b){0,1}'),
        ('^[^"]$', "[ !#$%\\&'()*+,\\-.\\/0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ\\[\\]\\^_`abcdefghijklmnopqrstuvwxyz{|}\\~]"),
        (r'^\d{2,}$', '([0123456789]){2,7}'),
        (r'"\\', r'\\"\\\\'),
        ('^a|b$', '(a|b)'),
    ],
)  # fmt: skip
def test_a_pattern_gets_the_bounds_it_lacks(pattern: str, expected: str) -> None:
    assert bounded_pattern(pattern, 5).text == expected


@pytest.mark.parametrize('pattern', ['(?=a)b', r'(a)\1', 'a^b', r'\bword', '(', '(?i)a', '(?i:a)', '["\\\\]$'])
def test_patterns_that_are_unclear(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern):
        bounded_pattern(pattern, 5)


def test_grammars_say_the_same_in_both_languages() -> None:
    schema = {'type': 'object', 'properties': {'a "b"': {'type': 'boolean'}, 'c': {'const': 'é'}}, 'required': ['c']}
    node = bounded(schema, SMALL)
    lark, gbnf = (grammar_of(node, before=' ', language=language) for language in ('lark', 'gbnf'))
    assert [line.partition(' ')[2] for line in gbnf.splitlines()][1:] == [
        f'::= {line.partition(": ")[2]}' for line in lark.splitlines()[2:]
    ]


@pytest.mark.parametrize(
    ('expression', 'expected'),
    [
        ('ab[c-e]{2}f', '"ab" [c-e] {2} "f"'),
        ('a{3}', '"a" {3}'),
        (r'x\.(y|\"z)?', r'"x." ( "y" | "\"z" ) ?'),
        (r'[\-\]\x00]', r'[\x2d\x5d\x00]'),
    ],
)
def test_expressions_in_gbnf(expression: str, expected: str) -> None:
    assert as_gbnf(expression) == expected
