"""`crash_everywhere`: ends a run at every point of its journal, and checks how it continues."""

from __future__ import annotations

import itertools
import json
import pickle
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ..exceptions import UserError
from ..journal import MemoryStore, Store
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ToolCallPart, UserContent
from ._crash_child import Nursery
from ._crash_story import AgentUnderTest, CrashScene, Outcome, Plot, Story, Way

FEW_LETTERS = 300
"""How much of two histories that differ is shown."""


@dataclass
class CrashReport:
    """What happened to a run that was ended at every point of its journal."""

    output: object = None
    """The output of the run that nothing ended."""
    boundaries: int = 0
    """At how many points the run was ended: before and after each record that was appended."""
    asked: int = 0
    """How many times a person had to say whether a tool had done what it does."""
    repeated_reads: int = 0
    """How many calls ran again, because that does no harm."""
    repeated_requests: int = 0
    """How many requests were sent again, because their response had not come."""
    violations: list[str] = field(default_factory=lambda: [])
    """What should not have happened, in words; empty if all is well."""


async def crash_everywhere(
    agent: AgentUnderTest,
    prompt: str | Sequence[UserContent] | None,
    *,
    deps: object = None,
    make_deps: Callable[..., object] | None = None,
    make_store: Callable[..., Store] | None = None,
    approve: bool | Callable[[ToolCallPart], object] = True,
    way: Way = 'run',
    processes: bool = False,
    at_most: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> CrashReport:
    """Run an agent, end the run before and after every record of its journal, continue with it, and compare.

    A run is ended by cutting off its store, so that it can neither do nor record anything more; then it is resumed with a
    new agent and a new journal, as another process would. With `processes`, it runs in a process that is killed.

    Before the end, the tools that have started come to theirs, so that the worst has happened: everything is done, and nothing
    of it is recorded. Where a journal asks a person what happened to a call, the answer is what really happened.

    The agent has no journal of its own. Functions may take a `CrashScene`: it has the capabilities for agents that tools run,
    which are part of the same journal, and a directory for what tools change. Each run that is ended has another one.

    Args:
        agent: The agent, a function that returns it, or `'module:name'` of either. Its model must do the same each time.
        prompt: The prompt.
        deps: Dependencies of every run.
        make_deps: Returns them for a process, instead of `deps`.
        make_store: Returns the store for a process: with the data of the scene, or without data. By default, records are kept
            in memory, or in an SQLite file in the directory of the scene if there are processes.
        approve: Whether calls that wait are approved, or a function that returns the decision about a call, or its result.
        way: How the agent is run.
        processes: Whether runs are in processes of their own, which are killed with SIGKILL. Arguments are pickled, so that
            functions have to be importable.
        at_most: At how many points the run is ended, which are spread evenly; by default at all of them.
        options: Other options that the run begins with, such as `message_history`.

    Returns:
        What happened. The run is sound if `violations` is empty.

    Raises:
        UserError: The agent has a journal, or an argument cannot be passed to another process.
    """
    plot = Plot(agent, prompt, deps, make_deps, make_store, approve, way, processes, dict(options or {}))
    _check(plot)
    report = CrashReport()
    with tempfile.TemporaryDirectory(prefix='stead-crashes-') as directory, Nursery(plot) as nursery:
        first = Story(plot, CrashScene(Path(directory, 'undisturbed')))
        try:
            expected = await first.live()
        finally:
            first.close()
        report.output = expected.output
        places = [(place, after) for place in range(first.dying.appended) for after in (False, True)]
        for place, after in _spread(places, at_most):
            report.boundaries += 1
            where = f'{"after" if after else "before"} record {place + 1}'
            scene = CrashScene(Path(directory, where.replace(' ', '-')))
            try:
                if processes:
                    await nursery.killed_at(scene.directory, place, after)
                found = await _what_came_of(
                    Story(plot, scene, place, after=after, goes_on=processes), expected, first, report
                )
            except Exception as error:
                found = [f'the run could not be resumed: {error!r}']
            report.violations += [f'{where}: {text}' for text in found]
    return report


async def _what_came_of(story: Story, expected: Outcome, first: Story, report: CrashReport) -> list[str]:
    """Bring a story to its end, and return what should not have happened in it."""
    if story.plot.processes:
        story.watch.read(story.scene.log)
    try:
        outcome = await story.live()
        found = _differences(expected, outcome) + await _faults(first, story)
    finally:
        story.close()
    report.asked += story.asked
    report.repeated_requests += max(story.watch.requests - first.watch.requests, 0)
    report.repeated_reads += _repeated(story)
    return found


def _check(plot: Plot) -> None:
    if plot.processes:
        try:
            pickle.dumps(plot)
        except Exception as error:
            raise UserError(
                f'`crash_everywhere` cannot pass its arguments to another process: {error}. Use functions of a module, or '
                "`'module:name'`."
            ) from error
        for function in (plot.agent, plot.make_deps, plot.make_store, plot.approve):
            if getattr(function, '__module__', None) == '__main__':
                raise UserError(f'Another process cannot import {function!r} from `__main__`: move it to a module.')
        if isinstance(plot.make_store, type) and issubclass(plot.make_store, MemoryStore):
            raise UserError('Records in memory are lost with their process: pass another `make_store`.')


def _spread(places: list[tuple[int, bool]], at_most: int | None) -> Iterable[tuple[int, bool]]:
    if at_most is None or len(places) <= at_most:
        return places
    return [places[index * len(places) // at_most] for index in range(at_most)]


def _differences(expected: Outcome, outcome: Outcome) -> list[str]:
    found: list[str] = []
    if outcome.output != expected.output:
        found.append(f'the output is {outcome.output!r}, not {expected.output!r}')
    if outcome.usage != expected.usage:
        found.append(f'the usage is {outcome.usage}, not {expected.usage}')
    before, after = _comparable(expected.messages), _comparable(outcome.messages)
    if len(before) != len(after):
        found.append(f'the history has {len(after)} messages, not {len(before)}')
    for number, (one, other) in enumerate(zip(before, after)):
        if one != other:
            found.append(_first_difference(one, other, f'message {number}'))
            break
    return found


def _first_difference(one: object, other: object, where: str) -> str:
    """Return where two values of JSON differ, in words."""
    if isinstance(one, dict) and isinstance(other, dict):
        mine, theirs = cast('dict[str, object]', one), cast('dict[str, object]', other)
        for name in mine | theirs:
            if mine.get(name) != theirs.get(name):
                return _first_difference(mine.get(name), theirs.get(name), f'{where}, {name}')
    if isinstance(one, list) and isinstance(other, list):
        items, others = cast('list[object]', one), cast('list[object]', other)
        for number, (first, second) in enumerate(zip(items, others)):
            if first != second and len(items) == len(others):
                return _first_difference(first, second, f'{where} {number}')
    return f'{where} is {_short(cast(object, other))}, not {_short(cast(object, one))}'


async def _faults(first: Story, story: Story) -> list[str]:
    """Return what should not have happened on the way."""
    watch = story.watch
    found = [
        f'call {key.key!r} ran again after it had returned'
        for key in watch.begun_again
        if watch.effects[key] == 'write'
    ]
    found += [
        f'{deed.tool}({deed.arguments}) was done {times} times, not {first.watch.done[deed]}'
        for deed, times in watch.done.items()
        if times > first.watch.done[deed]
    ]
    runs = await story.runs()
    found += [f'run {run.run_id!r} of {run.agent!r} is left as {run.status}' for run in runs if run.status != 'done']
    if watch.requests > first.watch.requests + len(runs):  # each run may have waited for a response
        found.append(f'{watch.requests} requests were sent, not {first.watch.requests}')
    return found


def _repeated(story: Story) -> int:
    watch = story.watch
    return sum(times - 1 for key, times in watch.begun.items() if watch.effects[key] != 'write')


def _short(message: object) -> str:
    text = json.dumps(message, ensure_ascii=False)
    return text if len(text) <= FEW_LETTERS else f'{text[:FEW_LETTERS]}…'


def _comparable(messages: Sequence[ModelMessage]) -> list[object]:
    """Return messages as data without times and ids of runs, and with the ids of calls numbered."""
    ids: dict[str, str] = {}
    numbers = itertools.count(1)

    def plain(value: object) -> object:
        if isinstance(value, list):
            return [plain(item) for item in cast('list[object]', value)]
        if not isinstance(value, dict):
            return value
        data = {
            name: plain(item)
            for name, item in cast('dict[str, object]', value).items()
            if name not in ('timestamp', 'run_id', 'conversation_id', 'provider_response_id')
        }
        if isinstance(call_id := data.get('tool_call_id'), str):
            if data.get('part_kind') == 'tool-call' or call_id not in ids:  # an id may be that of several calls
                ids[call_id] = f'call {next(numbers)}'
            data['tool_call_id'] = ids[call_id]
        return data

    return [plain(message) for message in ModelMessagesTypeAdapter.dump_python(list(messages), mode='json')]


__all__ = ['CrashReport', 'CrashScene', 'crash_everywhere']
