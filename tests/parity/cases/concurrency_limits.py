"""Limiters: counts, order of arrival, full queues, cancelled waiters, and what can be given as a limit."""

import asyncio
import json

from pydantic_ai.concurrency import (
    AbstractConcurrencyLimiter,
    ConcurrencyLimit,
    ConcurrencyLimiter,
    get_concurrency_context,
    normalize_to_limiter,
)
from pydantic_ai.exceptions import ConcurrencyLimitExceeded


def show(*facts):
    print(json.dumps(facts, default=repr))


def counts(limiter):
    return [limiter.running_count, limiter.available_count, limiter.waiting_count]


async def main():
    limiter = ConcurrencyLimiter(1, max_queued=2, name='pool')
    show(limiter.name, limiter.max_running, counts(limiter))
    order = []

    async def work(number):
        try:
            await limiter.acquire(f'worker {number}')
        except ConcurrencyLimitExceeded:
            order.append([number, 'full'])
            return
        order.append(number)
        await asyncio.sleep(0)
        limiter.release()

    await limiter.acquire('holder')
    tasks = [asyncio.create_task(work(number)) for number in range(4)]
    await asyncio.sleep(0.01)
    show(order, len([task for task in tasks if task.done()]))
    tasks[0].cancel()
    await asyncio.sleep(0.01)
    limiter.release()
    await asyncio.gather(*tasks, return_exceptions=True)
    show(sorted(map(repr, order)), counts(limiter))

    unlimited = ConcurrencyLimiter(2)
    order = []

    async def queued(number):
        async with get_concurrency_context(unlimited, 'queued'):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(queued(number) for number in range(6)))
    show(order, counts(unlimited))
    async with get_concurrency_context(None, 'nobody') as slot:
        show(slot)
    try:
        async with get_concurrency_context(unlimited, 'failing'):
            show(counts(unlimited))
            raise ValueError
    except ValueError:
        show(counts(unlimited))


asyncio.run(main())
for limit in (3, ConcurrencyLimit(3), ConcurrencyLimit(max_running=3, max_queued=1)):
    normalized = normalize_to_limiter(limit, name='n')
    show(
        repr(limit),
        type(normalized).__name__,
        normalized.max_running,
        normalized.name,
        isinstance(normalized, AbstractConcurrencyLimiter),
    )
show(
    normalize_to_limiter(None),
    normalize_to_limiter(normalized) is normalized,
    ConcurrencyLimiter.from_limit(4).max_running,
)
try:
    ConcurrencyLimiter(-1)
except ValueError as error:
    show(type(error).__name__)
