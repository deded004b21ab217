"""The arguments of a call: from JSON or Python data through the tool's validator, its own function, and the hooks."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from .._contracts.hooks import TOOL_VALIDATE
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ..exceptions import ModelRetry, SkipToolValidation, ToolRetryError
from ..messages import ToolCallPart
from .answers import unknown_tool
from .step_tools import StepTools


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
    validated_args: dict[str, Any] | None = None
    """The validated arguments."""
    validation_error: ToolRetryError | None = None
    """What the model is told when the arguments did not pass."""


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
    if step.used_up and call.tool_name in step.used_up:  # its execution is an answer, whatever was sent
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=True, validated_args={})
    try:
        if tool is None:
            raise ModelRetry(unknown_tool(call.tool_name, step.listed()))
        if step.chain.tool_validate:
            args = await _validate_with_hooks(step, call, tool, ctx)
        else:
            args = await _validate_args(call.args, tool, ctx)
    except (ValidationError, ModelRetry) as error:
        if not wrap_errors:
            raise
        retry = step.retry_error(call, ctx, error)
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=False, validation_error=retry)
    return ValidatedToolCall(call, tool, ctx, True, args)


async def _validate_with_hooks(
    step: StepTools[AgentDepsT], call: ToolCallPart, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
) -> dict[str, Any]:
    async def inner(args: Any) -> dict[str, Any]:
        return await _validate_args(args, tool, ctx)

    raw: Any = call.args if call.args is not None else {}
    try:
        return await step.chain.call(TOOL_VALIDATE, ctx, raw, inner, call=call, tool_def=tool.tool_def)
    except SkipToolValidation as skip:
        return skip.validated_args


async def _validate_args(
    args: str | dict[str, Any] | None, tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
) -> dict[str, Any]:
    validator = tool.args_validator
    if isinstance(args, str):
        validated = validator.validate_json(args or '{}', context=ctx.validation_context)
    else:
        validated = _validate_python(validator, args or {}, ctx.validation_context)
    if tool.args_validator_func is not None:
        outcome = tool.args_validator_func(ctx, **validated)
        if inspect.isawaitable(outcome):
            await outcome
    return validated


def _validate_python(validator: Any, args: dict[str, Any], context: Any) -> Any:
    """Validate arguments that come as Python data, though they were JSON when the model sent them.

    Strict types take dates, tuples and the like from JSON only; so where types are all that is wrong, it is asked as JSON.
    """
    try:
        return validator.validate_python(args, context=context)
    except ValidationError as error:
        kinds = {fault['type'] for fault in error.errors(include_url=False, include_context=False, include_input=False)}
        if any(not kind.endswith('_type') and kind != 'is_instance_of' for kind in kinds):
            raise
        try:
            return validator.validate_json(to_json(args), context=context)
        except (ValidationError, PydanticSerializationError):
            raise error from None
