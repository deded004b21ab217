"""Reading the events of a run without a block: it warns, and what is left is closed."""

import asyncio
import warnings
from contextlib import contextmanager

from _common import fact
from _stream import call, script
from pydantic_ai import Agent


def agent():
    built = Agent(script(call('t'), ['a']))

    @built.tool_plain
    def t() -> str:
        return 'x'

    return built


@contextmanager
def warned(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield
    kinds = [item.category.__name__ for item in caught if not issubclass(item.category, ResourceWarning)]
    fact(name, [kinds, {item.filename.rpartition('/')[2] for item in caught} <= {'stream_events_left.py'}])


async def alone():
    """Whether nothing else goes on, within a second."""
    for _ in range(1000):
        if len(asyncio.all_tasks()) == 1:
            return True
        await asyncio.sleep(0.001)
    return False


async def main():
    for most in (1, 4, 8, 100):
        with warned(f'left after {most}'):
            seen = 0
            async for _ in agent().run_stream_events('x'):
                seen += 1
                if seen == most:
                    break
        fact('closed', await alone())
    with warned('kept'):
        events = agent().run_stream_events('x')
        async for _ in events:
            break
        fact('closed', await alone())
        fact('again', [type(event).__name__ async for event in events])
        await events.aclose()
    with warned('block'):
        async with agent().run_stream_events('x') as events:
            async for event in events:
                fact('first', type(event).__name__)
                break
            fact('again', [type(event).__name__ async for event in events])
    with warned('block, left'):
        async with agent().run_stream_events('x') as events:
            async for _ in events:
                break
        fact('closed', await alone())
    with warned('next'):
        events = agent().run_stream_events('x')
        fact('first', type(await anext(events)).__name__)
        await events.aclose()
        fact('closed', await alone())
    with warned('raised'):
        try:
            async for _ in agent().run_stream_events('x'):
                raise KeyError
        except KeyError:
            fact('closed', await alone())
    with warned('never read'):
        agent().run_stream_events('x')


asyncio.run(main())
