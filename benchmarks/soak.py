"""Make thousands of runs whose tools run in parallel, fail, time out and are cancelled, and check that nothing leaks.

    python benchmarks/soak.py [--runs 10000] [--at-once 50]

Tasks, threads, traced memory, objects and the size of the process are measured after a warm-up, and at the end. Exit
status: 1 if tasks or threads remain, or if memory grows with the number of runs.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

from stead import Agent, ModelMessage, ModelResponse, ModelRetry, TextPart, Tool, ToolCallPart, UsageLimits
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

GROWTH_ALLOWED = 20
"""Bytes of traced memory that each run may leave behind; any leaked object takes more."""
SLACK = 200_000
"""Bytes by which memory varies in any case, because of caches and threads."""


async def quick(n: int = 0) -> int:
    await asyncio.sleep(0)
    return n


def in_thread(n: int = 0) -> int:
    return n


async def fails() -> None:
    await asyncio.sleep(0.001)
    raise ValueError('soak')


async def slow() -> None:
    try:
        await asyncio.sleep(30)
    finally:
        await asyncio.sleep(0)


def slow_in_thread() -> None:
    time.sleep(0.02)


def asks_again() -> None:
    raise ModelRetry('again')


def counts() -> Iterator[int]:
    yield from range(3)


CALLS: dict[str, list[str]] = {
    'parallel': ['quick', 'in_thread', 'quick', 'in_thread', 'quick'],
    'failing': ['slow', 'fails', 'quick', 'slow'],
    'informed': ['fails_softly', 'quick'],
    'retried': ['asks_again', 'quick'],
    'timing out': ['times_out', 'quick'],
    'timing out in a thread': ['times_out_in_thread', 'in_thread'],
    'cancelled': ['slow', 'slow_in_thread', 'quick'],
    'waiting for each other': ['one_by_one'] * 4,
    'generators': ['counts', 'quick'],
    'streamed': ['quick', 'counts', 'in_thread'],
}


def agent_for(names: list[str]) -> Agent[None, str]:
    """Return an agent whose model calls these tools at once, and then ends the run."""
    calls = [ToolCallPart(name, {}, tool_call_id=str(index)) for index, name in enumerate(names)]

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(calls) if len(messages) == 1 else ModelResponse([TextPart('done')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if len(messages) > 1:
            yield 'done'
        else:
            yield {
                index: DeltaToolCall(name=call.tool_name, json_args='{}', tool_call_id=call.tool_call_id)
                for index, call in enumerate(calls)
            }

    tools: list[Any] = [quick, in_thread, fails, slow, slow_in_thread, asks_again, counts]
    tools += [
        Tool(fails, name='fails_softly', on_tool_error='inform'),
        Tool(slow, name='times_out', timeout=0.005),
        Tool(slow_in_thread, name='times_out_in_thread', timeout=0.005),
        Tool(quick, name='one_by_one', max_tool_concurrency=1),
    ]
    return Agent(FunctionModel(respond, stream_function=stream), tools=tools)


async def one_run(kind: str, agent: Agent[None, str]) -> str:
    """Make a run of a kind, and return how it ended."""
    try:
        if kind == 'cancelled':
            await asyncio.wait_for(agent.run('go'), 0.01)
        elif kind == 'streamed':
            async with agent.run_stream_events('go') as events:
                async for _ in events:
                    pass
        else:
            await agent.run('go', usage_limits=UsageLimits(request_limit=5))
    except (ValueError, asyncio.TimeoutError) as error:
        return f'{kind}: {type(error).__name__}'
    return f'{kind}: done'


class Resources(NamedTuple):
    """The resources in use at one moment."""

    tasks: int
    threads: int
    traced: int
    objects: int
    resident: int


async def resources() -> Resources:
    """Measure the resources in use, once abandoned threads are done."""
    await asyncio.sleep(0.2)
    for _ in range(3):
        gc.collect()
    return Resources(
        len(asyncio.all_tasks()),
        threading.active_count(),
        tracemalloc.get_traced_memory()[0],
        len(gc.get_objects()),
        resident(),
    )


def resident() -> int:
    """Return the size of the process in memory, or 0 if the system does not report it."""
    try:
        with open('/proc/self/statm', encoding='ascii') as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


async def soak(runs: int, at_once: int) -> tuple[Resources, Resources, Counter[str]]:
    """Make the runs, a number of them at once; return the resources before and after, and how the runs ended."""
    agents = {kind: agent_for(names) for kind, names in CALLS.items()}
    kinds = list(CALLS)
    ends: Counter[str] = Counter()

    async def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            kind = kinds[number % len(kinds)]
            ends[await one_run(kind, agents[kind])] += 1

    async def make(count: int) -> None:
        numbers = iter(range(count))
        await asyncio.gather(*(work(numbers) for _ in range(at_once)))

    await make(max(1000, at_once * len(kinds)))
    ends.clear()
    before = await resources()
    await make(runs)
    return before, await resources(), ends


def main() -> int:
    """Soak, report, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--runs', type=int, default=10_000)
    parser.add_argument('--at-once', type=int, default=50)
    options = parser.parse_args()
    tracemalloc.start()
    began = time.perf_counter()
    before, after, ends = asyncio.run(soak(options.runs, options.at_once))
    print(f'{options.runs} runs, {options.at_once} at once, in {time.perf_counter() - began:.0f} s')
    for end, count in sorted(ends.items()):
        print(f'  {count:6} {end}')
    print(f'{"":10}{"tasks":>8}{"threads":>9}{"traced kB":>11}{"objects":>9}{"process MB":>12}')
    for name, at in (('warm', before), ('at the end', after)):
        sizes = f'{at.traced / 1e3:11.0f}{at.objects:9}{at.resident / 1e6:12.1f}'
        print(f'{name:10}{at.tasks:8}{at.threads:9}{sizes}')
    growth = after.traced - before.traced
    print(f'{growth / options.runs:.1f} bytes of memory a run')
    leaks = after.tasks > 1 or after.threads > 41 or growth > SLACK + GROWTH_ALLOWED * options.runs
    return 1 if leaks else 0


if __name__ == '__main__':
    sys.exit(main())
