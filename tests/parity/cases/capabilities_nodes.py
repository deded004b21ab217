"""Node hooks: which nodes they see, replacing a node, ending a run, under `run`, `next` and iteration."""

import asyncio

from pydantic_ai import Agent, ModelRequestNode
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.result import FinalResult
from pydantic_graph import End

log = []


class Nodes(AbstractCapability):
    async def before_node_run(self, ctx, *, node):
        log.append(['before', type(node).__name__, ctx.run_step])
        return node

    async def wrap_node_run(self, ctx, *, node, handler):
        result = await handler(node)
        log.append(['wrap', type(result).__name__, ctx.run_step])
        return result


class EndAt(AbstractCapability):
    def __init__(self, hook, request):
        self.hook, self.request, self.seen = hook, request, 0

    def over(self, node):
        if isinstance(node, ModelRequestNode):
            self.seen += 1
            return self.seen == self.request
        return False

    async def after_node_run(self, ctx, *, node, result):
        return End(FinalResult('ended')) if self.hook == 'after' and self.over(node) else result


class Again(AbstractCapability):
    def __init__(self):
        self.done = False

    async def after_node_run(self, ctx, *, node, result):
        if isinstance(result, End) and not self.done:
            self.done = True
            return ModelRequestNode(ModelRequest(parts=[UserPromptPart('again')]))
        return result


class Reword(AbstractCapability):
    async def before_node_run(self, ctx, *, node):
        if isinstance(node, ModelRequestNode):
            return ModelRequestNode(ModelRequest(parts=[UserPromptPart(f'reworded {ctx.run_step}')]))
        return node


class Recover(AbstractCapability):
    async def on_node_run_error(self, ctx, *, node, error):
        log.append(['error', type(node).__name__, repr(error)])
        return End(FinalResult('recovered'))


def make(*capabilities, fail=False):
    agent = Agent(TestModel(), capabilities=[Nodes(), *capabilities])

    @agent.tool_plain
    def step() -> int:
        if fail:
            raise KeyError('tool')
        return 1

    return agent


def parts(result):
    return [[part.part_kind for part in message.parts] for message in result.all_messages()]


def show(label, agent):
    log.clear()
    try:
        result = agent.run_sync('hi')
        print(label, result.output, parts(result), log)
    except Exception as error:
        print(label, type(error).__name__, log)


show('plain', make())
for request in (1, 2):
    show(f'end at {request}', make(EndAt('after', request)))
show('again', make(Again()))
show('reword', make(Reword()))
show('recover', make(Recover(), fail=True))


async def main():
    log.clear()
    async with make().iter('hi') as run:
        async for node in run:
            print('iterated', type(node).__name__)
    print(log, run.result.output)
    log.clear()
    async with make().iter('hi') as run:
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
    print(log, run.result.output)
    async with make(EndAt('after', 2)).iter('hi') as run:
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
    print(type(node).__name__, node.data.output, run.result.output)


asyncio.run(main())
