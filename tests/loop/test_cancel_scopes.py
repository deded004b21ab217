"""Runs inside of anyio cancel scopes, and tools that cancel themselves."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from stead import Agent
from stead.capabilities import AbstractCapability
from tests.loop.kit import call, script
from tests.loop.test_cancel import Trace, in_many_tools, in_nested_run


async def runs_out(scope, waiting):
    """Let the time of a scope run out once something waits in it."""
    await asyncio.wait_for(waiting.wait(), 20)
    scope.deadline = anyio.current_time()


@pytest.mark.parametrize('point', [in_many_tools, in_nested_run])
def test_cancel_scopes_wait_for_tools(point):
    trace = Trace()

    async def main():
        before = asyncio.all_tasks()
        with anyio.CancelScope() as scope:
            cancelling = asyncio.ensure_future(runs_out(scope, trace.waiting))
            await point(trace).run('go')
        await cancelling
        assert sorted(trace.ended) == sorted(trace.begun)
        return asyncio.all_tasks() - before

    assert asyncio.run(main()) == set()


def test_cancel_scopes_let_hooks_finish():
    log = []
    waiting = asyncio.Event()

    class Hook(AbstractCapability):
        async def wrap_run(self, ctx, *, handler):
            log.append('+')
            try:
                return await handler()
            finally:
                with anyio.CancelScope(shield=True):
                    await asyncio.sleep(0)
                log.append('-')

    agent = Agent(script([call('t')]), capabilities=[Hook()])

    @agent.tool_plain
    async def t():
        waiting.set()
        await asyncio.sleep(60)

    async def main():
        with anyio.CancelScope() as scope:
            cancelling = asyncio.ensure_future(runs_out(scope, waiting))
            await agent.run('go')
        await cancelling
        assert log == ['+', '-']

    asyncio.run(main())


def test_a_cancelled_error_of_a_tool_ends_its_siblings():
    agent = Agent(script([call('t'), call('u')]))

    @agent.tool_plain
    async def t():
        raise asyncio.CancelledError

    @agent.tool_plain
    async def u():
        await asyncio.sleep(60)

    async def main():
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(agent.run('go'), 30)

    asyncio.run(main())
