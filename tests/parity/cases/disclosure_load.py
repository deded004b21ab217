"""A capability is loaded: instructions come as the result, tools with the next request."""

from _disclosure import LOCAL, call, capability, load, model, run
from pydantic_ai import Agent

for options in ({}, LOCAL):
    agent = Agent(
        model(load('a'), [call('one', x=1)], **options),
        capabilities=[capability('a', 'one', 'two'), capability('b', 'three')],
    )
    run(agent)
