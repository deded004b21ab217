"""`SystemPromptRunner`: calls system prompt and instruction functions of any signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic

from .._contracts.run_context import AgentDepsT, RunContext
from .._kit import aio
from .._kit.annotations import is_async_callable
from .._kit.records import DataRecord
from ..exceptions import UserError


@dataclass(repr=False, eq=False)
class SystemPromptRunner(DataRecord, Generic[AgentDepsT]):
    """A function that returns prompt text, with or without the run context, sync or async."""

    function: Callable[..., Any]
    """The user's function."""
    dynamic: bool = False
    """Whether it is evaluated again when a run continues a history."""
    takes_ctx: bool = field(init=False)
    is_async: bool = field(init=False)

    def __post_init__(self) -> None:
        self.takes_ctx = len(inspect.signature(self.function).parameters) > 0
        self.is_async = is_async_callable(self.function)

    async def run(self, ctx: RunContext[AgentDepsT]) -> str | None:
        """Return the text, or `None` if the function returns none this time.

        Raises:
            UserError: The function returned something other than text.
        """
        args = (ctx,) if self.takes_ctx else ()
        text = await self.function(*args) if self.is_async else await aio.run_in_executor(self.function, *args)
        if text is not None and not isinstance(text, str):
            raise UserError(
                f'{function_reference(self.function)!r} must return text for the prompt, or `None`, '
                f'not {type(text).__name__}: {text!r}.'
            )
        return text


def function_reference(function: Callable[..., object]) -> str:
    """Return the name of a dynamic system prompt function in the history."""
    return getattr(function, '__qualname__', None) or type(function).__qualname__
