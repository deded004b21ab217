"""`Hooks`: functions as hooks, without a class of your own."""

from __future__ import annotations

import asyncio
import inspect
import weakref
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from typing_extensions import Unpack

from .._contracts.capability import (
    AbstractCapability,
    CapabilityDescription,
    CapabilityOrdering,
    HookListener,
    overrides,
)
from .._contracts.hooks import HookStep
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.keywords import dataclass
from ..messages import AgentStreamEvent
from ._derived import derive_hooks
from ._hook_decorators import REGISTERED_HOOKS, EventHookDecorator, EventT as EventT, unknown_hook
from ._hook_functions import *  # noqa: F403 (the protocols are public here)
from ._hook_functions import HookFunctions, HookRegistration

NONE_KEEPS_EVENTS = False
"""Whether a function for events that returns `None` changes nothing; otherwise `None` takes the place of the event, as in 1.x."""

# These hooks run from the innermost to the outermost. Functions run in the order of registration, so here the first one
# registered is the innermost.
_OUTWARDS = ('after_', 'on_')


class HookTimeoutError(TimeoutError):
    """A hook function took longer than its timeout."""

    def __init__(self, hook_name: str, func_name: str, timeout: float) -> None:
        """Build the error.

        Args:
            hook_name: The name of the hook.
            func_name: The name of the function.
            timeout: The seconds that the function was allowed to take.
        """
        self.hook_name = hook_name
        self.func_name = func_name
        self.timeout = timeout
        super().__init__(f'Hook {hook_name!r} function {func_name!r} timed out after {timeout}s')


@dataclass
class HookFunction:
    """A function that is registered for a hook."""

    hook: str
    """The name of the hook."""
    function: Callable[..., Any]
    """The function, sync or async."""
    timeout: float | None = None
    """Seconds that the function may take if it is async; `None` for no limit."""
    tools: Collection[str] | None = None
    """Names of the tools that the function is called for; `None` for all."""
    events: tuple[type, ...] | None = None
    """Types of the events that the function is called for; `None` for all."""
    step: HookStep = field(init=False, repr=False, compare=False)
    """The function as a chain calls it."""

    def __post_init__(self) -> None:
        if self.hook == 'wrap_run_event_stream':  # returns a stream, which is not awaited
            self.step = self.function, None
        else:
            self.step = self, None if self.tools is None else self.applies

    def applies(self, ctx: object, subject: Mapping[str, Any]) -> bool:
        """Return whether the function is registered for the tool of a call."""
        return self.tools is None or subject['tool_def'].name in self.tools

    async def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function, and await what it returns if that is awaitable.

        Raises:
            HookTimeoutError: The function took longer than its timeout.
        """
        result = self.function(*args, **kwargs)
        if not inspect.isawaitable(result):
            return result
        if self.timeout is None:
            return await result
        try:
            return await asyncio.wait_for(result, self.timeout)
        except (TimeoutError, asyncio.TimeoutError) as error:
            name = getattr(self.function, '__name__', repr(self.function))
            raise HookTimeoutError(self.hook, name, self.timeout) from error


@dataclass(init=False, repr=False)
class Hooks(AbstractCapability[AgentDepsT]):
    """Functions as hooks. Those of one hook run in the order of registration; of wraps, the first is the outermost.

    ```python
    hooks = Hooks()

    @hooks.on.before_model_request
    async def count(ctx, request_context):
        print(len(request_context.messages))
        return request_context
    ```
    """

    _registry: dict[str, list[HookFunction]] = field(kw_only=False)

    def __init__(
        self,
        *,
        ordering: CapabilityOrdering | None = None,
        id: str | None = None,
        description: CapabilityDescription[AgentDepsT] | None = None,
        defer_loading: bool = False,
        **functions: Unpack[HookFunctions],
    ) -> None:
        """Register functions; `on` registers more.

        Args:
            ordering: The place of these hooks in the chain of capabilities.
            id: A stable id; required with `defer_loading`.
            description: What the model reads before the capability is loaded.
            defer_loading: Whether the hooks are inactive until the model loads the capability.
            functions: Functions by the names of the decorators of `on`, for example `before_run` or `tool_execute`.

        Raises:
            TypeError: There is no such hook.
        """
        self.id = id
        self.description = description
        self.defer_loading = defer_loading
        self._ordering = ordering
        self._registry = {}
        self._listeners: weakref.WeakSet[HookListener] = weakref.WeakSet()
        for name, function in functions.items():
            if name not in REGISTERED_HOOKS:
                raise TypeError(unknown_hook(name))
            if function is not None:
                self._add(REGISTERED_HOOKS[name], cast('Callable[..., object]', function), None, None)

    def __repr__(self) -> str:
        """Return the hooks with the number of their functions."""
        return f'Hooks({ {hook: len(functions) for hook, functions in self._registry.items()} })'

    @property
    def on(self) -> HookRegistration:
        """Decorators that register functions, one for each hook."""
        return HookRegistration(self._add)

    def _add(
        self,
        hook: str,
        function: Callable[..., object],
        timeout: float | None,
        tools: Collection[str] | None,
        events: tuple[type, ...] | None = None,
    ) -> None:
        self._registry.setdefault(hook, []).append(HookFunction(hook, function, timeout, tools, events))
        for listener in tuple(self._listeners):
            listener.refresh()

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    def get_ordering(self) -> CapabilityOrdering | None:
        """Return the place of these hooks in the chain."""
        return self._ordering

    def has_hook(self, name: str) -> bool:
        """Return whether a function is registered for a hook, or a subclass implements it."""
        if name in self._registry or (name == 'wrap_run_event_stream' and 'event' in self._registry):
            return True
        return overrides(self, name, Hooks)

    @property
    def has_on_event(self) -> bool:
        """Whether a function is registered for events; what it returns takes their place in the stream."""
        return 'event' in self._registry or super().has_on_event

    def announce_hooks(self, listener: HookListener) -> None:
        """Notify the listener, until it is garbage-collected, whenever a function is registered."""
        self._listeners.add(listener)

    def _hook_steps(self, name: str) -> Sequence[HookStep]:
        return super()._hook_steps(name) if overrides(self, name, Hooks) else self._inner_steps(name)

    def _inner_steps(self, hook: str) -> Sequence[HookStep]:
        steps = [function.step for function in self._registry.get(hook, ())]
        if hook == 'wrap_run_event_stream' and 'event' in self._registry:
            steps.append((self._each_event, None))  # innermost: functions for streams see what these return
        return steps[::-1] if hook.startswith(_OUTWARDS) else steps

    def _each_event(
        self, ctx: RunContext[AgentDepsT], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        return _heard(tuple(self._registry['event']), ctx, stream, none_keeps=NONE_KEEPS_EVENTS)


derive_hooks(Hooks)


class EventFunctions(AbstractCapability[Any]):
    """The functions of an agent that listen to events, in the order in which they were registered."""

    def __init__(self, functions: Sequence[HookFunction]) -> None:
        self.functions: tuple[HookFunction, ...] = tuple(functions)

    hears_all_runs = True

    def wrap_run_event_stream(
        self, ctx: RunContext[Any], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """Call the functions that are registered for an event; another event that one returns takes its place.

        Raises:
            HookTimeoutError: One took longer than its timeout.
        """
        return _heard(self.functions, ctx, stream, none_keeps=True)


async def _heard(
    functions: Sequence[HookFunction],
    ctx: RunContext[Any],
    stream: AsyncIterable[AgentStreamEvent],
    *,
    none_keeps: bool,
) -> AsyncIterator[AgentStreamEvent]:
    """Yield events as functions leave them; each function is called for the types it is registered for."""
    async for event in stream:
        for function in functions:
            if function.events is None or isinstance(event, function.events):
                changed: Any = await function(ctx, event)
                if changed is not None or not none_keeps:
                    event = cast(AgentStreamEvent, changed)
        yield event


def listener_decorator(
    known: AbstractCapability[Any] | None, change: Callable[[EventFunctions], None]
) -> EventHookDecorator[Callable[..., object]]:
    """Return a decorator that registers functions for events.

    Args:
        known: The `EventFunctions` so far.
        change: Takes those with one more.
    """

    def register(
        hook: str,
        function: Callable[..., object],
        timeout: float | None,
        tools: Collection[str] | None,
        events: tuple[type, ...] | None = None,
    ) -> None:
        before = known.functions if isinstance(known, EventFunctions) else ()
        change(EventFunctions([*before, HookFunction(hook, function, timeout, tools, events)]))

    return EventHookDecorator(register, 'on_event')
