"""What ends a run before its end: its `timeout`, its `CancellationToken`, and `cancel()` of its contexts."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from .. import budgets
from .._contracts.run_state import RunState
from .._kit.ids import now_utc
from .._kit.tracebacks import add_note
from ..concurrency import EmittedT
from ..exceptions import RunCancelled, RunTimedOut, UserError
from ..usage import RunUsage, UsageLimits
from ._options import RunOptions

MOST_WAITING = 1024
"""How many events wait for a reader; of more, the oldest are dropped. A run that nothing reads keeps no others."""


class RunStopper:
    """Cancels the task that has entered a run, from any thread, and knows its own cancellation from that of others.

    The work of a run is cancelled like any task: tools, the request and what they wait for see a `CancelledError`. Where it
    leaves the run, it becomes a `RunCancelled`, unless the task was cancelled by others as well.
    """

    __slots__ = (
        '__weakref__',
        '_before',
        '_forget',
        '_timer',
        'deadline',
        'emitted',
        'is_used',
        'kind',
        'ledger',
        'model_id',
        'now',
        'options',
        'reader',
        'reason',
        'task',
    )

    def __init__(self, options: RunOptions[Any]) -> None:
        # Every run has one, and few are stopped: what only these need is made when it is.
        self.options: RunOptions[Any] = options
        self.kind: type[RunCancelled] | None = None
        self.reason: str | None = None
        """Why it was cancelled, if its program said so."""
        self.task = asyncio.current_task()
        self.is_used: bool = 'timeout' in options or 'cancellation_token' in options
        """Whether something may stop the run, or has; if not, its end needs nothing but that `task` is taken away."""
        self.model_id: str | None = None
        """The name by which capabilities found the model of the current step."""
        self.deadline: datetime | None = None
        """When the run is to have ended."""
        self.now: Callable[[], datetime] = now_utc
        """Says how late it is for the run."""
        self._timer: asyncio.TimerHandle | None = None
        self._forget: Callable[[], None] | None = None
        self._before = 0
        self.ledger: Any = None
        """The `Ledger` of the budgets of the run; `None` if it has none."""
        self.emitted: deque[Any] | None = None
        """Events that were emitted, and wait until the next step is read."""
        self.reader: Any = None
        """An `EventWriter`, which takes events at once, while the calls of a response are read."""

    @property
    def usage_limits(self) -> UsageLimits | None:
        """The limits that were passed to the run."""
        return self.options.get('usage_limits')

    async def begin_ledger(self, of_agent: budgets.Budget | None, run_id: str, known: RunState | None) -> Any:
        """Return the ledger of the budgets that the run draws from; `None` if there are none.

        Args:
            of_agent: The budget of its agent.
            run_id: The run.
            known: What is known of it, if it continues.
        """
        from .._loop.ledger import ledger_of

        return await ledger_of(self.options.get('budget'), of_agent, run_id, None if known is None else known.usage)

    async def begin(self, clock: Callable[[], datetime] | None, started: datetime | None) -> None:
        """Stop the run when its token says so, or after its time.

        Args:
            clock: Says how late it is; `None` for the clock of the machine.
            started: When the run was started, if that was before now.

        Raises:
            UserError: The time is not a number of seconds.
            CancelledError: It was stopped before it began.
        """
        seconds, token = self.options.get('timeout'), self.options.get('cancellation_token')
        if seconds is not None:
            if isinstance(seconds, bool) or not seconds < 10**9:
                raise UserError(f'`timeout` is a number of seconds, not {seconds!r}.')
            self.now = clock or now_utc
            now = self.now()
            self.deadline = (started or now) + timedelta(seconds=max(seconds, -1))
            seconds = (self.deadline - now).total_seconds()
            if seconds <= 0:
                self._stop(RunTimedOut)
            else:
                self._timer = asyncio.get_running_loop().call_later(seconds, self._stop, RunTimedOut)
        if token is not None:
            self._forget = token.register(lambda: self.cancel(token.reason))
        if self.kind is not None:
            await asyncio.sleep(0)

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the run, and say why; may be called in any thread."""
        task, self.is_used = self.task, True
        if task is None:
            return
        loop = task.get_loop()
        try:
            here = asyncio.get_running_loop() is loop
        except RuntimeError:
            here = False
        if here:
            self._stop(RunCancelled, reason)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(self._stop, RunCancelled, reason)

    def emit(self, ctx: Any, event: EmittedT) -> EmittedT:
        """Show an event of a context to what reads the events of the run, at once or with the next step."""
        from .._streams.events import emitted_in

        emitted_in(ctx, event)
        self.show(event)
        return event

    def show(self, event: Any) -> None:
        """Show an event to what reads the events of the run, at once or with the next step."""
        if self.reader is not None:
            self.reader.put(event)
        elif self.emitted is not None:
            self.emitted.append(event)
        else:
            self.emitted = deque([event], maxlen=MOST_WAITING)

    def _stop(self, kind: type[RunCancelled], reason: str | None = None) -> None:
        if self.kind is None and self.task is not None:
            self.kind, self.reason = kind, reason
            if sys.version_info >= (3, 11):
                self._before = self.task.cancelling()
            self.task.cancel()

    async def end(self, error: BaseException | None) -> bool:
        """Stop nothing from now on, and return whether the run was stopped: whether what leaves it is its own cancellation."""
        if self._timer is not None:
            self._timer.cancel()
        if self._forget is not None:
            self._forget()
        task, self.task = self.task, None
        if self.kind is None or task is None:
            return False
        if error is None:  # nothing that the run has awaited since then has paused it
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError as cancelled:
                error = cancelled
        alone = sys.version_info < (3, 11) or task.uncancel() <= self._before
        return alone and isinstance(error, asyncio.CancelledError)

    def error(
        self,
        messages: Sequence[Any] = (),
        new_message_index: int = 0,
        usage: RunUsage | None = None,
        **names: Any,
    ) -> RunCancelled:
        """Return the error of the run that was stopped, with what it had until then."""
        kind = self.kind or RunCancelled
        error = kind(
            'The agent run timed out.' if kind is RunTimedOut else 'The agent run was cancelled.',
            messages=messages,
            new_message_index=new_message_index,
            usage=usage or RunUsage(),
            reason=self.reason,
            **names,
        )
        add_note(error, 'Continue it with `message_history=error.all_messages()`.')
        return error
