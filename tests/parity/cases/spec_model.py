"""The spec itself: its keys, their defaults, and what it is dumped as."""

import json

from _common import fact
from _spec import show
from pydantic_ai import AgentSpec

FULL = {
    '$schema': './schema.json',
    'model': 'test',
    'name': 'n',
    'description': 'd',
    'instructions': ['a', 'b'],
    'deps_schema': {'type': 'object'},
    'output_schema': {'type': 'object', 'properties': {}},
    'model_settings': {'temperature': 0.5},
    'retries': {'tools': 2},
    'end_strategy': 'exhaustive',
    'tool_timeout': 3,
    'metadata': {'m': 1},
    'capabilities': ['Thinking', {'Thinking': 'low'}],
}
fact('keys', list(AgentSpec.model_fields))
fact('defaults', AgentSpec().model_dump())
spec = AgentSpec.from_dict(FULL)
fact('full', spec.model_dump(mode='json'))
fact('by alias', spec.model_dump(mode='json', by_alias=True, exclude_defaults=True))
fact('json', spec.model_dump_json(exclude_defaults=True))
fact('again', AgentSpec.from_dict(spec.model_dump(by_alias=True, exclude_none=True)) == spec)
fact('text', AgentSpec.from_text(json.dumps(FULL), fmt='json') == spec)
fact('instructions', [AgentSpec(instructions=value).instructions for value in ('a', ['a'], [], None)])
fact('retries', [AgentSpec(retries=value).retries for value in (3, {'tools': 1}, {'output': 2}, {}, None)])
for key, value in {
    'model': 3,
    'name': ['a'],
    'instructions': 3,
    'instructions ': [1],
    'end_strategy': 'soon',
    'retries': 'many',
    'tool_timeout': 'long',
    'metadata': 3,
    'model_settings': [1],
    'capabilities': 'Thinking',
    'output_schema': 3,
    'deps_schema': [],
}.items():
    show(key, lambda: AgentSpec.from_dict({key.strip(): value}).name)
for data in ([1], None, 'test', 3):
    show(repr(data), lambda: AgentSpec.from_dict(data).name)
for text in ('{"model":', '[1]', 'null', '"test"', '{"model": 3}', ''):
    show(text, lambda: AgentSpec.from_text(text, fmt='json').name)
