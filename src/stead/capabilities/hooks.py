"""`Hooks`: functions as hooks, without a class of their own."""

from __future__ import annotations

import asyncio
import inspect
import weakref
from collections.abc import AsyncIterable, Callable, Collection
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Any, Generic, TypeVar, cast, overload

from typing_extensions import TypedDict, Unpack

from .._contracts.capability import AbstractCapability, CapabilityDescription, CapabilityOrdering, HookListener
from .._contracts.hooks import POINTS, SINGLES, HookPoint
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from ..tools import DeferredToolRequests, DeferredToolResults
from ._chain import accumulate
from ._hook_functions import (
    AfterModelRequestHookFunc,
    AfterNodeRunHookFunc,
    AfterOutputProcessHookFunc,
    AfterOutputValidateHookFunc,
    AfterRunHookFunc,
    AfterToolExecuteHookFunc,
    AfterToolValidateHookFunc,
    BeforeModelRequestHookFunc,
    BeforeNodeRunHookFunc,
    BeforeOutputProcessHookFunc,
    BeforeOutputValidateHookFunc,
    BeforeRunHookFunc,
    BeforeToolExecuteHookFunc,
    BeforeToolValidateHookFunc,
    HandleDeferredToolCallsHookFunc,
    OnEventHookFunc,
    OnModelRequestErrorHookFunc,
    OnNodeRunErrorHookFunc,
    OnOutputProcessErrorHookFunc,
    OnOutputValidateErrorHookFunc,
    OnRunErrorHookFunc,
    OnToolExecuteErrorHookFunc,
    OnToolValidateErrorHookFunc,
    PrepareOutputToolsHookFunc,
    PrepareToolsHookFunc,
    WrapModelRequestHookFunc,
    WrapNodeRunHookFunc,
    WrapOutputProcessHookFunc,
    WrapOutputValidateHookFunc,
    WrapRunEventStreamHookFunc,
    WrapRunHookFunc,
    WrapToolExecuteHookFunc,
    WrapToolValidateHookFunc,
)

FunctionT = TypeVar('FunctionT', bound=Callable[..., Any])


class HookFunctions(TypedDict, total=False):
    """Functions to register, by the name they have at `Hooks.on`."""

    before_run: BeforeRunHookFunc | None
    after_run: AfterRunHookFunc | None
    run: WrapRunHookFunc | None
    run_error: OnRunErrorHookFunc | None
    before_node_run: BeforeNodeRunHookFunc | None
    after_node_run: AfterNodeRunHookFunc | None
    node_run: WrapNodeRunHookFunc | None
    node_run_error: OnNodeRunErrorHookFunc | None
    before_model_request: BeforeModelRequestHookFunc | None
    after_model_request: AfterModelRequestHookFunc | None
    model_request: WrapModelRequestHookFunc | None
    model_request_error: OnModelRequestErrorHookFunc | None
    before_tool_validate: BeforeToolValidateHookFunc | None
    after_tool_validate: AfterToolValidateHookFunc | None
    tool_validate: WrapToolValidateHookFunc | None
    tool_validate_error: OnToolValidateErrorHookFunc | None
    before_tool_execute: BeforeToolExecuteHookFunc | None
    after_tool_execute: AfterToolExecuteHookFunc | None
    tool_execute: WrapToolExecuteHookFunc | None
    tool_execute_error: OnToolExecuteErrorHookFunc | None
    before_output_validate: BeforeOutputValidateHookFunc | None
    after_output_validate: AfterOutputValidateHookFunc | None
    output_validate: WrapOutputValidateHookFunc | None
    output_validate_error: OnOutputValidateErrorHookFunc | None
    before_output_process: BeforeOutputProcessHookFunc | None
    after_output_process: AfterOutputProcessHookFunc | None
    output_process: WrapOutputProcessHookFunc | None
    output_process_error: OnOutputProcessErrorHookFunc | None
    run_event_stream: WrapRunEventStreamHookFunc | None
    event: OnEventHookFunc | None
    prepare_tools: PrepareToolsHookFunc | None
    prepare_output_tools: PrepareOutputToolsHookFunc | None
    deferred_tool_calls: HandleDeferredToolCallsHookFunc | None


def _registered_name(hook: str) -> str:
    """Return the short name under which functions for a hook are registered."""
    for prefix in ('wrap_', 'on_', 'handle_'):
        if hook.startswith(prefix):
            return hook[len(prefix) :]
    return hook


# The short names and the hooks they stand for. Functions for `event` are part of `wrap_run_event_stream`.
_HOOK_OF = {
    **{_registered_name(h): h for point in POINTS for h in (point.before, point.wrap, point.after, point.on_error)},
    **{_registered_name(hook): hook for hook in SINGLES},
    'event': 'event',
}


class HookTimeoutError(TimeoutError):
    """A hook function took longer than its timeout."""

    def __init__(self, hook_name: str, func_name: str, timeout: float) -> None:
        """Say which function took too long.

        Args:
            hook_name: The hook.
            func_name: The function.
            timeout: Seconds it may take.
        """
        self.hook_name = hook_name
        self.func_name = func_name
        self.timeout = timeout
        super().__init__(f'Hook {hook_name!r} function {func_name!r} timed out after {timeout}s')


@dataclass
class HookFunction:
    """A registered function."""

    hook: str
    function: Callable[..., Any]
    timeout: float | None = None
    tools: Collection[str] | None = None

    def applies(self, told: dict[str, Any]) -> bool:
        """Return whether the function is registered for the tool in question."""
        return self.tools is None or told['tool_def'].name in self.tools

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function and await its answer if need be."""
        answer = self.function(*args, **kwargs)
        if not inspect.isawaitable(answer):
            return answer
        if self.timeout is None:
            return await answer
        try:
            return await asyncio.wait_for(answer, self.timeout)
        except (TimeoutError, asyncio.TimeoutError) as error:
            name = getattr(self.function, '__name__', repr(self.function))
            raise HookTimeoutError(self.hook, name, self.timeout) from error


class HookDecorator(Generic[FunctionT]):
    """Registers functions for one hook."""

    def __init__(self, hooks: Hooks[Any], hook: str) -> None:
        self._hooks = hooks
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
        return self._register(func, timeout, None)

    def _register(self, func: FunctionT | None, timeout: float | None, tools: Collection[str] | None) -> Any:
        def register(function: FunctionT) -> FunctionT:
            self._hooks._add(HookFunction(self._hook, function, timeout, tools))  # type: ignore[reportPrivateUsage]
            return function

        return register if func is None else register(func)


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
        return self._register(func, timeout, tools)


class HookRegistration:
    """The decorators of `Hooks.on`: `before_x` and `after_x`, `x` for around it, `x_error`, and the hooks that stand alone."""

    before_run: HookDecorator[BeforeRunHookFunc]
    after_run: HookDecorator[AfterRunHookFunc]
    run: HookDecorator[WrapRunHookFunc]
    run_error: HookDecorator[OnRunErrorHookFunc]
    before_node_run: HookDecorator[BeforeNodeRunHookFunc]
    after_node_run: HookDecorator[AfterNodeRunHookFunc]
    node_run: HookDecorator[WrapNodeRunHookFunc]
    node_run_error: HookDecorator[OnNodeRunErrorHookFunc]
    before_model_request: HookDecorator[BeforeModelRequestHookFunc]
    after_model_request: HookDecorator[AfterModelRequestHookFunc]
    model_request: HookDecorator[WrapModelRequestHookFunc]
    model_request_error: HookDecorator[OnModelRequestErrorHookFunc]
    before_tool_validate: ToolHookDecorator[BeforeToolValidateHookFunc]
    after_tool_validate: ToolHookDecorator[AfterToolValidateHookFunc]
    tool_validate: ToolHookDecorator[WrapToolValidateHookFunc]
    tool_validate_error: ToolHookDecorator[OnToolValidateErrorHookFunc]
    before_tool_execute: ToolHookDecorator[BeforeToolExecuteHookFunc]
    after_tool_execute: ToolHookDecorator[AfterToolExecuteHookFunc]
    tool_execute: ToolHookDecorator[WrapToolExecuteHookFunc]
    tool_execute_error: ToolHookDecorator[OnToolExecuteErrorHookFunc]
    before_output_validate: HookDecorator[BeforeOutputValidateHookFunc]
    after_output_validate: HookDecorator[AfterOutputValidateHookFunc]
    output_validate: HookDecorator[WrapOutputValidateHookFunc]
    output_validate_error: HookDecorator[OnOutputValidateErrorHookFunc]
    before_output_process: HookDecorator[BeforeOutputProcessHookFunc]
    after_output_process: HookDecorator[AfterOutputProcessHookFunc]
    output_process: HookDecorator[WrapOutputProcessHookFunc]
    output_process_error: HookDecorator[OnOutputProcessErrorHookFunc]
    run_event_stream: HookDecorator[WrapRunEventStreamHookFunc]
    event: HookDecorator[OnEventHookFunc]
    prepare_tools: HookDecorator[PrepareToolsHookFunc]
    prepare_output_tools: HookDecorator[PrepareOutputToolsHookFunc]
    deferred_tool_calls: HookDecorator[HandleDeferredToolCallsHookFunc]

    def __init__(self, hooks: Hooks[Any]) -> None:
        self._hooks = hooks

    def __getattr__(self, name: str) -> Any:
        if name not in _HOOK_OF:
            raise AttributeError(f'There is no hook {name!r}. There are: {", ".join(sorted(_HOOK_OF))}.')
        about_tools = 'tool_validate' in name or 'tool_execute' in name
        kind: Any = ToolHookDecorator if about_tools else HookDecorator
        return kind(self._hooks, _HOOK_OF[name])

    def __dir__(self) -> list[str]:
        return sorted(_HOOK_OF)


@dataclass(init=False)
class Hooks(AbstractCapability[AgentDepsT]):
    """Functions as hooks. Those of one hook run in the order they were registered; of wraps, the first is outermost.

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
            ordering: Where in the chain of capabilities these hooks must stand.
            id: A stable id; required with `defer_loading`.
            description: What the model reads before the capability is loaded.
            defer_loading: Whether the hooks rest until the model loads the capability.
            functions: Functions by the names they have at `on`, for example `before_run` or `tool_execute`.

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
            if name not in _HOOK_OF:
                raise TypeError(f'There is no hook {name!r}. There are: {", ".join(sorted(_HOOK_OF))}.')
            if function is not None:
                self._add(HookFunction(_HOOK_OF[name], cast(Any, function)))

    @property
    def on(self) -> HookRegistration:
        """Decorators that register functions, one for each hook."""
        return HookRegistration(self)

    def _add(self, function: HookFunction) -> None:
        self._registry.setdefault(function.hook, []).append(function)
        for listener in tuple(self._listeners):
            listener.refresh()

    def _functions(self, hook: str, told: dict[str, Any]) -> list[HookFunction]:
        return [function for function in self._registry.get(hook, ()) if function.applies(told)]

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None

    def get_ordering(self) -> CapabilityOrdering | None:
        """Return where in the chain these hooks must stand."""
        return self._ordering

    def has_hook(self, name: str) -> bool:
        """Return whether a function is registered for a hook, or a subclass implements it."""
        if name in self._registry or (name == 'wrap_run_event_stream' and 'event' in self._registry):
            return True
        return getattr(type(self), name) is not getattr(Hooks, name)

    def announce_hooks(self, listener: HookListener) -> None:
        """Tell the listener when a function is registered."""
        self._listeners.add(listener)

    # Hooks that stand alone

    async def prepare_tools(self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return function tools as the functions leave them."""
        for function in self._functions('prepare_tools', {}):
            tool_defs = await function(ctx, tool_defs)
        return tool_defs

    async def prepare_output_tools(
        self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return output tools as the functions leave them."""
        for function in self._functions('prepare_output_tools', {}):
            tool_defs = await function(ctx, tool_defs)
        return tool_defs

    async def wrap_run_event_stream(
        self, ctx: RunContext[AgentDepsT], *, stream: AsyncIterable[Any]
    ) -> AsyncIterable[Any]:
        """Pass every event through the functions for events, and the stream through those for streams."""
        if 'event' in self._registry:
            stream = self._each_event(ctx, stream)
        for function in reversed(self._functions('wrap_run_event_stream', {})):
            stream = function.function(ctx, stream=stream)
        async for event in stream:
            yield event

    async def _each_event(self, ctx: RunContext[AgentDepsT], stream: AsyncIterable[Any]) -> AsyncIterable[Any]:
        functions = self._functions('event', {})
        async for event in stream:
            for function in functions:
                event = await function(ctx, event)
            yield event

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AgentDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return what the functions have for deferred calls; each is asked for those that are still open."""
        return await accumulate(self._functions('handle_deferred_tool_calls', {}), ctx, requests)


def _add_hooks(point: HookPoint) -> None:
    """Give the class the four hooks of a point, each of them over the registered functions."""

    async def before(self: Hooks[Any], ctx: RunContext[Any], *given: Any, **told: Any) -> Any:
        value = given[0] if given else told.get(point.value or '')
        for function in self._functions(point.before, told):
            if point.value is None:
                await function(ctx)
            elif given:
                value = await function(ctx, value)
            else:
                value = await function(ctx, **{**told, point.value: value})
        return value

    async def after(self: Hooks[Any], ctx: RunContext[Any], **told: Any) -> Any:
        for function in self._functions(point.after, told):
            told[point.result] = await function(ctx, **told)
        return told[point.result]

    async def wrap(self: Hooks[Any], ctx: RunContext[Any], *, handler: Any, **told: Any) -> Any:
        for function in reversed(self._functions(point.wrap, told)):
            handler = _around(point, function, ctx, told, handler)
        return await (handler() if point.value is None else handler(told[point.value]))

    async def on_error(self: Hooks[Any], ctx: RunContext[Any], *, error: Any, **told: Any) -> Any:
        for function in self._functions(point.on_error, told):
            try:
                return await function(ctx, **told, error=error)
            except point.handles as raised:
                error = raised
        raise error

    for name, hook in zip((point.before, point.after, point.wrap, point.on_error), (before, after, wrap, on_error)):
        setattr(Hooks, name, update_wrapper(hook, getattr(AbstractCapability, name)))


def _around(point: HookPoint, function: HookFunction, ctx: RunContext[Any], told: dict[str, Any], handler: Any) -> Any:
    name = point.value
    if name is None:
        return lambda: function(ctx, **told, handler=handler)

    def call(value: Any) -> Any:
        return function(ctx, **{**told, name: value}, handler=handler)

    return call


for _point in POINTS:
    _add_hooks(_point)
