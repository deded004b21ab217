"""Random scripts for the scenes, and what a plain run makes of them."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from typing import Any

from tests.durable import scenes

SCRIPTS = int(os.environ.get('STEAD_SCRIPTS', '200'))
"""How many random scripts each engine plays; fewer where time is short."""


def random_script(seed: int) -> list[Any]:
    """A script of up to four steps with up to three calls each."""
    rng = random.Random(seed)
    tools: list[Callable[[], list[Any]]] = [
        lambda: ['look', {'what': f'thing {rng.randrange(9)}'}],
        lambda: ['look', {'nothing': 1}],  # not valid
        lambda: ['write', {'line': f'line {rng.randrange(9)}'}],
        lambda: ['mend', {'tries': rng.randrange(3)}],
        lambda: ['fail', {'text': 'on purpose'}],
        lambda: ['pay', {'amount': rng.randrange(9)}],
        lambda: ['picture', {'size': rng.randrange(9)}],
        lambda: ['shout', {'text': 'ä "quote"'}],
        lambda: ['greet', {'name': 'Ada'}],
        lambda: ['unknown', {}],
    ]
    return [[rng.choice(tools)() for _ in range(rng.randrange(1, 4))] for _ in range(rng.randrange(5))]


async def plain(script: Any) -> Any:
    """The messages of a plain run, or the type of its error."""
    try:
        return scenes.masked((await scenes.run_to_end(scenes.agent, json.dumps(script), 'me')).all_messages_json())
    except Exception as error:
        return type(error).__name__
