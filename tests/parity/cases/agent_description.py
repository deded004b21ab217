"""The description of an agent is set like its name, also through wrappers."""

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.agent import WrapperAgent

agent = Agent('test', name='n', description='d')
wrapper = WrapperAgent(agent)
outer = WrapperAgent(wrapper)
for target, attribute, value in [
    (agent, 'description', 'own'),
    (wrapper, 'description', 'through a wrapper'),
    (outer, 'description', 'through two'),
    (wrapper, 'name', 'm'),
    (agent, 'description', None),
]:
    setattr(target, attribute, value)
    fact(str(value), [[one.name, one.description] for one in (agent, wrapper, outer)])
with agent.override(name='other'):
    agent.description = 'inside'
    fact('override', [agent.name, agent.description])
fact('after', [agent.name, agent.description])
