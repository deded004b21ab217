"""Histories of agents with other capabilities: those that are gone, and those that came."""

from _disclosure import LOCAL, capability, load, model, run, show
from pydantic_ai import Agent

first = run(Agent(model(load('a', 'b'), **LOCAL), capabilities=[capability('a', 'one'), capability('b', 'two')]))
past = first.all_messages()
for label, agent in {
    'one is gone': [capability('b', 'two')],
    'all are gone': [],
    'one came': [capability('b', 'two'), capability('c', 'three')],
    'not deferred now': [capability('a', 'one', defer_loading=False), capability('b', 'two')],
}.items():
    show(label)
    run(Agent(model(**LOCAL), capabilities=agent), 'more', message_history=past)
