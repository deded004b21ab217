"""The tool calls of one response: which of them run, together or in turn, and what the model is told about each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from .._contracts.output import FinalResult
from .._contracts.run_context import RunContext
from .._kit.aio import cancel_and_drain, in_own_context
from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolRetryError, UnexpectedModelBehavior, UserError
from ..messages import (
    FunctionToolCallEvent,
    FunctionToolProgressEvent,
    FunctionToolResultEvent,
    HandleResponseEvent,
    ModelRequestPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    RetryPromptPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
    UserPromptPart,
)
from ..tool_manager import ToolManager, ValidatedToolCall
from ..tools import DeferredToolRequests, ToolApproved, ToolDenied
from .disclosure import typed_return
from .state import RunGraphContext

FINAL_RESULT_PROCESSED = 'Final result processed.'
OUTPUT_NOT_USED = 'Output tool not used - a final result was already processed.'
OUTPUT_INVALID = 'Output tool not used - output failed validation.'
OUTPUT_FAILED = 'Output tool not used - output function execution failed.'
TOOL_NOT_EXECUTED = 'Tool not executed - a final result was already processed.'

Emit = Callable[[HandleResponseEvent], None]
"""Receives events as they happen."""


class EventWriter(Protocol):
    """Takes the events of tool calls for somebody who reads them."""

    def put(self, event: Any) -> None:
        """Add an event."""

    async def flush(self) -> None:
        """Wait until the events so far have been read, or nobody reads any more."""


ALREADY_ANSWERED = object()
"""Stands for the result of a call that history answers already."""


@dataclass
class Deferred:
    """A call that waits for somebody."""

    call: ToolCallPart
    kind: str
    metadata: dict[str, Any] | None = None


@dataclass
class CallBatch:
    """The tool calls of one response while they are being worked on, and what has come of them so far."""

    ctx: RunGraphContext
    run_context: RunContext[Any]
    manager: ToolManager[Any]
    events: EventWriter | None = None
    results: dict[str, Any] = field(default_factory=lambda: {})
    """Results that were given from outside, by call id."""
    metadata: dict[str, dict[str, Any]] = field(default_factory=lambda: {})
    """Metadata that was given with them."""
    parts: list[ModelRequestPart] = field(default_factory=lambda: [])
    """Answers to calls, as the model will read them."""
    user_parts: list[ModelRequestPart] = field(default_factory=lambda: [])
    """Content that tools add to the conversation; it follows all answers."""
    finished: dict[int, tuple[ModelRequestPart, list[ModelRequestPart]]] = field(default_factory=lambda: {})
    """Answers of the running function calls by position; kept when a sibling fails."""
    final: FinalResult[Any] | None = None
    deferred: list[Deferred] = field(default_factory=lambda: [])
    emit: Emit | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.emit = self.events.put if self.events is not None else None

    async def handle(self, calls: list[ToolCallPart]) -> None:
        """Work on all calls: output tools first, then function tools, then unknown names, then those that wait."""
        by_kind: dict[str, list[ToolCallPart]] = {}
        for call in calls:
            definition = self.manager.get_tool_def(call.tool_name)
            by_kind.setdefault(definition.kind if definition is not None else 'unknown', []).append(call)
        for call in by_kind.get('output', ()):
            await self._output_call(call)
        functions, unknown = by_kind.get('function', []), by_kind.get('unknown', [])
        waiting = [*by_kind.get('external', ()), *by_kind.get('unapproved', ())]
        if self.final is not None and self.ctx.deps.end_strategy == 'early':
            for call in functions:
                self._answer(call, TOOL_NOT_EXECUTED)
            functions = []
        resolved = [call for call in waiting if call.tool_call_id in self.results and self.final is None]
        await self.run_functions([*functions, *resolved], unknown)
        place = {call.tool_call_id: index for index, call in enumerate(calls)}
        self.deferred.sort(key=lambda item: place[item.call.tool_call_id])  # tools in threads defer in any order
        for call in waiting:
            if self.final is not None:
                self._answer(call, TOOL_NOT_EXECUTED)
            elif call.tool_call_id not in self.results:
                definition = self.manager.get_tool_def(call.tool_name)
                await self._defer(call, definition.kind if definition is not None else 'external')
        self.parts.extend(self.user_parts)
        self.user_parts = []

    # Output tools

    async def _output_call(self, call: ToolCallPart) -> None:
        deps = self.ctx.deps
        if self.final is not None and self.final.tool_call_id == call.tool_call_id:  # it was streamed
            self._output_answer(call, FINAL_RESULT_PROCESSED)
            return
        if self.final is not None and deps.end_strategy != 'exhaustive':
            self._unused_output(call, None, OUTPUT_NOT_USED)
            return
        manager, schema = self.manager, deps.output_schema
        valid: bool | None = False
        try:
            validated = await manager.validate_output_tool_call(call, schema=schema)
            valid = validated.args_valid
            if validated.validation_error is not None:
                if self.final is not None:
                    self._unused_output(call, valid, OUTPUT_INVALID)
                    return
                raise validated.validation_error
            output = await manager.execute_output_tool_call(validated, schema=schema)
        except ToolRetryError as error:
            self.ctx.state.output_retries_used += 1
            self._unused_output(call, valid, error.tool_retry)
            return
        except UnexpectedModelBehavior:
            if self.final is None:
                raise
            self._unused_output(call, valid, OUTPUT_FAILED if valid else OUTPUT_INVALID)
            return
        if self.emit:
            self.emit(OutputToolCallEvent(call, args_valid=valid))
        if self.final is None:
            self.final = FinalResult(output, call.tool_name, call.tool_call_id)
        self._output_answer(call, FINAL_RESULT_PROCESSED)

    def _output_answer(self, call: ToolCallPart, answer: str | RetryPromptPart) -> ToolReturnPart | RetryPromptPart:
        part = answer
        if isinstance(part, str):
            part = ToolReturnPart(tool_name=call.tool_name, content=part, tool_call_id=call.tool_call_id)
        self.parts.append(part)
        if self.emit:
            self.emit(OutputToolResultEvent(part))
        return part

    def _unused_output(self, call: ToolCallPart, valid: bool | None, answer: str | RetryPromptPart) -> None:
        """Answer a call that is not the output; its events come twice, for handlers that know only function tools."""
        if self.emit:
            self.emit(OutputToolCallEvent(call, args_valid=valid))
        part = self._output_answer(call, answer)
        if self.emit:
            self.emit(FunctionToolCallEvent(call, args_valid=valid))
            self.emit(FunctionToolResultEvent(part))

    # Function tools

    def _answer(self, call: ToolCallPart, text: str) -> None:
        part = ToolReturnPart(tool_name=call.tool_name, content=text, tool_call_id=call.tool_call_id)
        self.parts.append(part)

    async def run_functions(self, calls: list[ToolCallPart], unknown: list[ToolCallPart]) -> None:
        """Run function calls, and answer calls of unknown tools.

        Raises:
            UsageLimitExceeded: The calls together are more than the run may still make; none of them was run.
        """
        calls = [call for call in calls if self.results.get(call.tool_call_id) is not ALREADY_ANSWERED]
        unknown = [call for call in unknown if self.results.get(call.tool_call_id) is not ALREADY_ANSWERED]
        if not calls and not unknown:
            return
        limits = self.ctx.deps.usage_limits
        if limits.tool_calls_limit is not None:
            projected = copy(self.ctx.state.usage)
            projected.tool_calls += len(calls) + len(unknown)
            limits.check_before_tool_call(projected)
        jobs: list[Coroutine[Any, Any, None]] = []
        try:
            for position, call in enumerate([*calls, *unknown]):
                given = self.results.get(call.tool_call_id)
                validated: ValidatedToolCall[Any] | None = None
                if given is None or isinstance(given, ToolApproved):
                    try:
                        validated = await self._validated(call, given)
                    except UnexpectedModelBehavior:
                        if self.emit:
                            self.emit(FunctionToolCallEvent(call, args_valid=False))
                        raise
                if self.emit:
                    self.emit(FunctionToolCallEvent(call, args_valid=validated.args_valid if validated else None))
                jobs.append(self._run(position, call, validated, given))
            if self.emit and self.events is not None:
                await self.events.flush()  # who reads the events sees that a tool is called before it does anything
            await self._run_jobs(jobs, [*calls, *unknown])
        finally:
            for job in jobs:
                job.close()
            for position in sorted(self.finished):
                part, more = self.finished[position]
                self.parts.append(part)
                self.user_parts.extend(more)
            self.finished = {}

    async def _validated(self, call: ToolCallPart, given: ToolApproved | None) -> ValidatedToolCall[Any]:
        if given is None:
            return await self.manager.validate_tool_call(call)
        if given.override_args is not None:
            call = ToolCallPart(call.tool_name, given.override_args, tool_call_id=call.tool_call_id)
        metadata = self.metadata.get(call.tool_call_id)
        return await self.manager.validate_tool_call(call, approved=True, metadata=metadata)

    async def _run_jobs(self, jobs: list[Coroutine[Any, Any, None]], calls: list[ToolCallPart]) -> None:
        if len(jobs) == 1:
            return await in_own_context(jobs[0])
        mode = self.manager.get_parallel_execution_mode(calls)
        if mode == 'sequential':
            return await in_own_context(self._in_turn(jobs))
        if mode == 'parallel_ordered_events' and self.emit:
            emit: Emit = self.emit
            held: list[FunctionToolResultEvent] = []
            self.emit = lambda event: held.append(event) if isinstance(event, FunctionToolResultEvent) else emit(event)
            try:
                await gather_or_cancel(jobs)
            finally:
                self.emit = emit
                position = {call.tool_call_id: index for index, call in enumerate(calls)}
                for event in sorted(held, key=lambda event: position.get(event.tool_call_id, 0)):
                    emit(event)
            return
        await gather_or_cancel(jobs)

    async def _in_turn(self, jobs: list[Coroutine[Any, Any, None]]) -> None:
        for job in jobs:
            await job
            if self.emit and self.events is not None:
                await self.events.flush()  # the next one begins when the result of this one has been read

    async def _run(
        self, position: int, call: ToolCallPart, validated: ValidatedToolCall[Any] | None, given: Any
    ) -> None:
        more: list[ModelRequestPart] = []
        part: ToolReturnPart | RetryPromptPart
        try:
            if validated is not None:
                if self.emit:
                    validated.ctx.report_progress = partial(self._progress, call)
                value = await self.manager.execute_tool_call(validated)
            else:
                value = given
            part, more = answer_for(call, value)
            if call.tool_kind is not None:
                part = typed_return(part, call)
        except ToolRetryError as error:
            part = error.tool_retry
        except (CallDeferred, ApprovalRequired) as error:
            kind = 'external' if isinstance(error, CallDeferred) else 'unapproved'
            self.deferred.append(Deferred(call, kind, error.metadata))
            return
        self.finished[position] = (part, more)
        if self.emit:
            content = more[0].content if more and isinstance(more[0], UserPromptPart) else None
            self.emit(FunctionToolResultEvent(part, content=content))

    def _progress(self, call: ToolCallPart, content: Any) -> None:
        if self.emit:
            self.emit(
                FunctionToolProgressEvent(tool_name=call.tool_name, tool_call_id=call.tool_call_id, content=content)
            )

    # Calls that wait

    async def _defer(self, call: ToolCallPart, kind: str) -> None:
        validated = await self.manager.validate_tool_call(call)
        if self.emit:
            self.emit(FunctionToolCallEvent(call, args_valid=validated.args_valid))
        if validated.validation_error is not None:
            part = validated.validation_error.tool_retry
            self.parts.append(part)
            if self.emit:
                self.emit(FunctionToolResultEvent(part))
            return
        self.deferred.append(Deferred(call, kind))

    def deferred_requests(self) -> DeferredToolRequests:
        """Return the calls that wait, as the output of the run or for a handler."""
        requests = DeferredToolRequests()
        for item in self.deferred:
            (requests.calls if item.kind == 'external' else requests.approvals).append(item.call)
            if item.metadata is not None:
                requests.metadata[item.call.tool_call_id] = item.metadata
        return requests


async def gather_or_cancel(jobs: list[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines together; when one fails, or the caller is cancelled, cancel the others and wait for them.

    Raises:
        BaseException: What the first failing coroutine raised.
    """
    tasks = [asyncio.ensure_future(job) for job in jobs]
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    left = len(tasks)

    def note(task: asyncio.Future[None]) -> None:
        nonlocal left
        left -= 1
        # Asking for the exception also keeps asyncio from reporting one that nobody asks for.
        failed = task.cancelled() or task.exception() is not None
        if (failed or not left) and not over.done():
            over.set_result(None)

    for task in tasks:
        task.add_done_callback(note)
    try:
        await over
        for task in tasks:
            if task.done():
                task.result()
    finally:
        unfinished = [task for task in tasks if not task.done()]
        if unfinished:
            await cancel_and_drain(*unfinished)


def answer_for(call: ToolCallPart, value: Any) -> tuple[ToolReturnPart | RetryPromptPart, list[ModelRequestPart]]:
    """Return what the model is told about a call that came to `value`, and content to add to the conversation.

    Raises:
        UserError: The tool returned `ToolReturn` objects inside of something else.
    """
    name, call_id = call.tool_name, call.tool_call_id
    if isinstance(value, ToolDenied):
        return ToolReturnPart(tool_name=name, content=value.message, tool_call_id=call_id, outcome='denied'), []
    if isinstance(value, ToolReturnPart):
        return value, []
    if isinstance(value, RetryPromptPart):
        value.tool_name, value.tool_call_id = name, call_id
        return value, []
    if isinstance(value, ModelRetry):
        return RetryPromptPart(content=value.message, tool_name=name, tool_call_id=call_id), []
    if isinstance(value, ToolReturn):
        tool_return: ToolReturn[Any] = value  # type: ignore[reportUnknownVariableType]
        part = ToolReturnPart(
            tool_name=name, content=tool_return.return_value, tool_call_id=call_id, metadata=tool_return.metadata
        )
        return part, [UserPromptPart(content=tool_return.content)] if tool_return.content else []
    if isinstance(value, (list, tuple)) and any(isinstance(item, ToolReturn) for item in value):  # type: ignore[reportUnknownVariableType]
        raise UserError(
            f'Tool {name!r} returned `ToolReturn` objects inside a {type(value).__name__}. '  # type: ignore[reportUnknownArgumentType]
            'Return one `ToolReturn`, with all content in its `return_value` and `content`.'
        )
    return ToolReturnPart(tool_name=name, content=value, tool_call_id=call_id), []
