"""Several capabilities at once: tools keep the order of registration, what announces them is sorted."""

from _disclosure import LOCAL, capability, load, model, run
from pydantic_ai import Agent

agent = Agent(
    model(load('m', 'b', 'c'), **LOCAL),
    capabilities=[capability('c', 'z', 'a'), capability('b', 'y'), capability('m', 'b', 'x')],
)
run(agent)
agent = Agent(
    model(load('m'), load('c'), load('b'), **LOCAL),
    capabilities=[capability('c', 'z', 'a'), capability('b', 'y'), capability('m', 'b', 'x')],
)
run(agent)
