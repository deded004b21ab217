"""Budgets: how many US dollars, tokens, requests, tool calls and seconds runs may use together."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

__getattr__, __dir__ = lazy_exports(
    __name__, {'account': ('BudgetStore',), '_budget': ('Budget', 'BudgetLeft', 'BudgetOfRun')}
)

__all__ = ('Budget', 'BudgetLeft', 'BudgetOfRun', 'BudgetStore')  # type: ignore[reportUnsupportedDunderAll]
