"""The catalog stands after the agent's instructions, and before those of other capabilities and of the run."""

from _disclosure import LOCAL, capability, load, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import Capability
from pydantic_ai.toolsets import FunctionToolset

agent = Agent(
    model(load('a'), wire='instructions', **LOCAL),
    instructions=['base', lambda ctx: 'base, dynamic'],
    toolsets=[FunctionToolset(instructions='toolset')],
    capabilities=[Capability(instructions=['always', lambda: 'always, dynamic']), capability('a', 'one')],
)
run(agent, instructions=lambda: 'run')
