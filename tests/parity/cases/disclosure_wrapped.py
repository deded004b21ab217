"""Deferred capabilities inside of others: with a prefix, wrapped, combined, made by a function."""

from _disclosure import LOCAL, capability, load, model, run, show
from pydantic_ai import Agent
from pydantic_ai.capabilities import CombinedCapability, PrefixTools, WrapperCapability

for label, wrapped in {
    'prefix': [PrefixTools(capability('a', 'one'), prefix='p')],
    'wrapped': [WrapperCapability(capability('a', 'one'))],
    'combined': [CombinedCapability([capability('a', 'one'), capability('b', 'two')])],
    'function': [lambda ctx: capability('a', 'one')],
}.items():
    show(label)
    run(Agent(model(load('a'), **LOCAL), capabilities=wrapped))
