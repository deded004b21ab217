"""Deferred tools beside deferred capabilities: the search finds the former only, and is ours on every model."""

from _disclosure import LOCAL, capability, function, load, model, run, search
from pydantic_ai import Agent

for options in ({}, LOCAL):
    run(
        Agent(
            model(search('one two'), load('a'), **options),
            tools=[function('one', defer_loading=True), function('plain')],
            capabilities=[capability('a', 'two')],
        )
    )
