"""Measure what the framework itself costs, with models that answer at once, beside bare Python that does the same.

    python benchmarks/run.py [WORD ...] [--rounds N]

Words pick rows by name. Each row is the best of some rounds, in microseconds a step, with the ratio to a hand-written loop
that parses the same arguments, calls the same tool and keeps the same history. The figures are kept in `benchmarks/last.json`,
and the last column compares with those of the run before.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from stead import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, UsageLimits
from stead.models.function import AgentInfo, FunctionModel

LAST = Path(__file__).parent / 'last.json'
PYDANTIC = """
from pydantic import BaseModel

class Model(BaseModel):
    a: int
"""
"""Bare pydantic, which an import of `Agent` and a whole first run are compared with."""
FIRST_RUN = """
from stead import Agent
agent = Agent('test')

@agent.tool_plain
async def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

assert agent.run_sync('go').output == '{"add":0}'
"""
NO_LIMIT = UsageLimits(request_limit=None)


class Row(NamedTuple):
    """One thing to measure."""

    name: str
    steps: int
    """How many steps one call takes; the figures are for one of them."""
    ours: Callable[[], object]
    bare: Callable[[], object]


async def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: One of them.
        b: The other.
    """
    return a + b


def other_tool(number: int) -> Callable[..., Any]:
    async def other(x: int, y: str = 'a') -> str:
        """Do something else."""
        return y

    other.__name__ = f'other_{number}'
    return other


def agent_with(tools: int, steps: int) -> Agent[None, str]:
    """Return an agent whose model calls `add` at each step, and then says that it is done."""

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = len(messages) // 2
        if step < steps:
            return ModelResponse([ToolCallPart('add', f'{{"a": {step}, "b": 1}}')])
        return ModelResponse([TextPart('done')])

    functions = [add, *(other_tool(number) for number in range(tools - 1))] if tools else []
    return Agent(FunctionModel(reply), tools=functions, name='bench')


def loop_of(agent: Agent[None, str], steps: int) -> Callable[[], object]:
    def run() -> None:
        result = asyncio.run(agent.run('go', usage_limits=NO_LIMIT))
        assert (result.output, result.usage.requests) == ('done', steps + 1)

    return run


def bare_loop(steps: int) -> Callable[[], object]:
    async def loop() -> None:
        history: list[dict[str, Any]] = [{'kind': 'request', 'parts': [{'content': 'go'}]}]
        for step in range(steps):
            call = {'name': 'add', 'args': f'{{"a": {step}, "b": 1}}'}
            history.append({'kind': 'response', 'parts': [call]})
            arguments = json.loads(call['args'])
            assert isinstance(arguments['a'], int)
            assert isinstance(arguments['b'], int)
            history.append({'kind': 'request', 'parts': [{'content': await add(**arguments)}]})
        history.append({'kind': 'response', 'parts': [{'content': 'done'}]})

    return lambda: asyncio.run(loop())


def build(tools: int) -> Callable[[], object]:
    return lambda: agent_with(tools, 1)


def start(code: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, '-c', code], check=True)


def rows() -> list[Row]:
    found = [Row('plain run', 1, loop_of(agent_with(0, 0), 0), bare_loop(0))]
    for steps in (10, 100, 1000):
        found.append(Row(f'{steps} steps, 1 tool', steps, loop_of(agent_with(1, steps), steps), bare_loop(steps)))
    found.append(Row('20 steps, 100 tools', 20, loop_of(agent_with(100, 20), 20), bare_loop(20)))
    found.append(Row('build, 20 tools', 1, build(20), lambda: [other_tool(number) for number in range(20)]))
    found.append(Row('import stead', 1, start('import stead'), start('pass')))
    found.append(Row('import Agent, <= 1.9x', 1, start('from stead import Agent'), start(PYDANTIC)))
    found.append(Row('first run, <= 2.6x', 1, start(FIRST_RUN), start(PYDANTIC)))
    return found


def cpu_time() -> float:
    """Return the CPU time of this process and of those that it started and that have ended, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def best(function: Callable[[], object], rounds: int) -> float:
    """Return the CPU time of the fastest of some rounds, in seconds; that of the processes which it starts included."""
    times: list[float] = []
    for _ in range(rounds):
        gc.collect()
        begin = cpu_time()
        function()
        times.append(cpu_time() - begin)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n\n')[0])
    parser.add_argument('words', nargs='*', help='parts of the names of rows')
    parser.add_argument('--rounds', type=int, default=7)
    options = parser.parse_args()
    before: dict[str, float] = json.loads(LAST.read_text()) if LAST.exists() else {}
    now = dict(before)
    print(f'{"":22}{"stead":>12}{"bare":>12}{"ratio":>9}{"before":>12}{"change":>9}')
    for row in rows():
        if options.words and not any(word in row.name for word in options.words):
            continue
        row.ours()  # what is done once is not what is measured
        ours, bare = (best(function, options.rounds) / row.steps * 1e6 for function in (row.ours, row.bare))
        old = before.get(row.name)
        change = f'{old:9,.1f} us{(ours / old - 1) * 100:+8.0f}%' if old else ''
        print(f'{row.name:22}{ours:9,.1f} us{bare:9,.1f} us{ours / bare:8.1f}x{change}')
        now[row.name] = ours
    LAST.write_text(json.dumps(now, indent=1) + '\n')


if __name__ == '__main__':
    main()
