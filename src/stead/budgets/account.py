"""The account of a budget: what was used, what is reserved, and whether more fits; and where it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple, Protocol

KINDS = ('usd', 'tokens', 'requests', 'tool_calls')
"""What an account counts, in the order of `Amounts`."""


class Amounts(NamedTuple):
    """What was used, or is reserved; US dollars in billionths, so that sums are exact."""

    usd: int = 0
    tokens: int = 0
    requests: int = 0
    tool_calls: int = 0

    def plus(self, other: Sequence[int]) -> Amounts:
        """Return the sum."""
        return Amounts(self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3])


NOTHING = Amounts()


class AccountChange(NamedTuple):
    """A change of an account. Nothing is reserved unless all of it fits; what is given back and counted is so in any case."""

    window: str
    """The window of time; with a later one the account begins again at nothing."""
    limits: Sequence[int | None]
    give_back: Sequence[str] = ()
    """Ids of reservations that are given back."""
    used: Sequence[tuple[str, Amounts]] = ()
    """What was used, by the id of its reservation, which it ends. Counted once: nothing happens if there is none of the id."""
    reserve: Sequence[tuple[str, Amounts, bool]] = ()
    """What to reserve, by id, in place of what was reserved under it; and whether it is kept for a last request."""
    spend: Amounts = NOTHING
    """What was used without a reservation."""


class AccountState(NamedTuple):
    """How an account stands after a change."""

    total: Amounts
    reserved: Amounts
    exceeded: int | None = None
    """Which limit what was to be reserved would exceed, as an index of `KINDS`; `None` if it was reserved."""
    may_wait: bool = False
    """Whether it would fit if all requests under way were given back."""


class BudgetStore(Protocol):
    """Where accounts are kept that processes share; `SqliteStore` and `PostgresStore` are such."""

    def change_budget(self, name: str, change: AccountChange) -> AccountState:
        """Change an account, in one step, and return how it stands."""
        ...


def fits_beside(change: AccountChange, total: Amounts, reserved: Mapping[str, tuple[Amounts, bool]]) -> AccountState:
    """Return whether what is to be reserved fits.

    Args:
        change: The change.
        total: What was used.
        reserved: What is reserved by others, by id: the amounts, and whether they are kept for a last request.
    """
    under_way = kept = wanted = NOTHING
    for amounts, is_kept in reserved.values():
        if is_kept:
            kept = kept.plus(amounts)
        else:
            under_way = under_way.plus(amounts)
    for _, amounts, _ in change.reserve:
        wanted = wanted.plus(amounts)
    return fits(change.limits, total, under_way, kept, wanted)


def fits(
    limits: Sequence[int | None], total: Amounts, under_way: Amounts, kept: Amounts, wanted: Amounts
) -> AccountState:
    """Return whether amounts fit into the limits of an account."""
    exceeded, may_wait = None, True
    for index, limit in enumerate(limits):
        if limit is None or not wanted[index]:
            continue
        used = total[index] + kept[index] + wanted[index]
        if used + under_way[index] > limit:
            if exceeded is None or used > limit:
                exceeded = index
            may_wait = may_wait and used <= limit
    reserved = under_way.plus(kept)
    if exceeded is not None:
        return AccountState(total, reserved, exceeded, may_wait)
    return AccountState(total, reserved.plus(wanted))


class MemoryAccount:
    """An account of this process. Sums are kept up to date, so that a change costs the same however many runs share it."""

    def __init__(self) -> None:
        self.window: str = ''
        self.total: list[int] = [0, 0, 0, 0]
        self.under_way: list[int] = [0, 0, 0, 0]
        self.kept: list[int] = [0, 0, 0, 0]
        self.reserved: dict[str, tuple[Amounts, bool]] = {}
        self.lock: Lock = Lock()

    def _take(self, name: str) -> bool:
        if (found := self.reserved.pop(name, None)) is None:
            return False
        (usd, tokens, requests, calls), is_kept = found
        add(self.kept if is_kept else self.under_way, (-usd, -tokens, -requests, -calls))
        return True

    def _put(self, name: str, amounts: Amounts, is_kept: bool) -> None:
        self.reserved[name] = amounts, is_kept
        add(self.kept if is_kept else self.under_way, amounts)

    def change_budget(self, name: str, change: AccountChange) -> AccountState:
        with self.lock:
            if change.window > self.window:  # clocks may go back
                self.window, self.total[:] = change.window, NOTHING
            for one in change.give_back:
                self._take(one)
            for one, amounts in change.used:
                if self._take(one):
                    add(self.total, amounts)
            add(self.total, change.spend)
            before = [(one, self.reserved[one]) for one, _, _ in change.reserve if one in self.reserved]
            for one, _ in before:
                self._take(one)
            wanted = Amounts(*map(sum, zip(NOTHING, *(amounts for _, amounts, _ in change.reserve))))
            total, under_way, kept = Amounts(*self.total), Amounts(*self.under_way), Amounts(*self.kept)
            found = fits(change.limits, total, under_way, kept, wanted)
            for one, reservation in before if found.exceeded is not None else ():
                self._put(one, *reservation)
            for one in change.reserve if found.exceeded is None else ():
                self._put(*one)
            return found


def add(sums: list[int], amounts: Sequence[int]) -> None:
    """Add amounts to sums, in place. Most are zero, and what is added is added in each step of a run."""
    usd, tokens, requests, calls = amounts
    if usd:
        sums[0] += usd
    if tokens:
        sums[1] += tokens
    if requests:
        sums[2] += requests
    if calls:
        sums[3] += calls
