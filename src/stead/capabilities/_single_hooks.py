"""Running the hooks that belong to no point, from the outermost to the innermost as they are listed, or in reverse."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from typing_extensions import TypeAlias

from .._contracts.facts import RunEnded, RunFact
from .._contracts.hooks import HookStep
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import RunContext
from .._contracts.run_state import RunState
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import UserError
from ..messages import AgentStreamEvent
from ..tools import DeferredToolRequests, DeferredToolResults

Context: TypeAlias = RunContext[Any]
"""The context of a run, whatever the type of its dependencies."""
_NO_SUBJECT: Mapping[str, object] = {}


def returned_nothing(name: str, hook: Callable[..., object], value: str) -> UserError:
    """Return the error of a hook that forgot to return what the run continues with."""
    hook = getattr(hook, '__wrapped__', hook)  # of a step that is watched
    owner = getattr(hook, '__self__', None)
    function = getattr(hook, 'function', hook)  # of a function that was registered with `Hooks`
    where = getattr(function, '__qualname__', repr(function)) if owner is None else type(owner).__name__
    return UserError(
        f'The hook `{name}` of `{where}` returned nothing. It must return the `{value}`, changed or as it is.'
    )


async def prepared(steps: Sequence[HookStep], ctx: Context, tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
    """Return tools after all steps, from the outermost to the innermost."""
    for hook, applies in steps:
        if applies is None or applies(ctx, _NO_SUBJECT):
            tool_defs = await hook(ctx, tool_defs)
    return tool_defs


def streamed(
    steps: Sequence[HookStep], ctx: Context, stream: AsyncIterable[AgentStreamEvent]
) -> AsyncIterable[AgentStreamEvent]:
    """Return the events of a run after all steps; the outermost step sees them last."""
    for hook, applies in reversed(steps):
        if applies is None or applies(ctx, _NO_SUBJECT):
            stream = hook(ctx, stream=stream)
    return stream


async def heard(
    steps: Sequence[HookStep], ctx: Context, stream: AsyncIterable[AgentStreamEvent]
) -> AsyncIterable[AgentStreamEvent]:
    """Yield the events of a run unchanged, each after it was announced to its listeners."""
    async for event in stream:
        await announce_event(steps, ctx, event)
        yield event


async def announce_event(steps: Sequence[HookStep], ctx: Context, event: AgentStreamEvent) -> None:
    """Announce an event to all steps that listen to it, from the outermost to the innermost."""
    subject = {'event': event}
    for hook, applies in steps:
        if applies is None or applies(ctx, subject):
            await hook(ctx, event=event)


async def readied(steps: Sequence[HookStep], ctx: Context, request: ModelRequestContext) -> ModelRequestContext:
    """Return a request after all steps.

    Raises:
        UserError: A step returned nothing.
    """
    for hook, applies in steps:
        if applies is None or applies(ctx, _NO_SUBJECT):
            request = await hook(ctx, request)
            if request is None:
                raise returned_nothing('prepare_model_request', hook, 'request_context')
    return request


async def resolved(
    steps: Sequence[HookStep], ctx: Context, requests: DeferredToolRequests
) -> DeferredToolResults | None:
    """Return the results of the steps for deferred calls; each receives the calls that are still without a result.

    A step approves and denies calls that it received: a decision about another does not replace what was decided before.

    Raises:
        UserError: A step returned something else than results.
    """
    collected: DeferredToolResults | None = None
    for hook in [hook for hook, applies in steps if applies is None or applies(ctx, _NO_SUBJECT)]:
        results = await hook(ctx, requests=requests)
        if results is not None and not isinstance(results, DeferredToolResults):
            hook = getattr(hook, '__wrapped__', hook)
            raise UserError(
                f'The hook `handle_deferred_tool_calls` of {getattr(hook, "__self__", hook)!r:.200} returned a '
                f'`{type(results).__name__}`. It must return `DeferredToolResults`, or `None` if it decides about no call.'
            )
        if results is None or not (results.calls or results.approvals):
            continue
        results = _about(requests, results)
        if collected is None:
            collected = DeferredToolResults()
        collected.update(results)
        still_open = requests.remaining(results)
        if still_open is None:
            break
        requests = still_open
    return collected


def _about(requests: DeferredToolRequests, results: DeferredToolResults) -> DeferredToolResults:
    """Return results without approvals and denials of calls that are not among the requests."""
    asked = {call.tool_call_id for call in (*requests.calls, *requests.approvals)}
    if asked.issuperset(results.approvals):
        return results
    approvals = {call_id: decision for call_id, decision in results.approvals.items() if call_id in asked}
    return replace(results, approvals=approvals)


async def restored(steps: Sequence[HookStep], ctx: Context) -> RunState | None:
    """Return the first answer of the steps that is not `None`."""
    for hook, applies in steps:
        if (applies is None or applies(ctx, _NO_SUBJECT)) and (state := await hook(ctx)) is not None:
            return cast(RunState, state)
    return None


async def recorded(steps: Sequence[HookStep], ctx: Context, fact: RunFact) -> None:
    """Pass a fact to all steps, from the outermost to the innermost; all of them have to know that a run has ended."""
    failure: BaseException | None = None
    for hook, applies in steps:
        if applies is None or applies(ctx, _NO_SUBJECT):
            try:
                await hook(ctx, fact=fact)
            except BaseException as error:
                if type(fact) is not RunEnded:
                    raise
                failure = failure or error
    if failure is not None:
        raise failure
