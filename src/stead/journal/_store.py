"""`Store`: the protocol of the places where journals keep their records."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from pydantic_core import from_json
from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject
from ._errors import RecordUnreadable

RunStatus: TypeAlias = Literal['running', 'waiting', 'done', 'failed']
"""`'running'` also stands for a run whose process died; it is told from others by its lease."""


ORDERS = 'stead: orders of runs'
"""The conversation of the entries that tell runs what to do; no run is part of it."""
ENCRYPTED = b'\x01'
"""The first byte of a body that is encrypted; that of JSON data is a bracket."""


class Record(NamedTuple):
    """One thing that happened in a run."""

    seq: int
    """Its number in the run, from 1 on, without gaps."""
    kind: str
    """What happened."""
    at: float
    """When, in seconds since 1970."""
    body: bytes
    """What is known of it: JSON, or what that was encrypted to."""

    def data(self) -> JsonObject:
        """Return what is known of it.

        Raises:
            RecordUnreadable: It is encrypted, or not an object of JSON.
        """
        if self.body[:1] == ENCRYPTED:
            raise RecordUnreadable('It is encrypted: pass the journal an `EncryptedStore` with its key.')
        try:
            data: object = from_json(self.body)
        except ValueError as error:
            raise RecordUnreadable(f'It is not JSON: {error}.') from error
        if not isinstance(data, dict):
            raise RecordUnreadable(f'It is {type(data).__name__} where an object of JSON is needed.')
        return cast(JsonObject, data)


@dataclass(slots=True)
class RunInfo:
    """A run, as lists show it."""

    run_id: str
    """The id of the run."""
    agent: str | None = None
    """The name of its agent."""
    status: RunStatus = 'running'
    """How it stands."""
    key: str | None = None
    """The key that it was started with; a store holds at most one run of a key."""
    parent_id: str | None = None
    """The run whose tool call began it."""
    conversation_id: str | None = None
    """The id of its conversation."""
    begun_at: float = 0.0
    """When it began, in seconds since 1970."""
    updated_at: float = 0.0
    """When its last record was written, in seconds since 1970."""
    steps: int = 0
    """The number of its last step."""
    last_seq: int = 0
    """The number of its last record."""
    base_id: str | None = None
    """The run that it was forked from."""
    base_seq: int = 0
    """The last record of that run which is part of its past."""
    token: int = 0
    """How many times its lease was taken. Only the last holder may append."""
    holder: str | None = None
    """The holder of its lease; `None` if it is free."""
    lease_until: float = 0.0
    """When the lease ends, in seconds since 1970."""
    turn: str | None = None
    """Its turn in its conversation, which is named by what it continues from; a store holds at most one run of a turn."""

    @property
    def is_abandoned(self) -> bool:
        """Whether the run is not over and no process works on it, so that any may resume it."""
        return self.status == 'running' and self.lease_until < time.time()


class Entry(NamedTuple):
    """Records to append to a run, and how it stands after them."""

    run_id: str
    token: int
    """The lease that the writer holds."""
    records: Sequence[Record]
    status: RunStatus
    steps: int


class RunFilter(NamedTuple):
    """Which runs to list, and how many; `None` stands for any."""

    status: RunStatus | None = None
    agent: str | None = None
    parent_id: str | None = None
    conversation_id: str | None = None
    key: str | None = None
    base_id: str | None = None
    is_inner: bool | None = None
    """Only runs that a tool call began, or only the others."""
    updated_before: float | None = None
    """Only runs without a record since then, in seconds since 1970."""
    free_at: float | None = None
    """Only runs whose lease is free at that time, in seconds since 1970."""
    before: tuple[float, str] | None = None
    """Only runs that began before this one: its `begun_at` and `run_id`."""
    limit: int = 100
    id_begins: str | None = None
    """Only runs whose ids begin with this text."""
    id_ends: str | None = None
    """Only runs whose ids end with this text."""


class Store(ABC):
    """Keeps the records of runs. Subclass it to keep them elsewhere, and prove the class with `stead.testing.check_store`.

    The methods block. A journal calls them from one thread of its own, one at a time; other journals, in this process and in
    others, use the same data at the same time. Every method is atomic: it takes effect as a whole or not at all.

    Any method may raise `StoreError`.
    """

    needs_thread: bool = True
    """Whether it may block. A journal calls the methods of a store that never does where it is, at once."""

    @abstractmethod
    def open(self) -> None:
        """Connect, create what is missing, and bring data of an older version up to date."""

    @abstractmethod
    def close(self) -> None:
        """Disconnect. The store may be opened again."""

    def kept_by(self) -> Store:
        """Return the store that keeps the records: this one, or the one that it wraps. One journal at a time uses it."""
        return self

    def address(self) -> object:
        """Return what is equal for stores that keep the same data; the store itself, if that is not known."""
        return self

    @abstractmethod
    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        """Add a run, and return it; or the run that has its key already, its turn, or its id, which is left as it is.

        Args:
            run: The run. Its `last_seq` is the number of the last record. If one run has its key and another one its turn,
                the first is returned.
            records: Its first records.
        """

    @abstractmethod
    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        """Append records to runs.

        Args:
            entries: What to append, several for the same run in order. `seq` continues from the last record of the run.
            durable: Whether the records have to survive a loss of power when this returns, not only the end of the process.

        Returns:
            The ids of runs for which nothing was appended: there is no such run, the token is not that of its last lease, or
            `seq` does not follow on its last record. What the others append is kept.
        """

    @abstractmethod
    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """Return records of a run in order, those of a run that it was forked from left out; none if there is no such run.

        Args:
            run_id: The run.
            after: The number of the last record to leave out.
            limit: How many to return; `None` for all.
        """

    @abstractmethod
    def get(self, run_id: str) -> RunInfo | None:
        """Return a run, or `None`."""

    @abstractmethod
    def find(self, wanted: RunFilter) -> list[RunInfo]:
        """Return runs, the last started first."""

    @abstractmethod
    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        """Take the lease of a run, unless another holder has it.

        Args:
            run_id: The run.
            holder: The process that takes it.
            now: The time, in seconds since 1970.
            seconds: How long the lease lasts.

        Returns:
            The token to append with, higher than any before; `None` if another holder has the lease, or there is no such run.
        """

    @abstractmethod
    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        """Extend leases, given by run and token, and return the ids of the runs whose lease was lost."""

    @abstractmethod
    def release(self, run_id: str, token: int) -> None:
        """Give a lease back, if the token is that of the last one."""

    @abstractmethod
    def delete(self, run_ids: Sequence[str]) -> int:
        """Delete runs with their records, and return how many there were."""

    def delete_unused(self, trees: Sequence[Sequence[str]], now: float) -> int:
        """Delete trees of runs that nothing stands on, and return how many runs there were.

        A tree stays if its first run is not over, if a run of it is held at a time, or if a run that is not part of it is inside
        of one or continues from one. Override it where other processes begin runs meanwhile: for each tree, looking and deleting
        is one step.

        Args:
            trees: The ids of the runs of each tree, the outermost first. What is deleted counts no more for those that follow.
            now: The time, in seconds since 1970.
        """
        deleted = 0
        for ids in trees:
            runs = [run for run_id in ids if (run := self.get(run_id)) is not None]
            most = len(ids) + 1
            others = [
                *(self.find(RunFilter(base_id=run_id, limit=most)) for run_id in ids),
                *(self.find(RunFilter(parent_id=run_id, limit=most)) for run_id in ids),
            ]
            is_needed = (
                not runs
                or runs[0].status not in ('done', 'failed')
                or any(run.holder is not None and run.lease_until > now for run in runs)
                or any(other.run_id not in ids for found in others for other in found)
            )
            if not is_needed:
                deleted += self.delete(ids)
        return deleted
