"""Who is asked about calls that wait: the capabilities of the run, and then those of the runs that it is inside of.

A tool may run another agent, whose call waits. What decides for the outer run decides about it, too: a call of a run whose
capabilities decide notes itself in a context variable while its tool works, and runs inside of it find it there. Runs without
such capabilities note nothing, and the variable passes through them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import RunContext
from ..tools import DeferredToolRequests, DeferredToolResults
from .step_tools import StepTools


@dataclass(frozen=True)
class CallAround:
    """A call whose tool is at work, of a run whose capabilities decide about calls that wait."""

    step: StepTools[Any]
    """The tools of its step."""
    ctx: RunContext[Any]
    """The context of the call, for these capabilities: its `tool_name` tells a call inside of it from one of their own run."""
    outer: CallAround | None
    """The call that its run is inside of."""


_around: ContextVar[CallAround | None] = ContextVar('stead_call_around', default=None)


async def call_with_its_own_around(step: StepTools[Any], call_tool: Any, *args: Any) -> Any:
    """Call a tool; `args` are those of `AbstractToolset.call_tool`. Runs inside of it may ask the capabilities of its run."""
    token = _around.set(CallAround(step, args[2], _around.get()))
    try:
        return await call_tool(*args)
    finally:
        _around.reset(token)


async def ask_capabilities(
    step: StepTools[Any], requests: DeferredToolRequests, *, is_output: bool = False
) -> DeferredToolResults | None:
    """Return the results that capabilities have for calls that wait; `None` if they have none.

    Args:
        step: The tools of the step of the calls.
        requests: The calls.
        is_output: Whether calls without a result become the output of the run, so that its caller decides, and not the
            capabilities of outer runs. In a journal they never do where the outer run is in one, too.
    """
    assert step.ctx is not None, 'deferred calls belong to a step'
    results = await step.chain.resolve_deferred(step.ctx, requests) if step.chain.handle_deferred_tool_calls else None
    for outer in _outer_calls(step):
        rest = requests if results is None else requests.remaining(results)
        if rest is None:
            break
        if is_output and not (step.chain.record and outer.step.chain.record):
            continue
        token = _around.set(outer.outer)  # an agent that decides is not asked about its own calls
        try:
            more = await outer.step.chain.resolve_deferred(outer.ctx, rest)
        finally:
            _around.reset(token)
        if results is None:
            results = more
        elif more is not None:
            results.update(more)
    return results


def _outer_calls(step: StepTools[Any]) -> Iterator[CallAround]:
    """Return the calls that the run of a step is inside of, the innermost first, without calls of its own."""
    outer, run_id = _around.get(), step.ctx.run_id if step.ctx is not None else None
    while outer is not None:
        if outer.ctx.run_id != run_id:
            yield outer
        outer = outer.outer
