"""`ThreadExecutor`: which functions run on its threads, and for how long it counts."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from _hooks import Out
from pydantic_ai import Agent
from pydantic_ai.capabilities import Hooks, ThreadExecutor
from pydantic_ai.models.test import TestModel

seen = {}


def where():
    name = threading.current_thread().name
    return (
        'mine'
        if name.startswith('mine')
        else 'other'
        if name.startswith('other')
        else 'main'
        if 'Main' in name
        else 'default'
    )


def noted(name, value=None):
    seen.setdefault(name, []).append(where())
    return value


def make(*capabilities):
    agent = Agent(TestModel(), output_type=Out, capabilities=list(capabilities))

    @agent.tool_plain
    def sync_tool() -> str:
        return noted('tool', 'x')

    @agent.tool_plain
    async def async_tool() -> str:
        return noted('async tool', 'x')

    @agent.instructions
    def instructions() -> str:
        return noted('instructions', 'text')

    @agent.output_validator
    def check(value):
        return noted('validator', value)

    return agent


def show(label):
    print(label, {name: sorted(set(places)) for name, places in sorted(seen.items())})
    seen.clear()


async def main():
    with (
        ThreadPoolExecutor(2, thread_name_prefix='mine') as executor,
        ThreadPoolExecutor(1, thread_name_prefix='other') as other,
    ):
        await make().run('hi')
        show('none')
        await make(ThreadExecutor(executor)).run('hi')
        show('mine')
        await make(ThreadExecutor(executor), ThreadExecutor(other)).run('hi')
        show('two')
        await make(ThreadExecutor(executor)).run('hi', capabilities=[ThreadExecutor(other)])
        show('for the run')
        await make().run('hi')
        show('after')
        await make(ThreadExecutor(executor), Hooks(before_run=lambda ctx: noted('hook'))).run('hi')
        show('hooks')
        await asyncio.gather(make(ThreadExecutor(executor)).run('hi'), make().run('hi'))
        show('beside a run without')
        async with make(ThreadExecutor(executor)).iter('hi') as run:
            async for _ in run:
                pass
        show('iter')
        async with make(ThreadExecutor(executor)).run_stream_events('hi') as events:
            async for _ in events:
                pass
        show('events')


asyncio.run(main())
print(ThreadExecutor.get_serialization_name())
