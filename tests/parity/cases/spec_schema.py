"""The JSON schema of specs for editors."""

from _common import fact
from _spec import Needs, NotForSpecs, RateLimit, Renamed, show
from pydantic_ai import AgentSpec

schema = AgentSpec.model_json_schema_with_capabilities()
fact('top', [schema['type'], schema['title'], schema['additionalProperties'], sorted(schema['properties'])])
for key in (
    'model',
    'name',
    'description',
    'instructions',
    'deps_schema',
    'output_schema',
    'retries',
    'tool_retries',
    'end_strategy',
    'tool_timeout',
    'metadata',
    'instrument',
    '$schema',
):
    fact(key, dict(sorted(schema['properties'][key].items())))
fact('retries', sorted(schema['$defs']['AgentRetries']['properties']))
forms = schema['properties']['capabilities']['items']['anyOf']
for name in (
    'Thinking',
    'ReinjectSystemPrompt',
    'IncludeToolReturnSchemas',
    'PrefixTools',
    'SetToolMetadata',
    'NativeTool',
    'Instrumentation',
    'Hooks',
):
    fact(name, {'const': name, 'type': 'string'} in forms)
custom = AgentSpec.model_json_schema_with_capabilities(custom_capability_types=[RateLimit, Needs, Renamed])
fact(
    'custom',
    [
        [
            {'const': name, 'type': 'string'} in custom['properties']['capabilities']['items']['anyOf'],
            f'spec_{name}' in custom['$defs'],
        ]
        for name in ('RateLimit', 'Needs', 'renamed', 'Renamed')
    ],
)
fact('short', custom['$defs']['short_spec_Needs']['properties']['Needs'].get('items'))
for types in ([NotForSpecs], [RateLimit, RateLimit], [int]):
    show(types[0].__name__, lambda: AgentSpec.model_json_schema_with_capabilities(custom_capability_types=types))
fact('the same', AgentSpec.model_json_schema_with_capabilities() == schema)
