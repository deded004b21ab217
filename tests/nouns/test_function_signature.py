"""Signatures from schemas that are odd, hostile or conflicting; the plain ones are compared in tests/parity."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from stead.function_signature import FunctionSignature


def obj(**properties: Any) -> dict[str, Any]:
    return {'type': 'object', 'properties': properties, 'required': list(properties)}


def annotation(schema: Any) -> str:
    signature = FunctionSignature.from_schema(name='f', parameters_schema=obj(arg=schema))
    return str(signature.params['arg'].type)


@pytest.mark.parametrize(
    ('schema', 'written'),
    [
        (True, 'Any'),
        (False, 'Any'),
        (None, 'Any'),
        ('string', 'Any'),
        ({'type': 'array', 'items': True}, 'list[Any]'),
        ({'anyOf': []}, 'Any'),
        ({'anyOf': [], 'type': 'string'}, 'str'),
        ({'anyOf': 'nonsense'}, 'Any'),
        ({'anyOf': [True, {'type': 'null'}]}, 'Any | None'),
        ({'type': 3}, 'Any'),
        ({'type': [3, None]}, 'Any | Any'),
        ({'type': ['null', 'null']}, 'None | None'),
        ({'$ref': '#'}, 'Any'),
        ({'$ref': 3}, 'Any'),
        ({'type': 'object', 'properties': None}, 'FArg'),
        ({'type': 'object', 'properties': {'x': {}}, 'required': None}, 'FArg'),
    ],
)
def test_odd_schemas_do_no_harm(schema: Any, written: str):
    assert annotation(schema) == written


@pytest.mark.parametrize('schema', [{'properties': None}, {'properties': {'a': {}}, 'required': 'a'}, {'$defs': []}])
def test_odd_roots_do_no_harm(schema: dict[str, Any]):
    signature = FunctionSignature.from_schema(name='f', parameters_schema=schema, return_schema=schema)
    ast.parse(signature.render('...'))


@pytest.mark.parametrize('text', ['ends with "', '"""', 'a """ b\nc"', '"', '""', 'C:\\', 'a\nb"'])
def test_descriptions_cannot_end_a_docstring(text: str):
    described = {**obj(x={'description': text}), 'description': text}
    signature = FunctionSignature.from_schema(name='f', parameters_schema=obj(arg=described))
    source = [
        *FunctionSignature.render_type_definitions([signature], frozenset()),
        signature.render('...', description=text),
    ]
    written: list[str | None] = []
    for statement in source:
        found = ast.parse(statement).body[0]
        assert isinstance(found, (ast.ClassDef, ast.FunctionDef))
        written.append(ast.get_docstring(found, clean=True))
    argument = text.replace('\n', '\n        ')
    assert written == [text, f'{text}\n\nArgs:\n    arg: {argument}']


def using(name: str, inner: dict[str, Any]) -> FunctionSignature:
    schema = {**obj(b={'$ref': '#/$defs/B'}), '$defs': {'A': inner, 'B': obj(a={'$ref': '#/$defs/A'})}}
    return FunctionSignature.from_schema(name=name, parameters_schema=schema)


def test_tools_shown_together_name_only_what_is_defined():
    text, number = obj(x={'type': 'string'}), obj(x={'type': 'integer'})
    signatures = [using('t1', text), using('t2', number), using('t3', text)]
    names = FunctionSignature.get_conflicting_type_names(signatures)
    assert names == {'A', 'B'}, 'B means something else in each tool, because A does'
    definitions = FunctionSignature.render_type_definitions(signatures, names)
    defined = [statement.split('(')[0] for statement in definitions]
    assert defined == [f'class {tool}_{name}' for tool in ('t1', 't2', 't3') for name in ('A', 'B')]
    for tool, statement in zip(('t1', 't2', 't3'), definitions[1::2]):
        assert f'a: {tool}_A' in statement
    for signature in signatures:
        assert f'b: {signature.name}_B' in signature.render('...', conflicting_type_names=names)


def test_circular_types_compare_and_render():
    node = {**obj(n={'$ref': '#/$defs/N'}), '$defs': {'N': obj(kids={'type': 'array', 'items': {'$ref': '#/$defs/N'}})}}
    first = FunctionSignature.from_schema(name='t1', parameters_schema=node)
    second = FunctionSignature.from_schema(name='t2', parameters_schema=node)
    assert FunctionSignature.get_conflicting_type_names([first, second]) == frozenset()
    assert FunctionSignature.render_type_definitions([first, second], frozenset()) == [
        'class N(TypedDict):\n    kids: list[N]'
    ]
    assert 'N' in repr(first)


def test_equal_types_become_one_object_wherever_they_stand():
    kind = {'$ref': '#/$defs/K'}
    schema = obj(many={'type': 'array', 'items': kind}, perhaps={'anyOf': [kind, {'type': 'null'}]}, one=kind)
    schema['$defs'] = {'K': obj(n={'type': 'integer'})}
    result = {**obj(inner=kind), 'title': 'Result', '$defs': schema['$defs']}
    signatures = [
        FunctionSignature.from_schema(name=name, parameters_schema=schema, return_schema=result)
        for name in ('t1', 't2')
    ]
    FunctionSignature.get_conflicting_type_names(signatures)
    types = FunctionSignature.collect_unique_referenced_types(signatures)
    assert [type_.name for type_ in types] == ['K', 'Result']
    for signature in signatures:
        many, perhaps, one = (signature.params[name].type for name in ('many', 'perhaps', 'one'))
        found = [many.args[0], perhaps.members[0], one, types[1].fields['inner'].type]  # type: ignore[union-attr]
        assert all(type_ is types[0] for type_ in found)
        assert signature.return_type is types[1]
