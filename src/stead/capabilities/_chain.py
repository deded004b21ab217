"""`HookChain`: what the capabilities of a run do at each hook, and in which order.

A point of the hook table (`_contracts/hooks.py`) is an action with four hooks. The steps of a capability at a hook are its
method, the functions it registered, or the steps of the capabilities inside it. A chain lists the steps of all
capabilities, and only the functions below run them. The methods of `Hooks` and `CombinedCapability` are derived from the
same functions (`_derived.py`), so that there is one order of execution. These are its rules:

- **Order.** Capabilities nest, the first one outermost. On the way in, `before` and `wrap` run from the outermost to the
  innermost; on the way out, `after` and `on_error` run from the innermost to the outermost. `before` and `after` are outside
  all wraps, because a wrap may call its handler twice or never, and what they see must not depend on that. A row with
  `around_before` puts `before` inside the wraps: they also see runs that fail to start. In 2.x all are inside.
- **One value.** `after` and `on_error` receive the value that `before` returned, whatever wraps pass to their handlers. A
  result is what the next hook inside returned.
- **Errors.** `on_error` handles errors of the action and its wraps (`handles`), but not of `before` and `after`, whose errors
  are bugs in hooks. The first one that returns recovers, and `after` sees its result as if the action had succeeded. If one
  raises another error that the point handles, the next one outside receives that. Signals meant for the run (`passes`) and
  exceptions that end the program are never offered for recovery.
- **Skipping.** A skip signal carries a result that replaces that of the action. Either it ends the point, whichever hook
  raises it, or (`skip_ends=False`) `after` still sees its result, because that becomes part of the history like any other.
- **Deferral.** Whether a deferred capability is loaded is checked at each step, not when the chain is built, because the
  model may load it between `before` and `after`.
- **Cost.** Steps are looked up when the chain is built, and again when a function is registered (`refresh`). A hook without
  steps costs its caller one check of a flag.
"""

from __future__ import annotations

import contextvars
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.facts import RunFact, RunLeft
from .._contracts.hooks import HOOK_NAMES, POINTS, HookCondition, HookPoint, HookStep
from .._contracts.model import ModelRequestContext
from .._contracts.run_state import RunState
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from .._kit.variables import set_again
from ..messages import AgentStreamEvent
from ..tools import DeferredToolRequests, DeferredToolResults
from ._choices import Choices
from ._ordering import visit_leaves
from ._single_hooks import (
    Context,
    heard,
    prepared,
    readied,
    recorded,
    resolved,
    restored,
    returned_nothing,
    streamed,
)

Subject: TypeAlias = dict[str, object]
"""The keyword arguments that say what a point is about."""
Action: TypeAlias = Callable[[Any], Awaitable[Any]]
"""What a point runs: a coroutine function of the value that goes in."""

WRAPS_ARE_OUTERMOST = False
"""Whether wraps are around all other hooks of their point, as in 2.x."""
CHANGES_ARE_EVENTS = False
"""Whether there are events of enqueued messages and of waiting calls also if nothing listens with `on_event`, as in 2.x."""
MOST_NOTED = 2_000
"""How many changes of a run are noted for its result."""
_NO_SKIP: tuple[tuple[type[Exception], ...], str] = ((), '')
# Exceptions that end a program or a coroutine are not failures of the action, and neither is leaving the run.
_ENDINGS = (KeyboardInterrupt, SystemExit, GeneratorExit, RunLeft)


@dataclass(slots=True)
class PointSteps:
    """The steps of one point, outermost first."""

    before: tuple[HookStep, ...]
    wrap: tuple[HookStep, ...]
    after: tuple[HookStep, ...]
    on_error: tuple[HookStep, ...]


class HookChain:
    """The capabilities of a run, and for each hook those that implement it, outermost first.

    Each hook and each point of the table is an attribute: for a hook, the tuple of the capabilities that implement it; for a
    point, whether any of its four hooks is implemented. A hook that no capability implements costs one check of a tuple.
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
    prepare_model_request: tuple[AbstractCapability[Any], ...]
    wrap_run_event_stream: tuple[AbstractCapability[Any], ...]
    on_event: tuple[AbstractCapability[Any], ...]
    handle_deferred_tool_calls: tuple[AbstractCapability[Any], ...]
    restore_run: tuple[AbstractCapability[Any], ...]
    record: tuple[AbstractCapability[Any], ...]
    # End of what is written.

    def __init__(self, capabilities: Iterable[AbstractCapability[Any]]) -> None:
        """Look up the hooks of the leaves of capabilities.

        Args:
            capabilities: The capabilities, outermost first. Combined ones are replaced by their leaves; a wrapper is a leaf.
        """
        leaves: list[AbstractCapability[Any]] = []
        for capability in capabilities:
            visit_leaves(capability, leaves.append)
        self.capabilities: tuple[AbstractCapability[Any], ...] = tuple(leaves)
        self.replays_answers: bool = all(leaf.replays_answers for leaf in leaves)
        """Whether responses that hooks answer are shown to what reads the events of the run."""
        self.watchers: tuple[AbstractCapability[Any], ...] = tuple(leaf for leaf in leaves if leaf.watches_changes)
        """The capabilities that want to hear what others change. Without them, nothing looks for changes."""
        self.choices: Choices = Choices(self.capabilities)
        """What they choose for a run."""
        self.sees_events: bool = False
        """Whether a hook is called for events, so that responses are streamed."""
        self.hears_all_runs: bool = False
        """Whether a listener hears the events of runs however they are driven."""
        self.sees_valid_args: bool = False
        """Whether a hook has to be called for arguments that are valid; a trace is only told of others."""
        self.noted: dict[str, list[RunFact]] = {}
        """What was announced to them, by run, until the run has ended."""
        self.version: int = -1
        """How many times hooks were added since the chain was built."""
        self.refresh()
        for leaf in leaves:
            leaf.announce_hooks(self)

    @property
    def shows_changes(self) -> bool:
        """Whether there are events of messages that were enqueued, and of calls that wait: 1.x does not know them."""
        return CHANGES_ARE_EVENTS or self.hears_all_runs

    def refresh(self) -> None:
        """Look up again which capability implements which hook."""
        self.version += 1
        self.steps: dict[str, tuple[HookStep, ...]] = {}
        """The steps at each hook, outermost first."""
        for name in HOOK_NAMES:
            implementing = tuple(leaf for leaf in self.capabilities if leaf.has_hook(name))
            setattr(self, name, implementing)
            look_up = self._watched_steps if self.watchers else steps_of
            self.steps[name] = look_up(implementing, name)
        self._points: dict[str, PointSteps] = {}
        for point in POINTS:
            steps = [self.steps[name] for name in (point.before, point.wrap, point.after, point.on_error)]
            self._points[point.name] = PointSteps(*steps)
            setattr(self, point.name, any(steps))
        self.sees_events = bool(self.wrap_run_event_stream or self.on_event)
        self.hears_all_runs = bool(self.on_event) or any(
            getattr(leaf, 'hears_all_runs', False) for leaf in self.capabilities
        )
        self.model_request = self.model_request or bool(self.prepare_model_request)
        self.sees_valid_args = any(self.steps[f'{hook}_tool_validate'] for hook in ('before', 'wrap', 'after'))

    def _watched_steps(self, implementing: Sequence[AbstractCapability[Any]], name: str) -> tuple[HookStep, ...]:
        from ._watch import watched

        return tuple(
            watched(capability, name, step, self.announce_change)
            for capability in implementing
            for step in steps_of([capability], name)
        )

    def watched_wrapper(
        self, capability: AbstractCapability[Any], toolset: AbstractToolset[Any]
    ) -> AbstractToolset[Any]:
        """Return a toolset inside of the wrapper of a capability, and tell watchers what the wrapper changes."""
        from ._watch import watched_wrapper

        return watched_wrapper(capability, toolset, self.announce_change)

    def has(self, point: HookPoint) -> bool:
        """Return whether any capability implements any of the four hooks of a point."""
        return getattr(self, point.name)

    async def call(
        self,
        point: HookPoint,
        ctx: Context,
        value: object,
        inner: Action,
        ready: Action | None = None,
        /,
        **subject: object,
    ) -> Any:
        """Run an action with the hooks of its point around it.

        Args:
            point: The row of the hook table.
            ctx: The run context.
            value: The value that goes in.
            inner: The action.
            ready: A function that is called with the value that `before` returned, before the action and the wraps inside
                `before`. Its errors do not count as errors of the action.
            subject: Keyword arguments that say what the point is about, for every hook.

        Returns:
            The result of the action after all hooks.

        Raises:
            Exception: An error of the action that no hook recovered from, or an error of a hook, including `ModelRetry`.
        """
        ctx = context_for(ctx)
        if WRAPS_ARE_OUTERMOST and not point.begun:
            return await _call_within_wraps(self._points[point.name], point, ctx, value, inner, ready, subject)
        signal, attribute = point.skip or _NO_SKIP
        ends, replaces = (signal, ()) if point.skip_ends else ((), signal)
        steps = self._points[point.name]
        acting = False
        try:
            if point.around_before:
                return await _call_around_before(steps, point, ctx, value, inner, ready, subject)
            try:
                if steps.before and not point.begun:
                    value = await run_before(steps.before, point, ctx, value, subject)
                if ready is not None:
                    await ready(value)
                acting = True
                result = await (wrapped(steps.wrap, point, ctx, subject, inner) if steps.wrap else inner)(value)
            except replaces as skipped:
                result = getattr(skipped, attribute)
            except (*point.passes, *_ENDINGS):
                raise
            except point.handles as error:
                if not acting or not steps.on_error:
                    raise
                result = await run_on_error(steps.on_error, point, ctx, value, subject, error)
            return await run_after(steps.after, point, ctx, value, subject, result) if steps.after else result
        except ends as skipped:
            return getattr(skipped, attribute)

    def begin(self, point: HookPoint, ctx: Context, value: object, /) -> Coroutine[Any, Any, Any]:
        """Return the value that goes in after the `before` hooks of a point; `call` then gets its row with `begun`."""
        return run_before(self._points[point.name].before, point, context_for(ctx), value, {})

    def run_prepare_tools(
        self, ctx: Context, tool_defs: list[ToolDefinition]
    ) -> Coroutine[Any, Any, list[ToolDefinition]]:
        """Return the function tools that the capabilities return for a step."""
        return prepared(self.steps['prepare_tools'], context_for(ctx), tool_defs)

    def run_prepare_output_tools(
        self, ctx: Context, tool_defs: list[ToolDefinition]
    ) -> Coroutine[Any, Any, list[ToolDefinition]]:
        """Return the output tools that the capabilities return for a step."""
        return prepared(self.steps['prepare_output_tools'], context_for(ctx), tool_defs)

    def wrap_event_stream(
        self, ctx: Context, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """Return the events of a run after all capabilities; the outermost capability sees them last."""
        ctx = context_for(ctx)
        if listeners := self.steps['on_event']:
            stream = heard(listeners, ctx, stream)
        return streamed(self.steps['wrap_run_event_stream'], ctx, stream)

    def run_prepare_model_request(
        self, ctx: Context, request: ModelRequestContext
    ) -> Coroutine[Any, Any, ModelRequestContext]:
        """Return the request that is sent, from the outermost capability to the innermost."""
        return readied(self.steps['prepare_model_request'], context_for(ctx), request)

    def resolve_deferred(
        self, ctx: Context, requests: DeferredToolRequests
    ) -> Coroutine[Any, Any, DeferredToolResults | None]:
        """Return the results of the capabilities for deferred calls; each receives the calls that are still without a result."""
        return resolved(self.steps['handle_deferred_tool_calls'], context_for(ctx), requests)

    async def restore(self, ctx: Context) -> RunState | None:
        """Return what is known of a run that was started before, from the outermost capability that knows; else `None`."""
        return await restored(self.steps['restore_run'], context_for(ctx))

    def announce(self, ctx: Context, fact: RunFact) -> Awaitable[None]:
        """Let the capabilities take note of a fact, the outermost first."""
        steps = self.steps['record']
        if len(steps) == 1 and steps[0][1] is None:  # most runs have one journal
            noted: Awaitable[None] = steps[0][0](ctx, fact=fact)
            return noted
        return recorded(steps, ctx, fact)

    async def announce_change(self, ctx: Context, fact: RunFact) -> None:
        """Let the capabilities that watch changes take note of one."""
        if ctx.run_id is not None and len(noted := self.noted.setdefault(ctx.run_id, [])) < MOST_NOTED:
            noted.append(fact)
        for watcher in self.watchers:
            await watcher.record(ctx, fact=fact)


async def _call_around_before(
    steps: PointSteps,
    point: HookPoint,
    ctx: Context,
    value: object,
    inner: Action,
    ready: Action | None,
    subject: Subject,
) -> object:
    """Run an action whose wraps are also around `before`; `on_error` handles errors of the action only, and nothing skips it.

    `after` and `on_error` see the context variables that the action saw, although the wraps have ended and may have reset them.
    """
    failure: BaseException | None = None
    variables: contextvars.Context | None = None

    async def act(incoming: object) -> object:
        nonlocal failure, value, variables
        value = await run_before(steps.before, point, ctx, incoming, subject) if steps.before else incoming
        if ready is not None:
            await ready(value)
        variables = contextvars.copy_context()
        try:
            return await inner(value)
        except BaseException as error:
            failure = error
            raise

    try:
        result = await wrapped(steps.wrap, point, ctx, subject, act)(value)
    except (*point.passes, *_ENDINGS):
        raise
    except point.handles:
        if failure is None or isinstance(failure, (*point.passes, *_ENDINGS)):
            raise
        if steps.on_error and variables is not None:
            set_again(variables)
        result = await run_on_error(steps.on_error, point, ctx, value, subject, failure)
    if not steps.after:
        return result
    if variables is not None:
        set_again(variables)
    return await run_after(steps.after, point, ctx, value, subject, result)


async def _call_within_wraps(
    steps: PointSteps,
    point: HookPoint,
    ctx: Context,
    value: object,
    inner: Action,
    ready: Action | None,
    subject: Subject,
) -> object:
    """Run an action inside of all hooks of its point, which are inside of the wraps.

    So a wrap that calls its handler twice has them run twice, and one that does not call it has none of them run. `on_error`
    handles errors of the action alone; the wraps see those of all. A skip signal, whichever hook raises it, ends the point.
    """

    async def act(incoming: object) -> object:
        sent = await run_before(steps.before, point, ctx, incoming, subject) if steps.before else incoming
        if ready is not None:
            await ready(sent)
        try:
            result = await inner(sent)
        except (*point.passes, *_ENDINGS):
            raise
        except point.handles as error:
            if not steps.on_error:
                raise
            result = await run_on_error(steps.on_error, point, ctx, sent, subject, error)
        return await run_after(steps.after, point, ctx, sent, subject, result) if steps.after else result

    skips, attribute = point.skip or _NO_SKIP
    try:
        return await wrapped(steps.wrap, point, ctx, subject, act)(value)
    except skips as skipped:
        return getattr(skipped, attribute)


def context_for(ctx: Context) -> Context:
    """Return the context that the hooks of capabilities receive."""
    return ctx if ctx.capability_loaded else ctx.fork(capability_loaded=True)


def steps_of(capabilities: Iterable[AbstractCapability[Any]], hook: str) -> tuple[HookStep, ...]:
    """Return the steps of capabilities at a hook that they implement, outermost first."""
    steps: list[HookStep] = []
    for capability in capabilities:
        own = capability._hook_steps(hook)
        if hook == 'on_event':
            own = [(call, applies or partial(_listens, capability)) for call, applies in own]
        if capability.defer_loading:
            own = [(call, _once_loaded(capability, applies)) for call, applies in own]
        steps.extend(own)
    return tuple(steps)


def _listens(capability: AbstractCapability[Any], ctx: Context, subject: Mapping[str, Any]) -> bool:
    return capability.listens_to(subject['event'])


def _once_loaded(capability: AbstractCapability[Any], condition: HookCondition | None) -> HookCondition:
    """Return a condition that is false until a capability is loaded."""

    def applies(ctx: Context, subject: Mapping[str, object]) -> bool:
        return capability.id in ctx.loaded_capability_ids and (condition is None or condition(ctx, subject))

    return applies


# Running steps, from the outermost to the innermost as they are listed, or in reverse.


async def run_before(
    steps: Sequence[HookStep], point: HookPoint, ctx: Context, value: object, subject: Subject
) -> object:
    """Return the value that goes in after the `before` hooks, which run from the outermost to the innermost."""
    name, positional = point.value, point.positional
    # One dictionary for all hooks, because each call copies it anyway.
    kwargs = subject if name is None or positional else {**subject, name: value}
    for hook, applies in steps:
        if applies is not None and not applies(ctx, subject):
            continue
        if name is None:
            await (hook(ctx, **kwargs) if kwargs else hook(ctx))
            continue
        if positional:
            value = await (hook(ctx, value, **kwargs) if kwargs else hook(ctx, value))
        else:
            kwargs[name] = value = await hook(ctx, **kwargs)
        if value is None and point.needs_value:
            raise returned_nothing(point.before, hook, name)
    return value


def wrapped(steps: Sequence[HookStep], point: HookPoint, ctx: Context, subject: Subject, inner: Action) -> Action:
    """Return an action with the wrap hooks of its point around it, the first step outermost."""
    for hook, applies in reversed(steps):
        if applies is None or applies(ctx, subject):
            inner = _around(point, hook, ctx, subject, inner)
    return inner


def _around(
    point: HookPoint, hook: Callable[..., Awaitable[object]], ctx: Context, subject: Subject, handler: Action
) -> Action:
    name = point.value
    if name is None:
        return lambda _: hook(ctx, **subject, handler=lambda: handler(None))
    if not point.needs_result:
        return lambda value: hook(ctx, **subject, **{name: value}, handler=handler)

    async def act(value: object) -> object:
        result = await hook(ctx, **subject, **{name: value}, handler=handler)
        if result is None:  # the hook may forget to return one
            raise returned_nothing(point.wrap, hook, point.result)
        return result

    return act


async def run_after(
    steps: Sequence[HookStep], point: HookPoint, ctx: Context, value: object, subject: Subject, result: object
) -> object:
    """Return the result after the `after` hooks, which run from the innermost to the outermost."""
    kwargs = {**subject, point.value: value} if point.value is not None and point.after_sees_value else dict(subject)
    for hook, applies in reversed(steps):
        if applies is None or applies(ctx, subject):
            kwargs[point.result] = result
            result = await hook(ctx, **kwargs)
            if result is None and point.needs_result:
                raise returned_nothing(point.after, hook, point.result)
    return result


async def run_on_error(
    steps: Sequence[HookStep],
    point: HookPoint,
    ctx: Context,
    value: object,
    subject: Subject,
    error: BaseException,
) -> object:
    """Let hooks recover from an error, from the innermost to the outermost; each receives the error of the previous one."""
    kwargs = {**subject, point.value: value} if point.value is not None else subject
    for hook, applies in reversed(steps):
        if applies is not None and not applies(ctx, subject):
            continue
        try:
            result = await hook(ctx, **kwargs, error=error)
        except point.handles as raised:
            error = raised
            continue
        if result is None and point.needs_result:
            raise returned_nothing(point.on_error, hook, point.result) from error
        return result
    raise error


EMPTY_CHAIN = HookChain(())
"""The chain of a run without capabilities."""


def chain_of(root: AbstractCapability[Any] | None) -> HookChain:
    """Return the hooks of a capability and its parts; a combination keeps its chain, so that it is built once."""
    if root is None:
        return EMPTY_CHAIN
    kept = getattr(root, 'chain', None)
    return kept if isinstance(kept, HookChain) else HookChain([root])
