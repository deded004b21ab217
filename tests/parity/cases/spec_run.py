"""Specs that are passed to a run: what they add, what they give way to, and what has no effect there."""

from _common import script
from _spec import seen, show
from pydantic_ai import Agent, AgentSpec
from pydantic_ai.capabilities import Capability, SetToolMetadata

agent = Agent(
    'test',
    name='base',
    instructions='base',
    model_settings={'temperature': 1},
    metadata={'m': 1},
    capabilities=[SetToolMetadata(own=1), Capability(instructions='own')],
)


@agent.tool_plain
def t():
    """Nothing."""


for title, spec, options in (
    ('nothing', {}, {}),
    ('values', {'instructions': 'extra', 'metadata': {'s': 2}, 'model_settings': {'top_p': 0.1}}, {}),
    (
        'and options',
        {'instructions': ['x', 'y'], 'metadata': {'s': 2}, 'model_settings': {'top_p': 0.1, 'temperature': 0.3}},
        {'instructions': 'mine', 'metadata': {'s': 3, 'q': 1}, 'model_settings': {'top_p': 0.7}},
    ),
    ('metadata', {'metadata': {'k': 9, 'z': 1}}, {'metadata': {'q': 1, 'z': 2}}),
    ('metadata of a function', {'metadata': {'k': 9, 'z': 1}}, {'metadata': lambda ctx: {'q': 1, 'z': 2}}),
    (
        'capabilities',
        {'capabilities': [{'SetToolMetadata': {'spec': 1}}]},
        {'capabilities': [SetToolMetadata(run=1), Capability(instructions='of the run')]},
    ),
    ('model', {'model': 'foo:bar'}, {}),
    ('retries', {'retries': {'output': 3}}, {}),
    ('retries of tools', {'retries': 3}, {}),
    ('name', {'name': 'other'}, {}),
    ('end', {'end_strategy': 'exhaustive'}, {}),
    ('same end', {'end_strategy': 'early'}, {}),
    ('description', {'description': 'd'}, {}),
    ('timeout', {'tool_timeout': 3}, {}),
    ('output', {'output_schema': {'type': 'object', 'properties': {'a': {'type': 'integer'}}}}, {}),
    ('unknown capability', {'capabilities': ['Nope']}, {}),
    ('object', AgentSpec(instructions='of an object'), {}),
    ('no spec', 3, {}),
    ('text', 'agent.yaml', {}),
):
    show(title, lambda: seen(agent, spec=spec, **options))
show('model of the spec', lambda: agent.run_sync('x', spec={'model': 'test'}).response.model_name)
show('model of nobody', lambda: agent.run_sync('x', spec={'model': 'foo:bar'}).response.model_name)
show('budget of the spec', lambda: [agent.run_sync('x', model=script([]), spec={'retries': {'output': 0}}).output])
