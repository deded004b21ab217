"""`CallPolicy`: how often and how many at once a tool may be called, and what becomes of its errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Union

from typing_extensions import TypeAlias, TypedDict

from ..concurrency import AbstractConcurrencyLimiter, AnyConcurrencyLimit
from .run_context import RunContext

ToolErrorAction: TypeAlias = Literal['raise', 'inform', 'retry']
"""What becomes of an exception in a tool: it ends the run, the model is told, or the model is asked to try again."""


@dataclass(frozen=True)
class ToolErrors:
    """What becomes of exceptions in a tool, and how much the model is told about them."""

    action: ToolErrorAction = 'inform'
    """What becomes of them."""
    show_text: bool = False
    """Whether the model is told the text of the exception, which may hold what it should not know."""


OnToolError: TypeAlias = Union[ToolErrorAction, ToolErrors, Callable[[RunContext[Any], Exception], Any]]
"""What becomes of exceptions in a tool: an action, or a function, sync or async, that returns the result in their place."""


class CallOptions(TypedDict, total=False):
    """Options of tools and toolsets that limit calls. The reference API has none of them; left out, nothing changes."""

    max_calls: int | None
    """How often the tool may be called in a run. Then it is hidden, and a further call is answered with a message."""
    max_tool_concurrency: AnyConcurrencyLimit
    """How many calls may run at once, in all runs together; the others wait."""
    on_tool_error: OnToolError | None
    """What becomes of exceptions: `'raise'` by default."""


@dataclass(frozen=True)
class CallPolicy:
    """The options of a tool, a toolset and an agent taken together."""

    max_calls: int | None = None
    """How often the tool may be called in a run."""
    limiters: tuple[AbstractConcurrencyLimiter, ...] = ()
    """What a call waits for, the agent's limit first, so that calls wait in one order everywhere."""
    on_error: OnToolError | None = None
    """What becomes of exceptions."""
