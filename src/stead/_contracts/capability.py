"""`AbstractCapability`: the extension point of agents, with every configuration method and every hook."""

from __future__ import annotations

from abc import ABC
from collections.abc import AsyncIterable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeAlias

from .._kit.keywords import hinted
from .._kit.records import DataRecord
from .._kit.unset import UNSET, those_set
from .hooks import (
    AgentNode,
    AnyAgent,
    CapabilityDescription,
    CapabilityPosition,
    HookListener,
    HookStep,
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
from .run_context import AgentDepsT, RunContext

if TYPE_CHECKING:
    from pydantic import ValidationError

    from ..capabilities import PrefixTools
    from ..exceptions import ModelRetry
    from ..messages import (
        AgentStreamEvent,
        DeferredToolRequests,
        DeferredToolResults,
        ModelResponse,
        ToolCallPart,
        WorkspaceRef,
    )
    from ..workspaces import WorkspaceBackend
    from .facts import RunFact
    from .model import AgentModel, Model, ModelRequestContext, ModelResolutionContext
    from .output import OutputContext
    from .run_state import RunState
    from .tool_definition import AgentNativeTool, ToolDefinition
    from .toolset import AbstractToolset, AgentToolset

CapabilityRef: TypeAlias = 'type[AbstractCapability[Any]] | AbstractCapability[Any]'
"""A capability type, which means all its instances, or one instance."""
CapabilityType: TypeAlias = 'type[AbstractCapability[Any]]'
"""A capability type, whatever dependencies its instances need."""


@hinted
@dataclass(repr=False, eq=False)
class CapabilityOrdering(DataRecord):
    """The place of a capability in the chain, wherever it is listed."""

    position: CapabilityPosition | None = None
    """The tier: outside or inside of all capabilities without a position."""
    wraps: Sequence[CapabilityRef] = ()
    """Capabilities that this one is outside of."""
    wrapped_by: Sequence[CapabilityRef] = ()
    """Capabilities that this one is inside of."""
    requires: Sequence[type[AbstractCapability[Any]]] = ()
    """Types that must be present, in any order."""


@dataclass(kw_only=True, init=False)
class AbstractCapability(ABC, Generic[AgentDepsT]):
    """A reusable unit of agent behaviour: tools, instructions, settings and hooks in one object.

    Subclasses may be dataclasses or plain classes; an `__init__` of their own need not call this one. A plain class may set
    `id`, `description` and `defer_loading` in its body.
    Hooks that a subclass does not override cost nothing. See `stead._contracts.hooks` for the table of hooks.
    """

    id: str | None = None
    """A stable id; required when `defer_loading` is set, otherwise derived from the class name."""
    description: CapabilityDescription[AgentDepsT] | None = None
    """The entry for the model in the catalog of deferred capabilities."""
    defer_loading: bool = False
    """Whether the capability is deferred until the model loads it."""
    replays_answers = True
    """Whether responses that hooks of the run answer without asking the model are shown to what reads the events of the run.

    With `False`, in the body of a class or on an instance, they have no events, as in the reference API.
    """
    watches_changes = False
    """Whether `record` also hears what other capabilities change, and what is sent to the model.

    Set it in the body of a class that shows that to people: looking for changes takes time at each hook.
    """
    refused_in_workflows = ''
    """Why it cannot be used where an engine sends requests and calls tools in other processes, and what to do; `''` if it can."""
    leaves_requests_alone = False
    """Whether its hooks around model requests never change the parameters of one in place, so that they need no copy.

    It describes the class that sets it: one that inherits from it has to say so again.
    """

    def __init__(
        self,
        *,
        id: str | None = UNSET,
        description: CapabilityDescription[AgentDepsT] | None = UNSET,
        defer_loading: bool = UNSET,
    ) -> None:
        """Build a capability of a plain class; what is left out is as the body of its class says.

        Args:
            id: A stable id.
            description: The entry for the model in the catalog of deferred capabilities.
            defer_loading: Whether the capability is deferred until the model loads it.
        """
        # Dataclasses do not come here: they have a constructor with these fields and their own.
        vars(self).update(those_set(id=id, description=description, defer_loading=defer_loading))

    # Configuration: called when the agent is built (`get_wrapper_toolset`: once per run).

    def for_agent(self, agent: AnyAgent) -> AbstractCapability[AgentDepsT]:
        """Return the capability to use for one agent; called when the agent is built, or when a run is given the capability."""
        return self

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """Return one capability for several with the id that their class gives them.

        By default it is the last one, with the fields that only an earlier one sets.

        Args:
            capabilities: Capabilities of this class, in order.

        Raises:
            UserError: They have attributes that are not fields of a dataclass.
        """
        from .._kit.merging import merged

        return merged(capabilities)

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return a toolset, or a function of the run context that returns one."""
        return None

    def get_native_tools(self) -> Sequence[AgentNativeTool[AgentDepsT]]:
        """Return tools that the provider runs."""
        # A class may override either name; each calls the other only if that is overridden, so they cannot recurse.
        return self.get_builtin_tools() if overrides(self, 'get_builtin_tools') else []

    def get_builtin_tools(self) -> Sequence[AgentNativeTool[AgentDepsT]]:
        """Return the native tools under their old name; override `get_native_tools` instead."""
        return self.get_native_tools() if overrides(self, 'get_native_tools') else []

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        """Return a toolset that wraps all function tools of the agent, or `None` for no wrapper."""
        return None

    def get_instructions(self) -> Any | None:
        """Return instructions: text, a function, or a sequence of them."""
        return None

    def get_model_settings(self) -> Any | None:
        """Return model settings, or a function of the run context that returns them for each step."""
        return None

    def get_workspace(self, ctx: RunContext[AgentDepsT], *, ref: WorkspaceRef | None) -> WorkspaceBackend | None:
        """Return the workspace of a run, or `None` for that of another capability.

        Args:
            ctx: The context of the run.
            ref: The one that it must be, or `None` for any.
        """
        return None

    def get_model(self) -> AgentModel[AgentDepsT] | None:
        """Return the model of runs that are given none: a model, its name, or a function that returns one for each step."""
        return None

    def get_wrapper_model(self, model: Model[Any]) -> Model[Any] | None:
        """Return a model to send a request with instead of another, or `None` for no change; called for each request."""
        return None

    async def resolve_model_id(self, ctx: ModelResolutionContext[AgentDepsT], *, model_id: str) -> Model[Any] | None:
        """Return the model for a name, or `None` to leave that to others."""
        return None

    def get_default_run_id(self) -> str | None:
        """Return the id of a run that is given none, or `None` for any."""
        return None

    def get_default_conversation_id(self, run_id: str) -> str | None:
        """Return the conversation of a run that is given none and continues none, or `None` for a new one."""
        return None

    def get_run_clock(self) -> Callable[[], datetime] | None:
        """Return what says how late it is for the `timeout` of a run, or `None` for the clock of the machine."""
        return None

    async def get_run_start_time(self, run_id: str) -> datetime | None:
        """Return when a run with a `timeout` was started, if that was before now."""
        return None

    def get_description(self) -> CapabilityDescription[AgentDepsT] | None:
        """Return the catalog entry of a deferred capability."""
        return self.description

    def get_ordering(self) -> CapabilityOrdering | None:
        """Return the place of this capability in the chain, or `None` for any place."""
        return None

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return the name in agent specs, or `None` if specs cannot contain this capability."""
        return cls.__name__

    @classmethod
    def from_spec(cls, *args: Any, **kwargs: Any) -> AbstractCapability[Any]:
        """Build the capability from the arguments in an agent spec."""
        return cls(*args, **kwargs)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """Return the capability to use for one run. Override for state per run."""
        return self

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Call a visitor on every leaf capability."""
        visitor(self)

    def visit_and_replace(
        self, visitor: Callable[[AbstractCapability[AgentDepsT]], AbstractCapability[AgentDepsT] | None]
    ) -> AbstractCapability[AgentDepsT] | None:
        """Return the capability with each leaf replaced by what a function returns for it; `None` leaves it out."""
        return visitor(self)

    def prefix_tools(self, prefix: str) -> PrefixTools[AgentDepsT]:
        """Return a capability whose tool names start with `prefix` and an underscore."""
        from ..capabilities import PrefixTools

        return PrefixTools(self, prefix=prefix)

    def has_hook(self, name: str) -> bool:
        """Return whether this capability implements a hook; otherwise the chain skips it.

        Args:
            name: The name of the hook's method.
        """
        return overrides(self, name)

    def _hook_steps(self, name: str) -> Sequence[HookStep]:
        """Return the steps that the chain calls at the hook of a name, outermost first; only called if `has_hook` is true."""
        return ((getattr(self, name), None),)

    def announce_hooks(self, listener: HookListener) -> None:
        """Register a listener, whose `refresh()` must be called whenever the result of `has_hook` changes.

        For capabilities that receive hooks after they were built, and for those that contain such capabilities. Hold
        listeners weakly, since they may be gone before this capability.
        """

    @property
    def has_wrap_node_run(self) -> bool:
        """Whether this capability wraps nodes."""
        return self.has_hook('wrap_node_run')

    @property
    def has_wrap_run_event_stream(self) -> bool:
        """Whether this capability handles the event stream, in which case the run streams responses."""
        return self.has_hook('wrap_run_event_stream')

    @property
    def has_on_event(self) -> bool:
        """Whether this capability listens to events, in which case the run streams responses."""
        return self.has_hook('on_event')

    @property
    def has_resolve_model_id(self) -> bool:
        """Whether this capability may know models by names of its own."""
        return self.has_hook('resolve_model_id')

    # Run

    async def before_run(self, ctx: RunContext[AgentDepsT]) -> None:
        """Run before the run starts."""

    async def after_run(self, ctx: RunContext[AgentDepsT], *, result: Any) -> Any:
        """Return the final `AgentRunResult`, changed or not."""
        return result

    async def wrap_run(self, ctx: RunContext[AgentDepsT], *, handler: WrapRunHandler) -> Any:
        """Run around the whole run; may catch its error and return a result instead."""
        return await handler()

    async def on_run_error(self, ctx: RunContext[AgentDepsT], *, error: BaseException) -> Any:
        """Raise to propagate the error of a run, or return an `AgentRunResult` to recover."""
        raise error

    # Node

    async def before_node_run(self, ctx: RunContext[AgentDepsT], *, node: AgentNode) -> AgentNode:
        """Return the node to run."""
        return node

    async def after_node_run(self, ctx: RunContext[AgentDepsT], *, node: AgentNode, result: NodeResult) -> NodeResult:
        """Return the next node, or `End`."""
        return result

    async def wrap_node_run(
        self, ctx: RunContext[AgentDepsT], *, node: AgentNode, handler: WrapNodeRunHandler
    ) -> NodeResult:
        """Run around a node."""
        return await handler(node)

    async def on_node_run_error(self, ctx: RunContext[AgentDepsT], *, node: AgentNode, error: Exception) -> NodeResult:
        """Raise to propagate the error of a node, or return the next node or `End` to recover."""
        raise error

    # Event stream

    async def wrap_run_event_stream(
        self, ctx: RunContext[AgentDepsT], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """Observe, filter or change the events of a streamed run; an async generator."""
        async for event in stream:
            yield event

    def listens_to(self, event: AgentStreamEvent) -> bool:
        """Return whether `on_event` is to be called for an event."""
        return True

    async def on_event(self, ctx: RunContext[AgentDepsT], *, event: AgentStreamEvent) -> None:
        """Take note of an event, before any `wrap_run_event_stream` sees it. An error ends the run."""

    # Model request

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Return the request to send; raise `SkipModelRequest` to answer it instead of the model."""
        return request_context

    async def after_model_request(
        self, ctx: RunContext[AgentDepsT], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Return the response, changed or not; raise `ModelRetry` to ask again."""
        return response

    async def wrap_model_request(
        self, ctx: RunContext[AgentDepsT], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        """Run around a model request."""
        return await handler(request_context)

    async def on_model_request_error(
        self, ctx: RunContext[AgentDepsT], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Raise to propagate the error of a model request, or return a response to recover."""
        raise error

    async def prepare_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Return the request as it is sent: unlike with `before_model_request`, its messages do not become the history."""
        return request_context

    # Tool validation

    async def before_tool_validate(
        self, ctx: RunContext[AgentDepsT], *, call: ToolCallPart, tool_def: ToolDefinition, args: RawToolArgs
    ) -> RawToolArgs:
        """Return the arguments to validate; raise `SkipToolValidation` to provide validated ones."""
        return args

    async def after_tool_validate(
        self, ctx: RunContext[AgentDepsT], *, call: ToolCallPart, tool_def: ToolDefinition, args: ValidatedToolArgs
    ) -> ValidatedToolArgs:
        """Return the validated arguments, changed or not."""
        return args

    async def wrap_tool_validate(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        handler: WrapToolValidateHandler,
    ) -> ValidatedToolArgs:
        """Run around the validation of a tool call."""
        return await handler(args)

    async def on_tool_validate_error(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        error: ValidationError | ModelRetry,
    ) -> ValidatedToolArgs:
        """Raise to propagate a validation error, or return validated arguments to recover."""
        raise error

    # Tool execution

    async def before_tool_execute(
        self, ctx: RunContext[AgentDepsT], *, call: ToolCallPart, tool_def: ToolDefinition, args: ValidatedToolArgs
    ) -> ValidatedToolArgs:
        """Return the arguments to call the tool with; raise `SkipToolExecution` to provide a result."""
        return args

    async def after_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        result: Any,
    ) -> Any:
        """Return the result of the tool, changed or not."""
        return result

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Run around the execution of a tool."""
        return await handler(args)

    async def on_tool_execute_error(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        error: Exception,
    ) -> Any:
        """Raise to propagate the error of a tool, or return a result to recover."""
        raise error

    # Output validation

    async def before_output_validate(
        self, ctx: RunContext[AgentDepsT], *, output_context: OutputContext, output: RawOutput
    ) -> RawOutput:
        """Return the output to validate."""
        return output

    async def after_output_validate(
        self, ctx: RunContext[AgentDepsT], *, output_context: OutputContext, output: Any
    ) -> Any:
        """Return the validated output, changed or not."""
        return output

    async def wrap_output_validate(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        output_context: OutputContext,
        output: RawOutput,
        handler: WrapOutputValidateHandler,
    ) -> Any:
        """Run around the validation of an output."""
        return await handler(output)

    async def on_output_validate_error(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        output_context: OutputContext,
        output: RawOutput,
        error: ValidationError | ModelRetry,
    ) -> Any:
        """Raise to propagate a validation error, or return a validated output to recover."""
        raise error

    # Output processing

    async def before_output_process(
        self, ctx: RunContext[AgentDepsT], *, output_context: OutputContext, output: Any
    ) -> Any:
        """Return the output to process."""
        return output

    async def after_output_process(
        self, ctx: RunContext[AgentDepsT], *, output_context: OutputContext, output: Any
    ) -> Any:
        """Return the processed output, changed or not."""
        return output

    async def wrap_output_process(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        output_context: OutputContext,
        output: Any,
        handler: WrapOutputProcessHandler,
    ) -> Any:
        """Run around the processing of an output: output function and output validators."""
        return await handler(output)

    async def on_output_process_error(
        self, ctx: RunContext[AgentDepsT], *, output_context: OutputContext, output: Any, error: Exception
    ) -> Any:
        """Raise to propagate the error of processing, or return an output to recover."""
        raise error

    # Hooks without a lifecycle point

    async def prepare_tools(self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return the function tools of the step, filtered or changed."""
        return tool_defs

    async def prepare_output_tools(
        self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return the output tools of the step, filtered or changed."""
        return tool_defs

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AgentDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return results for some or all deferred calls, or `None` to decline."""
        return None

    async def restore_run(self, ctx: RunContext[AgentDepsT]) -> RunState | None:
        """Return what is known of the run if it was started before, or `None` to let it start; the first answer counts."""
        return None

    async def record(self, ctx: RunContext[AgentDepsT], *, fact: RunFact) -> None:
        """Take note of what happens in the run. An error ends the run before anything depends on the fact."""


def overrides(capability: AbstractCapability[Any], name: str, base: type = AbstractCapability) -> bool:
    """Return whether a capability has another implementation of a method than a base class.

    Args:
        capability: The capability.
        name: The name of a hook or configuration method.
        base: The base class.
    """
    if name in getattr(capability, '__dict__', ()):
        return True
    return getattr(type(capability), name, None) is not getattr(base, name)
