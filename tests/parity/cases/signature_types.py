"""JSON schemas of every kind as Python annotations: scalars, arrays, dicts, unions, enums, defaults, required or not."""

import json

from pydantic_ai.function_signature import FunctionSignature

STRING, INTEGER, NULL = {'type': 'string'}, {'type': 'integer'}, {'type': 'null'}
SCHEMAS = {
    'nothing': {},
    'string': STRING,
    'integer': INTEGER,
    'number': {'type': 'number'},
    'boolean': {'type': 'boolean'},
    'null': NULL,
    'unknown type': {'type': 'weird'},
    'array': {'type': 'array'},
    'array of': {'type': 'array', 'items': INTEGER},
    'array of arrays': {'type': 'array', 'items': {'type': 'array', 'items': STRING}},
    'array of anything': {'type': 'array', 'items': {}},
    'array or null inside': {'type': 'array', 'items': {'anyOf': [STRING, NULL]}},
    'unique': {'type': 'array', 'items': INTEGER, 'uniqueItems': True},
    'tuple': {'type': 'array', 'items': [STRING, INTEGER]},
    'prefix items': {'type': 'array', 'prefixItems': [STRING, INTEGER], 'minItems': 2, 'maxItems': 2},
    'prefix and items': {'type': 'array', 'prefixItems': [STRING], 'items': INTEGER},
    'object': {'type': 'object'},
    'open object': {'type': 'object', 'additionalProperties': True},
    'closed object': {'type': 'object', 'additionalProperties': False},
    'dict of': {'type': 'object', 'additionalProperties': INTEGER},
    'dict of lists': {'type': 'object', 'additionalProperties': {'type': 'array', 'items': STRING}},
    'dict without type': {'additionalProperties': INTEGER},
    'any of': {'anyOf': [STRING, INTEGER]},
    'any of one': {'anyOf': [STRING]},
    'any of the same': {'anyOf': [STRING, {'type': 'string', 'minLength': 1}]},
    'null first': {'anyOf': [NULL, STRING]},
    'null twice': {'anyOf': [NULL, NULL]},
    'nested unions': {'anyOf': [{'anyOf': [STRING, NULL]}, NULL, INTEGER]},
    'one of': {'oneOf': [STRING, NULL]},
    'any of and type': {'anyOf': [INTEGER], 'type': 'string'},
    'any of and one of': {'anyOf': [STRING], 'oneOf': [INTEGER]},
    'anything or null': {'anyOf': [{}, NULL]},
    'all of one': {'allOf': [STRING]},
    'all of two': {'allOf': [STRING, {'minLength': 1}]},
    'not': {'not': STRING},
    'type list': {'type': ['string', 'null']},
    'long type list': {'type': ['null', 'string', 'integer']},
    'type list of one': {'type': ['string']},
    'type list with array': {'type': ['array', 'null'], 'items': INTEGER},
    'no types': {'type': []},
    'enum': {'enum': ['x', 'y']},
    'typed enum': {'type': 'string', 'enum': ['one']},
    'mixed enum': {'enum': [1, 'a', None, True, 1.5]},
    'quoted enum': {'enum': ["it's", 'a"b', 'n\nl']},
    'const': {'const': 'k'},
    'const null': {'const': None},
    'const and enum': {'const': 1, 'enum': [1, 2]},
    'enum and any of': {'enum': ['a'], 'anyOf': [STRING]},
    'literals': {'anyOf': [{'enum': ['a']}, {'const': 'b'}]},
    'default': {'type': 'string', 'default': "it's\n"},
    'default none': {'type': 'string', 'default': None},
    'default number': {'type': 'number', 'default': 1.0},
    'default list': {'type': 'array', 'items': STRING, 'default': ['q', {'a': None, 'b': True}]},
    'default alone': {'default': 0},
    'default enum': {'type': 'string', 'enum': ['a', 'b'], 'default': 'a'},
}
for label, schema in SCHEMAS.items():
    for required in ([], ['arg']):
        parameters = {'type': 'object', 'properties': {'arg': schema}, 'required': required}
        signature = FunctionSignature.from_schema(name='f', parameters_schema=parameters, return_schema=schema)
        param = signature.params['arg']
        print(json.dumps([label, signature.render('...'), str(param), param.default, str(signature.return_type)]))

for parameters in (
    {},
    {'type': 'object'},
    {'type': 'object', 'additionalProperties': INTEGER},
    {
        'type': 'object',
        'properties': {'opt': STRING, 'req': STRING, 'dflt': {'default': 4}, 'late': INTEGER},
        'required': ['req', 'late'],
    },
    {'type': 'object', 'properties': {'dflt': {'default': 4}, 'b': STRING}, 'required': ['dflt', 'b', 'gone']},
    {'type': 'object', 'properties': {'class': STRING, 'my-arg': STRING, 'é': STRING, 'self': STRING}, 'required': []},
):
    signature = FunctionSignature.from_schema(name='my-tool', parameters_schema=parameters)
    print(json.dumps([signature.render('pass'), list(signature.params), repr(signature)]))
