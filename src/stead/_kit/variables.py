"""Context variables that were set in one task, set temporarily in another."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from typing import Any

_UNSET = object()


def variables_set_since(before: Context) -> dict[ContextVar[Any], Any]:
    """Return the context variables that differ from what they were, with their values.

    Args:
        before: The context to compare with, returned by `copy_context` in the same task or in the one that started it.
    """
    return {variable: value for variable, value in copy_context().items() if before.get(variable, _UNSET) is not value}


def set_again(context: Context) -> None:
    """Set all context variables that a context holds to what they were in it.

    Args:
        context: The context, returned by `copy_context` earlier in the same task.
    """
    for variable, value in context.items():
        if variable.get(_UNSET) is not value:
            variable.set(value)


class BorrowedVariables:
    """Context variables that are set in this task until `reset`, because another task set them on its behalf."""

    def __init__(self, variables: Mapping[ContextVar[Any], Any]) -> None:
        self._tokens = [(variable, variable.set(value)) for variable, value in variables.items()]

    def reset(self) -> None:
        """Restore the variables; does nothing the second time, or in another task."""
        while self._tokens:
            variable, token = self._tokens.pop()
            with suppress(ValueError):  # they were set in another task
                variable.reset(token)
