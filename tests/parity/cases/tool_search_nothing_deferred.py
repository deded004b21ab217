"""Without deferred tools there is no search, asked for or not."""

from _disclosure import LOCAL, function, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import ToolSearch

for capabilities in ([], [ToolSearch()], [ToolSearch(strategy='keywords')], [ToolSearch(max_results=3)]):
    for options in ({}, LOCAL):
        run(Agent(model(**options), tools=[function('plain')], capabilities=capabilities))
