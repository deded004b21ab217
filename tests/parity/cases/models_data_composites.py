"""The data that `TestModel` makes for objects, arrays, unions and references of JSON schemas."""

from _models import attempt, tool
from pydantic_ai.models.test import TestModel

STR, INT = {'type': 'string'}, {'type': 'integer'}


def obj(required=(), **properties):
    return {'type': 'object', 'properties': properties, 'required': list(required)}


SCHEMAS = {
    'object': obj(['a', 'b'], a=STR, b=INT),
    'optional left out': obj(['a'], a=STR, b=INT),
    'optional with default': obj([], a={'type': 'string', 'default': 'x'}),
    'none required': obj([], a=STR),
    'order': obj(['b', 'a'], a=STR, b=INT),
    'no properties': {'type': 'object'},
    'additional': {'type': 'object', 'additionalProperties': True},
    'additional typed': {'type': 'object', 'additionalProperties': INT},
    'additional closed': {'type': 'object', 'additionalProperties': False},
    'additional beside': {**obj(['a'], a=STR), 'additionalProperties': obj(['x'], x=INT)},
    'pattern properties': {'type': 'object', 'patternProperties': {'^x': INT}},
    'nested': obj(['a'], a=obj(['b'], b=obj(['c'], c=STR))),
    'array': {'type': 'array'},
    'array items': {'type': 'array', 'items': STR},
    'array empty items': {'type': 'array', 'items': {}},
    'array none': {'type': 'array', 'items': STR, 'maxItems': 0},
    'array of three': {'type': 'array', 'items': STR, 'minItems': 3},
    'array of none or more': {'type': 'array', 'items': STR, 'minItems': 0},
    'array bounded': {'type': 'array', 'items': INT, 'minItems': 2, 'maxItems': 3},
    'set': {'type': 'array', 'items': INT, 'uniqueItems': True},
    'set of three': {'type': 'array', 'items': INT, 'uniqueItems': True, 'minItems': 3},
    'set of texts': {'type': 'array', 'items': STR, 'uniqueItems': True, 'minItems': 3},
    'array of arrays': {'type': 'array', 'items': {'type': 'array', 'items': INT}},
    'array of objects': {'type': 'array', 'items': obj(['a'], a=INT), 'minItems': 2},
    'tuple': {'type': 'array', 'prefixItems': [STR, INT], 'minItems': 2, 'maxItems': 2},
    'tuple open': {'type': 'array', 'prefixItems': [STR, INT]},
    'tuple and items': {'type': 'array', 'prefixItems': [STR], 'items': INT},
    'tuple and more items': {'type': 'array', 'prefixItems': [STR], 'items': INT, 'minItems': 3},
    'tuple set': {'type': 'array', 'prefixItems': [INT, INT], 'uniqueItems': True},
    'any of': {'anyOf': [STR, INT, {'type': 'null'}]},
    'any of with null first': {'anyOf': [{'type': 'null'}, INT]},
    'any of one': {'anyOf': [INT]},
    'any of in object': obj(['a', 'b'], a={'anyOf': [INT, {'type': 'null'}]}, b={'anyOf': [STR, INT]}),
    'ref': {**obj(['a'], a={'$ref': '#/$defs/X'}), '$defs': {'X': obj(['n'], n=INT)}},
    'ref at the root': {'$ref': '#/$defs/X', '$defs': {'X': obj(['n'], n=INT)}},
    'ref in array': {
        **obj(['a'], a={'type': 'array', 'items': {'$ref': '#/$defs/X'}}),
        '$defs': {'X': obj(['n'], n=INT)},
    },
    'ref to enum': {**obj(['a'], a={'$ref': '#/$defs/E'}), '$defs': {'E': {'enum': ['x', 'y', 'z'], 'type': 'string'}}},
    'const in object': obj(['a'], a={'const': 'lit'}),
    'seed after array': obj(['a', 'b'], a={'type': 'array', 'items': INT, 'uniqueItems': True, 'minItems': 2}, b=INT),
    'seed after tuple': obj(['a', 'b'], a={'type': 'array', 'prefixItems': [INT, INT]}, b=INT),
    'empty object': {'type': 'object', 'properties': {}},
    'enum in array': {'type': 'array', 'items': {'enum': [1, 2, 3]}, 'minItems': 2},
    'any of objects': {'anyOf': [obj(['a'], a=INT), obj(['b'], b=STR)]},
    'recursive option': {
        '$ref': '#/$defs/N',
        '$defs': {'N': obj(['v'], v=INT, next={'anyOf': [{'$ref': '#/$defs/N'}, {'type': 'null'}]})},
    },
    'recursive list': {
        '$ref': '#/$defs/N',
        '$defs': {'N': obj(['v'], v=INT, kids={'type': 'array', 'items': {'$ref': '#/$defs/N'}})},
    },
}
for seed in (0, 1, 2, 3, 7, 100):
    model = TestModel(seed=seed)
    for name, schema in SCHEMAS.items():
        attempt(f'{seed} {name}', model.gen_tool_args, tool(schema=schema))
