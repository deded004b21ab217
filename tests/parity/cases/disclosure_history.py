"""What was loaded in an earlier run stays loaded: with another agent, and through JSON."""

from _disclosure import LOCAL, call, capability, load, model, run, show
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter


def build():
    return [capability('a', 'one'), capability('b', 'two')]


first = run(Agent(model(load('a'), **LOCAL), capabilities=build()))
stored = ModelMessagesTypeAdapter.dump_json(first.all_messages())
loaded = ModelMessagesTypeAdapter.validate_json(stored)
for label, past in (('same', first.all_messages()), ('stored', loaded)):
    show(label)
    second = run(
        Agent(model([call('one', 'second', x=2)], load('b'), **LOCAL), capabilities=build()),
        'more',
        message_history=past,
    )
    show('new', len(second.new_messages()))
show('other model')
run(Agent(model([call('one', 'second', x=2)]), capabilities=build()), 'more', message_history=loaded)
