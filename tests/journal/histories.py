"""Random histories of processes that share a store: what they do in turn is drawn from a seed, so that it can be played again.

Processes begin runs, resume those that others left, are paused, continue, are killed at a random write, and lose what they had not
written yet; the clock jumps forward and back; people answer. Everything happens in one thread: a process moves only when it is
its turn, from one pause of a model or a tool to the next, so that a seed always plays the same history. The journals are real
ones, except for the thread that writes: what no one waits for is written when the history says so.

In the end, all processes are killed, the clock moves on, and one more process resumes whatever is left. Then nothing may be lost,
and nothing that changes anything may have been done twice.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from stead import Agent, DeferredToolRequests, DeferredToolResults, Done, ModelRetry, NotDone, RunContext
from stead.journal import Entry, Journal, JournalError, Record, RunFilter, RunInfo, Store, StoreError
from stead.journal._writer import Writer
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, FunctionModel

LEASE = 30.0
KINDS = ('read', 'idem', 'write', 'write', 'unsure', 'approve', 'flaky', 'nest')
"""What a call may be. The effect of `write` can be looked up, that of `unsure` only a person can tell."""
EFFECTS = ('write', 'unsure', 'approve')
"""Calls that must not run twice."""

Plan = list[list[list[Any]]]
"""The steps of a run: each a list of calls, which are a kind and, for `nest`, the plan of the inner run."""


class Mortal(Store):
    """The store as one process has it, which dies with the process."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.dead = False
        self.writes_left: int | None = None
        self.dies_after = False

    def _reach(self) -> Store:
        if self.dead:
            raise StoreError('the process is dead')
        return self.inner

    def _write(self, function: Callable[[Store], Any]) -> Any:
        self._reach()
        if self.writes_left is not None:
            self.writes_left -= 1
        dies = self.writes_left is not None and self.writes_left < 0
        self.dead = dies
        outcome = function(self.inner) if not dies or self.dies_after else None
        self._reach()
        return outcome

    def open(self) -> None:
        self.inner.open()

    def close(self) -> None:
        self.inner.close()

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        return self._write(lambda store: store.create(run, records))

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        return self._write(lambda store: store.append(entries, durable=durable))

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        return self._write(lambda store: store.acquire(run_id, holder, now, seconds))

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        return self._write(lambda store: store.renew(leases, until))

    def release(self, run_id: str, token: int) -> None:
        self._write(lambda store: store.release(run_id, token))

    def delete(self, run_ids: Sequence[str]) -> int:
        return self._write(lambda store: store.delete(run_ids))

    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
        return self._reach().read(run_id, after, limit)

    def get(self, run_id: str) -> RunInfo | None:
        return self._reach().get(run_id)

    def find(self, wanted: RunFilter) -> list[RunInfo]:
        return self._reach().find(wanted)


class TurnWriter(Writer):
    """Writes when it is waited for, or when the history says so, and not in a thread."""

    def _put(self, item: Any, at_once: bool) -> None:
        self._queue.append(item)
        if item.future is not None:
            self.drain()

    def drain(self) -> None:
        items = list(self._queue)
        self._queue.clear()
        for item in items:
            if item.future is not None:
                item.future.set_running_or_notify_cancel()
        self._do(items)


class Process:
    """A process: its journal, its runs, and the places where they pause."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.number = number
        self.store = Mortal(world.make_store())
        self.store.open()
        self.journal: Journal[Any] = Journal(self.store, lease_seconds=LEASE)
        self.worker = self.journal.worker(AGENT, deps=self)
        self.writer = TurnWriter(self.store, LEASE)
        self.journal._recorder.writer = self.writer
        self.paused = False
        self.gates: list[asyncio.Future[None]] = []
        self.tasks: set[asyncio.Task[None]] = set()

    async def gate(self) -> None:
        """Pause until it is the turn of this place."""
        future = asyncio.get_running_loop().create_future()
        self.gates.append(future)
        await future

    def start(self, what: str, function: Callable[[], Any]) -> None:
        async def work() -> None:
            try:
                await function()
            except JournalError:
                pass  # the store is dead, or another process has the run
            except Exception as error:
                if not self.store.dead:
                    self.world.violations.append(f'{what} failed with {error!r}')

        _process.set(self)
        self.tasks.add(asyncio.get_running_loop().create_task(work()))

    async def kill(self) -> None:
        self.store.dead = True
        self.writer._queue.clear()
        while tasks := [task for task in (*self.tasks, *self.worker._under_way.values()) if not task.done()]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        self.store.close()
        if self in self.world.processes:
            self.world.processes.remove(self)


_process: ContextVar[Process] = ContextVar('process')


class World:
    """Everything outside of processes: the store, the clock, and what tools have really done."""

    def __init__(self, seed: int, make_store: Callable[[], Store], clock: Clock) -> None:
        self.random = random.Random(seed)
        self.make_store = make_store
        self.clock = clock
        clock.offset = 0.0
        self.processes: list[Process] = []
        self.effects: Counter[str] = Counter()
        self.violations: list[str] = []
        self.trace: list[str] = []
        self.began = 0
        self.counts: Counter[str] = Counter()

    # What may happen

    def begin(self, process: Process) -> None:
        if self.began < 2:
            self.began += 1
            plan = json.dumps(self.plan(self.random.choice((1, 1, 2))))
            process.start('a run', lambda: AGENT.run(plan, deps=process, capabilities=[process.journal]))

    def plan(self, depth: int) -> Plan:
        steps: Plan = []
        for _ in range(self.random.choice((1, 1, 2) if depth < 2 else (1, 2, 3))):
            kinds = self.random.choices(KINDS if depth else KINDS[:-1], k=self.random.choice((1, 1, 2, 3)))
            steps.append([[kind, self.plan(depth - 1)] if kind == 'nest' else [kind] for kind in kinds])
        return steps

    async def resume(self, process: Process) -> None:
        """Let the worker of a process look for runs that it can go on with."""
        before = set(process.worker._under_way)
        _process.set(process)
        try:
            await process.worker._look()
        except JournalError:
            return
        self.counts['resumed'] += len(process.worker._under_way.keys() - before)

    async def answer(self, process: Process, *, everything: bool = False) -> None:
        """Decide about calls that wait, as a person would who can see what was done."""
        try:
            for waiting in await process.journal.waiting():
                results, requests = DeferredToolResults(), waiting.requests
                for call in (*requests.approvals, *requests.calls):
                    if not everything and self.random.random() < 0.3:
                        continue
                    place = f'{waiting.run.run_id}/{call.tool_call_id}'
                    if requests.metadata.get(call.tool_call_id, {}).get('kind') != 'reconcile':
                        results.approvals[call.tool_call_id] = is_approved(call.tool_call_id)
                    elif self.effects[place]:
                        results.calls[call.tool_call_id] = f'{call.tool_name} is done'
                    else:
                        results.approvals[call.tool_call_id] = True
                if results.approvals or results.calls:
                    self.counts['answered'] += 1
                    await process.journal.answer(waiting.run.run_id, results)
        except JournalError:
            return

    def time_passes(self) -> None:
        """Let a moment pass, in which processes that are not paused renew their leases."""
        self.clock.offset += self.random.uniform(1, LEASE / 3)
        for process in self.processes:
            if not process.paused and not process.store.dead:
                process.writer._renew()

    async def turn(self) -> None:
        """Let one thing happen."""
        alive = [process for process in self.processes if not process.paused]
        gates = [(process, gate) for process in alive for gate in process.gates]
        actions = ['go on'] * 24 + ['resume'] * 5 + ['answer'] * 4 + ['write'] * 3 + ['begin'] * 3 + ['time'] * 2
        actions += ['process', 'pause', 'unpause', 'kill', 'arm', 'forward', 'back']
        action = self.random.choice(actions)
        process = self.random.choice(alive) if alive else None
        self.trace.append(f'{action} {process.number if process else "-"}')
        if (process is None or action == 'process') and len(self.processes) < 4:
            self.processes.append(Process(self, len(self.trace)))
        elif action == 'unpause':
            for one in self.processes:
                one.paused = False
        elif action == 'time':
            self.time_passes()
        elif action in ('forward', 'back'):
            self.clock.offset += (1 if action == 'forward' else -1) * self.random.choice((20.0, 40.0, 4000.0))
        elif action == 'go on' and gates:
            owner, gate = self.random.choice(gates)
            self.release(owner, gate)
        elif process is None:
            return
        elif action == 'resume':
            await self.resume(process)
        elif action == 'answer':
            await self.answer(process)
        elif action == 'write':
            process.writer.drain()
        elif action == 'begin':
            self.begin(process)
        elif action == 'pause':
            process.paused = True
        elif action == 'kill':
            self.counts['killed'] += 1
            await process.kill()
        elif action == 'arm':
            process.store.writes_left = self.random.randint(0, 12)
            process.store.dies_after = self.random.random() < 0.5

    def release(self, process: Process, gate: asyncio.Future[None]) -> None:
        process.gates.remove(gate)
        if not gate.done():
            gate.set_result(None)

    async def settle(self) -> None:
        """Let everything happen that does not pause, and bury the processes whose last write has come."""
        ready: Any = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # there is no public way to ask
        await asyncio.sleep(0)
        while ready:  # noqa: ASYNC110 - what is awaited is that there is nothing to do
            await asyncio.sleep(0)
        for process in [process for process in self.processes if process.store.dead]:
            self.counts['died'] += 1
            await process.kill()
        for process in self.processes:
            process.tasks = {task for task in process.tasks if not task.done()}
            for run_id, error in process.worker.failures.items():
                if not isinstance(error, JournalError) and not process.store.dead:
                    self.violations.append(f'run {run_id} failed with {error!r}')
            process.worker.failures.clear()

    # How it is played

    async def play(self, turns: int) -> None:
        for _ in range(turns):
            await self.turn()
            await self.settle()
        for process in list(self.processes):
            await process.kill()
        self.clock.offset = 1e6  # later than any lease
        await self.finish()
        for process in list(self.processes):
            await process.kill()

    async def finish(self) -> None:
        """Let one process that nothing happens to go on with all that is left."""
        last = Process(self, -1)
        self.processes.append(last)
        for _ in range(400):
            await self.resume(last)
            await self.settle()
            while last.gates:
                self.release(last, last.gates[0])
                await self.settle()
            await self.answer(last, everything=True)
            runs = await last.journal.find(RunFilter(limit=1000))
            if all(run.status == 'done' for run in runs):
                break
        else:
            self.violations.append(f'these runs do not end: {[run for run in runs if run.status != "done"]}')
        for run in runs:
            await self.check(last.journal, run)

    async def check(self, journal: Journal[Any], run: RunInfo) -> None:
        """Check that a run has done what its prompt says, and nothing twice."""
        where = f'run {run.run_id} (inside of {run.parent_id})'
        records = journal.store.read(run.run_id)
        if [record.seq for record in records] != [*range(1, len(records) + 1)]:
            self.violations.append(f'{where}: records are missing')
        state = await journal.state(run.run_id)
        messages = state.messages
        plan: Plan = json.loads(messages[0].parts[0].content)  # type: ignore[union-attr, arg-type]
        answers: Counter[str] = Counter()
        for message in messages:
            for part in message.parts if isinstance(message, ModelRequest) else ():
                if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                    answers[part.tool_call_id] += 1
                    self.check_answer(where, part)
        expected = {f's{step}c{place}': call[0] for step, calls in enumerate(plan) for place, call in enumerate(calls)}
        if answers != Counter(expected.keys()):
            self.violations.append(f'{where}: the answers are {dict(answers)}, and the calls were {expected}')
        responses = sum(isinstance(message, ModelResponse) for message in messages)
        if (responses, state.usage.requests, state.output) != (len(plan) + 1, len(plan) + 1, 'done'):
            self.violations.append(f'{where}: {responses} responses, {state.usage}, output {state.output!r}')
        for call_id, kind in expected.items():
            times = self.effects[f'{run.run_id}/{call_id}']
            wanted = 0 if kind == 'approve' and not is_approved(call_id) else 1
            if (kind in EFFECTS and times != wanted) or (kind in ('read', 'idem') and times < 1):
                self.violations.append(f'{where}: {kind} call {call_id} was done {times} times')

    def check_answer(self, where: str, part: ToolReturnPart | RetryPromptPart) -> None:
        text = str(part.content)
        if part.tool_name == 'approve' and not is_approved(part.tool_call_id):
            right = 'denied' in text
        elif part.tool_name == 'flaky':
            right = text == 'once more'
        elif part.tool_name == 'nest':
            right = text == 'done'
        else:
            right = text == f'{part.tool_name} is done'
        if not right:
            self.violations.append(f'{where}: the answer to {part.tool_name} {part.tool_call_id} is {text!r}')


class Clock:
    """The time, which histories set."""

    def __init__(self) -> None:
        self.offset = 0.0
        self.calls = 0

    def __call__(self) -> float:
        self.calls += 1
        return 1e9 + self.offset + self.calls * 1e-6


def is_approved(call_id: str) -> bool:
    """Return what people decide about a call: most are approved, and a call is always decided in the same way."""
    return sum(call_id.encode()) % 3 != 0


# The agent that all processes run


def _agent() -> Agent[Process, Any]:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await _process.get().gate()
        plan: Plan = json.loads(messages[0].parts[0].content)  # type: ignore[union-attr, arg-type]
        step = sum(isinstance(message, ModelResponse) for message in messages)
        if step >= len(plan):
            return ModelResponse(parts=[TextPart('done')])
        return ModelResponse(
            parts=[
                ToolCallPart(kind, {'plan': json.dumps(rest[0])} if rest else {}, f's{step}c{place}')
                for place, (kind, *rest) in enumerate(plan[step])
            ]
        )

    agent: Agent[Process, Any] = Agent(
        FunctionModel(answer), name='sim', deps_type=Process, output_type=[str, DeferredToolRequests], retries=100
    )

    async def act(ctx: RunContext[Process]) -> str:
        process, place = ctx.deps, f'{ctx.run_id}/{ctx.tool_call_id}'
        process.world.effects[place] += 1
        await process.gate()
        return f'{ctx.tool_name} is done'

    def was_done(ctx: RunContext[Process], args: dict[str, Any]) -> Done | NotDone:
        found = ctx.deps.world.effects[f'{ctx.run_id}/{ctx.tool_call_id}']
        return Done(f'{ctx.tool_name} is done') if found else NotDone()

    agent.tool(name='read', effect='read')(act)
    agent.tool(name='idem', effect='idempotent')(act)
    agent.tool(name='write', reconcile=was_done)(act)
    agent.tool(name='unsure')(act)
    agent.tool(name='approve', requires_approval=True, reconcile=was_done)(act)

    @agent.tool(effect='read')
    async def flaky(ctx: RunContext[Process]) -> str:
        await ctx.deps.gate()
        raise ModelRetry('once more')

    @agent.tool(effect='idempotent')
    async def nest(ctx: RunContext[Process], plan: str) -> str:
        return (await AGENT.run(plan, deps=ctx.deps, capabilities=[ctx.deps.journal])).output

    return agent


AGENT = _agent()
