"""`Story`: one run, in as many processes as it takes to bring it to its end."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import AsyncIterable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from ..agent import AbstractAgent
from ..exceptions import UserError
from ..journal import Journal, MemoryStore, RunFilter, RunInfo, SqliteStore, Store, WaitingRun
from ..messages import ModelMessage
from ..run import AgentRunResultEvent
from ..tools import DeferredToolApprovalResult, DeferredToolResults
from ..usage import RunUsage
from ._crash_store import DyingStore, Heir
from ._crash_watch import PATIENCE, CallKey, Watch

MOST_PROCESSES = 40
"""After how many processes a run is given up."""

AgentUnderTest: TypeAlias = Union[AbstractAgent[Any, Any], str, Callable[..., object]]
"""An agent, the place where it can be imported, or a function that returns one."""
Way: TypeAlias = Literal['run', 'iter', 'run_stream', 'run_stream_events']
"""How an agent is run. A run that was streamed is resumed with its requests streamed."""


@dataclass
class CrashScene:
    """Where a run takes place that `crash_everywhere` ends: functions that it calls may take it as their argument."""

    directory: Path
    """A directory for what tools change, which the processes of one run share."""
    capabilities: Sequence[AbstractCapability[Any]] = field(default_factory=lambda: [])
    """What agents need that tools run, as `Agent(..., capabilities=[..., *scene.capabilities])`; the agent itself gets them."""

    @property
    def log(self) -> Path:
        """A file for what a process did that was killed."""
        return self.directory / 'watched.log'


class Plot(NamedTuple):
    """The arguments of `crash_everywhere` that make a run what it is."""

    agent: object
    prompt: object
    deps: object
    make_deps: Callable[..., object] | None
    make_store: Callable[..., Store] | None
    approve: bool | Callable[..., object]
    way: Way
    processes: bool
    options: dict[str, Any] = {}


class Outcome(NamedTuple):
    """What a run has come to."""

    output: object
    usage: RunUsage
    messages: list[ModelMessage]


def resolved(value: object, scene: CrashScene) -> Any:
    """Return what a function makes, a function of the scene if it needs an argument; or a value that is not a function.

    Raises:
        UserError: It is the name of something that cannot be imported.
    """
    if isinstance(value, str):
        module, _, name = value.partition(':')
        try:
            value = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise UserError(f"There is no agent at {value!r}: {error}. It is `'module:name'`.") from error
    if not callable(value):
        return value
    needs_scene = any(
        one.default is one.empty and one.kind is not one.VAR_KEYWORD
        for one in inspect.signature(value).parameters.values()
    )
    return value(scene) if needs_scene else value()


class Story:
    """One run, in as many processes as it takes to bring it to its end."""

    def __init__(
        self,
        plot: Plot,
        scene: CrashScene,
        place: int | None = None,
        *,
        after: bool = False,
        is_killed: bool = False,
        goes_on: bool = False,
        has_directory: bool = True,
    ) -> None:
        """Set the scene.

        Args:
            plot: What happens.
            scene: Where.
            place: At which record the store of the run dies; `None` for never.
            after: Whether it dies after that record.
            is_killed: Whether this process dies with it.
            goes_on: Whether another process has died before.
            has_directory: Whether to make the directory of the scene.
        """
        if has_directory:
            scene.directory.mkdir(parents=True, exist_ok=True)
        self.plot = plot
        self.scene = scene
        self.watch = Watch(scene.log if is_killed else None)
        self.asked = 0
        """How many times a person had to say whether a tool had done what it does."""
        self.dying = DyingStore(
            self._new_store(), place, after=after, before_death=self.watch.wait_for_tools, kills=is_killed
        )
        self.dying.is_dead = goes_on
        self.heir = Heir(self.dying.inner)

    def _new_store(self) -> Store:
        if self.plot.make_store is not None:
            return resolved(self.plot.make_store, self.scene)
        return SqliteStore(self.scene.directory / 'runs.db') if self.plot.processes else MemoryStore()

    async def runs(self, journal: Journal[object] | None = None) -> list[RunInfo]:
        """Return all runs, those inside of others, too, as a journal finds them."""
        return await (journal or Journal[object](self.heir)).find(RunFilter(limit=10_000))

    def close(self) -> None:
        """Close the store."""
        self.dying.inner.close()

    async def live(self) -> Outcome:
        """Bring the run to its end, and return what it has come to.

        Raises:
            Exception: The run fails, other than because its process dies.
            AssertionError: It does not end.
        """
        for _ in range(MOST_PROCESSES):
            was_dead, others = self.dying.is_dead, asyncio.all_tasks()
            try:
                outcome = await asyncio.create_task(self.process(self.heir if was_dead else self.dying))
            except Exception:
                if was_dead or not self.dying.is_dead:
                    raise
                outcome = None  # its process died
                # A tool may have left a run behind, as with `asyncio.gather`. What that does is done before the next process
                # begins: a process that is dead does nothing more.
                if left := asyncio.all_tasks() - others:
                    await asyncio.wait(left, timeout=PATIENCE)
            if outcome is not None:
                return outcome
        raise AssertionError(f'the run did not end in {MOST_PROCESSES} processes')

    async def process(self, store: DyingStore) -> Outcome | None:
        """Do what one process does: begin with the run or continue with it, and return its outcome if it has one."""
        journal: Journal[object] = Journal(store)
        capabilities = [self.watch.outer, journal, self.watch.inner]
        self.scene.capabilities = capabilities
        runs = await self.runs(journal)
        root = next((run for run in runs if run.parent_id is None), None)
        agent, deps = resolved(self.plot.agent, self.scene), self.plot.deps
        root_capability = getattr(agent, 'root_capability', None)
        if any(isinstance(item, Journal) for item in getattr(root_capability, 'capabilities', ())):
            raise UserError('The test brings its own journal: pass an agent without one.')
        if self.plot.make_deps is not None:
            deps = resolved(self.plot.make_deps, self.scene)
        for waiting in await journal.waiting() if any(run.status == 'waiting' for run in runs) else ():
            await journal.answer(waiting.run.run_id, self._decisions(waiting))
        try:
            if root is None:  # nothing was recorded, so it begins
                result = await self.begin(agent, deps=deps, capabilities=capabilities, **self.plot.options)
            else:
                options: dict[str, object] = {'capabilities': capabilities}
                if self.plot.way.startswith('run_stream'):
                    options['event_stream_handler'] = _read
                resumed = await journal.resume(agent, root.run_id, deps=deps, **options)
                result = Outcome(resumed.output, resumed.usage, resumed.all_messages())
        except Exception:
            if store.is_dead or all(run.status != 'waiting' for run in await self.runs(journal)):
                raise
            return None  # the agent has no output for calls that wait
        (root,) = [run for run in await self.runs(journal) if run.parent_id is None]
        return result if root.status == 'done' else None

    async def begin(self, agent: Any, **options: Any) -> Outcome:
        """Run the agent for the first time."""
        return await _begun(self.plot.way, agent, self.plot.prompt, **options)

    def _decisions(self, waiting: WaitingRun) -> DeferredToolResults:
        requests, approve = waiting.requests, self.plot.approve
        results = DeferredToolResults()
        for call in (*requests.approvals, *requests.calls):
            call_id = call.tool_call_id
            metadata = requests.metadata.get(call_id, {})
            if metadata.get('kind') == 'reconcile':
                self.asked += 1
                key = CallKey(waiting.run.run_id, metadata['idempotency_key'])
                if key in self.watch.results:
                    results.calls[call_id] = self.watch.results[key]
                else:
                    results.approvals[call_id] = True
                continue
            decision = cast('DeferredToolApprovalResult | bool', approve(call) if callable(approve) else approve)
            if call in requests.approvals:
                results.approvals[call_id] = decision
            else:
                results.calls[call_id] = decision
        return results


async def _read(ctx: object, events: AsyncIterable[object]) -> None:
    async for _ in events:
        pass


async def _begun(way: Way, agent: Any, prompt: object, **options: object) -> Outcome:
    """Run an agent in one of the ways that there are."""
    result: Any = None
    if way == 'run':
        result = await agent.run(prompt, **options)
    elif way == 'iter':
        async with agent.iter(prompt, **options) as run:
            async for _ in run:
                pass
        result = run.result
    elif way == 'run_stream':
        async with agent.run_stream(prompt, **options) as stream:
            output = await stream.get_output()
        return Outcome(output, stream.usage, stream.all_messages())
    else:
        async with agent.run_stream_events(prompt, **options) as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    result = event.result  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return Outcome(result.output, result.usage, result.all_messages())
