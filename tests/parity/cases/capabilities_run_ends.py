"""How hooks around a run learn that it was cancelled, failed or left; requirements of a lone capability."""

import asyncio

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class C(AbstractCapability):
    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        try:
            return await handler(args)
        except Exception as e:
            print('wrap got', type(e).__name__, e, getattr(e, 'tool_retry', None) and e.tool_retry.content)
            raise

    async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
        print('on_error', type(error).__name__)
        raise error

    async def wrap_run(self, ctx, *, handler):
        try:
            return await handler()
        except BaseException as e:
            print('wrap_run got', isinstance(e, asyncio.CancelledError) or type(e).__name__)
            raise

    async def on_run_error(self, ctx, *, error):
        print('run error', type(error).__name__)
        raise error


k = [0]


def respond(m, i):
    if len(m) < 2:
        return ModelResponse(parts=[ToolCallPart('t', {'x': 1}, 'c1')])
    return ModelResponse(parts=[TextPart(f't{len(m)}')])


a = Agent(FunctionModel(respond), capabilities=[C()])


@a.tool_plain
def t(x: int):
    raise ModelRetry('no')


print(a.run_sync('hi').output)


def respond(m, i):
    if len(m) < 2:
        return ModelResponse(parts=[ToolCallPart('t', {'x': 1}, 'c1')])
    return ModelResponse(parts=[TextPart(f't{len(m)}')])


async def slow(m, i):
    await asyncio.sleep(10)


async def main():
    a = Agent(FunctionModel(slow), capabilities=[C()])
    task = asyncio.ensure_future(a.run('x'))
    await asyncio.sleep(0.1)
    task.cancel()
    try:
        await task
    except BaseException as e:
        print(type(e).__name__)
    try:
        async with a.iter('x') as run:
            async for n in run:
                raise KeyError('mine')
    except BaseException as e:
        print(type(e).__name__)
    try:
        async with a.iter('x') as run:
            async for n in run:
                break
        print('left', run.result)
    except BaseException as e:
        print(type(e).__name__)
    try:
        await asyncio.wait_for(a.run('x'), 0.1)
    except BaseException as e:
        print(type(e).__name__)


asyncio.run(main())


class R(AbstractCapability):
    def get_ordering(self):
        return CapabilityOrdering(requires=[C])


for caps in ([R()], [R(), C()], [C(), R()]):
    try:
        Agent('test', capabilities=caps)
        print('made')
    except Exception as e:
        print(type(e).__name__)
