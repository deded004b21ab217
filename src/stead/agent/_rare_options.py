"""Options that most programs never look at: of specs, overrides and servers, and the old arguments of `Agent`.

The annotations of a `TypedDict` are compiled one by one when the class is made, so these wait in a module of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal

from typing_extensions import TypedDict

from .. import budgets, workspaces
from .._contracts.call_policy import AgentRetries, EndStrategy, OnToolError
from .._contracts.output import OutputSpec
from .._contracts.run_context import AgentDepsT
from .._kit import deprecated
from .._kit.deprecated import warn_caller
from .._kit.sdk_types import A2ABroker, A2ASkill, A2AStorage, SdkObject
from ..capabilities import AgentCapability
from ..concurrency import AnyConcurrencyLimit
from ..messages import WorkspaceRef
from ..models import KnownModelName, Model
from ..native_tools import AbstractNativeTool
from ..tools import AgentNativeTool, Tool, ToolFuncEither
from ..toolsets import AbstractToolset, AgentToolset
from . import _tracing as tracing
from ._checks import check_names
from ._options import (
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    DescriptionTemplate,
    EventStreamHandler,
    SpecLike,
)


class AgentOptions(TypedDict, Generic[AgentDepsT], total=False):
    """The arguments of `Agent`, as `Agent.from_spec` and `Agent.from_file` take them: they override those of the spec."""

    model: Model | KnownModelName | str | None
    """A model or its name."""
    output_type: OutputSpec[Any]
    """The type of the output."""
    instructions: AgentInstructions[AgentDepsT]
    """Instructions; they follow those of the spec."""
    system_prompt: str | Sequence[str]
    """Text for the first request of a conversation."""
    deps_type: type[AgentDepsT]
    """The type of the dependencies; templates of the spec are checked against it."""
    name: str | None
    """The name of the agent, for logs and traces."""
    description: str | DescriptionTemplate | None
    """What the agent does, for people and for other agents."""
    model_settings: AgentModelSettings[AgentDepsT] | None
    """Settings; they are merged over those of the spec."""
    retries: int | AgentRetries | None
    """How many times tools and the output may be retried."""
    validation_context: Any
    """Pydantic's validation context, or a function that makes it."""
    tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]]
    """Functions and `Tool` objects."""
    toolsets: Sequence[AgentToolset[AgentDepsT]] | None
    """Toolsets, or functions of the run context that return one."""
    defer_model_check: bool
    """Whether the name of the model is resolved at the first run rather than now."""
    end_strategy: EndStrategy | None
    """What happens to the other tool calls of a response that contains a final result."""
    metadata: AgentMetadata[AgentDepsT] | None
    """Metadata of every run; it replaces that of the spec."""
    tool_timeout: float | None
    """Seconds that a call of the agent's own tools may take."""
    max_concurrency: AnyConcurrencyLimit
    """How many runs may be active at once."""
    capabilities: Sequence[AgentCapability[AgentDepsT]] | None
    """Capabilities; they follow those of the spec."""
    max_tool_concurrency: AnyConcurrencyLimit
    """How many calls of all tools may run at once, in all runs together."""
    on_tool_error: OnToolError | None
    """What happens on an exception in a tool that has no `on_tool_error` of its own."""
    budget: budgets.Budget | None
    """What its runs may use together, or each of them with `Budget(per='run')`."""


class FromSpecOptions(AgentOptions[AgentDepsT], total=False):
    """Options of `Agent.from_spec` and `Agent.from_file`: those of `Agent`, and deprecated ones."""

    event_stream_handler: EventStreamHandler[AgentDepsT] | None
    """Deprecated: now the capability `ProcessEventStream`."""
    instrument: tracing.InstrumentationSettings | bool | None
    """Deprecated: now the capability `Instrumentation`."""


class A2AOptions(TypedDict, total=False):
    """Options of `Agent.to_a2a`: what the card of the agent says, and arguments of Starlette."""

    storage: A2AStorage[Any] | None
    """Where tasks and conversations are; by default in memory."""
    broker: A2ABroker | None
    """The queue of tasks; by default in memory."""
    name: str | None
    """The name on the card; by default that of the agent."""
    url: str
    """The address on the card."""
    version: str
    """The version on the card."""
    description: str | None
    """What the card says that the agent does; by default the agent's own description."""
    provider: SdkObject
    """An `AgentProvider` of `fasta2a`: who provides the agent."""
    skills: list[A2ASkill] | None
    """What the card says that the agent can do."""
    debug: bool
    """Whether errors of the server are shown to its clients."""
    routes: Sequence[SdkObject] | None
    """Further routes."""
    middleware: Sequence[SdkObject] | None
    """Middleware around all routes."""
    exception_handlers: dict[Any, SdkObject] | None
    """Handlers of exceptions by type or status."""
    lifespan: SdkObject
    """What to do around the time that the server is up, instead of running a worker; the task manager has to be entered there."""


class OverrideOptions(TypedDict, Generic[AgentDepsT], total=False):
    """Options of `Agent.override`: they replace the agent's own values, and those of runs."""

    name: str | None
    """The name of the agent."""
    deps: AgentDepsT
    """Dependencies for tools, prompts and validators."""
    model: Model | KnownModelName | str
    """The model, or its name."""
    toolsets: Sequence[AgentToolset[AgentDepsT]]
    """Toolsets in place of the agent's."""
    tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]]
    """Functions and `Tool` objects in place of the agent's."""
    native_tools: Sequence[AgentNativeTool[AgentDepsT]]
    """Tools that the provider runs, in place of the agent's."""
    instructions: AgentInstructions[AgentDepsT]
    """Instructions in place of the agent's."""
    metadata: AgentMetadata[AgentDepsT] | None
    """Metadata in place of the agent's."""
    model_settings: AgentModelSettings[AgentDepsT] | None
    """Settings in place of the agent's."""
    retries: int | AgentRetries | None
    """Output retries in place of the agent's."""
    capabilities: Sequence[AgentCapability[AgentDepsT]]
    """Capabilities in place of the agent's."""
    workspace: workspaces.WorkspaceBackend | WorkspaceRef | Literal['new'] | None
    """The workspace of the runs, in place of theirs."""
    spec: SpecLike | None
    """An `AgentSpec`, or a dictionary with its keys; the other options of the override take precedence over it."""


class LegacyArguments(TypedDict, total=False):
    """Old arguments of `Agent`."""

    output_retries: int
    """Now `retries={'output': ...}`."""
    tool_retries: int
    """Now `retries={'tools': ...}`."""
    history_processors: Sequence[Callable[..., object]]
    """Now the capability `ProcessHistory`."""
    builtin_tools: Sequence[AbstractNativeTool | Callable[..., object]]
    """Now the capability `NativeTool`."""
    prepare_tools: Callable[..., object] | None
    """Now the capability `PrepareTools`."""
    prepare_output_tools: Callable[..., object] | None
    """Now the capability `PrepareOutputTools`."""
    event_stream_handler: EventStreamHandler[Any] | None
    """Now the capability `ProcessEventStream`, or an argument of the run."""
    instrument: tracing.InstrumentationSettings | bool | None
    """Now the capability `Instrumentation`."""
    mcp_servers: Sequence[AbstractToolset[Any]]
    """Now `toolsets`."""


AGENT_OPTIONS = frozenset(AgentOptions.__annotations__)
SPEC_OPTIONS = frozenset(FromSpecOptions.__annotations__)
OVERRIDE_OPTIONS = frozenset(OverrideOptions.__annotations__)


def check_overrides(values: dict[str, Any]) -> None:
    """Translate old options of `Agent.override`, in place.

    Raises:
        UserError: There is no such option.
    """
    old_names_work = deprecated.OLD_NAMES_WORK
    if 'builtin_tools' in values and old_names_work:
        warn_caller('`builtin_tools` is an old name; use `native_tools`.')
        values['native_tools'] = values.pop('builtin_tools')
    if 'output_retries' in values and old_names_work:
        warn_caller("`output_retries` is an old name; use `retries={'output': ...}`.")
        values.setdefault('retries', {'output': values.pop('output_retries')})
    check_names('`Agent.override` cannot replace', values, OVERRIDE_OPTIONS)
