"""The two records of a run: what changes from step to step, and what stays as it was at the start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from typing_extensions import TypeAlias

from .._calls.batch import EndStrategy
from .._calls.manager import ToolManager
from .._calls.outputs import OutputValidator
from .._contracts.capability import AbstractCapability
from .._contracts.model import ModelRequestParameters
from .._contracts.pending import PendingMessage
from .._contracts.run_context import NO_TRACER, AgentDepsT, RunContext
from .._kit.ids import uuid7_str
from ..capabilities._chain import HookChain
from ..graph import GraphRunContext
from ..messages import InstructionPart, ModelMessage, ModelRequest, UserContent
from ..models import Model
from ..output import OutputSchema
from ..settings import ModelSettings
from ..tools import AgentNativeTool
from ..usage import RunUsage, UsageLimits
from .disclosure import Disclosure
from .late_prompts import LatePrompts


@dataclass(kw_only=True)
class GraphAgentState:
    """What changes in the course of a run."""

    message_history: list[ModelMessage] = field(default_factory=lambda: [])
    """Messages so far, the ones passed in included; it grows in place."""
    usage: RunUsage = field(default_factory=RunUsage)
    """Usage so far."""
    output_retries_used: int = 0
    """How often the model was asked to give its output again."""
    run_step: int = 0
    """Number of the current step; the first request is step 1."""
    run_id: str = field(default_factory=uuid7_str)
    """Unique id of the run."""
    conversation_id: str = field(default_factory=uuid7_str)
    """Unique id of the conversation."""
    metadata: dict[str, Any] | None = None
    """Metadata of the run."""
    last_max_tokens: int | None = None
    """`max_tokens` of the last request, for error messages."""
    last_model_request_parameters: ModelRequestParameters | None = None
    """Parameters of the last request."""
    pending_messages: list[PendingMessage] = field(default_factory=lambda: [])
    """Messages that wait to be delivered."""
    unfinished: list[ModelMessage] = field(default_factory=lambda: [])
    """Messages that were paid for but are not part of the history because the run failed; errors carry them."""
    request_counted: bool = False
    """Whether the usage has the request whose response is not part of the history yet."""
    unsent: ModelRequest | None = None
    """The request that tool results were put into, until it is sent."""
    needs_cleaning: bool = False
    """Whether two messages of one kind follow each other, so that requests are sent merged."""
    needs_repair: bool = False
    """Whether calls or results stand alone in the history, so that requests are sent repaired."""
    late_prompts: LatePrompts = field(default_factory=LatePrompts, repr=False)
    """Whether system prompts stand in the middle of the history, so that the model has to find a place for them."""

    def take_pending(self, *, idle: bool) -> list[ModelMessage]:
        """Return enqueued messages that are due, and take them off the queue.

        Args:
            idle: Whether the run would end otherwise, so that messages for that moment are due too.
        """
        if not self.pending_messages:
            return []
        due = [item for item in self.pending_messages if item.priority == 'asap']
        if idle:
            due += [item for item in self.pending_messages if item.priority == 'when_idle']
        taken = {id(item) for item in due}
        self.pending_messages[:] = [item for item in self.pending_messages if id(item) not in taken]
        return [message for item in due for message in item.messages]

    def append(self, message: ModelMessage) -> None:
        """Add a message to the history."""
        history = self.message_history
        if history and history[-1].kind == message.kind:
            self.needs_cleaning = True
        history.append(message)


@dataclass
class KeptParameters:
    """Parameters of a request, used again while nothing they were made from changes."""

    last: tuple[Any, ModelRequestParameters] | None = None
    """What they were made from, the listing of the tools, the output, instructions and native tools; and they themselves.

    One value, since runs in several threads share it.
    """


@dataclass(kw_only=True)
class GraphAgentDeps(Generic[AgentDepsT]):
    """What a run was started with; `tool_manager`, `step_context` and the kept parameters follow the steps."""

    user_deps: AgentDepsT
    prompt: str | Sequence[UserContent] | None
    new_message_index: int
    model: Model
    get_model_settings: Callable[[RunContext[AgentDepsT]], ModelSettings | None]
    usage_limits: UsageLimits
    max_output_retries: int
    end_strategy: EndStrategy
    get_instructions: Callable[[RunContext[AgentDepsT]], Awaitable[list[InstructionPart] | None]] | None
    output_schema: OutputSchema[Any]
    output_validators: list[OutputValidator[AgentDepsT, Any]]
    validation_context: Any
    tool_manager: ToolManager[AgentDepsT]
    chain: HookChain
    root_capability: AbstractCapability[AgentDepsT] | None = None
    resumed_request: ModelRequest | None = None
    capabilities: dict[str, AbstractCapability[AgentDepsT]] = field(default_factory=lambda: {})
    loaded_capability_ids: set[str] = field(default_factory=lambda: set())
    discovered_tool_names: set[str] = field(default_factory=lambda: set())
    native_tools: list[AgentNativeTool[AgentDepsT]] = field(default_factory=lambda: [])
    tracer: Any = NO_TRACER
    instrumentation_settings: Any = None
    agent: Any = None
    disclosure: Disclosure = field(init=False)
    """What has been revealed to the model; keeps the two sets of it."""
    step_context: RunContext[AgentDepsT] | None = None
    """The context of the current step, shared by everything that happens in it."""
    event_sink: Any = None
    """The `EventSink` that sees the events of every step; `None` if responses need not be streamed."""
    kept: KeptParameters = field(default_factory=lambda: KeptParameters())
    """The parameters of the last request; runs without hooks around their requests share them."""

    def __post_init__(self) -> None:
        self.disclosure = Disclosure(self.loaded_capability_ids, self.discovered_tool_names)


RunGraphContext: TypeAlias = 'GraphRunContext[GraphAgentState, GraphAgentDeps[Any]]'
"""What nodes receive."""


def build_run_context(ctx: RunGraphContext) -> RunContext[Any]:
    """Return a run context for the current step of a run."""
    state, deps = ctx.state, ctx.deps
    run_context = RunContext[Any](
        deps=deps.user_deps,
        model=deps.model,
        usage=state.usage,
        agent=deps.agent,
        prompt=deps.prompt,
        messages=state.message_history,
        tracer=deps.tracer,
        run_step=state.run_step,
        run_id=state.run_id,
        conversation_id=state.conversation_id,
        metadata=state.metadata,
        pending_messages=state.pending_messages,
        tool_manager=deps.tool_manager,
        capabilities=deps.capabilities,
        loaded_capability_ids=deps.loaded_capability_ids,
        discovered_tool_names=deps.discovered_tool_names,
        max_retries=deps.max_output_retries,
    )
    if (tracing := deps.instrumentation_settings) is not None:
        run_context.trace_include_content = tracing.include_content
        run_context.instrumentation_version = tracing.version
    context = deps.validation_context
    if callable(context):
        context = context(run_context)
    run_context.validation_context = context
    return run_context


def step_context(ctx: RunGraphContext) -> RunContext[Any]:
    """Return the context of the current step; made once per step."""
    deps = ctx.deps
    current = deps.step_context
    if current is None or current.run_step != ctx.state.run_step or current.run_id != ctx.state.run_id:
        current = deps.step_context = build_run_context(ctx)
    return current
