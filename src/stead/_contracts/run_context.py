"""`RunContext`: the state of a run, as tools, hooks, instructions and validators see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, cast

from typing_extensions import Self, TypeVar

from .._kit.json_types import JsonObject
from .._kit.records import DataRecord, repr_with
from ..concurrency import StoppableRun
from ..exceptions import UserError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from ..messages import ModelMessage, UserContent
    from ..settings import ModelSettings
    from ..usage import RunUsage
    from ..workspaces import Workspace
    from .call_policy import Effect
    from .model import Model
    from .pending import PendingMessage, PendingMessagePriority
    from .tool_definition import ToolDefinition

AgentDepsT = TypeVar('AgentDepsT', default=None, contravariant=True)
"""Type variable for the dependencies of an agent."""

AnyDepsT = TypeVar('AnyDepsT', default=object, contravariant=True)
"""As `AgentDepsT`, for what never uses them: an object that is built by itself is for agents of any dependencies."""

RunContextAgentDepsT = TypeVar('RunContextAgentDepsT', default=None, covariant=True)
"""Type variable for the dependencies a run context carries."""

StepT = TypeVar('StepT')
"""Type variable for what a step of a tool returns."""

DEFAULT_INSTRUMENTATION_VERSION = 2


class LazyNoOpTracer:
    """Substitute for OpenTelemetry's no-op tracer, which only imports OpenTelemetry when it is used."""

    def __getattr__(self, name: str) -> Any:
        from opentelemetry.trace import NoOpTracer

        return getattr(NoOpTracer(), name)


NO_TRACER: Any = LazyNoOpTracer()


def _no_tracer() -> Tracer:
    return NO_TRACER


def _nothing() -> None:
    """Return the default of a field that is a slot, which takes no default of the class."""


class CapabilityOfRun(Protocol):
    """The part of a capability that a run context offers. The objects are the capabilities themselves."""

    id: str | None
    """Its id."""
    description: Any  # a function takes a run context with the dependencies of its own capability
    """Its entry in the catalog for the model: text, or a function of the run context."""
    defer_loading: bool
    """Whether it is hidden until the model loads it."""


class _OutsideOfTable(StoppableRun):
    """Keeps three fields of a context out of `__dict__`.

    CPython shares the table of attribute names between the instances of a class up to 29 of them. A context with more would have
    a table of its own, and take three times the memory: that is a tenth of what a run takes while it waits for its model.
    """

    __slots__ = ('call_key', 'report_progress', 'workspace_of_run')


@dataclass(repr=False, eq=False, kw_only=True)
class RunContext(_OutsideOfTable, DataRecord, Generic[RunContextAgentDepsT]):
    """Information about the current call.

    Every step of a run has its own, and every tool call a copy of that. Assigning to its fields does not change the
    run, but the objects in them (`usage`, `messages`) belong to the run and are shared.
    """

    deps: RunContextAgentDepsT
    """Dependencies for the agent."""
    model: Model
    """The model used in this run."""
    usage: RunUsage
    """Usage of the run so far."""
    agent: Any | None = field(default=None, repr=False)
    """The agent that is running, or `None` outside of a run."""
    prompt: str | Sequence[UserContent] | None = None
    """The user prompt that was passed to the run."""
    messages: list[ModelMessage] = field(default_factory=lambda: [])
    """Messages of the conversation so far, including those of this run."""
    validation_context: Any = None
    """Pydantic validation context for tool arguments and outputs."""
    tracer: Tracer = field(default_factory=_no_tracer)
    """The tracer of the run; it records nothing unless instrumentation is on."""
    trace_include_content: bool = False
    """Whether spans carry the content of messages."""
    instrumentation_version: int = DEFAULT_INSTRUMENTATION_VERSION
    """Version of the instrumentation's data format."""
    retries: dict[str, int] = field(default_factory=lambda: {})
    """Retries of each tool so far, by tool name."""
    tool_call_id: str | None = None
    """Id of the tool call, inside a tool."""
    tool_name: str | None = None
    """Name of the tool being called, inside a tool."""
    call_key: str | None = field(default_factory=_nothing, repr=False, compare=False)
    """What a recorded call is known by whose id is not its own: a tool makes it, or the model has used the id before."""
    report_progress: Callable[[object], None] | None = field(default_factory=_nothing, repr=False, compare=False)
    """Inside a tool, sends a value to the readers of the run's events; `None` if there are none."""
    workspace_of_run: Workspace | None = field(default_factory=_nothing, repr=False, compare=False)
    stopper: Any = field(default_factory=_nothing, repr=False, compare=False)
    """The workspace of the run; `None` if it has none."""
    retry: int = 0
    """Retries so far: of this tool inside a tool, of the output inside an output validator."""
    max_retries: int = 0
    """Retries allowed: for this tool inside a tool, for the output inside an output validator."""
    run_step: int = 0
    """The current step of the run; the first model request is step 1."""
    tool_call_approved: bool = False
    """Whether a tool call that required approval has been approved."""
    tool_call_metadata: Any = None
    """Metadata for the tool call, passed with its approval or result (`DeferredToolResults.metadata`)."""
    partial_output: bool = False
    """Whether the output passed to an output validator is partial."""
    run_id: str | None = None
    """Unique id of the run."""
    conversation_id: str | None = None
    """Unique id of the conversation the run belongs to."""
    metadata: JsonObject | None = None
    """Metadata of the run, if configured."""
    model_settings: ModelSettings | None = None
    """The merged model settings of the step, in which a hook may set something; `None` outside of a run."""
    pending_messages: list[PendingMessage] | None = field(default=None, repr=False)
    """The run's queue of enqueued messages. Use `enqueue` to add to it."""
    tool_manager: Any | None = None
    """The tool manager of the step, a `ToolManager`, for toolsets that call other tools."""
    capabilities: Mapping[str, CapabilityOfRun] = field(default_factory=lambda: {})
    """All capabilities of the run by id, including deferred ones."""
    loaded_capability_ids: set[str] = field(default_factory=lambda: set())
    """Ids of the deferred capabilities that the model has loaded."""
    capability_loaded: bool | None = None
    """Whether the capability whose hook is running is loaded; `None` outside of a capability's hooks."""
    discovered_tool_names: set[str] = field(default_factory=lambda: set())
    """Names of the deferred tools that tool search has discovered."""

    @property
    def last_attempt(self) -> bool:
        """Whether this is the last attempt before an error ends the run."""
        return self.retry == self.max_retries

    @property
    def workspace(self) -> Workspace:
        """The workspace of the run; one that raises `WorkspaceUnavailableError` if it has none."""
        from ..workspaces.choice import no_workspace

        return self.workspace_of_run or no_workspace()

    @property
    def idempotency_key(self) -> str:
        """A key for what a tool call does, for services that take one: the same whenever and wherever the run continues."""
        return self.call_key or f'{self.run_id}/{self.tool_call_id}'

    @property
    def tools(self) -> dict[str, ToolDefinition]:
        """All tool definitions of the step by name, including deferred ones.

        What is changed in them in place holds until the end of the step.
        """
        # A manager of a program's own may have no `own_tools`.
        return {n: tool.tool_def for n, tool in getattr(self.tool_manager, 'own_tools', lambda: self._tools)().items()}

    @property
    def _tools(self) -> Mapping[str, Any]:
        return getattr(self.tool_manager, 'tools', None) or {}

    @property
    def available_tool_names(self) -> set[str]:
        """Names of the tools that the model can call in this step, including output tools."""
        return {
            name
            for name, tool in self._tools.items()
            if not tool.tool_def.defer_loading
            or name in self.discovered_tool_names
            or tool.tool_def.capability_id in self.loaded_capability_ids
        } | (self.discovered_tool_names if getattr(self.tool_manager, 'tools', None) is None else set[str]())

    def is_tool_available(self, tool: str | ToolDefinition) -> bool:
        """Return whether the model can call a tool in this step.

        Args:
            tool: Its name, or its definition.
        """
        return (tool if isinstance(tool, str) else tool.name) in self.available_tool_names

    def tool_name_for_kind(self, kind: str) -> str | None:
        """Return the name that the tool of a kind has in this step, also if it is deferred; `None` if there is no such tool.

        Args:
            kind: The id of the kind.
        """
        return next((name for name, tool in self._tools.items() if tool.tool_def.tool_kind == kind), None)

    @property
    def root_capability(self) -> Any | None:
        """The capability that holds all others of the run; `None` outside of a run."""
        return getattr(self.tool_manager, 'root_capability', None)

    @property
    def available_capability_ids(self) -> set[str]:
        """Ids of the active capabilities: those that are not deferred, and deferred ones that the model has loaded."""
        return self.loaded_capability_ids | {
            id_ for id_, capability in self.capabilities.items() if capability.defer_loading is not True
        }

    active_capability_ids = available_capability_ids
    """Another name of `available_capability_ids`."""

    def enqueue(self, *content: object, priority: PendingMessagePriority = 'asap') -> str | None:
        """Add content to the conversation, to be delivered between two steps of the run.

        Safe to call from async tools, from sync tools in their threads and from hooks.

        Args:
            content: Prompt text or multi-modal content, request parts, or whole messages; the sequence must end in
                a request. Without content, nothing is enqueued.
            priority: `'asap'` delivers with the next model request, `'when_idle'` only when the run would otherwise end.

        Returns:
            An id for `dequeue` and `set_enqueue_priority`; `None` without content.

        Raises:
            UserError: The context does not belong to a running agent, or the sequence does not end in a request.
        """
        if self.pending_messages is None:
            raise UserError(
                'Cannot enqueue a message: this RunContext does not belong to a running agent. '
                'Call `enqueue` on the context that a tool or hook of a run receives.'
            )
        if not content:
            return None
        from .pending import PendingMessage

        item = PendingMessage.from_content(*content, priority=priority, call_id=self.tool_call_id)
        self.pending_messages.append(item)
        return item.enqueue_id

    def dequeue(self, enqueue_id: str) -> bool:
        """Take back what was enqueued, if it was not delivered yet.

        Args:
            enqueue_id: The id that `enqueue` returned.

        Returns:
            Whether it was still in the queue.

        Raises:
            UserError: The context does not belong to a running agent.
        """
        from .pending import taken_out

        return taken_out(self.pending_messages, enqueue_id)

    def set_enqueue_priority(self, enqueue_id: str, priority: PendingMessagePriority) -> bool:
        """Deliver what was enqueued at another time, if it was not delivered yet.

        Args:
            enqueue_id: The id that `enqueue` returned.
            priority: When to deliver it.

        Returns:
            Whether it was still in the queue.

        Raises:
            UserError: The context does not belong to a running agent, or there is no such priority.
        """
        from .pending import moved

        return moved(self.pending_messages, enqueue_id, priority)

    async def step(
        self, name: str, function: Callable[[], Awaitable[StepT] | StepT], *, effect: Effect = 'write'
    ) -> StepT:
        """Do something inside of a tool, and record what it returned, if a journal records the run.

        When the tool runs again, since its process died or an agent that it runs had to ask, the step is not done again: it
        returns the data of the JSON that was recorded. A step that was started, and of which nothing more is known, is asked
        about like a call in doubt. It counts as a call of a tool in the usage of a recorded run.

        Args:
            name: What the step does. Of several with one name, the first is the first.
            function: Does it, and returns something with a JSON form.
            effect: As that of a tool.

        Raises:
            UserError: This is not the context of a tool.
        """
        return await cast(Any, self.tool_manager).run_step(self, name, function, effect)

    def fork(self, **changes: object) -> Self:
        """Return a copy with some fields changed, like `dataclasses.replace` but faster."""
        # `replace` would run the generated `__init__` with all 31 fields.
        copy = object.__new__(type(self))
        # The slots first: `changes` has them no more when the rest is made of it.
        copy.stopper, copy.workspace_of_run, copy.report_progress, copy.call_key, copy.__dict__ = (  # type: ignore[reportAttributeAccessIssue]
            self.stopper,
            self.workspace_of_run,
            changes.pop('report_progress') if 'report_progress' in changes else self.report_progress,
            changes.pop('call_key') if 'call_key' in changes else self.call_key,
            self.__dict__ | changes,
        )
        return copy

    def __repr__(self) -> str:
        return repr_with(self, 'deps model usage prompt tool_name tool_call_id retry max_retries run_step run_id')
