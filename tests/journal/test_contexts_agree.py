"""A run that is resumed after any of its records shows its tools, hooks and validators what it would have shown them.

Scripts are drawn at random. Each is run once; then the run is resumed from every state that its store had, and each context
that is seen then is compared with the one that was seen at the same place.
"""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings

from stead import DeferredToolRequests

from .scripts import COUNT, SCRIPTS, Script, Snapshots, finish, make_agent, options_of, outcome, start

pytestmark = pytest.mark.filterwarnings('ignore:The agent has changed')


async def play(script: Script) -> int:
    """Play a script, and resume its run from each state of its store; return how many there were."""
    store = Snapshots()
    agent, journal, seen = make_agent(script, store)
    options = options_of(script)
    first = await start(script, agent, options)
    result = first
    if isinstance(first.output, DeferredToolRequests):
        result = await finish(agent, journal, first.run_id, options)
    expected, whole = seen.contexts, outcome(result)
    await journal.runs()  # what was written before is written now
    for place in range(len(store.states)):
        state = store.after(place)
        other, other_journal, other_seen = make_agent(script, state)
        resumed = await finish(other, other_journal, first.run_id, options)
        where = f'after change {place} of {len(store.states)} of {script}'
        for key, shown in other_seen.contexts.items():
            assert key in expected, f'{key} is seen only {where}: {sorted(map(str, expected))}'
            before = expected[key]
            other_than = {name: (before.get(name), value) for name, value in shown.items() if before.get(name) != value}
            assert not other_than, f'at {key} {where}'
        assert outcome(resumed) == whole, where
    return len(store.states)


@settings(max_examples=COUNT, suppress_health_check=[HealthCheck.too_slow])
@given(script=SCRIPTS)
def test_contexts_of_resumed_runs_are_those_of_the_whole_run(script: Script) -> None:
    asyncio.run(play(script))
