"""Events that a program emits, as each reader of the events of a run sees them."""

import asyncio
from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import Hooks, ProcessEventStream
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import CapabilityEvent, CustomEvent
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage


@dataclass(kw_only=True)
class Progress(CustomEvent):
    done: int = 0


@dataclass(kw_only=True)
class Noted(CapabilityEvent, namespace='noter'):
    n: int = 0


def show(event: object) -> None:
    print('  ', event if isinstance(event, CustomEvent) else type(event).__name__)


async def handle(ctx: RunContext[None], events: AsyncIterable[Any]) -> None:
    print(' handler')
    async for event in events:
        show(event)


def agent_with(*capabilities: Any) -> 'Agent[None, str]':
    hooks = Hooks[None]()

    @hooks.on.before_model_request
    async def before(ctx: Any, request_context: Any) -> Any:
        await ctx.emit(Progress(done=7))
        return request_context

    agent = Agent(TestModel(), capabilities=[hooks, *capabilities])

    @agent.tool
    async def work(ctx: RunContext[None]) -> str:
        event = Progress(done=1)
        print(' same', await ctx.emit(event) is event)
        await ctx.emit(Progress(done=2, tool_call_id='mine', tool_name='other'))
        try:
            await ctx.emit(Noted(n=1))
        except UserError:
            print(' not of a capability')
        return 'ok'

    @agent.instructions
    async def instruct(ctx: RunContext[None]) -> str:
        await ctx.emit(Progress(done=99))
        return 'hi'

    @agent.output_validator
    async def check(ctx: RunContext[None], output: str) -> str:
        await ctx.emit(Progress(done=50))
        return output

    return agent


async def main() -> None:
    print('run')
    print((await agent_with().run('x')).output)
    print('handler')
    await agent_with(ProcessEventStream(handle)).run('x')
    print('events')
    async with agent_with().run_stream_events('x') as events:
        async for event in events:
            show(event)
    print('nodes')
    async with agent_with().iter('x') as run:
        async for node in run:
            print(' ', type(node).__name__)
            if Agent.is_model_request_node(node) or Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as stream:
                    async for event in stream:
                        show(event)
    print('outside')
    try:
        await RunContext(deps=None, model=TestModel(), usage=RunUsage()).emit(Progress())
    except UserError:
        print(' no run')


asyncio.run(main())
