"""The decorators that register functions as hooks, and the names under which they do."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Generic, Protocol, TypeVar, overload

from .._contracts.hooks import POINTS, SINGLES

FunctionT = TypeVar('FunctionT', bound=Callable[..., Any])


def _registered_name(hook: str) -> str:
    """Return the short name under which functions for a hook are registered."""
    for prefix in ('wrap_', 'on_', 'handle_'):
        if hook.startswith(prefix):
            return hook[len(prefix) :]
    return hook


REGISTERED_HOOKS = {
    **{_registered_name(h): h for point in POINTS for h in (point.before, point.after, point.wrap, point.on_error)},
    **{_registered_name(hook): hook for hook in SINGLES},
    'event': 'event',
}
"""The short names and the hooks they stand for. Functions for `event` are part of `wrap_run_event_stream`."""

TOOL_HOOKS = frozenset(
    hook
    for point in POINTS
    if 'tool_def' in point.subject
    for hook in (point.before, point.after, point.wrap, point.on_error)
)
"""Hooks that can be registered for some tools only."""


def unknown_hook(name: str) -> str:
    """Return the message about a name that no hook is registered under."""
    return f'There is no hook {name!r}. There are: {", ".join(sorted(REGISTERED_HOOKS))}.'


class Register(Protocol):
    """Adds a function to a hook."""

    def __call__(
        self, hook: str, function: Callable[..., Any], timeout: float | None, tools: Collection[str] | None, /
    ) -> None: ...


class HookDecorator(Generic[FunctionT]):
    """Registers functions for one hook."""

    def __init__(self, register: Register, hook: str) -> None:
        self._register = register
        self._hook = hook

    @overload
    def __call__(self, func: FunctionT, /) -> FunctionT: ...

    @overload
    def __call__(self, func: None = None, /, *, timeout: float | None = None) -> Callable[[FunctionT], FunctionT]: ...

    def __call__(self, func: FunctionT | None = None, /, *, timeout: float | None = None) -> Any:
        """Register a function.

        Args:
            func: The function, sync or async, if the decorator is used without arguments.
            timeout: Seconds it may take, if it is async; then `HookTimeoutError` is raised.

        Returns:
            The function itself.
        """
        return self._decorate(func, timeout, None)

    def _decorate(self, func: FunctionT | None, timeout: float | None, tools: Collection[str] | None) -> Any:
        def decorate(function: FunctionT) -> FunctionT:
            self._register(self._hook, function, timeout, tools)
            return function

        return decorate if func is None else decorate(func)


class ToolHookDecorator(HookDecorator[FunctionT]):
    """Registers functions for a hook around tools."""

    @overload
    def __call__(self, func: FunctionT, /) -> FunctionT: ...

    @overload
    def __call__(
        self, func: None = None, /, *, tools: Collection[str] | None = None, timeout: float | None = None
    ) -> Callable[[FunctionT], FunctionT]: ...

    def __call__(
        self,
        func: FunctionT | None = None,
        /,
        *,
        tools: Collection[str] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Register a function.

        Args:
            func: The function, sync or async, if the decorator is used without arguments.
            tools: Names of the tools that it is called for; all of them if `None`.
            timeout: Seconds it may take, if it is async; then `HookTimeoutError` is raised.

        Returns:
            The function itself.
        """
        return self._decorate(func, timeout, tools)


class HookRegistrar:
    """The base class of `HookRegistration`: makes a decorator for each name."""

    def __init__(self, register: Register) -> None:
        self._register = register

    def __getattr__(self, name: str) -> Any:
        if name not in REGISTERED_HOOKS:
            raise AttributeError(unknown_hook(name))
        hook = REGISTERED_HOOKS[name]
        kind: Any = ToolHookDecorator if hook in TOOL_HOOKS else HookDecorator
        return kind(self._register, hook)

    def __dir__(self) -> list[str]:
        return sorted(REGISTERED_HOOKS)
