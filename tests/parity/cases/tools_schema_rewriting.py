"""JSON schemas rewritten for providers: references inlined, nullable unions.

Schemas inside `allOf` are rewritten only here, and what stands beside a reference is kept only here.
"""

import json

from _tools import show
from pydantic import BaseModel
from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer


class Leaf(BaseModel):
    """A leaf."""

    x: int
    y: str | None = None


class Tree(BaseModel):
    """A tree."""

    value: int
    left: 'Tree | None' = None
    leaf: Leaf | None = None


class Outer(BaseModel):
    leaf: Leaf
    again: list[Leaf] = []
    pair: tuple[Leaf, int] = (Leaf(x=1), 2)
    by_name: dict[str, Leaf] = {}
    either: Leaf | Tree = Leaf(x=1)


class OnlyTree(BaseModel):
    tree: Tree


class A(BaseModel):
    b: 'B | None' = None


class B(BaseModel):
    a: A | None = None


A.model_rebuild()
STRING, NUMBER, NULL = {'type': 'string'}, {'type': 'number'}, {'type': 'null'}
SCHEMAS = {
    'leaf': Leaf.model_json_schema(),
    'tree': Tree.model_json_schema(),
    'outer': Outer.model_json_schema(),
    'only tree': OnlyTree.model_json_schema(),
    'mutual': A.model_json_schema(),
    'empty': {},
    'plain': {'type': 'object', 'properties': {'a': STRING}, 'required': ['a'], 'additionalProperties': False},
    'more': {'type': 'object', 'additionalProperties': {'$ref': '#/$defs/L'}, '$defs': {'L': STRING}},
    'patterns': {'type': 'object', 'patternProperties': {'^a': {'$ref': '#/$defs/L'}}, '$defs': {'L': STRING}},
    'prefix': {
        'type': 'array',
        'prefixItems': [{'$ref': '#/$defs/L'}, NUMBER],
        'items': {'$ref': '#/$defs/L'},
        '$defs': {'L': STRING},
    },
    'unused': {'type': 'object', 'properties': {}, '$defs': {'L': STRING}},
    'chain': {
        'type': 'object',
        'properties': {'a': {'$ref': '#/$defs/L'}},
        '$defs': {'L': {'$ref': '#/$defs/M'}, 'M': STRING},
    },
    'any of': {'anyOf': [STRING, NULL]},
    'any of null first': {'anyOf': [NULL, STRING], 'default': None, 'title': 't'},
    'any of three': {'anyOf': [STRING, NUMBER, NULL]},
    'any of one': {'anyOf': [STRING], 'description': 'd'},
    'one of': {'oneOf': [STRING, NULL]},
    'any of ref': {
        'anyOf': [{'$ref': '#/$defs/L'}, NULL],
        '$defs': {'L': {'type': 'object', 'properties': {'x': STRING}}},
    },
    'any of true': {'anyOf': [True, NULL]},
    'any of one true': {'anyOf': [True]},
    'any of nothing': {'anyOf': []},
    'any of described': {'anyOf': [{'type': 'string', 'description': 'inner'}], 'description': 'outer'},
    'nullable described': {'anyOf': [{'type': 'string', 'description': 'inner'}, NULL], 'description': 'outer'},
    'both unions': {'anyOf': [STRING, NUMBER], 'oneOf': [STRING, NULL]},
    'any of same': {'anyOf': [STRING, STRING]},
    'not': {'not': STRING},
    'true': {'type': 'object', 'properties': {'a': True}},
}


class Keep(JsonSchemaTransformer):
    def transform(self, schema):
        return schema


class Mark(JsonSchemaTransformer):
    def transform(self, schema):
        schema['seen'] = len(schema)
        return schema


OPTIONS = {
    'keep': (Keep, {}),
    'inline': (Keep, {'prefer_inlined_defs': True}),
    'nullable': (Keep, {'simplify_nullable_unions': True}),
    'both': (Keep, {'prefer_inlined_defs': True, 'simplify_nullable_unions': True}),
    'mark': (Mark, {}),
    'strict': (Mark, {'strict': True}),
    'ready': (InlineDefsJsonSchemaTransformer, {}),
}
for label, schema in SCHEMAS.items():
    for option, (kind, options) in OPTIONS.items():
        before = json.dumps(schema)
        try:
            transformer = kind(schema, **options)
            show(f'{label} {option}', transformer.walk())
            if not transformer.is_strict_compatible or transformer.strict is not None:
                print('   ', transformer.is_strict_compatible, transformer.strict)
        except Exception as error:
            show(f'{label} {option}', f'! {type(error).__name__}')
        assert json.dumps(schema) == before
for schema in (
    {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/Nowhere'}}},
    {'type': 'object', 'properties': {'a': {'$ref': '#'}}},
):
    for kind in (Keep, InlineDefsJsonSchemaTransformer):
        try:
            show(kind.__name__, kind(schema).walk())
        except Exception:
            show(kind.__name__, '! refused')
