"""Measure what a request costs with the SDKs of vendors: stead on both of its ways, beside the SDK alone.

    python benchmarks/wire.py [VENDOR ...] [--steps N ...] [--rounds N] [--json FILE]

Requests go through the real SDKs to a transport in this process, which answers at once; xAI's go to a server in a process of its
own. Times are CPU time of this process in microseconds, the best of some rounds:

- a step of a run that calls a tool at each step, so that its history grows. `SDK alone` sends the same messages with the SDK's
  typed method, from plain data, in a loop that does nothing else; `wire='sdk'` is stead by way of that method.
- a chunk of a stream, read to its end.
- the first chunk: from the call to the first piece of text, beside the bare HTTP client (or gRPC stub) with a body that is there
  already.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from wire_vendors import RESULT, Anthropic, Chat, Google, Groq, HuggingFace, Mistral, Responses
from wire_xai import Xai

from stead import Agent, UsageLimits
from stead.messages import ModelRequest, PartDeltaEvent, PartStartEvent
from stead.models import ModelRequestParameters

NO_LIMIT = UsageLimits(request_limit=None)
CHUNKS = 2000
FIRSTS = 200

VENDORS: dict[str, Callable[[int], Any]] = {
    'openai': Chat,
    'responses': Responses,
    'anthropic': Anthropic,
    'google': Google,
    'groq': Groq,
    'mistral': Mistral,
    'xai': Xai,
    'huggingface': HuggingFace,
}


def closing(make: Callable[[int], Any], count: int, work: Callable[[Any], Awaitable[float]]) -> Callable[[], Any]:
    """Return a function that works with a vendor of its own, and ends it."""

    async def run() -> float:
        vendor = make(count)
        try:
            return await work(vendor)
        finally:
            vendor.close()

    return run


async def steps_of_stead(vendor: Any, way: str) -> float:
    agent: Agent[None, str] = Agent(vendor.model(), model_settings={'wire': way} if way != 'auto' else None)  # type: ignore[arg-type]

    @agent.tool_plain
    async def add(a: int, b: int) -> str:
        """Add."""
        return RESULT

    start = time.process_time()
    assert (await agent.run('go', usage_limits=NO_LIMIT)).output == 'done'
    return (time.process_time() - start) / (vendor.steps + 1)


async def steps_of_sdk(vendor: Any) -> float:
    messages = [vendor.start]
    start = time.process_time()
    for number in range(vendor.steps):
        await vendor.ask(messages)
        messages += vendor.turn(number)
    await vendor.ask(messages)
    return (time.process_time() - start) / (vendor.steps + 1)


async def chunks_of_stead(vendor: Any, way: str) -> float:
    agent: Agent[None, str] = Agent(vendor.model(), model_settings={'wire': way} if way != 'auto' else None)  # type: ignore[arg-type]
    start, seen = time.process_time(), 0
    async with agent.run_stream('go') as result:
        async for _ in result.stream_text(delta=True, debounce_by=None):
            seen += 1
    assert seen >= vendor.steps
    return (time.process_time() - start) / vendor.steps


async def chunks_of_sdk(vendor: Any) -> float:
    start, seen = time.process_time(), 0
    async for _ in vendor.read():
        seen += 1
    assert seen >= vendor.steps
    return (time.process_time() - start) / vendor.steps


async def first_of(open_stream: Callable[[], Any], is_text: Callable[[Any], bool]) -> float:
    """The least time from the call to the first piece of text."""
    best = 1e9
    for _ in range(FIRSTS):
        start, took = time.process_time(), 0.0
        async for item in open_stream():
            if not took and is_text(item):
                took = time.process_time() - start
        best = min(best, took)
    return best


def reading(model: Any, way: str) -> Callable[[], AsyncIterator[Any]]:
    settings: Any = {'wire': way} if way != 'auto' else None

    async def read() -> AsyncIterator[Any]:
        messages = [ModelRequest.user_text_prompt('go')]
        async with model.request_stream(messages, settings, ModelRequestParameters()) as response:
            async for event in response:
                yield event

    return read


def is_text_event(event: Any) -> bool:
    if isinstance(event, PartStartEvent):
        return bool(getattr(event.part, 'content', ''))
    return isinstance(event, PartDeltaEvent)


def best_of(rounds: int, work: Callable[[], Awaitable[float]]) -> float:
    """The least of some rounds, in microseconds, after one that is not counted."""
    best = 1e9
    for number in range(rounds + 1):
        gc.collect()
        took = asyncio.run(work())  # type: ignore[arg-type]
        best = min(best, took) if number else best
    return round(best * 1e6, 1)


def measure(name: str, steps: list[int], rounds: int) -> dict[str, dict[str, float]]:
    """Return the microseconds of each row, for stead, for stead by way of the typed method, and for the SDK alone."""
    make = VENDORS[name]
    ways = ['auto', 'sdk'] if name not in ONE_WAY else ['auto']
    rows: dict[str, dict[str, float]] = {}
    for count in steps:
        row = {
            way: best_of(rounds, closing(make, count, lambda vendor, way=way: steps_of_stead(vendor, way)))
            for way in ways
        }
        rows[f'a step of {count}'] = {**row, 'SDK alone': best_of(rounds, closing(make, count, steps_of_sdk))}
    row = {
        way: best_of(rounds, closing(make, CHUNKS, lambda vendor, way=way: chunks_of_stead(vendor, way)))
        for way in ways
    }
    rows['a chunk'] = {**row, 'SDK alone': best_of(rounds, closing(make, CHUNKS, chunks_of_sdk))}

    async def first(vendor: Any, of: str) -> float:
        if of == 'bare':
            return await first_of(vendor.bare, bool)
        if of == 'SDK alone':
            return await first_of(vendor.read, bool)
        return await first_of(reading(vendor.model(), of), is_text_event)

    row = {
        of: best_of(1, closing(make, 1, lambda vendor, of=of: first(vendor, of))) for of in (*ways, 'SDK alone', 'bare')
    }
    rows['the first chunk'] = row
    return rows


ONE_WAY: frozenset[str] = frozenset({'xai', 'huggingface'})
"""Vendors whose models have one way to send requests."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('vendors', nargs='*', default=[*VENDORS], metavar='VENDOR')
    parser.add_argument('--steps', type=int, nargs='+', default=[100])
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--json', type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    print(f'{"":26s}{"stead":>10s}{"wire=sdk":>10s}{"SDK alone":>11s}{"bare":>8s}{"SDK/stead":>11s}')
    for name in options.vendors:
        found[name] = measure(name, options.steps, options.rounds)
        for label, row in found[name].items():
            cells = [f'{row[column]:.1f}' if column in row else '' for column in ('auto', 'sdk', 'SDK alone', 'bare')]
            ratio = row['SDK alone'] / row['auto']
            print(
                f'{name + ", " + label:26s}{cells[0]:>10s}{cells[1]:>10s}{cells[2]:>11s}{cells[3]:>8s}{ratio:>10.1f}x'
            )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == '__main__':
    main()
