"""Outputs that a spec describes by a schema."""

import json

from _spec import build, seen, show
from pydantic_ai.models.test import TestModel

SCHEMA = {
    'type': 'object',
    'properties': {'a': {'type': 'integer'}},
    'required': ['a'],
    'title': 'T',
    'description': 'D',
}
show('output', lambda: build({'output_schema': SCHEMA}).run_sync('x').output)
show('schema', lambda: build({'output_schema': SCHEMA}).output_json_schema())
show('tool', lambda: seen(build({'output_schema': SCHEMA}), model=TestModel())[-1])
show('bare', lambda: build({'output_schema': {'type': 'object'}}).run_sync('x').output)
show('output type wins', lambda: build({'output_schema': SCHEMA}, output_type=int).run_sync('x').output)
show('even text', lambda: build({'output_schema': SCHEMA}, output_type=bool).run_sync('x').output)
for schema in ({'type': 'string'}, {}, {'type': 'array', 'items': {'type': 'integer'}}):
    show(json.dumps(schema), lambda: build({'output_schema': schema}).run_sync('x').output)
