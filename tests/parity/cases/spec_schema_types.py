"""The JSON schema of specs: what functions leave out, the settings of native tools, and the registry of capabilities."""

from collections.abc import Callable
from dataclasses import dataclass, field

from _common import fact
from _spec import NotForSpecs, RateLimit, show
from pydantic_ai import AgentSpec
from pydantic_ai.agent.spec import get_capability_registry
from pydantic_ai.capabilities import AbstractCapability


@dataclass
class WithFunctions(AbstractCapability):
    needed: Callable[..., int]
    text: Callable[..., int] | str | None = None
    texts: list[str] = field(default_factory=list)
    number: int = 1


@dataclass
class OnlyFunctions(AbstractCapability):
    function: Callable[..., int] | None = None


def resolved(schema, definitions):
    """A schema with its references followed, and only what restricts values."""
    if '$ref' in schema:
        return resolved(definitions[schema['$ref'].rpartition('/')[2]], definitions)
    outline = {key: value for key, value in schema.items() if key in ('type', 'const', 'enum')}
    if 'anyOf' in schema:
        outline['anyOf'] = sorted((resolved(form, definitions) for form in schema['anyOf']), key=repr)
    return outline


def parameters(schema, name):
    definitions = schema['$defs']
    entry = definitions[f'spec_{name}']['properties'][name]
    if '$ref' in entry:
        entry = definitions[entry['$ref'].rpartition('/')[2]]
    return entry['properties']


plain = AgentSpec.model_json_schema_with_capabilities()
custom = AgentSpec.model_json_schema_with_capabilities(custom_capability_types=[WithFunctions, OnlyFunctions])
for name in ('WithFunctions', 'OnlyFunctions'):
    found = parameters(custom, name)
    fact(name, {key: resolved(found[key], custom['$defs']) for key in sorted(found)})
fact('local', resolved(parameters(plain, 'MCP')['local'], plain['$defs']))
for name in ('ImageGeneration', 'XSearch'):
    forms = resolved(parameters(plain, name)['fallback_model'], plain['$defs'])['anyOf']
    fact(f'{name} fallback_model', {'type': 'string'} in forms and {'type': 'null'} in forms)
for name in (
    'CodeExecutionTool',
    'FileSearchTool',
    'ImageGenerationTool',
    'MCPServerTool',
    'MemoryTool',
    'WebFetchTool',
    'WebSearchTool',
    'XSearchTool',
):
    tool = plain['$defs'][name]
    kind = tool['properties'].pop('kind')
    fact(name, [kind.get('const') or kind['default'], sorted(tool['properties'])])
    fact('   needed', sorted({*tool.get('required', ())} - {'kind'}))

registry = get_capability_registry()
fact('registry', sorted(registry))
for name, types in {
    'one': [RateLimit],
    'none': [],
    'not for specs': [NotForSpecs],
    'twice': [RateLimit, RateLimit],
    'no capability': [int],
}.items():
    show(name, lambda: sorted({*get_capability_registry(custom_types=types)} - {*registry}))
