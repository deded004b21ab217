"""Texts of the search: its own, and given ones."""

from _disclosure import LOCAL, function, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import ToolSearch

for options in (
    {},
    {'tool_description': 'Find.'},
    {'parameter_description': 'Words.'},
    {'strategy': 'keywords', 'tool_description': 'Find.', 'parameter_description': 'Words.'},
):
    run(
        Agent(
            model(wire='definitions', **LOCAL),
            tools=[function('one', defer_loading=True)],
            capabilities=[ToolSearch(**options)],
        )
    )
