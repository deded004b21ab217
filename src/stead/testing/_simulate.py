"""`simulate`: runs an agent in a thousand orders of events, disturbs it, and checks what must hold in each of them."""

from __future__ import annotations

import asyncio
import contextvars
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from .._kit.aio import using_thread_executor
from ..agent.for_all import FOR_ALL
from ..exceptions import UserError
from ..messages import ModelMessage, ToolCallPart, UserContent
from ..usage import RunUsage
from ._crash_story import AgentUnderTest, CrashScene, Outcome, Plot, Way, resolved
from ._simulated_loop import NothingLeft, SimulatedLoop
from ._simulated_run import CURRENT, Disturbance, Disturber, Life, Planned, Undisturbed

AnyDepsT = TypeVar('AnyDepsT')
_WAYS: tuple[Way, ...] = ('run', 'iter', 'run_stream', 'run_stream_events')
_KINDS: tuple[Disturbance, ...] = ('none', 'cancel', 'timeout', 'leave', 'cut', 'model', 'tools', 'crash')
_MOST_LINES = 200
"""How many lines of a trace an error shows."""


class SimulationFailed(AssertionError):
    """Something does not hold in one order of events; the message says what, and what happened before."""

    __module__ = 'stead.testing'

    def __init__(self, seed: int | None, violations: Sequence[str], trace: Sequence[str]) -> None:
        """Describe the failure.

        Args:
            seed: The seed with which it happens again; `None` if nothing has to disturb it.
            violations: What does not hold.
            trace: What happened, a line each.
        """
        self.seed: int | None = seed
        self.violations: list[str] = [*violations]
        self.trace: list[str] = [*trace]
        shown = self.trace
        if len(shown) > _MOST_LINES:
            half = _MOST_LINES // 2
            shown = [*shown[:half], f'  … {len(shown) - 2 * half} more …', *shown[-half:]]
        what = '\n'.join(f'  - {text}' for text in self.violations)
        when, again = (
            (f'With seed {seed}', f'with `seeds=[{seed}]`') if seed is not None else ('Undisturbed', 'each time')
        )
        lines = '\n'.join(shown)
        super().__init__(
            f'{when}, this does not hold:\n{what}\nWhat happened, in seconds of the clock of the simulation:\n{lines}\n'
            f'It happens again {again}.'
        )


@dataclass
class SimulatedRun(Generic[AnyDepsT]):
    """What a run has come to with one seed, for `check`."""

    seed: int
    disturbed: Disturbance
    """What disturbed it; after a fault of a tool, for example, that tool may not have run."""
    output: object
    messages: list[ModelMessage]
    usage: RunUsage
    deps: AnyDepsT
    """The dependencies of this seed."""


@dataclass
class SimulationReport:
    """What was simulated; all of it holds what it must."""

    seeds: int = 0
    """How many seeds were played."""
    disturbed: Counter[str] = field(default_factory=lambda: Counter())
    """How many of them were disturbed in each way; `'none'` counts those with another order alone."""
    ways: Counter[str] = field(default_factory=lambda: Counter())
    """How many times the agent was run in each way."""
    seconds: float = 0.0
    """How much time has passed, by the clock of the simulation."""


def simulate(
    agent: AgentUnderTest,
    prompt: str | Sequence[UserContent] | None,
    *,
    seeds: Iterable[int] = range(1000),
    deps: object = None,
    make_deps: Callable[..., object] | None = None,
    approve: bool | Callable[[ToolCallPart], object] = True,
    check: Callable[[SimulatedRun[Any]], object] | None = None,
    ways: Sequence[Way] = _WAYS,
    disturb: Sequence[Disturbance] = _KINDS,
    options: Mapping[str, Any] | None = None,
) -> SimulationReport:
    """Run an agent once for each seed, in another order of events, and check what must hold.

    The loop has a virtual clock, so that nothing waits in real time. The seed draws how long each request, each call of a tool
    and each piece of a stream takes, and what disturbs the run: it is cancelled at any moment, a time limit ends it, the reader
    leaves its stream, its stream breaks off, a request or a tool fails, or its process dies at a record of its journal. A run
    that was disturbed is continued from its journal as another process would do, up to its end.

    In all of them the history is sound and each call in it is answered once, nothing that writes is done again after it has
    returned, no task, thread or lease is left, nothing waits forever, and what is recorded is what the run has.

    The agent has no journal of its own. Its model has to answer by what it is asked, as a run may continue with another one.

    Args:
        agent: The agent, a function that returns it, or `'module:name'` of either. A function may take a `CrashScene`, which has
            the capabilities for agents that tools run. It is called again for each process.
        prompt: The prompt.
        seeds: The seeds. The first one that fails ends it.
        deps: Dependencies of every run.
        make_deps: Returns the dependencies of a seed, instead of `deps`; what they keep outlives a process.
        approve: Whether calls that wait are approved, or a function that returns the decision about a call, or its result.
        check: Looks at each run that came to its end; raises `AssertionError` if something is wrong.
        ways: How the agent is run: one of them is drawn.
        disturb: What disturbs runs: one of them is drawn.
        options: Other options that each run begins with, such as `message_history`.

    Returns:
        What was simulated.

    Raises:
        SimulationFailed: Something does not hold. With its seed it happens again.
        UserError: An argument has no meaning, the agent has a journal, or an event loop is running.
        Exception: The agent fails even if nothing disturbs it.
    """
    _check(ways, disturb)
    report = SimulationReport()
    with _simulating(), tempfile.TemporaryDirectory(prefix='stead-simulated-') as directory:

        def life_of(seed: int, way: Way, planned: Planned) -> Life:
            scene = CrashScene(Path(directory, f'{way}{seed}'))
            if callable(agent) or isinstance(agent, str) or make_deps is not None:
                scene.directory.mkdir()
            own = resolved(make_deps, scene) if make_deps is not None else deps
            plot = Plot(agent, prompt, own, None, None, approve, way, False, dict(options or {}))
            return Life(plot, scene, planned)

        usual = {way: _undisturbed(life_of(-1, way, Planned('none'))) for way in ways}
        for seed in seeds:
            rng = random.Random(seed)
            way = rng.choice(ways)
            life = life_of(seed, way, Planned.draw(rng, disturb, way, usual[way]))
            life.usual = usual[way]
            loop = SimulatedLoop(rng)
            outcome = _play(life, loop)
            if outcome is not None and check is not None:
                run = SimulatedRun(seed, life.planned.kind, outcome.output, outcome.messages, outcome.usage, life.deps)
                try:
                    check(run)
                except AssertionError as error:
                    life.wrong.append(f'the check fails: {str(error) or "it says nothing more"}')
            if life.wrong:
                raise SimulationFailed(seed, life.wrong, life.trace())
            report.seeds += 1
            report.disturbed[life.planned.kind] += 1
            report.ways[way] += 1
            report.seconds += loop.time()
    return report


def _check(ways: Sequence[Way], disturb: Sequence[Disturbance]) -> None:
    for name, values, known in (('ways', ways, _WAYS), ('disturb', disturb, _KINDS)):
        if not values or any(value not in known for value in values):
            raise UserError(f'`{name}` of `simulate` are some of {", ".join(map(repr, known))}, not {values!r}.')
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UserError('`simulate` has event loops of its own: call it in a function that is not async.')


@contextmanager
def _simulating() -> Iterator[None]:
    """Let runs of all agents be part of the simulation that is under way in their context, and keep `random` as it is."""
    state, before = random.getstate(), FOR_ALL.capabilities
    FOR_ALL.replace(Disturber, Disturber())
    try:
        yield
    finally:
        FOR_ALL.capabilities = before
        random.setstate(state)


def _undisturbed(life: Life) -> Undisturbed:
    """Return how a run goes that nothing disturbs."""
    loop = SimulatedLoop(random.Random(-1))
    outcome = _play(life, loop)
    if life.wrong:
        raise SimulationFailed(None, life.wrong, life.trace())
    if life.error is not None:
        raise life.error
    assert outcome is not None, 'a run without an error has an outcome'
    return life.as_usual(outcome)


def _play(life: Life, loop: SimulatedLoop) -> Outcome | None:
    """Play a seed to its end in its loop, and return what the run has come to."""
    threads = {*threading.enumerate()}
    context = contextvars.copy_context()
    random.seed(loop.rng.random())
    try:
        outcome = context.run(_run_until_complete, life, loop)
    except NothingLeft:
        outcome = None
        life.hangs()
    finally:
        _close(loop)
    life.wrong += [f'asyncio says: {problem}' for problem in loop.problems]
    if left := [thread.name for thread in threading.enumerate() if thread not in threads]:
        life.wrong.append(f'threads are left: {", ".join(left)}')
    return outcome


def _run_until_complete(life: Life, loop: SimulatedLoop) -> Outcome | None:
    CURRENT.set(life)
    with using_thread_executor(ThreadPoolExecutor(1)):  # which the loop does not use
        return loop.run_until_complete(life.live(loop))


def _close(loop: SimulatedLoop) -> None:
    problems = [*loop.problems]
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    try:
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=60))
        loop.run_until_complete(loop.shutdown_asyncgens())
    except NothingLeft:
        pass
    loop.problems = problems  # what is cancelled here was left, which is known
    loop.close()
