"""`CallPolicy`: how often and how many at once a tool may be called, and what becomes of its errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Union, cast, get_args

from typing_extensions import TypeAlias, TypedDict

from ..concurrency import AbstractConcurrencyLimiter, AnyConcurrencyLimit, ConcurrencyLimit, normalize_to_limiter
from ..exceptions import UserError
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

    @classmethod
    def of(cls, options: CallOptions, owner: str) -> CallPolicy | None:
        """Return the policy of some options, or `None` if there are none.

        Args:
            options: The options.
            owner: Whose they are, for error messages and traces.

        Raises:
            UserError: An option is not known, or its value will not do.
        """
        if not any(value is not None for value in options.values()):
            return None
        if unknown := sorted(options.keys() - CallOptions.__annotations__.keys()):
            raise TypeError(f'{owner} takes no argument {unknown[0]!r}.')
        max_calls = options.get('max_calls')
        if max_calls is not None and not _is_count(max_calls):
            raise UserError(f'`max_calls` of {owner} must be a number of calls, 0 or more, not {max_calls!r}.')
        on_error = options.get('on_tool_error')
        action: Any = on_error.action if isinstance(on_error, ToolErrors) else on_error
        if not (action is None or callable(action)) and action not in get_args(ToolErrorAction):
            raise UserError(
                f"`on_tool_error` of {owner} must be 'raise', 'inform', 'retry', a `ToolErrors` with one of these, or a "
                f'function of the run context and the exception, not {on_error!r}.'
            )
        limit = options.get('max_tool_concurrency')
        most = limit.max_running if isinstance(limit, ConcurrencyLimit) else limit
        if not (most is None or isinstance(most, AbstractConcurrencyLimiter)) and not _is_count(most, least=1):
            raise UserError(
                f'`max_tool_concurrency` of {owner} must be a number of calls, 1 or more, or a limiter, not {limit!r}.'
            )
        limiter = normalize_to_limiter(limit, name=owner)
        return cls(max_calls, (limiter,) if limiter is not None else (), on_error)

    @staticmethod
    def merged(outer: CallPolicy | None, inner: CallPolicy | None) -> CallPolicy | None:
        """Return what holds for something inside of something: limits of both, and the inner one's word on errors."""
        if outer is None or inner is None:
            return inner or outer
        return CallPolicy(
            outer.max_calls if inner.max_calls is None else inner.max_calls,
            (*outer.limiters, *inner.limiters),
            outer.on_error if inner.on_error is None else inner.on_error,
        )


def _is_count(value: Any, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def checked_retries(retries: Any, owner: str) -> int | None:
    """Return the retries of a tool or toolset.

    Raises:
        UserError: It is no number of retries.
    """
    if retries is None or _is_count(retries):
        return retries
    raise UserError(f'The retries of {owner} must be a number, 0 or more, or `None` for the default, not {retries!r}.')


def checked_timeout(timeout: Any, owner: str) -> float | None:
    """Return the timeout of a tool or toolset.

    Raises:
        UserError: It is no number of seconds.
    """
    if timeout is None or (isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and timeout >= 0):
        return timeout
    raise UserError(f'`timeout` of {owner} must be a number of seconds, or `None` for no limit, not {timeout!r}.')


def message_about(name: str, error: Exception, errors: ToolErrors) -> str:
    """Return what the model is told about an exception in a tool."""
    if not errors.show_text:
        return f'Tool {name!r} failed.'
    return f'Tool {name!r} failed: {type(error).__name__}: {error}'


def as_tool_errors(on_error: OnToolError) -> ToolErrors | None:
    """Return the action on exceptions in its long form; `None` for a function."""
    if isinstance(on_error, str):
        return ToolErrors(cast(ToolErrorAction, on_error))
    return on_error if isinstance(on_error, ToolErrors) else None
