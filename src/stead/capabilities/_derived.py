"""Methods of all hooks for capabilities that have steps: `Hooks` and `CombinedCapability`."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from copy import copy
from functools import update_wrapper
from typing import Any, Protocol

from .._contracts.capability import AbstractCapability
from .._contracts.facts import RunFact
from .._contracts.hooks import POINTS, HookPoint, HookStep
from .._contracts.tool_definition import ToolDefinition
from ..messages import AgentStreamEvent
from ..tools import DeferredToolRequests
from ._chain import Action, Context, Subject, run_after, run_before, run_on_error, wrapped
from ._single_hooks import announce_event, prepared, readied, recorded, resolved, restored, streamed


class _HasSteps(Protocol):
    """A capability whose hooks are derived from steps."""

    def _inner_steps(self, hook: str) -> Sequence[HookStep]: ...


def derive_hooks(cls: type[AbstractCapability[Any]], context: Callable[[Context], Context] = lambda ctx: ctx) -> None:
    """Add the methods of all hooks to a capability class; each runs the steps that `_inner_steps` returns.

    Chains do not call them. They are for code that calls capabilities itself, and for `super()` in subclasses.

    Args:
        cls: The class; its `_inner_steps` takes the name of a hook.
        context: A function that returns the context for the steps, from the one that a method receives.
    """
    methods: dict[str, Callable[..., object]] = {}
    for point in map(copy, POINTS):
        # Only runs need values: what a method called by hand returns is what its steps return.
        point.needs_value = point.needs_result = False
        methods.update(_point_methods(point, context))
    for name in ('prepare_tools', 'prepare_output_tools'):
        methods[name] = _prepare_method(name, context)

    async def wrap_run_event_stream(
        self: _HasSteps, ctx: Context, *, stream: AsyncIterable[AgentStreamEvent]
    ) -> object:
        async for event in streamed(self._inner_steps('wrap_run_event_stream'), context(ctx), stream):
            yield event

    async def handle_deferred_tool_calls(self: _HasSteps, ctx: Context, *, requests: DeferredToolRequests) -> object:
        return await resolved(self._inner_steps('handle_deferred_tool_calls'), context(ctx), requests)

    async def restore_run(self: _HasSteps, ctx: Context) -> object:
        return await restored(self._inner_steps('restore_run'), context(ctx))

    async def record(self: _HasSteps, ctx: Context, *, fact: RunFact) -> None:
        await recorded(self._inner_steps('record'), context(ctx), fact)

    async def on_event(self: _HasSteps, ctx: Context, *, event: AgentStreamEvent) -> None:
        await announce_event(self._inner_steps('on_event'), context(ctx), event)

    async def prepare_model_request(self: _HasSteps, ctx: Context, request_context: Any) -> object:
        return await readied(self._inner_steps('prepare_model_request'), context(ctx), request_context)

    methods['restore_run'], methods['record'] = restore_run, record
    methods['on_event'], methods['prepare_model_request'] = on_event, prepare_model_request
    methods['wrap_run_event_stream'] = wrap_run_event_stream
    methods['handle_deferred_tool_calls'] = handle_deferred_tool_calls
    for name, method in methods.items():
        setattr(cls, name, update_wrapper(method, getattr(AbstractCapability, name)))


def _prepare_method(name: str, context: Callable[[Context], Context]) -> Callable[..., object]:
    async def prepare(self: _HasSteps, ctx: Context, tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return await prepared(self._inner_steps(name), context(ctx), tool_defs)

    return prepare


def _point_methods(point: HookPoint, context: Callable[[Context], Context]) -> dict[str, Callable[..., object]]:
    """Return the methods of the four hooks of a point."""

    def value_in(kwargs: Subject) -> object:
        return kwargs.pop(point.value, None) if point.value is not None else None

    async def before(self: _HasSteps, ctx: Context, *args: object, **kwargs: object) -> object:
        value = args[0] if args else value_in(kwargs)
        return await run_before(self._inner_steps(point.before), point, context(ctx), value, kwargs)

    async def wrap(
        self: _HasSteps, ctx: Context, *, handler: Callable[..., Awaitable[object]], **kwargs: object
    ) -> object:
        value = value_in(kwargs)
        inner: Action = handler if point.value is not None else lambda _: handler()
        return await wrapped(self._inner_steps(point.wrap), point, context(ctx), kwargs, inner)(value)

    async def after(self: _HasSteps, ctx: Context, **kwargs: object) -> object:
        result = kwargs.pop(point.result)
        value = value_in(kwargs) if point.after_sees_value else None
        return await run_after(self._inner_steps(point.after), point, context(ctx), value, kwargs, result)

    async def on_error(self: _HasSteps, ctx: Context, *, error: BaseException, **kwargs: object) -> object:
        value = value_in(kwargs)
        return await run_on_error(self._inner_steps(point.on_error), point, context(ctx), value, kwargs, error)

    return {point.before: before, point.wrap: wrap, point.after: after, point.on_error: on_error}
