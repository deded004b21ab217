"""Threads and nested runs close the event loops that `run_sync` made for them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading

import pytest

from stead import Agent
from tests.loop.kit import call, script, text
from tests.resources import resources, resources_at_last


def test_threads_that_end_close_their_loops():
    agent = Agent('test')
    agent.run_sync('go')
    before = resources()
    for _ in range(20):
        thread = threading.Thread(target=agent.run_sync, args=('go',))
        thread.start()
        thread.join()
    assert resources_at_last(before)[1] <= before[1]


def test_nested_runs_close_their_loops():
    inner = Agent('test')
    agent = Agent(script([call('ask')], text('ok')))
    agent.tool_plain(name='ask')(lambda: inner.run_sync('go').output)
    asyncio.run(agent.run('go'))
    before = resources()
    for _ in range(10):
        agent.model = script([call('ask')], text('ok'))
        asyncio.run(agent.run('go'))
    assert resources_at_last(before)[1] <= before[1]


FORKED = """
import os, sys
from stead import Agent

agent = Agent('test')


@agent.tool_plain
def double(x: int) -> int:
    return 2 * x  # in a worker thread


print(agent.run_sync('go').output, flush=True)
for ending in (lambda: sys.exit(0), lambda: print(agent.run_sync('go').output, flush=True)):
    child = os.fork()
    if not child:
        ending()
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    print(agent.run_sync('go').output, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='this system does not fork')
def test_a_child_process_leaves_the_loop_of_its_parent_alone():
    process = subprocess.run(
        [sys.executable, '-W', 'error', '-W', 'ignore::DeprecationWarning', '-c', FORKED],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (process.returncode, process.stderr) == (0, '')
    assert process.stdout.splitlines() == ['{"double":0}'] * 4
