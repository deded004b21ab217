"""`crash_everywhere`: ends a run at every point of its journal, and looks what becomes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import RunContext
from ..journal import Entry, Journal, JournalError, MemoryStore, Record, RunInfo, Store, StoreError
from ..messages import ModelMessage, ModelRequest, ModelResponse, RetryPromptPart, ToolReturnPart
from ..tools import DeferredToolResults

MOST_RESUMPTIONS = 20
"""How often a run is resumed before the test gives up."""


@dataclass
class CrashReport:
    """What happened to a run that was ended at every point of its journal."""

    output: Any = None
    """The output of the run that nothing ended."""
    boundaries: int = 0
    """How many points there were: before and after each time that records were appended."""
    asked: int = 0
    """How often a person had to say whether a tool had done what it does."""
    repeated_reads: int = 0
    """How many calls ran again, because that does no harm."""
    violations: list[str] = field(default_factory=lambda: [])
    """What should not have happened, in words; empty if all is well."""


class _Dead(StoreError):
    """The process of the run is dead."""


class _DyingStore(Store):
    """A store that is cut off before or after records are appended for the nth time."""

    def __init__(self, inner: Store, place: int | None, *, after: bool) -> None:
        self.inner = inner
        self.place = place
        self.after = after
        self.appended = 0
        self.is_dead = False

    def _alive(self) -> Store:
        if self.is_dead:
            raise _Dead('The process of the run is dead.')
        return self.inner

    def open(self) -> None:
        self.inner.open()

    def close(self) -> None:
        self.inner.close()

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        created = run
        if self._reaches_end(before=True):
            created = self._alive().create(run, records)
        self._reaches_end(before=False)
        self.appended += 1
        return created

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        for entry in entries:
            for record in entry.records:  # each record by itself: a process may die between any two of them
                if self._reaches_end(before=True):
                    status = entry.status if record is entry.records[-1] else 'running'
                    part = entry._replace(records=[record], status=status)
                    refused |= self._alive().append([part], durable=durable)
                self._reaches_end(before=False)
                self.appended += 1
        return refused

    def _reaches_end(self, *, before: bool) -> bool:
        """Cut the store off, if this is the place, and raise; otherwise return true."""
        if self.place == self.appended and self.after is not before:
            self.is_dead = True
        self._alive()
        return True

    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> Any:
        return self._alive().read(run_id, after, limit)

    def get(self, run_id: str) -> RunInfo | None:
        return self._alive().get(run_id)

    def find(self, wanted: Any) -> list[RunInfo]:
        return self._alive().find(wanted)

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        return self._alive().acquire(run_id, holder, now, seconds)

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        return self._alive().renew(leases, until)

    def release(self, run_id: str, token: int) -> None:
        self._alive().release(run_id, token)

    def delete(self, run_ids: Sequence[str]) -> int:
        return self._alive().delete(run_ids)


class _Watch(AbstractCapability[Any]):
    """Counts what tools really do."""

    def __init__(self) -> None:
        super().__init__(id='crash-watch')
        self.ran: Counter[str] = Counter()
        self.effects: dict[str, str] = {}
        self.results: dict[str, Any] = {}

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        result = await handler(args)
        self.results[call.tool_call_id] = result
        return result

    async def record(self, ctx: RunContext[Any], *, fact: Any) -> None:
        # It stands inside of the journal, so that it sees only tools that really start.
        if type(fact).__name__ == 'CallStarting':
            call_id = fact.call.tool_call_id
            self.ran[call_id] += 1
            self.effects[call_id] = (fact.policy.effect if fact.policy is not None else None) or 'write'


async def crash_everywhere(
    make_agent: Callable[[], Any],
    prompt: Any,
    *,
    make_store: Callable[[], Store] = MemoryStore,
    deps: Any = None,
    approve: bool = True,
) -> CrashReport:
    """Run an agent, end the run before and after every record of its journal, go on with it, and compare.

    A run is ended by cutting off its store, so that it can neither do nor record anything more; then it is resumed with a
    new agent and a new journal, as another process would. Calls that wait are approved. Where a tool was started and its
    process died, the answer is what really happened.

    Args:
        make_agent: Returns the agent, without a journal; its model must do the same each time.
        prompt: The prompt.
        make_store: Returns a store without data.
        deps: Dependencies for each run.
        approve: Whether calls that wait are approved; otherwise they are denied.

    Returns:
        What happened. The run is sound if `violations` is empty.
    """
    report = CrashReport()
    expected, appended, _ = await _life(make_agent, prompt, make_store(), None, False, deps, approve, report)
    report.output = expected.output
    report.asked = report.repeated_reads = 0
    for place in range(appended):
        for after in (False, True):
            where = f'{"after" if after else "before"} record {place + 1}'
            report.boundaries += 1
            try:
                result, _, watch = await _life(make_agent, prompt, make_store(), place, after, deps, approve, report)
            except Exception as error:
                report.violations.append(f'{where}: the run could not be resumed: {error!r}')
                continue
            report.violations += [f'{where}: {text}' for text in _differences(expected, result, watch, report)]
    return report


async def _life(
    make_agent: Callable[[], Any],
    prompt: Any,
    store: Store,
    place: int | None,
    after: bool,
    deps: Any,
    approve: bool,
    report: CrashReport,
) -> tuple[Any, int, _Watch]:
    """Run an agent to its end, in several processes if one dies; return the result and what tools did."""
    watch = _Watch()
    dying = _DyingStore(store, place, after=after)
    journal: Journal[Any] = Journal(dying)
    try:
        result = await make_agent().run(prompt, deps=deps, capabilities=[journal, watch])
        if not dying.is_dead and (await journal.runs())[0].status == 'done':
            return result, dying.appended, watch
    except Exception as error:
        if place is not None and not dying.is_dead and not await journal.waiting():
            raise error
    for _ in range(MOST_RESUMPTIONS):
        later: Journal[Any] = Journal(store)
        runs = await later.runs()
        if not runs:  # it died before anything was recorded, so it begins again
            result = await make_agent().run(prompt, deps=deps, capabilities=[later, watch])
            if (await later.runs())[0].status == 'done':
                return result, dying.appended, watch
            continue
        run = runs[-1]
        store.release(run.run_id, run.token)  # the lease of the dead process has ended
        for waiting in await later.waiting():
            report.asked += any(item.get('kind') == 'reconcile' for item in waiting.requests.metadata.values())
            await later.answer(waiting.run.run_id, _answers(waiting.requests, watch, approve))
        try:
            result = await later.resume(make_agent(), run.run_id, deps=deps, capabilities=[watch])
        except JournalError:
            raise
        except Exception as error:
            if not await later.waiting():
                raise error
            continue
        if (await later.state(run.run_id)).how == 'done' and not await later.waiting():
            return result, dying.appended, watch
    raise AssertionError(f'the run did not end after {MOST_RESUMPTIONS} resumptions')


def _answers(requests: Any, watch: _Watch, approve: bool) -> DeferredToolResults:
    results = DeferredToolResults()
    for call in (*requests.approvals, *requests.calls):
        call_id = call.tool_call_id
        is_doubtful = requests.metadata.get(call_id, {}).get('kind') == 'reconcile'
        if is_doubtful and call_id in watch.results:
            results.calls[call_id] = watch.results[call_id]
        else:
            results.approvals[call_id] = approve or is_doubtful
    return results


def _differences(expected: Any, result: Any, watch: _Watch, report: CrashReport) -> list[str]:
    found: list[str] = []
    if result.output != expected.output:
        found.append(f'the output is {result.output!r}, not {expected.output!r}')
    if result.usage != expected.usage:
        found.append(f'the usage is {result.usage}, not {expected.usage}')
    for call_id, times in watch.ran.items():
        if times > 1 and watch.effects[call_id] == 'write':
            found.append(f'call {call_id!r} ran {times} times')
        report.repeated_reads += times > 1 and watch.effects[call_id] != 'write'
    answers = _answers_in(result.all_messages())
    for call_id, times in answers.items():
        if times != 1:
            found.append(f'call {call_id!r} has {times} answers')
    if answers.keys() != _answers_in(expected.all_messages()).keys():
        found.append('not the same calls were answered')
    return found


def _answers_in(messages: Sequence[ModelMessage]) -> Counter[str]:
    answers: Counter[str] = Counter()
    for message in messages:
        if isinstance(message, ModelResponse):
            answers.update({call.tool_call_id: 0 for call in message.tool_calls})
        elif isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, (ToolReturnPart, RetryPromptPart)) and part.tool_name:
                    answers[part.tool_call_id] += 1
    return answers
