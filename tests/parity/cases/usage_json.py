"""Usages in JSON: old key names, nulls and wrong types on the way in, and the whole record on the way out."""

import json

from pydantic import TypeAdapter, ValidationError
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

INPUTS = [
    {},
    {'input_tokens': 1, 'output_tokens': 2, 'details': {'a': 1}},
    {'request_tokens': 3, 'response_tokens': 4, 'total_tokens': 7, 'details': None},
    {'input_tokens': 1, 'request_tokens': 2},
    {'input_tokens': '3'},
    {'input_tokens': 2.0},
    {'input_tokens': True},
    {'input_tokens': -1},
    {'input_tokens': None},
    {'input_tokens': 'many'},
    {'request_tokens': None},
    {'details': {'a': 1.5}},
    {'details': {'a': None}},
    {'details': []},
    {'unknown': 1},
]
adapter = TypeAdapter(RequestUsage)
for data in INPUTS:
    try:
        print(json.dumps([data, repr(adapter.validate_python(data)), repr(adapter.validate_json(json.dumps(data)))]))
    except ValidationError as error:
        print(json.dumps([data, [[item['type'], item['loc']] for item in error.errors()]]))

for cls, values in (
    (RequestUsage, {'input_tokens': 3, 'details': {'z': 0}}),
    (RunUsage, {'requests': 2, 'tool_calls': 1, 'cache_read_tokens': 5}),
    (UsageLimits, {'request_limit': None}),
):
    adapter = TypeAdapter(cls)
    value = cls(**values)
    print(json.dumps([cls.__name__, repr(value), adapter.dump_json(value).decode()]))
    print(json.dumps([cls.__name__, adapter.validate_json(adapter.dump_json(value)) == value]))
    schema = adapter.json_schema()
    schema.pop('description', None)
    schema['properties'].pop('cost', None)  # versions of pydantic describe decimals in other ways
    print(json.dumps(schema, sort_keys=True))
