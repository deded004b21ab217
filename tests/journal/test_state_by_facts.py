"""The facts of a run make its state: they alone make, after each of them, the state that the run has.

Scripts are drawn at random; each is run, and then resumed from some states of its store.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from stead import Agent, RunContext
from stead._contracts.facts import RunBegan, RunEnded, RunFact
from stead._contracts.run_state import RunState
from stead._loop.state import GraphAgentState, apply
from stead.capabilities import AbstractCapability
from stead.usage import RunUsage

from .scripts import COUNT, SCRIPTS, Script, Snapshots, finish, make_agent, options_of, start

pytestmark = pytest.mark.filterwarnings('ignore:The agent has changed')

SCOPES: list[Any] = []


class Remembering(Agent[Any, Any]):
    """An agent whose runs can be looked at while they are under way."""

    def iter(self, *args: Any, **options: Any) -> Any:
        SCOPES.append(scope := super().iter(*args, **options))
        return scope


@dataclass
class Folding(AbstractCapability[Any]):
    """Makes states of facts, and compares them with those of the runs."""

    states: dict[str, RunState] = field(default_factory=dict)
    count: int = 0

    async def record(self, ctx: RunContext[Any], *, fact: RunFact) -> None:
        run_id = str(ctx.run_id)
        if isinstance(fact, RunBegan) and ctx.agent is not None and ctx.agent.name == 'outer':
            self.states.clear()  # it continues with what is known of it
        state = self.states.setdefault(run_id, RunState(run_id=run_id))
        apply(state, fact)
        live = next(
            one.run.ctx.state for one in reversed(SCOPES) if one.run is not None and one.run.ctx.state.run_id == run_id
        )
        self.compare(live, state, fact)
        self.count += 1

    def compare(self, live: GraphAgentState, state: RunState, fact: RunFact) -> None:
        names = 'run_id conversation_id run_step metadata new_message_index'.split()
        if not isinstance(fact, RunEnded):  # what a response that was not handled to its end led to is done again
            names += 'last_max_tokens output_retries_used following'.split()
        for name in names:
            assert getattr(state, name) == getattr(live, name), (name, fact)
        for name in ('retries', 'call_counts'):
            assert getattr(state, name) == (getattr(live, name) or {}) or isinstance(fact, RunBegan), (name, fact)
        if hasattr(fact, 'pending'):
            assert [*map(id, state.pending_messages)] == [*map(id, live.pending_messages)], fact
        if not isinstance(fact, RunBegan):  # a request that is sent again was taken off, and is not sent yet
            assert [*map(id, state.message_history)] == [*map(id, live.message_history)], fact
        used = RunUsage()  # runs inside of others count in the same object
        for one in self.states.values():
            used.incr(one.usage)
        assert used == live.usage, fact


async def play(script: Script) -> None:
    store, folding = Snapshots(), Folding()
    agent, journal, _ = make_agent(script, store, folding, kind=Remembering)
    options = options_of(script)
    first = await start(script, agent, options)
    assert folding.count > 2
    await journal.runs()
    for place in range(0, len(store.states), 4):
        again = Folding()
        agent, journal, _ = make_agent(script, store.after(place), again, kind=Remembering)
        await finish(agent, journal, first.run_id, options)
        assert again.count or place == len(store.states) - 1


@settings(max_examples=COUNT // 2, suppress_health_check=[HealthCheck.too_slow])
@given(script=SCRIPTS)
def test_facts_make_the_state_of_their_run(script: Script) -> None:
    SCOPES.clear()
    asyncio.run(play(script))
