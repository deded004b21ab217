"""What is sent before anything is loaded: the catalog, the loader, and nothing of the capabilities."""

from _disclosure import LOCAL, capability, function, model
from pydantic_ai import Agent

for options in ({}, LOCAL):
    for wire in ('names', 'instructions', 'definitions'):
        agent = Agent(
            model(wire=wire, **options),
            instructions='Base.',
            capabilities=[capability('a', 'one'), capability('b')],
            tools=[function('plain')],
        )
        agent.run_sync('go')
