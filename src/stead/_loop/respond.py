"""The decision what to do with a response: run its calls, take its output, ask again, or raise an error that says why not."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from .. import messages as all_messages
from .._calls.answers import exhausted_output
from .._calls.approvals import check_deferral, distinct_calls
from .._calls.batch import CallBatch
from .._calls.outputs import output_text, process_bare_output, process_text_output
from .._calls.running import EventWriter, show_change
from .._calls.step_tools import NO_DECISIONS, Decisions
from .._calls.validate import CUT_CALL
from .._contracts.facts import CallsWait
from .._contracts.output import FinalResult, OutputMode
from .._contracts.run_context import RunContext
from .._contracts.run_state import RecordedAnswer
from .._kit.ids import generate_tool_call_id, now_utc
from ..exceptions import (
    IncompleteToolCall,
    ModelRetry,
    OutputTokenLimitExceeded,
    ToolRetryError,
    UnexpectedModelBehavior,
)
from ..messages import (
    BuiltinToolCallEvent,  # type: ignore[reportDeprecated]
    BuiltinToolResultEvent,  # type: ignore[reportDeprecated]
    DeferredToolRequestsEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    HandleResponseEvent,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    RetryCause,
    RetryPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
    content_filter_error,
    is_retry,
    shown_retry,
)
from ..tools import DeferredToolRequests
from .history import mark_interrupted
from .state import RunGraphContext, RunStep, add_message, take_calls_of_step, use_output_retries

CUT_OUTPUT_ENDS = False
"""Whether an invalid structured output ends its run if it reached the token limit, without another try; a value of the level."""
TOKEN_LIMIT = (
    'Increase the `max_tokens` model setting, or simplify the prompt to result in a shorter response that will fit '
    'within the limit.'
)


EMPTY_IS_ASKED_ABOUT = False
"""Whether, as in 2.x, a response without parts gets feedback, and one of which a filter left only thinking is an error."""


async def handle_response(
    ctx: RunGraphContext,
    response: ModelResponse,
    events: EventWriter | None,
    decisions: Decisions = NO_DECISIONS,
    user_prompt: str | Sequence[all_messages.UserContent] | None = None,
) -> ModelRequest | FinalResult[Any]:
    """Handle a response; return the next request, or the final result.

    Args:
        ctx: State and dependencies of the run.
        response: The response.
        events: Takes the events of calls; `None` if nothing reads them.
        decisions: What was decided about calls of it that were deferred in an earlier run.
        user_prompt: A prompt to send with their results.

    Raises:
        UnexpectedModelBehavior: The response cannot be used and no retry is left.
        UserError: A call is deferred, and the output type does not allow that; or a result is not about the call of its id.
    """
    calls = response.tool_calls if decisions.about or len(response.parts) < 2 else distinct_calls(response)
    if calls:
        step = ctx.state.step if ctx.state.step.tools.ctx is not None else await listed_step(ctx)
        step.tools.cut_call = _cut_call(response)
        batch = CallBatch(step.tools, ctx.deps, ctx.state.usage, events, decisions)
        return await _handle_calls(ctx, response, calls, batch, user_prompt)
    schema, cause = ctx.deps.output_schema, None
    try:
        if len(response.parts) == 1 and schema.text_processor is not None:
            part = response.parts[0]  # most runs end with a text alone
            if type(part) is TextPart and part.content:
                return FinalResult(await _text_output(ctx, part.content))
        _check_finish(ctx, response)
        if not any(has_substance(part) for part in response.parts):
            if (text := _earlier_text(ctx)) is not None and schema.text_processor is not None:
                with suppress(ToolRetryError):  # earlier text that is invalid does not make an empty answer invalid
                    return FinalResult(await _text_output(ctx, text))
            if schema.allows_none:
                return FinalResult(await _bare_output(ctx, None, 'text'))
            if not response.parts and not EMPTY_IS_ASKED_ABOUT:
                use_output_retry(ctx, None)
                return ModelRequest(parts=[])
        text = output_text(response)
        image = next(iter(response.images), None) if schema.allows_image else None
        if image is not None:
            return FinalResult(await _bare_output(ctx, image, 'image'))
        if text and schema.text_processor is not None:
            return FinalResult(await _text_output(ctx, text))
        await listed_step(ctx)
        cause = 'no_output'
        raise ToolRetryError(RetryPromptPart(content=_what_to_do_instead(ctx)))
    except ToolRetryError as error:
        if CUT_OUTPUT_ENDS and response.finish_reason == 'length' and schema.is_structured:
            limit = ctx.state.last_max_tokens or 'provider default'
            raise OutputTokenLimitExceeded(
                f'Model token limit ({limit}) exceeded while generating structured output, resulting in incomplete JSON. '
                f'{TOKEN_LIMIT}'
            ) from error
        return ModelRequest(parts=[output_feedback(ctx, error, error.tool_retry, cause)])


def output_feedback(
    ctx: RunGraphContext, error: Exception, part: RetryPromptPart, cause: RetryCause | None = None
) -> ModelRequestPart:
    """Count a retry of the output, and return what the model reads about it.

    Args:
        ctx: State and dependencies of the run.
        error: The error, if no retry is left.
        part: What to tell the model.
        cause: Why it is asked again; by default the part says.

    Raises:
        UnexpectedModelBehavior: No retry is left.
    """
    use_output_retry(ctx, error)
    return shown_retry(part, cause, ctx.state.output_retries_used, ctx.deps.max_output_retries)


def native_tool_events(response: ModelResponse) -> Iterator[HandleResponseEvent]:
    """Yield the old events for the native calls and returns of a response, which came with the parts before.

    They are made without their constructors, which warn that they are old: programs that read events did not ask for them.
    """
    for part in response.parts:
        if isinstance(part, NativeToolCallPart):
            call = object.__new__(BuiltinToolCallEvent)  # type: ignore[reportDeprecated]
            call.part, call.event_kind = part, 'builtin_tool_call'
            yield call
        elif isinstance(part, NativeToolReturnPart):
            result = object.__new__(BuiltinToolResultEvent)  # type: ignore[reportDeprecated]
            result.result, result.event_kind = part, 'builtin_tool_result'
            yield result


async def answers_shown(
    ctx: RunGraphContext, response: ModelResponse, results: Mapping[str, object] | None
) -> AsyncGenerator[HandleResponseEvent, None]:
    """Yield the events of the calls of a response that were answered when its run ended.

    Args:
        ctx: State and dependencies of the run.
        response: The response.
        results: The answers, by call id, as `RecordedAnswer`.
    """
    outputs = ctx.deps.output_schema.toolset
    for call in response.tool_calls:
        if not isinstance(recorded := (results or {}).get(call.tool_call_id), RecordedAnswer):
            continue
        if outputs is not None and call.tool_name in outputs.processors:
            yield OutputToolCallEvent(call, args_valid=True)
            yield OutputToolResultEvent(recorded.answer)
            continue
        yield FunctionToolCallEvent(call, args_valid=True)
        more = recorded.additions
        content = more[0].content if more and isinstance(more[0], UserPromptPart) else None
        yield FunctionToolResultEvent(recorded.answer, content=content)


async def listed_step(ctx: RunGraphContext) -> RunStep:
    """Return the current step with its tools listed, also if there was no request before: the history ends with a response."""
    step = ctx.state.step
    if step.tools.ctx is None:
        step.context.max_retries = step.tools.default_max_retries
        step.tools = await step.tools.for_run_step(step.context)
    return step


async def recorded_step(ctx: RunGraphContext) -> RunStep:
    """Return the step of a response that an earlier process got: its tools are listed as when it began, without its calls."""
    step, state = await listed_step(ctx), ctx.state
    counts = step.tools.call_counts
    for name, count in take_calls_of_step(state).items():
        counts[name] = counts.get(name, 0) + count
    return step


def has_substance(part: ModelResponsePart) -> bool:
    """Return whether a part of a response is more than thinking or empty text."""
    if isinstance(part, TextPart):
        return bool(part.content)
    return not isinstance(part, ThinkingPart)


def use_output_retry(ctx: RunGraphContext, error: BaseException | None) -> None:
    """Count a retry of the output.

    Raises:
        UnexpectedModelBehavior: No retry is left.
    """
    state, limit = ctx.state, ctx.deps.max_output_retries
    if state.output_retries_used >= limit:
        raise exhausted_output(limit, error) from error
    use_output_retries(state)


def _check_finish(ctx: RunGraphContext, response: ModelResponse) -> None:
    if any(has_substance(part) for part in response.parts):
        return
    if response.finish_reason == 'length':
        limit = ctx.state.last_max_tokens or 'provider default'
        raise OutputTokenLimitExceeded(
            f'Model token limit ({limit}) exceeded before any response was generated. {TOKEN_LIMIT}'
        )
    if response.finish_reason == 'content_filter' and (EMPTY_IS_ASKED_ABOUT or not response.parts):
        raise content_filter_error(response)


def _earlier_text(ctx: RunGraphContext) -> str | None:
    """Return text that the model sent with earlier tool calls; an empty answer after them refers to it."""
    history = ctx.state.message_history
    for message in reversed(history[ctx.state.new_message_index : -1]):
        if isinstance(message, ModelResponse):
            text = ''.join(part.content for part in message.parts if isinstance(part, TextPart))
            if text:
                return text
    return None


def _output_context(ctx: RunGraphContext) -> RunContext[object]:
    return ctx.state.step.context.fork(retry=ctx.state.output_retries_used, max_retries=ctx.deps.max_output_retries)


async def _text_output(ctx: RunGraphContext, text: str) -> Any:
    deps = ctx.deps
    return await process_text_output(text, deps.output_schema, _output_context(ctx), deps.chain, deps.output_validators)


async def _bare_output(ctx: RunGraphContext, value: object, mode: OutputMode) -> Any:
    deps = ctx.deps
    return await process_bare_output(
        value, mode, deps.output_schema, _output_context(ctx), deps.chain, deps.output_validators
    )


def _what_to_do_instead(ctx: RunGraphContext) -> str:
    schema = ctx.deps.output_schema
    ways: list[str] = []
    if schema.text_processor is not None:
        ways.append('return text')
    if schema.toolset is not None:
        ways.append('include your response in a tool call')
    elif any(definition.kind != 'output' for definition in ctx.state.step.tools.tool_defs):
        ways.append('call a tool')
    if schema.allows_image:
        ways.append('return an image')
    return f'Please {" or ".join(ways)}.'


async def _handle_calls(
    ctx: RunGraphContext,
    response: ModelResponse,
    calls: list[ToolCallPart],
    batch: CallBatch,
    user_prompt: str | Sequence[all_messages.UserContent] | None,
) -> ModelRequest | FinalResult[Any]:
    # Also where a reader drives the node. To enter `nullcontext` would take a hundredth of a step.
    within = None if (around := ctx.deps.around) is nullcontext else around()
    try:
        if within is not None:
            within.__enter__()
        try:
            await batch.handle(calls)
            if batch.deferred:
                _give_new_ids(ctx, response, batch)
                show_change(batch.step, batch.events, DeferredToolRequestsEvent(batch.deferred_requests()))
                await batch.resolve_deferred()
        finally:
            if within is not None:
                within.__exit__(None, None, None)
        if batch.deferred and batch.final is None and ctx.deps.chain.record:
            await ctx.deps.chain.announce(ctx.state.step.context, CallsWait(batch.deferred_requests()))
        return _outcome(ctx, batch, user_prompt)
    except BaseException as error:
        _keep_answers(ctx, batch)
        if isinstance(error, UnexpectedModelBehavior):
            _explain_cut_call(ctx, response, error)
        raise
    finally:
        use_output_retries(ctx.state, batch.output_retries)


def _keep_answers(ctx: RunGraphContext, batch: CallBatch) -> None:
    """Take the answers that a batch has into the history, since it fails or is cancelled, and say what of the others is known."""
    state = ctx.state
    if batch.parts:
        add_message(state, _stamped(ctx, ModelRequest(parts=[*batch.parts, *batch.user_parts])))
    mark_interrupted(state, batch.raised, foreign=True)
    state.caches.needs_repair = True  # a hook may continue as if nothing had happened


def _give_new_ids(ctx: RunGraphContext, response: ModelResponse, batch: CallBatch) -> None:
    """Give calls that wait an id that the conversation has not used before.

    Servers that call every call `call_0` would otherwise let a decision that was made earlier reach a later call. So would an
    approved call whose tool asks for another try; a call that was sent back before anyone was asked about it may keep its id.
    """
    state = ctx.state
    oldest = state.caches.oldest
    before: set[str] = set()
    in_run: set[str] = set()
    for index, message in enumerate(state.message_history):
        if message is not response:
            for part in message.parts:
                if isinstance(part, ToolCallPart):
                    (before if index < oldest else in_run).add(part.tool_call_id)
                elif is_retry(part):  # in this run, it is the same call, tried again
                    in_run.discard(part.tool_call_id)
    used = before | in_run | ctx.state.step.tools.asked_inside
    for item in batch.deferred:
        if item.call.tool_call_id in used:
            call = replace(item.call, tool_call_id=generate_tool_call_id())
            response.parts = [call if part is item.call else part for part in response.parts]
            item.call, item.shown_id = call, item.call.tool_call_id


def _outcome(
    ctx: RunGraphContext, batch: CallBatch, user_prompt: str | Sequence[all_messages.UserContent] | None
) -> ModelRequest | FinalResult[Any]:
    parts, final = batch.parts, batch.final
    if final is None and batch.deferred:
        requests = batch.deferred_requests()
        check_deferral(requests, ctx.deps.output_schema, 'the `HandleDeferredToolCalls` capability to the agent')
        final = FinalResult(requests)
    if user_prompt is not None:
        parts.append(UserPromptPart(user_prompt[:]))
    if final is None:
        return ModelRequest(parts=parts)
    if parts:
        add_message(ctx.state, _stamped(ctx, ModelRequest(parts=parts)))
    return final


async def finish_streamed(
    ctx: RunGraphContext, step: RunStep, response: ModelResponse, final: FinalResult[Any]
) -> list[str]:
    """Answer the calls of a response whose output was streamed.

    Args:
        ctx: State and dependencies of the run.
        step: The step of the response, which the run may have left.
        response: The response.
        final: The output.

    Returns:
        Names of tools that were not called because text before them was taken for the answer.
    """
    calls = response.tool_calls
    if not calls:
        return []
    batch = CallBatch(step.tools, ctx.deps, ctx.state.usage)
    is_deferred = isinstance(final.output, DeferredToolRequests)
    batch.final = None if is_deferred else final
    try:
        await batch.handle(calls)
    except BaseException:
        _keep_answers(ctx, batch)
        raise
    finally:
        use_output_retries(ctx.state, batch.output_retries)
    if isinstance(final.output, DeferredToolRequests):
        _give_new_ids(ctx, response, batch)
        # Only now is it known what waits: tools may have asked themselves, and some calls were answered. The reader has
        # the object already.
        waiting = batch.deferred_requests()
        final.output.calls, final.output.approvals = waiting.calls, waiting.approvals
        final.output.metadata = waiting.metadata
        if (chain := step.tools.chain).record:
            await chain.announce(step.context, CallsWait(waiting))
    if batch.parts:
        add_message(ctx.state, _stamped(ctx, ModelRequest(parts=batch.parts)))
    if is_deferred or final.tool_name is not None or ctx.deps.end_strategy != 'early':
        return []
    return [call.tool_name for call in calls]


def _stamped(ctx: RunGraphContext, request: ModelRequest) -> ModelRequest:
    request.timestamp = now_utc()
    request.run_id, request.conversation_id = ctx.state.run_id, ctx.state.conversation_id
    return request


def _cut_call(response: ModelResponse) -> str | None:
    """Return the id of the call whose arguments are missing since the response reached its token limit; `None` if none is."""
    last = response.parts[-1] if response.finish_reason == 'length' else None
    return last.tool_call_id if isinstance(last, ToolCallPart) and last.args in (None, '', '{}', {}) else None


def _explain_cut_call(ctx: RunGraphContext, response: ModelResponse, error: UnexpectedModelBehavior) -> None:
    """Raise a better error if a call failed because the response was cut off in the middle of its arguments."""
    if response.finish_reason != 'length' or not response.parts:
        return
    last, cause = response.parts[-1], error.__cause__
    if isinstance(last, ToolCallPart) and isinstance(cause, (ValidationError, ModelRetry)) and _is_cut(last, cause):
        limit = ctx.state.last_max_tokens or 'provider default'
        raise IncompleteToolCall(
            f'Model token limit ({limit}) exceeded while generating a tool call, resulting in incomplete '
            f'arguments. {TOKEN_LIMIT}'
        ) from None


def _is_cut(call: ToolCallPart, cause: ValidationError | ModelRetry) -> bool:
    if isinstance(cause, ModelRetry) and cause.message == CUT_CALL:
        return True
    try:
        call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return True
    return False
