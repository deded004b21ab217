"""Schemas with definitions of the same name: where they become one, each reference means what it meant before."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from stead.output._definitions import gather_definitions

Schema = dict[str, Any]


def ref(name: str) -> Schema:
    return {'$ref': f'#/$defs/{name}'}


def record(**properties: Schema) -> Schema:
    return {'type': 'object', 'properties': properties}


def test_definitions_that_differ_get_names_of_their_own() -> None:
    first = {'title': 'One', **record(id=ref('Id')), '$defs': {'Id': {'type': 'integer'}}}
    second = {'title': 'Two', **record(id=ref('Id')), '$defs': {'Id': {'type': 'string'}}}
    schemas, definitions = gather_definitions([first, second])
    assert schemas == [
        {'title': 'One', **record(id=ref('Id'))},
        {'title': 'Two', **record(id=ref('Two_Id_1'))},
    ]
    assert definitions == {'Id': {'type': 'integer'}, 'Two_Id_1': {'type': 'string'}}


def test_a_new_name_is_not_that_of_another_definition() -> None:
    first = {'title': 'One', **record(id=ref('Id')), '$defs': {'Id': {'type': 'integer'}, 'Two_Id_1': {'type': 'null'}}}
    second = {
        'title': 'Two',
        **record(id=ref('Id'), other=ref('Two_Id_2')),
        '$defs': {'Id': {'type': 'string'}, 'Two_Id_2': {'type': 'boolean'}},
    }
    schemas, definitions = gather_definitions([first, second])
    assert schemas[1]['properties'] == {'id': ref('Two_Id_3'), 'other': ref('Two_Id_2')}
    assert definitions['Two_Id_3'] == {'type': 'string'}


def test_equal_definitions_are_shared_unless_what_they_refer_to_differs() -> None:
    shared = {
        'Name': {'type': 'string'},
        'Owner': record(id=ref('Id')),
        'Pet': record(owner=ref('Owner'), name=ref('Name')),
    }
    first = {'title': 'One', **record(pet=ref('Pet'), name=ref('Name')), '$defs': {'Id': {'type': 'integer'}, **shared}}
    second = {'title': 'Two', **record(pet=ref('Pet'), name=ref('Name')), '$defs': {'Id': {'type': 'string'}, **shared}}
    schemas, definitions = gather_definitions([first, second])
    assert schemas[1]['properties'] == {'pet': ref('Two_Pet_1'), 'name': ref('Name')}
    assert definitions['Two_Pet_1'] == record(owner=ref('Two_Owner_1'), name=ref('Name'))
    assert definitions['Two_Owner_1'] == record(id=ref('Two_Id_1'))
    assert list(definitions) == ['Id', 'Name', 'Owner', 'Pet', 'Two_Id_1', 'Two_Owner_1', 'Two_Pet_1']


def test_only_references_are_renamed() -> None:
    data = ref('Id')
    properties: Schema = {
        'plain': {'anyOf': [ref('Id'), {'items': ref('Id')}]},
        '$ref': {'type': 'string'},
        'discriminator': {'type': 'string'},
        'default': ref('Id'),
        'data': {'default': data, 'const': data, 'enum': [data], 'examples': [data]},
        'elsewhere': {'$ref': 'https://example.com/#/$defs/Id'},
        'tagged': {
            'oneOf': [ref('Id'), ref('Other')],
            'discriminator': {
                'propertyName': 'kind',
                'mapping': {'id': '#/$defs/Id', 'other': '#/$defs/Other', 'far': 'Id'},
            },
        },
    }
    other = {'Other': {'type': 'null'}}
    first = {'title': 'One', **record(id=ref('Id')), '$defs': {'Id': {'type': 'integer'}}}
    second = {'title': 'Two', **record(**properties), '$defs': {'Id': {'type': 'string'}, **other}}
    second['patternProperties'] = {'^x': ref('Id')}
    renamed = ref('Two_Id_1')
    schemas, definitions = gather_definitions([first, second])
    assert schemas[1]['properties'] == {
        **properties,
        'plain': {'anyOf': [renamed, {'items': renamed}]},
        'default': renamed,
        'tagged': {
            'oneOf': [renamed, ref('Other')],
            'discriminator': {
                'propertyName': 'kind',
                'mapping': {'id': '#/$defs/Two_Id_1', 'other': '#/$defs/Other', 'far': 'Id'},
            },
        },
    }
    assert schemas[1]['patternProperties'] == {'^x': renamed}


def test_schemas_stay_as_they_are() -> None:
    first = {'title': 'One', **record(id=ref('Id')), '$defs': {'Id': {'type': 'integer'}}}
    second = {**record(id=ref('Id')), '$defs': {'Id': {'type': 'string'}}}
    before = deepcopy((first, second))
    schemas, definitions = gather_definitions([first, second])
    assert (first, second) == before
    assert schemas[1] == record(id=ref('Id_1')), 'a schema without a title has no name to put before'
    assert definitions['Id_1'] == {'type': 'string'}
