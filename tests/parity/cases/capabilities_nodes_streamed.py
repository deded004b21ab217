"""Hooks around nodes while a run is streamed, and the warning where `async for` leaves out `wrap_node_run`."""

import asyncio
import warnings

from _common import fact
from pydantic_ai import Agent
from pydantic_ai._agent_graph import CallToolsNode, ModelRequestNode
from pydantic_ai.capabilities import AbstractCapability, Hooks
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_graph import End

log = []


class Watch(AbstractCapability):
    def __init__(self, name='', act=None):
        self.name = name
        self.act = act

    async def before_node_run(self, ctx, *, node):
        log.append([f'before{self.name}', type(node).__name__, ctx.run_step])
        return self.act(ctx, node) if self.act else node

    async def after_node_run(self, ctx, *, node, result):
        log.append([f'after{self.name}', type(node).__name__, type(result).__name__])
        return result

    async def wrap_node_run(self, ctx, *, node, handler):
        log.append([f'wrap{self.name}', type(node).__name__])
        return await handler(node)

    async def on_node_run_error(self, ctx, *, node, error):
        log.append([f'error{self.name}', type(node).__name__, type(error).__name__])
        raise error

    async def before_model_request(self, ctx, request_context):
        log.append(['request', [getattr(part, 'content', None) for part in request_context.messages[-1].parts]])
        return request_context


def is_first(messages):
    return not any(isinstance(message, ModelResponse) for message in messages)


def answer(messages, info):
    return ModelResponse(parts=[ToolCallPart('t', {}, 'c') if is_first(messages) else TextPart('done')])


async def stream_answer(messages, info):
    if is_first(messages):
        yield {0: DeltaToolCall(name='t', json_args='{}', tool_call_id='c')}
    else:
        yield 'do'
        yield 'ne'


def agent_with(*capabilities):
    agent = Agent(FunctionModel(answer, stream_function=stream_answer), capabilities=capabilities)

    @agent.tool_plain
    def t():
        log.append(['tool'])
        return 1

    return agent


async def show(context, events):
    async for event in events:
        log.append(['event', type(event).__name__])


async def streamed(agent):
    async with agent.run_stream('hi', event_stream_handler=show) as result:
        return await result.get_output()


async def left(agent):
    async with agent.run_stream('hi') as result:
        return type(result).__name__


async def with_handler(agent):
    return (await agent.run('hi', event_stream_handler=show)).output


async def whole(agent):
    return (await agent.run('hi')).output


def at(step, kind, act):
    return lambda ctx, node: act() if isinstance(node, kind) and ctx.run_step == step else node


def fail():
    raise LookupError('refused')


def prompt(text):
    return ModelRequestNode(ModelRequest(parts=[UserPromptPart(text)]))


ACTS = {
    'watched': None,
    'first request replaced': at(0, ModelRequestNode, lambda: prompt('replaced')),
    'second request replaced': at(1, ModelRequestNode, lambda: prompt('replaced')),
    'refused': at(1, ModelRequestNode, fail),
    'request becomes calls': at(1, ModelRequestNode, lambda: CallToolsNode(ModelResponse(parts=[TextPart('at once')]))),
    'calls become a request': at(1, CallToolsNode, lambda: prompt('instead')),
}


async def run(name, way, agent):
    log.clear()
    try:
        outcome = await way(agent)
    except Exception as error:
        outcome = type(error).__name__
    fact(f'{name} {way.__name__}', [outcome, *log])


class Before(AbstractCapability):
    async def before_node_run(self, ctx, *, node):
        return node


class Wrap(AbstractCapability):
    async def wrap_node_run(self, ctx, *, node, handler):
        return await handler(node)


class After(AbstractCapability):
    async def after_node_run(self, ctx, *, node, result):
        return result


class OnError(AbstractCapability):
    async def on_node_run_error(self, ctx, *, node, error):
        raise error


async def around(ctx, *, node, handler):
    return await handler(node)


async def by_iteration(agent):
    async with agent.iter('hi') as run_by_hand:
        async for _ in run_by_hand:
            pass


async def by_next(agent):
    async with agent.iter('hi') as run_by_hand:
        node = run_by_hand.next_node
        while not isinstance(node, End):
            node = await run_by_hand.next(node)


async def main():
    for name, act in ACTS.items():
        for way in (streamed, left, whole, with_handler):
            await run(name, way, agent_with(Watch(act=act)))
    await run('two', streamed, agent_with(Watch('1'), Watch('2')))
    for capability in (Before(), Wrap(), After(), OnError(), Hooks(node_run=around), Wrap().prefix_tools('x')):
        for way in (by_iteration, by_next, whole, streamed):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                await way(agent_with(capability))
            fact(f'{type(capability).__name__} {way.__name__}', [warning.category.__name__ for warning in caught])


asyncio.run(main())
