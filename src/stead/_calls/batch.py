"""The tool calls of one response: which of them run, together or in turn, and their results.

Invariants, whatever the tools do:

* Every call gets exactly one answer, or is deferred: a provider does not accept a history in which a call has no answer,
  or two.
* Answers of a kind are in the order of the calls, not in that in which tools end, so that a history does not depend on
  timing. What tools add to the conversation follows all answers, because providers want answers right after their calls.
* Every execution passes `execute_call`, and every decision about a call passes `consent`. There is no other way to a tool.
* The calls have different ids, and a decision is about one of them: the batch checks that before it runs anything.
* A tool sees the context variables of the run, but cannot change them: it runs in a copy of the context, even where it
  runs alone and needs no task.

The order: output tools first, since a final result may spare the others (`beside` has what else an output means). Then
function tools and unknown names. All of them are validated before the first one runs, so that limits and invalid calls are
noticed before anything has happened, and the reader of the events sees a call before its effects. Calls that wait come last,
when it is known whether the run continues.

When one call fails, or the run is cancelled, the other calls are cancelled *and waited for*, so that nothing of a run goes
on after its end (but a sync tool stays in its thread, and its result is dropped). Calls that had ended keep their answers
in `parts` even then: their effects have happened, and the history has to show them. A call that was cancelled after its tool
had started is answered as one that may have run. One whose tool raised what ends the run is in `raised`: it has no answer, and
is made again if the run is continued without a prompt. One that had not started has no answer either.

The batch knows the step and a few rules, not the run. A call enters batch, approvals, step_tools, validate, running,
execute and answers in this order, and passes none of them twice; only a failure goes back to step_tools, where retries are
counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._contracts.facts import CallsDecided
from .._contracts.output import FinalResult
from .._contracts.run_state import RecordedAnswer
from .._contracts.toolset import ToolsetTool
from .._kit.aio import gather_or_cancel, in_own_context
from ..exceptions import ApprovalRequired, ToolFailed, ToolRetryError, UnexpectedModelBehavior
from ..messages import (
    DeferredToolResultsEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelRequestPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
)
from ..tools import DeferredToolRequests
from ..usage import RunUsage
from . import beside
from .answers import (
    FINAL_RESULT_PROCESSED,
    MAY_HAVE_RUN,
    OUTPUT_FAILED,
    OUTPUT_INVALID,
    OUTPUT_NOT_USED,
    TOOL_NOT_EXECUTED,
    failed_answer,
    text_answer,
)
from .approvals import (
    ALREADY_ANSWERED,
    UNDECIDED,
    Deferred,
    check_decisions,
    consent,
    requests_for,
    validate_watched,
)
from .around import ask_capabilities
from .outputs import execute_output_call, validate_output_call
from .running import Emit, EventWriter, RunningCall, execution_mode, run_in_turn, run_one, show_change, under_ids
from .step_tools import NO_DECISIONS, BatchRules, CallAndTool, Decisions, StepTools
from .validate import validate_call


class CallBatch:
    """The tool calls of one response while they are handled, and their results so far."""

    def __init__(
        self,
        step: StepTools[Any],
        rules: BatchRules,
        usage: RunUsage,
        events: EventWriter | None = None,
        decisions: Decisions = NO_DECISIONS,
    ) -> None:
        """Begin a batch.

        Args:
            step: The tools of the step, to validate and execute calls with.
            rules: What the run requires of its calls.
            usage: How many calls the run has made so far.
            events: Takes the events; `None` if nothing reads them.
            decisions: What was decided about its calls.
        """
        self.step = step
        self.rules = rules
        self.usage = usage
        self.events = events
        self.decisions = decisions
        self.parts: list[ModelRequestPart] = []
        """Answers to calls, as the model will read them, and then what tools add to the conversation."""
        self.user_parts: list[ModelRequestPart] = []
        """Content that tools add to the conversation; it follows all answers."""
        self.final: FinalResult[Any] | None = None
        """The output of the run, once a call has brought it."""
        self.deferred: list[Deferred] = []
        """The calls that wait for a decision or a result."""
        self.output_retries = 0
        """How many output calls were invalid, so that the model has to try again."""
        self.raised: list[str] = []
        """The ids of calls whose tools raised what ends the run."""
        self.streamed = False
        """Whether the output was known before the calls were handled, so that its reader has it."""

    async def handle(self, calls: list[ToolCallPart]) -> None:
        """Handle all calls: output tools first, then function tools, then unknown names, then those that wait.

        Raises:
            UsageLimitExceeded: They are more than a response or the run may make.
            UserError: A decision is not about the call of its id, or is not a decision.
        """
        step, decisions, limits = self.step, self.decisions.about, self.rules.usage_limits
        if limits.tool_calls_per_response_limit is not None and len(calls) > limits.tool_calls_per_response_limit:
            limits.check_response(len(calls))
        if decisions:
            self.decisions = check_decisions(step, calls, self.decisions)
            decisions = self.decisions.about
        self.streamed = self.final is not None
        tools = step.tools
        assert tools is not None, 'calls are answered in a step'
        by_kind: dict[str, list[CallAndTool]] = {}
        for call in calls:
            if decisions and decisions.get(call.tool_call_id) is ALREADY_ANSWERED:
                continue
            tool = tools.get(call.tool_name)
            kind = tool.tool_def.kind if tool is not None else beside.UNKNOWN
            by_kind.setdefault(kind, []).append((call, tool or step.used_up.get(call.tool_name)))
        for call, tool in by_kind.get('output', ()):
            await self._output_call(call, tool)
        running = by_kind.get('function', [])
        if running and self.final is not None and self.rules.end_strategy == 'early':
            self.parts += beside.not_executed([call for call, _ in running], self.events)
            running = []
        waiting = [*by_kind.get('external', ()), *by_kind.get('unapproved', ())]
        if waiting and self.final is None:
            running = beside.in_turn(
                [*running, *(item for item in waiting if item[0].tool_call_id in decisions)], calls
            )
        await self._run([*running, *by_kind.get('unknown', ())])
        if beside.RETRIES_GO_FIRST and 'output' in by_kind and self.rules.end_strategy != 'early':
            known = {} if self.streamed else tools
            self.parts, self.final = beside.with_retries_first(self.parts, self.final, calls, known)
        if self.deferred:
            place = {call.tool_call_id: index for index, call in enumerate(calls)}
            self.deferred.sort(key=lambda item: place[item.call.tool_call_id])
            self._drop_deferred()
        for call, tool in waiting:
            if self.final is not None:
                self.parts.append(text_answer(call, TOOL_NOT_EXECUTED))
            elif call.tool_call_id not in decisions:
                await self._defer(call, tool)
        self.parts += self.user_parts
        self.user_parts = []

    def _drop_deferred(self) -> None:
        """Answer calls that their tools deferred beside a final result: the run ends, and no one decides about them.

        Unless they are for people, who have to say first what happened to them; then the run has no result yet.
        """
        if self.final is None:
            return
        if not self.streamed and any(item.for_people for item in self.deferred):
            self.final = None
            return
        for item in self.deferred:
            self.parts.append(part := text_answer(item.call, TOOL_NOT_EXECUTED))
            if self.events is not None:
                self.events.put(FunctionToolResultEvent(part))
        self.deferred = []

    # Output tools

    async def _output_call(self, call: ToolCallPart, tool: ToolsetTool[Any] | None) -> None:
        if self.final is not None and self.final.tool_call_id == call.tool_call_id:  # it was streamed
            self._output_answer(call, FINAL_RESULT_PROCESSED)
            return
        if self.final is not None and self.rules.end_strategy != 'exhaustive':
            return self._unused_output(call, None, OUTPUT_NOT_USED)
        schema = self.rules.output_schema
        valid: bool | None = False
        try:
            validated = await validate_output_call(self.step, call, tool, schema)
            valid = validated.args_valid
            if validated.validation_error is not None and self.final is not None and not beside.RETRIES_GO_FIRST:
                return self._unused_output(call, valid, OUTPUT_INVALID)
            output = await execute_output_call(self.step, validated, schema)
        except ToolRetryError as error:
            self.output_retries += 1
            return self._unused_output(call, valid, error.tool_retry)
        except UnexpectedModelBehavior:
            if self.final is None:
                raise
            return self._unused_output(call, valid, OUTPUT_FAILED if valid else OUTPUT_INVALID)
        except BaseException as error:
            if isinstance(error, ApprovalRequired) and error.for_people:  # a process may have died in its function
                self.deferred.append(Deferred.by(error, call, tool))
                return None
            if valid and isinstance(error, Exception):
                self.raised.append(call.tool_call_id)
            elif valid:
                self.parts.append(failed_answer(call, MAY_HAVE_RUN))
            raise
        if self.events is not None:
            self.events.put(OutputToolCallEvent(call, args_valid=valid))
        self._output_answer(call, beside.OTHER_OUTPUT if self.final is not None else FINAL_RESULT_PROCESSED)
        self.final = self.final or FinalResult(output, call.tool_name, call.tool_call_id)

    def _output_answer(self, call: ToolCallPart, answer: str | RetryPromptPart) -> ToolReturnPart | RetryPromptPart:
        part = text_answer(call, answer) if isinstance(answer, str) else answer
        self.parts.append(part)
        if self.events is not None:
            self.events.put(OutputToolResultEvent(part))
        return part

    def _unused_output(self, call: ToolCallPart, valid: bool | None, answer: str | RetryPromptPart) -> None:
        """Answer a call that is not the output; in 1.x its events come twice, for handlers that know only function tools."""
        if self.events is not None:
            self.events.put(OutputToolCallEvent(call, args_valid=valid))
        part = self._output_answer(call, answer)
        if self.events is not None and not beside.RETRIES_GO_FIRST:
            self.events.put(FunctionToolCallEvent(call, args_valid=valid))
            self.events.put(FunctionToolResultEvent(part))

    # Function tools

    async def _run(self, calls: list[CallAndTool], *, shown_ids: Mapping[str, str] | None = None) -> None:
        """Run function calls, and answer calls of unknown tools.

        Args:
            calls: The calls.
            shown_ids: The ids under which the reader of the events has seen the calls, where these have others now; `None`
                if it has not seen them.

        Raises:
            UsageLimitExceeded: The calls together are more than the run may still make; none of them was run.
        """
        if not calls:
            return
        step, events = self.step, self.events
        if step.budget is not None:
            step.budget.check(
                self.usage,
                sum(not isinstance(self.decisions.about.get(call.tool_call_id), RecordedAnswer) for call, _ in calls),
            )
        emit = events.put if events is not None else None
        running = await self._prepare(calls, emit if shown_ids is None else None)
        emit = under_ids(shown_ids, emit) if shown_ids and emit is not None else emit
        if events is not None:
            await events.flush()  # a reader sees that a tool is called before the tool does anything
        in_order = False
        try:
            if len(running) == 1:
                await in_own_context(run_one(step, running[0], emit))
            elif (mode := execution_mode([one.tool for one in running])) == 'sequential':
                await in_own_context(run_in_turn(step, running, emit, events.flush if events is not None else None))
            else:
                in_order = mode == 'parallel_ordered_events'
                await gather_or_cancel([run_one(step, one, emit, hold_event=in_order) for one in running])
        finally:
            for one in running:
                if one.deferred is not None:
                    self.deferred.append(one.deferred)
                elif one.answer is not None:
                    self.parts.append(one.answer)
                    self.user_parts.extend(one.user_parts)
                elif one.raised:
                    self.raised.append(one.call.tool_call_id)
                if in_order and emit is not None and one.event is not None:
                    emit(one.event)

    async def _prepare(self, calls: list[CallAndTool], emit: Emit | None) -> list[RunningCall]:
        """Validate calls that are to be executed, in turn."""
        step, running = self.step, list[RunningCall]()
        validate = validate_watched if step.watched else validate_call
        for call, tool in calls:
            decision = self.decisions.about.get(call.tool_call_id, UNDECIDED)
            permit = consent(step, call, tool, decision, self.decisions.metadata.get(call.tool_call_id))
            validated = None
            if permit is not None:
                try:
                    validated = await validate(step, permit[0], tool, permit[1])
                except UnexpectedModelBehavior:
                    if emit is not None:
                        emit(FunctionToolCallEvent(call, args_valid=False))
                    raise
            if emit is not None:
                emit(FunctionToolCallEvent(call, args_valid=validated.args_valid if validated is not None else None))
            running.append(RunningCall(call, tool, validated, decision))
        return running

    # Calls that wait

    async def _defer(self, call: ToolCallPart, tool: ToolsetTool[Any] | None) -> None:
        validated = await validate_call(self.step, call, tool, self.step.call_context(call, tool))
        if self.events is not None:
            self.events.put(FunctionToolCallEvent(call, args_valid=validated.args_valid))
        if (error := validated.validation_error) is not None:
            part = failed_answer(call, error.message) if isinstance(error, ToolFailed) else error.tool_retry
            self.parts.append(part)
            if self.events is not None:
                self.events.put(FunctionToolResultEvent(part))
            return
        unapproved = tool is not None and tool.tool_def.kind == 'unapproved'
        self.deferred.append(Deferred(call, tool, unapproved, getattr(validated.deferral, 'metadata', None)))

    async def resolve_deferred(self) -> None:
        """Let capabilities decide about the calls that wait, and run those they approve."""
        if self.final is not None or not (asked := [item for item in self.deferred if not item.for_people]):
            return
        if self.events is not None:
            await self.events.flush()  # a reader sees the calls before a person is asked about them
        is_output = self.rules.output_schema.allows_deferred_tools
        results = await ask_capabilities(self.step, requests_for(asked), is_output=is_output)
        if results is None:
            return
        show_change(self.step, self.events, DeferredToolResultsEvent(results))
        if self.step.chain.record and self.step.ctx is not None:
            await self.step.chain.announce(self.step.ctx, CallsDecided(results))
        self.decisions = Decisions.of(results)
        check_decisions(self.step, [item.call for item in asked], self.decisions)
        decided = [item for item in asked if item.call.tool_call_id in self.decisions.about]
        decided.sort(key=lambda item: not item.needs_approval)
        self.deferred = [item for item in self.deferred if item not in decided]
        shown_ids = {item.call.tool_call_id: item.shown_id for item in decided if item.shown_id is not None}
        await self._run([(item.call, item.tool) for item in decided], shown_ids=shown_ids)
        self.parts += self.user_parts
        self.user_parts = []

    def deferred_requests(self) -> DeferredToolRequests:
        """Return the calls that wait, as the output of the run."""
        return requests_for(self.deferred)
