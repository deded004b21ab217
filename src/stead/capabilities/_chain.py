"""`HookChain`: what the capabilities of a run do at each hook, derived from the hook table."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from typing import Any, NamedTuple

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.hooks import HOOK_NAMES, MODEL_REQUEST, POINTS, HookPoint, RunLeft
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..tools import DeferredToolRequests, DeferredToolResults

Action: TypeAlias = Callable[[Any], Awaitable[Any]]
# A hook bound to its capability; and that capability if it is deferred, so that the hook waits until it is loaded.
Step: TypeAlias = 'tuple[Callable[..., Any], AbstractCapability[Any] | None]'

_NO_SKIP: tuple[Any, str] = ((), '')
# What ends a program or a coroutine is no failure of the run, nor is leaving it.
_ENDINGS = (KeyboardInterrupt, SystemExit, GeneratorExit, RunLeft)


class Steps(NamedTuple):
    """The hooks of one point that somebody implements, each tuple in the order it is gone through."""

    before: tuple[Step, ...]
    wrap: tuple[Step, ...]
    after: tuple[Step, ...]
    on_error: tuple[Step, ...]


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
        """Take capabilities apart into leaves and look up their hooks.

        Args:
            capabilities: Outermost first; combined ones stand for their leaves, a wrapper is a leaf.
        """
        leaves: list[AbstractCapability[Any]] = []
        for capability in capabilities:
            capability.apply(leaves.append)
        self.capabilities = tuple(leaves)
        self.version = -1
        """How often hooks were added since the chain was made."""
        self.refresh()
        for leaf in leaves:
            leaf.announce_hooks(self)

    def refresh(self) -> None:
        """Look up again which capability implements which hook."""
        self.version += 1
        for name in HOOK_NAMES:
            setattr(self, name, tuple(leaf for leaf in self.capabilities if leaf.has_hook(name)))
        self._steps = {
            point.name: Steps(
                self._steps_of(point.before),
                self._steps_of(point.wrap)[::-1],
                self._steps_of(point.after)[::-1],
                self._steps_of(point.on_error)[::-1],
            )
            for point in POINTS
        }
        for point in POINTS:
            setattr(self, point.name, any(self._steps[point.name]))

    def _steps_of(self, hook: str) -> tuple[Step, ...]:
        leaves: tuple[AbstractCapability[Any], ...] = getattr(self, hook)
        return tuple((getattr(leaf, hook), leaf if leaf.defer_loading else None) for leaf in leaves)

    def has(self, point: HookPoint) -> bool:
        """Return whether anybody implements any of the four hooks of a point."""
        return getattr(self, point.name)

    async def call(
        self,
        point: HookPoint,
        ctx: RunContext[Any],
        value: Any,
        inner: Action,
        ready: Action | None = None,
        /,
        **fixed: Any,
    ) -> Any:
        """Run an action with the hooks of its point around it.

        Args:
            point: The row of the hook table.
            ctx: The run context.
            value: What goes in.
            inner: The action.
            ready: Is called with the value as `before` left it, ahead of `wrap` and the action. Its errors are no
                errors of the action.
            fixed: What every hook of the point is told besides.

        Returns:
            What comes out, after all hooks. `after` and `on_error` are told the value as `before` left it.

        Raises:
            Exception: What the action raised and no hook recovered from, or what a hook raised, `ModelRetry` included.
        """
        ctx = context_for(ctx)
        if point.value is None:
            return await self._call_run(point, ctx, inner, fixed)
        if point.skip is None or not point.skip_ends:
            return await self._call(point, ctx, value, inner, ready, fixed)
        signal, answer = point.skip
        try:
            return await self._call(point, ctx, value, inner, ready, fixed)
        except signal as skipped:
            return getattr(skipped, answer)

    async def _call(
        self,
        point: HookPoint,
        ctx: RunContext[Any],
        value: Any,
        inner: Action,
        ready: Action | None,
        fixed: dict[str, Any],
    ) -> Any:
        steps = self._steps[point.name]
        signal, answer = point.skip if point.skip is not None and not point.skip_ends else _NO_SKIP
        acting = False
        try:
            if steps.before:
                value = await self.before(point, ctx, value, fixed)
            if ready is not None:
                await ready(value)
            action = self.wrapped(point, ctx, fixed, inner) if steps.wrap else inner
            acting = True
            result = await action(value)
        except signal as skipped:
            result = getattr(skipped, answer)
        except point.passes:
            raise
        except point.handles as error:
            if not acting or not steps.on_error:
                raise
            result = await self.on_error(point, ctx, value, fixed, error)
        return await self.after(point, ctx, value, fixed, result) if steps.after else result

    async def _call_run(self, point: HookPoint, ctx: RunContext[Any], inner: Action, fixed: dict[str, Any]) -> Any:
        """Run the whole run: `wrap` is around `before` too, and `on_error` is asked about the run's own error only."""
        failure: BaseException | None = None

        async def act(_: Any) -> Any:
            nonlocal failure
            await self.before(point, ctx, None, fixed)
            try:
                return await inner(None)
            except BaseException as error:
                failure = error
                raise

        try:
            result = await self.wrapped(point, ctx, fixed, act)(None)
        except BaseException as error:
            if failure is None or isinstance(error, _ENDINGS) or isinstance(failure, _ENDINGS):
                raise
            result = await self.on_error(point, ctx, None, fixed, failure)
        return await self.after(point, ctx, None, fixed, result)

    async def before(self, point: HookPoint, ctx: RunContext[Any], value: Any, fixed: dict[str, Any]) -> Any:
        """Return what goes in, as the hooks before the action leave it, outermost first."""
        name = point.value
        for hook, deferred in self._steps[point.name].before:
            if deferred is not None and not is_live(deferred, ctx):
                continue
            if name is None:
                await hook(ctx)
            elif point is MODEL_REQUEST:
                value = await hook(ctx, value)
            else:
                value = await hook(ctx, **fixed, **{name: value})
        return value

    def wrapped(self, point: HookPoint, ctx: RunContext[Any], fixed: dict[str, Any], inner: Action) -> Action:
        """Return an action with the wrap hooks of its point around it, the first capability outermost."""
        for hook, deferred in self._steps[point.name].wrap:
            if deferred is None or is_live(deferred, ctx):
                inner = _around(point.value, hook, ctx, fixed, inner)
        return inner

    async def on_error(
        self, point: HookPoint, ctx: RunContext[Any], value: Any, fixed: dict[str, Any], error: BaseException
    ) -> Any:
        """Let hooks recover from an error, innermost first; each is asked about what the one inside of it raised."""
        told = {**fixed, point.value: value} if point.value is not None else fixed
        for hook, deferred in self._steps[point.name].on_error:
            if deferred is not None and not is_live(deferred, ctx):
                continue
            try:
                return await hook(ctx, **told, error=error)
            except point.handles as raised:
                error = raised
        raise error

    async def after(
        self, point: HookPoint, ctx: RunContext[Any], value: Any, fixed: dict[str, Any], result: Any
    ) -> Any:
        """Return what comes out, as the hooks after the action leave it, innermost first."""
        told = {**fixed, point.value: value} if point.value is not None and point.after_sees_value else dict(fixed)
        for hook, deferred in self._steps[point.name].after:
            if deferred is None or is_live(deferred, ctx):
                told[point.result] = result
                result = await hook(ctx, **told)
        return result

    async def run_prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return function tools as the capabilities leave them."""
        ctx = context_for(ctx)
        for capability in self.prepare_tools:
            if is_live(capability, ctx):
                tool_defs = await capability.prepare_tools(ctx, tool_defs)
        return tool_defs

    async def run_prepare_output_tools(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return output tools as the capabilities leave them."""
        ctx = context_for(ctx)
        for capability in self.prepare_output_tools:
            if is_live(capability, ctx):
                tool_defs = await capability.prepare_output_tools(ctx, tool_defs)
        return tool_defs

    def wrap_event_stream(self, ctx: RunContext[Any], stream: AsyncIterable[Any]) -> AsyncIterable[Any]:
        """Return the events of a run as the capabilities leave them; the first capability sees them last."""
        ctx = context_for(ctx)
        for capability in reversed(self.wrap_run_event_stream):
            if is_live(capability, ctx):
                stream = capability.wrap_run_event_stream(ctx, stream=stream)
        return stream

    async def resolve_deferred(
        self, ctx: RunContext[Any], requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return what the capabilities have for deferred calls; each is asked for those that are still open."""
        ctx = context_for(ctx)
        live = [leaf.handle_deferred_tool_calls for leaf in self.handle_deferred_tool_calls if is_live(leaf, ctx)]
        return await accumulate(live, ctx, requests)


async def accumulate(
    handlers: Iterable[Callable[..., Awaitable[DeferredToolResults | None]]],
    ctx: RunContext[Any],
    requests: DeferredToolRequests,
) -> DeferredToolResults | None:
    """Return what several handlers have for deferred calls; each is asked for those that are still open."""
    collected: DeferredToolResults | None = None
    for handler in handlers:
        results = await handler(ctx, requests=requests)
        if results is None or not (results.calls or results.approvals):
            continue
        if collected is None:
            collected = DeferredToolResults()
        collected.update(results)
        still_open = requests.remaining(results)
        if still_open is None:
            break
        requests = still_open
    return collected


def _around(
    name: str | None, hook: Callable[..., Any], ctx: RunContext[Any], fixed: dict[str, Any], handler: Action
) -> Action:
    if name is None:
        return lambda _: hook(ctx, **fixed, handler=lambda: handler(None))
    return lambda value: hook(ctx, **fixed, **{name: value}, handler=handler)


def is_live(capability: AbstractCapability[Any], ctx: RunContext[Any]) -> bool:
    """Return whether the hooks of a capability run: always, unless it is deferred and not loaded."""
    return not capability.defer_loading or capability.id in ctx.loaded_capability_ids


def context_for(ctx: RunContext[Any]) -> RunContext[Any]:
    """Return the context that the hooks of capabilities receive."""
    return ctx if ctx.capability_loaded else ctx.fork(capability_loaded=True)


EMPTY_CHAIN = HookChain(())
"""The chain of a run without capabilities."""
