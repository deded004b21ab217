"""Context variables that one task has set, set in another for a while."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from typing import Any

_UNSET = object()


def variables_set_since(before: Context) -> dict[ContextVar[Any], Any]:
    """Return the context variables that differ from what they were, with their values.

    Args:
        before: What `copy_context` returned then, in the same task or in the one that has started it.
    """
    return {variable: value for variable, value in copy_context().items() if before.get(variable, _UNSET) is not value}


class BorrowedVariables:
    """Context variables that are set here until `reset`, because another task has set them on behalf of this one."""

    def __init__(self, variables: Mapping[ContextVar[Any], Any]) -> None:
        self._tokens = [(variable, variable.set(value)) for variable, value in variables.items()]

    def reset(self) -> None:
        """Give the variables back the values they had; does nothing the second time, or in another task."""
        while self._tokens:
            variable, token = self._tokens.pop()
            with suppress(ValueError):  # this is another task than the one they were set in
                variable.reset(token)
