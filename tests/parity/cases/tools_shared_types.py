"""Types that several function signatures have in common: equal ones become one object, which all of them refer to."""

from _common import fact
from pydantic import BaseModel, TypeAdapter
from pydantic_ai.function_signature import FunctionSignature, TypeSignature


class P(BaseModel):
    a: int


class Q(BaseModel):
    p: P


def parameters(kind, **more):
    schema = TypeAdapter(kind).json_schema()
    definitions = {**schema.pop('$defs', {}), kind.__name__: {**schema, **more}}
    return {
        'type': 'object',
        'properties': {'x': {'$ref': f'#/$defs/{kind.__name__}'}},
        'required': ['x'],
        '$defs': definitions,
    }


def signature(name, schema):
    return FunctionSignature.from_schema(name=name, parameters_schema=schema)


LISTS = {
    'type': 'object',
    'properties': {
        'x': {'type': 'array', 'items': {'$ref': '#/$defs/P'}},
        'y': {'anyOf': [{'$ref': '#/$defs/P'}, {'type': 'null'}]},
    },
    '$defs': {'P': P.model_json_schema()},
}
CASES = {
    'same': [parameters(P), parameters(P)],
    'nested': [parameters(Q), parameters(P), parameters(Q)],
    'other description': [parameters(P), parameters(P, description='Other.')],
    'inside': [LISTS, LISTS],
    'one of a kind': [parameters(P), {'type': 'object', 'properties': {}}],
}


def place(kind, types):
    same = [index for index, other in enumerate(types) if other is kind]
    return f'{kind}#{same}' if isinstance(kind, TypeSignature) else str(kind)


for name, schemas in CASES.items():
    signatures = [signature(f'tool_{index}', schema) for index, schema in enumerate(schemas)]
    conflicting = FunctionSignature.get_conflicting_type_names(signatures)
    types = FunctionSignature.collect_unique_referenced_types(signatures)
    fact(name, [sorted(conflicting), [kind.name for kind in types], [kind.description for kind in types]])
    fact('  referenced', [[place(kind, types) for kind in item.referenced_types] for item in signatures])
    fact('  parameters', [[place(param.type, types) for param in item.params.values()] for item in signatures])
    fact('  fields', [[place(field.type, types) for field in kind.fields.values()] for kind in types])
    fact('  definitions', FunctionSignature.render_type_definitions(signatures, conflicting))
    fact('  functions', [item.render('...', conflicting_type_names=conflicting) for item in signatures])
