"""`Watch`: notes what tools really do. A journal may have no record of it."""

from __future__ import annotations

import base64
import json
import pickle
import threading
from collections import Counter
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from .._contracts.capability import AbstractCapability
from .._contracts.facts import (
    CallAnswered,
    CallReturned,
    CallStarting,
    CallsWait,
    OutputReturned,
    OutputStarting,
    RequestReady,
    RunBegan,
    RunEnded,
    RunFact,
)
from .._contracts.run_context import RunContext
from .._kit.ids import canonical_json
from ..messages import ToolCallPart

PATIENCE = 10.0
"""How long a process waits with its death for tools that have started, in seconds."""

_call: ContextVar[CallKey | None] = ContextVar('stead_watched_call', default=None)


class CallKey(NamedTuple):
    """A call of a run."""

    run_id: str
    key: str
    """Its idempotency key: ids may repeat in a run, and those of calls that tools make are new each time."""


class Deed(NamedTuple):
    """What a tool does, whatever the call and the run are."""

    tool: str
    arguments: str
    """As JSON."""


class Watch:
    """What happened in the runs of a story, in all of its processes.

    Its `capabilities` stand before and behind the journal: the first sees what happens before the journal can fail to record
    it, the second sees only what the journal lets happen.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Begin to watch.

        Args:
            path: A file to write down what happens, for a process that is going to be killed.
        """
        self.path = path
        self.effects: dict[CallKey, str] = {}
        """What the tools of calls do, by call."""
        self.deeds: dict[CallKey, Deed] = {}
        """What tools were started with, by call."""
        self.done: Counter[Deed] = Counter()
        """How many times tools that may change something returned, by what they do."""
        self.results: dict[CallKey, object] = {}
        """What tools returned, by call."""
        self.begun: Counter[CallKey] = Counter()
        """How many times tools were started, by call."""
        self.begun_again: set[CallKey] = set()
        """Calls whose tools were started after they had returned."""
        self.requests = 0
        """How many requests were about to be sent."""
        self._busy: set[CallKey] = set()
        self._changed = threading.Condition()
        self.outer = _Outer(self)
        self.inner = _Inner(self)

    def read(self, path: Path) -> None:
        """Take in what another process has written down."""
        for line in path.read_text(encoding='utf-8').splitlines() if path.exists() else ():
            what, *values = json.loads(line)
            if what == 'request':
                self.requests += 1
            elif what == 'begun':
                self._take_begun(CallKey(*values[0]), values[1], Deed(*values[2]))
            else:
                self._take_returned(CallKey(*values[0]), pickle.loads(base64.b64decode(values[1])))

    def _write(self, *values: object) -> None:
        if self.path is not None:
            with self.path.open('a', encoding='utf-8') as file:
                file.write(json.dumps(values) + '\n')

    def _take_begun(self, key: CallKey, effect: str, deed: Deed) -> None:
        self.begun[key] += 1
        self.effects[key] = effect
        self.deeds[key] = deed
        if key in self.results:
            self.begun_again.add(key)

    def _take_returned(self, key: CallKey, result: object) -> None:
        self.results[key] = result
        if self.effects.get(key) == 'write':
            self.done[self.deeds[key]] += 1

    def request(self) -> None:
        """Note that a request is about to be sent."""
        self.requests += 1
        self._write('request')

    def begin(self, key: CallKey, effect: str, deed: Deed, *, is_inner: bool) -> None:
        """Note that a tool begins.

        Args:
            key: The call.
            effect: What the tool may do.
            deed: What it does.
            is_inner: Whether another tool made the call, which is not waited for, then.
        """
        self._take_begun(key, effect, deed)
        self._write('begun', key, effect, deed)
        if not is_inner:
            with self._changed:
                self._busy.add(key)

    def returned(self, key: CallKey, result: object) -> None:
        """Note that a tool has returned."""
        self._take_returned(key, result)
        if self.path is not None:
            try:
                data = pickle.dumps(result)
            except Exception:  # anything may be a result
                data = pickle.dumps(repr(result))
            self._write('returned', key, base64.b64encode(data).decode())
        self.settle(key)

    def settle(self, key: CallKey) -> None:
        """Wait for the tool of a call no longer: it has ended, or waits for something that it began itself."""
        with self._changed:
            self._busy.discard(key)
            self._changed.notify_all()

    def settle_all(self, run_id: str) -> None:
        """Wait for no tool of a run any longer."""
        with self._changed:
            self._busy = {key for key in self._busy if key.run_id != run_id}
            self._changed.notify_all()

    def wait_for_tools(self) -> None:
        """Wait until the tools that were started have ended, as far as they do not wait for something themselves.

        So the worst has always happened when a process dies: all effects, and no record of them.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._busy, PATIENCE)


class _Outer(AbstractCapability[Any]):
    """Stands before the journal."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(id='crash-watch-outer')
        self.watch = watch

    async def record(self, ctx: RunContext[Any], *, fact: RunFact) -> None:
        run_id = str(ctx.run_id)
        if isinstance(fact, (RunBegan, CallStarting)):
            if (outer := _call.get()) is not None:
                self.watch.settle(outer)
        elif isinstance(fact, (CallReturned, OutputReturned)):
            self.watch.returned(_key_of(ctx), fact.result if isinstance(fact, CallReturned) else fact.output)
        elif isinstance(fact, CallAnswered):
            self.watch.settle(_key_of(ctx))
        elif isinstance(fact, (RequestReady, CallsWait, RunEnded)):
            self.watch.settle_all(run_id)


class _Inner(AbstractCapability[Any]):
    """Stands behind the journal."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(id='crash-watch-inner')
        self.watch = watch

    async def record(self, ctx: RunContext[Any], *, fact: RunFact) -> None:
        if isinstance(fact, RequestReady):
            self.watch.request()
        elif isinstance(fact, CallStarting):
            outer, key = _call.get(), _key_of(ctx)
            effect = (fact.policy.effect if fact.policy is not None else None) or 'write'
            self.watch.begin(
                key, effect, _deed_of(fact.call), is_inner=outer is not None and outer.run_id == key.run_id
            )
            _call.set(key)  # the tool runs in the same context, which is its own
        elif isinstance(fact, OutputStarting) and fact.returned is None:
            self.watch.begin(_key_of(ctx), fact.effect, _deed_of(fact.call), is_inner=False)


def _key_of(ctx: RunContext[Any]) -> CallKey:
    return CallKey(str(ctx.run_id), ctx.idempotency_key)


def _deed_of(call: ToolCallPart) -> Deed:
    return Deed(call.tool_name, canonical_json(call.args_as_dict()))
