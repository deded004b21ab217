"""The execution of a call: consent, limits, hooks, the toolset, and errors.

`execute_call` is the one gate. No tool runs anywhere else, wherever its call comes from: its batch, another tool, a response
that is streamed, a run that was resumed, or a decision. What must hold for every call belongs there. First of all: a tool that
needs approval is not run unless this call was approved, and one that is executed elsewhere is not run at all.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Literal, cast

from pydantic import ValidationError
from typing_extensions import TypeAlias

from .._contracts.call_policy import CallPolicy, Effect, OnToolError, ToolErrors
from .._contracts.facts import CallReturned, CallStarting
from .._contracts.hooks import TOOL_EXECUTE
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.aio import in_own_context
from .._kit.ids import generate_tool_call_id
from .._kit.interrupts import times_cancelled
from .._kit.plain_copies import own_copy
from .._kit.tracebacks import add_note
from ..concurrency import limited
from ..exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipToolExecution,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from ..messages import ToolCallPart, ToolReturnPart
from ..tools._call_options import merged_policy
from .answers import called_too_often, failed_answer, tool_error
from .around import call_with_its_own_around
from .step_tools import StepTools
from .validate import ToolArgs, ValidatedToolCall

CallTool: TypeAlias = Callable[..., Awaitable[Any]]
"""`AbstractToolset.call_tool`, or the hooks around it."""


async def execute_call(
    step: StepTools[AgentDepsT], validated: ValidatedToolCall[AgentDepsT], *, wrap_errors: bool = True
) -> Any:
    """Execute a validated call and return what the tool returned.

    Args:
        step: The tools of the step.
        validated: The call.
        wrap_errors: Whether a tool that asks for another try raises `ToolRetryError`, not its own `ModelRetry`.

    Raises:
        ToolRetryError: The arguments were invalid or the tool asks for a retry; it carries the retry prompt.
        ToolFailed: The tool, or a hook around it, failed, and errors are not wrapped; otherwise that is its result.
        UnexpectedModelBehavior: The tool asks for a retry and has none left.
        UsageLimitExceeded: The run may make no further call.
        CallDeferred: The result comes from outside of the run.
        ApprovalRequired: The call has to be approved.
    """
    if validated.validation_error is not None:
        if wrap_errors and isinstance(validated.validation_error, ToolFailed):
            return failed_answer(validated.call, validated.validation_error.message)
        raise validated.validation_error
    if validated.deferral is not None:
        raise validated.deferral
    call, tool, ctx, args = validated.call, validated.tool, validated.ctx, validated.validated_args
    assert tool is not None and args is not None, 'a valid call has a tool and arguments'
    if tool.tool_def.kind != 'function':
        _require_consent(call, tool, ctx)
    if step.budget is None:
        return await _execute(step, validated, tool, args, wrap_errors)
    if step.budget.ledger is not None and not await step.budget.ledger.begin_call():
        return failed_answer(call, step.budget.ledger.no_calls_left)
    with step.budget.call(ctx.usage):
        return await _execute(step, validated, tool, args, wrap_errors)


async def execute_apart(
    step: StepTools[AgentDepsT], validated: ValidatedToolCall[AgentDepsT], *, wrap_errors: bool = True
) -> Any:
    """Execute a call that a tool makes itself, see `execute_call`.

    What records calls knows by a context variable which call it is that makes another one. So a call has context variables of
    its own, and the next one is not taken for a part of it.
    """
    work = execute_call(step, validated, wrap_errors=wrap_errors)
    return await (in_own_context(work) if step.chain.record else work)


def _require_consent(call: ToolCallPart, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]) -> None:
    """Raise what defers a call that may not be executed now: its tool is external, or the call was not approved."""
    if tool.tool_def.kind == 'external':
        raise CallDeferred
    if tool.tool_def.kind == 'unapproved' and not (
        ctx.tool_call_approved and ctx.tool_call_id == call.tool_call_id and ctx.tool_name == call.tool_name
    ):
        raise ApprovalRequired


async def _execute(
    step: StepTools[AgentDepsT],
    validated: ValidatedToolCall[AgentDepsT],
    tool: ToolsetTool[AgentDepsT],
    args: ToolArgs,
    wrap_errors: bool,
) -> Any:
    call, ctx = validated.call, validated.ctx
    call_tool: CallTool = step.toolset.call_tool
    # Around the call is what records it, around that are the hooks, and then whom runs inside of it may ask.
    if step.chain.record:
        call_tool = partial(_call_recorded, step, call)
    if step.chain.tool_execute:
        call_tool = partial(_call_with_hooks, step, validated, wrap_errors, call_tool)
    if step.chain.handle_deferred_tool_calls:
        call_tool = partial(call_with_its_own_around, step, call_tool)
    policy = step.policy if tool.policy is None else merged_policy(step.policy, tool.policy)
    try:
        try:
            if policy is not None:
                return await _call_within_limits(step, policy, validated, call_tool, args, tool)
            validated.begun = not step.chain.tool_execute
            result = await call_tool(call.tool_name, args, ctx, tool)
        except (ModelRetry, ToolRetryError, ValidationError) as error:
            # What is not valid is for the model to correct, whether the tool or a hook says so, unless `on_tool_error` decides.
            decided = isinstance(error, ValidationError) and policy is not None and policy.on_error is not None
            if decided or not wrap_errors:
                raise
            raise step.retry_error(call, ctx, error) from error
    except ToolFailed as error:
        if not wrap_errors:
            raise
        return _failed(validated, error)
    except (ToolRetryError, ModelRetry, CallDeferred, ApprovalRequired):
        raise
    except StopAsyncIteration as error:  # a loop over what this call is a part of would take it for its end
        stopped = RuntimeError(f'Tool {call.tool_name!r} raised StopAsyncIteration.')
        _note_failure(stopped, ctx)
        raise stopped from error
    except Exception as error:
        _note_failure(error, ctx)
        raise
    ctx.usage.tool_calls += 1
    validated.counted = True
    if ctx.retries:
        step.succeeded_tools |= {call.tool_name}
    return result


def _failed(validated: ValidatedToolCall[Any], error: ToolFailed) -> ToolReturnPart:
    """Return the answer to a call that failed, and count it if its tool was called and a hook objects to the result."""
    if validated.returned:
        validated.ctx.usage.tool_calls += 1
        validated.counted = True
    return failed_answer(validated.call, error.message)


async def _call_with_hooks(
    step: StepTools[AgentDepsT],
    validated: ValidatedToolCall[AgentDepsT],
    wrap_errors: bool,
    call_tool: CallTool,
    name: str,
    args: ToolArgs,
    ctx: RunContext[AgentDepsT],
    tool: ToolsetTool[AgentDepsT],
) -> Any:
    call = validated.call

    async def inner(value: ToolArgs) -> object:
        validated.begun, validated.returned = True, ()
        try:
            result = await call_tool(name, value, ctx, tool)
        except (ModelRetry, ToolRetryError) as error:
            if not wrap_errors:
                raise
            raise step.retry_error(call, ctx, error) from error  # hooks see the error that the model would read
        except ToolFailed as error:
            if not wrap_errors:
                raise
            raise ToolFailedError(failed_answer(call, error.message)) from error
        validated.returned = (result,)
        return result

    return await step.chain.call(TOOL_EXECUTE, ctx, args, inner, call=call, tool_def=own_copy(tool.tool_def))


async def _call_recorded(
    step: StepTools[AgentDepsT],
    call: ToolCallPart,
    name: str,
    args: ToolArgs,
    ctx: RunContext[AgentDepsT],
    tool: ToolsetTool[AgentDepsT],
) -> Any:
    """Announce that a tool is about to run, and run it, unless a capability knows its result, or wants to know more first."""
    policy = step.policy if tool.policy is None else merged_policy(step.policy, tool.policy)
    fact = CallStarting(call, tool.tool_def, args, policy)
    try:
        await step.chain.announce(ctx, fact)
    except SkipToolExecution as skip:
        return skip.result
    work = step.toolset.call_tool(name, args, ctx, tool)
    result = await _unless_cancelled(asyncio.ensure_future(work) if fact.needs_task else work, fact, ctx.stopper)
    await step.chain.announce(ctx, CallReturned(call, result))
    return result


async def _unless_cancelled(work: Awaitable[Any], fact: CallStarting, stopper: Any) -> Any:
    """Await a call that may be cancelled without the run: its task is cancelled, and continues.

    Raises:
        ToolFailed: The call was cancelled, and nothing else.
    """
    task = fact.task = asyncio.current_task()
    before = times_cancelled(task)
    try:
        return await work
    except asyncio.CancelledError:
        # Python 3.10 does not count how often a task is cancelled.
        stopped = stopper is not None and stopper.kind is not None
        if fact.cancelled is None or stopped or times_cancelled(task) > before + 1:
            raise
        raise ToolFailed(fact.cancelled) from None
    finally:
        fact.task = None
        if fact.cancelled is not None and task is not None and sys.version_info >= (3, 11):
            task.uncancel()


async def run_step(
    step: StepTools[Any], ctx: RunContext[Any], name: str, function: Callable[[], Any], effect: Effect
) -> Any:
    """Do a step of a tool, and announce it like a call that the tool makes; see `RunContext.step`."""
    if ctx.tool_call_id is None:
        raise UserError('`ctx.step` belongs into a tool: call it on the context that the tool of a run receives.')
    call = ToolCallPart(name, {}, tool_call_id=generate_tool_call_id())
    own = ctx.fork(tool_call_id=call.tool_call_id, tool_name=name)

    async def work() -> Any:
        try:
            await step.chain.announce(own, CallStarting(call, ToolDefinition(name=name), {}, CallPolicy(effect=effect)))
        except SkipToolExecution as skip:
            result: Any = skip.result
        else:
            result = function()
            if inspect.isawaitable(result):
                result = await result
            await step.chain.announce(own, CallReturned(call, result))
        own.usage.tool_calls += 1  # as that of a call is
        return result

    if step.chain.record:
        return await in_own_context(work())
    result = function()
    return await result if inspect.isawaitable(result) else result


async def _call_within_limits(
    step: StepTools[AgentDepsT],
    policy: CallPolicy,
    validated: ValidatedToolCall[AgentDepsT],
    call_tool: CallTool,
    args: ToolArgs,
    tool: ToolsetTool[AgentDepsT],
) -> Any:
    """Call a tool within its limits, count the call, and handle errors as the policy says."""
    call, ctx = validated.call, validated.ctx
    name = call.tool_name
    if not step.has_calls_left(name, policy):
        return failed_answer(call, called_too_often(name, policy.max_calls))
    if policy.max_calls is not None:
        step.call_counts[name] = step.call_counts.get(name, 0) + 1
    try:
        async with AsyncExitStack() as stack:
            for limiter in policy.limiters:
                await stack.enter_async_context(limited(limiter, f'tool:{name}'))
            validated.begun = not step.chain.tool_execute
            result = await call_tool(name, args, ctx, tool)
    except ApprovalRequired as error:
        if policy.max_calls is not None and not error.for_people:
            step.call_counts[name] -= 1  # the tool asked before it did anything; the approved call counts
        raise
    except (ModelRetry, ToolFailed, ToolRetryError, CallDeferred, UserError, UsageLimitExceeded):
        raise
    except Exception as error:
        if policy.on_error is None or any(error is one for one in step.retries_exceeded):
            raise
        return await _result_of_error(policy.on_error, call, ctx, error)
    ctx.usage.tool_calls += 1
    validated.counted = True
    if ctx.retries:
        step.succeeded_tools |= {name}
    return result


async def _result_of_error(on_error: OnToolError, call: ToolCallPart, ctx: RunContext[object], error: Exception) -> Any:
    if isinstance(on_error, str):
        on_error = ToolErrors(cast(Literal['raise', 'inform', 'retry'], on_error))
    if not isinstance(on_error, ToolErrors):
        outcome = on_error(ctx, error)
        return await outcome if inspect.isawaitable(outcome) else outcome
    if on_error.action == 'raise':
        raise error
    message = tool_error(call.tool_name, error, on_error)
    if on_error.action == 'retry':
        raise ModelRetry(message) from error
    # The metadata is for developers; the model does not see it.
    return failed_answer(call, message, {'error': type(error).__name__, 'message': str(error)})


def _note_failure(error: Exception, ctx: RunContext[object]) -> None:
    """Say which tool raised an error that ends the run, on which attempt, and what the developer can do.

    A model that was asked to try again too often is an error with a text of its own.
    """
    if isinstance(error, UnexpectedModelBehavior) and isinstance(error.__cause__, (ModelRetry, ValidationError)):
        return
    add_note(
        error,
        f'Tool {ctx.tool_name!r} raised {type(error).__name__} on attempt {ctx.retry + 1} of {ctx.max_retries + 1} '
        f'(run step {ctx.run_step}). Raise `ModelRetry` in the tool to let the model try again, or catch the error there; '
        'continue this run with `message_history=error.messages`.',
    )
    expected = getattr(ctx.agent, 'deps_type', None)
    if not isinstance(error, (AttributeError, TypeError)) or expected in (None, type(None)):
        return
    if ctx.deps is None:
        add_note(
            error, f'The run has no `deps`, but the agent has `deps_type={expected.__name__}`: pass `deps=...` to it.'
        )
    elif isinstance(expected, type) and not isinstance(ctx.deps, expected):
        add_note(
            error,
            f'The `deps` of the run are of type {type(ctx.deps).__name__}, but the agent has `deps_type={expected.__name__}`.',
        )
