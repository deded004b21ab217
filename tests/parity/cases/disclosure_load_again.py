"""What is loaded already, or was never deferred, is not loaded again."""

from _disclosure import LOCAL, call, capability, load, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import Capability

agent = Agent(model(load('a'), [call('one', x=1)], load('a'), **LOCAL), capabilities=[capability('a', 'one')])
run(agent)
agent = Agent(model(load('n'), **LOCAL), capabilities=[capability('a', 'one'), Capability(id='n')])
run(agent)
agent = Agent(
    model([call('load_capability', 'c1', id='a'), call('load_capability', 'c2', id='a')], **LOCAL),
    capabilities=[capability('a', 'one')],
)
run(agent)
