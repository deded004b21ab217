"""The arguments of a call: from JSON or Python data through the tool's validator, its own function, and the hooks."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, SchemaValidator, from_json, to_json
from typing_extensions import TypeAlias

from .._contracts.hooks import TOOL_VALIDATE
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import SchemaValidatorProt
from .._contracts.toolset import ToolsetTool
from .._kit.deep_copy import own_data
from .._kit.first_errors import MOST_WHOLE, first_errors
from .._kit.plain_copies import own_copy
from .._kit.well_formed import meant_arguments, well_formed
from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed, ToolRetryError
from ..messages import ToolCallPart
from .step_tools import StepTools

CUT_CALL = (
    'The response reached its token limit before the arguments of this call, so it was not executed. Call again, with '
    'shorter arguments.'
)
"""What a model reads about a call that was cut off where its arguments should begin."""

RawArgs: TypeAlias = 'str | dict[str, Any] | None'
"""Arguments as a model sent them: JSON, or the data that was read from it."""
ToolArgs: TypeAlias = dict[str, Any]
"""Arguments of a tool by name, of whatever types its signature says."""
_CONTAINERS = frozenset({dict, list, tuple})
_MOST_NESTED = 3
"""How often lists and objects are looked for in texts that are in such texts."""


@dataclass
class ValidatedToolCall(Generic[AgentDepsT]):
    """A tool call after validation: what is needed to execute it, or the reason it cannot be."""

    call: ToolCallPart
    """The call as the model sent it."""
    tool: ToolsetTool[AgentDepsT] | None
    """The tool, or `None` if there is none of that name."""
    ctx: RunContext[AgentDepsT]
    """The run context of the call."""
    args_valid: bool
    """Whether the arguments passed validation."""
    validated_args: ToolArgs | None = None
    """The validated arguments."""
    validation_error: ToolRetryError | ToolFailed | None = None
    """The retry prompt for the model, if the arguments did not pass."""
    deferral: ApprovalRequired | CallDeferred | None = None
    """What the `args_validator` or a hook raised, if the call has to wait."""
    begun: bool = False
    """Whether the tool was called, so that it may have had effects."""
    returned: tuple[object, ...] = ()
    """What the tool returned, from then on until the hooks around it are done."""
    counted: bool = False
    """Whether the usage of the run includes the call."""
    of_batch: bool = False
    """Whether it is a call of the model, which its batch runs in a context of its own."""


async def validate_call(
    step: StepTools[AgentDepsT],
    call: ToolCallPart,
    tool: ToolsetTool[AgentDepsT] | None,
    ctx: RunContext[AgentDepsT],
    *,
    wrap_errors: bool = True,
) -> ValidatedToolCall[AgentDepsT]:
    """Validate the arguments of a call.

    Args:
        step: The tools of the step.
        call: The call.
        tool: Its tool, or `None` if there is none of that name.
        ctx: The context of the call.
        wrap_errors: Whether invalid arguments become a message to the model; otherwise they raise.

    Raises:
        UnexpectedModelBehavior: The tool has used up its retries.
        ValidationError: The arguments are invalid and errors are not wrapped.
        ModelRetry: The tool is unknown, or its `args_validator` objects, and errors are not wrapped.
    """
    if step.used_up and call.tool_name in step.used_up:  # it is not called, so its arguments do not matter
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=True, validated_args={})
    try:
        tool = _checked_tool(step, call, tool)
        if step.chain.sees_valid_args:
            args = await _validate_with_hooks(step, call, tool, ctx)
        else:
            try:
                args = _validate_types(call, call.args, tool, ctx)
                if tool.args_validator_func is not None:
                    await _validate_values(args, tool, ctx)
            except (ValidationError, ModelRetry) as error:
                if not step.chain.tool_validate:
                    raise
                args = await _validate_with_hooks(step, call, tool, ctx, error)
    except (ValidationError, ModelRetry) as error:
        if not wrap_errors:
            raise
        retry = step.retry_error(call, ctx, error)
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=False, validation_error=retry)
    except (ApprovalRequired, CallDeferred) as deferral:
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=True, deferral=deferral)
    except ToolFailed as error:
        if not wrap_errors:
            raise
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=False, validation_error=error)
    return ValidatedToolCall(call, tool, ctx, True, args)


def _checked_tool(
    step: StepTools[AgentDepsT], call: ToolCallPart, tool: ToolsetTool[AgentDepsT] | None
) -> ToolsetTool[AgentDepsT]:
    """Return the tool of a call; raise `ModelRetry` if there is none, or if the call was cut off before its arguments."""
    if tool is None:
        raise ModelRetry(step.unknown(call.tool_name))
    if call.tool_call_id == step.cut_call and tool.tool_def.parameters_json_schema.get('properties'):
        raise ModelRetry(CUT_CALL)
    return tool


async def _validate_with_hooks(
    step: StepTools[AgentDepsT],
    call: ToolCallPart,
    tool: ToolsetTool[AgentDepsT],
    ctx: RunContext[AgentDepsT],
    failure: ValidationError | ModelRetry | None = None,
) -> ToolArgs:
    async def inner(args: RawArgs | None) -> ToolArgs:
        if failure is not None:  # no hook sees arguments before they are found to be invalid
            raise failure
        return await _validate_args(call, raw if args is None else args, tool, ctx)  # `None`: a hook that only looked

    raw: RawArgs = own_data(call.args) if call.args is not None else {}
    # All runs share the definition, and a hook may change its own in place.
    return await step.chain.call(TOOL_VALIDATE, ctx, raw, inner, call=call, tool_def=own_copy(tool.tool_def))


async def _validate_args(
    call: ToolCallPart, args: RawArgs, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
) -> ToolArgs:
    validated = _validate_types(call, args, tool, ctx)
    if tool.args_validator_func is not None:
        await _validate_values(validated, tool, ctx)
    return validated


def _validate_types(
    call: ToolCallPart, args: RawArgs, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
) -> ToolArgs:
    """Return the validated arguments; what is not valid may be read in another way, if that is."""
    validator, context = tool.args_validator, ctx.validation_context
    if isinstance(args, str):
        try:
            return validator.validate_json(args or '{}', context=context)
        except ValidationError as error:
            meant = meant_arguments(args)
            if meant == '{}' and tool.tool_def.parameters_json_schema.get('properties'):
                raise
            failure, is_json = error, first_errors(error, 1)[0]['type'] != 'json_invalid'
        if meant is not None:
            try:
                return validator.validate_json(meant, context=context)
            except ValidationError as error:
                if is_json:
                    raise
                return _validate_read(call, meant, error, failure, validator, context)
        if is_json:
            return _validate_read(call, args or '{}', failure, failure, validator, context)
        return _validate_cut(call, args, failure, tool, context)
    if isinstance(args, dict) and not _CONTAINERS.isdisjoint(map(type, args.values())):
        args = own_data(args)  # what the tool does to them is not done to the call in the history
    try:
        return validator.validate_python(args or {}, context=context)
    except ValidationError as error:
        failure = error
    try:
        return _validate_as_json(failure, validator, args or {}, context)
    except ValidationError:
        return _validate_read(call, args or {}, failure, failure, validator, context)


def _validate_read(
    call: ToolCallPart,
    args: str | dict[str, Any],
    error: ValidationError,
    failure: ValidationError,
    validator: SchemaValidator | SchemaValidatorProt,
    context: object,
) -> ToolArgs:
    """Validate arguments with the lists and objects in them that the model wrote as texts.

    Args:
        call: The call.
        args: Its arguments, as they are read.
        error: What was wrong with these.
        failure: What was wrong with those that the model wrote; raised if this is not better.
        validator: Validates arguments.
        context: The context of the validation.
    """
    from .._kit.nearly_json import with_texts_read

    data: Any = from_json(well_formed(args)) if isinstance(args, str) else own_data(args)
    changes = call.args_repairs
    for _ in range(_MOST_NESTED):
        if not isinstance(data, dict) or not with_texts_read(data, first_errors(error, MOST_WHOLE)):  # type: ignore[reportUnknownArgumentType]
            break
        text = to_json(data).decode()
        try:
            validated = validator.validate_json(text, context=context)
        except ValidationError as other:
            error = other
            continue
        call.note_reading(text, (*changes, 'JSON in texts'))
        return validated
    raise failure


def _validate_cut(
    call: ToolCallPart, args: str, failure: ValidationError, tool: ToolsetTool[AgentDepsT], context: object
) -> ToolArgs:
    """Validate arguments of which only closing brackets are missing, as their schema proves."""
    from .._kit.nearly_json import without_end

    if (found := without_end(well_formed(args), tool.tool_def.parameters_json_schema)) is None:
        raise failure
    try:
        validated = tool.args_validator.validate_json(found[0], context=context)
    except ValidationError:
        raise failure from None
    call.note_reading(*found)
    return validated


async def _validate_values(args: ToolArgs, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]) -> None:
    assert tool.args_validator_func is not None, 'the tool has a function that looks at the arguments'
    outcome = tool.args_validator_func(ctx, **args)
    if inspect.isawaitable(outcome):
        await outcome


def _validate_as_json(
    error: ValidationError, validator: SchemaValidator | SchemaValidatorProt, args: dict[str, Any], context: object
) -> ToolArgs:
    """Validate arguments that came as Python data, though they were JSON when the model sent them, and are invalid as data.

    Strict types accept dates, tuples and the like from JSON only; so where only types are wrong, it is validated as JSON.
    """
    kinds = {fault['type'] for fault in first_errors(error, MOST_WHOLE)}
    if any(not kind.endswith('_type') and kind != 'is_instance_of' for kind in kinds):
        raise error
    try:
        return validator.validate_json(to_json(args), context=context)
    except (ValidationError, PydanticSerializationError):
        raise error from None
