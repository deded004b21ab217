"""`Journal`: records runs, and continues them in any process."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from os import PathLike
from typing import Any, Literal, TypeVar, overload

from pydantic_core import to_json
from typing_extensions import TypeAlias

from .._contracts.facts import RunFact
from .._contracts.run_context import AnyDepsT, RunContext
from .._contracts.run_state import RunState
from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from .._kit.meant import with_hint
from .._kit.short import short_repr
from ..exceptions import UserError
from ..messages import UserContent, questions_in
from ..tools import DeferredToolApprovalResult, DeferredToolResults
from ._agents import EventsT, ResultT, RunDepsT, RunnableAgent, StreamingAgent
from ._answers import check_arguments, check_decisions, check_same
from ._checks import (
    check_agent,
    check_edit,
    check_key,
    check_lines,
    check_number,
    check_options,
    check_results,
    check_resume_options,
    check_run_id,
    check_step,
    check_text,
    check_ticket,
)
from ._digest import agent_digest, changes as changes_of
from ._encode import results_json
from ._errors import JournalError, RunInUse, RunNotFound
from ._fold import RecordedRun, fold
from ._held import Durability
from ._log import RunLog
from ._memory import MemoryStore
from ._past import (
    Change,
    Edit,
    WaitingRun,
    export,
    fork,
    import_line,
    prune,
    root_of,
    tree_of,
    waiting_of,
)
from ._places import as_store
from ._recorder import Recorder
from ._redact import Redact, redacted_digest
from ._resuming import Resuming, resuming_run
from ._steering import SteeredRuns
from ._store import Entry, Record, RunInfo, Store
from ._stored import is_reserved
from ._tickets import Ticket, check_redeemed, sign, verify
from ._turns import begin, conversation_of
from ._worker import Worker

T = TypeVar('T')

OnChange: TypeAlias = Literal['warn', 'refuse', 'accept']
"""What happens when a run is resumed by an agent that is not what it was when the run was recorded."""


class Journal(SteeredRuns[AnyDepsT]):
    """Records what happens in the runs of an agent, so that a run whose process dies continues in another one.

    What a run did is not done again: responses are not paid for twice, and finished calls are not repeated. A call that was
    started and whose end is not known is repeated only if its tool says that this does no harm.
    """

    @with_hint
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
        changes: bool = False,
        id: str | None = None,
    ) -> None:
        """Record runs in a store.

        Args:
            store: The store, the path of an SQLite file, or the URL of a PostgreSQL database; by default, memory.
            durability: When records are written.
            on_change: What happens when a run is resumed by an agent that has changed since.
            lease_seconds: How long after the death of a process another one may continue its runs.
            conversations: Whether a run with a `conversation_id` and without a history continues with what was said there.
                While a run of that conversation is under way, another one waits, or is refused with `'refuse'`.
            secret: What tickets are signed with, 16 bytes or more.
            redact: Returns what to store of a record, from its kind and its data (see `Redact`). It is called in the thread
                that writes, for one record at a time. If it fails, the run fails with a `RedactionError`.
            changes: Whether to record what each capability changes of requests, tools, settings and results, and what each
                request has apart from its messages. The inspector shows it; to look for changes takes time at each hook.
            id: The id of the capability.

        Raises:
            UserError: An argument has no meaning.
        """
        check_options(durability, on_change, lease_seconds, conversations, secret, redact)
        if id is not None:
            check_text(id, '`id` of a `Journal`')
        super().__init__(id=id)
        self.watches_changes: bool = bool(changes)
        self._secret = secret
        self.store: Store = MemoryStore() if store is None else as_store(store)
        self.on_change: OnChange = on_change
        self.conversations: bool | Literal['wait', 'refuse'] = conversations
        self._recorder: Recorder[AnyDepsT] = Recorder(
            self.store, durability, lease_seconds, 'wait' if conversations is True else conversations or None, redact
        )
        self._recorder.refuses_changes = on_change == 'refuse'

    async def restore_run(self, ctx: RunContext[AnyDepsT]) -> RunState | None:
        return await self._recorder.restore(ctx)

    async def record(self, ctx: RunContext[AnyDepsT], *, fact: RunFact) -> None:
        if (recorded := self._recorder.record(ctx, fact)) is not None:
            await recorded

    # Continuing

    @overload
    async def resume(
        self,
        agent: RunnableAgent[RunDepsT, ResultT],
        run_id: str,
        *,
        deps: RunDepsT = None,  # pyright: ignore[reportArgumentType]
        output_type: None = None,
        **options: Any,
    ) -> ResultT: ...

    @overload
    async def resume(
        self,
        agent: RunnableAgent[RunDepsT, object],
        run_id: str,
        *,
        deps: RunDepsT = None,  # pyright: ignore[reportArgumentType]
        output_type: object,
        **options: Any,
    ) -> Any: ...

    async def resume(self, agent: Any, run_id: str, *, deps: Any = None, **options: Any) -> Any:
        """Continue a run where it stood, and return its result.

        Args:
            agent: The agent; it should be what it was when the run began.
            run_id: The run.
            deps: Dependencies; they are not recorded.
            options: Other options of `Agent.run`, but no history and no prompt.

        Returns:
            The result of the run. If the run has ended, that is what it has returned: nothing is requested, called or validated.

        Raises:
            RunNotFound: The journal has no such run.
            RunInUse: Another process is running it.
            ContentRedacted: The run waits, because the arguments of a call that it would make were redacted.
            JournalError: The agent has changed, and the journal refuses that; or a record cannot be read.
            UserError: The run has ended, and its output is not of the type that is asked for now.
        """
        check_agent(agent)
        check_resume_options(options)
        resuming, prompt = await self._taken(run_id)
        return await self._continue(resuming, agent, prompt, deps, options)

    @asynccontextmanager
    async def resume_stream_events(
        self,
        agent: StreamingAgent[RunDepsT, EventsT],
        run_id: str,
        *,
        deps: RunDepsT = None,  # pyright: ignore[reportArgumentType]
        **options: Any,
    ) -> AsyncIterator[EventsT]:
        """Continue a run where it stood, and read the events of that, as with `Agent.run_stream_events`.

        What an earlier process got last is among them: the response, if its calls were not all answered, and the answers to
        calls. If the run has ended, they are those of its last response.

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
        resuming, prompt = await self._taken(run_id)
        async with self._going_on(resuming, agent, options):
            run: Any = agent.run_stream_events
            async with run(prompt, deps=deps, **options) as events:
                yield events

    async def _taken(self, run_id: str, prompt: Any = None, *, may_begin: bool = False) -> tuple[Resuming, Any]:
        """Take a run, and return it with the prompt that it begins with, if it has not got any further.

        Args:
            run_id: The run.
            prompt: The prompt, if nothing is recorded of the run but its key.
            may_begin: Whether it may begin with that.
        """
        info, state, token = await self._recorder.take(run_id)
        if not is_reserved(info):
            if info.base_id is not None and info.turn is None and token == 1:
                state.agent = {}  # a fork continues with any agent
            log = RunLog(run_id, token, info.last_seq, state)
            return Resuming(self._recorder, log, state, info.status == 'done'), state.first_prompt()
        resuming = self._recorder.reserved(info, token, state.messages)
        if not may_begin:
            await self._recorder.leave(resuming.log)
            raise JournalError(f'Run {run_id!r} has not started: its process died before that. Begin another one.')
        return resuming, prompt

    async def _continue(self, resuming: Resuming, agent: Any, prompt: Any, deps: Any, options: dict[str, Any]) -> Any:
        async with self._going_on(resuming, agent, options):
            return await agent.run(prompt, deps=deps, **options)

    @asynccontextmanager
    async def _going_on(self, resuming: Resuming, agent: Any, options: dict[str, Any]) -> AsyncIterator[None]:
        """Let the next run of an agent in this context be one that was taken, and give it back in the end."""
        values = options.get('capabilities') or ()
        known = (*getattr(getattr(agent, 'root_capability', None), 'capabilities', ()), *values)
        if not any(capability is self for capability in known):
            options['capabilities'] = [self, *values]
        for name, value in resuming.state.run_options().items():
            options.setdefault(name, value)
        reset = resuming_run.set(resuming)
        try:
            if not resuming.is_over:
                self._check_changes(resuming, agent, options.get('model'))
                await check_arguments(self._recorder.writer, resuming.log, resuming.state)
            yield
        finally:
            resuming_run.reset(reset)
            await self._recorder.leave(resuming.log)

    @overload
    async def run(
        self,
        agent: RunnableAgent[RunDepsT, ResultT],
        prompt: str | Sequence[UserContent] | None = None,
        *,
        key: str,
        deps: RunDepsT = None,  # pyright: ignore[reportArgumentType]
        output_type: None = None,
        **options: Any,
    ) -> ResultT: ...

    @overload
    async def run(
        self,
        agent: RunnableAgent[RunDepsT, object],
        prompt: str | Sequence[UserContent] | None = None,
        *,
        key: str,
        deps: RunDepsT = None,  # pyright: ignore[reportArgumentType]
        output_type: object,
        **options: Any,
    ) -> Any: ...

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

        The first caller begins the run. Others wait for its result, or continue it if its process died.

        Args:
            agent: The agent.
            prompt: The prompt. Those who only ask for the result may leave it out.
            key: What the run is for, such as the number of an order.
            deps: Dependencies.
            options: Other options of `Agent.run`.

        Raises:
            JournalError: The key is that of a run with another prompt, or of another agent; or see `resume`.
            UserError: The run has ended, and its output is not of the type that is asked for now.
        """
        check_key(key)
        check_agent(agent)
        pause = 0.02
        while (begun := await self._begun_for(agent, key, prompt, options)) is None:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 1.0)
        return await self._continue(begun[0], agent, begun[1], deps, options)

    async def _begun_for(
        self, agent: Any, key: str, prompt: Any, options: dict[str, Any]
    ) -> tuple[Resuming, Any] | None:
        """Begin the run of a key, or take it if it was started, and return it with its prompt; `None` if it is under way."""
        recorder, conversation_id = self._recorder, conversation_of(options)
        new = recorder.new_run(uuid7_str(), getattr(agent, 'name', None), conversation_id, key)
        goes_on = recorder.conversations is not None and not (
            options.get('message_history') or options.get('conversation')
        )
        info, messages = await begin(recorder, new, conversation_id if goes_on else None)
        if info.run_id == new.run_id:
            return recorder.reserved(info, new.token, messages), prompt
        first = await recorder.call(lambda: self.store.read(info.run_id, info.base_seq, 1))
        check_same(key, info, first, new.agent, prompt)
        try:  # the prompt counts if the process died before it could record its own
            return await self._taken(info.run_id, prompt, may_begin=True)
        except (RunInUse, RunNotFound):
            return None

    def _check_changes(self, resuming: Resuming, agent: Any, model: Any) -> None:
        if self.on_change == 'accept':
            return
        redact = self._recorder.writer.redact
        now = agent_digest(agent, model, whole=redact is not None)
        if redact is not None:
            now = redacted_digest(resuming.log.run_id, now, redact)
        if not (diff := changes_of(resuming.state.agent, now)):
            return
        message = f'The agent has changed since run {resuming.log.run_id!r} was recorded:\n{diff}'
        if self.on_change == 'refuse':
            raise JournalError(f'{message}\nPass the agent as it was, or a journal with `on_change="accept"`.')
        warnings.warn(message, stacklevel=7)

    def worker(
        self,
        agent: RunnableAgent[RunDepsT, ResultT],
        *,
        deps: RunDepsT = None,  # pyright: ignore[reportArgumentType]
        limit: int = 10,
        pause: float = 1.0,
        attempts: int = 10,
    ) -> Worker[ResultT]:
        """Return an async context manager that continues runs whose process died, and those that were answered.

        Args:
            agent: The agent; it needs a name, by which its runs are found.
            deps: Dependencies of the runs.
            limit: How many runs are under way at a time.
            pause: How long to wait before looking again, in seconds.
            attempts: How many times a run is started in all, before it is left alone: one that brings its process down each time
                would otherwise continue forever.

        Raises:
            UserError: The agent has no name.
        """
        check_agent(agent)
        if not getattr(agent, 'name', None):
            raise UserError('A worker finds runs by the name of their agent: pass `Agent(..., name=...)`.')
        check_number(limit, '`limit` of a worker', least=1, whole=True, unit='runs')
        check_number(pause, '`pause` of a worker', above=True, unit='seconds')
        check_number(attempts, '`attempts` of a worker', least=1, whole=True)
        return Worker(self, agent, deps=deps, limit=limit, pause=pause, attempts=attempts)

    # Branches, and what becomes old

    async def fork(
        self,
        run_id: str,
        *,
        at: int | None = None,
        edit: Edit | None = None,
        calls: Mapping[str, JsonObject] | None = None,
        by: str | None = None,
    ) -> str:
        """Add a run that shares the past of another one up to a step, and return its id.

        Resume it to continue from there: the request of the step is sent again, to whatever model and with whatever instructions
        the agent has then; with `calls`, the calls of its response are made again. What its tools do is done again, with
        idempotency keys of its own, and what needs an approval is asked about again. A fork of a run of a conversation is not
        part of the conversation.

        Args:
            run_id: The run.
            at: The number of the step; by default the last one.
            edit: Returns another history to continue with: a changed prompt, tool result or call. Messages that it returns as
                they are stay where they are; others are stored with the fork. It must end with a request.
            calls: Other arguments for calls of the response of the step, by call id. Its other calls are made as they were.
            by: The person who edits; it is stored with the edit, and in the metadata of a response whose calls were edited.

        Raises:
            RunNotFound: The journal has no such run.
            UserError: What `edit` returned is not a history that can be sent, or there are both `edit` and `calls`.
            JournalError: The run has no such step, or the response of the step no such call.
        """
        check_run_id(run_id)
        check_step(at, '`at` of a fork')
        check_edit(edit, calls, by)
        return await self._recorder.call(lambda: fork(self._recorder, run_id, at, Change(edit, calls, by)))

    async def prune(self, *, older_than: float, keep: int = 0) -> int:
        """Delete runs that have ended, with the runs inside of them, and return how many. A key of one that is gone begins again.

        An answer to one that is gone is not known to have come before: a history with its calls and decisions is continued again.

        Args:
            older_than: How long ago their last record was written at least, in seconds.
            keep: How many of them to keep, the last ones. Runs that others were forked from are kept, too, and so are runs inside
                of one that waits, is under way or is kept: it would do again what they did.
        """
        check_number(older_than, '`older_than`', unit='seconds')
        check_number(keep, '`keep`', whole=True, unit='runs')
        return await self._recorder.call(lambda: prune(self._recorder, older_than, keep))

    def export(self, run_ids: Sequence[str] | None = None) -> AsyncIterator[str]:
        """Yield a line of JSON for each run, for `import_` of any journal.

        Args:
            run_ids: The runs; by default all, the last started first. The runs that they continue from are written, too, and so
                are those that they are inside of, and those inside of them.

        Raises:
            RunNotFound: The journal has no such run.
            RecordUnreadable: Some runs cannot be read. It names them, and comes after the lines of all others, without those
                of the runs that they are inside of.
        """
        if run_ids is not None:
            check_lines(run_ids)
            for run_id in run_ids:
                check_run_id(run_id)
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

    async def waiting(
        self, *, inside: str | None = None, limit: int = 100, before: RunInfo | None = None
    ) -> list[WaitingRun]:
        """Return the runs that wait for decisions, the last started first.

        A run whose tool runs an agent that waits is not among them: the inner run is, with the way to it. Calls that a tool
        would make itself are among the requests of its run.

        Args:
            inside: Only this run, and the runs inside of it, however many others there are.
            limit: How many runs to look at.
            before: Only runs that began before this one, as for the next page.
        """
        if inside is None:
            return await waiting_of(self._recorder, await self.runs(status='waiting', limit=limit, before=before))
        check_run_id(inside)

        def of_tree() -> list[RunInfo]:
            run = self.store.get(inside)
            return [] if run is None else [one for one in tree_of(self.store, run) if one.status == 'waiting']

        return await waiting_of(self._recorder, (await self._recorder.call(of_tree))[:limit])

    async def answer(self, run_id: str, results: DeferredToolResults) -> None:
        """Record decisions about calls that wait. The run continues when it is resumed next, or the run that it belongs to.

        Args:
            run_id: The run.
            results: Decisions about some or all of the calls that wait. When all are decided, the run can continue.

        Raises:
            RunNotFound: The journal has no such run.
            RunInUse: Another process is running it.
            ContentRedacted: A call is approved whose arguments were redacted, without other ones.
            JournalError: The run does not wait, or the decisions are not those it waits for: other ids, calls with other
                arguments than those that were shown, or values that are not decisions.
            UserError: The results are not `DeferredToolResults`, or one of them has no JSON form.
        """
        check_run_id(run_id)
        check_results(results)
        try:
            results.to_tool_call_results()
        except UserError as error:
            raise JournalError(str(error)) from error

        def check(info: RunInfo, state: RecordedRun) -> None:
            check_decisions(results, info, state)
            if root is not None and root.run_id != run_id and root.status == 'done':
                raise JournalError(
                    f'Run {run_id!r} belongs to run {root.run_id!r}, which has ended: it continues without the answer. Resume '
                    'the inner run itself if you want it to.'
                )

        root = await self._recorder.call(
            lambda: root_of(self.store, info) if (info := self.store.get(run_id)) else None
        )
        parent = await self._decide(run_id, results, (), check)
        while parent is not None:
            outer, call_id = parent
            try:
                parent = await self._decide(outer, DeferredToolResults(), (call_id,), lambda info, state: None)
            except RunInUse:
                return  # other calls of it are under way; when it waits, a worker finds that it can continue

    def ticket(self, waiting: WaitingRun, call_id: str, *, seconds: float = 86400.0) -> str:
        """Return a ticket, which gives the right to decide about a call, once. It is a text for links and mails.

        Args:
            waiting: The run, from `waiting`.
            call_id: The call.
            seconds: How long the ticket lasts; `math.inf` for one that does not expire.

        Raises:
            UserError: The journal has no `secret`, or an argument is of another type.
            JournalError: The run does not wait for a decision about this call.
        """
        check_ticket(waiting, call_id, seconds)
        asked = questions_in(waiting.requests)
        if call_id not in asked:
            raise JournalError(f'Run {waiting.run.run_id!r} does not wait for a decision on {short_repr(call_id)}.')
        ticket = Ticket(waiting.run.run_id, call_id, asked[call_id], time.time() + seconds)
        return sign(ticket, self._signing_secret())

    async def redeem(self, ticket: str, decision: DeferredToolApprovalResult | bool) -> str:
        """Decide about the call of a ticket, and return the id of its run.

        Args:
            ticket: The ticket.
            decision: Whether the call is approved. A `ToolApproved` has no `override_args`: the ticket is for the arguments that
                the call has, unless these were redacted.

        Raises:
            InvalidTicket: The ticket is forged, altered, expired or used, the call is not what it was, or the decision is for
                other arguments.
            JournalError: The decision is not valid.
        """
        checked = verify(ticket, self._signing_secret())
        check_redeemed(checked, await self.state(checked.run_id), decision)
        # The digest is looked at again with the lease of the run: until then, another process may continue it.
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
        """Record decisions, and return the run and the call that wait for this run, if it can continue now."""
        info, state, token = await self._recorder.take(run_id)
        try:
            if again and info.status == 'done':  # another process has continued it, and knew the answer
                return None
            check(info, state)
            body = b'{"results":' + results_json(results) + b',"again":' + to_json(again) + b'}'
            record = Record(info.last_seq + 1, 'decided', time.time(), body)
            after = fold([record], state)
            entry = Entry(run_id, token, [record], 'waiting' if after.undecided() else 'running', info.steps)
            await self._recorder.write(entry, durable=True, wait=True)
        finally:
            await self._recorder.writer.give_back(run_id, token)
        return after.parent if not after.undecided() else None
