"""Specs in `Agent.override`: what they replace, and what goes over them."""

from _spec import seen, show
from pydantic_ai import Agent, AgentSpec
from pydantic_ai.capabilities import Capability, SetToolMetadata


def overridden(spec, options=None, **values):
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

    with agent.override(spec=spec, **values):
        inside = [agent.name, *seen(agent, **(options or {}))]
    return [inside, agent.name, seen(agent)]


for title, spec, values in (
    ('nothing', {}, {}),
    ('values', {'instructions': 'new', 'metadata': {'s': 2}, 'model_settings': {'top_p': 0.1}, 'name': 'nn'}, {}),
    (
        'and values',
        {'instructions': 'new', 'model_settings': {'top_p': 0.1}, 'name': 'nn', 'metadata': {'s': 2}},
        {'instructions': 'mine', 'model_settings': {'seed': 1}, 'name': 'kk', 'metadata': {'v': 1}},
    ),
    ('capabilities', {'capabilities': [{'SetToolMetadata': {'spec': 1}}]}, {}),
    ('no capabilities', {'capabilities': []}, {}),
    ('retries', {'retries': {'output': 3}}, {}),
    (
        'rest',
        {'end_strategy': 'exhaustive', 'output_schema': {'type': 'object'}, 'description': 'd', 'tool_timeout': 1},
        {},
    ),
    ('object', AgentSpec(instructions='of an object'), {}),
    ('unknown capability', {'capabilities': ['Nope']}, {}),
    ('no spec', 3, {}),
):
    show(title, lambda: overridden(spec, **values))
show(
    'over a run',
    lambda: overridden(
        {'instructions': 'new', 'metadata': {'s': 2}, 'model_settings': {'top_p': 0.1}},
        {'instructions': 'run', 'metadata': {'r': 1}, 'model_settings': {'seed': 3}},
    ),
)
show(
    'over a spec of a run',
    lambda: overridden(
        {'instructions': 'new', 'capabilities': [{'SetToolMetadata': {'spec': 1}}]},
        {
            'spec': {'instructions': 'run', 'capabilities': [{'SetToolMetadata': {'run': 1}}]},
            'capabilities': [SetToolMetadata(option=1)],
        },
    ),
)
