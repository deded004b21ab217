"""Threads and nested runs close the event loops that `run_sync` made for them."""

from __future__ import annotations

import asyncio
import threading

from stead import Agent
from tests.loop.kit import call, held, held_at_last, script, text


def test_threads_that_end_close_their_loops():
    agent = Agent('test')
    agent.run_sync('go')
    before = held()
    for _ in range(20):
        thread = threading.Thread(target=agent.run_sync, args=('go',))
        thread.start()
        thread.join()
    assert held_at_last(before)[1] <= before[1]


def test_nested_runs_close_their_loops():
    inner = Agent('test')
    agent = Agent(script([call('ask')], text('ok')))
    agent.tool_plain(name='ask')(lambda: inner.run_sync('go').output)
    asyncio.run(agent.run('go'))
    before = held()
    for _ in range(10):
        agent.model = script([call('ask')], text('ok'))
        asyncio.run(agent.run('go'))
    assert held_at_last(before)[1] <= before[1]
