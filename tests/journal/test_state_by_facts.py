"""The facts of a run make its state: they alone make, after each of them, the state that the run has; and so do its records.

Scripts are drawn at random; each is run, and then resumed from some states of its store.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from stead import Agent, RunContext
from stead._contracts.facts import (
    CallAnswered,
    CallsDecided,
    CallStarting,
    CallsWait,
    RequestReady,
    ResponseTaken,
    RunBegan,
    RunEnded,
    RunFact,
)
from stead._contracts.run_state import RunState
from stead._loop.state import GraphAgentState, apply
from stead.capabilities import AbstractCapability
from stead.journal import Journal, RecordedRun
from stead.journal._fold import fold
from stead.messages import ModelMessagesTypeAdapter, ModelRequest, ModelResponse, RetryPromptPart, ToolReturnPart
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
    calls: dict[str, dict[str, str]] = field(default_factory=dict)
    """How the calls of the last response stand, for each run that began here."""
    seen: dict[str, list[tuple[str, dict[str, Any], dict[str, str] | None]]] = field(default_factory=dict)
    """For each run the kinds of its records, with what the facts had made until then."""
    waits: set[str] = field(default_factory=set)
    count: int = 0

    async def record(self, ctx: RunContext[Any], *, fact: RunFact) -> None:
        run_id = str(ctx.run_id)
        if isinstance(fact, RunBegan) and ctx.agent is not None and ctx.agent.name == 'outer':
            self.states.clear()  # it continues with what is known of it
        state = self.states.setdefault(run_id, RunState(run_id=run_id))
        if isinstance(fact, RequestReady):
            self.compare_answers(state, fact)
        apply(state, fact)
        live = next(
            one.run.ctx.state for one in reversed(SCOPES) if one.run is not None and one.run.ctx.state.run_id == run_id
        )
        self.note_calls(run_id, live, fact)
        self.compare(live, state, fact)
        if (kind := KINDS.get(type(fact))) is not None:
            calls = self.calls.get(run_id)
            self.seen.setdefault(run_id, []).append((kind, plain(state), None if calls is None else dict(calls)))
        self.count += 1

    def note_calls(self, run_id: str, live: GraphAgentState, fact: RunFact) -> None:
        if isinstance(fact, RunBegan) and fact.restored is None:
            self.calls[run_id] = {}
        if (calls := self.calls.get(run_id)) is None:
            return
        if isinstance(fact, RequestReady):
            calls.clear()
        elif isinstance(fact, ResponseTaken):
            calls.update(dict.fromkeys(ids_of(live), 'open'))
        elif isinstance(fact, CallStarting) and fact.call.tool_call_id in calls:
            calls[fact.call.tool_call_id] = 'started'
        elif isinstance(fact, CallAnswered):
            calls.pop(fact.call.tool_call_id, None)
        elif isinstance(fact, CallsWait):
            asked = [call.tool_call_id for call in (*fact.requests.calls, *fact.requests.approvals)]
            for call_id in {*calls} - {*ids_of(live)}:
                del calls[call_id]  # it has another id now
            calls.update(dict.fromkeys(asked, 'waits'))
        elif isinstance(fact, CallsDecided):
            calls.update(dict.fromkeys((*fact.results.calls, *fact.results.approvals), 'decided'))

    def compare_answers(self, state: RunState, fact: RequestReady) -> None:
        """Each answer that was told is part of the request, and the request has no other."""
        parts = [*map(id, fact.request.parts)]
        assert all(id(part) in parts for answer in state.answers.values() for part in answer), fact
        if ids_of(state):
            answered = {
                part.tool_call_id
                for part in fact.request.parts
                if isinstance(part, (ToolReturnPart, RetryPromptPart)) and part.tool_name is not None
            }
            assert answered == {*state.answers}, fact

    def compare(self, live: GraphAgentState, state: RunState, fact: RunFact) -> None:
        names = 'run_id conversation_id run_step metadata new_message_index answers_calls'.split()
        if isinstance(fact, CallsWait):
            self.waits.add(state.run_id)
        # What a response that was not handled to its end led to is done again.
        if not isinstance(fact, RunEnded) or (fact.how == 'done' and state.run_id not in self.waits):
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


KINDS: dict[type, str] = {
    RequestReady: 'request',
    ResponseTaken: 'response',
    CallStarting: 'calling',
    CallAnswered: 'answered',
    CallsWait: 'waiting',
    RunEnded: 'ended',
}


def ids_of(state: RunState) -> list[str]:
    last = state.message_history[-1] if state.message_history else None
    return [call.tool_call_id for call in last.tool_calls] if isinstance(last, ModelResponse) else []


def plain(state: RunState) -> dict[str, Any]:
    """Return a state as data."""
    names = 'conversation_id run_step new_message_index output_retries_used last_max_tokens following is_fresh prompt'
    return {
        **{name: getattr(state, name) for name in names.split()},
        'metadata': state.metadata or None,
        'retries': dict(state.retries or {}),
        'call_counts': dict(state.call_counts or {}),
        'pending': len(state.pending_messages),
        'messages': [message.kind for message in state.message_history],
        'last': ModelMessagesTypeAdapter.dump_json(state.message_history[-1:]),
        'answers': {
            call_id: ModelMessagesTypeAdapter.dump_json([ModelRequest(parts=[*parts])]).partition(b'"timestamp"')[0]
            for call_id, parts in state.answers.items()
        },
        'decided': sorted({*state.decisions.calls, *state.decisions.approvals} if state.decisions is not None else ()),
        'usage': str(state.usage),
    }


def calls_of(run: RecordedRun) -> dict[str, str]:
    """Return how the calls of the last response stand by the records."""
    decided = {*run.decisions.calls, *run.decisions.approvals} if run.decisions is not None else set[str]()
    waits = run.undecided()
    calls = {call.tool_call_id: 'open' for call in run.open_calls()}
    for stands, ids in (('decided', decided), ('started', run.calls.started), ('waits', waits)):
        calls.update(dict.fromkeys(calls.keys() & {*ids}, stands))
    return calls


async def compare_records(journal: Journal[Any], folding: Folding, script: Script) -> None:
    """Compare what the records of runs make with what their facts told, after each record."""
    for run_id, seen in folding.seen.items():
        records = await journal.records(run_id)
        run, rest = RecordedRun(run_id=run_id), list(seen)
        # What was recorded before this process began is not compared.
        first = [record.kind in KINDS.values() for record in records]
        skipped = sum(first) - len(rest)
        for record in records:
            run = fold([record], run)
            if record.kind not in KINDS.values():
                continue
            if skipped > 0:
                skipped -= 1
                continue
            kind, expected, calls = rest.pop(0)
            assert kind == record.kind
            found = plain(run)
            if any('nested' in step for step in script.steps):  # records of the outer run have what inner runs used
                found['usage'] = expected['usage']
            if record.kind == 'ended' and not run.has_output:
                continue  # what follows the last response in the history of its caller is not part of the run that continues
            different = {name: (value, expected[name]) for name, value in found.items() if value != expected[name]}
            assert not different, (record, run_id)
            if calls is not None:
                assert calls_of(run) == calls, record


async def play(script: Script) -> None:
    store, folding = Snapshots(), Folding()
    agent, journal, _ = make_agent(script, store, folding, kind=Remembering)
    options = options_of(script)
    first = await start(script, agent, options)
    assert folding.count > 2
    await compare_records(journal, folding, script)
    for place in range(0, len(store.states), 4):
        again = Folding()
        agent, journal, _ = make_agent(script, store.after(place), again, kind=Remembering)
        await finish(agent, journal, first.run_id, options)
        assert again.count or place == len(store.states) - 1
        await compare_records(journal, again, script)


@settings(max_examples=COUNT, suppress_health_check=[HealthCheck.too_slow])
@given(script=SCRIPTS)
def test_facts_make_the_state_of_their_run(script: Script) -> None:
    SCOPES.clear()
    asyncio.run(play(script))
