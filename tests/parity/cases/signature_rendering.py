"""Signatures written out: docstrings, names, async, several tools together, names that conflict, and the records."""

import json

from pydantic import TypeAdapter
from pydantic_ai.function_signature import (
    FunctionParam,
    FunctionSignature,
    GenericTypeExpr,
    LiteralTypeExpr,
    SimpleTypeExpr,
    TypeFieldSignature,
    TypeSignature,
    UnionTypeExpr,
)
from pydantic_ai.tools import ToolDefinition


def show(*facts):
    print(json.dumps(facts))


plain = FunctionSignature.from_schema(name='f', parameters_schema={})
for text in ('One line.', 'Two\nlines', 'a\n  b\n\nc', ' padded ', '\n x\n y\n', '  ', '', 'a\n   \nb', "it's \\n"):
    show(plain.render('...', description=text))
for body in ('pass', 'a\nb', '', '  indented'):
    show(plain.render(body))
INT = SimpleTypeExpr('int')
multiline = FunctionSignature(
    name='made',
    description='Own.',
    params={'b': FunctionParam(name='b', type=INT, default='1'), 'a': FunctionParam(name='a', type=INT)},
    return_type=INT,
    is_async=True,
)
show(multiline.render('...'), multiline.render('...', is_async=False, name='other', description=''), repr(multiline))

X = TypeSignature(name='X', fields={'a': TypeFieldSignature(name='a', type=INT, required=True)})
OPTIONAL = TypeSignature(name='X', fields={'a': TypeFieldSignature(name='a', type=INT)})
DESCRIBED = TypeSignature(
    name='Y', description='d', fields={'a': TypeFieldSignature(name='a', type=INT, required=True, description='q')}
)
show([X.structurally_equal(other) for other in (X, OPTIONAL, DESCRIBED)], X == OPTIONAL, X.display_name, str(X))
HOLDER = TypeSignature(
    name='H', description='h', fields={'x': TypeFieldSignature(name='x', type=GenericTypeExpr('list', [X]))}
)
for options in (
    {},
    {'owner_name': 't'},
    {'owner_name': 't', 'conflicting_type_names': frozenset({'X'})},
    {'conflicting_type_names': frozenset({'X'})},
):
    show(X.render_definition(**options), HOLDER.render_definition(**options))
show(TypeSignature(name='E').render_definition(), TypeSignature(name='E', description='Empty.').render_definition())
for expr in (
    INT,
    LiteralTypeExpr(['a', 1, None]),
    GenericTypeExpr('dict', [SimpleTypeExpr('str'), X]),
    UnionTypeExpr([INT, X]),
):
    show(str(expr), repr(expr), expr.kind)
for record in (
    FunctionParam(name='q', type=INT),
    FunctionParam(name='q', type=X, default='3'),
    *X.fields.values(),
    *DESCRIBED.fields.values(),
):
    show(str(record), repr(record))


def tool(name, definition, **more):
    schema = {
        'type': 'object',
        'properties': {'a': {'$ref': '#/$defs/A'}},
        'required': ['a'],
        '$defs': {'A': definition, **more},
    }
    return FunctionSignature.from_schema(name=name, parameters_schema=schema)


TEXT = {'type': 'object', 'properties': {'x': {'type': 'string'}}, 'required': ['x']}
NUMBER = {'type': 'object', 'properties': {'x': {'type': 'integer'}}, 'required': ['x']}
SELF = {'type': 'object', 'properties': {'kids': {'type': 'array', 'items': {'$ref': '#/$defs/A'}}}}
SELF_AND = {'type': 'object', 'properties': {**SELF['properties'], 'q': {}}}
for signatures in (
    [],
    [tool('t1', TEXT)],
    [tool('t1', TEXT), tool('t2', TEXT)],
    [tool('t1', TEXT), tool('t2', {**TEXT, 'description': 'another'})],
    [tool('t1', TEXT), tool('t2', NUMBER)],
    [tool('t1', TEXT, B=NUMBER), tool('t2', NUMBER, C=TEXT)],
    [tool('t1', SELF), tool('t2', SELF)],
    [tool('t1', SELF), tool('t2', SELF_AND)],
):
    names = FunctionSignature.get_conflicting_type_names(signatures)
    show(
        sorted(names),
        sorted({referenced.name for referenced in FunctionSignature.collect_unique_referenced_types(signatures)}),
    )
    show(FunctionSignature.render_type_definitions(signatures, names))
    show([signature.render('...', conflicting_type_names=names) for signature in signatures])

adapter = TypeAdapter(FunctionSignature)
show(
    adapter.dump_python(tool('t1', TEXT)),
    adapter.validate_json(adapter.dump_json(tool('t1', TEXT))) == tool('t1', TEXT),
)
definition = ToolDefinition(
    name='t', description='Says.', parameters_json_schema={'type': 'object', 'properties': {'a': {'type': 'string'}}}
)
show(definition.render_signature('...'), definition.function_signature is definition.function_signature)
