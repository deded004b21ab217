"""Measure what a journal costs: time, bytes, writes to the disk, and how it stands up to many runs.

    python benchmarks/journal.py [steps] [growth] [many] [file] [peers] [--rounds N] [--write]

Words pick parts; by default all of them are measured. Each figure is the best of some rounds, which alternate, so that a busy
machine spoils them all alike. CPU time counts all threads of the process, in user and kernel mode.

`steps`: the loop of `benchmarks/run.py` with 100 steps, without a journal and with each durability. `growth`: bytes in the
file for each step of runs of 10, 100 and 1,000 steps. `many`: 1,000 runs at a time on one file. `file`: lists, resumes and forks
in a file with 10,000 runs. `peers`: the same loop in LangGraph with `SqliteSaver` and in DBOS on SQLite, which are installed in
`.venv-peers` for it; `sync` waits for the disk before each tool in stead, and for each node or step in the others.
`--write`, which needs all parts, writes the tables of `docs/journal.md` again.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from journal_page import MANY_RUNS, MANY_RUNS_IN_A_FILE, Found, Step, write
from run import NO_LIMIT, add, agent_with

from stead import Agent, ModelMessage, ModelResponse, TextPart
from stead.journal import Journal, Record, RunFilter, RunInfo, SqliteStore
from stead.models.function import AgentInfo, FunctionModel

HERE = Path(__file__).parent
PAGE = HERE.parent / 'docs' / 'journal.md'
PEERS = HERE.parent / '.venv-peers'
FOUND = Found({}, {}, {}, {}, {}, {})
STEPS = 100
DURABILITIES = ('exit', 'async', 'sync')
RESUME = f'resume a run of {STEPS} steps, to its request'


class Cost(NamedTuple):
    """What something took, in seconds."""

    cpu: float
    elapsed: float


class Watch:
    """Measures from its beginning on."""

    def __init__(self) -> None:
        gc.collect()
        self.cpu, self.elapsed = time.process_time(), time.perf_counter()

    def cost(self) -> Cost:
        return Cost(time.process_time() - self.cpu, time.perf_counter() - self.elapsed)


def best(costs: list[Cost]) -> Cost:
    """Return the least CPU time and the least elapsed time."""
    return Cost(min(cost.cpu for cost in costs), min(cost.elapsed for cost in costs))


def agent_of(steps: int, journal: Journal[Any] | None) -> Agent[None, str]:
    """Return the agent of the loop."""
    plain = agent_with(1, steps)
    return plain if journal is None else Agent(plain.model, tools=[add], name='bench', capabilities=[journal])


async def loop(agent: Agent[None, str]) -> Any:
    """Run the loop once."""
    return await agent.run('go', usage_limits=NO_LIMIT)


def size_of(path: Path) -> int:
    """Return the bytes of a database once what was written ahead is part of it."""
    connection = sqlite3.connect(path)
    connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.close()
    return path.stat().st_size


def fsyncs_of(*command: object) -> int | None:
    """Return how often a command made the disk write; `None` if strace is not there."""
    if shutil.which('strace') is None:
        return None
    with tempfile.NamedTemporaryFile('r', suffix='.strace') as report:
        trace = ['strace', '-f', '-qq', '-c', '-o', report.name, '-e', 'trace=fsync,fdatasync']
        subprocess.run([*trace, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
        rows = [line.split() for line in report.read().splitlines()]
        return sum(int(row[3]) for row in rows if row and row[-1] in ('fsync', 'fdatasync'))


def each_step(steps: int, value: Callable[[int], int | None]) -> float | None:
    """Return what each step adds to a count, from the counts of one step and of many; `None` if it cannot be counted."""
    one, many = value(1), value(steps)
    return (many - one) / (steps - 1) if one is not None and many is not None else None


def column(count: float | None) -> str:
    return f'{count:11,.2f}' if count is not None else f'{"no strace":>11}'


# One loop


async def one(durability: str, steps: int, directory: Path) -> None:
    """Run the loop twice, as the other libraries do; this process is traced."""
    agent = agent_of(steps, Journal[Any](directory / 'stead.db', durability=durability))  # type: ignore[arg-type]
    for _ in range(2):
        await loop(agent)


async def measure_steps(rounds: int) -> None:
    print(f'\nA step of {STEPS}, with the beginning and the end of the run')
    print(f'{"":14}{"CPU":>11}{"more":>9}{"elapsed":>12}{"fsyncs":>11}{"bytes":>11}')
    with tempfile.TemporaryDirectory() as name:
        agents = {'no journal': agent_of(STEPS, None)}
        for durability in DURABILITIES:
            journal = Journal[Any](Path(name) / f'{durability}.db', durability=durability)
            agents[durability] = agent_of(STEPS, journal)
        costs: dict[str, list[Cost]] = {key: [] for key in agents}
        for turn in range(rounds + 1):
            for key, agent in agents.items():
                watch = Watch()
                await loop(agent)
                if turn:  # what is done once is not what is measured
                    costs[key].append(watch.cost())
    plain = best(costs['no journal'])
    for key, measured in costs.items():
        cost = best(measured)
        step = FOUND.steps[key] = Step(
            cost.cpu / STEPS,
            cost.elapsed / STEPS,
            fsyncs(key) if key in DURABILITIES else None,
            each_step(STEPS, lambda steps, key=key: own_size(key, steps)) if key in DURABILITIES else None,
        )
        print(
            f'{key:14}{step.cpu * 1e6:8,.0f} us{(cost.cpu - plain.cpu) / STEPS * 1e6:+6,.0f} us{step.elapsed * 1e6:9,.0f} us'
            + (column(step.fsyncs) + column(step.size) if key in DURABILITIES else '')
        )


def own_size(durability: str, steps: int) -> int:
    """Return the bytes of the file after one of two equal runs."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([sys.executable, __file__, '--one', durability, str(steps), name], check=True)
        return size_of(Path(name) / 'stead.db') // 2


def fsyncs(durability: str) -> float | None:
    """Return how often each step makes the disk write."""

    def count(steps: int) -> int | None:
        with tempfile.TemporaryDirectory() as name:
            total = fsyncs_of(sys.executable, __file__, '--one', durability, steps, name)
            return total // 2 if total is not None else None

    return each_step(STEPS, count)


async def measure_growth(rounds: int) -> None:
    print('\nBytes of a step, in runs of')
    print(f'{"":14}{"file":>11}{"JSON":>11}{"ratio":>9}')
    for steps in (10, 100, 1000):
        with tempfile.TemporaryDirectory() as name:
            journal = Journal[Any](Path(name) / 'runs.db')
            await loop(agent_of(1, journal))
            empty = size_of(Path(name) / 'runs.db')
            result = await loop(agent_of(steps, journal))
            stored = size_of(Path(name) / 'runs.db') - empty
            text = len(result.all_messages_json())
            FOUND.growth[steps] = stored / steps, text / steps
            print(f'{f"{steps:,} steps":14}{stored / steps:11,.0f}{text / steps:11,.0f}{stored / text:8.2f}x')


# Many runs


async def measure_many(rounds: int) -> None:
    runs, steps = MANY_RUNS, 10
    print(f'\n{runs:,} runs of {steps} steps at a time')
    print(f'{"":14}{"CPU":>11}{"elapsed":>12}')
    with tempfile.TemporaryDirectory() as name:
        for durability in (None, *DURABILITIES):
            journal = Journal[Any](Path(name) / f'{durability}.db', durability=durability) if durability else None
            agent = agent_of(steps, journal)
            costs: list[Cost] = []
            for _ in range(max(2, rounds // 3)):
                watch = Watch()
                results = await asyncio.gather(*(loop(agent) for _ in range(runs)))
                costs.append(watch.cost())
                assert {result.output for result in results} == {'done'}
            if journal is not None:
                finished = await journal.find(RunFilter(status='done', limit=10 * runs))
                assert len(finished) == len(costs) * runs, 'all runs are recorded to their end'
            cost = best(costs)
            step = FOUND.many[durability or 'no journal'] = Step(cost.cpu / runs / steps, cost.elapsed / runs / steps)
            print(f'{durability or "no journal":14}{step.cpu * 1e6:8,.0f} us{step.elapsed * 1e6:9,.0f} us')


async def filled(path: Path, runs: int) -> Journal[Any]:
    """Return the journal of a file with many runs: every tenth has 100 steps, the others three."""
    journal = Journal[Any](path, durability='async', on_change='accept')
    recorded: dict[int, list[Record]] = {}
    for steps in (3, STEPS):
        result = await loop(agent_of(steps, journal))
        recorded[steps] = [record async for record in journal.events(result.run_id)]
    store = SqliteStore(path)  # that of the journal is closed while nothing is done
    store.open()
    begun = time.time() - runs
    for number in range(runs):
        steps = STEPS if number % 10 == 0 else 3
        is_done = number % 50 != 0
        records = recorded[steps] if is_done else recorded[steps][:-5]  # killed in its last steps
        at = begun + number
        store.create(
            RunInfo(
                run_id=f'run-{number:05}',
                agent='bench',
                status='done' if is_done else 'running',
                conversation_id=f'conversation-{number % 500}',
                begun_at=at,
                updated_at=at,
                steps=steps,
                last_seq=len(records),
                token=1,
            ),
            records,
        )
    store.close()
    return journal


async def measure_file(rounds: int) -> None:
    runs = MANY_RUNS_IN_A_FILE
    print(f'\nA file with {runs:,} runs, every tenth of {STEPS} steps')
    print(f'{"":40}{"CPU":>11}{"elapsed":>12}')
    with tempfile.TemporaryDirectory() as name:
        journal = await filled(Path(name) / 'runs.db', runs)
        reached: list[Cost] = []
        watch = Watch()

        def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            reached.append(watch.cost())
            return ModelResponse([TextPart('done')])

        agent = Agent(FunctionModel(reply), tools=[add], name='bench', capabilities=[journal])
        long = f'run-{runs // 2 + 10:05}'
        doing: dict[str, Callable[[int], Awaitable[object]]] = {
            'list 100': lambda turn: journal.runs(),
            'list what was left': lambda turn: journal.runs(status='running'),
            'list a conversation': lambda turn: journal.runs(conversation_id='conversation-7'),
            f'fork a run of {STEPS} steps at the last': lambda turn: journal.fork(long),
            'fork it at the second step': lambda turn: journal.fork(long, at=2),
            RESUME: lambda turn: journal.resume(agent, f'run-{100 * turn:05}', usage_limits=NO_LIMIT),
        }
        for words, do in doing.items():
            costs: list[Cost] = []
            for turn in range(rounds):
                watch = Watch()
                await do(turn)
                costs.append(reached[-1] if words == RESUME else watch.cost())
            cost = best(costs)
            FOUND.file[words] = cost.elapsed
            print(f'{words:40}{cost.cpu * 1e3:8,.2f} ms{cost.elapsed * 1e3:9,.2f} ms')


# Other libraries


def install_peers() -> Path:
    """Return the interpreter of an environment with the other libraries, which is made if it is not there."""
    python = PEERS / 'bin' / 'python'
    wanted = [str(HERE.parent), 'langgraph>=1.2', 'langgraph-checkpoint-sqlite>=3.1', 'dbos>=3.4']
    if not python.exists():
        subprocess.run([sys.executable, '-m', 'venv', str(PEERS)], check=True)
        subprocess.run([str(python), '-m', 'pip', 'install', '--quiet', *wanted], check=True)
    return python


def measure_peer(python: Path, name: str, steps: int) -> tuple[Cost, int]:
    """Return what the second of two loops took, and half of the bytes that both have left."""
    with tempfile.TemporaryDirectory() as directory:
        command = [str(python), str(HERE / 'journal_peers.py'), name, str(steps), directory]
        process = subprocess.run(command, check=True, capture_output=True, text=True)
        cost = Cost(**json.loads(process.stdout.splitlines()[-1]))
        (path,) = Path(directory).glob('*.db')
        return cost, size_of(path) // 2


async def measure_peers(rounds: int) -> None:
    python = install_peers()
    names = ('langgraph', 'langgraph exit', 'langgraph async', 'langgraph sync', 'dbos', 'dbos sync')
    print(f'\nThe same loop of {STEPS} steps elsewhere; without a word: nothing is kept')
    print(f'{"":18}{"CPU":>11}{"elapsed":>12}{"fsyncs":>11}{"bytes":>11}')
    found: dict[str, list[tuple[Cost, int]]] = {name: [] for name in names}
    for _ in range(max(2, rounds // 3)):
        for name in names:
            found[name].append(measure_peer(python, name, STEPS))
    for name in names:
        cost = best([each for each, _ in found[name]])
        step = Step(cost.cpu / STEPS, cost.elapsed / STEPS)
        line = f'{name:18}{step.cpu * 1e6:8,.0f} us{step.elapsed * 1e6:9,.0f} us'
        if ' ' in name:
            waits = each_step(STEPS, lambda steps, name=name: peer_fsyncs(python, name, steps))
            size = each_step(STEPS, lambda steps, name=name: measure_peer(python, name, steps)[1])
            step = step._replace(fsyncs=waits, size=size)
            line += column(waits) + column(size)
        FOUND.peers[name] = step
        print(line)
    FOUND.versions.update(releases(python))


def releases(python: Path) -> dict[str, str]:
    """Return the releases of the other libraries."""
    command = 'import importlib.metadata as all; print(all.version("langgraph"), all.version("dbos"))'
    process = subprocess.run([str(python), '-c', command], check=True, capture_output=True, text=True)
    return dict(zip(('langgraph', 'dbos'), process.stdout.split()))


def peer_fsyncs(python: Path, name: str, steps: int) -> int | None:
    with tempfile.TemporaryDirectory() as directory:
        total = fsyncs_of(python, HERE / 'journal_peers.py', name, steps, directory)
        return total // 2 if total is not None else None


PARTS: dict[str, Callable[[int], Awaitable[None]]] = {
    'steps': measure_steps,
    'growth': measure_growth,
    'many': measure_many,
    'file': measure_file,
    'peers': measure_peers,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n\n')[0])
    parser.add_argument('parts', nargs='*', metavar='PART', help=f'any of {", ".join(PARTS)}')
    parser.add_argument('--rounds', type=int, default=12)
    parser.add_argument('--write', action='store_true', help=f'write the tables of {PAGE.name} again')
    parser.add_argument('--one', nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        durability, steps, directory = options.one
        asyncio.run(one(durability, int(steps), Path(directory)))
        return
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f'there is no part {sorted(unknown)}; the parts are {", ".join(PARTS)}')
    if options.write and options.parts:
        parser.error('--write needs all parts')
    print(
        f'{platform.machine()}, {platform.system()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, '
        f'stead {version("stead")}'
    )
    for name, measure in PARTS.items():
        if not options.parts or name in options.parts:
            asyncio.run(measure(options.rounds))
    if options.write:
        write(FOUND, PAGE)


if __name__ == '__main__':
    main()
