"""The calls of a batch while they run: each is executed and answered, and its events are written."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from typing_extensions import TypeAlias

from .._contracts.call_policy import ParallelExecutionMode
from .._contracts.facts import CallAnswered, CallProgressed
from .._contracts.run_context import RunContext
from .._contracts.run_state import RecordedAnswer
from .._contracts.toolset import ToolsetTool
from .._kit.aio import cancel_and_drain, in_own_context
from ..exceptions import ApprovalRequired, CallDeferred, ToolRetryError
from ..messages import (
    DeferredToolRequestsEvent,
    DeferredToolResultsEvent,
    FunctionToolProgressEvent,
    FunctionToolResultEvent,
    HandleResponseEvent,
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelRequestPart,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    is_retry,
)
from .answers import MAY_HAVE_RUN, answer_to, failed_answer, typed_answer
from .approvals import Deferred
from .execute import execute_call
from .step_tools import StepTools
from .validate import ValidatedToolCall

Emit: TypeAlias = Callable[[HandleResponseEvent], None]
"""Receives events as they happen."""


class EventWriter(Protocol):
    """Takes the events of tool calls for a reader."""

    def put(self, event: HandleResponseEvent) -> None:
        """Add an event."""

    async def flush(self) -> None:
        """Wait until the events so far have been read, or nothing reads them any longer."""


def show_change(
    step: StepTools[Any], events: EventWriter | None, event: DeferredToolRequestsEvent | DeferredToolResultsEvent
) -> None:
    """Show a reader that calls wait, or no longer do, if it knows such events."""
    if events is not None and step.chain.shows_changes:
        events.put(event)


def under_ids(shown_ids: Mapping[str, str], emit: Emit) -> Emit:
    """Return what shows progress and results of calls that got new ids under those that their reader knows."""

    def show(event: HandleResponseEvent) -> None:
        if isinstance(event, FunctionToolResultEvent):
            part = event.part
            event = replace(event, part=replace(part, tool_call_id=shown_ids.get(part.tool_call_id, part.tool_call_id)))
        elif isinstance(event, FunctionToolProgressEvent):
            event = replace(event, tool_call_id=shown_ids.get(event.tool_call_id, event.tool_call_id))
        emit(event)

    return show


chosen_mode: ContextVar[ParallelExecutionMode] = ContextVar('stead_parallel_execution_mode', default='parallel')


def execution_mode(tools: Iterable[ToolsetTool[Any] | None]) -> ParallelExecutionMode:
    """Return how calls of these tools run: as chosen by context, and one by one if any of the tools is sequential."""
    mode = chosen_mode.get()
    if mode != 'sequential':
        for tool in tools:
            if tool is not None and tool.tool_def.sequential:
                return 'sequential'
    return mode


@dataclass
class RunningCall:
    """A call of a batch, and its answer once it has one."""

    call: ToolCallPart
    tool: ToolsetTool[Any] | None
    validated: ValidatedToolCall[Any] | None
    """The call to execute; `None` if its result was decided."""
    decision: object = None
    """An approval, a denial, or the result itself."""
    answer: ToolReturnPart | RetryPromptPart | None = field(default=None, init=False)
    """What the model will read; `None` until the call has ended, and if it is deferred."""
    user_parts: Sequence[ModelRequestPart] = field(default=(), init=False)
    """Content that the tool adds to the conversation."""
    deferred: Deferred | None = field(default=None, init=False)
    """The call as one that waits, if its tool deferred it."""
    event: FunctionToolResultEvent | None = field(default=None, init=False)
    """The event of its result, if events are written."""
    raised: bool = field(default=False, init=False)
    """Whether the tool was called and raised an error that ends the run; such a call has no answer."""

    def note_end(self, error: BaseException) -> None:
        """Note what is known of a call that ends without an answer.

        Its tool may have returned, and then a hook failed or was cancelled; it may have raised an error, so that a run that
        is continued calls it again; or it was cancelled, and may have had effects, as a function in a thread continues.
        """
        validated = self.validated
        if validated is None or not validated.begun:
            return
        if validated.returned:
            answer, self.user_parts = answer_to(self.call, validated.returned[0])
            self.answer = typed_answer(answer, self.call)
        elif isinstance(error, Exception):
            self.raised = True
        else:
            self.answer = failed_answer(self.call, MAY_HAVE_RUN)


async def run_one(step: StepTools[Any], running: RunningCall, emit: Emit | None, *, hold_event: bool = False) -> None:
    """Run one call and answer it.

    Args:
        step: The tools of the step.
        running: The call, which gets the answer.
        emit: Receives progress and result as events.
        hold_event: Whether the event of the result is left for the caller to write.
    """
    call, validated = running.call, running.validated
    if isinstance(running.decision, RecordedAnswer):
        _take_recorded(step, running, running.decision)
        if emit is not None:
            _show_answer(running, emit, hold_event=hold_event)
        return
    try:
        if validated is None:
            value = running.decision
        elif emit is None and not step.chain.record:  # no one could learn of its progress
            value = await _execute(step, validated)
        else:
            value = await _execute_with_progress(step, validated, emit)
        answer, running.user_parts = answer_to(call, value, is_recorded=bool(step.chain.record))
    except ToolRetryError as error:
        answer = error.tool_retry
    except (CallDeferred, ApprovalRequired) as error:
        running.deferred = Deferred.by(error, call, running.tool)
        return
    except BaseException as error:
        running.note_end(error)
        raise
    if call.tool_kind is not None:
        answer = typed_answer(answer, call)
    running.answer = answer
    if step.chain.record:
        ctx = validated.ctx if validated is not None else step.ctx
        assert ctx is not None, 'calls are answered in a step'
        is_counted, pending = validated is not None and validated.counted, [*(ctx.pending_messages or ())]
        await step.chain.announce(ctx, CallAnswered(call, answer, running.user_parts, is_counted, pending))
    if emit is not None:
        _show_answer(running, emit, hold_event=hold_event)


def _take_recorded(step: StepTools[Any], running: RunningCall, recorded: RecordedAnswer) -> None:
    """Answer a call that an earlier process made, and note what it did to the step: the calls after it see that."""
    call, answer = running.call, recorded.answer
    running.answer, running.user_parts = answer, recorded.additions
    if is_retry(answer):
        step.failed_tools.add(call.tool_name)
        return
    if not isinstance(answer, RetryPromptPart) and answer.outcome == 'success':
        step.succeeded_tools |= {call.tool_name}
    if isinstance(answer, LoadCapabilityReturnPart) and isinstance(call, LoadCapabilityCallPart):
        if step.ctx is not None and answer.outcome == 'success' and call.capability_id is not None:
            step.ctx.loaded_capability_ids.add(call.capability_id)


def _show_answer(running: RunningCall, emit: Emit, *, hold_event: bool) -> None:
    """Write the event of an answer."""
    assert running.answer is not None, 'the call has its answer'
    more = running.user_parts
    content = more[0].content if more and isinstance(more[0], UserPromptPart) else None
    running.event = FunctionToolResultEvent(running.answer, content=content)
    if not hold_event:
        emit(running.event)


async def run_in_turn(
    step: StepTools[Any], calls: Iterable[RunningCall], emit: Emit | None, read: Callable[[], Awaitable[None]] | None
) -> None:
    """Run calls one after the other.

    Args:
        step: The tools of the step.
        calls: The calls.
        emit: Receives the events.
        read: Waits until the events so far have been read; the next call begins then.
    """
    for running in calls:
        work = run_one(step, running, emit)
        await (in_own_context(work) if step.chain.record else work)  # see `execute_apart`
        if read is not None:
            await read()


def _execute(step: StepTools[Any], validated: ValidatedToolCall[Any]) -> Awaitable[Any]:
    """Execute a call, through the public method if a program watches it."""
    watched = step.watched
    if watched is None:
        return execute_call(step, validated)
    validated.of_batch = True
    return watched.execute_tool_call(validated)


async def _execute_with_progress(step: StepTools[Any], validated: ValidatedToolCall[Any], emit: Emit | None) -> object:
    """Execute a call that may report progress."""
    progress = validated.ctx.report_progress = Progress(step, validated.ctx, validated.call, emit)
    try:
        value = await _execute(step, validated)
    except BaseException:
        await progress.drop()
        raise
    await progress.settle()
    return value


# What a tool reports while it runs


class Progress:
    """Reports the progress of one call. Tools report from the event loop or from their threads, and wait for nothing.

    What records a run is given one report after the other. The answer of the call comes after all of them.
    """

    def __init__(
        self, step: StepTools[Any], ctx: RunContext[Any], call: ToolCallPart, emit: Callable[[Any], object] | None
    ) -> None:
        """Begin with a call.

        Args:
            step: The tools of the step.
            ctx: The context of the call.
            call: The call.
            emit: Receives the events; `None` if no one reads them.
        """
        self._step = step
        self._ctx: RunContext[Any] | None = ctx
        self._call = call
        self._emit = emit
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[CallProgressed] = deque()
        self._task: asyncio.Task[None] | None = None
        self._has_ended = False

    def __call__(self, content: object) -> None:
        """Report something."""
        if self._emit is not None:
            call = self._call
            self._emit(
                FunctionToolProgressEvent(tool_name=call.tool_name, tool_call_id=call.tool_call_id, content=content)
            )
        if self._step.chain.record:
            self._waiting.append(CallProgressed(self._call, content))
            try:
                is_here = asyncio.get_running_loop() is self._loop
            except RuntimeError:
                is_here = False
            if is_here:
                self._begin()
            else:
                self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if not self._has_ended and (self._task is None or self._task.done()):
            self._task = self._loop.create_task(self._announce())

    async def _announce(self) -> None:
        assert self._ctx is not None, 'the call is under way'
        while self._waiting:
            await self._step.chain.announce(self._ctx, self._waiting.popleft())

    async def settle(self) -> None:
        """Wait until everything is recorded. Errors of that pass through."""
        self._has_ended = True
        if self._task is not None:
            await self._task
        if self._waiting:
            await self._announce()
        self._ctx = None  # which has this object

    async def drop(self) -> None:
        """Record nothing more: the call has failed, or was cancelled."""
        self._has_ended = True
        if self._task is not None:
            await cancel_and_drain(self._task)
        self._ctx = None
