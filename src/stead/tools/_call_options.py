"""Options of calls: they are checked when a tool, a toolset or an agent is built, and merged for each call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import get_args

from .._contracts.call_policy import CallOptions, CallPolicy, Effect, ToolErrorAction, ToolErrors
from .._kit.meant import names_meant
from .._kit.records import is_count
from ..concurrency import AbstractConcurrencyLimiter, ConcurrencyLimit, normalize_to_limiter
from ..exceptions import UserError


def check_names(options: CallOptions, owner: str, function: Callable[..., object]) -> None:
    """Check that the options of a function have names of options.

    Args:
        options: What it was passed apart from its parameters.
        owner: What they belong to, for the error.
        function: The function, whose parameters may have been meant, too.

    Raises:
        TypeError: An option is unknown.
    """
    if unknown := options.keys() - CallOptions.__annotations__.keys():
        parameters = inspect.signature(function).parameters.values()
        names = {each.name for each in parameters if each.kind is not each.VAR_KEYWORD and each.name != 'self'}
        name = min(unknown)
        raise TypeError(
            f'{owner} takes no argument {name!r}.{names_meant(name, names.union(CallOptions.__annotations__))}'
        )


def call_policy(options: CallOptions, owner: str, function: Callable[..., object]) -> CallPolicy | None:
    """Return the policy that options describe, or `None` if none is set.

    Args:
        options: The options.
        owner: What they belong to, for error messages and traces.
        function: The function that takes them, for the error about an unknown one.

    Raises:
        TypeError: An option is unknown.
        UserError: The value of an option is invalid.
    """
    if options:
        check_names(options, owner, function)
    if not any(value is not None for value in options.values()):
        return None
    max_calls = options.get('max_calls')
    if max_calls is not None and not is_count(max_calls):
        raise UserError(f'`max_calls` of {owner} must be a number of calls, 0 or more, not {max_calls!r}.')
    on_error = options.get('on_tool_error')
    action: object = on_error.action if isinstance(on_error, ToolErrors) else on_error
    if not (action is None or callable(action)) and action not in get_args(ToolErrorAction):
        raise UserError(
            f"`on_tool_error` of {owner} must be 'raise', 'inform', 'retry', a `ToolErrors` with one of these, or a "
            f'function of the run context and the exception, not {on_error!r}.'
        )
    limit = options.get('max_tool_concurrency')
    most = limit.max_running if isinstance(limit, ConcurrencyLimit) else limit
    if not (most is None or isinstance(most, AbstractConcurrencyLimiter)) and not is_count(most, least=1):
        raise UserError(
            f'`max_tool_concurrency` of {owner} must be a number of calls, 1 or more, or a limiter, not {limit!r}.'
        )
    effect = options.get('effect')
    if effect is not None and effect not in get_args(Effect):
        raise UserError(f'`effect` of {owner} must be one of {get_args(Effect)}, not {effect!r}.')
    if (reconcile := options.get('reconcile')) is not None and not callable(reconcile):
        raise UserError(
            f'`reconcile` of {owner} must be a function of the run context and the arguments, not {reconcile!r}.'
        )
    cache: object = options.get('cache')
    if cache is not None and not (callable(getattr(cache, 'check', None)) and callable(getattr(cache, 'call', None))):
        raise UserError(f'`cache` of {owner} must be a `stead.caches.ToolCache`, not {cache!r}.')
    limiter = normalize_to_limiter(limit, name=owner)
    limiters = (limiter,) if limiter is not None else ()
    others = options.get('pinned'), options.get('poll'), options.get('cache')
    return CallPolicy(max_calls, limiters, on_error, effect, reconcile, *others)


def merged_policy(outer: CallPolicy | None, inner: CallPolicy | None) -> CallPolicy | None:
    """Return the policy of a tool inside a toolset or agent: the limiters of both; otherwise the inner one wins."""
    if outer is None or inner is None:
        return inner or outer
    return CallPolicy(
        outer.max_calls if inner.max_calls is None else inner.max_calls,
        (*outer.limiters, *inner.limiters),
        outer.on_error if inner.on_error is None else inner.on_error,
        outer.effect if inner.effect is None else inner.effect,
        outer.reconcile if inner.reconcile is None else inner.reconcile,
        outer.pinned if inner.pinned is None else inner.pinned,
        outer.poll if inner.poll is None else inner.poll,
        outer.cache if inner.cache is None else inner.cache,
    )


def checked_retries(retries: object, owner: str) -> int | None:
    """Return the retries of a tool or toolset.

    Raises:
        UserError: It is not a number of retries.
    """
    if retries is None or is_count(retries):
        return retries
    raise UserError(f'The retries of {owner} must be a number, 0 or more, or `None` for the default, not {retries!r}.')


def checked_timeout(timeout: object, owner: str) -> float | None:
    """Return the timeout of a tool or toolset, in seconds.

    Raises:
        UserError: It is not a number of seconds.
    """
    if timeout is None or (isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and timeout > 0):
        return timeout
    raise UserError(
        f'`timeout` of {owner} must be a number of seconds, more than 0, or `None` for no limit, not {timeout!r}.'
    )
