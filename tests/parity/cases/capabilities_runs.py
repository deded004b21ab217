"""`wrap_run` and its company: what they see, and recovery under `run` and `iter`."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, ThreadExecutor
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.run import AgentRunResult

log = []


class Boom(Exception):
    pass


def failing(messages, info):
    raise Boom('model')


class Watch(AbstractCapability):
    async def before_run(self, ctx):
        log.append(['before', ctx.prompt, ctx.run_step, len(ctx.messages), ctx.agent.name])

    async def wrap_run(self, ctx, *, handler):
        log.append(['enter'])
        try:
            result = await handler()
        except BaseException as error:
            log.append(['failed', type(error).__name__])
            raise
        log.append(['left', result.output])
        return result

    async def after_run(self, ctx, *, result):
        log.append(['after', result.output, ctx.run_step])
        return result

    async def on_run_error(self, ctx, *, error):
        log.append(['error', type(error).__name__])
        raise error


class Recover(AbstractCapability):
    def __init__(self, hook):
        self.hook = hook

    async def wrap_run(self, ctx, *, handler):
        if self.hook != 'wrap':
            return await handler()
        try:
            return await handler()
        except Boom:
            return AgentRunResult('recovered in wrap')

    async def on_run_error(self, ctx, *, error):
        if self.hook == 'error':
            return AgentRunResult('recovered in error')
        raise error


class Change(AbstractCapability):
    async def after_run(self, ctx, *, result):
        return AgentRunResult(f'changed {result.output}')


def show(label, agent, **options):
    log.clear()
    try:
        print(label, agent.run_sync('hi', **options).output, log)
    except Exception as error:
        print(label, type(error).__name__, log)


def good(*capabilities):
    return Agent(TestModel(), name='a', capabilities=list(capabilities))


def bad(*capabilities):
    return Agent(FunctionModel(failing), name='a', capabilities=list(capabilities))


show('good', good(Watch()))
show('bad', bad(Watch()))
show('change', good(Watch(), Change()))
show('change outside', good(Change(), Watch()))
for hook in ('wrap', 'error'):
    show(f'{hook} inside', bad(Watch(), Recover(hook)))
    show(f'{hook} outside', bad(Recover(hook), Watch()))
show('of the run', good(), capabilities=[Watch(), Change()])


async def iterate(label, agent, stop=False, own=False):
    log.clear()
    try:
        async with agent.iter('hi') as run:
            async for _ in run:
                if own:
                    raise Boom('of the caller')
                if stop:
                    break
        print(label, run.result.output if run.result else None, log)
    except Exception as error:
        print(label, type(error).__name__, log)


async def main():
    await iterate('iter', good(Watch()))
    await iterate('iter bad', bad(Watch()))
    await iterate('iter wrap', bad(Watch(), Recover('wrap')))
    await iterate('iter error', bad(Watch(), Recover('error')))
    await iterate('iter caller fails', good(Watch()), own=True)
    await iterate('iter change', good(Change()))


asyncio.run(main())

with ThreadPoolExecutor(1, thread_name_prefix='mine') as executor:
    agent = good(ThreadExecutor(executor))

    @agent.tool_plain
    def where() -> str:
        return threading.current_thread().name.split('_')[0]

    print(agent.run_sync('x').output)
