"""Deferred capabilities of a single run, beside those of the agent."""

from _disclosure import *

agent = Agent(model(load('b'), load('a'), **LOCAL), capabilities=[capability('a', 'one')])
run(agent, capabilities=[capability('b', 'two')])
run(agent)
