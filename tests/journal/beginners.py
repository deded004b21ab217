"""A process that begins runs at the same moments as another one: `python -m tests.journal.beginners DIR NAME`.

It prints a line for each round: the mode and the outcome.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from stead import Agent
from stead.journal import Journal, RunInUse
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from tests.waiting import until

NAMES = ('a', 'b')
MODES = ('wait', 'refuse', 'key')
"""What the processes do, one after the other: each has a journal of its own."""
ROUNDS = 12
BETWEEN = 0.03
"""The time from one round to the next, in seconds."""


def listener(journal: Journal[Any], file: Path | None) -> Agent[None, str]:
    """Return an agent that answers with all prompts of its conversation, once there is a file."""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0.01)
        await until(lambda: file is None or file.exists(), most=60)
        prompts = [part.content for message in messages for part in message.parts if part.part_kind == 'user-prompt']
        return ModelResponse(parts=[TextPart(' '.join(map(str, prompts)))])

    return Agent(FunctionModel(answer), name='listener', capabilities=[journal])


async def play(directory: Path, name: str, mode: str, begin: float) -> None:
    journal: Journal[Any] = Journal(directory / f'{mode}.db', conversations='refuse' if mode == 'refuse' else 'wait')
    tried = {one: directory / f'{one} has tried' for one in NAMES}
    # The first of the two to begin is not over before the other one has tried, so that one is refused on any machine.
    (other,) = tried.keys() - {name}
    agent = listener(journal, tried[other] if mode == 'refuse' else None)
    await journal.runs()
    for number in range(ROUNDS):
        await asyncio.sleep(begin + number * BETWEEN - time.time())
        try:
            if mode == 'key':
                result = await journal.run(agent, 'one of us', key=f'key {number}', conversation_id=f'talk {number}')
            else:
                result = await agent.run(name, conversation_id=f'talk {number // 2}')
        except RunInUse:
            print(mode, 'refused', flush=True)
        else:
            print(mode, result.output, flush=True)
        if mode == 'refuse':
            tried[name].touch()


def meet(directory: Path, name: str, mode: str) -> float:
    """Wait for the other process, and return a moment that both know."""
    files = [directory / f'{one} {mode}' for one in NAMES]
    (directory / f'{name} {mode}').touch()
    while not all(file.exists() for file in files):
        time.sleep(0.002)
    return max(file.stat().st_mtime for file in files)


def main(directory: Path, name: str) -> None:
    for mode in MODES:
        asyncio.run(play(directory, name, mode, meet(directory, name, mode) + BETWEEN))


if __name__ == '__main__':
    main(Path(sys.argv[1]), sys.argv[2])
