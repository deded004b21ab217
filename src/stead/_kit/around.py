"""What is around the code that runs: a place among those that may run at once, budgets, and requests that wait for it."""

from __future__ import annotations

from contextvars import ContextVar
from types import TracebackType
from typing import Any

PLACE_AROUND: ContextVar[Any] = ContextVar('stead_inside_limiters', default=None)
"""The `Place` that the code has among the runs, requests or calls that a limiter lets run at once."""
BUDGETS_AROUND: ContextVar[tuple[Any, ...]] = ContextVar('stead_budgets', default=())
"""The budgets that runs draw from which begin here, the outermost first."""
REQUESTS_AROUND: ContextVar[tuple[Any, ...]] = ContextVar('stead_requests', default=())
"""What says which budgets have reserved something for requests that wait for the code that is run here, see `reading`."""


# Classes, since both are entered in each step of a run: generators would take four times as long.
class inside:  # noqa: N801 - used like a function
    """Let code in the block count as inside of a place, if there is one, and let runs that begin in it draw from budgets."""

    __slots__ = 'budgets', 'place', 'tokens'

    def __init__(self, place: Any, budgets: tuple[Any, ...] = ()) -> None:
        self.place, self.budgets = place, budgets
        self.tokens: list[tuple[ContextVar[Any], Any]] = []

    def __enter__(self) -> None:
        if self.place is not None:
            self.tokens.append((PLACE_AROUND, PLACE_AROUND.set(self.place)))
        if (around := BUDGETS_AROUND.get()) is not self.budgets:
            both = (*dict.fromkeys((*around, *self.budgets)),)
            # The same tuple, so that the next block of the run sees that there is nothing to do.
            self.tokens.append((BUDGETS_AROUND, BUDGETS_AROUND.set(self.budgets if both == self.budgets else both)))

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        for variable, token in self.tokens:
            reset(variable, token)


class reading:  # noqa: N801 - used like a function
    """Note that a request waits for the code in the block before it ends.

    Args:
        request: Says what it has reserved, with `holds(budget)`.
    """

    __slots__ = 'request', 'token'

    def __init__(self, request: Any) -> None:
        self.request = request

    def __enter__(self) -> None:
        self.token: Any = REQUESTS_AROUND.set((*REQUESTS_AROUND.get(), self.request))

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        reset(REQUESTS_AROUND, self.token)


def reset(variable: ContextVar[Any], token: Any) -> None:
    """Set a variable back to what it was before."""
    try:
        variable.reset(token)
    except ValueError:  # a generator was closed in another context than it was started in
        pass
