"""Runs inside of anyio cancel scopes, and tools that cancel themselves."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from stead import Agent
from stead.capabilities import AbstractCapability
from tests.loop.kit import call, script
from tests.loop.test_cancel import Trace, in_many_tools, in_nested_run


@pytest.mark.parametrize('point', [in_many_tools, in_nested_run])
def test_cancel_scopes_wait_for_tools(point):
    trace = Trace()

    async def main():
        before = asyncio.all_tasks()
        with anyio.move_on_after(0.05):
            await point(trace).run('go')
        assert sorted(trace.ended) == sorted(trace.begun)
        return asyncio.all_tasks() - before

    assert asyncio.run(main()) == set()


def test_cancel_scopes_let_hooks_finish():
    log = []

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
        await asyncio.sleep(60)

    async def main():
        with anyio.move_on_after(0.05):
            await agent.run('go')
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
            await asyncio.wait_for(agent.run('go'), 5)

    asyncio.run(main())
