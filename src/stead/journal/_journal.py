"""`Journal`: records runs, and goes on with them in any process."""

from __future__ import annotations

import asyncio
import math
import time
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from os import PathLike
from typing import Any, Literal, TypeVar, get_args

from pydantic_core import to_json
from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.deferred import digest_of
from .._contracts.facts import RunFact, RunResumption
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.ids import uuid7_str
from .._kit.short import short_repr
from ..exceptions import UserError
from ..messages import ModelMessage, UserContent
from ..tools import DeferredToolApprovalResult, DeferredToolResults, ToolApproved
from ._checks import check_agent, check_key, check_lines, check_name, check_number, check_results, check_resume_options
from ._conversations import Conversation
from ._digest import agent_digest, changes
from ._encode import results_json
from ._errors import ContentRedacted, JournalError, RunInUse, RunNotFound
from ._fold import RecordedRun, fold, requests_of
from ._log import RunLog
from ._memory import MemoryStore
from ._past import Edit, RecordedStep, WaitingRun, export, fork, import_line, prune, steps_of
from ._places import as_store
from ._recorder import Durability, Recorder, Resuming, resuming_run
from ._redact import Redact
from ._store import Entry, Record, RunFilter, RunInfo, RunStatus, Store
from ._tickets import InvalidTicket, Ticket, sign, verify
from ._worker import Worker

T = TypeVar('T')

OnChange: TypeAlias = Literal['warn', 'refuse', 'accept']
"""What happens when a run is resumed by an agent that is not what it was when the run was recorded."""


class Journal(AbstractCapability[AgentDepsT]):
    """Records what happens in the runs of an agent, so that a run whose process dies goes on in another one.

    What a run did is not done again: responses are not paid for twice, and finished calls are not repeated. A call that was
    started and whose end is not known is repeated only if its tool says that this does no harm.
    """

    def __init__(
        self,
        store: Store | str | PathLike[str] | None = None,
        *,
        durability: Durability = 'sync',
        on_change: OnChange = 'warn',
        lease_seconds: float = 30.0,
        conversations: bool | Literal['wait', 'refuse'] = False,
        secret: bytes | None = None,
        redact: Redact | None = None,
        id: str | None = None,
    ) -> None:
        """Record runs in a store.

        Args:
            store: The store, the path of an SQLite file, or the URL of a PostgreSQL database; by default, records are
                kept in memory.
            durability: When records are written.
            on_change: What happens when a run is resumed by an agent that has changed since.
            lease_seconds: How long after the death of a process another one may go on with its runs.
            conversations: Whether a run with a `conversation_id` and without a history goes on with what was said in that
                conversation. While a run of it is under way, another one waits, or is refused with `'refuse'`.
            secret: What tickets are signed with, 16 bytes or more.
            redact: Returns what to store of a record, from its kind and its data (see `Redact`). It is called for every
                record before it is stored, one at a time, in the thread that writes. If it fails, the run fails with a
                `RedactionError`.
            id: The id of the capability.

        Raises:
            UserError: An argument has no meaning.
        """
        for name, value, known in (
            ('durability', durability, ('sync', 'async', 'exit')),
            ('on_change', on_change, ('warn', 'refuse', 'accept')),
            ('conversations', conversations, (True, False, 'wait', 'refuse')),
        ):
            if not any(value is one or (isinstance(value, str) and value == one) for one in known):
                raise UserError(f'`{name}` of a `Journal` is one of {known}, not {value!r}.')
        check_number(lease_seconds, '`lease_seconds` of a `Journal`', above=True, unit='seconds')
        if secret is not None and not (isinstance(secret, bytes) and len(secret) >= 16):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError('`secret` of a `Journal` must be 16 bytes or more, such as `secrets.token_bytes(32)`.')
        if redact is not None and not callable(redact):
            raise UserError(
                f'`redact` of a `Journal` must be a function of the kind and the data of a record, not {redact!r}.'
            )
        super().__init__(id=id)
        self._secret = secret
        self.store: Store = MemoryStore() if store is None else as_store(store)
        self.on_change: OnChange = on_change
        self._recorder: Recorder[AgentDepsT] = Recorder(
            self.store, durability, lease_seconds, 'wait' if conversations is True else conversations or None, redact
        )

    async def restore_run(self, ctx: RunContext[AgentDepsT]) -> RunResumption | None:
        return await self._recorder.restore(ctx)

    async def record(self, ctx: RunContext[AgentDepsT], *, fact: RunFact) -> None:
        if (recorded := self._recorder.record(ctx, fact)) is not None:
            await recorded

    # Going on

    async def resume(self, agent: Any, run_id: str, *, deps: Any = None, **options: Any) -> Any:
        """Go on with a run where it stood, and return its result.

        Args:
            agent: The agent; it should be what it was when the run began.
            run_id: The run.
            deps: Dependencies; they are not recorded.
            options: Other options of `Agent.run`, but no history and no prompt.

        Returns:
            The result of the run. If the run is over, that is made from its last response, without a request.

        Raises:
            RunNotFound: The journal has no such run.
            RunInUse: Another process is running it.
            ContentRedacted: The run waits, because the arguments of a call that it would make were redacted.
            JournalError: The agent has changed, and the journal refuses that; or a record cannot be read.
        """
        check_agent(agent)
        check_resume_options(options)
        return await self._resume(agent, run_id, None, deps, options)

    @asynccontextmanager
    async def resume_stream_events(
        self, agent: Any, run_id: str, *, deps: Any = None, **options: Any
    ) -> AsyncIterator[AsyncIterator[Any]]:
        """Go on with a run where it stood, and read the events of that, as with `Agent.run_stream_events`.

        What an earlier process got last is among them: the response, if its calls were not all answered, and the answers to
        calls. If the run is over, they are those of its last response.

        Args:
            agent: The agent; it should be what it was when the run began.
            run_id: The run.
            deps: Dependencies; they are not recorded.
            options: Other options of `Agent.run_stream_events`, but no history and no prompt.

        Yields:
            The events, and at the end an `AgentRunResultEvent`. If the block is left before that, the run is left, too.

        Raises:
            RunNotFound: The journal has no such run.
            RunInUse: Another process is running it.
            ContentRedacted: The run waits, because the arguments of a call that it would make were redacted.
            JournalError: The agent has changed, and the journal refuses that; or a record cannot be read.
        """
        check_agent(agent)
        check_resume_options(options)
        resuming, prompt = await self._taken(run_id, None)
        async with self._going_on(resuming, agent, options):
            async with agent.run_stream_events(prompt, deps=deps, **options) as events:
                yield events

    async def _resume(self, agent: Any, run_id: str, prompt: Any, deps: Any, options: dict[str, Any]) -> Any:
        resuming, prompt = await self._taken(run_id, prompt)
        return await self._go_on(resuming, agent, prompt, deps, options)

    async def _taken(self, run_id: str, prompt: Any) -> tuple[Resuming, Any]:
        """Take a run, and return it with the prompt that it begins with, if nothing was recorded of it but that."""
        info, state, token = await self._recorder.take(run_id)
        log = RunLog(run_id, token, info.last_seq, state)
        if info.last_seq:
            prompt = state.prompt if not state.messages else None
        return Resuming(self._recorder, log, state, is_over=info.status == 'done'), prompt

    async def _go_on(self, resuming: Resuming, agent: Any, prompt: Any, deps: Any, options: dict[str, Any]) -> Any:
        async with self._going_on(resuming, agent, options):
            return await agent.run(prompt, deps=deps, **options)

    @asynccontextmanager
    async def _going_on(self, resuming: Resuming, agent: Any, options: dict[str, Any]) -> AsyncIterator[None]:
        """Let the next run of an agent in this context be one that was taken, and give it back in the end."""
        values = options.get('capabilities') or ()
        known = (*getattr(getattr(agent, 'root_capability', None), 'capabilities', ()), *values)
        if not any(capability is self for capability in known):
            options['capabilities'] = [self, *values]
        reset = resuming_run.set(resuming)
        try:
            if not resuming.is_over:
                self._check_changes(resuming, agent)
                await self._recorder.check_arguments(resuming)
            yield
        finally:
            resuming_run.reset(reset)
            await self._recorder.leave(resuming.log)

    async def run(
        self,
        agent: Any,
        prompt: str | Sequence[UserContent] | None = None,
        *,
        key: str,
        deps: Any = None,
        **options: Any,
    ) -> Any:
        """Run an agent at most once for a key, and return the result.

        The first caller begins the run. Others wait for its result, or go on with it if its process died.

        Args:
            agent: The agent.
            prompt: The prompt; that of the first caller counts.
            key: What the run is for, such as the number of an order.
            deps: Dependencies.
            options: Other options of `Agent.run`.

        Raises:
            JournalError: See `resume`.
        """
        check_key(key)
        check_agent(agent)
        new = self._recorder.new_run(uuid7_str(), getattr(agent, 'name', None), None, key)

        def give_back(created: RunInfo) -> None:
            if created.run_id == new.run_id:
                self.store.release(new.run_id, new.token)

        info = await self._recorder.call_or_undo(lambda: self._recorder.writer.create(new), give_back)
        if info.run_id == new.run_id:
            resuming = Resuming(self._recorder, RunLog(new.run_id, token=1), RecordedRun(), is_over=False)
            return await self._go_on(resuming, agent, prompt, deps, options)
        pause = 0.02
        while True:
            try:
                # The prompt counts if the process died before it could record its own.
                return await self._resume(agent, info.run_id, prompt, deps, dict(options))
            except RunInUse:
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, 1.0)

    def _check_changes(self, resuming: Resuming, agent: Any) -> None:
        if self.on_change == 'accept' or not (diff := changes(resuming.state.agent, agent_digest(agent))):
            return
        message = f'The agent has changed since run {resuming.log.run_id!r} was recorded:\n{diff}'
        if self.on_change == 'refuse':
            raise JournalError(f'{message}\nPass the agent as it was, or a journal with `on_change="accept"`.')
        warnings.warn(message, stacklevel=7)

    def worker(
        self, agent: Any, *, deps: Any = None, limit: int = 10, pause: float = 1.0, attempts: int = 10
    ) -> Worker:
        """Return an async context manager that goes on with runs whose process died, and with those that were answered.

        Args:
            agent: The agent; it needs a name, by which its runs are found.
            deps: Dependencies of the runs.
            limit: How many runs are under way at a time.
            pause: How long to wait before looking again, in seconds.
            attempts: How often a run is begun in all, before it is left alone: one that brings its process down each time
                would otherwise go on forever.

        Raises:
            UserError: The agent has no name.
        """
        if not getattr(agent, 'name', None):
            raise UserError('A worker finds runs by the name of their agent: pass `Agent(..., name=...)`.')
        check_agent(agent)
        check_number(limit, '`limit` of a worker', least=1, whole=True, unit='runs')
        check_number(pause, '`pause` of a worker', above=True, unit='seconds')
        check_number(attempts, '`attempts` of a worker', least=1, whole=True)
        return Worker(self, agent, deps=deps, limit=limit, pause=pause, attempts=attempts)

    # Looking

    async def find(self, wanted: RunFilter) -> list[RunInfo]:
        """Return the runs that a filter describes, the last begun first."""
        return await self._recorder.call(lambda: self.store.find(wanted))

    async def runs(
        self,
        *,
        status: RunStatus | None = None,
        agent: str | None = None,
        conversation_id: str | None = None,
        limit: int = 100,
    ) -> list[RunInfo]:
        """Return runs, the last begun first.

        Args:
            status: Only runs that stand so.
            agent: Only runs of the agent of this name.
            conversation_id: Only runs of this conversation.
            limit: How many to return.

        Raises:
            UserError: There is no such status, or `limit` is less than one.
        """
        check_number(limit, '`limit`', least=1, whole=True, unit='runs')
        if status is not None:
            check_name(status, get_args(RunStatus), 'status of runs')
        return await self.find(RunFilter(status=status, agent=agent, conversation_id=conversation_id, limit=limit))

    async def state(self, run_id: str) -> RecordedRun:
        """Return how a run stands.

        Raises:
            RunNotFound: The journal has no such run.
        """
        return fold(await self._records(run_id))

    async def _records(self, run_id: str) -> list[Record]:
        info = await self._recorder.call(lambda: self.store.get(run_id))
        if info is None:
            raise RunNotFound(f'The journal has no run {run_id!r}.')
        return await self._recorder.call(lambda: self._recorder.history(run_id))

    def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation, which need not have begun."""
        return Conversation(self._recorder, conversation_id)

    async def steps(self, run_id: str) -> list[RecordedStep]:
        """Return the steps of a run, with the history of each.

        Raises:
            RunNotFound: The journal has no such run.
        """
        return steps_of(await self._records(run_id))

    async def messages(self, run_id: str, *, at: int | None = None) -> list[ModelMessage]:
        """Return the history of a run.

        Args:
            run_id: The run.
            at: The number of a step: the history with its request, and nothing after that. By default, all of it.

        Raises:
            RunNotFound: The journal has no such run.
            JournalError: The run has no such step.
        """
        if at is None:
            return (await self.state(run_id)).messages
        for step in await self.steps(run_id):
            if step.step == at:
                return step.messages
        raise JournalError(f'Run {run_id!r} has no step {at}.')

    async def follow(self, run_id: str, *, after: int = 0, pause: float = 0.5) -> AsyncIterator[Record]:
        """Yield the records of a run, also of one that another process is running, until it is over or waits.

        Args:
            run_id: The run.
            after: The number of the last record to leave out, so that a reader who comes back misses nothing.
            pause: How long to wait before looking again, in seconds.

        Raises:
            RunNotFound: The journal has no such run.
        """
        check_number(pause, '`pause`', above=True, unit='seconds')
        records = await self._records(run_id)
        while True:
            for record in records:
                if record.seq > after:
                    after = record.seq
                    yield record
            info = await self._recorder.call(lambda: self.store.get(run_id))
            if info is None or (info.status != 'running' and after >= info.last_seq):
                return
            await asyncio.sleep(pause)
            records = await self._recorder.call(lambda last=after: self.store.read(run_id, last))

    async def fork(self, run_id: str, *, at: int | None = None, edit: Edit | None = None) -> str:
        """Add a run that shares the past of another one up to the request of a step, and return its id.

        Resume it to go on from there: the request is sent again, to whatever model and with whatever instructions the agent
        has then. What its tools do is done again, with idempotency keys of its own.

        Args:
            run_id: The run.
            at: The number of the step; by default the last one.
            edit: Returns another history to go on with: a changed prompt, tool result or call. Messages that it returns as
                they are stay where they are; others are stored with the fork. It must end with a request.

        Raises:
            RunNotFound: The journal has no such run.
            UserError: What `edit` returned is not a history that can be sent.
            JournalError: The run has no such step.
        """
        return await self._recorder.call(lambda: fork(self._recorder, run_id, at, edit))

    async def prune(self, *, older_than: float, keep: int = 0) -> int:
        """Delete runs that are over, and return how many.

        Args:
            older_than: How long ago their last record was written at least, in seconds.
            keep: How many of them to keep, the last ones. Runs that others were forked from are kept, too.
        """
        check_number(older_than, '`older_than`', unit='seconds')
        check_number(keep, '`keep`', whole=True, unit='runs')
        return await self._recorder.call(lambda: prune(self._recorder, older_than, keep))

    def export(self, run_ids: Sequence[str] | None = None) -> AsyncIterator[str]:
        """Yield a line of JSON for each run, for `import_` of any journal.

        Args:
            run_ids: The runs; by default all, the last begun first.

        Raises:
            RunNotFound: The journal has no such run.
        """
        if run_ids is not None:
            check_lines(run_ids)
        return export(self._recorder, run_ids)

    async def import_(self, lines: Iterable[str]) -> int:
        """Add runs from lines of `export`, and return how many; runs that the journal has are left as they are.

        Raises:
            JournalError: A line cannot be read. The runs of those before it were added.
        """
        check_lines(lines)
        added = 0
        for line in lines:
            if not isinstance(line, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise JournalError(f'A line of an export is text, not {type(line).__name__}.')
            if line.strip():
                added += await self._recorder.call(lambda line=line: import_line(self._recorder, line))
        return added

    async def waiting(self, *, inside: str | None = None, limit: int = 100) -> list[WaitingRun]:
        """Return the runs that wait for decisions, the last begun first.

        A run whose tool runs an agent that waits is not among them: the inner run is, with the way to it. Calls that a tool
        would make itself are among the requests of its run.

        Args:
            inside: Only this run, and the runs inside of it.
            limit: How many runs to look at.
        """
        found: list[WaitingRun] = []
        for info in await self.runs(status='waiting', limit=limit):
            state = await self.state(info.run_id)
            if (requests := requests_of(state)) is None:
                continue
            path = await self._path(state)
            if inside is None or inside in (info.run_id, *(run_id for run_id, _ in path)):
                within = {asked.call.tool_call_id: state.id_now(place[0]) for place, asked in state.asking().items()}
                found.append(WaitingRun(info, requests, path, within))
        return found

    async def _path(self, state: RecordedRun) -> tuple[tuple[str, str], ...]:
        path: list[tuple[str, str]] = []
        while state.parent is not None:
            path.insert(0, state.parent)
            state = await self.state(state.parent[0])
        return tuple(path)

    async def answer(self, run_id: str, results: DeferredToolResults) -> None:
        """Record decisions about calls that wait. The run goes on when it is resumed next, or the run that it belongs to.

        Args:
            run_id: The run.
            results: Decisions about some or all of the calls that wait. When all are decided, the run can go on.

        Raises:
            RunNotFound: The journal has no such run.
            RunInUse: Another process is running it.
            ContentRedacted: A call is approved whose arguments were redacted, without other ones.
            JournalError: The run does not wait, or the decisions are not those it waits for: other ids, calls with other
                arguments than those that were shown, or values that are not decisions.
            UserError: The results are not `DeferredToolResults`, or one of them has no JSON form.
        """
        check_results(results)
        try:
            results.to_tool_call_results()
        except UserError as error:
            raise JournalError(str(error)) from error

        def check(info: RunInfo, state: RecordedRun) -> None:
            requests = requests_of(state) if info.status == 'waiting' else None
            if requests is None:
                raise JournalError(f'Run {run_id!r} does not wait for decisions: it is {info.status}.')
            waiting = {call.tool_call_id for call in (*requests.calls, *requests.approvals)}
            decided = results.calls.keys() | results.approvals.keys()
            if not decided or not decided <= waiting:
                raise JournalError(
                    f'Run {run_id!r} waits for decisions about the calls {sorted(waiting)}, not about {sorted(decided)}.'
                )
            for call in (*requests.calls, *requests.approvals):
                call_id = call.tool_call_id
                if call_id in decided and results.digests.get(call_id, digest_of(call)) != digest_of(call):
                    raise JournalError(
                        f'The decision about call {call_id!r} of run {run_id!r} was about another call, which does not wait any '
                        'more. Show the requests that `waiting()` returns now.'
                    )
            elsewhere = {call.tool_call_id for call in requests.calls}
            for call_id, approval in results.approvals.items():
                if call_id in elsewhere and (approval is True or isinstance(approval, ToolApproved)):
                    raise JournalError(
                        f'Call {call_id!r} of run {run_id!r} waits for a result, not for an approval. Pass its result in '
                        '`DeferredToolResults.calls`, or deny it.'
                    )
                if call_id in state.redacted and state.lacks_arguments(call_id, approval):
                    raise ContentRedacted(
                        f'The arguments of call {call_id!r} were redacted, so it can only be approved with others: pass '
                        '`ToolApproved(override_args=...)`, or the result of the call in `calls`.'
                    )

        parent = await self._decide(run_id, results, (), check)
        while parent is not None:
            outer, call_id = parent
            try:
                parent = await self._decide(outer, DeferredToolResults(), (call_id,), lambda info, state: None)
            except RunInUse:
                return  # other calls of it are under way; when it waits, a worker finds that it can go on

    def ticket(self, waiting: WaitingRun, call_id: str, *, seconds: float = 86400.0) -> str:
        """Return a ticket, which gives the right to decide about a call, once. It is a text for links and mails.

        Args:
            waiting: The run, from `waiting`.
            call_id: The call.
            seconds: How long the ticket lasts; `math.inf` for one that does not expire.

        Raises:
            UserError: The journal has no `secret`, or `seconds` is not a number.
            JournalError: The run does not wait for a decision about this call.
        """
        calls = {call.tool_call_id: call for call in (*waiting.requests.approvals, *waiting.requests.calls)}
        if call_id not in calls:
            raise JournalError(f'Run {waiting.run.run_id!r} does not wait for a decision about call {call_id!r}.')
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or math.isnan(seconds):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError(f'`seconds` of a ticket must be a number of seconds, not {short_repr(seconds)}.')
        ticket = Ticket(waiting.run.run_id, call_id, digest_of(calls[call_id]), time.time() + seconds)
        return sign(ticket, self._signing_secret())

    async def redeem(self, ticket: str, decision: DeferredToolApprovalResult | bool) -> str:
        """Decide about the call of a ticket, and return the id of its run.

        Args:
            ticket: The ticket.
            decision: Whether the call is approved.

        Raises:
            InvalidTicket: The ticket is forged, altered, expired or used, or the call is not what it was.
            JournalError: The decision is none.
        """
        checked = verify(ticket, self._signing_secret())
        requests = requests_of(await self.state(checked.run_id))
        waiting = (*requests.approvals, *requests.calls) if requests is not None else ()
        call = next((call for call in waiting if call.tool_call_id == checked.call_id), None)
        if call is None:
            raise InvalidTicket(f'The ticket was used: call {checked.call_id!r} does not wait any more.')
        if digest_of(call) != checked.call:
            raise InvalidTicket(f'Call {checked.call_id!r} is not the one that the ticket was issued for.')
        # The digest is looked at again with the lease of the run: until then, another process may go on with it.
        digests = {checked.call_id: checked.call}
        await self.answer(checked.run_id, DeferredToolResults(approvals={checked.call_id: decision}, digests=digests))
        return checked.run_id

    def _signing_secret(self) -> bytes:
        if self._secret is None:
            raise UserError('Tickets are signed: pass `Journal(..., secret=...)`, the same in every process.')
        return self._secret

    async def _decide(
        self,
        run_id: str,
        results: DeferredToolResults,
        again: Sequence[str],
        check: Callable[[RunInfo, RecordedRun], None],
    ) -> tuple[str, str] | None:
        """Record decisions, and return the run and the call that wait for this run, if it can go on now."""
        info, state, token = await self._recorder.take(run_id)
        try:
            check(info, state)
            body = b'{"results":' + results_json(results) + b',"again":' + to_json(again) + b'}'
            record = Record(info.last_seq + 1, 'decided', time.time(), body)
            after = fold([record], state)
            entry = Entry(run_id, token, [record], 'waiting' if after.undecided() else 'running', info.steps)
            await self._recorder.write(entry, durable=True, wait=True)
        finally:
            await self._recorder.call(lambda: self.store.release(run_id, token))
        return after.parent if not after.undecided() else None
