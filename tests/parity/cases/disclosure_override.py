"""Overrides: instructions in place of the catalog, toolsets in place of the tools."""

from _disclosure import LOCAL, capability, function, load, model, run, show
from pydantic_ai import Agent

for label, values in {
    'instructions': {'instructions': 'X'},
    'toolsets': {'toolsets': []},
    'tools': {'tools': []},
}.items():
    for wire in ('names', 'instructions'):
        show(label)
        agent = Agent(
            model(load('a'), wire=wire, **LOCAL),
            tools=[function('plain')],
            instructions='I',
            capabilities=[capability('a', 'one')],
        )
        with agent.override(**values):
            run(agent)
