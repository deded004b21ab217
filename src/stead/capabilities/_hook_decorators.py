"""The decorators of `Hooks.on`, and the names of the hooks that they register functions for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Generic, Protocol, TypeVar, get_args, overload

from .._contracts.hooks import POINTS, SINGLES
from .._kit.meant import names_meant
from ..messages import AgentStreamEvent

FunctionT = TypeVar('FunctionT', bound=Callable[..., object])
EventT = TypeVar('EventT', bound=AgentStreamEvent)
"""The events that a function is called for."""


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
"""Hooks by short name. Functions for `event` are part of `wrap_run_event_stream`."""

TOOL_HOOKS = frozenset(
    hook
    for point in POINTS
    if 'tool_def' in point.subject
    for hook in (point.before, point.after, point.wrap, point.on_error)
)
"""Hooks whose functions can be registered for some tools only."""


def unknown_hook(name: str) -> str:
    """Return the error message for a name that no hook has."""
    return f'There is no hook {name!r}.{names_meant(name, REGISTERED_HOOKS)}'


class Register(Protocol):
    """A callback that adds a function to a hook."""

    def __call__(
        self,
        hook: str,
        function: Callable[..., object],
        timeout: float | None,
        tools: Collection[str] | None,
        events: tuple[type, ...] | None = None,
        /,
    ) -> None: ...


class HookDecorator(Generic[FunctionT]):
    """Decorator that registers functions for one hook."""

    def __init__(self, register: Register, hook: str) -> None:
        self._register = register
        self._hook = hook

    @overload
    def __call__(self, func: FunctionT, /) -> FunctionT: ...

    @overload
    def __call__(self, func: None = None, /, *, timeout: float | None = None) -> Callable[[FunctionT], FunctionT]: ...

    def __call__(
        self, func: FunctionT | None = None, /, *, timeout: float | None = None
    ) -> FunctionT | Callable[[FunctionT], FunctionT]:
        """Register a function.

        Args:
            func: The function, sync or async, if the decorator is used without arguments.
            timeout: Seconds that an async function may take before `HookTimeoutError` is raised.

        Returns:
            The function itself, or a decorator if `func` is `None`.
        """
        return self._decorate(func, timeout, None)

    def _decorate(
        self, func: FunctionT | None, timeout: float | None, tools: Collection[str] | None
    ) -> FunctionT | Callable[[FunctionT], FunctionT]:
        def decorate(function: FunctionT) -> FunctionT:
            self._register(self._hook, function, timeout, tools)
            return function

        return decorate if func is None else decorate(func)


class ToolHookDecorator(HookDecorator[FunctionT]):
    """Decorator that registers functions for a hook around tools."""

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
    ) -> FunctionT | Callable[[FunctionT], FunctionT]:
        """Register a function.

        Args:
            func: The function, sync or async, if the decorator is used without arguments.
            tools: Names of the tools that the function is called for; all tools if `None`.
            timeout: Seconds that an async function may take before `HookTimeoutError` is raised.

        Returns:
            The function itself, or a decorator if `func` is `None`.
        """
        return self._decorate(func, timeout, tools)


class EventHookDecorator(HookDecorator[FunctionT]):
    """Decorator that registers functions for the events of a run."""

    @overload
    def __call__(self, func: FunctionT, /) -> FunctionT: ...

    @overload
    def __call__(self, func: None = None, /, *, timeout: float | None = None) -> Callable[[FunctionT], FunctionT]: ...

    @overload
    def __call__(
        self, func: type[EventT], /, *event_types: type[EventT], timeout: float | None = None
    ) -> Callable[[Callable[[Any, EventT], object]], Callable[[Any, EventT], object]]: ...

    def __call__(self, func: Any = None, /, *event_types: type, timeout: float | None = None) -> Any:
        """Register a function.

        Args:
            func: The function, sync or async, if the decorator is used without arguments; or a type of events.
            event_types: Further types of the events that the function is called for; it is called for all if there are none.
            timeout: Seconds that an async function may take before `HookTimeoutError` is raised.

        Returns:
            The function itself, or a decorator if the first argument is not a function.
        """
        types, function = split_event_types(func, event_types)

        def decorate(function: Callable[..., object]) -> Callable[..., object]:
            self._register(self._hook, function, timeout, None, types)
            return function

        return decorate if function is None else decorate(function)


def split_event_types(first: Any, others: tuple[Any, ...]) -> tuple[tuple[type, ...] | None, Any]:
    """Return the types of events among the arguments of a decorator, `None` for all, and its function, if it has one."""
    function = None if first is None or is_event_type(first) else first
    types = others if function is not None or first is None else (first, *others)
    found = tuple(each for kind in types for each in (get_args(kind) or (kind,)))
    return found or None, function


def is_event_type(value: object) -> bool:
    """Return whether an argument of a decorator for events is a type of events, rather than the function."""
    return isinstance(value, type) or bool(get_args(value))


class HookRegistrar:
    """The base class of `HookRegistration`: looks up the decorator for a hook by its short name."""

    def __init__(self, register: Register) -> None:
        self._register = register

    def __getattr__(self, name: str) -> HookDecorator[Callable[..., object]]:
        if name not in REGISTERED_HOOKS:
            raise AttributeError(unknown_hook(name))
        hook = REGISTERED_HOOKS[name]
        if hook == 'event':
            return EventHookDecorator(self._register, hook)
        return (ToolHookDecorator if hook in TOOL_HOOKS else HookDecorator)(self._register, hook)

    def __dir__(self) -> list[str]:
        return sorted(REGISTERED_HOOKS)
