"""Run many agents at once in one process, beside other packages: `python benchmarks/peers.py [--runs N] [--json FILE]`.

Each run asks a model in the same process that takes half a second to answer, and all begin together. A row says how much memory a
run takes while it waits, how long its answer takes beyond that half second (median, and the 99th percentile), and the CPU time of
a run. Each package runs in a process of its own, with tracing and telemetry off. A package that is not installed is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib.metadata
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

WAIT = 0.5
RUNS = 10_000
PACKAGES = {'stead': 'stead', 'openai_agents': 'openai-agents', 'langgraph': 'langgraph', 'agno': 'agno'}


def stead() -> Callable[[], Awaitable[object]]:
    from stead import Agent, ModelMessage, ModelResponse, TextPart
    from stead.models.function import AgentInfo, FunctionModel

    async def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(WAIT)
        return ModelResponse([TextPart('hi')])

    agent = Agent(FunctionModel(reply))

    async def run() -> object:
        return (await agent.run('hello')).output

    return run


def openai_agents() -> Callable[[], Awaitable[object]]:
    from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    set_tracing_disabled(True)

    class Fake(Model):
        async def get_response(self, *args: Any, **options: Any) -> Any:
            await asyncio.sleep(WAIT)
            text = ResponseOutputText(text='hi', type='output_text', annotations=[])
            message = ResponseOutputMessage(
                id='m', content=[text], role='assistant', status='completed', type='message'
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **options: Any) -> Any:
            raise RuntimeError('nothing is streamed here')

    agent = Agent(name='bench', model=Fake())

    async def run() -> object:
        return (await Runner.run(agent, 'hello')).final_output

    return run


def langgraph() -> Callable[[], Awaitable[object]]:
    from langchain_core.messages import AIMessage
    from langgraph.graph import END, START, MessagesState, StateGraph

    async def model(state: MessagesState) -> dict[str, Any]:
        await asyncio.sleep(WAIT)
        return {'messages': [AIMessage('hi')]}

    builder = StateGraph(MessagesState)
    builder.add_node('model', model)
    builder.add_edge(START, 'model')
    builder.add_edge('model', END)
    graph = builder.compile()

    async def run() -> object:
        result = await graph.ainvoke({'messages': [{'role': 'user', 'content': 'hello'}]})
        return result['messages'][-1].content

    return run


def agno() -> Callable[[], Awaitable[object]]:
    from agno.agent import Agent
    from agno.models.base import Model
    from agno.models.response import ModelResponse

    class Fake(Model):
        def invoke(self, *args: Any, **options: Any) -> Any:
            raise RuntimeError('everything is async here')

        async def ainvoke(self, *args: Any, **options: Any) -> Any:
            await asyncio.sleep(WAIT)
            return ModelResponse(role='assistant', content='hi')

        def invoke_stream(self, *args: Any, **options: Any) -> Any:
            raise RuntimeError('nothing is streamed here')

        ainvoke_stream = _parse_provider_response_delta = invoke_stream

        def _parse_provider_response(self, response: Any, **options: Any) -> Any:
            return response

    agent = Agent(model=Fake(id='fake'), telemetry=False)

    async def run() -> object:
        return (await agent.arun('hello')).content

    return run


def resident() -> float:
    """Return the KB of memory that the process takes now; where the system does not say, the most that it has taken."""
    try:
        pages = int(Path('/proc/self/statm').read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return pages * resource.getpagesize() / 1024


async def measured(run: Callable[[], Awaitable[object]], runs: int) -> dict[str, float]:
    """Return the figures of many runs at once."""
    assert await run() == 'hi'
    taken: list[float] = []

    async def one() -> None:
        begin = time.perf_counter()
        assert await run() == 'hi'
        taken.append(time.perf_counter() - begin - WAIT)

    async def watch() -> None:
        while True:
            seen.append(resident())
            await asyncio.sleep(WAIT / 20)

    gc.collect()
    seen, cpu = [resident()], time.process_time()
    watching = asyncio.ensure_future(watch())
    await asyncio.gather(*(one() for _ in range(runs)))
    cpu = time.process_time() - cpu
    watching.cancel()
    memory = max(seen) - seen[0]
    hundredths = statistics.quantiles(taken, n=100)
    return {
        'KB a run': round(memory / runs, 2),
        'median ms': round(hundredths[49] * 1e3),
        'p99 ms': round(hundredths[98] * 1e3),
        'CPU us a run': round(cpu / runs * 1e6),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n\n')[0])
    parser.add_argument('--runs', type=int, default=RUNS)
    parser.add_argument('--json', type=Path, help='where to keep the figures')
    parser.add_argument('--only', choices=PACKAGES, help='measure one package, in this process')
    options = parser.parse_args()
    if options.only:
        print(json.dumps(asyncio.run(measured(globals()[options.only](), options.runs))))
        return
    print(
        f'{options.runs:,} runs at once, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}'
    )
    figures: dict[str, Any] = {}
    for name, package in PACKAGES.items():
        try:
            label = f'{package} {importlib.metadata.version(package)}'
        except importlib.metadata.PackageNotFoundError:
            print(f'{package}: not installed')
            continue
        command = [sys.executable, '-W', 'ignore', __file__, '--only', name, '--runs', str(options.runs)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f'{label}: failed: {done.stderr.strip().splitlines()[-1]}')
            continue
        figures[label] = json.loads(done.stdout.splitlines()[-1])
        print(f'{label:24}' + '  '.join(f'{figure:,} {unit}' for unit, figure in figures[label].items()))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + '\n')


if __name__ == '__main__':
    main()
