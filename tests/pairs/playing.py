"""How a pair of features is tried: a program is built with both, run, and looked at."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from typing_extensions import Self, TypeAlias

from stead.exceptions import UserError

from .front_ends import A2A, AGUI, AISDK, Inspected
from .kept import KEPT
from .parts import PARTS, Feature
from .program import Program
from .ways import CommandLine, Plain, SecondProcess, Streaming, Synchronous, Temporal, Way, build

ROOT = Path(__file__).parent.parent.parent
WAYS: list[Feature] = [
    Streaming(),
    Synchronous(),
    AGUI(),
    AISDK(),
    A2A(),
    CommandLine(),
    Inspected(),
    SecondProcess(),
    Temporal(),
]
FEATURES: list[Feature] = [*PARTS, *KEPT, *WAYS]
Pair: TypeAlias = 'tuple[Feature, Feature]'


async def play(folder: Path, pair: Pair, second: SecondOne) -> str | None:
    """Build a program with features, run it in every way that it has, and look at what each feature promises.

    Returns:
        Why the features cannot be combined; `None` if they can.
    """
    try:
        program = build(folder, pair)
    except UserError as error:
        return str(error)
    ways = [feature for feature in pair if isinstance(feature, Way)] or [Plain()]
    orders = dict(enumerate(ways, start=17))
    try:
        with program.recording():
            await asyncio.gather(*(way.drive(program, order) for order, way in orders.items()))
    except BaseException:  # in a group of a server, perhaps
        if not program.noted('killed'):
            raise
    if any(isinstance(feature, SecondProcess) for feature in pair):
        await asyncio.to_thread(second.continue_, program, pair)
    for order in orders:
        for feature in (Plain(), *pair):
            await feature.look(program, order)
    if program.cassette or program.responses:
        await asyncio.to_thread((folder / 'again').mkdir)
        await _hold_again(folder / 'again', pair, orders, program)
    return None


async def _hold_again(folder: Path, pair: Pair, orders: Mapping[int, Way], first: Program) -> None:
    """Hold the same sessions once more, with a program whose model is not asked."""
    program = build(folder, pair, dies=False, responses=first.responses)
    with program.recording(first.cassette):
        await asyncio.gather(*(way.drive(program, order) for order, way in orders.items()))
    for order in orders:
        await Plain().look(program, order)
    asked = ('request', 'inner request', 'summary') if first.cassette else ('request',)
    assert not [line for line in program.lines() if line['kind'] in asked]


class SecondOne:
    """Another process, which continues programs one after the other; it starts when it is needed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            with self.process:
                pass

    def continue_(self, program: Program, features: Sequence[Feature]) -> None:
        """Let it continue what a program has left."""
        if self.process is None:
            command = [sys.executable, '-m', 'tests.pairs.second']
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        order = {'folder': str(program.folder), 'titles': [feature.title for feature in features]}
        stdin.write(json.dumps(order) + '\n')
        stdin.flush()
        answer = json.loads(stdout.readline())
        assert answer == 'done', answer
