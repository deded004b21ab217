"""Run many agents at once in one process, beside other packages.

    python benchmarks/peers.py [--runs N] [--reference PYTHON] [--json FILE] [--svg FILE]
    python benchmarks/peers.py --from FILE --svg FILE

Each run asks a model in the same process that takes half a second to answer, and all begin together. A row says how much memory a
run takes while it waits, how long its answer takes beyond that half second (median, and the 99th percentile), and the CPU time of
a run. Each package runs in a process of its own, with tracing and telemetry off. A package that is not installed is left out;
`--reference` names a Python that has the mirrored library. `--from` draws figures that `--json` kept.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

WAIT = 0.5
RUNS = 10_000
PACKAGES = {
    'stead': 'stead',
    'pydantic_ai': 'pydantic-ai-slim',
    'openai_agents': 'openai-agents',
    'langgraph': 'langgraph',
    'agno': 'agno',
}
WIDTH, TOP, ROW, PANEL = 440, 40, 26, 46
LEFT, RIGHT = 130, 340
PLOTS = {
    'KB a run': 'Memory of a run, KB',
    'p99 ms': '99th percentile of the delay, ms',
    'CPU us a run': 'CPU time of a run, µs',
}

STYLE = """
    svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    .page { fill: #ffffff; stroke: #c8d0d4; }
    .title { fill: #14212b; font-size: 15px; font-weight: 600; }
    .tick { fill: #4c595f; font-size: 13px; }
    .own { fill: #0b7a75; }
    .other { fill: #aab5ba; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #1d2226; stroke: #475259; }
      .title { fill: #f2f5f6; }
      .tick { fill: #b4c0c6; }
      .own { fill: #4fc7be; }
      .other { fill: #5d6a71; }
    }
"""

Figures = dict[str, dict[str, float]]
"""By package and its version, what was measured."""


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


def pydantic_ai() -> Callable[[], Awaitable[object]]:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    async def reply(messages: Any, info: Any) -> Any:
        await asyncio.sleep(WAIT)
        return ModelResponse(parts=[TextPart('hi')])

    agent: Any = Agent(FunctionModel(reply))

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


def version(python: str, package: str) -> str | None:
    """Return the version of a package that a Python has, or `None` if it has none."""
    command = [python, '-c', f'import importlib.metadata as m; print(m.version({package!r}))']
    process = subprocess.run(command, check=False, capture_output=True, text=True)
    return process.stdout.strip() if process.returncode == 0 else None


def compared(runs: int, reference: str | None) -> Figures:
    """Return the figures of all packages that are there, and print each as it comes."""
    print(f'{runs:,} runs at once, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}')
    figures: Figures = {}
    for name, package in PACKAGES.items():
        python = reference if name == 'pydantic_ai' and reference else sys.executable
        if (found := version(python, package)) is None:
            print(f'{package}: not installed')
            continue
        label = f'{name.replace("_", "-")} {found.partition("+")[0]}'
        command = [python, '-W', 'ignore', __file__, '--only', name, '--runs', str(runs)]
        process = subprocess.run(command, check=False, capture_output=True, text=True)
        if process.returncode:
            print(f'{label}: failed: {process.stderr.strip().splitlines()[-1]}')
            continue
        figures[label] = json.loads(process.stdout.splitlines()[-1])
        print(f'{label:24}' + '  '.join(f'{figure:,} {unit}' for unit, figure in figures[label].items()), flush=True)
    return figures


def bars(unit: str, figures: Figures) -> Iterator[str]:
    """Yield the elements of the plot of one figure: a bar for each package, its length by a linear scale from zero."""
    yield f'<text class="title" x="14" y="16">{PLOTS[unit]}</text>'
    most = max(values[unit] for values in figures.values()) or 1
    for number, (label, values) in enumerate(figures.items()):
        name, value = label.split()[0], values[unit]
        y = 28 + ROW * number
        amount = f'{value:,.0f}' if value >= 100 else f'{value:.3g}'
        length = max(value / most * (RIGHT - LEFT), 1.5)
        kind = 'own' if name == 'stead' else 'other'
        yield f'<text class="tick" x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>'
        yield f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="17" rx="2"/>'
        yield f'<text class="tick" x="{LEFT + length + 7:.1f}" y="{y + 13}">{amount}</text>'


def drawn(figures: Figures, runs: int) -> str:
    """Return the plots of all figures as SVG, one below the other, so that they can be read on a phone."""
    panel = PANEL + ROW * len(figures)
    height = TOP + panel * len(PLOTS)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"',
        '  role="img" aria-labelledby="title">',
        f'  <title id="title">{runs:,} runs at once: memory, delay and CPU time of a run, by package</title>',
        f'  <style>{STYLE}  </style>',
        f'  <rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="10"/>',
        f'  <text class="title" x="14" y="28">{runs:,} runs at once, in one process</text>',
    ]
    for number, unit in enumerate(PLOTS):
        lines.append(f'  <g transform="translate(0 {TOP + panel * number + 8})">')
        lines += [f'    {element}' for element in bars(unit, figures)]
        lines.append('  </g>')
    return '\n'.join([*lines, '</svg>', ''])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--runs', type=int, default=RUNS)
    parser.add_argument('--reference', metavar='PYTHON', help='a Python with the mirrored library')
    parser.add_argument('--json', type=Path, help='where to keep the figures')
    parser.add_argument('--svg', type=Path, help='where to draw them')
    parser.add_argument('--from', dest='source', type=Path, help='figures that --json kept')
    parser.add_argument('--only', choices=PACKAGES, help='measure one package, in this process')
    options = parser.parse_args()
    if options.only:
        print(json.dumps(asyncio.run(measured(globals()[options.only](), options.runs))))
        return
    runs, figures = options.runs, {}
    if options.source is not None:
        recorded = json.loads(options.source.read_text(encoding='utf-8'))
        runs, figures = recorded['runs'], recorded['figures']
    else:
        figures = compared(runs, options.reference)
    if options.json is not None:
        options.json.write_text(json.dumps({'runs': runs, 'figures': figures}, indent=1) + '\n', encoding='utf-8')
    if options.svg is not None:
        options.svg.write_text(drawn(figures, runs), encoding='utf-8')


if __name__ == '__main__':
    main()
