"""The processes of a history, and what happens to them.

An actor is a fork of the nemesis. It passes points: in its model, in its tools, and before and after each use of its store. Its faults
are drawn as numbers of such points, so they strike at the same step of its work, however fast the machine is.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import signal
import sqlite3
import threading
import time
import traceback
import zlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from stead import DeferredToolRequests, DeferredToolResults
from stead.journal import (
    Entry,
    Journal,
    JournalError,
    LeaseLost,
    PostgresStore,
    Record,
    RunInfo,
    SqliteStore,
    Store,
    StoreError,
    WaitingRun,
)
from stead.run import AgentRunResultEvent

from .desk import AGENT, run_as
from .ledger import Ledger

LEASE = 0.5
SECRET = b'0123456789abcdef'
FAULTS = ('kill', 'kill', 'kill', 'stop', 'clock', 'store')
PATIENCE = 3.0
"""How long a worker waits for a run that another process has, or for a file that a stopped one has locked, in seconds; then the next
round goes on with it."""
_real_time = time.time


class Place(NamedTuple):
    """Where the journal of a history is."""

    url: str
    """The file, or the address of a database."""
    schema: str | None = None


class Role(NamedTuple):
    """What a process does."""

    name: str
    """The name of the method of `Actor`."""
    options: dict[str, Any] = {}
    faults: dict[int, str] = {}
    """What happens to it at which of its points."""
    ahead: float = 0.0
    """How far its clock is ahead, in seconds."""


class _Watched:
    """What a store does is a point before, and another one after."""

    point: Callable[[str], None]
    note: Callable[..., None]

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        return self._between('create', lambda: super(_Watched, self).create(run, records))  # type: ignore[misc]

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        for entry in entries:
            for record in entry.records:
                if record.kind in ('calling', 'output_calling'):
                    data = json.loads(record.body)
                    self.note('starts', run=entry.run_id, token=entry.token, call=data['id'], tool=data['tool'])
        return self._between('append', lambda: super(_Watched, self).append(entries, durable=durable))  # type: ignore[misc]

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        def acquire() -> int | None:
            token = super(_Watched, self).acquire(run_id, holder, now, seconds)  # type: ignore[misc]
            if token is not None:
                self.note('took', run=run_id, token=token)
            return token

        return self._between('acquire', acquire)

    def delete_unused(self, trees: Sequence[Sequence[str]], now: float) -> int:
        return self._between('delete', lambda: super(_Watched, self).delete_unused(trees, now))  # type: ignore[misc]

    def _between(self, name: str, function: Callable[[], Any]) -> Any:
        self.point(f'before {name}')
        outcome = function()
        self.point(f'after {name}')
        return outcome


class _WatchedFile(_Watched, SqliteStore): ...


class _WatchedDatabase(_Watched, PostgresStore): ...


class Actor:
    """A process."""

    def __init__(self, place: Place, ledger: Ledger, role: Role) -> None:
        self.place, self.ledger, self.role = place, ledger, role
        self.points = 0
        self.ahead = role.ahead
        time.time = lambda: _real_time() + self.ahead  # the calendar of this process; no one sets the other clock
        is_file = place.schema is None
        # What waits for a lock of the file gives up early, so that the fault is seen.
        store: Any = (
            _WatchedFile(place.url, timeout=0.1 if 'store' in role.faults.values() else 1)
            if is_file
            else _WatchedDatabase(place.url, schema=place.schema)
        )
        store.point, store.note = self.point, ledger.note
        self.store: Store = store
        self.journal: Journal[Any] = Journal(store, lease_seconds=LEASE, secret=SECRET)
        run_as(self)

    def point(self, name: str) -> None:
        """Let happen what is to happen here."""
        self.points += 1
        if (fault := self.role.faults.get(self.points)) is None:
            return
        self.ledger.note('fault', fault=fault, point=name, role=self.role.name)
        if fault == 'kill':
            os.kill(os.getpid(), signal.SIGKILL)
        elif fault == 'stop':
            os.kill(os.getpid(), signal.SIGSTOP)
        elif fault == 'clock':
            self.ahead += random.Random(self.points).choice((-3600.0, -2 * LEASE, 2 * LEASE, 3600.0))
        elif self.place.schema is None:
            self._lock_file()
        else:
            self._cut_connections()

    def _lock_file(self) -> None:
        """Keep others, and this process, from writing for longer than they wait."""
        other = sqlite3.connect(self.place.url, isolation_level=None, check_same_thread=False, timeout=0)
        try:
            other.execute('BEGIN IMMEDIATE')
        except sqlite3.OperationalError:  # it is in use, which is a lock as well
            other.close()
            return

        def unlock() -> None:
            other.execute('ROLLBACK')
            other.close()

        threading.Timer(0.25, unlock).start()

    def _cut_connections(self) -> None:
        import psycopg

        with psycopg.connect(self.place.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'stead journal%'"
            )

    # What processes do

    async def worker(self, tasks: list[dict[str, Any]], patience: float | None = None) -> None:
        """Begin tasks, and go on with runs that were left."""
        mine = [asyncio.create_task(self._begin(task)) for task in tasks]
        async with self.journal.worker(AGENT, pause=0.05, attempts=10**6) as worker:
            if mine:
                await asyncio.wait(mine, timeout=PATIENCE)
            for task in mine:
                task.cancel()
            await asyncio.gather(*mine, return_exceptions=True)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(worker.idle(), PATIENCE if patience is None else patience)
        for run_id, error in worker.failures.items():
            self._note_error(f'run {run_id}', error)

    async def _begin(self, task: dict[str, Any]) -> None:
        prompt, what = json.dumps({name: task[name] for name in ('what', 'plan', 'ends')}), task['what']
        self.ledger.note('begin', what=what)
        try:
            if task['way'] == 'key':
                result: Any = await self.journal.run(AGENT, prompt, key=what)
            elif task['way'] == 'events':
                async with AGENT.run_stream_events(prompt, capabilities=[self.journal]) as events:
                    async for event in events:
                        result = event.result if isinstance(event, AgentRunResultEvent) else None
            else:
                result = await AGENT.run(prompt, capabilities=[self.journal])
            self.ledger.note('result', what=what, output=str(result.output), is_question=_is_question(result.output))
        except Exception as error:
            self._note_error(f'task {what}', error)

    def _note_error(self, where: str, error: BaseException) -> None:
        if not isinstance(error, JournalError):
            text = ''.join(traceback.format_exception(type(error), error, error.__traceback__))
            self.ledger.note('error', where=where, error=repr(error), text=text[-3000:])
        else:
            self.ledger.note('left', where=where, error=f'{type(error).__name__}: {error}'[:200])

    async def person(self, channel: str, salt: str = '', everything: bool = False) -> None:
        """Decide about what waits, over a channel."""
        draw = random.Random(f'{self.role}')
        for waiting in await self.journal.waiting():
            if waiting.error is not None:
                self._note_error(f'waiting {waiting.run.run_id}', waiting.error)
            elif everything or draw.random() < 0.8:
                await self._decide(waiting, channel, salt)

    async def _decide(self, waiting: WaitingRun, channel: str, salt: str) -> None:
        decided = self._decisions(waiting, salt)
        run_id, approvals = waiting.run.run_id, decided.approvals
        is_plain = waiting.run.parent_id is None and not waiting.within and not waiting.requests.metadata
        messages = await self.journal.messages(run_id) if channel == 'history' and is_plain else []
        # A front end has the history as it was when the run asked, and sends its answers to all calls at once.
        if messages and {call.tool_call_id for call in getattr(messages[-1], 'tool_calls', ())} == approvals.keys():
            results = waiting.requests.build_results(approvals=approvals)
            await self._attempt(
                waiting,
                results,
                channel,
                lambda: AGENT.run(message_history=messages, deferred_tool_results=results, capabilities=[self.journal]),
            )
            return
        for call_id in [*decided.calls, *approvals]:
            one = DeferredToolResults(
                calls={call_id: decided.calls[call_id]} if call_id in decided.calls else {},
                approvals={call_id: approvals[call_id]} if call_id in approvals else {},
            )
            if channel == 'ticket' and one.approvals:
                ticket, decision = self.journal.ticket(waiting, call_id), approvals[call_id]
                await self._attempt(
                    waiting,
                    one,
                    channel,
                    lambda ticket=ticket, decision=decision: self.journal.redeem(ticket, decision),
                )
            else:
                await self._attempt(waiting, one, channel, lambda one=one: self.journal.answer(run_id, one))

    async def _attempt(
        self, waiting: WaitingRun, results: DeferredToolResults, channel: str, send: Callable[[], Awaitable[object]]
    ) -> None:
        metadata = waiting.requests.metadata
        calls = {call.tool_call_id: call for call in (*waiting.requests.approvals, *waiting.requests.calls)}
        answers = [
            {
                'run': waiting.run.run_id,
                'call': call_id,
                'what': calls[call_id].args_as_dict().get('what'),
                'kind': metadata.get(call_id, {}).get('kind', 'approval'),
                'decision': results.approvals.get(call_id, 'done'),
            }
            for call_id in [*results.calls, *results.approvals]
        ]
        self.ledger.note('decide', answers=answers, channel=channel)
        outcome = 'unknown'
        try:
            await send()
            outcome = 'accepted'
        except (StoreError, LeaseLost) as error:
            self._note_error(f'answer {waiting.run.run_id}', error)
        except JournalError as error:
            outcome = 'refused'
            self._note_error(f'answer {waiting.run.run_id}', error)
        self.ledger.note('decided', answers=answers, channel=channel, outcome=outcome)

    def _decisions(self, waiting: WaitingRun, salt: str) -> DeferredToolResults:
        """Return what a person decides, who can see in the ledger what was done."""
        results, requests = DeferredToolResults(), waiting.requests
        for call in (*requests.approvals, *requests.calls):
            call_id = call.tool_call_id
            args = call.args_as_dict()
            if requests.metadata.get(call_id, {}).get('kind') != 'reconcile':
                results.approvals[call_id] = zlib.crc32(f'{salt}{args["what"]}'.encode()) % 3 != 0
                continue
            kind, what = call.tool_name, args.get('what', call.tool_name)
            if kind == what:  # a step of a tool is named by what it does
                kind = 'step'
            kind = 'finish' if kind.startswith('final_result') else kind
            if self.ledger.look_up(what, waiting.run.run_id):
                results.calls[call_id] = f'{kind} {what}'
            else:
                results.approvals[call_id] = True
        return results

    async def keeper(self, what: str, choice: float = 0.0) -> None:
        """Prune, fork, or export and import."""
        if what == 'prune':
            self.ledger.note('pruned', count=await self.journal.prune(older_than=0, keep=int(choice * 2)))
        elif what == 'import':
            lines = [line async for line in self.journal.export()]
            self.ledger.note('imported', count=await self.journal.import_(lines))
        else:
            runs = [
                run for run in await self.journal.runs() if run.parent_id is None and run.base_id is None and run.steps
            ]
            if runs:
                run = runs[int(choice * len(runs))]
                at = 1 + int(choice * 1000) % run.steps
                task = json.loads((await self.journal.steps(run.run_id))[0].messages[0].parts[0].content)  # type: ignore[union-attr, arg-type]
                self.ledger.note('fork', run=run.run_id, what=task['what'], at=at)
                fork = await self.journal.fork(run.run_id, at=at)
                self.ledger.note('forked', run=run.run_id, what=task['what'], at=at, fork=fork)

    async def mover(self, to: Place) -> None:
        """Take all runs to another journal."""
        store = SqliteStore(to.url) if to.schema is None else PostgresStore(to.url, schema=to.schema)
        lines = [line async for line in self.journal.export()]
        self.ledger.note('moved', count=await Journal(store).import_(lines))

    async def finisher(self, path: str) -> None:
        """Continue all that is left, decide about all that waits, and write down how the runs stand in the end."""
        for _ in range(40):
            await self.worker([], patience=60.0)
            found = [await self._seen(run) for run in await self.journal.runs(limit=10_000)]
            if all(run['status'] in ('done', 'failed') for run in found):
                break
            await self.person('answer', everything=True)
        Path(path).write_text(json.dumps(found))  # noqa: ASYNC240 - there is nothing else to do

    async def _seen(self, run: RunInfo) -> dict[str, Any]:
        records = await self.journal.records(run.run_id)
        state = await self.journal.state(run.run_id)
        parts = [part for message in state.messages for part in message.parts]
        return {
            'run': run.run_id,
            'status': run.status,
            'parent': run.parent_id,
            'base': run.base_id,
            'seqs': [record.seq for record in records],
            'kinds': [record.kind for record in records],
            'prompt': parts[0].content if parts else None,  # type: ignore[union-attr]
            'answers': [
                [part.part_kind, part.tool_call_id, str(part.content)]
                for part in parts
                if part.part_kind in ('tool-return', 'retry-prompt')
            ],
            'output': str(state.output),
            'handed_to': state.handed_to,
            'error': (state.error or {}).get('message'),
        }


def _is_question(output: object) -> bool:
    return isinstance(output, DeferredToolRequests)


def warm_up(folder: Path) -> None:
    """Let this process load what a run needs, so that its forks need not."""
    actor = Actor(Place(str(folder / 'warm.db')), Ledger(folder / 'warm'), Role('worker'))
    asyncio.run(actor._begin({'what': 't', 'plan': [[['handled'], ['wipe']]], 'ends': 'text', 'way': 'events'}))
    asyncio.run(actor.person('answer'))
    asyncio.run(actor.worker([]))
    while threading.active_count() > 1:  # the thread of the journal ends by itself
        time.sleep(0.01)
    gc.collect()
    gc.freeze()


def start(place: Place, ledger: Ledger, role: Role, log: Path) -> int:
    """Start a process, and return its id."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        file = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(file, 1)
        os.dup2(file, 2)
        ledger = Ledger(ledger.path)
        actor = Actor(place, ledger, role)
        try:
            asyncio.run(getattr(actor, role.name)(**role.options))
        except JournalError as error:
            actor._note_error(role.name, error)
        status = 0
    except BaseException as error:
        ledger.note('error', where=role.name, error=repr(error), text=traceback.format_exc()[-3000:])
    finally:
        os._exit(status)
