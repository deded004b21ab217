"""Texts that are nearly JSON: read where there is one way to read them, and refused otherwise."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest

from stead._kit.nearly_json import nearly_json, without_end

READ: dict[str, tuple[Any, tuple[str, ...]]] = {
    '{"a": 1,}': ({'a': 1}, ('trailing comma',)),
    '{"a": [1, 2, ], "b": {"c": 1,},}': ({'a': [1, 2], 'b': {'c': 1}}, ('trailing comma',)),
    "{'a': 'b'}": ({'a': 'b'}, ('single quotes',)),
    "{'a': 'say \"x\"', \"b\": 'it\\'s'}": ({'a': 'say "x"', 'b': "it's"}, ('single quotes',)),
    "{'a': True, 'b': None}": ({'a': True, 'b': None}, ('single quotes', 'names of Python')),
    '```json\n{"a": 1}\n```': ({'a': 1}, ('code fence',)),
    '```\n{"a": 1,}\n```\n': ({'a': 1}, ('code fence', 'trailing comma')),
    '{"a": "two\nlines\tand a tab"}': ({'a': 'two\nlines\tand a tab'}, ('control characters',)),
    '{"a": False}': ({'a': False}, ('names of Python',)),
    "{'a': '```x```, {}'}": ({'a': '```x```, {}'}, ('single quotes',)),
    '```json\n{"a": 1,}': ({'a': 1}, ('text around it', 'trailing comma')),
    '{a: 1}': ({'a': 1}, ('keys without quotes',)),
    '{"a": 1} and so on': ({'a': 1}, ('text around it',)),
    'Here it is: {"a": 1,}': ({'a': 1}, ('text around it', 'trailing comma')),
    '{"a": .5, "b": +1, "c": NULL}': ({'a': 0.5, 'b': 1, 'c': None}, ('numbers', 'capital letters')),
    '/* a */ {"a": `1`}\ufeff': ({'a': '1'}, ('comments', 'backquotes', 'other spaces')),
    '"{\\"a\\": 1}"': ({'a': 1}, ('object in a text',)),
}
REFUSED = (
    '{"a": 1',
    '{"a": 1,',
    '{"a": "b',
    "{'a': 'it's'}",
    '{"a": b}',
    '{"a": 1}}',
    'Here it is: {"a": 1} or {"a": 2}',
    '{"a": 1,,}',
    '{,}',
    '{"a":,}',
    '[1,]',
    "'a'",
    '{"a": 01,}',
    '{"a": 1_000}',
    '{"a": Trueish}',
    "{'a': '\\x41'}",
    '{"a": 1 "b": 2}',
    '',
    'not json',
    '{"a": 1} {"b": 2}',
    "{'a': ('b',)}",
)


@pytest.mark.parametrize('text', READ)
def test_what_can_be_read_in_one_way(text: str) -> None:
    value, changes = READ[text]
    found = nearly_json(text)
    assert found is not None and (json.loads(found[0]), found[1]) == (value, changes)


@pytest.mark.parametrize('text', REFUSED)
def test_what_would_be_a_guess(text: str) -> None:
    assert nearly_json(text) is None


TEXTS = (
    '',
    'a',
    "it's",
    'say "x"',
    'a,]}',
    "'",
    '"',
    '\\',
    'é\u2028',
    'two\nlines',
    '```',
    'None',
    'True,}',
    ': {',
    "\\'",
)


def any_value(draw: random.Random, depth: int = 0) -> Any:
    kind = draw.randrange(4 if depth > 3 else 6)
    if kind == 4:
        return [any_value(draw, depth + 1) for _ in range(draw.randrange(4))]
    if kind == 5:
        return {draw.choice(TEXTS): any_value(draw, depth + 1) for _ in range(draw.randrange(4))}
    return (draw.choice(TEXTS), draw.choice((None, True, False)), draw.randrange(-9, 999), draw.random() * 1e9)[kind]


def any_object(seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    return {draw.choice(TEXTS): any_value(draw) for _ in range(draw.randrange(1, 5))}


def test_json_is_never_changed() -> None:
    for seed in range(50_000 if os.environ.get('STEAD_TRUST_FULL') == '1' else 2_000):  # two texts of each
        value = any_object(seed)
        for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
            assert nearly_json(text) is None, text


SCHEMA = {
    'properties': {'a': {'type': 'string'}, 'b': {'$ref': '#/$defs/B'}},
    '$defs': {
        'B': {'properties': {'c': {'type': 'string'}}, 'additionalProperties': False},
        'Open': {'additionalProperties': True},
    },
}


@pytest.mark.parametrize('end', ['', '}', ' }', '\n'])
def test_closing_brackets_are_added_where_the_schema_has_no_more_properties(end: str) -> None:
    whole = '{"a": "x", "b": {"c": "y"' + end
    found = without_end(whole, SCHEMA)
    assert found is not None
    assert (json.loads(found[0]), found[1]) == ({'a': 'x', 'b': {'c': 'y'}}, ('closing brackets',))
    for length in range(len(whole.rstrip('} \n'))):
        assert without_end(whole[:length], SCHEMA) is None, whole[:length]


@pytest.mark.parametrize(
    'schema',
    [
        {},
        {'properties': {'a': {}}},
        {'properties': {'a': {}, 'b': {}}},
        {**SCHEMA, 'additionalProperties': True},
        {**SCHEMA, '$defs': {}},
        {**SCHEMA, '$defs': {'B': {'$ref': '#/$defs/B'}}},
        {**SCHEMA, 'anyOf': [{}]},
    ],
    ids=str,
)
def test_a_schema_that_has_more_properties_or_says_nothing_proves_nothing(schema: dict[str, Any]) -> None:
    assert without_end('{"a": "x", "b": {"c": "y"', schema) is None


@pytest.mark.parametrize('text', ['{"b": {"c": "y"}, "a": "x", "b": {"c": "y"', '{"a": "x", "b": {"c": "y", "c": "y"'])
def test_a_key_that_is_there_twice_proves_nothing(text: str) -> None:
    assert without_end(text, SCHEMA) is None


def defects(value: Any) -> list[str]:
    plain = json.dumps(value, indent=1)
    return [
        repr(value),
        f'```json\n{plain}\n```',
        f'```\n{plain}\n```',
        f'{plain[:-1]},}}',
        json.dumps(value).replace('\\n', '\n'),
    ]


def test_what_models_write_is_read_as_it_was_meant() -> None:
    """Python's form of the object, a fence, a comma too many, and line breaks in texts."""
    for seed in range(400):
        value = any_object(seed)
        for text in defects(value):
            found = nearly_json(text)
            if (
                found is None
            ):  # it is JSON already, or refused: Python writes the backslash of a character as JSON does not
                assert is_json(text) or '\\x' in text or '\\u' in text, text
            else:
                assert json.loads(found[0]) == value, text


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize('text', ['```json\n' + ' ' * 10**6, '```' + ' ' * 10**6, '```json\n[]```' + ' ' * 10**6 + 'x'])
def test_long_texts_are_looked_at_once(text: str) -> None:
    """With a pattern that begins again at each space, this would take an hour."""
    assert nearly_json(text) is None
