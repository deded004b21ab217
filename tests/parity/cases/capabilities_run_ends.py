"""How hooks around a run learn that it was cancelled, failed or left; requirements of a lone capability."""

import asyncio

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class Watch(AbstractCapability):
    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        try:
            return await handler(args)
        except Exception as error:
            print(
                'wrap got', type(error).__name__, error, getattr(error, 'tool_retry', None) and error.tool_retry.content
            )
            raise

    async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
        print('on_error', type(error).__name__)
        raise error

    async def wrap_run(self, ctx, *, handler):
        try:
            return await handler()
        except BaseException as error:
            print('wrap_run got', isinstance(error, asyncio.CancelledError) or type(error).__name__)
            raise

    async def on_run_error(self, ctx, *, error):
        print('run error', type(error).__name__)
        raise error


def respond(messages, info):
    if len(messages) < 2:
        return ModelResponse(parts=[ToolCallPart('t', {'x': 1}, 'c1')])
    return ModelResponse(parts=[TextPart(f't{len(messages)}')])


agent = Agent(FunctionModel(respond), capabilities=[Watch()])


@agent.tool_plain
def t(x: int):
    raise ModelRetry('no')


print(agent.run_sync('hi').output)


async def slow(messages, info):
    await asyncio.sleep(10)


async def main():
    agent = Agent(FunctionModel(slow), capabilities=[Watch()])
    task = asyncio.ensure_future(agent.run('x'))
    await asyncio.sleep(0.1)
    task.cancel()
    try:
        await task
    except BaseException as error:
        print(type(error).__name__)
    try:
        async with agent.iter('x') as run:
            async for node in run:
                raise KeyError('mine')
    except BaseException as error:
        print(type(error).__name__)
    try:
        async with agent.iter('x') as run:
            async for node in run:
                break
        print('left', run.result)
    except BaseException as error:
        print(type(error).__name__)
    try:
        await asyncio.wait_for(agent.run('x'), 0.1)
    except BaseException as error:
        print(type(error).__name__)


asyncio.run(main())


class Requiring(AbstractCapability):
    def get_ordering(self):
        return CapabilityOrdering(requires=[Watch])


for capabilities in ([Requiring()], [Requiring(), Watch()], [Watch(), Requiring()]):
    try:
        Agent('test', capabilities=capabilities)
        print('made')
    except Exception as error:
        print(type(error).__name__)
