"""Orders for runs that other processes are running: pause, cancel, steer.

An order is an entry of the store, like a change of a conversation. Every store keeps it, encrypted if the records are. The
process that has the run looks for orders twice a second, in the thread that writes. A pause lasts as long as its entry, whatever
process has the run. Other orders are deleted once they are carried out. If the process dies before that, the next one does it.
"""

from __future__ import annotations

import time
from typing import Any, Literal, NamedTuple

from pydantic_core import to_json
from typing_extensions import TypeAlias

from .._contracts.pending import PendingMessage
from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from ._encode import prompt_from
from ._store import ORDERS, Record, RunFilter, RunInfo, Store

OrderKind: TypeAlias = Literal['pause', 'cancel', 'steer']
MOST_ORDERS = 1_000
"""How many orders a store keeps that were not carried out."""


class Order(NamedTuple):
    """Something that a run is to do."""

    kind: str
    run_id: str
    entry_id: str
    """The entry that keeps it."""

    @property
    def key(self) -> str:
        """The key of the entry: a run is paused once."""
        return f'/{self.kind}/{self.run_id}/{"" if self.kind == "pause" else self.entry_id}'

    def entry(self, data: JsonObject, *pieces: bytes) -> tuple[RunInfo, Record]:
        """Return the entry that keeps it, with what is known of it."""
        now = time.time()
        body = b','.join(piece for piece in (to_json(data)[1:-1], *pieces) if piece)
        info = RunInfo(self.entry_id, key=self.key, conversation_id=ORDERS, begun_at=now, updated_at=now, last_seq=1)
        info.status = 'done'
        return info, Record(1, 'order', now, b'{' + body + b'}')

    def data(self, store: Store) -> JsonObject:
        """Return what is known of it; nothing if it was carried out meanwhile."""
        records = store.read(self.entry_id)
        return records[0].data() if records else {}


def new_order(kind: OrderKind, run_id: str) -> Order:
    """Return an order that is not stored yet."""
    return Order(kind, run_id, uuid7_str())


def orders_in(store: Store) -> list[Order]:
    """Return the orders that were not carried out, the oldest first; call it in the thread."""
    orders: list[Order] = []
    for run in reversed(store.find(RunFilter(conversation_id=ORDERS, limit=MOST_ORDERS))):
        _, kind, run_id, _ = (run.key or '///').split('/', 3)
        orders.append(Order(kind, run_id, run.run_id))
    return orders


def is_paused(store: Store, run_id: str) -> bool:
    """Return whether a run is to pause; call it in the thread."""
    return bool(store.find(RunFilter(key=new_order('pause', run_id).key, limit=1)))


def as_message(order: Order, data: JsonObject) -> PendingMessage:
    """Return the message of an order, as it is enqueued."""
    content: Any = prompt_from(data.get('content')) or ''
    message = PendingMessage.from_content(*([content] if isinstance(content, str) else content))
    message.enqueue_id = order.entry_id
    return message
