"""Event streams through `ProcessEventStream` and `Hooks`, and system prompts put back."""

import asyncio

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import Hooks, ProcessEventStream
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
log = []


async def src(n=3, fail=False):
    for i in range(n):
        log.append(f'src{i}')
        yield f'e{i}'
    if fail:
        raise ValueError('src')
    log.append('src end')


async def collect(cap, **kw):
    log.clear()
    out = []
    try:
        async for e in cap.wrap_run_event_stream(ctx, stream=src(**kw)):
            log.append(f'got {e}')
            out.append(e)
    except Exception as e:
        log.append(f'raised {type(e).__name__}')
    return log[:]


async def obs(ctx, stream):
    async for e in stream:
        log.append(f'h {e}')
    log.append('h end')


async def obs1(ctx, stream):
    async for e in stream:
        log.append(f'h {e}')
        return


async def obsfail(ctx, stream):
    async for e in stream:
        log.append(f'h {e}')
        raise KeyError('h')


async def obsret(ctx, stream):
    log.append('never')


async def trans(ctx, stream):
    async for e in stream:
        if e != 'e1':
            yield e + '!'


def sync(ctx, stream):
    log.append('sync')
    return


def sync_t(ctx, stream):
    return trans(ctx, stream)


def sync_c(ctx, stream):
    return obs(ctx, stream)


class CallObs:
    async def __call__(self, ctx, stream):
        async for e in stream:
            log.append(f'c {e}')


async def main():
    for f in (obs, obs1, obsret, trans, sync_t, sync_c, CallObs()):
        try:
            print(
                getattr(f, '__name__', 'obj'),
                [line for line in await collect(ProcessEventStream(f)) if line.startswith('got')],
                sorted(log),
            )
        except Exception as e:
            print(type(e).__name__)
    # hooks event
    h = Hooks()

    @h.on.event
    async def ev(ctx, event):
        log.append(f'ev {event}')
        return event + '?'

    @h.on.event
    def ev2(ctx, event):
        log.append(f'ev2 {event}')
        return event + '2'

    print('hooks event', await collect(h), h.has_wrap_run_event_stream)
    h = Hooks()

    @h.on.run_event_stream
    async def st(ctx, *, stream):
        async for e in stream:
            yield e + 's'

    @h.on.event
    async def silent(ctx, event):
        return None

    print('hooks stream', await collect(h))
    h = Hooks(event=lambda ctx, event: event + '+')
    h.on.run_event_stream(st)

    @h.on.run_event_stream
    async def st2(ctx, *, stream):
        async for e in stream:
            yield e + 'S'

    print('both', await collect(h))
    m = TestModel(custom_output_text='hello world')
    seen = []

    async def handler(ctx, stream):
        async for e in stream:
            seen.append(type(e).__name__)

    a = Agent(m, capabilities=[ProcessEventStream(handler)])

    @a.tool_plain
    def t() -> int:
        return 1

    r = await a.run('x')
    print(seen, r.output)


asyncio.run(main())
