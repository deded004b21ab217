"""Toolsets are entered inside of `wrap_run`; the context variables that it sets are seen there and in all other hooks."""

import asyncio
from contextvars import ContextVar

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models.test import TestModel
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import FunctionToolset
from pydantic_graph import End

place = ContextVar('place', default='nowhere')
log = []


def note(*where):
    log.append([*where, place.get()])


class Opened(FunctionToolset):
    def __init__(self, fails):
        super().__init__()
        self.fails = fails

    async def __aenter__(self):
        note('enter')
        return self

    async def __aexit__(self, *args):
        log.append(['exit'])
        if self.fails == 'exit':
            raise LookupError('exit')


class Around(AbstractCapability):
    def __init__(self, act):
        self.act = act

    async def before_run(self, ctx):
        note('before_run')

    async def wrap_run(self, ctx, *, handler):
        note('wrap_run')
        token = place.set('inside')
        try:
            return await handler()
        except Exception as error:
            note('wrap_run', type(error).__name__)
            if self.act == 'recover':
                return AgentRunResult('recovered')
            raise
        finally:
            if self.act == 'reset':
                place.reset(token)
            else:
                place.set('later')

    async def after_run(self, ctx, *, result):
        note('after_run')
        return result

    async def on_run_error(self, ctx, *, error):
        note('on_run_error', type(error).__name__)
        if self.act == 'answer':
            return AgentRunResult('answered')
        raise error

    async def before_model_request(self, ctx, request_context):
        note('before_model_request')
        return request_context


class Model(TestModel):
    fails = None

    async def request(self, *args):
        note('request')
        if self.fails == 'model':
            raise LookupError('model')
        return await super().request(*args)


async def whole(agent):
    return (await agent.run('hi')).output


async def iterated(agent):
    async with agent.iter('hi') as run:
        note('block')
        async for node in run:
            log.append(type(node).__name__)
    return run.result.output


async def by_next(agent):
    async with agent.iter('hi') as run:
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
    return run.result.output


class Answers(AbstractCapability):
    async def wrap_run(self, ctx, *, handler):
        return AgentRunResult('at once')


async def main():
    for act in ('pass', 'reset', 'recover', 'answer'):
        for fails in (None, 'model', 'exit'):
            for way in (whole, iterated, by_next):
                log.clear()
                model = Model(custom_output_text='done')
                model.fails = fails
                place.set('outside')
                try:
                    outcome = await way(Agent(model, toolsets=[Opened(fails)], capabilities=[Around(act)]))
                except Exception as error:
                    outcome = repr(error)
                note('caller')
                fact(f'{act}, {fails} fails, {way.__name__}', [outcome, *log])
    log.clear()
    fact('answered, iterated', [await iterated(Agent('test', capabilities=[Answers()])), *log])


asyncio.run(main())
