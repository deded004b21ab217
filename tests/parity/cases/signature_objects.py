"""Objects in tool schemas as TypedDicts: inline and referred to, nested, recursive, and how each is named."""

import json

from pydantic_ai.function_signature import FunctionSignature


def obj(properties, required=(), **more):
    return {'type': 'object', 'properties': properties, 'required': list(required), **more}


def ref(name):
    return {'$ref': f'#/$defs/{name}'}


INT, ANY = {'type': 'integer'}, {}
PERSON = obj(
    {
        'name': {'type': 'string', 'description': 'The name'},
        'age': {'type': 'integer', 'default': 3, 'description': 'Age\nin years'},
        'tags': {'type': 'array', 'items': {'type': 'string'}, 'description': '  padded  '},
    },
    ['name'],
    title='Somebody',
    description='A person.\n Or not.',
)
NODE = obj(
    {'value': INT, 'kids': {'type': 'array', 'items': ref('Node')}, 'up': {'anyOf': [ref('Node'), {'type': 'null'}]}},
    ['value'],
)
CASES = {
    'ref': (
        obj(
            {'p': ref('Person'), 'l': {'type': 'array', 'items': ref('Person')}}, ['p'], **{'$defs': {'Person': PERSON}}
        ),
        {**ref('Person'), '$defs': {'Person': PERSON}},
    ),
    'ref or null': (
        obj({'p': {'anyOf': [ref('Person'), {'type': 'null'}], 'default': None}}, **{'$defs': {'Person': PERSON}}),
        None,
    ),
    'ref with default': (
        obj(
            {'p': {**ref('P'), 'default': {'x': 1}}, 'q': {'allOf': [ref('P')], 'default': None}},
            **{'$defs': {'P': obj({'x': INT})}},
        ),
        None,
    ),
    'recursive': (obj({'n': ref('Node')}, ['n'], **{'$defs': {'Node': NODE}}), ref('Node')),
    'root is a ref': ({**ref('Node'), '$defs': {'Node': NODE}}, None),
    'mutual': (
        obj(
            {'a': ref('A')},
            **{'$defs': {'A': obj({'b': ref('B')}), 'B': obj({'a': ref('A'), 'c': ref('C')}), 'C': obj({'x': ANY})}},
        ),
        None,
    ),
    'unused': (obj({}, **{'$defs': {'P': obj({'x': INT})}}), None),
    'not objects': (
        obj(
            {'c': ref('Color'), 's': ref('Text'), 'd': ref('Dict'), 'e': ref('Empty')},
            ['c', 's'],
            **{
                '$defs': {
                    'Color': {'enum': ['red']},
                    'Text': {'type': 'string'},
                    'Dict': {'type': 'object', 'additionalProperties': INT},
                    'Empty': obj({}),
                }
            },
        ),
        None,
    ),
    'missing': (obj({'c': ref('Nowhere'), 'd': {'$ref': '#/definitions/X'}}, ['c']), ref('Nowhere')),
    'inline': (
        obj({'addr': obj({'street': ANY, 'geo': obj({'lat': INT}, ['lat'])}, ['geo'])}, ['addr']),
        obj({'ok': INT, 'in_ner': obj({'k': ANY})}),
    ),
    'inline in containers': (
        obj(
            {
                'l': {'type': 'array', 'items': {'type': 'array', 'items': obj({'q': obj({'z': ANY})})}},
                'd': {'type': 'object', 'additionalProperties': {'type': 'array', 'items': obj({'q': ANY})}},
                't': {'type': 'array', 'items': [obj({'x': ANY}), {'type': 'array', 'items': obj({'y': ANY})}]},
                'u': {'anyOf': [obj({'a': ANY}), {'type': 'array', 'items': obj({'b': ANY})}, {'type': 'null'}]},
            }
        ),
        {'type': 'array', 'items': obj({'x': obj({'y': ANY})})},
    ),
    'inline titles': (
        obj(
            {
                'a': obj({'x': ANY, 'n': obj({'k': ANY})}, title='Titled'),
                'b': obj({'x': ANY}, title='two words'),
                'c': obj({'x': ANY}, title='1st'),
                'd': obj({'x': ANY}, title=''),
            }
        ),
        obj({'x': ANY}, title='Result'),
    ),
    'path names': (
        obj(
            {
                'e_0': obj({'x': ANY}),
                'a__b': obj({'x': ANY}),
                'HTTPServer': obj({'x': ANY}),
                'camelCase': obj({'DEEP_thing': obj({'x': ANY})}),
                '9z': obj({'x': ANY}),
                'x-y z.w': obj({'x': ANY}),
            }
        ),
        None,
    ),
    'inline in a definition': (
        obj(
            {'a': ref('my_def')},
            ['a'],
            **{'$defs': {'my_def': obj({'addr': obj({'s': {'type': 'array', 'items': obj({'k': ANY})}})})}},
        ),
        None,
    ),
    'same title': (obj({'a': obj({'x': ANY}, title='T'), 'b': obj({'x': ANY}, title='T')}), obj({'x': ANY}, title='T')),
    'kinds of objects': (
        obj(
            {
                'd': {'type': 'object', 'additionalProperties': obj({'zz': ANY})},
                'e': obj({}),
                'f': {'type': ['object', 'null'], 'properties': {'x': ANY}},
                'g': {'properties': {'x': ANY}},
            }
        ),
        {'anyOf': [obj({'x': ANY}), {'type': 'null'}]},
    ),
}
for label, (parameters, returns) in CASES.items():
    for name in ('my_tool', 'other-tool'):
        signature = FunctionSignature.from_schema(name=name, parameters_schema=parameters, return_schema=returns)
        print(json.dumps([label, name, signature.render('...')]))
        for text in FunctionSignature.render_type_definitions([signature], frozenset()):
            print(json.dumps(text))
        print(json.dumps([referenced.name for referenced in signature.referenced_types]))
