"""How many accounts `XSearchTool` takes, and which lists go together."""

import json

from pydantic_ai.capabilities import XSearch
from pydantic_ai.native_tools import XSearchTool

MANY = [f'u{i}' for i in range(11)]
for label, options in [
    ('ten', {'allowed_x_handles': MANY[:10]}),
    ('eleven', {'allowed_x_handles': MANY}),
    ('excluded ten', {'excluded_x_handles': MANY[:10]}),
    ('excluded eleven', {'excluded_x_handles': MANY}),
    ('both', {'allowed_x_handles': ['a'], 'excluded_x_handles': ['b']}),
    ('both empty', {'allowed_x_handles': [], 'excluded_x_handles': []}),
]:
    for kind in (XSearchTool, XSearch):
        try:
            kind(**options)
            print(json.dumps([label, kind.__name__, 'fine']))
        except Exception as error:
            print(json.dumps([label, kind.__name__, type(error).__name__]))
