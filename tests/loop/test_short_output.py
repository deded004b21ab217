"""What a failing program prints is short, and is about the user's own code."""

from __future__ import annotations

import pytest

from tests.loop.test_errors import printed, short_tracebacks

SYNC = """
    agent = Agent(calls('lookup'))
    @agent.tool_plain
    def lookup():
        raise ValueError('no such row')
    agent.run_sync('go')
"""


@short_tracebacks
@pytest.mark.parametrize(
    'program',
    [
        SYNC,
        SYNC.replace("calls('lookup')", "calls('lookup', 'lookup')"),
        SYNC.replace('def lookup', 'async def lookup'),
        SYNC.replace("agent.run_sync('go')", "asyncio.run(agent.run('go'))"),
    ],
)
def test_run_sync_prints_little(program):
    lines = printed(program)
    assert len(lines) <= 25 and sum(line.startswith('Traceback') for line in lines) == 1, '\n'.join(lines)


def test_other_failures_of_a_batch_are_not_shouted():
    lines = printed("""
        agent = Agent(calls('lookup', 'lookup', 'lookup'))
        @agent.tool_plain
        async def lookup():
            raise ValueError('no such row')
        asyncio.run(agent.run('go'))
    """)
    assert 'Task exception was never retrieved' not in lines


@short_tracebacks
def test_retries_used_up_print_little():
    lines = printed("""
        agent = Agent(calls('lookup'), retries=0)
        @agent.tool_plain
        async def lookup():
            raise ModelRetry('no such row')
        asyncio.run(agent.run('go'))
    """)
    assert len(lines) <= 25, '\n'.join(lines)
