"""Spans are around all hooks; what hooks answer, skip and recover shows."""

import asyncio

from _common import call, script
from _instrumentation import REQUEST, SETUP, recording, trace
from opentelemetry.trace import get_current_span
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, Instrumentation
from pydantic_ai.exceptions import SkipModelRequest, SkipToolExecution
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.run import AgentRunResult


def inside():
    return getattr(get_current_span(), 'name', None)


class Spy(AbstractCapability):
    async def wrap_run(self, ctx, *, handler):
        print('  run', inside())
        return await handler()

    async def wrap_node_run(self, ctx, *, node, handler):
        print('  node', type(node).__name__, inside())
        return await handler(node)

    async def before_model_request(self, ctx, request_context):
        print('  before request', inside())
        return request_context

    async def wrap_model_request(self, ctx, *, request_context, handler):
        print('  request', inside())
        return await handler(request_context)

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        print('  tool', inside())
        return await handler(args)

    async def wrap_output_process(self, ctx, *, output_context, output, handler):
        print('  output', inside())
        return await handler(output)


class Hooked(AbstractCapability):
    """Has the hooks that it is given."""

    def __init__(self, **hooks):
        self.__dict__.update(hooks)


def with_tool(*capabilities):
    agent = Agent(script([call('t', {})], [TextPart('done')]), name='h', capabilities=capabilities)

    @agent.tool_plain
    def t():
        print('  in the tool', inside())
        return 1

    return agent


async def skip_request(ctx, request_context):
    raise SkipModelRequest(ModelResponse(parts=[TextPart('skipped')]))


async def skip_request_inside(ctx, *, request_context, handler):
    raise SkipModelRequest(ModelResponse(parts=[TextPart('skipped')]))


async def skip_tool(ctx, *, call, tool_def, args):
    raise SkipToolExecution('skipped')


async def skip_tool_inside(ctx, *, call, tool_def, args, handler):
    raise SkipToolExecution('skipped')


async def fail(ctx, *, request_context, handler):
    raise ValueError('broken hook')


async def recover(ctx, *, request_context, error):
    return ModelResponse(parts=[TextPart('recovered')])


async def rescue(ctx, *, handler):
    try:
        return await handler()
    except ValueError:
        return AgentRunResult('rescued')


trace('spy', lambda capabilities: with_tool(Spy(), *capabilities), 'x', without=REQUEST)
for title, hooks in {
    'skipped request': {'before_model_request': skip_request},
    'skipped request inside': {'wrap_model_request': skip_request_inside},
    'skipped tool': {'before_tool_execute': skip_tool},
    'skipped tool inside': {'wrap_tool_execute': skip_tool_inside},
    'recovered': {'wrap_model_request': fail, 'on_model_request_error': recover},
    'rescued': {'wrap_model_request': fail, 'wrap_run': rescue},
}.items():
    kind = type('Kind', (AbstractCapability,), {name: staticmethod(hook) for name, hook in hooks.items()})
    trace(title, lambda capabilities: with_tool(*capabilities, kind()), 'x', without=REQUEST)


async def left(error):
    recorder, settings = recording()
    agent = Agent(TestModel(), name='left', capabilities=[Instrumentation(settings)])
    try:
        async with agent.iter('x') as run:
            async for node in run:
                if error:
                    raise error
                break
    except KeyError as raised:
        print('  raised', raised)
    recorder.show(without=SETUP)


async def cancelled():
    async def slow(messages, info):
        await asyncio.sleep(5)

    recorder, settings = recording()
    task = asyncio.ensure_future(
        Agent(FunctionModel(slow), name='slow', capabilities=[Instrumentation(settings)]).run('x')
    )
    await asyncio.sleep(0.05)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print('  cancelled')
    recorder.show(without=SETUP)


print('== left early')
asyncio.run(left(None))
print('== left by an error')
asyncio.run(left(KeyError('mine')))
print('== cancelled')
asyncio.run(cancelled())
