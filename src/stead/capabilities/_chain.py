"""`HookChain`: what the capabilities of a run do at each hook, and in which order.

A point of the hook table (`_contracts/hooks.py`) is an action with four hooks. What a capability has at a hook are its
steps: a method, the functions it registered, or the steps of the capabilities inside of it. A chain lists the steps of all
capabilities, and only the functions below go through them; the methods of `Hooks` and `CombinedCapability` are made of these
functions, too (`derive_hooks`), so that there is one order of execution. They keep to this:

- **Order.** Capabilities nest, the first one outermost. On the way in, `before` and `wrap` go from the outermost to the
  innermost; on the way out, `after` and `on_error` go back. `before` and `after` are outside of all wraps, because a wrap may
  call its handler twice or never, and what they see must not depend on that. A row with `around_before` turns this round: a
  run that could not even start is still the business of its wraps.
- **One value.** `after` and `on_error` receive the value as `before` left it, whatever wraps passed on to their handlers:
  they report on what was asked for. A result is what the hook inside returned.
- **Errors.** `on_error` is asked about the action and its wraps (`handles`), not about `before` and `after`, whose errors
  are mistakes in hooks. The first that returns recovers, and `after` sees its result as if the action had succeeded; one that
  raises something else the point handles hands that to the next one outside. Signals meant for the run (`passes`) and what
  ends the program are never offered for recovery.
- **Skipping.** A skip signal answers instead of the action. Either it ends the point wherever it comes from, or
  (`skip_ends=False`) `after` still sees its answer, because that stands in the history like any other.
- **Deferral.** A deferred capability is asked for at each step whether it has been loaded, not when the chain is made: the
  model may load it between `before` and `after`.
- **Cost.** Steps are looked up when the chain is made, and again when a function is registered (`refresh`). A hook without
  steps costs its caller one look at a flag.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from functools import update_wrapper
from typing import Any, NamedTuple

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.hooks import HOOK_NAMES, POINTS, HookCondition, HookPoint, HookStep, RunLeft
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..tools import DeferredToolRequests, DeferredToolResults

Action: TypeAlias = Callable[[Any], Awaitable[Any]]

_NO_SKIP: tuple[Any, str] = ((), '')
_NO_SUBJECT: Mapping[str, Any] = {}
# What ends a program or a coroutine is not a failure of the action, nor is leaving the run.
_ENDINGS = (KeyboardInterrupt, SystemExit, GeneratorExit, RunLeft)


class PointSteps(NamedTuple):
    """The steps of one point, outermost first."""

    before: tuple[HookStep, ...]
    wrap: tuple[HookStep, ...]
    after: tuple[HookStep, ...]
    on_error: tuple[HookStep, ...]


class HookChain:
    """The capabilities of a run, and for each hook those that implement it, outermost first.

    Each hook and each point of the table is an attribute: a hook's is the tuple of its capabilities, a point's says
    whether any of its four hooks is implemented. A hook that no capability implements costs one look at an empty tuple.
    """

    # Written by `make stubs`.
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
    # End of what is written.

    def __init__(self, capabilities: Iterable[AbstractCapability[Any]]) -> None:
        """Take capabilities apart into leaves and look up their hooks.

        Args:
            capabilities: Outermost first; combined ones stand for their leaves, a wrapper is a leaf.
        """
        leaves: list[AbstractCapability[Any]] = []
        for capability in capabilities:
            capability.apply(leaves.append)
        self.capabilities: tuple[AbstractCapability[Any], ...] = tuple(leaves)
        self.version: int = -1
        """How often hooks were added since the chain was made."""
        self.refresh()
        for leaf in leaves:
            leaf.announce_hooks(self)

    def refresh(self) -> None:
        """Look up again which capability implements which hook."""
        self.version += 1
        self.steps: dict[str, tuple[HookStep, ...]] = {}
        """What is called at each hook, outermost first."""
        for name in HOOK_NAMES:
            implementing = tuple(leaf for leaf in self.capabilities if leaf.has_hook(name))
            setattr(self, name, implementing)
            self.steps[name] = steps_of(implementing, name)
        self._points = {
            point.name: PointSteps(
                *(self.steps[name] for name in (point.before, point.wrap, point.after, point.on_error))
            )
            for point in POINTS
        }
        for point in POINTS:
            setattr(self, point.name, any(self._points[point.name]))

    def has(self, point: HookPoint) -> bool:
        """Return whether any capability implements any of the four hooks of a point."""
        return getattr(self, point.name)

    async def call(
        self,
        point: HookPoint,
        ctx: RunContext[Any],
        value: Any,
        inner: Action,
        ready: Action | None = None,
        /,
        **subject: Any,
    ) -> Any:
        """Run an action with the hooks of its point around it.

        Args:
            point: The row of the hook table.
            ctx: The run context.
            value: What goes in.
            inner: The action.
            ready: Is called with the value as `before` left it, ahead of the action and the wraps inside of `before`. Its
                errors do not count as errors of the action.
            subject: What the point is about, for every hook.

        Returns:
            What comes out, after all hooks.

        Raises:
            Exception: What the action raised and no hook recovered from, or what a hook raised, `ModelRetry` included.
        """
        ctx = context_for(ctx)
        signal, answer = point.skip or _NO_SKIP
        ends, answers = (signal, ()) if point.skip_ends else ((), signal)
        steps = self._points[point.name]
        acting = False
        try:
            if point.around_before:
                return await _call_around_before(steps, point, ctx, value, inner, ready, subject)
            try:
                if steps.before:
                    value = await run_before(steps.before, point, ctx, value, subject)
                if ready is not None:
                    await ready(value)
                acting = True
                result = await (wrapped(steps.wrap, point, ctx, subject, inner) if steps.wrap else inner)(value)
            except answers as skipped:
                result = getattr(skipped, answer)
            except (*point.passes, *_ENDINGS):
                raise
            except point.handles as error:
                if not acting or not steps.on_error:
                    raise
                result = await run_on_error(steps.on_error, point, ctx, value, subject, error)
            return await run_after(steps.after, point, ctx, value, subject, result) if steps.after else result
        except ends as skipped:
            return getattr(skipped, answer)

    def run_prepare_tools(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]
    ) -> Coroutine[Any, Any, list[ToolDefinition]]:
        """Return function tools as the capabilities leave them."""
        return prepared(self.steps['prepare_tools'], context_for(ctx), tool_defs)

    def run_prepare_output_tools(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]
    ) -> Coroutine[Any, Any, list[ToolDefinition]]:
        """Return output tools as the capabilities leave them."""
        return prepared(self.steps['prepare_output_tools'], context_for(ctx), tool_defs)

    def wrap_event_stream(self, ctx: RunContext[Any], stream: AsyncIterable[Any]) -> AsyncIterable[Any]:
        """Return the events of a run as the capabilities leave them; the first capability sees them last."""
        return streamed(self.steps['wrap_run_event_stream'], context_for(ctx), stream)

    def resolve_deferred(
        self, ctx: RunContext[Any], requests: DeferredToolRequests
    ) -> Coroutine[Any, Any, DeferredToolResults | None]:
        """Return what the capabilities have for deferred calls; each is asked for those that are still open."""
        return resolved(self.steps['handle_deferred_tool_calls'], context_for(ctx), requests)


async def _call_around_before(
    steps: PointSteps,
    point: HookPoint,
    ctx: RunContext[Any],
    value: Any,
    inner: Action,
    ready: Action | None,
    subject: dict[str, Any],
) -> Any:
    """Run an action whose wraps are around `before`, too; `on_error` is asked about the action's own error only."""
    signal, answer = point.skip if point.skip is not None and not point.skip_ends else _NO_SKIP
    failure: BaseException | None = None

    async def act(incoming: Any) -> Any:
        nonlocal failure, value
        value = await run_before(steps.before, point, ctx, incoming, subject) if steps.before else incoming
        if ready is not None:
            await ready(value)
        try:
            return await inner(value)
        except BaseException as error:
            failure = error
            raise

    try:
        result = await wrapped(steps.wrap, point, ctx, subject, act)(value)
    except signal as skipped:
        result = getattr(skipped, answer)
    except (*point.passes, *_ENDINGS):
        raise
    except point.handles:
        if failure is None or isinstance(failure, (*point.passes, *_ENDINGS)):
            raise
        result = await run_on_error(steps.on_error, point, ctx, value, subject, failure)
    return await run_after(steps.after, point, ctx, value, subject, result) if steps.after else result


def context_for(ctx: RunContext[Any]) -> RunContext[Any]:
    """Return the context that the hooks of capabilities receive."""
    return ctx if ctx.capability_loaded else ctx.fork(capability_loaded=True)


def steps_of(capabilities: Iterable[AbstractCapability[Any]], hook: str) -> tuple[HookStep, ...]:
    """Return the steps at a hook of capabilities that implement it, outermost first."""
    steps: list[HookStep] = []
    for capability in capabilities:
        own = capability._hook_steps(hook)
        if capability.defer_loading:
            own = [(call, _once_loaded(capability, applies)) for call, applies in own]
        steps.extend(own)
    return tuple(steps)


def _once_loaded(capability: AbstractCapability[Any], condition: HookCondition | None) -> HookCondition:
    """Return a condition that does not hold until a capability is loaded."""

    def applies(ctx: RunContext[Any], subject: Mapping[str, Any]) -> bool:
        return capability.id in ctx.loaded_capability_ids and (condition is None or condition(ctx, subject))

    return applies


# Going through steps, outermost first as they are listed, or the other way round.


async def run_before(
    steps: Sequence[HookStep], point: HookPoint, ctx: RunContext[Any], value: Any, subject: dict[str, Any]
) -> Any:
    """Return what goes in, as the hooks before the action leave it, outermost first."""
    name, positional = point.value, point.positional
    # One dictionary for all of them: each call copies it anyway.
    kwargs = subject if name is None or positional else {**subject, name: value}
    for hook, applies in steps:
        if applies is not None and not applies(ctx, subject):
            continue
        if name is None:
            await (hook(ctx, **kwargs) if kwargs else hook(ctx))
        elif positional:
            value = await (hook(ctx, value, **kwargs) if kwargs else hook(ctx, value))
        else:
            kwargs[name] = value = await hook(ctx, **kwargs)
    return value


def wrapped(
    steps: Sequence[HookStep], point: HookPoint, ctx: RunContext[Any], subject: dict[str, Any], inner: Action
) -> Action:
    """Return an action with the wrap hooks of its point around it, the first step outermost."""
    for hook, applies in reversed(steps):
        if applies is None or applies(ctx, subject):
            inner = _around(point.value, hook, ctx, subject, inner)
    return inner


def _around(
    name: str | None, hook: Callable[..., Any], ctx: RunContext[Any], subject: dict[str, Any], handler: Action
) -> Action:
    if name is None:
        return lambda _: hook(ctx, **subject, handler=lambda: handler(None))
    return lambda value: hook(ctx, **subject, **{name: value}, handler=handler)


async def run_after(
    steps: Sequence[HookStep], point: HookPoint, ctx: RunContext[Any], value: Any, subject: dict[str, Any], result: Any
) -> Any:
    """Return what comes out, as the hooks after the action leave it, innermost first."""
    kwargs = {**subject, point.value: value} if point.value is not None and point.after_sees_value else dict(subject)
    for hook, applies in reversed(steps):
        if applies is None or applies(ctx, subject):
            kwargs[point.result] = result
            result = await hook(ctx, **kwargs)
    return result


async def run_on_error(
    steps: Sequence[HookStep],
    point: HookPoint,
    ctx: RunContext[Any],
    value: Any,
    subject: dict[str, Any],
    error: BaseException,
) -> Any:
    """Let hooks recover from an error, innermost first; each is asked about what the one inside of it raised."""
    kwargs = {**subject, point.value: value} if point.value is not None else subject
    for hook, applies in reversed(steps):
        if applies is not None and not applies(ctx, subject):
            continue
        try:
            return await hook(ctx, **kwargs, error=error)
        except point.handles as raised:
            error = raised
    raise error


async def prepared(
    steps: Sequence[HookStep], ctx: RunContext[Any], tool_defs: list[ToolDefinition]
) -> list[ToolDefinition]:
    """Return tools as the steps leave them, outermost first."""
    for hook, applies in steps:
        if applies is None or applies(ctx, _NO_SUBJECT):
            tool_defs = await hook(ctx, tool_defs)
    return tool_defs


def streamed(steps: Sequence[HookStep], ctx: RunContext[Any], stream: AsyncIterable[Any]) -> AsyncIterable[Any]:
    """Return the events of a run as the steps leave them; the first step sees them last."""
    for hook, applies in reversed(steps):
        if applies is None or applies(ctx, _NO_SUBJECT):
            stream = hook(ctx, stream=stream)
    return stream


async def resolved(
    steps: Sequence[HookStep], ctx: RunContext[Any], requests: DeferredToolRequests
) -> DeferredToolResults | None:
    """Return what the steps have for deferred calls; each is asked for those that are still open."""
    collected: DeferredToolResults | None = None
    for hook in [hook for hook, applies in steps if applies is None or applies(ctx, _NO_SUBJECT)]:
        results = await hook(ctx, requests=requests)
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


# Methods


def derive_hooks(
    cls: type[AbstractCapability[Any]], context: Callable[[RunContext[Any]], RunContext[Any]] = lambda ctx: ctx
) -> None:
    """Give a class of capabilities the methods of all hooks; each goes through the steps that `_inner_steps` returns.

    Chains have no need of them. They are for those who call capabilities themselves, and for `super()` in subclasses.

    Args:
        cls: The class; its `_inner_steps` takes the name of a hook.
        context: Makes the context for the steps of that which a method receives.
    """
    methods: dict[str, Callable[..., Any]] = {}
    for point in POINTS:
        methods.update(_point_methods(point, context))
    for name in ('prepare_tools', 'prepare_output_tools'):
        methods[name] = _prepare_method(name, context)

    async def wrap_run_event_stream(self: Any, ctx: RunContext[Any], *, stream: AsyncIterable[Any]) -> Any:
        async for event in streamed(self._inner_steps('wrap_run_event_stream'), context(ctx), stream):
            yield event

    async def handle_deferred_tool_calls(self: Any, ctx: RunContext[Any], *, requests: DeferredToolRequests) -> Any:
        return await resolved(self._inner_steps('handle_deferred_tool_calls'), context(ctx), requests)

    methods['wrap_run_event_stream'] = wrap_run_event_stream
    methods['handle_deferred_tool_calls'] = handle_deferred_tool_calls
    for name, method in methods.items():
        setattr(cls, name, update_wrapper(method, getattr(AbstractCapability, name)))


def _prepare_method(name: str, context: Callable[[RunContext[Any]], RunContext[Any]]) -> Callable[..., Any]:
    async def prepare(self: Any, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return await prepared(self._inner_steps(name), context(ctx), tool_defs)

    return prepare


def _point_methods(
    point: HookPoint, context: Callable[[RunContext[Any]], RunContext[Any]]
) -> dict[str, Callable[..., Any]]:
    """Return the methods of the four hooks of a point."""

    def value_in(kwargs: dict[str, Any]) -> Any:
        return kwargs.pop(point.value, None) if point.value is not None else None

    async def before(self: Any, ctx: RunContext[Any], *args: Any, **kwargs: Any) -> Any:
        value = args[0] if args else value_in(kwargs)
        return await run_before(self._inner_steps(point.before), point, context(ctx), value, kwargs)

    async def wrap(self: Any, ctx: RunContext[Any], *, handler: Any, **kwargs: Any) -> Any:
        value = value_in(kwargs)
        inner: Action = handler if point.value is not None else lambda _: handler()
        return await wrapped(self._inner_steps(point.wrap), point, context(ctx), kwargs, inner)(value)

    async def after(self: Any, ctx: RunContext[Any], **kwargs: Any) -> Any:
        result = kwargs.pop(point.result)
        value = value_in(kwargs) if point.after_sees_value else None
        return await run_after(self._inner_steps(point.after), point, context(ctx), value, kwargs, result)

    async def on_error(self: Any, ctx: RunContext[Any], *, error: BaseException, **kwargs: Any) -> Any:
        value = value_in(kwargs)
        return await run_on_error(self._inner_steps(point.on_error), point, context(ctx), value, kwargs, error)

    return {point.before: before, point.wrap: wrap, point.after: after, point.on_error: on_error}


EMPTY_CHAIN = HookChain(())
"""The chain of a run without capabilities."""
