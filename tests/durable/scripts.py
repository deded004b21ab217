"""Random scripts for the scenes, and what a plain run makes of them."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.durable import scenes
from tests.durable.killed import Outcome, check, play_and_kill

SCRIPTS = int(os.environ.get('STEAD_SCRIPTS', '200'))
"""How many random scripts each engine plays; fewer where time is short."""
KILLS = max(SCRIPTS // 5, 1)
"""How often a process is killed that plays them, several at a time."""


def random_script(seed: int) -> list[Any]:
    """A script of up to four steps with up to three calls each; no two scripts do the same to the world, nor one twice."""
    rng, numbers = random.Random(seed), count(1000 * seed)
    tools: list[Callable[[], list[Any]]] = [
        lambda: ['look', {'what': f'thing {rng.randrange(9)}'}],
        lambda: ['look', {'nothing': 1}],  # not valid
        lambda: ['write', {'line': f'line {next(numbers)}'}],
        lambda: ['mend', {'tries': rng.randrange(3)}],
        lambda: ['fail', {'text': f'on purpose {next(numbers)}'}],
        lambda: ['pay', {'amount': next(numbers)}],
        lambda: ['picture', {'size': rng.randrange(9)}],
        lambda: ['shout', {'text': 'ä "quote"'}],
        lambda: ['greet', {'name': f'Ada {next(numbers)}'}],
        lambda: ['unknown', {}],
    ]
    return [[rng.choice(tools)() for _ in range(rng.randrange(1, 4))] for _ in range(rng.randrange(5))]


async def plain(script: Any) -> Any:
    """The messages of a plain run, or the type of its error."""
    try:
        return scenes.masked((await scenes.run_to_end(scenes.agent, json.dumps(script), 'me')).all_messages_json())
    except Exception as error:
        return type(error).__name__


def kill_random_agents(engine: str, target: str, folder: Path, number: int, kills: int) -> str:
    """Play random scripts on an engine in processes that are killed at random moments, and check what came of them.

    Args:
        engine: The engine, whose scenes are in a module here.
        target: What opens it there.
        folder: A folder for scripts, results and what was done to the world.
        number: The number of scripts.
        kills: How often a process is killed.
    """
    scripts = {f'random-{seed}': random_script(seed) for seed in range(number)}
    expected = Outcome()
    folder.mkdir(exist_ok=True)
    world = folder / 'world-of-plain-runs'
    world.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('STEAD_WORLD', str(world))
        expected.results = {name: asyncio.run(plain(script)) for name, script in scripts.items()}
    expected.world = Counter(world.read_text().splitlines())
    outcome = play_and_kill(engine, target, folder, scripts, kills, expected.world.total())
    return check(outcome, expected, scenes.masked)
