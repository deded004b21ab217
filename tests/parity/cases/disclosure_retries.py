"""The loader and the search have one retry, whatever the agent has."""

from _disclosure import call, capability, function, model, run, search, show
from pydantic_ai import Agent

for retries in (0, 1, 3):
    show('retries', retries)
    agent = Agent(
        model(*[[call('load_capability', id='nobody')]] * 4, wire=None), retries=retries, capabilities=[capability('a')]
    )
    run(agent)
    agent = Agent(model(*[search('')] * 4, wire=None), retries=retries, tools=[function('t', defer_loading=True)])
    run(agent)
