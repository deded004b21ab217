"""What a journal returns has the type of what its agent returns."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from typing_extensions import assert_type

from stead import Agent, AgentRunResult, AgentRunResultEvent
from stead.agent import AbstractAgent
from stead.journal import Journal, Worker

journal = Journal[object]()
agent = Agent('test', deps_type=int)
numbers: Agent[None, int] = Agent('test', output_type=int)


async def runs(other: AbstractAgent[int, bool]) -> None:
    assert_type(await journal.run(agent, 'x', key='k', deps=3), AgentRunResult[str])
    assert_type(await journal.run(numbers, 'x', key='k', usage_limits=None), AgentRunResult[int])
    assert_type(await journal.resume(other, 'run', deps=3), AgentRunResult[bool])
    assert_type(await journal.resume(numbers, 'run'), AgentRunResult[int])
    await journal.run(agent, 'x', key='k', deps='three')  # type: ignore[misc]
    await journal.resume('agent', 'run')  # type: ignore[call-overload]
    async with journal.worker(numbers) as worker:
        assert_type(worker, Worker[AgentRunResult[int]])
        assert_type(worker.results['run'].output, int)


async def events() -> None:
    async with journal.resume_stream_events(numbers, 'run') as stream:
        async for event in stream:
            if isinstance(event, AgentRunResultEvent):
                assert_type(event.result.output, int)
