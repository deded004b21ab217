"""Limiters under load, cancellation, threads and several event loops."""

from __future__ import annotations

import asyncio
import random
import threading
from contextlib import contextmanager
from typing import Any

import pytest

from stead.concurrency import ConcurrencyLimit, ConcurrencyLimiter, limited, normalize_to_limiter
from stead.exceptions import ConcurrencyLimitExceeded


def free(limiter: ConcurrencyLimiter) -> bool:
    return (limiter.running_count, limiter.waiting_count) == (0, 0)


def test_never_more_than_allowed_and_in_order_of_arrival():
    limiter, order, most = ConcurrencyLimiter(3), list[int](), 0

    async def work(number: int):
        nonlocal most
        async with limited(limiter, 'work'):
            order.append(number)
            most = max(most, limiter.running_count)
            await asyncio.sleep(0)

    async def main():
        await asyncio.gather(*(work(number) for number in range(50)))

    asyncio.run(main())
    assert (order, most) == (list(range(50)), 3)
    assert free(limiter)


def test_nobody_overtakes_a_waiter_that_was_just_woken():
    limiter, order = ConcurrencyLimiter(1), list[str]()

    async def work(name: str):
        async with limited(limiter, name):
            order.append(name)

    async def main():
        await limiter.acquire('holder')
        first = asyncio.create_task(work('first'))
        await asyncio.sleep(0)
        limiter.release()  # hands the permit to `first`, which has not run yet
        second = asyncio.create_task(work('second'))
        await asyncio.gather(first, second)

    asyncio.run(main())
    assert order == ['first', 'second']


@pytest.mark.parametrize('seed', range(20))
def test_cancellation_leaks_no_permit(seed: int):
    chance = random.Random(seed)
    limiter = ConcurrencyLimiter(2)

    async def work():
        async with limited(limiter, 'work'):
            await asyncio.sleep(chance.choice([0, 0, 0.001]))

    async def main():
        tasks = [asyncio.create_task(work()) for _ in range(30)]
        for _ in range(10):
            await asyncio.sleep(0)
            chance.choice(tasks).cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)

    asyncio.run(main())
    assert free(limiter)


def test_cancelled_between_grant_and_wake_up_passes_the_permit_on():
    limiter, holders = ConcurrencyLimiter(1), list[str]()

    async def work(name: str):
        await limiter.acquire(name)
        holders.append(name)
        limiter.release()

    async def main():
        await limiter.acquire('holder')
        first, second = asyncio.create_task(work('first')), asyncio.create_task(work('second'))
        await asyncio.sleep(0)
        limiter.release()
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)

    asyncio.run(main())
    assert holders == ['second'] and free(limiter)


def test_one_limiter_serves_threads_and_their_loops():
    limiter, running, most, lock = ConcurrencyLimiter(2), 0, 0, threading.Lock()

    async def work():
        nonlocal running, most
        async with limited(limiter, 'work'):
            with lock:
                running += 1
                most = max(most, running)
            await asyncio.sleep(0.001)
            with lock:
                running -= 1

    async def many():
        await asyncio.gather(*(work() for _ in range(10)))

    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most <= 2 and free(limiter)


def test_waiters_of_a_closed_loop_are_passed_over():
    limiter = ConcurrencyLimiter(1)

    async def wait_forever():
        await limiter.acquire('forever')

    loop = asyncio.new_event_loop()
    asyncio.run(limiter.acquire('holder'))
    task = loop.create_task(wait_forever())
    loop.run_until_complete(asyncio.sleep(0))
    assert limiter.waiting_count == 1
    task.cancel()
    loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    loop.close()
    limiter.release()
    assert free(limiter)
    asyncio.run(limiter.acquire('next'))
    assert limiter.running_count == 1


def test_a_full_queue_says_who_and_how_full():
    limiter = ConcurrencyLimiter(1, max_queued=0, name='pool')

    async def main():
        await limiter.acquire('first')
        with pytest.raises(ConcurrencyLimitExceeded, match=r"'second'.*'pool'.*1 of 1 run and 0 wait \(max_queued=0\)"):
            await limiter.acquire('second')

    asyncio.run(main())


def test_releasing_too_often_is_an_error():
    with pytest.raises(RuntimeError, match='more often'):
        ConcurrencyLimiter(1).release()


def test_only_waits_make_spans():
    spans: list[Any] = []

    class Tracer:
        @contextmanager
        def start_as_current_span(self, name: str, attributes: dict[str, Any]):
            spans.append((name, attributes))
            yield

    async def main(limiter: ConcurrencyLimiter):
        await limiter.acquire('one')
        task = asyncio.create_task(limiter.acquire('two'))
        await asyncio.sleep(0)
        limiter.release()
        await task

    asyncio.run(main(ConcurrencyLimiter(1, tracer=Tracer())))
    asyncio.run(main(ConcurrencyLimiter(1, max_queued=5, name='pool', tracer=Tracer())))
    common = {'source': 'two', 'waiting_count': 1, 'max_running': 1}
    assert spans == [
        ('waiting for two concurrency', common),
        ('waiting for pool concurrency', {**common, 'limiter_name': 'pool', 'max_queued': 5}),
    ]


@pytest.mark.parametrize('limit', [2, ConcurrencyLimit(2)])
def test_limits_become_limiters(limit: Any):
    limiter = normalize_to_limiter(limit, name='n')
    assert isinstance(limiter, ConcurrencyLimiter)
    assert (limiter.max_running, limiter.name) == (2, 'n')
    assert normalize_to_limiter(limiter) is limiter
    assert normalize_to_limiter(None) is None
