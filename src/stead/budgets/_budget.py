"""`Budget`: what runs may use together. What a request may use at most is reserved before it is sent; the rest is given back.

A budget is one account, whatever draws from it: an agent, a run, all runs inside of a `with` block, or several of these. Runs
that a tool begins draw from the budgets of its run as well. So runs at the same time never use more than there is.

An account is changed in one step, which gives back, counts and reserves; where it is kept, in memory or in the store of a
journal, is behind `BudgetStore`. A request that does not fit only because of requests under way waits for them. What a run has
put aside for its last request is not waited for: that could take as long as the run, which may wait for the one that asks.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from decimal import Decimal
from math import isfinite
from types import TracebackType
from typing import Any, Literal, Union

from typing_extensions import Self, TypeAlias

from .._kit import aio
from .._kit.around import BUDGETS_AROUND
from .._kit.price_tables import NANO
from .._kit.records import repr_with
from ..concurrency import Waiter
from ..exceptions import BudgetExceeded, UserError
from .account import KINDS, NOTHING, AccountChange, AccountState, Amounts, BudgetStore, MemoryAccount, add

WINDOWS = {'minute': '%Y-%m-%dT%H:%M', 'hour': '%Y-%m-%dT%H', 'day': '%Y-%m-%d', 'month': '%Y-%m'}
"""The windows of time in UTC, and how each is named."""
_REMEMBERED = 4096
"""Runs of which an account remembers what it has counted, in case that they are resumed."""
_PAUSES = (0.02, 0.05, 0.1, 0.2)
"""Seconds between two looks at an account that other processes change."""


@dataclass(frozen=True)
class BudgetLeft:
    """What is left of a budget, with what is reserved taken off; `None` stands for what it does not limit."""

    usd: Decimal | None = None
    """US dollars."""
    tokens: int | None = None
    """Tokens of prompts and responses."""
    requests: int | None = None
    """Requests to models."""
    tool_calls: int | None = None
    """Tool calls."""
    seconds: float | None = None
    """Seconds until its time has passed."""

    def __str__(self) -> str:
        words = [f'${self.usd:.4f}'] if self.usd is not None else []
        words += [
            f'{value} {name.replace("_", " ")}'
            for name, value in (('tokens', self.tokens), ('requests', self.requests), ('tool_calls', self.tool_calls))
            if value is not None
        ]
        if self.seconds is not None:
            words.append(f'{self.seconds:.0f} seconds')
        return ', '.join(words)


OnLimit: TypeAlias = Union[
    Literal['raise', 'finish'],
    Callable[[Any, BudgetExceeded], Union[str, Awaitable[str]]],
]
"""What happens at the limit; a function of the run context and the error returns `'raise'`, `'finish'` or `'continue'`."""


@dataclass(kw_only=True, eq=False, repr=False)
class Budget:
    """What runs may use together, as one account: of an agent, of a run, or of a `with` block around them.

    Raises:
        UserError: An argument is wrong.
    """

    usd: Decimal | float | None = None
    """US dollars. Before a request, what it may cost at most is reserved, by the prices of the package genai-prices."""
    tokens: int | None = None
    """Tokens of prompts and responses."""
    requests: int | None = None
    """Requests to models."""
    tool_calls: int | None = None
    """Tool calls; each counts when it begins."""
    seconds: float | None = None
    """Seconds from the first request on; looked at before each. `timeout=` of a run ends it in the middle of one, too."""
    per: Literal['run', 'minute', 'hour', 'day', 'month'] | None = None
    """`'minute'`, `'hour'`, `'day'` or `'month'`, in UTC: the account begins again with each. `'run'`: each run has an account of
    its own. By default there is one account, for as long as the budget lives."""
    name: str | None = None
    """What it is called, in errors; and in a store, which budget it is."""
    store: BudgetStore | None = None
    """Where the account is kept, so that processes share it."""
    warn_at: float | None = 0.8
    """The share after which the model is told what is left, once in each run; `None` for never."""
    on_limit: OnLimit = 'raise'
    """`'raise'`, for `BudgetExceeded`; `'finish'`: the model gets a last request, without tools, in order to answer with what it
    knows, for which means are put aside before; or a function of the run context and the error, which returns one of the two, or
    `'continue'` after it has called `extend`."""
    unknown_prices: Literal['refuse', 'allow'] = 'refuse'
    """`'refuse'` raises an error for a model without a price if `usd` is limited; `'allow'` counts it as free."""

    def __post_init__(self) -> None:
        for name in (*KINDS, 'seconds', 'warn_at'):
            value: object = getattr(self, name)
            if value is None:
                continue
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float, Decimal))
                or not isfinite(value)
                or value < 0
            ):
                raise UserError(f'`{name}` of a `Budget` is a number of 0 or more, or `None`, not {value!r:.100}.')
        if self.per not in (None, 'run', *WINDOWS):
            raise UserError(f'`per` of a `Budget` is one of {("run", *WINDOWS)}, or `None`, not {self.per!r:.100}.')
        if self.on_limit not in ('raise', 'finish') and not callable(self.on_limit):
            raise UserError(f"`on_limit` of a `Budget` is 'raise', 'finish' or a function, not {self.on_limit!r:.100}.")
        if self.unknown_prices not in ('refuse', 'allow'):
            raise UserError(f"`unknown_prices` of a `Budget` is 'refuse' or 'allow', not {self.unknown_prices!r:.100}.")
        if self.store is not None and (
            not self.name or self.per == 'run' or not hasattr(self.store, 'change_budget')  # pyright: ignore[reportUnnecessaryComparison]
        ):
            raise UserError(
                'A `Budget` in a store needs a `name`, by which processes know that it is the same one; it is a `SqliteStore` or '
                "a `PostgresStore`; and `per='run'` is for budgets of this process."
            )
        usd = None if self.usd is None else int(Decimal(str(self.usd)) * NANO)
        self._limit_to([usd, self.tokens, self.requests, self.tool_calls])
        self._window = ''
        self._began: float | None = None
        self._known = AccountState(NOTHING, NOTHING)
        self._counted: dict[str, Amounts] = {}
        self._waiters: list[Waiter] = []
        self._memory = MemoryAccount()
        self.total: list[int] = self._memory.total
        """What was used, in the order of `Amounts`; of a budget in a store, when a run of this process last changed it."""
        self.is_plain: bool = self.store is None and self.per not in WINDOWS
        """Whether it is changed at once: in this process, in no window of time."""

    def __repr__(self) -> str:
        return repr_with(self, 'name usd tokens requests tool_calls seconds per')

    def __enter__(self) -> Self:
        """Let all runs that begin inside of the block draw from the budget, too."""
        BUDGETS_AROUND.set((*BUDGETS_AROUND.get(), self))
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        around = [*BUDGETS_AROUND.get()]  # of this task, whatever others do with the same budget
        for place in [place for place, one in enumerate(around) if one is self][-1:]:
            del around[place]
        BUDGETS_AROUND.set((*around,))

    @property
    def used(self) -> BudgetLeft:
        """What was used, in the window of time that was last looked at."""
        usd, tokens, requests, tool_calls = self.total
        paid = None if self.limits[0] is None else Decimal(usd) / NANO
        return BudgetLeft(paid, tokens, requests, tool_calls, self._elapsed())

    @property
    def left(self) -> BudgetLeft:
        """What is left. Of a budget in a store, as it was when a run of this process last used it."""
        if self.store is None:
            reserved = [*map(sum, zip(self._memory.under_way, self._memory.kept))]
        else:
            reserved = self._known.reserved
        usd, tokens, requests, tool_calls = (
            None if limit is None else max(limit - used - held, 0)
            for limit, used, held in zip(self.limits, self.total, reserved)
        )
        seconds = None if self.seconds is None else max(self.seconds - self._elapsed(), 0.0)
        return BudgetLeft(None if usd is None else Decimal(usd) / NANO, tokens, requests, tool_calls, seconds)

    def extend(
        self, *, usd: Decimal | float = 0, tokens: int = 0, requests: int = 0, tool_calls: int = 0, seconds: float = 0
    ) -> None:
        """Raise limits; those that are not set stay so. Runs that wait look again."""
        more = (int(Decimal(str(usd)) * NANO), tokens, requests, tool_calls)
        self._limit_to([None if limit is None else limit + extra for limit, extra in zip(self.limits, more)])
        if self.seconds is not None:
            self.seconds += seconds
        self._wake()

    def _limit_to(self, limits: Sequence[int | None]) -> None:
        self.limits: list[int | None] = [*limits]
        self._set = [(index, limit) for index, limit in enumerate(limits) if limit is not None]

    # For the ledgers of runs

    def for_run(self) -> Budget:
        """Return the budget whose account a run uses: this one, or one of its own."""
        if self.per != 'run':
            return self
        own = replace(self, per=None)
        own._limit_to(self.limits)
        return own

    @property
    def may_finish(self) -> bool:
        """Whether means are put aside for a last request, so that runs may end with it."""
        return self.on_limit != 'raise'

    def limit_text(self, index: int) -> str:
        """Return a limit in words."""
        limit = self.limits[index] or 0
        return f'${Decimal(limit) / NANO:,.4f}' if index == 0 else f'{limit:,} {KINDS[index].replace("_", " ")}'

    def share_used(self) -> float:
        """Return the share that was used of what is used most, from 0 to 1."""
        total, share = self.total, self._elapsed() / self.seconds if self.seconds else 0.0
        for index, limit in self._set:
            if limit and total[index] > share * limit:
                share = total[index] / limit
        return share

    def time_is_up(self) -> bool:
        """Return whether its seconds have passed, and begin them if nothing has used it yet in this window of time."""
        self._window_now()
        if self._began is None:
            self._began = time.monotonic()
        return self.seconds is not None and self._elapsed() >= self.seconds

    def _window_now(self) -> str:
        """Return the current window of time; the seconds start again with the next one."""
        window = datetime.now(timezone.utc).strftime(WINDOWS[self.per]) if self.per in WINDOWS else ''
        if window != self._window:
            self._window, self._began = window, None
        return window

    def _elapsed(self) -> float:
        return 0.0 if self._began is None else time.monotonic() - self._began

    async def change(
        self,
        *,
        give_back: Sequence[str] = (),
        used: Sequence[tuple[str, Amounts]] = (),
        reserve: Sequence[tuple[str, Amounts, bool]] = (),
        spend: Amounts = NOTHING,
    ) -> AccountState:
        """Change the account; see `AccountChange`."""
        change = AccountChange(self._window_now(), self.limits, give_back, used, reserve, spend)
        if self.store is None:
            found = self._memory.change_budget('', change)
        else:
            found = self._known = await _to_its_end(
                aio.run_in_executor(self.store.change_budget, self.name or '', change)
            )
            self.total[:] = found.total
        if give_back or used:
            self._wake()
        return found

    def reserve_at_once(self, name: str, amounts: Amounts) -> bool:
        """Reserve amounts under a new id if that needs no more than a look: they fit, and nothing is put aside for later."""
        if not self.is_plain or ((self._began is None or self.seconds is not None) and self.time_is_up()):
            return False
        account = self._memory
        total, under_way, kept = account.total, account.under_way, account.kept
        with account.lock:
            for index, limit in self._set:
                if total[index] + under_way[index] + kept[index] + amounts[index] > limit:
                    return False
            if name in account.reserved:
                return False
            account.reserved[name] = amounts, False
            add(under_way, amounts)
        return True

    def count_at_once(self, name: str, used: Amounts) -> bool:
        """Count what was used of a reservation, which ends, if the account is changed at once; return whether it is."""
        if not self.is_plain:
            return False
        account = self._memory
        with account.lock:
            if (found := account.reserved.pop(name, None)) is not None:
                usd, tokens, requests, calls = found[0]
                under_way = account.under_way
                if usd:
                    under_way[0] -= usd
                if tokens:
                    under_way[1] -= tokens
                under_way[2] -= requests
                under_way[3] -= calls
                add(self.total, used)
        if self._waiters:
            self._wake()
        return True

    async def wait(self, tries: int) -> None:
        """Wait until something was given back, or for a moment if other processes share the account."""
        if self.store is not None:
            await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            return
        waiter = Waiter()
        self._waiters.append(waiter)
        try:
            # What was given back since the look at the account has woken no one.
            if self._memory.under_way[2] == 0:
                return
            await waiter.future
        finally:
            if waiter in self._waiters:
                self._waiters.remove(waiter)

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.grant()

    def note_counted(self, run_id: str, amounts: Sequence[int]) -> None:
        """Note what was counted of a run, in case that it continues."""
        self._counted[run_id] = self._counted.pop(run_id, NOTHING).plus(amounts)
        if len(self._counted) > _REMEMBERED:
            del self._counted[next(iter(self._counted))]

    async def take_over(self, run_id: str, used: Amounts) -> None:
        """Count what a resumed run used before, as far as the account has not counted it; a store knows it."""
        if self.store is None:
            known = self._counted.get(run_id, NOTHING)
            missing = Amounts(*(max(one - other, 0) for one, other in zip(used, known)))
            if any(missing):
                await self.change(spend=missing)
                self.note_counted(run_id, missing)


async def _to_its_end(work: Coroutine[Any, Any, AccountState]) -> AccountState:
    """Await a change also if the caller is cancelled: what it gives back then must not come before what it reserves."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


class BudgetOfRun:
    """The budgets of a run, as `ctx.budget` shows them."""

    budgets: tuple[Budget, ...]
    """Those that the run draws from, the outermost first."""

    @property
    def left(self) -> BudgetLeft:
        """What is left: the least of what each of them has."""
        all_left = [budget.left for budget in self.budgets]
        values: dict[str, Any] = {}
        for name in (*KINDS, 'seconds'):
            known = [value for one in all_left if (value := getattr(one, name)) is not None]
            values[name] = min(known) if known else None
        return BudgetLeft(**values)
