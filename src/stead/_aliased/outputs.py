"""The steps from a raw output to the result, with the hooks of a capability; programs import them from private modules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from typing_extensions import deprecated

from .._calls.answers import errors_of
from .._calls.outputs import OutputValidator, process_bare_output, process_text_output
from .._contracts.capability import AbstractCapability
from .._contracts.hooks import OUTPUT_PROCESS, OUTPUT_VALIDATE, HookPoint
from .._contracts.output import OutputContext
from .._contracts.run_context import RunContext
from .._kit.json_types import JsonObject
from ..capabilities import CombinedCapability
from ..exceptions import ModelRetry, ToolRetryError
from ..messages import BinaryImage, RetryPromptPart, ToolCallPart
from ..output import OutputProcessor, OutputSchema
from ..tools import DeferredToolRequests, ToolDefinition


@deprecated('`DeferredToolCalls` is an old name; use `DeferredToolRequests`.')
class DeferredToolCalls(DeferredToolRequests):
    """The old class of `DeferredToolRequests`."""

    @property
    @deprecated('`tool_calls` is an old name; use `calls`.')
    def tool_calls(self) -> list[ToolCallPart]:
        """The calls with results from outside."""
        return self.calls

    @property
    @deprecated('`tool_defs` is empty: `DeferredToolRequests` has none.')
    def tool_defs(self) -> dict[str, ToolDefinition]:
        """An empty dict."""
        return {}


async def run_output_validate_hooks(
    capability: AbstractCapability[Any],
    *,
    run_context: RunContext[Any],
    output_context: OutputContext,
    output: str | JsonObject,
    do_validate: Callable[[str | JsonObject], Awaitable[Any]],
    allow_partial: bool = False,
    wrap_validation_errors: bool = True,
) -> Any:
    """Return a validated output, with the hooks of a capability around the validation; arguments and errors as for the other."""
    where = run_context.fork(partial_output=True) if allow_partial else run_context
    return await _with_hooks(
        OUTPUT_VALIDATE, capability, where, output_context, output, do_validate, wrap_validation_errors
    )


async def run_output_process_hooks(
    capability: AbstractCapability[Any],
    *,
    run_context: RunContext[Any],
    output_context: OutputContext,
    output: Any,
    do_process: Callable[[Any], Awaitable[Any]],
    wrap_validation_errors: bool = True,
) -> Any:
    """Return the result of an output, with the hooks of a capability around its processing.

    Args:
        capability: The capability, which may combine others.
        run_context: The run context.
        output_context: What the hooks learn about the output.
        output: The output.
        do_process: Makes the result.
        wrap_validation_errors: Whether invalid data and `ModelRetry` become a `ToolRetryError`, which carries the prompt for
            the model.

    Raises:
        ToolRetryError: The output is not valid, or a hook asks for another try.
    """
    return await _with_hooks(
        OUTPUT_PROCESS, capability, run_context, output_context, output, do_process, wrap_validation_errors
    )


async def run_output_with_hooks(
    processor: OutputProcessor[Any],
    *,
    text: str,
    run_context: RunContext[Any],
    capability: AbstractCapability[Any],
    schema: OutputSchema[Any],
    allow_partial: bool = False,
    wrap_validation_errors: bool = True,
    output_validators: Sequence[OutputValidator[Any, Any]] = (),
) -> Any:
    """Return the result of a text: validated, processed and checked, with the hooks of a capability; errors as above."""
    chain = CombinedCapability([capability]).chain
    of_text = replace(schema, text_processor=processor)
    with _unwrapped(wrap_validation_errors):
        return await process_text_output(
            text, of_text, run_context, chain, output_validators, allow_partial=allow_partial
        )


async def run_image_process_hooks(
    image: BinaryImage,
    *,
    capability: AbstractCapability[Any],
    run_context: RunContext[Any],
    schema: OutputSchema[Any],
    wrap_validation_errors: bool = True,
    output_validators: Sequence[OutputValidator[Any, Any]] = (),
) -> Any:
    """Return the result of an image: checked, with the hooks of a capability; errors as above."""
    chain = CombinedCapability([capability]).chain
    with _unwrapped(wrap_validation_errors):
        return await process_bare_output(image, 'image', schema, run_context, chain, output_validators)


@contextmanager
def _unwrapped(wrap: bool) -> Iterator[None]:
    """Raise what a `ToolRetryError` was made from, unless it is to be one."""
    try:
        yield
    except ToolRetryError as error:
        if wrap or not isinstance(error.__cause__, (ValidationError, ModelRetry)):
            raise
        raise error.__cause__ from None


async def _with_hooks(
    point: HookPoint,
    capability: AbstractCapability[Any],
    ctx: RunContext[Any],
    context: OutputContext,
    output: object,
    act: Callable[[Any], Awaitable[Any]],
    wrap: bool,
) -> Any:
    try:
        return await CombinedCapability([capability]).chain.call(point, ctx, output, act, output_context=context)
    except (ValidationError, ModelRetry) as error:
        if not wrap:
            raise
        content = errors_of(error) if isinstance(error, ValidationError) else error.message
        raise ToolRetryError(RetryPromptPart(content=content)) from error


__all__ = (
    'DeferredToolCalls',
    'run_image_process_hooks',
    'run_output_process_hooks',
    'run_output_validate_hooks',
    'run_output_with_hooks',
)
