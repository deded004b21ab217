"""What functions that are registered as hooks look like: the signatures of the hook methods, sync or async."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable
from typing import Any, Protocol

from pydantic import ValidationError

from .._contracts.capability import (
    AgentNode,
    NodeResult,
    RawOutput,
    RawToolArgs,
    ValidatedToolArgs,
    WrapModelRequestHandler,
    WrapNodeRunHandler,
    WrapOutputProcessHandler,
    WrapOutputValidateHandler,
    WrapRunHandler,
    WrapToolExecuteHandler,
    WrapToolValidateHandler,
)
from .._contracts.model import ModelRequestContext
from .._contracts.output import OutputContext
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import ModelRetry
from ..messages import AgentStreamEvent, ModelResponse, ToolCallPart
from ..tools import DeferredToolRequests, DeferredToolResults


class BeforeRunHookFunc(Protocol):
    """A function for `before_run`."""

    def __call__(self, ctx: RunContext[Any], /) -> None | Awaitable[None]: ...


class AfterRunHookFunc(Protocol):
    """A function for `after_run`."""

    def __call__(self, ctx: RunContext[Any], *, result: Any) -> Any: ...


class WrapRunHookFunc(Protocol):
    """A function for `wrap_run`."""

    def __call__(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> Awaitable[Any]: ...


class OnRunErrorHookFunc(Protocol):
    """A function for `on_run_error`."""

    def __call__(self, ctx: RunContext[Any], *, error: BaseException) -> Any: ...


class BeforeNodeRunHookFunc(Protocol):
    """A function for `before_node_run`."""

    def __call__(self, ctx: RunContext[Any], *, node: AgentNode) -> AgentNode | Awaitable[AgentNode]: ...


class AfterNodeRunHookFunc(Protocol):
    """A function for `after_node_run`."""

    def __call__(
        self, ctx: RunContext[Any], *, node: AgentNode, result: NodeResult
    ) -> NodeResult | Awaitable[NodeResult]: ...


class WrapNodeRunHookFunc(Protocol):
    """A function for `wrap_node_run`."""

    def __call__(
        self, ctx: RunContext[Any], *, node: AgentNode, handler: WrapNodeRunHandler
    ) -> Awaitable[NodeResult]: ...


class OnNodeRunErrorHookFunc(Protocol):
    """A function for `on_node_run_error`."""

    def __call__(
        self, ctx: RunContext[Any], *, node: AgentNode, error: Exception
    ) -> NodeResult | Awaitable[NodeResult]: ...


class BeforeModelRequestHookFunc(Protocol):
    """A function for `before_model_request`."""

    def __call__(
        self, ctx: RunContext[Any], request_context: ModelRequestContext, /
    ) -> ModelRequestContext | Awaitable[ModelRequestContext]: ...


class AfterModelRequestHookFunc(Protocol):
    """A function for `after_model_request`."""

    def __call__(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse | Awaitable[ModelResponse]: ...


class WrapModelRequestHookFunc(Protocol):
    """A function for `wrap_model_request`."""

    def __call__(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> Awaitable[ModelResponse]: ...


class OnModelRequestErrorHookFunc(Protocol):
    """A function for `on_model_request_error`."""

    def __call__(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse | Awaitable[ModelResponse]: ...


class BeforeToolValidateHookFunc(Protocol):
    """A function for `before_tool_validate`."""

    def __call__(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: RawToolArgs
    ) -> RawToolArgs | Awaitable[RawToolArgs]: ...


class AfterToolValidateHookFunc(Protocol):
    """A function for `after_tool_validate`."""

    def __call__(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: ValidatedToolArgs
    ) -> ValidatedToolArgs | Awaitable[ValidatedToolArgs]: ...


class WrapToolValidateHookFunc(Protocol):
    """A function for `wrap_tool_validate`."""

    def __call__(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        handler: WrapToolValidateHandler,
    ) -> Awaitable[ValidatedToolArgs]: ...


class OnToolValidateErrorHookFunc(Protocol):
    """A function for `on_tool_validate_error`."""

    def __call__(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        error: ValidationError | ModelRetry,
    ) -> ValidatedToolArgs | Awaitable[ValidatedToolArgs]: ...


class BeforeToolExecuteHookFunc(Protocol):
    """A function for `before_tool_execute`."""

    def __call__(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: ValidatedToolArgs
    ) -> ValidatedToolArgs | Awaitable[ValidatedToolArgs]: ...


class AfterToolExecuteHookFunc(Protocol):
    """A function for `after_tool_execute`."""

    def __call__(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        result: Any,
    ) -> Any: ...


class WrapToolExecuteHookFunc(Protocol):
    """A function for `wrap_tool_execute`."""

    def __call__(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Awaitable[Any]: ...


class OnToolExecuteErrorHookFunc(Protocol):
    """A function for `on_tool_execute_error`."""

    def __call__(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        error: Exception,
    ) -> Any: ...


class BeforeOutputValidateHookFunc(Protocol):
    """A function for `before_output_validate`."""

    def __call__(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: RawOutput
    ) -> RawOutput | Awaitable[RawOutput]: ...


class AfterOutputValidateHookFunc(Protocol):
    """A function for `after_output_validate`."""

    def __call__(self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any) -> Any: ...


class WrapOutputValidateHookFunc(Protocol):
    """A function for `wrap_output_validate`."""

    def __call__(
        self,
        ctx: RunContext[Any],
        *,
        output_context: OutputContext,
        output: RawOutput,
        handler: WrapOutputValidateHandler,
    ) -> Awaitable[Any]: ...


class OnOutputValidateErrorHookFunc(Protocol):
    """A function for `on_output_validate_error`."""

    def __call__(
        self,
        ctx: RunContext[Any],
        *,
        output_context: OutputContext,
        output: RawOutput,
        error: ValidationError | ModelRetry,
    ) -> Any: ...


class BeforeOutputProcessHookFunc(Protocol):
    """A function for `before_output_process`."""

    def __call__(self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any) -> Any: ...


class AfterOutputProcessHookFunc(Protocol):
    """A function for `after_output_process`."""

    def __call__(self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any) -> Any: ...


class WrapOutputProcessHookFunc(Protocol):
    """A function for `wrap_output_process`."""

    def __call__(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any, handler: WrapOutputProcessHandler
    ) -> Awaitable[Any]: ...


class OnOutputProcessErrorHookFunc(Protocol):
    """A function for `on_output_process_error`."""

    def __call__(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any, error: Exception
    ) -> Any: ...


class WrapRunEventStreamHookFunc(Protocol):
    """A function for `wrap_run_event_stream`."""

    def __call__(
        self, ctx: RunContext[Any], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]: ...


class OnEventHookFunc(Protocol):
    """A function that is given every event of a streamed run, and returns the event to pass on."""

    def __call__(
        self, ctx: RunContext[Any], event: AgentStreamEvent, /
    ) -> AgentStreamEvent | Awaitable[AgentStreamEvent]: ...


class PrepareToolsHookFunc(Protocol):
    """A function for `prepare_tools`."""

    def __call__(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition], /
    ) -> list[ToolDefinition] | Awaitable[list[ToolDefinition]]: ...


class PrepareOutputToolsHookFunc(Protocol):
    """A function for `prepare_output_tools`."""

    def __call__(
        self, ctx: RunContext[Any], tool_defs: list[ToolDefinition], /
    ) -> list[ToolDefinition] | Awaitable[list[ToolDefinition]]: ...


class HandleDeferredToolCallsHookFunc(Protocol):
    """A function for `handle_deferred_tool_calls`."""

    def __call__(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None | Awaitable[DeferredToolResults | None]: ...
