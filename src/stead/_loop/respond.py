"""What a response leads to: tool calls, an output, another try, or an error that says why nothing else is possible."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol

from pydantic import ValidationError

from .._contracts.output import FinalResult, OutputMode
from .._kit.ids import now_utc
from ..exceptions import (
    ContentFilterError,
    IncompleteToolCall,
    ToolRetryError,
    UnexpectedModelBehavior,
    UserError,
)
from ..messages import (
    BinaryImage,
    FilePart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from ..tools import DeferredToolRequests
from .calls import CallBatch, EventWriter
from .outputs import output_text, process_bare_output, process_text_output
from .state import RunGraphContext, RunStep

TOKEN_LIMIT = (
    'Increase the `max_tokens` model setting, or simplify the prompt to result in a shorter response that will fit '
    'within the limit.'
)


class RespondingNode(Protocol):
    """The part of `CallToolsNode` that is needed here."""

    model_response: ModelResponse
    tool_call_results: dict[str, Any] | None
    tool_call_metadata: dict[str, dict[str, Any]] | None
    user_prompt: Any


async def handle_response(
    ctx: RunGraphContext, node: RespondingNode, events: EventWriter | None
) -> ModelRequest | FinalResult[Any]:
    """Return the next request, or the final result.

    Raises:
        UnexpectedModelBehavior: The response cannot be used and no retry is left.
        UserError: A call waits for somebody, and the output type has no place for it.
    """
    response = node.model_response
    calls = response.tool_calls
    if calls:
        return await _handle_calls(ctx, node, calls, events)
    _check_finish(ctx, response)
    schema = ctx.deps.output_schema
    try:
        if not any(has_substance(part) for part in response.parts):
            if (text := _earlier_text(ctx)) is not None and schema.text_processor is not None:
                with suppress(ToolRetryError):  # text that will not do is no reason to refuse an empty answer
                    return FinalResult(await _text_output(ctx, text))
            if not response.parts:
                if schema.allows_none:
                    return FinalResult(await _bare_output(ctx, None, 'text'))
                use_output_retry(ctx, None)
                return ModelRequest(parts=[])
        text = output_text(response)
        image = _image(response) if schema.allows_image else None
        if image is not None:
            return FinalResult(await _bare_output(ctx, image, 'image'))
        if text and schema.text_processor is not None:
            return FinalResult(await _text_output(ctx, text))
        raise ToolRetryError(RetryPromptPart(content=_what_to_do_instead(ctx)))
    except ToolRetryError as error:
        use_output_retry(ctx, error)
        return ModelRequest(parts=[error.tool_retry])


def has_substance(part: Any) -> bool:
    """Return whether a part of a response is more than thinking or empty text."""
    if isinstance(part, TextPart):
        return bool(part.content)
    return not isinstance(part, ThinkingPart)


def use_output_retry(ctx: RunGraphContext, error: BaseException | None) -> None:
    """Count a retry of the output.

    Raises:
        UnexpectedModelBehavior: None is left.
    """
    state, limit = ctx.state, ctx.deps.max_output_retries
    if state.output_retries_used >= limit:
        cause = error
        raise UnexpectedModelBehavior(f'Exceeded maximum output retries ({limit})') from cause
    state.output_retries_used += 1


def _check_finish(ctx: RunGraphContext, response: ModelResponse) -> None:
    if any(has_substance(part) for part in response.parts):
        return
    if response.finish_reason == 'length':
        limit = ctx.state.last_max_tokens or 'provider default'
        raise UnexpectedModelBehavior(
            f'Model token limit ({limit}) exceeded before any response was generated. {TOKEN_LIMIT}'
        )
    if response.finish_reason == 'content_filter' and not response.parts:
        body = ModelMessagesTypeAdapter.dump_json([response], indent=2).decode()
        details = response.provider_details or {}
        reason = details.get('finish_reason')
        message = f'Content filter triggered. Finish reason: {reason!r}' if reason else 'Content filter triggered.'
        raise ContentFilterError(message, body=body)


def _earlier_text(ctx: RunGraphContext) -> str | None:
    """Return text that the model sent along with earlier tool calls; an empty answer after them refers to it."""
    history = ctx.state.message_history
    for message in reversed(history[ctx.state.new_message_index : -1]):
        if isinstance(message, ModelResponse):
            text = ''.join(part.content for part in message.parts if isinstance(part, TextPart))
            if text:
                return text
    return None


def _image(response: ModelResponse) -> BinaryImage | None:
    for part in response.parts:
        if isinstance(part, FilePart) and isinstance(part.content, BinaryImage):
            return part.content
    return None


def _output_context(ctx: RunGraphContext) -> Any:
    return ctx.state.step.context.fork(retry=ctx.state.output_retries_used, max_retries=ctx.deps.max_output_retries)


async def _text_output(ctx: RunGraphContext, text: str) -> Any:
    deps = ctx.deps
    return await process_text_output(text, deps.output_schema, _output_context(ctx), deps.chain, deps.output_validators)


async def _bare_output(ctx: RunGraphContext, value: Any, mode: OutputMode) -> Any:
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
    ctx: RunGraphContext, node: RespondingNode, calls: list[ToolCallPart], events: EventWriter | None
) -> ModelRequest | FinalResult[Any]:
    state, step = ctx.state, ctx.state.step
    if step.tools.ctx is None:  # there was no request before: the history ends with calls
        step.context.max_retries = step.tools.default_max_retries
        step.tools = await step.tools.for_run_step(step.context)
    batch = CallBatch(
        ctx,
        step.context,
        step.tools,
        events,
        results=node.tool_call_results or {},
        metadata=node.tool_call_metadata or {},
    )
    try:
        await batch.handle(calls)
        if batch.deferred and batch.final is None:
            await _resolve_deferred(ctx, batch)
    except BaseException as error:
        partly: list[ModelMessage] = (
            [_stamped(ctx, ModelRequest(parts=[*batch.parts, *batch.user_parts]))] if batch.parts else []
        )
        if isinstance(error, Exception):
            state.unfinished = partly
        else:  # nobody receives the error of a cancelled run, but whoever captures its messages can go on with them
            node.model_response.state = 'interrupted'
            for message in partly:
                state.append(message)
        if isinstance(error, UnexpectedModelBehavior):
            _explain_cut_call(ctx, node.model_response, error)
        raise
    parts = batch.parts
    if node.user_prompt is not None:
        parts.append(UserPromptPart(node.user_prompt))
    if batch.final is None and batch.deferred:
        batch.final = FinalResult(_deferred_output(ctx, batch.deferred_requests()))
    if batch.final is None:
        return ModelRequest(parts=parts)
    if parts:
        state.append(_stamped(ctx, ModelRequest(parts=parts)))
    return batch.final


async def finish_streamed(
    ctx: RunGraphContext, step: RunStep, response: ModelResponse, final: FinalResult[Any]
) -> list[str]:
    """Answer the calls of a response whose output was streamed.

    Returns:
        Names of tools that were not called because text before them was taken for the answer.
    """
    calls = response.tool_calls
    if not calls:
        return []
    batch = CallBatch(ctx, step.context, step.tools)
    waits = isinstance(final.output, DeferredToolRequests)
    batch.final = None if waits else final
    await batch.handle(calls)
    if batch.parts:
        ctx.state.append(_stamped(ctx, ModelRequest(parts=batch.parts)))
    if waits or final.tool_name is not None or ctx.deps.end_strategy != 'early':
        return []
    return [call.tool_name for call in calls]


def _stamped(ctx: RunGraphContext, request: ModelRequest) -> ModelRequest:
    request.timestamp = now_utc()
    request.run_id, request.conversation_id = ctx.state.run_id, ctx.state.conversation_id
    return request


def _explain_cut_call(ctx: RunGraphContext, response: ModelResponse, error: UnexpectedModelBehavior) -> None:
    """Raise a better error if a call failed because the response was cut off in the middle of its arguments."""
    if response.finish_reason != 'length' or not response.parts:
        return
    last = response.parts[-1]
    if isinstance(last, ToolCallPart) and isinstance(error.__cause__, ValidationError):
        try:
            last.args_as_dict(raise_if_invalid=True)
        except (ValueError, AssertionError):
            limit = ctx.state.last_max_tokens or 'provider default'
            raise IncompleteToolCall(
                f'Model token limit ({limit}) exceeded while generating a tool call, resulting in incomplete '
                f'arguments. {TOKEN_LIMIT}'
            ) from None


async def _resolve_deferred(ctx: RunGraphContext, batch: CallBatch) -> None:
    """Let capabilities answer deferred calls, and run those they approve."""
    requests = batch.deferred_requests()
    results = await batch.manager.resolve_deferred_tool_calls(requests)
    if results is None:
        return
    batch.results = dict(results.to_tool_call_results())
    batch.metadata = results.metadata
    waiting = [*requests.approvals, *requests.calls]
    answered = [call for call in waiting if call.tool_call_id in batch.results]
    batch.deferred = [item for item in batch.deferred if item.call.tool_call_id not in batch.results]
    emit, batch.emit = batch.emit, None
    try:
        await batch.run_functions(answered, [])
    finally:
        batch.emit = emit
    batch.parts.extend(batch.user_parts)
    batch.user_parts = []


def _deferred_output(ctx: RunGraphContext, requests: DeferredToolRequests) -> DeferredToolRequests:
    if not ctx.deps.output_schema.allows_deferred_tools:
        names = sorted({call.tool_name for call in (*requests.calls, *requests.approvals)})
        raise UserError(
            f'Tools {names} wait for an approval or an external result, but the run has no place for them. Add '
            '`DeferredToolRequests` to the `output_type`, or the `HandleDeferredToolCalls` capability.'
        )
    return requests
