"""Outputs, from the data of a model to the result of a run: validation, output function, validators, and their hooks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic

from pydantic import ValidationError
from typing_extensions import TypeAlias

from .._contracts.hooks import OUTPUT_PROCESS, OUTPUT_VALIDATE
from .._contracts.output import OutputContext, OutputDataT_inv, OutputMode
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.aio import run_in_executor
from .._kit.annotations import is_async_callable
from .._kit.deep_copy import own_data
from .._kit.deprecated import warn_caller
from .._kit.plain_copies import own_copy
from .._kit.tracebacks import add_note
from ..capabilities._chain import HookChain
from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolRetryError
from ..messages import CompactionPart, ModelResponse, NativeToolCallPart, RetryPromptPart, TextPart, ToolCallPart
from ..output import OutputProcessor, OutputSchema, OutputToolset, TextOutputProcessor
from .answers import errors_of
from .output_once import called_once
from .step_tools import StepTools
from .validate import RawArgs, ValidatedToolCall


def output_text(response: ModelResponse) -> str:
    """Return the text of a response that may be its output: the text after the last call of a native tool.

    If there is none, it is the summary of a provider that compacted the conversation and stopped there.
    """
    pieces: list[str] = []
    for part in response.parts:
        if isinstance(part, TextPart):
            pieces.append(part.content)
        elif isinstance(part, NativeToolCallPart):
            pieces.clear()
    text = ''.join(pieces)
    return text or ''.join(part.content or '' for part in response.parts if isinstance(part, CompactionPart))


@dataclass
class OutputValidator(Generic[AgentDepsT, OutputDataT_inv]):
    """A function that checks or changes the output of a run, called with or without the run context."""

    function: Callable[..., Any]
    """The user's function."""
    takes_ctx: bool = field(init=False)
    is_async: bool = field(init=False)

    def __post_init__(self) -> None:
        self.takes_ctx = len(inspect.signature(self.function).parameters) > 1
        self.is_async = is_async_callable(self.function)

    async def validate(self, value: object, ctx: RunContext[AgentDepsT]) -> Any:
        """Return the output, checked and maybe changed; whatever the function raises passes through."""
        args = (ctx, value) if self.takes_ctx else (value,)
        output = await (self.function(*args) if self.is_async else run_in_executor(self.function, *args))
        if output is None and value is not None:
            self._warn_of_no_return()
        return output

    def _warn_of_no_return(self) -> None:
        from .._kit.annotations import returns_nothing

        if returns_nothing(self.function):
            warn_caller(
                f'Output validator {getattr(self.function, "__name__", self.function)!r} returns nothing, so the output is '
                '`None`. Return the output in it.',
                UserWarning,
            )


OutputValidators: TypeAlias = 'Sequence[OutputValidator[Any, Any]]'
"""The output validators of a run, in the order in which they are called."""


def output_context(
    processor: OutputProcessor[object],
    schema: OutputSchema[object],
    *,
    mode: OutputMode | None = None,
    call: ToolCallPart | None = None,
    tool_def: ToolDefinition | None = None,
) -> OutputContext:
    """Describe an output to the output hooks."""
    return OutputContext(
        mode=mode or schema.mode,
        output_type=processor.output_type,
        object_def=processor.object_def,
        has_function=processor.has_function,
        function_name=processor.function_name,
        tool_call=call,
        tool_def=None if tool_def is None else own_copy(tool_def),
        allows_text=schema.allows_text,
        allows_image=schema.allows_image,
        allows_deferred_tools=schema.allows_deferred_tools,
    )


async def validate_tool_output(
    call: ToolCallPart,
    tool_def: ToolDefinition,
    schema: OutputSchema[object],
    ctx: RunContext[object],
    chain: HookChain,
    allow_partial: bool = False,
) -> Any:
    """Validate the arguments of an output tool, with the hooks for it.

    Raises:
        ValidationError: The arguments do not fit the output type.
        ModelRetry: A hook asks for another try.
    """
    assert schema.toolset is not None, 'an output tool comes from a toolset'
    processor = schema.toolset.processors[call.tool_name]
    nothing: RawArgs = '' if allow_partial else {}  # arguments that have not started are not an empty object
    data = own_data(call.args) if call.args is not None else nothing
    if allow_partial and call.args == '':
        data = {}
    return await _validate(processor, schema, data, ctx, chain, allow_partial, call=call, tool_def=tool_def)


async def process_tool_output(
    call: ToolCallPart,
    tool_def: ToolDefinition,
    value: object,
    schema: OutputSchema[object],
    ctx: RunContext[object],
    step: StepTools[Any],
) -> Any:
    """Turn validated arguments of an output tool into the output of the run.

    The hooks and the output function see the retries of the tool; validators see those of the output, whichever tool it is.
    """
    outputs = schema.toolset
    assert outputs is not None, 'an output tool comes from a toolset'
    validators, of_validators = outputs.output_validators, ctx
    if validators and step.ctx is not None:
        of_validators = ctx.fork(retry=step.ctx.retry, max_retries=outputs.max_retries)
    processor = outputs.processors[call.tool_name]
    return await _process(
        processor, schema, value, ctx, step.chain, validators, call=call, tool_def=tool_def, of_validators=of_validators
    )


async def validate_output_call(
    step: StepTools[AgentDepsT],
    call: ToolCallPart,
    tool: ToolsetTool[AgentDepsT] | None,
    schema: OutputSchema[object],
    *,
    allow_partial: bool = False,
    wrap_errors: bool = True,
) -> ValidatedToolCall[AgentDepsT]:
    """Validate the call of an output tool with the output hooks; errors as for `validate_call`.

    Args:
        step: The tools of the step.
        call: The call.
        tool: Its tool, or `None` if there is none of that name.
        schema: The outputs of the run.
        allow_partial: Whether the arguments may be cut off.
        wrap_errors: Whether invalid arguments become a message to the model; otherwise they raise.
    """
    ctx = step.call_context(call, tool, partial_output=allow_partial)
    try:
        if tool is None or not isinstance(schema.toolset, OutputToolset):
            raise ModelRetry(step.unknown(call.tool_name))
        value = await validate_tool_output(call, tool.tool_def, schema, ctx, step.chain, allow_partial)
    except (ValidationError, ModelRetry) as error:
        if not wrap_errors:
            raise
        retry = step.retry_error(call, ctx, error, output=True)
        return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=False, validation_error=retry)
    return ValidatedToolCall(call=call, tool=tool, ctx=ctx, args_valid=True, validated_args=value)


async def execute_output_call(
    step: StepTools[AgentDepsT],
    validated: ValidatedToolCall[AgentDepsT],
    schema: OutputSchema[object],
    *,
    wrap_errors: bool = True,
) -> Any:
    """Process the validated call of an output tool: output function, then output validators; errors as a tool's."""
    if validated.validation_error is not None:
        raise validated.validation_error
    call, tool, ctx = validated.call, validated.tool, validated.ctx
    assert tool is not None, 'a valid call has a tool'
    try:
        return await process_tool_output(call, tool.tool_def, validated.validated_args, schema, ctx, step)
    except (ValidationError, ModelRetry, ToolRetryError) as error:
        if not wrap_errors:
            raise
        raise step.retry_error(call, ctx, error, output=True) from error


async def process_text_output(
    text: str,
    schema: OutputSchema[object],
    ctx: RunContext[object],
    chain: HookChain,
    validators: OutputValidators,
    *,
    allow_partial: bool = False,
) -> Any:
    """Turn text of the model into the output of the run.

    Raises:
        ToolRetryError: The text is not a valid output; it carries the retry prompt for the model.
    """
    processor = schema.text_processor
    assert processor is not None, 'text is only processed where the output type allows it'
    if type(processor) is TextOutputProcessor and processor.function is None:
        if not (validators or chain.output_process):
            return text  # it is the output, as of most agents
    try:
        value: object = text
        if processor.object_def is not None:
            value = await _validate(processor, schema, text, ctx, chain, allow_partial)
        return await _process(processor, schema, value, ctx, chain, validators)
    except ValidationError as error:
        content = errors_of(error)
        raise ToolRetryError(RetryPromptPart(content=content)) from error
    except ModelRetry as error:
        raise ToolRetryError(RetryPromptPart(content=error.message)) from error


async def process_bare_output(
    value: object,
    mode: OutputMode,
    schema: OutputSchema[object],
    ctx: RunContext[object],
    chain: HookChain,
    validators: OutputValidators,
) -> Any:
    """Turn a value that needs no processor, an image or an empty response, into the output of the run.

    Raises:
        ToolRetryError: A hook or an output validator objects; it carries the retry prompt for the model.
    """

    async def finish(output: object) -> object:
        for validator in validators:
            output = await validator.validate(output, ctx)
        return output

    try:
        if not chain.output_process:
            return await finish(value)
        context = OutputContext(
            mode=mode,
            output_type=type(value),
            object_def=None,
            has_function=False,
            allows_text=schema.allows_text,
            allows_image=schema.allows_image,
            allows_deferred_tools=schema.allows_deferred_tools,
        )
        return await chain.call(OUTPUT_PROCESS, ctx, value, finish, output_context=context)
    except ModelRetry as error:
        raise ToolRetryError(RetryPromptPart(content=error.message)) from error


async def _validate(
    processor: OutputProcessor[object],
    schema: OutputSchema[object],
    data: RawArgs,
    ctx: RunContext[object],
    chain: HookChain,
    allow_partial: bool,
    *,
    call: ToolCallPart | None = None,
    tool_def: ToolDefinition | None = None,
) -> Any:
    if not chain.output_validate:
        return processor.validate(data, ctx, allow_partial=allow_partial)

    async def inner(raw: RawArgs) -> object:
        return processor.validate(raw, ctx, allow_partial=allow_partial)

    mode = 'tool' if call is not None else None
    context = output_context(processor, schema, mode=mode, call=call, tool_def=tool_def)
    return await chain.call(OUTPUT_VALIDATE, ctx, data, inner, output_context=context)


async def _process(
    processor: OutputProcessor[object],
    schema: OutputSchema[object],
    value: object,
    ctx: RunContext[object],
    chain: HookChain,
    validators: OutputValidators,
    *,
    call: ToolCallPart | None = None,
    tool_def: ToolDefinition | None = None,
    of_validators: RunContext[object] | None = None,
) -> Any:
    async def inner(validated: object) -> object:
        if not (processor.has_function and chain.record) or ctx.partial_output:
            return await make(validated)
        return await called_once(partial(make, validated), validated, processor, schema, ctx, chain.announce, call)

    async def make(validated: object) -> object:
        who = f'Output function {processor.function_name!r}' if processor.function_name else 'An output function'
        try:
            output = await processor.process(validated, ctx)
            for validator in validators:
                who = f'Output validator {getattr(validator.function, "__name__", validator.function)!r}'
                output = await validator.validate(output, of_validators or ctx)
        except Exception as error:
            _note_failure(error, who, ctx)
            raise
        return output

    if not chain.output_process:
        return await inner(value)
    mode = 'tool' if call is not None else None
    context = output_context(processor, schema, mode=mode, call=call, tool_def=tool_def)
    return await chain.call(OUTPUT_PROCESS, ctx, value, inner, output_context=context)


def _note_failure(error: Exception, who: str, ctx: RunContext[object]) -> None:
    """Say which output function or validator raised an error that ends the run; one that asks for a retry does not."""
    if not isinstance(error, (ModelRetry, ToolRetryError, CallDeferred, ApprovalRequired)):
        add_note(
            error,
            f'{who} raised {type(error).__name__} (run step {ctx.run_step}). Raise `ModelRetry` there to let the model try '
            'again; continue this run with `message_history=error.messages`.',
        )
