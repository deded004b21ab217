"""`Agent.on_event`, `AgentRun.emit`, and what the reader of the events of a run knows of it."""

import asyncio
from dataclasses import dataclass

from pydantic_ai import Agent, AgentRunEvents, CustomEvent, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import FinalResultEvent, FunctionToolCallEvent, PartStartEvent
from pydantic_ai.models.test import TestModel


@dataclass
class Progress(CustomEvent):
    """An event of the program."""

    done: int = 0


class Listener(AbstractCapability):
    """A capability that listens."""

    async def on_event(self, ctx, *, event):
        """Note an event."""
        if isinstance(event, FinalResultEvent):
            heard.append('capability')


heard = []
agent = Agent(TestModel(), capabilities=[Listener()])


@agent.on_event
async def everything(ctx: RunContext[None], event):
    """Note every event."""
    heard.append(type(event).__name__)


@agent.on_event(FunctionToolCallEvent)
def calls(ctx: RunContext[None], event: FunctionToolCallEvent):
    """Note calls."""
    heard.append(f'call of {event.part.tool_name}')


@agent.on_event(PartStartEvent, FinalResultEvent, Progress, timeout=1)
async def several(ctx: RunContext[None], event):
    """Note events of several types; what it returns takes their place."""
    heard.append(f'one of several in step {ctx.run_step}')
    return PartStartEvent(index=5, part=event)


@agent.tool
async def count(ctx: RunContext[None], a: int) -> str:
    """Emit an event."""
    await ctx.emit(Progress(done=1))
    return 'x'


def tried(what, function):
    """Print what a function returns, or its error."""
    try:
        value = function()
    except Exception as error:
        print(what, type(error).__name__)
    else:
        print(what, len(value) if isinstance(value, list) else type(value).__name__)


async def read():
    """Read the events of a run, and what is known of it meanwhile."""
    async with agent.run_stream_events('q') as events:
        print(isinstance(events, AgentRunEvents))
        for name in ('all_messages', 'new_messages'):
            tried(name, getattr(events, name))
        tried('usage', lambda: events.usage)
        tried('result', lambda: events.result)
        async for _ in events:
            break
        for name in ('all_messages', 'new_messages'):
            tried(name, getattr(events, name))
        tried('result', lambda: events.result)
        async for _ in events:
            pass
        for name in ('all_messages', 'new_messages', 'cancel'):
            tried(name, getattr(events, name))
        print(events.usage.requests, type(events.result).__name__)
    for moment in (0, 2):
        try:
            async with agent.run_stream_events('q', message_history=events.all_messages()) as stopped:
                if moment == 0:
                    stopped.cancel()
                seen = 0
                async for event in stopped:
                    seen += 1
                    if seen == moment:
                        print(type(event).__name__, len(stopped.new_messages()))
                        stopped.cancel()
        except BaseException as error:
            print(type(error).__name__, stopped.result)


async def main():
    """Run the agent in every way."""
    print(everything.__name__, several.__name__)
    await agent.run('q')
    print(heard)
    heard.clear()
    async with agent.iter('q') as run:
        print(await run.emit(Progress(done=2)))
        async for node in run:
            print(type(node).__name__, heard)
            heard.clear()
        tried('result', lambda: run.result)
        try:
            await run.emit(Progress(done=3))
        except Exception as error:
            print(type(error).__name__)
    async with agent.iter('q') as run:
        node = run.next_node
        while not Agent.is_end_node(node):
            node = await run.next(node)
            print(type(node).__name__, heard)
            heard.clear()
    await read()
    slow = Agent(TestModel())

    @slow.on_event(timeout=0.01)
    async def wait(ctx, event):
        await asyncio.sleep(1)

    try:
        await slow.run('q')
    except Exception as error:
        print(type(error).__name__, error)
    wrong = Agent(TestModel())

    @wrong.on_event()
    def fail(ctx, event):
        raise ValueError('no')

    try:
        await wrong.run('q')
    except Exception as error:
        print(type(error).__name__, error)


asyncio.run(main())
