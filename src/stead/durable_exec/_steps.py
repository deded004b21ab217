"""What steps do, and how their outcomes are written: the same in the process of a run and elsewhere."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar, Union, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from .._calls.answers import answer_to, errors_of
from .._contracts.call_policy import CallPolicy, Done, Effect, NotDone
from .._contracts.model import ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from .._kit.short import short_repr
from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed, ToolRetryError, UserError
from ..messages import (
    AgentStreamEvent,
    InstructionPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    RetryPromptPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnContent,
    ToolReturnPart,
    UserContent,
)
from ..models import Model
from ..settings import ModelSettings
from ..tools import ToolDenied
from ..usage import RequestUsage
from ._engine import AnyContext, AnyTool, AnyToolset, JsonData

T = TypeVar('T')

_BYTES = ConfigDict(ser_json_bytes='base64', val_json_bytes='base64', ser_json_inf_nan='null')


@dataclass
class CallOutcome:
    """What happened to a call of a tool."""

    kind: Literal[
        'value',
        'return',
        'retry',
        'retry_part',
        'return_part',
        'denied',
        'deferred',
        'approval',
        'unknown',
        'failed',
        'error',
    ] = 'value'
    """What the other fields are about."""
    value: ToolReturnContent = None
    """What the tool returned."""
    content: Union[str, Sequence[UserContent], None] = None
    """Content that it adds to the conversation."""
    metadata: Any = None
    """Metadata of a return value, or of a call that waits."""
    message: str = ''
    """The text of a request to try again, of a denial, or of an error; the kind of a deferred call."""
    retry_part: Union[RetryPromptPart, ToolReturnPart, None] = None
    """A request to try again."""
    return_part: Union[ToolReturnPart, None] = None
    """The answer itself."""
    error: str = ''
    """The type of an error."""


@dataclass
class ListedTool:
    """A tool of a toolset that is listed in a step."""

    definition: ToolDefinition
    """The definition."""
    max_retries: int
    """Retries allowed."""
    effect: Union[Effect, None] = None
    """What its calls do to the world."""
    max_calls: Union[int, None] = None
    """How many times it may be called in a run."""
    can_reconcile: bool = False
    """Whether it can be found out whether a call was done."""


# Unions, because classes have a configuration of their own.
call_outcomes: TypeAdapter[CallOutcome | None] = TypeAdapter(cast(Any, Union)[CallOutcome, None], config=_BYTES)
listings: TypeAdapter[list[ListedTool]] = TypeAdapter(list[ListedTool], config=_BYTES)
instructions: TypeAdapter[list[Union[str, InstructionPart]]] = TypeAdapter(
    list[Union[str, InstructionPart]], config=_BYTES
)
parameters: TypeAdapter[ModelRequestParameters] = TypeAdapter(ModelRequestParameters)
json_values: TypeAdapter[Any] = TypeAdapter(Any, config=_BYTES)
_PLAIN_OUTCOME = CallOutcome()
request_usage: TypeAdapter[RequestUsage] = TypeAdapter(RequestUsage)
stream_events: TypeAdapter[AgentStreamEvent] = TypeAdapter(AgentStreamEvent, config=_BYTES)


def prepare() -> None:
    """Build what reads and writes messages, which is otherwise built when it is first used.

    In the sandbox of a workflow that takes long, in each of those that begin at the same moment, and an engine may take such a
    workflow for one that hangs.
    """
    ModelMessagesTypeAdapter.rebuild()


def message_json(message: ModelMessage) -> bytes:
    """Return a message as JSON."""
    return ModelMessagesTypeAdapter.dump_json([message])[1:-1]


def messages_from(items: Sequence[bytes]) -> list[ModelMessage]:
    """Return messages from their JSON."""
    return ModelMessagesTypeAdapter.validate_json(b'[' + b','.join(items) + b']')


def kept(adapter: TypeAdapter[T], data: bytes, what: str) -> T:
    """Return the outcome of a step from the JSON that an engine has kept.

    Args:
        adapter: What it must be.
        data: The JSON.
        what: What it must be, in words.

    Raises:
        UserError: It is something else. No hook and no model takes that for what a tool said, or calls the tool again.
    """
    try:
        return adapter.validate_json(data)
    except ValidationError as error:
        raise _not_kept(what, short_repr(data, 100)) from error


def _not_kept(what: str, found: str) -> UserError:
    return UserError(
        f'What the engine has kept of a step is not {what}: {found}. It was written by something else, or damaged: look at '
        'the history of the workflow, and begin the run again.'
    )


def response_from(outcome: bytes) -> ModelResponse:
    """Return a response from the JSON that an engine has kept.

    Raises:
        UserError: It is something else.
    """
    messages = kept(ModelMessagesTypeAdapter, b'[' + outcome + b']', 'the response of a model')
    if len(messages) != 1 or not isinstance(response := messages[0], ModelResponse):
        raise _not_kept('the response of a model', short_repr(outcome, 100))
    return response


def outcome_from(data: bytes) -> CallOutcome:
    """Return what happened to a call from the JSON that an engine has kept.

    Raises:
        UserError: It is something else.
    """
    outcome = kept(call_outcomes, data, 'what happened to a call')
    if outcome is None or (outcome.kind in ('retry_part', 'return_part') and getattr(outcome, outcome.kind) is None):
        raise _not_kept('what happened to a call', short_repr(data, 100))
    return outcome


def _written(outcome: CallOutcome) -> bytes:
    """Return an outcome as JSON, without the fields that say nothing; inside of them, `kind` says what an object is."""
    changed = {
        one.name for one in fields(outcome) if getattr(outcome, one.name) is not getattr(_PLAIN_OUTCOME, one.name)
    }
    return call_outcomes.dump_json(outcome, include=changed)


def parameters_json(params: ModelRequestParameters) -> bytes:
    """Return the parameters of a request as JSON.

    Raises:
        UserError: The metadata of a tool, or something else in them, has no JSON form.
    """
    try:
        return parameters.dump_json(params)
    except (PydanticSerializationError, UnicodeError) as error:
        names = [tool.name for tool in (*params.function_tools, *params.output_tools) if tool.metadata]
        raise UserError(
            f'The parameters of a request have no JSON form, so that they cannot be sent: {error}. Use text, '
            f'numbers, lists and dicts in the metadata of tools{f" ({names})" if names else ""} and in their schemas.'
        ) from error


# Models


async def request(
    model: Model, messages: list[ModelMessage], settings: ModelSettings | None, params: ModelRequestParameters
) -> bytes:
    """Send a request, and return the response as JSON."""
    return message_json(await model.request(messages, settings, params))


async def request_stream(
    model: Model,
    messages: list[ModelMessage],
    settings: ModelSettings | None,
    params: ModelRequestParameters,
    ctx: AnyContext | None,
    handler: Callable[..., Awaitable[None]] | None,
) -> bytes:
    """Send a request, show the events of the response to a handler, and return the response as JSON."""
    async with model.request_stream(messages, settings, params, ctx) as stream:
        if handler is not None:
            await handler(ctx, stream)
        async for _ in stream:
            pass
    return message_json(stream.get())


async def count_tokens(
    model: Model, messages: list[ModelMessage], settings: ModelSettings | None, params: ModelRequestParameters
) -> bytes:
    """Count the tokens of a request, and return the usage as JSON."""
    return request_usage.dump_json(await model.count_tokens(messages, settings, params))


# Tools


async def list_tools(toolset: AnyToolset, ctx: AnyContext) -> bytes:
    """List the tools of a toolset, and return the list as JSON."""
    tools = (await toolset.get_tools(ctx)).values()
    return listings.dump_json([_listed(tool) for tool in tools], exclude_defaults=True)


def _listed(tool: AnyTool) -> ListedTool:
    policy = tool.policy or CallPolicy()
    return ListedTool(
        tool.tool_def, tool.max_retries, policy.effect, policy.max_calls, can_reconcile=policy.reconcile is not None
    )


async def list_instructions(toolset: AnyToolset, ctx: AnyContext) -> bytes:
    """Return the instructions of a toolset as JSON."""
    found = await toolset.get_instructions(ctx)
    texts = [] if found is None else [found] if isinstance(found, (str, InstructionPart)) else list(found)
    return instructions.dump_json(texts)


async def call_tool(
    toolset: AnyToolset,
    name: str,
    args: JsonData,
    ctx: AnyContext,
    tool: AnyTool,
    keep_errors: bool = False,
) -> bytes:
    """Call a tool, and return what happened to the call as JSON.

    Args:
        toolset: The toolset.
        name: The name of the tool.
        args: The validated arguments.
        ctx: The run context.
        tool: The tool.
        keep_errors: Whether an exception of the tool is an outcome as well, because the run continues with it.
    """
    try:
        return returned(ctx, await toolset.call_tool(name, args, ctx, tool))
    except ModelRetry as error:
        outcome = CallOutcome('retry', message=error.message)
    except ToolFailed as error:
        outcome = CallOutcome('failed', message=error.message)
    except ToolRetryError as error:
        outcome = CallOutcome('retry_part', retry_part=error.tool_retry)
    except CallDeferred as error:
        outcome = CallOutcome('deferred', metadata=error.metadata, message=error.kind)
    except ApprovalRequired as error:
        outcome = CallOutcome('approval', metadata=error.metadata)
    except Exception as error:
        if not keep_errors:
            raise
        outcome = CallOutcome('error', message=str(error), error=type(error).__name__)
    return _written(outcome)


def returned(ctx: AnyContext, value: object) -> bytes:
    """Return what a tool returned as an outcome; what has no JSON form becomes the answer that says so."""
    try:
        return _written(_outcome_of(value))
    except (PydanticSerializationError, UnicodeError):
        call = ToolCallPart(ctx.tool_name or '', {}, ctx.tool_call_id or '')
        part, _ = answer_to(call, value)
        outcome = CallOutcome('return_part', return_part=cast(ToolReturnPart, part))
        return _written(outcome)


def _outcome_of(value: object) -> CallOutcome:
    if isinstance(value, ToolReturn):
        result = cast('ToolReturn[Any]', value)
        return CallOutcome('return', result.return_value, result.content, result.metadata)
    if isinstance(value, ToolDenied):
        return CallOutcome('denied', message=value.message)
    if isinstance(value, RetryPromptPart):
        return CallOutcome('retry_part', retry_part=value)
    if isinstance(value, ToolReturnPart):
        return CallOutcome('return_part', return_part=value)
    if isinstance(value, ModelRetry):
        return CallOutcome('retry', message=value.message)
    if isinstance(value, ToolFailed):
        return CallOutcome('failed', message=value.message)
    return CallOutcome('value', value)


def result_of(outcome: CallOutcome, make_error: Callable[[str, str], Exception]) -> Any:
    """Return what a call returned, or raise what it raised.

    Args:
        outcome: What happened to the call.
        make_error: Makes an exception of the type and the text of the one that the tool raised.
    """
    kind = outcome.kind
    if kind == 'return':
        return ToolReturn(outcome.value, content=outcome.content, metadata=outcome.metadata)
    if kind == 'denied':
        return ToolDenied(outcome.message)
    if kind == 'return_part':
        return outcome.return_part
    if kind == 'retry':
        raise ModelRetry(outcome.message)
    if kind == 'failed':
        raise ToolFailed(outcome.message)
    if kind == 'retry_part':
        raise ToolRetryError(outcome.retry_part)
    if kind == 'deferred':
        raise CallDeferred(outcome.metadata, kind='question' if outcome.message == 'question' else 'external')
    if kind == 'approval':
        raise ApprovalRequired(metadata=outcome.metadata)
    if kind == 'error':
        raise make_error(outcome.error, outcome.message)
    return outcome.value


async def reconcile(policy: CallPolicy | None, args: JsonData, ctx: AnyContext) -> bytes:
    """Find out whether a call was done, and return what happened to it as JSON.

    `'value'` and the like if it was done, `'deferred'` if it was not, `'unknown'` if that cannot be found out.
    """
    if policy is None or policy.reconcile is None:
        return _written(CallOutcome('unknown'))
    found = policy.reconcile(ctx, args)
    if inspect.isawaitable(found):
        found = await found
    if isinstance(found, Done):
        return returned(ctx, found.result)
    kind = 'deferred' if isinstance(found, NotDone) else 'unknown'
    return _written(CallOutcome(kind))


@asynccontextmanager
async def opened(toolset: AnyToolset, ctx: AnyContext) -> AsyncIterator[AnyToolset]:
    """Open a toolset for one step, as a run does, and yield it as it is in a step."""
    async with await toolset.for_run(ctx) as entered:
        yield await entered.for_run_step(ctx)


def validated(tool: AnyTool, args: JsonData, ctx: AnyContext) -> JsonData | bytes:
    """Return the arguments of a call from their JSON form, or the outcome of a call whose arguments are not valid."""
    try:
        return tool.args_validator.validate_json(json_values.dump_json(args), context=ctx.validation_context)
    except ValidationError as error:
        part = RetryPromptPart(content=errors_of(error), tool_name=ctx.tool_name, tool_call_id=ctx.tool_call_id or '')
        return _written(CallOutcome('retry_part', retry_part=part))
