"""The public names of `stead.budgets`, for type checkers. Written by `make stubs`."""

from ._budget import Budget as Budget, BudgetLeft as BudgetLeft, BudgetOfRun as BudgetOfRun
from .account import BudgetStore as BudgetStore
