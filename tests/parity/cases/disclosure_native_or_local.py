"""Capabilities with a native tool and a local one in its place, deferred."""

from _disclosure import LOCAL, load, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import WebSearch


def find(query: str) -> str:
    """Find on the web."""
    return query


for options in ({}, LOCAL):
    run(
        Agent(
            model(load('web'), **options),
            capabilities=[WebSearch(local=find, id='web', description='News.', defer_loading=True)],
        )
    )
run(Agent(model(load('web')), capabilities=[WebSearch(local=False, id='web', defer_loading=True)]))
