"""What capabilities do at their hooks, announced to those with `watches_changes`.

A chain that is watched calls other steps than one that is not: each looks at what goes into a hook and at what comes out of it,
and announces the difference. What comes out is compared as JSON with what went in, because hooks may change things in place.
A chain that is not watched has nothing of this on its way.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Literal, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.facts import HookActed, HookChange
from .._contracts.hooks import (
    MODEL_REQUEST,
    NODE_RUN,
    POINTS,
    RUN,
    HookPoint,
    HookStep,
)
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.short import short
from .._show.changes import (
    Seen,
    changes_between,
    seen_in,
    view_decisions,
    view_node,
    view_output,
    view_request,
    view_response,
    view_tools,
)
from ..toolsets import Listing, WrapperToolset
from ._ordering import describe

Announce: TypeAlias = Callable[[RunContext[Any], HookActed], Awaitable[None]]
"""Lets those that watch know what a hook did."""
View: TypeAlias = Callable[[object], Mapping[str, object]]
"""Returns what can be looked at of a value, by name."""
Did: TypeAlias = Literal['changed', 'answered', 'decided', 'recovered', 'raised']

_NOTHING: Seen = {}


def _named(name: str) -> View:
    return lambda value: {name: value}


_VIEWS: dict[HookPoint, tuple[View, View]] = {
    RUN: (_named('run'), view_output),
    NODE_RUN: (view_node, view_node),
    MODEL_REQUEST: (view_request, view_response),
}
"""How the value that goes into a point, and its result, are looked at, where that is not under their own names."""


def _views(point: HookPoint) -> tuple[View, View]:
    return _VIEWS.get(point) or (_named(point.value or point.name), _named(point.result))


def watched(capability: AbstractCapability[Any], hook: str, step: HookStep, announce: Announce) -> HookStep:
    """Return a step that does the same, and lets those that watch know what it did.

    Args:
        capability: The capability that the step is of.
        hook: The name of the hook.
        step: The step.
        announce: What is called with each thing that it did.
    """
    call, applies = step
    if (watch := _WATCHES.get(hook)) is None:
        return step
    name = describe(capability)
    if (function := getattr(call, 'function', None)) is not None:  # it was registered with `Hooks`
        name = f'{name}, {getattr(function, "__name__", type(function).__name__)}()'
    return update_wrapper(watch(_WatchedStep(name, hook, announce), call), call, ()), applies


class _WatchedStep:
    """One step, and what its changes are announced to."""

    __slots__ = ('_announce', 'hook', 'name')

    def __init__(self, name: str, hook: str, announce: Announce) -> None:
        self.name = name
        self.hook = hook
        self._announce = announce

    async def compare(
        self, ctx: RunContext[Any], before: Seen, after: Seen, subject: Mapping[str, object], did: Did = 'changed'
    ) -> None:
        """Announce what is different, if anything is."""
        if changes := changes_between(before, after):
            await self.announce(ctx, subject, did, changes)

    async def raised(
        self, ctx: RunContext[Any], subject: Mapping[str, object], error: BaseException, point: HookPoint
    ) -> None:
        """Announce that the step raised an error, or a signal that stands for a result."""
        if not isinstance(error, Exception):
            return
        view = _views(point)[1]
        if point.skip is not None and isinstance(error, point.skip[0]):
            await self.compare(ctx, _NOTHING, seen_in(view(getattr(error, point.skip[1], None))), subject, 'answered')
        else:
            await self.announce(ctx, subject, 'raised', error=error)

    async def announce(
        self,
        ctx: RunContext[Any],
        subject: Mapping[str, object],
        did: Did,
        changes: Sequence[HookChange] = (),
        error: BaseException | None = None,
    ) -> None:
        """Announce what the step did."""
        text = f'{type(error).__name__}: {short(str(error), 2_000)}' if error is not None else ''
        call = cast(Any, subject.get('call'))
        await self._announce(ctx, HookActed(ctx.run_step, self.name, self.hook, did, changes, call, text))


Step: TypeAlias = Callable[..., Awaitable[Any]]


def _before(point: HookPoint) -> Callable[[_WatchedStep, Step], Step]:
    view = _views(point)[0]

    def around(watch: _WatchedStep, step: Step) -> Step:
        async def before(ctx: RunContext[Any], *args: object, **kwargs: object) -> object:
            seen = seen_in(view(args[0] if args else kwargs.get(point.value or '')))
            try:
                value = await step(ctx, *args, **kwargs)
            except BaseException as error:
                await watch.raised(ctx, kwargs, error, point)
                raise
            if value is not None:
                await watch.compare(ctx, seen, seen_in(view(value)), kwargs)
            return value

        return before

    return around


def _after(point: HookPoint) -> Callable[[_WatchedStep, Step], Step]:
    view = _views(point)[1]

    def around(watch: _WatchedStep, step: Step) -> Step:
        async def after(ctx: RunContext[Any], **kwargs: object) -> object:
            seen = seen_in(view(kwargs.get(point.result)))
            try:
                result = await step(ctx, **kwargs)
            except BaseException as error:
                await watch.raised(ctx, kwargs, error, point)
                raise
            await watch.compare(ctx, seen, seen_in(view(result)), kwargs)
            return result

        return after

    return around


def _on_error(point: HookPoint) -> Callable[[_WatchedStep, Step], Step]:
    view = _views(point)[1]

    def around(watch: _WatchedStep, step: Step) -> Step:
        async def on_error(ctx: RunContext[Any], *, error: BaseException, **kwargs: object) -> object:
            try:
                result = await step(ctx, **kwargs, error=error)
            except BaseException as other:
                if other is not error:
                    await watch.raised(ctx, kwargs, other, point)
                raise
            changes = changes_between(_NOTHING, seen_in(view(result)))
            await watch.announce(ctx, kwargs, 'recovered', changes, error)
            return result

        return on_error

    return around


def _wrap(point: HookPoint) -> Callable[[_WatchedStep, Step], Step]:
    view_value, view_result = _views(point)

    def around(watch: _WatchedStep, step: Step) -> Step:
        async def wrap(ctx: RunContext[Any], *, handler: Step, **kwargs: object) -> object:
            value = seen_in(view_value(kwargs[point.value])) if point.value is not None else _NOTHING
            inner: list[Seen] = []  # what the handler returned, each time
            failures: list[BaseException] = []

            async def watched_handler(*args: object) -> object:
                if args:
                    await watch.compare(ctx, value, seen_in(view_value(args[0])), kwargs)
                try:
                    result = await handler(*args)
                except BaseException as error:
                    failures.append(error)
                    raise
                inner.append(seen_in(view_result(result)))
                return result

            try:
                result = await step(ctx, **kwargs, handler=watched_handler)
            except BaseException as error:
                if error not in failures:
                    await watch.raised(ctx, kwargs, error, point)
                raise
            after = seen_in(view_result(result))
            if inner:
                await watch.compare(ctx, inner[-1], after, kwargs)
            else:
                failure = failures[-1] if failures else None
                did: Did = 'recovered' if failures else 'answered'
                await watch.announce(ctx, kwargs, did, changes_between(_NOTHING, after), failure)
            return result

        return wrap

    return around


def _prepare(watch: _WatchedStep, step: Step) -> Step:
    async def prepare(ctx: RunContext[Any], tool_defs: Any) -> Any:
        seen = seen_in({'tools': view_tools(tool_defs)})
        prepared = await step(ctx, tool_defs)
        await watch.compare(ctx, seen, seen_in({'tools': view_tools(prepared)}), {})
        return prepared

    return prepare


def _decide(watch: _WatchedStep, step: Step) -> Step:
    async def decide(ctx: RunContext[Any], *, requests: Any) -> Any:
        results = await step(ctx, requests=requests)
        await watch.compare(ctx, seen_in({'decisions': {}}), seen_in(view_decisions(results)), {}, 'decided')
        return results

    return decide


_WATCHES: dict[str, Callable[[_WatchedStep, Step], Step]] = {
    # A point without a value has nothing that a hook before it could change.
    **{point.before: _before(point) for point in POINTS if point.value is not None},
    **{point.wrap: _wrap(point) for point in POINTS},
    **{point.after: _after(point) for point in POINTS},
    **{point.on_error: _on_error(point) for point in POINTS},
    'prepare_tools': _prepare,
    'prepare_output_tools': _prepare,
    'handle_deferred_tool_calls': _decide,
}


_listed: ContextVar[list[Any] | None] = ContextVar('stead_listed_tools', default=None)
"""Where the tools inside of a watched wrapper are noted while they are listed."""


@dataclass
class NotedTools(WrapperToolset[AgentDepsT]):
    """The tools inside of the wrapper of a capability: it notes how they are listed."""

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the wrapped toolset."""
        return self._note(await self.wrapped.get_tools(ctx))

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the listing of the wrapped toolset."""
        listing = await self.wrapped.tool_listing(ctx)
        self._note(listing.tools)
        return listing

    def _note(self, tools: dict[str, ToolsetTool[AgentDepsT]]) -> dict[str, ToolsetTool[AgentDepsT]]:
        if (noted := _listed.get()) is not None:
            noted.append([tool.tool_def for tool in tools.values()])
        return tools


@dataclass
class WatchedTools(WrapperToolset[AgentDepsT]):
    """The wrapper that a capability put around all tools: it lets those that watch know what that changed."""

    capability: AbstractCapability[AgentDepsT]
    """The capability."""
    announce: Announce
    """What is called with what it changed."""

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the wrapped toolset."""
        return (await self.tool_listing(ctx)).tools.copy()

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the listing of the wrapped toolset; what the capability changed is announced unless it is static and known."""
        noted: list[Any] = []
        token = _listed.set(noted)
        try:
            listing = await self.wrapped.tool_listing(ctx)
        finally:
            _listed.reset(token)
        is_known = listing.is_static and self._last_listing is not None and self._last_listing[1] is listing
        self._last_listing = None, listing
        if noted and not is_known:
            watch = _WatchedStep(describe(self.capability), 'get_wrapper_toolset', self.announce)
            after = seen_in({'tools': view_tools([tool.tool_def for tool in listing.tools.values()])})
            await watch.compare(ctx, seen_in({'tools': view_tools(noted[-1])}), after, {})
        return listing


def watched_wrapper(
    capability: AbstractCapability[Any], toolset: AbstractToolset[Any], announce: Announce
) -> AbstractToolset[Any]:
    """Return a toolset with the wrapper of a capability around it, and let those that watch know what that changes."""
    noted: NotedTools[Any] = NotedTools(toolset)
    wrapper = capability.get_wrapper_toolset(noted)
    if wrapper is None:
        return toolset
    return WatchedTools(wrapper, capability, announce)
