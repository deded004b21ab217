"""A program that refunds an order, for tests that stop and kill it: `python -m tests.journal.shop DIRECTORY PAUSE_AT`.

It writes a line to `log` for each thing that it does, and pauses at the place that it is told to, until there is a file `go`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from stead import Agent, Done, NotDone, RunContext
from stead.journal import Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel

LEASE = 0.6


def shop(directory: Path, pause_at: str = '') -> tuple[Agent[None, str], Journal[Any]]:
    def log(line: str) -> None:
        with (directory / 'log').open('a') as file:
            file.write(f'{line}\n')

    async def pause(place: str) -> None:
        if place == pause_at:
            (directory / 'paused').touch()
            while not (directory / 'go').exists():  # noqa: ASYNC110 - another process makes it
                await asyncio.sleep(0.02)

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = sum(isinstance(message, ModelResponse) for message in messages)
        log(f'model {step}')
        await pause(f'model {step}')
        if step == 0:
            return ModelResponse(parts=[ToolCallPart('look_up', {'order': 17}, 'c1')])
        if step == 1:
            return ModelResponse(parts=[ToolCallPart('refund', {'order': 17}, 'c2')])
        return ModelResponse(parts=[TextPart('refunded')])

    journal: Journal[Any] = Journal(directory / 'runs.db', lease_seconds=LEASE)
    agent: Agent[None, str] = Agent(FunctionModel(answer), name='shop', capabilities=[journal])

    @agent.tool_plain(effect='read')
    async def look_up(order: int) -> str:
        log('look up')
        return f'order {order}: 20 euros'

    def was_refunded(ctx: RunContext[Any], args: dict[str, Any]) -> Done | NotDone:
        log = (directory / 'log').read_text()
        return Done('refunded 20 euros') if f'refund {ctx.idempotency_key}' in log else NotDone()

    @agent.tool(reconcile=was_refunded)
    async def refund(ctx: RunContext[Any], order: int) -> str:
        await pause('before refund')
        log(f'refund {ctx.idempotency_key}')
        await pause('after refund')
        return 'refunded 20 euros'

    return agent, journal


if __name__ == '__main__':
    agent, journal = shop(Path(sys.argv[1]), sys.argv[2])
    if sys.argv[2] == 'work':

        async def work() -> None:
            async with journal.worker(agent, pause=0.05) as worker:
                while not worker.results:  # noqa: ASYNC110 - it looks by itself
                    await asyncio.sleep(0.02)

        asyncio.run(work())
    else:
        print(asyncio.run(journal.run(agent, 'refund order 17', key='order-17')).output)
