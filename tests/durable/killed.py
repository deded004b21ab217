"""Random agents whose process is killed at random moments: `python -m tests.durable.killed ENGINE TARGET FOLDER` is the process.

It plays the scripts of the folder that have no result there yet, several at a time, so that each kill interrupts several agents.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
AT_ONCE = 8
PATIENCE = 600
Play = Callable[[str, str], Awaitable[str]]
"""Plays a script under a name to its end, going on where it was, and returns the messages as JSON."""
IN_DOUBT = 'a person says that it was done'


async def work(engine: str, target: str, folder: Path) -> None:
    """Play what has no result yet."""
    scripts: dict[str, Any] = json.loads((folder / 'scripts').read_text())
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> None:
        async with gate:
            try:
                result = await play(name, json.dumps(scripts[name]))
            except Exception as error:
                result = json.dumps(type(error).__name__)
        unfinished = folder / f'{name}.unfinished'
        unfinished.write_text(result)
        unfinished.replace(folder / f'{name}.result')

    async with import_module(f'tests.durable.{engine}_scenes').opened(target) as play:
        await asyncio.gather(*(one(name) for name in scripts if not (folder / f'{name}.result').exists()))


@dataclass
class Outcome:
    """What became of random agents whose process was killed again and again."""

    results: dict[str, Any] = field(default_factory=lambda: {})
    """The messages by the name of the script, or the type of an error."""
    world: Counter[str] = field(default_factory=lambda: Counter())
    """How often each line was written."""
    kills: int = 0
    """How often the process was killed."""


def play_and_kill(engine: str, target: str, folder: Path, scripts: dict[str, Any], kills: int, most: int) -> Outcome:
    """Play scripts in processes that are killed after a few more things were done to the world; the last one finishes.

    Args:
        engine: The engine, whose scenes are in a module here.
        target: What opens it there.
        folder: A folder that exists, for scripts, results and what was done to the world.
        scripts: The scripts by name.
        kills: How often a process is killed, if it lives as long.
        most: How many things there are to do.
    """
    (folder / 'scripts').write_text(json.dumps(scripts))
    world = folder / 'world'
    world.touch()
    rng, outcome = random.Random(17), Outcome()
    environment = {**os.environ, 'STEAD_WORLD': str(world), 'STEAD_LINGER': '0.02'}
    command = [sys.executable, '-W', 'ignore', '-m', 'tests.durable.killed', engine, target, str(folder)]
    for _ in range(kills):
        wanted = len(world.read_text().splitlines()) + rng.randint(1, max(2 * most // (kills + 1), 1))
        with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
            end = time.monotonic() + PATIENCE
            while process.poll() is None and len(world.read_text().splitlines()) < wanted:
                assert time.monotonic() < end
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.05))
            outcome.kills += process.poll() is None
            process.kill()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=PATIENCE * 2)
    outcome.results = {name: json.loads((folder / f'{name}.result').read_text()) for name in scripts}
    outcome.world = Counter(world.read_text().splitlines())
    return outcome


def answers(messages: Any) -> dict[str, Any]:
    """Return what was answered to each call, by its id."""
    found: dict[str, Any] = {}
    for message in messages:
        for part in message['parts']:
            if part['part_kind'] in ('tool-return', 'retry-prompt') and part.get('tool_call_id'):
                assert part['tool_call_id'] not in found, 'a call has one answer'
                found[part['tool_call_id']] = part['content']
    return found


def check(outcome: Outcome, plain: Outcome, masked: Callable[[str], Any]) -> str:
    """Check that nothing was lost or done twice, and return what happened in one line.

    Args:
        outcome: What became of the agents.
        plain: What plain runs of them gave.
        masked: Takes out of messages what differs between two runs.
    """
    doubtful, changing = 0, 0
    for name, expected in plain.results.items():
        actual = outcome.results[name]
        if isinstance(actual, str) or isinstance(expected, str):
            assert actual == expected, (name, actual, expected)
            continue
        actual_answers = answers(actual)
        doubts = [call for call, answer in actual_answers.items() if answer == IN_DOUBT]
        if not doubts:
            assert masked(json.dumps(actual)) == expected, name
            continue
        doubtful += len(doubts)
        changing += 1
        # A person was asked, so that the conversation has one run more; what came before is the same.
        before = min(int(call.split('-')[1]) for call in doubts)
        for call, answer in answers(expected).items():
            assert call in actual_answers, (name, call)
            if int(call.split('-')[1]) < before:
                assert actual_answers[call] == answer, (name, call)
    writes, expected_writes = of_kind(outcome, writes=True), of_kind(plain, writes=True)
    assert all(n == 1 for n in writes.values()), {line: n for line, n in writes.items() if n > 1}
    assert not writes - expected_writes and len(expected_writes - writes) <= doubtful
    reads, expected_reads = of_kind(outcome, writes=False), of_kind(plain, writes=False)
    assert reads.keys() == expected_reads.keys()
    return (
        f'{len(plain.results)} agents, {outcome.kills} kills: {len(writes)} of {len(expected_writes)} writes were made, none '
        f'twice; {doubtful} calls of {changing} agents were in doubt; {reads.total()} reads, of {expected_reads.total()}'
    )


def of_kind(outcome: Outcome, *, writes: bool) -> Counter[str]:
    """Return the lines that were written, or those that were read."""
    return Counter({line: n for line, n in outcome.world.items() if line.startswith('look') is not writes})


if __name__ == '__main__':
    asyncio.run(work(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
    # Threads of Temporal's core may still release what they hold of Python while the interpreter ends, which aborts the process.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
