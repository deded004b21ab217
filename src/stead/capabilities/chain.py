"""`HookChain`: what the capabilities of a run do at each hook, derived from the hook table."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from typing import Any

from .._contracts.capability import AbstractCapability, overrides
from .._contracts.hooks import HOOK_NAMES, POINTS, HookPoint
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import ApprovalRequired, CallDeferred, SkipModelRequest, SkipToolExecution, SkipToolValidation
from ..tools import DeferredToolRequests, DeferredToolResults

# What these say is meant for the run, not for hooks that handle errors.
CONTROL_FLOW = (SkipModelRequest, SkipToolExecution, SkipToolValidation, CallDeferred, ApprovalRequired)


class HookChain:
    """The capabilities of a run, and for each hook those that implement it, outermost first.

    Each hook and each point of the table is an attribute: a hook's is the tuple of its capabilities, a point's says
    whether any of its four hooks is implemented. A hook that nobody implements costs one look at an empty tuple.
    """

    run: bool
    node_run: bool
    model_request: bool
    tool_validate: bool
    tool_execute: bool
    output_validate: bool
    output_process: bool
    prepare_tools: tuple[AbstractCapability[Any], ...]
    prepare_output_tools: tuple[AbstractCapability[Any], ...]
    wrap_run_event_stream: tuple[AbstractCapability[Any], ...]
    handle_deferred_tool_calls: tuple[AbstractCapability[Any], ...]

    def __init__(self, capabilities: Iterable[AbstractCapability[Any]]) -> None:
        leaves: list[AbstractCapability[Any]] = []
        for capability in capabilities:
            capability.apply(leaves.append)
        self.capabilities = tuple(leaves)
        for name in HOOK_NAMES:
            setattr(self, name, tuple(capability for capability in leaves if overrides(capability, name)))
        for point in POINTS:
            hooks = (point.before, point.wrap, point.after, point.on_error)
            setattr(self, point.name, any(getattr(self, hook) for hook in hooks))

    async def call(
        self,
        point: HookPoint,
        ctx: RunContext[Any],
        value: Any,
        inner: Callable[[Any], Awaitable[Any]],
        /,
        **fixed: Any,
    ) -> Any:
        """Run an action with the hooks of its point around it.

        Args:
            point: The row of the hook table.
            ctx: The run context.
            value: What goes in.
            inner: The action.
            fixed: What every hook of the point is told besides.

        Returns:
            What comes out, after all hooks.
        """
        value = await self.before(point, ctx, value, fixed)
        try:
            result = await self.wrapped(point, ctx, fixed, inner)(value)
        except CONTROL_FLOW:
            raise
        except Exception as error:
            result = await self.on_error(point, ctx, value, fixed, error)
        return await self.after(point, ctx, value, fixed, result)

    def wrapped(
        self, point: HookPoint, ctx: RunContext[Any], fixed: dict[str, Any], inner: Callable[[Any], Awaitable[Any]]
    ) -> Callable[[Any], Awaitable[Any]]:
        """Return an action with the wrap hooks of its point around it, the first capability outermost."""
        for capability in reversed(getattr(self, point.wrap)):
            if is_live(capability, ctx):
                inner = _wrapped(point, capability, ctx, fixed, inner)
        return inner

    async def before(self, point: HookPoint, ctx: RunContext[Any], value: Any, fixed: dict[str, Any]) -> Any:
        """Return what goes in, as the hooks before the action leave it."""
        for capability in getattr(self, point.before):
            if not is_live(capability, ctx):
                continue
            hook, own = getattr(capability, point.before), context_for(capability, ctx)
            if point.value is None:
                await hook(own)
            elif point.name == 'model_request':
                value = await hook(own, value)
            else:
                value = await hook(own, **fixed, **{point.value: value})
        return value

    async def on_error(
        self, point: HookPoint, ctx: RunContext[Any], value: Any, fixed: dict[str, Any], error: Exception
    ) -> Any:
        """Let hooks recover from an error, innermost first; each sees what the one inside of it raised."""
        told = {point.value: value} if point.value is not None else {}
        for capability in reversed(getattr(self, point.on_error)):
            if not is_live(capability, ctx):
                continue
            try:
                hook = getattr(capability, point.on_error)
                return await hook(context_for(capability, ctx), **fixed, **told, error=error)
            except CONTROL_FLOW:
                raise
            except Exception as raised:
                error = raised
        raise error

    async def after(
        self, point: HookPoint, ctx: RunContext[Any], value: Any, fixed: dict[str, Any], result: Any
    ) -> Any:
        """Return what comes out, as the hooks after the action leave it, innermost first."""
        told = {point.value: value} if point.value is not None and point.after_sees_value else {}
        for capability in reversed(getattr(self, point.after)):
            if is_live(capability, ctx):
                hook = getattr(capability, point.after)
                result = await hook(context_for(capability, ctx), **fixed, **{**told, point.result: result})
        return result

    async def run_prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return function tools as the capabilities leave them."""
        for capability in self.prepare_tools:
            if is_live(capability, ctx):
                tool_defs = await capability.prepare_tools(context_for(capability, ctx), tool_defs)
        return tool_defs

    async def run_prepare_output_tools(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return output tools as the capabilities leave them."""
        for capability in self.prepare_output_tools:
            if is_live(capability, ctx):
                tool_defs = await capability.prepare_output_tools(context_for(capability, ctx), tool_defs)
        return tool_defs

    def wrap_event_stream(self, ctx: RunContext[Any], stream: AsyncIterable[Any]) -> AsyncIterable[Any]:
        """Return the events of a run as the capabilities leave them."""
        for capability in reversed(self.wrap_run_event_stream):
            if is_live(capability, ctx):
                stream = capability.wrap_run_event_stream(context_for(capability, ctx), stream=stream)
        return stream

    async def resolve_deferred(
        self, ctx: RunContext[Any], requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return what the capabilities have for deferred calls; each is asked for those that are still open."""
        collected: DeferredToolResults | None = None
        open_requests: DeferredToolRequests | None = requests
        for capability in self.handle_deferred_tool_calls:
            if open_requests is None:
                break
            if not is_live(capability, ctx):
                continue
            results = await capability.handle_deferred_tool_calls(context_for(capability, ctx), requests=open_requests)
            if results is None or not (results.calls or results.approvals):
                continue
            if collected is None:
                collected = DeferredToolResults()
            collected.update(results)
            open_requests = open_requests.remaining(results)
        return collected


def _wrapped(
    point: HookPoint,
    capability: AbstractCapability[Any],
    ctx: RunContext[Any],
    fixed: dict[str, Any],
    handler: Callable[[Any], Awaitable[Any]],
) -> Callable[[Any], Awaitable[Any]]:
    hook, own = getattr(capability, point.wrap), context_for(capability, ctx)
    name = point.value
    if name is None:

        async def without_value() -> Any:
            return await handler(None)

        return lambda _: hook(own, **fixed, handler=without_value)
    return lambda value: hook(own, **fixed, **{name: value}, handler=handler)


def is_live(capability: AbstractCapability[Any], ctx: RunContext[Any]) -> bool:
    """Return whether the hooks of a capability run: always, unless it is deferred and not loaded."""
    return not capability.defer_loading or capability.id in ctx.loaded_capability_ids


def context_for(capability: AbstractCapability[Any], ctx: RunContext[Any]) -> RunContext[Any]:
    """Return the context that a capability's hook receives."""
    return ctx if ctx.capability_loaded else ctx.fork(capability_loaded=True)


EMPTY_CHAIN = HookChain(())
"""The chain of a run without capabilities."""
