"""What happens to tools beside one that fails or runs out of retries, and when the run is cancelled."""

import asyncio

from _common import fact
from _execution import LOG, caller, logged, note, sleeper
from pydantic_ai import ModelRetry

BOOM = ValueError('boom')
logged(
    'fails first',
    caller('a', 'b', 'c', tools=[sleeper('a', 5, clean=True), sleeper('b', 0.05, BOOM), sleeper('c', 0.01)]),
)
logged('fails last', caller('a', 'b', tools=[sleeper('a', 0.01), sleeper('b', 0.05, BOOM)]))
logged('a retry cancels nobody', caller('a', 'b', tools=[sleeper('a', 0.05), sleeper('b', 0.01, ModelRetry('again'))]))
logged(
    'no retry left',
    caller('a', 'b', tools=[sleeper('a', 5), sleeper('b', 0.01, ModelRetry('again'), max_retries=0)]),
)


def sync_boom():
    note('sync')
    raise BOOM


logged('in a thread', caller('a', 'sync_boom', tools=[sleeper('a', 5), sync_boom]))


async def stubborn():
    try:
        await asyncio.sleep(1)
    except asyncio.CancelledError:
        note('goes on')
    await asyncio.sleep(0.02)
    note('done')
    return 'all the same'


logged('one that does not stop', caller('stubborn', 'b', tools=[stubborn, sleeper('b', 0.02, BOOM)]))


async def worse():
    try:
        await asyncio.sleep(1)
    finally:
        note('fails while it is cancelled')
        raise KeyError('worse')


logged('one that fails when it is cancelled', caller('worse', 'b', tools=[worse, sleeper('b', 0.02, BOOM)]))


async def cancelled():
    LOG.clear()
    task = asyncio.ensure_future(
        caller('a', 'b', 'c', tools=[sleeper('a', 5, clean=True), sleeper('b', 5, clean=True), sleeper('c', 0.01)]).run(
            'q'
        )
    )
    await asyncio.sleep(0.1)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        note('cancelled')
    fact('the run is cancelled', LOG)
    LOG.clear()
    try:
        await asyncio.wait_for(caller('a', tools=[sleeper('a', 5)]).run('q'), 0.1)
    except asyncio.TimeoutError:
        note('timed out')
    fact('one tool', LOG)


asyncio.run(cancelled())
