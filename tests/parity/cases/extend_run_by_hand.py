"""A run that a package drives itself, with the hooks around nodes and the events of each."""

import asyncio
import json

from pydantic_ai import Agent
from pydantic_ai._agent_graph import build_run_context
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.toolsets._capability_owned import CapabilityOwnedToolset
from pydantic_graph import End


class Noted(AbstractCapability):
    def __init__(self, log, fails=False):
        self.log, self.fails = log, fails

    async def before_node_run(self, ctx, *, node):
        self.log.append(['before', type(node).__name__])
        return node

    async def after_node_run(self, ctx, *, node, result):
        self.log.append(['after', type(node).__name__, type(result).__name__])
        if self.fails:
            raise ValueError('no')
        return result


async def drive(agent, log):
    async with agent.iter('go') as run:

        async def step(node):
            if agent.is_model_request_node(node) or agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as events:
                    root = run.ctx.deps.root_capability
                    wrapped = root.wrap_run_event_stream(build_run_context(run.ctx), stream=events)
                    log.append(['events', type(root).__name__, len([event async for event in wrapped])])
            return await run._advance_graph(node)

        node = run.next_node
        while not isinstance(node, End):
            node = await run._run_node_with_hooks(node, step)
            log.append(['next', type(node).__name__, isinstance(node, End) or run.next_node is node])
    return run.result.output


async def broken(log):
    agent = Agent(TestModel(), capabilities=[Noted(log, fails=True)])
    async with agent.iter('go') as run:
        first = run.next_node
        try:
            await run.next(first)
        except ValueError as error:
            log.append(['raised', str(error), type(run.next_node).__name__])


def build(*capabilities):
    agent = Agent(TestModel(), capabilities=list(capabilities))

    @agent.tool_plain
    def look() -> str:
        return 'seen'

    return agent


async def main():
    for noted in (False, True):
        log = []
        print(json.dumps([await drive(build(*[Noted(log)] * noted), log), log]))
    log = []
    await broken(log)
    print(json.dumps(log))


class Brings(AbstractCapability):
    def get_toolset(self):
        return FunctionToolset(id='brought')


asyncio.run(main())
plain = build()
print(isinstance(plain.root_capability, CombinedCapability))
outcomes = []
for toolset in build(Brings()).toolsets:
    toolset.apply(lambda leaf: outcomes.append([isinstance(leaf, CapabilityOwnedToolset), leaf.id]))
print(outcomes)
