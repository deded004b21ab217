"""`CallPolicy`: limits on the calls of a tool, and how its exceptions are handled."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Union

from typing_extensions import TypeAlias, TypedDict

from .._kit.json_types import JsonObject
from ..concurrency import AbstractConcurrencyLimiter, AnyConcurrencyLimit
from .run_context import RunContext

ToolErrorAction: TypeAlias = Literal['raise', 'inform', 'retry']
"""How an exception in a tool is handled: it ends the run, it is reported to the model, or the model must try again."""


@dataclass(frozen=True)
class ToolErrors:
    """How exceptions in a tool are handled, and how much of them the model sees."""

    action: ToolErrorAction = 'inform'
    """How they are handled."""
    show_text: bool = False
    """Whether the model sees the text of the exception, which may contain things it should not know."""


OnToolError: TypeAlias = Union[ToolErrorAction, ToolErrors, Callable[[RunContext[Any], Exception], object]]
"""How exceptions in a tool are handled: an action, or a function, sync or async, that returns a result in their place."""


EndStrategy: TypeAlias = Literal['early', 'graceful', 'exhaustive']
"""What happens to the other calls of a response that holds a final result.

`'early'`: function tools are not run. `'graceful'`: function tools run, further output tools do not.
`'exhaustive'`: all of them run.
"""

ParallelExecutionMode: TypeAlias = Literal['parallel', 'sequential', 'parallel_ordered_events']
"""How the calls of one response run: together, one after the other, or together with their events in call order."""

Effect: TypeAlias = Literal['read', 'write', 'idempotent']
"""What a tool does to the world: nothing; something that must not be done twice; something that may be."""


class Done(NamedTuple):
    """A call was done, although the process that made it could not record that."""

    result: object = None
    """What the tool returned, or would have."""


class NotDone(NamedTuple):
    """A call was not done, not even in part."""


Reconcile: TypeAlias = Callable[
    [RunContext[Any], JsonObject], Union[Done, NotDone, None, Awaitable[Union[Done, NotDone, None]]]
]
"""Finds out whether a call was done, from the context and the arguments; `None` if that cannot be found out.

`ctx.idempotency_key` is what it was when the call was made.
"""


class CallCache(Protocol):
    """Answers calls with what the tool has returned before; `stead.caches.ToolCache` is one."""

    def check(self, name: str, *, takes_ctx: bool, effect: str | None) -> None:
        """Check that calls of a tool may be answered.

        Raises:
            UserError: They may not.
        """
        ...

    async def call(
        self,
        tool: JsonObject,
        function: Callable[[JsonObject, RunContext[Any]], Awaitable[Any]],
        args: JsonObject,
        ctx: RunContext[Any],
    ) -> object:
        """Return what the tool has returned to the same call, or call it."""
        ...


class CallOptions(TypedDict, total=False):
    """Options of tools, toolsets and agents for calls. The reference API does not have them; each is optional."""

    max_calls: int | None
    """How many times the tool may be called in a run. After that it is hidden, and another call gets an error message."""
    max_tool_concurrency: AnyConcurrencyLimit
    """How many calls may run at the same time, in all runs together; others wait."""
    on_tool_error: OnToolError | None
    """How exceptions are handled; by default they end the run."""
    effect: Effect | None
    """What the tool does to the world; by default, something that must not be done twice."""
    reconcile: Reconcile | None
    """Finds out whether a call was done, when the process that made it died."""
    pinned: bool | None
    """Whether results are sent word for word as long as the conversation lasts, also where others are left out."""
    poll: bool | None
    """Whether the tool waits for something, so that it may return the same many times."""
    cache: CallCache | None
    """Answers calls with what the tool has returned before, for tools with `effect='read'`: a `stead.caches.ToolCache`."""


@dataclass(frozen=True)
class CallPolicy:
    """The merged call options of a tool, its toolset and the agent."""

    max_calls: int | None = None
    """How many times the tool may be called in a run."""
    limiters: tuple[AbstractConcurrencyLimiter, ...] = ()
    """Limiters that a call must acquire, the agent's first: with the same order everywhere, calls cannot deadlock."""
    on_error: OnToolError | None = None
    """How exceptions are handled; `None` for the default."""
    effect: Effect | None = None
    """What the tool does to the world; `None` for the default, `'write'`."""
    reconcile: Reconcile | None = None
    """Finds out whether a call was done, when the process that made it died."""
    pinned: bool | None = None
    """Whether results are sent word for word as long as the conversation lasts; `None` for the default, `False`."""
    poll: bool | None = None
    """Whether the tool waits for something; `None` for the default, `False`."""
    cache: CallCache | None = None
    """Answers calls with what the tool has returned before."""


class AgentRetries(TypedDict, total=False):
    """Retry limits of an agent."""

    tools: int
    """Retries of each tool, unless the tool or its toolset has a limit of its own."""
    output: int
    """Retries of the output, for the whole run."""
