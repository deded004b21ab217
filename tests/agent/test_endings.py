"""Errors at the end of a run: of metadata functions, of toolsets that close; and scopes that are entered twice."""

from __future__ import annotations

import asyncio

import pytest

from stead import Agent, FunctionToolset
from tests.loop.kit import call, kinds, script
from tests.loop.test_cancel import Open, Trace


def once_then(error):
    count = []

    def meta(ctx):
        count.append(1)
        if len(count) > 1:
            raise error
        return {}

    return meta


def test_an_error_of_metadata_at_the_end_closes_toolsets_and_carries_the_run():
    trace = Trace()
    agent = Agent('test', metadata=once_then(KeyError('meta')), toolsets=[Open(trace)])

    async def main():
        with pytest.raises(KeyError) as caught:
            async with agent.iter('go') as run:
                async for _ in run:
                    pass
        assert trace.ended == ['toolset']
        assert kinds(caught.value.messages) == ['user-prompt', 'text']

    asyncio.run(main())


def test_an_error_of_metadata_does_not_hide_the_error_of_the_run():
    agent = Agent(script([call('t')]), metadata=once_then(KeyError('meta')))

    @agent.tool_plain
    def t():
        raise ValueError('boom')

    with pytest.raises(ValueError, match='boom') as caught:
        agent.run_sync('go')
    assert kinds(caught.value.messages) == ['user-prompt', 'tool-call']


class BadExit(FunctionToolset):
    async def __aexit__(self, *args):
        raise RuntimeError('exit failed')


def test_an_error_on_closing_carries_the_run():
    with pytest.raises(RuntimeError, match='exit failed') as caught:
        Agent('test', toolsets=[BadExit()]).run_sync('go')
    assert kinds(caught.value.messages) == ['user-prompt', 'text']


def test_an_error_on_closing_does_not_lose_the_error_of_the_run():
    def boom():
        raise ValueError('boom')

    with pytest.raises(Exception) as caught:
        Agent('test', toolsets=[BadExit()], tools=[boom]).run_sync('go')
    assert isinstance(caught.value, ValueError) or isinstance(caught.value.__context__, ValueError)


def test_a_scope_is_for_one_run():
    async def main():
        scope = Agent('test').iter('go')
        async with scope as run:
            async for _ in run:
                pass
        with pytest.raises(Exception):
            async with scope as run:
                pass

    asyncio.run(main())


def test_empty_metadata_of_a_run_is_none():
    assert Agent('test').run_sync('go', metadata={}).metadata is None
