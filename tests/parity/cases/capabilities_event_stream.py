"""Event streams through `ProcessEventStream` and `Hooks`."""

import asyncio

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import Hooks, ProcessEventStream
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
log = []


async def source(count=3, fail=False):
    for number in range(count):
        log.append(f'src{number}')
        yield f'e{number}'
    if fail:
        raise ValueError('src')
    log.append('src end')


async def collect(capability, **options):
    log.clear()
    events = []
    try:
        async for error in capability.wrap_run_event_stream(ctx, stream=source(**options)):
            log.append(f'got {error}')
            events.append(error)
    except Exception as error:
        log.append(f'raised {type(error).__name__}')
    return log[:]


async def observe(ctx, stream):
    async for event in stream:
        log.append(f'h {event}')
    log.append('h end')


async def observe_one(ctx, stream):
    async for event in stream:
        log.append(f'h {event}')
        return


async def observe_and_fail(ctx, stream):
    async for event in stream:
        log.append(f'h {event}')
        raise KeyError('h')


async def observe_nothing(ctx, stream):
    log.append('never')


async def change(ctx, stream):
    async for event in stream:
        if event != 'e1':
            yield event + '!'


def sync(ctx, stream):
    log.append('sync')
    return


def sync_change(ctx, stream):
    return change(ctx, stream)


def sync_observe(ctx, stream):
    return observe(ctx, stream)


class CallableObserver:
    async def __call__(self, ctx, stream):
        async for event in stream:
            log.append(f'c {event}')


OBSERVERS = {
    'obs': observe,
    'obs1': observe_one,
    'obsret': observe_nothing,
    'trans': change,
    'sync_t': sync_change,
    'sync_c': sync_observe,
    'obj': CallableObserver(),
}


async def main():
    for label, function in OBSERVERS.items():
        try:
            print(
                label,
                [line for line in await collect(ProcessEventStream(function)) if line.startswith('got')],
                sorted(log),
            )
        except Exception as error:
            print(type(error).__name__)
    # hooks event
    hooks = Hooks()

    @hooks.on.event
    async def mark_event(ctx, event):
        log.append(f'ev {event}')
        return event + '?'

    @hooks.on.event
    def mark_event_sync(ctx, event):
        log.append(f'ev2 {event}')
        return event + '2'

    print('hooks event', await collect(hooks), hooks.has_wrap_run_event_stream)
    hooks = Hooks()

    @hooks.on.run_event_stream
    async def mark_stream(ctx, *, stream):
        async for event in stream:
            yield event + 's'

    @hooks.on.event
    async def silent(ctx, event):
        return None

    print('hooks stream', await collect(hooks))
    hooks = Hooks(event=lambda ctx, event: event + '+')
    hooks.on.run_event_stream(mark_stream)

    @hooks.on.run_event_stream
    async def mark_stream_again(ctx, *, stream):
        async for event in stream:
            yield event + 'S'

    print('both', await collect(hooks))
    model = TestModel(custom_output_text='hello world')
    seen = []

    async def handler(ctx, stream):
        async for event in stream:
            seen.append(type(event).__name__)

    agent = Agent(model, capabilities=[ProcessEventStream(handler)])

    @agent.tool_plain
    def t() -> int:
        return 1

    result = await agent.run('x')
    print(seen, result.output)


asyncio.run(main())
