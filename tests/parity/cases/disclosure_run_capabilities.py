"""Deferred capabilities of a single run, beside those of the agent."""

from _disclosure import LOCAL, capability, load, model, run
from pydantic_ai import Agent

agent = Agent(model(load('b'), load('a'), **LOCAL), capabilities=[capability('a', 'one')])
run(agent, capabilities=[capability('b', 'two')])
run(agent)
