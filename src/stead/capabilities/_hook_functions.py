"""The types of functions that are registered as hooks, and of what registers them. Written by `make stubs`."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable
from typing import Any, Protocol

from pydantic import ValidationError
from typing_extensions import TypedDict

from .._contracts.facts import RunFact
from .._contracts.hooks import (
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
from .._contracts.run_state import RunState
from .._contracts.tool_definition import ToolDefinition
from ..exceptions import ModelRetry
from ..messages import AgentStreamEvent, DeferredToolRequests, DeferredToolResults, ModelResponse, ToolCallPart
from ._hook_decorators import EventHookDecorator, HookDecorator, HookRegistrar, ToolHookDecorator

__all__ = (
    'AfterModelRequestHookFunc',
    'AfterNodeRunHookFunc',
    'AfterOutputProcessHookFunc',
    'AfterOutputValidateHookFunc',
    'AfterRunHookFunc',
    'AfterToolExecuteHookFunc',
    'AfterToolValidateHookFunc',
    'BeforeModelRequestHookFunc',
    'BeforeNodeRunHookFunc',
    'BeforeOutputProcessHookFunc',
    'BeforeOutputValidateHookFunc',
    'BeforeRunHookFunc',
    'BeforeToolExecuteHookFunc',
    'BeforeToolValidateHookFunc',
    'HandleDeferredToolCallsHookFunc',
    'HookFunctions',
    'HookRegistration',
    'OnEventHookFunc',
    'OnModelRequestErrorHookFunc',
    'OnNodeRunErrorHookFunc',
    'OnOutputProcessErrorHookFunc',
    'OnOutputValidateErrorHookFunc',
    'OnRunErrorHookFunc',
    'OnToolExecuteErrorHookFunc',
    'OnToolValidateErrorHookFunc',
    'PrepareModelRequestHookFunc',
    'PrepareOutputToolsHookFunc',
    'PrepareToolsHookFunc',
    'RecordHookFunc',
    'RestoreRunHookFunc',
    'WrapModelRequestHookFunc',
    'WrapNodeRunHookFunc',
    'WrapOutputProcessHookFunc',
    'WrapOutputValidateHookFunc',
    'WrapRunEventStreamHookFunc',
    'WrapRunHookFunc',
    'WrapToolExecuteHookFunc',
    'WrapToolValidateHookFunc',
)


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


class PrepareModelRequestHookFunc(Protocol):
    """A function for `prepare_model_request`."""

    def __call__(
        self, ctx: RunContext[Any], request_context: ModelRequestContext, /
    ) -> ModelRequestContext | Awaitable[ModelRequestContext]: ...


class WrapRunEventStreamHookFunc(Protocol):
    """A function for `wrap_run_event_stream`."""

    def __call__(
        self, ctx: RunContext[Any], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]: ...


class OnEventHookFunc(Protocol):
    """A function that receives events of a run; it may return one to pass on instead."""

    def __call__(
        self, ctx: RunContext[Any], event: AgentStreamEvent, /
    ) -> AgentStreamEvent | None | Awaitable[AgentStreamEvent | None]: ...


class HandleDeferredToolCallsHookFunc(Protocol):
    """A function for `handle_deferred_tool_calls`."""

    def __call__(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None | Awaitable[DeferredToolResults | None]: ...


class RestoreRunHookFunc(Protocol):
    """A function for `restore_run`."""

    def __call__(self, ctx: RunContext[Any], /) -> RunState | None | Awaitable[RunState | None]: ...


class RecordHookFunc(Protocol):
    """A function for `record`."""

    def __call__(self, ctx: RunContext[Any], *, fact: RunFact) -> None | Awaitable[None]: ...


class HookFunctions(TypedDict, total=False):
    """Functions to register, by the name they have at `Hooks.on`."""

    before_run: BeforeRunHookFunc | None
    after_run: AfterRunHookFunc | None
    run: WrapRunHookFunc | None
    run_error: OnRunErrorHookFunc | None
    before_node_run: BeforeNodeRunHookFunc | None
    after_node_run: AfterNodeRunHookFunc | None
    node_run: WrapNodeRunHookFunc | None
    node_run_error: OnNodeRunErrorHookFunc | None
    before_model_request: BeforeModelRequestHookFunc | None
    after_model_request: AfterModelRequestHookFunc | None
    model_request: WrapModelRequestHookFunc | None
    model_request_error: OnModelRequestErrorHookFunc | None
    before_tool_validate: BeforeToolValidateHookFunc | None
    after_tool_validate: AfterToolValidateHookFunc | None
    tool_validate: WrapToolValidateHookFunc | None
    tool_validate_error: OnToolValidateErrorHookFunc | None
    before_tool_execute: BeforeToolExecuteHookFunc | None
    after_tool_execute: AfterToolExecuteHookFunc | None
    tool_execute: WrapToolExecuteHookFunc | None
    tool_execute_error: OnToolExecuteErrorHookFunc | None
    before_output_validate: BeforeOutputValidateHookFunc | None
    after_output_validate: AfterOutputValidateHookFunc | None
    output_validate: WrapOutputValidateHookFunc | None
    output_validate_error: OnOutputValidateErrorHookFunc | None
    before_output_process: BeforeOutputProcessHookFunc | None
    after_output_process: AfterOutputProcessHookFunc | None
    output_process: WrapOutputProcessHookFunc | None
    output_process_error: OnOutputProcessErrorHookFunc | None
    prepare_tools: PrepareToolsHookFunc | None
    prepare_output_tools: PrepareOutputToolsHookFunc | None
    prepare_model_request: PrepareModelRequestHookFunc | None
    run_event_stream: WrapRunEventStreamHookFunc | None
    event: OnEventHookFunc | None
    deferred_tool_calls: HandleDeferredToolCallsHookFunc | None
    restore_run: RestoreRunHookFunc | None
    record: RecordHookFunc | None


class HookRegistration(HookRegistrar):
    """The decorators of `Hooks.on`: `before_x` and `after_x`, `x` for around it, `x_error`, and those without a point."""

    before_run: HookDecorator[BeforeRunHookFunc]
    after_run: HookDecorator[AfterRunHookFunc]
    run: HookDecorator[WrapRunHookFunc]
    run_error: HookDecorator[OnRunErrorHookFunc]
    before_node_run: HookDecorator[BeforeNodeRunHookFunc]
    after_node_run: HookDecorator[AfterNodeRunHookFunc]
    node_run: HookDecorator[WrapNodeRunHookFunc]
    node_run_error: HookDecorator[OnNodeRunErrorHookFunc]
    before_model_request: HookDecorator[BeforeModelRequestHookFunc]
    after_model_request: HookDecorator[AfterModelRequestHookFunc]
    model_request: HookDecorator[WrapModelRequestHookFunc]
    model_request_error: HookDecorator[OnModelRequestErrorHookFunc]
    before_tool_validate: ToolHookDecorator[BeforeToolValidateHookFunc]
    after_tool_validate: ToolHookDecorator[AfterToolValidateHookFunc]
    tool_validate: ToolHookDecorator[WrapToolValidateHookFunc]
    tool_validate_error: ToolHookDecorator[OnToolValidateErrorHookFunc]
    before_tool_execute: ToolHookDecorator[BeforeToolExecuteHookFunc]
    after_tool_execute: ToolHookDecorator[AfterToolExecuteHookFunc]
    tool_execute: ToolHookDecorator[WrapToolExecuteHookFunc]
    tool_execute_error: ToolHookDecorator[OnToolExecuteErrorHookFunc]
    before_output_validate: HookDecorator[BeforeOutputValidateHookFunc]
    after_output_validate: HookDecorator[AfterOutputValidateHookFunc]
    output_validate: HookDecorator[WrapOutputValidateHookFunc]
    output_validate_error: HookDecorator[OnOutputValidateErrorHookFunc]
    before_output_process: HookDecorator[BeforeOutputProcessHookFunc]
    after_output_process: HookDecorator[AfterOutputProcessHookFunc]
    output_process: HookDecorator[WrapOutputProcessHookFunc]
    output_process_error: HookDecorator[OnOutputProcessErrorHookFunc]
    prepare_tools: HookDecorator[PrepareToolsHookFunc]
    prepare_output_tools: HookDecorator[PrepareOutputToolsHookFunc]
    prepare_model_request: HookDecorator[PrepareModelRequestHookFunc]
    run_event_stream: HookDecorator[WrapRunEventStreamHookFunc]
    event: EventHookDecorator[OnEventHookFunc]
    deferred_tool_calls: HookDecorator[HandleDeferredToolCallsHookFunc]
    restore_run: HookDecorator[RestoreRunHookFunc]
    record: HookDecorator[RecordHookFunc]
