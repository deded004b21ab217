"""JSON schemas rewritten for providers; what they come to is compared in tests/parity, what is odd in them is tried here."""

from __future__ import annotations

from typing import Any

import pytest

from stead import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer, UserError
from stead._kit.json_schema import check_object_json_schema

STRING, NULL = {'type': 'string'}, {'type': 'null'}
LEAF = {'type': 'object', 'properties': {'x': STRING}, 'description': 'A leaf.'}
TREE = {'type': 'object', 'properties': {'left': {'$ref': '#/$defs/Tree'}, 'leaf': {'$ref': '#/$defs/Leaf'}}}


class Keep(JsonSchemaTransformer):
    def transform(self, schema: dict[str, Any]) -> dict[str, Any]:
        return schema


class Closed(JsonSchemaTransformer):
    def transform(self, schema: dict[str, Any]) -> dict[str, Any]:
        if schema.get('type') == 'object':
            schema['additionalProperties'] = False
        else:
            self.is_strict_compatible = False
        return schema


def objects(**properties: Any) -> dict[str, Any]:
    return {'type': 'object', 'properties': properties}


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    return InlineDefsJsonSchemaTransformer(schema).walk()


@pytest.mark.parametrize(
    'schema',
    [
        objects(a=True, b=False),
        {'type': 'object', 'additionalProperties': True, 'properties': None},
        {'type': 'array', 'items': True, 'prefixItems': [True]},
        {'type': 'array', 'items': [STRING]},
        {'anyOf': [True, NULL]},
        {'anyOf': [True]},
        {'anyOf': []},
        {'anyOf': 'nonsense'},
        {'$ref': 3},
        {'type': 3},
        {'type': ['object', 'null'], 'properties': {'a': True}},
    ],
)
@pytest.mark.parametrize('kind', [Keep, InlineDefsJsonSchemaTransformer])
def test_odd_schemas_stay_as_they_are(kind: Any, schema: dict[str, Any]):
    assert kind(schema, strict=True).walk() == schema


def test_every_schema_inside_is_transformed():
    schema = {
        **objects(
            a=LEAF,
            b={'type': 'array', 'items': LEAF, 'prefixItems': [LEAF]},
            c={'anyOf': [LEAF, LEAF]},
            d={'allOf': [LEAF]},
        ),
        'patternProperties': {'^x': LEAF},
    }
    walked = Closed(schema).walk()
    assert str(walked).count("'additionalProperties': False") == 8
    assert 'additionalProperties' not in str(schema)


def test_transformers_say_whether_a_schema_will_do():
    for schema, compatible in ((objects(), True), (objects(a=STRING), False)):
        transformer = Closed(schema)
        transformer.walk()
        assert transformer.is_strict_compatible is compatible


def test_references_are_replaced():
    schema = {**objects(a={'$ref': '#/$defs/Leaf'}, b={'allOf': [{'$ref': '#/$defs/Leaf'}]}), '$defs': {'Leaf': LEAF}}
    assert inlined(schema) == objects(a=LEAF, b={'allOf': [LEAF]})


def test_what_stands_beside_a_reference_is_kept():
    schema = {**objects(a={'$ref': '#/$defs/Leaf', 'description': 'of the field'}), '$defs': {'Leaf': LEAF}}
    assert inlined(schema) == objects(a={**LEAF, 'description': 'of the field'})


def test_recursive_definitions_stay():
    schema = {**objects(tree={'$ref': '#/$defs/Tree'}), 'title': 'Root', '$defs': {'Leaf': LEAF, 'Tree': TREE}}
    tree = objects(left={'$ref': '#/$defs/Tree'}, leaf=LEAF)
    assert inlined(schema) == {
        '$defs': {'Tree': tree, 'Root': {**objects(tree=tree), 'title': 'Root'}},
        '$ref': '#/$defs/Root',
    }


def test_a_recursive_root():
    schema = {'$ref': '#/$defs/Tree', '$defs': {'Leaf': LEAF, 'Tree': TREE}}
    assert inlined(schema) == {
        '$defs': {'Tree': objects(left={'$ref': '#/$defs/Tree'}, leaf=LEAF)},
        '$ref': '#/$defs/Tree',
    }


def test_a_root_that_has_the_title_of_a_definition():
    schema = {**objects(tree={'$ref': '#/$defs/Tree'}), 'title': 'Tree', '$defs': {'Leaf': LEAF, 'Tree': TREE}}
    walked = inlined(schema)
    assert walked['$ref'] == '#/$defs/Tree_'
    assert list(walked['$defs']['Tree_']['properties']) == ['tree']


def test_a_reference_to_nothing():
    with pytest.raises(UserError, match=r"refers to '#/\$defs/Nowhere', which is not among its definitions \['Leaf'\]"):
        inlined({**objects(a={'$ref': '#/$defs/Nowhere'}), '$defs': {'Leaf': LEAF}})


@pytest.mark.parametrize('members', [[STRING, NULL], [NULL, STRING]])
def test_unions_with_null(members: Any):
    schema = objects(a={'anyOf': members, 'default': None})
    walked = Keep(schema, simplify_nullable_unions=True).walk()
    assert walked == objects(a={'type': 'string', 'nullable': True, 'default': None})
    assert Keep(schema).walk() == schema


@pytest.mark.parametrize(
    ('schema', 'checked'),
    [
        (LEAF, LEAF),
        ({'$ref': '#/$defs/Leaf', '$defs': {'Leaf': LEAF}}, LEAF),
        ({'$ref': '#/$defs/Leaf', '$defs': {'Leaf': LEAF, 'Other': STRING}}, {**LEAF, '$defs': {'Other': STRING}}),
        ({'$ref': '#/$defs/Tree', '$defs': {'Tree': TREE}}, {'$ref': '#/$defs/Tree', '$defs': {'Tree': TREE}}),
    ],
)
def test_schemas_of_objects(schema: Any, checked: Any):
    assert check_object_json_schema(schema) == checked


@pytest.mark.parametrize('schema', [STRING, {}, {'anyOf': [LEAF, LEAF]}])
def test_schemas_of_other_things_are_refused(schema: Any):
    with pytest.raises(UserError, match='The JSON schema must be that of an object'):
        check_object_json_schema(schema)
