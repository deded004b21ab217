"""`SteeredRuns`: sends orders to runs of other processes: pause, continue, end, consider a message."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from .._contracts.pending import PendingMessage
from .._contracts.run_context import AnyDepsT
from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from ..exceptions import UserError
from ..messages import UserContent
from ._checks import check_run_id, check_text
from ._encode import prompt_json
from ._errors import JournalError, RunInUse, RunNotFound
from ._orders import MOST_ORDERS, Order, OrderKind, new_order, orders_in
from ._reading import RunsOnRecord
from ._store import RunFilter

_LOOK_AGAIN = 0.1
"""Seconds until a caller looks again whether its order was carried out."""


class SteeredRuns(RunsOnRecord[AnyDepsT]):
    """The part of a journal that tells runs of other processes what to do."""

    async def pause(self, run_id: str) -> None:
        """Let a run pause before its next request or call, until `unpause`, whatever process has it then.

        What it does at the moment comes to its end first. Its `timeout` goes by while it is paused.

        Args:
            run_id: The run.

        Raises:
            RunNotFound: The journal has no such run.
            JournalError: It has ended, or there are too many orders that no run has taken.
        """
        await self._order('pause', run_id, {})

    async def unpause(self, run_id: str) -> bool:
        """Let a run continue that is paused, and return whether it was; if its process died, resume it after that.

        Args:
            run_id: The run.
        """
        check_run_id(run_id)
        key = new_order('pause', run_id).key

        def delete() -> int:
            return self.store.delete([run.run_id for run in self.store.find(RunFilter(key=key))])

        return bool(await self._recorder.call(delete))

    async def paused(self) -> set[str]:
        """Return the ids of the runs that are to pause."""
        orders = await self._recorder.call(lambda: orders_in(self.store))
        return {order.run_id for order in orders if order.kind == 'pause'}

    async def cancel(self, run_id: str, reason: str | None = None, *, call_id: str | None = None) -> None:
        """Cancel a run, or one of its calls, and return when its process has done so.

        The run ends in `RunCancelled`, and can be resumed. A call is answered as cancelled, or as one of which it is not known
        what it did, and the run continues. A run that waits, or whose process died, ends here.

        Args:
            run_id: The run.
            reason: Why, for the error of the run, or for the model.
            call_id: The call to cancel in place of the run; nothing happens if it has ended.

        Raises:
            RunNotFound: The journal has no such run.
            JournalError: It has ended; or a call is to be cancelled, and no process works on the run.
            UserError: The reason is not text.
        """
        for what, text in (('reason', reason), ('call', call_id)):
            if text is not None:
                check_text(text, f'The {what} of a cancellation')
        order = await self._order('cancel', run_id, {'reason': reason, 'call': call_id})
        while not await self._is_taken(order):
            if call_id is not None:
                await self._take_back(order)
                raise JournalError(f'No process works on run {run_id!r}, so that none of its calls can be cancelled.')
            try:
                await self._recorder.end_left(run_id, 'RunCancelled', reason or 'The agent run was cancelled.')
            except RunInUse:
                continue
            await self._take_back(order)
        if call_id is not None:
            return
        await self.unpause(run_id)
        if (info := await self._recorder.call(lambda: self.store.get(run_id))) is not None and info.status == 'done':
            raise JournalError(f'Run {run_id!r} has ended before it could be cancelled.')

    async def steer(self, run_id: str, content: str | Sequence[UserContent]) -> None:
        """Add a message to a run that another process is running, as `enqueue` does; return when it is recorded there.

        If the run waits or its process died, it gets the message when it is resumed.

        Args:
            run_id: The run.
            content: What the model is to read with its next request.

        Raises:
            RunNotFound: The journal has no such run.
            JournalError: It has ended, or there are too many orders that no run has taken.
            UserError: A model cannot answer the content.
        """
        if not isinstance(content, (str, list, tuple)):
            raise UserError(f'A message for a run must be text, or a list of content, not {short_repr(content)}.')
        PendingMessage.from_content(*([content] if isinstance(content, str) else content))
        await self._is_taken(await self._order('steer', run_id, {}, b'"content":' + prompt_json(content)))

    async def _order(self, kind: OrderKind, run_id: str, data: JsonObject, *pieces: bytes) -> Order:
        """Store an order.

        Raises:
            RunNotFound, JournalError: See `pause`.
        """
        check_run_id(run_id)
        order = new_order(kind, run_id)

        def store() -> None:
            info = self.store.get(run_id)
            if info is None:
                raise RunNotFound(f'The journal has no run {short_repr(run_id)}.')
            if info.status in ('done', 'failed'):
                raise JournalError(f'Run {run_id!r} has ended, so that it cannot {kind}.')
            if len(orders_in(self.store)) >= MOST_ORDERS:
                raise JournalError(
                    f'There are {MOST_ORDERS} orders that no run has taken: resume these runs, or `prune`.'
                )
            entry, record = order.entry(data, *pieces)
            self._recorder.writer.create(entry, [record])

        await self._recorder.call(store)
        return order

    async def _is_taken(self, order: Order) -> bool:
        """Wait until an order was carried out, and return whether it was: no process may work on the run now.

        Raises:
            JournalError: The run ended before.
        """
        while True:
            info, is_open = await self._recorder.call(
                lambda: (self.store.get(order.run_id), self.store.get(order.entry_id) is not None)
            )
            if not is_open:
                return True
            if info is None or info.holder is None or info.lease_until <= time.time():
                if info is None or info.status in ('done', 'failed'):
                    await self._take_back(order)
                    raise JournalError(f'Run {order.run_id!r} has ended before it could {order.kind}.')
                return False
            await asyncio.sleep(_LOOK_AGAIN)

    async def _take_back(self, order: Order) -> None:
        await self._recorder.call(lambda: self.store.delete([order.entry_id]))
