"""`StructuredDict`: references, recursion, what is validated, and answers in every mode."""

import copy

from _common import attempt, fact
from _output import NATIVE, PROMPTED, show, understood
from pydantic_ai import NativeOutput, PromptedOutput, StructuredDict, ToolOutput

POINT = {'type': 'object', 'properties': {'x': {'type': 'integer'}, 'y': {'type': 'integer'}}, 'required': ['x', 'y']}
SCHEMAS = {
    'plain': POINT,
    'titled': {**POINT, 'title': 'Point', 'description': 'A point.'},
    'of references': {
        'type': 'object',
        'properties': {'from': {'$ref': '#/$defs/Point'}, 'to': {'$ref': '#/$defs/Point'}},
        '$defs': {'Point': POINT},
    },
    'closed': {**POINT, 'additionalProperties': False},
    'no type': {'properties': {'a': {}}},
    'array': {'type': 'array', 'items': {'type': 'integer'}},
    'empty': {},
    'recursive': {
        'type': 'object',
        'properties': {'kids': {'type': 'array', 'items': {'$ref': '#/$defs/Node'}}},
        '$defs': {
            'Node': {'type': 'object', 'properties': {'kids': {'type': 'array', 'items': {'$ref': '#/$defs/Node'}}}}
        },
    },
}
for name, schema in SCHEMAS.items():
    for options in ({}, {'name': 'Mine'}, {'description': 'Said so.'}, {'name': 'Mine', 'description': 'Said so.'}):
        structured = attempt(lambda: StructuredDict(copy.deepcopy(schema), **options))
        if isinstance(structured, str):
            fact(f'{name} {options}', structured)
            continue
        fact(f'{name} {options}', [structured.__name__, issubclass(structured, dict)])
        show(f'{name} {sorted(options)}', structured)
    if not isinstance(attempt(lambda: StructuredDict(copy.deepcopy(schema))), str):
        form = StructuredDict(copy.deepcopy(schema))
        show(f'{name}, native', NativeOutput(form), NATIVE)
        show(
            f'{name}, native beside another',
            NativeOutput([form, StructuredDict(copy.deepcopy(POINT), name='Other')]),
            NATIVE,
        )
        show(f'{name}, prompted', PromptedOutput(form), PROMPTED)
        show(f'{name}, tool', ToolOutput(form, name='t', strict=True))
form = StructuredDict(copy.deepcopy(POINT), name='Point')
ANSWERS = (
    '{"x": 1, "y": 2}',
    '{"x": 1}',
    '{"x": "one", "y": 2, "z": []}',
    '{}',
    '[1]',
    '1',
    'null',
    '"x"',
    'x',
    '{"x": ',
)
for text in ANSWERS:
    fact(f'tool {text}', understood(form, ('final_result', text)))
    fact(f'native {text}', understood(NativeOutput(form), text, NATIVE))
    fact(f'prompted {text}', understood(PromptedOutput(form), text, PROMPTED))
    fact(f'list {text}', understood(list[form], ('final_result', f'{{"response": [{text}]}}')))
