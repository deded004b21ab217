"""ModelRetry as a value: equality, hash, subclasses, and its place in pydantic models."""

import json

from pydantic import TypeAdapter, ValidationError
from pydantic_ai import ModelRetry


class Mine(ModelRetry):
    pass


print(json.dumps([ModelRetry('a') == ModelRetry('a'), ModelRetry('a') == ModelRetry('b'), ModelRetry('a') == 'a']))
print(json.dumps([Mine('a') == ModelRetry('a'), ModelRetry('a') == Mine('a'), Mine('a') == Mine('a')]))
print(json.dumps([len({ModelRetry('a'), ModelRetry('a'), ModelRetry('b')}), len({Mine('a'), ModelRetry('a')})]))

adapter = TypeAdapter(ModelRetry)
print(adapter.dump_json(ModelRetry('q')).decode())
print(json.dumps([adapter.dump_python(ModelRetry('q')), adapter.dump_python(ModelRetry('q'), mode='json')]))
print(json.dumps(adapter.json_schema(), sort_keys=True))
print(json.dumps(adapter.json_schema(mode='serialization'), sort_keys=True))
for data in (
    {'message': 'm', 'kind': 'model-retry'},
    {'message': 'm', 'kind': 'model-retry', 'extra': 1},
    {'message': 'm'},
    {'kind': 'model-retry'},
    {'message': 'm', 'kind': 'other'},
    {'message': 3, 'kind': 'model-retry'},
    'm',
    None,
):
    try:
        loaded = adapter.validate_json(json.dumps(data))
        print(json.dumps([data, type(loaded).__name__, loaded.message, loaded == adapter.validate_python(data)]))
    except ValidationError as error:
        print(json.dumps([data, [[item['type'], item['loc']] for item in error.errors()]]))
