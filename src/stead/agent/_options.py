"""The options of agents, of runs and of overrides: each list is written once."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from types import FrameType
from typing import Any, Generic, Literal, Protocol, Union

from pydantic import BaseModel
from typing_extensions import TypeAlias, TypedDict

from .. import budgets, conversation as conversations, workspaces
from .._contracts.call_policy import AgentRetries as AgentRetries
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.unset import UNSET as UNSET
from ..capabilities import AgentCapability
from ..concurrency import CancellationToken
from ..messages import AgentStreamEvent, ModelMessage, WorkspaceRef
from ..models import KnownModelName, Model
from ..settings import ModelSettings
from ..tools import DeferredToolResults
from ..toolsets import AbstractToolset
from ..toolsets._options import ToolOptions as ToolOptions
from ..usage import RunUsage, UsageLimits

AgentMetadata: TypeAlias = Union[dict[str, Any], Callable[[RunContext[AgentDepsT]], dict[str, Any]]]
"""Metadata of a run, or a function of the run context that makes it when the run has ended."""
AgentModelSettings: TypeAlias = Union[ModelSettings, Callable[[RunContext[AgentDepsT]], ModelSettings]]
"""Model settings, or a function of the run context that makes them for each step."""
InstructionsFunc: TypeAlias = Union[
    Callable[[RunContext[AgentDepsT]], Union[str, None]],
    Callable[[RunContext[AgentDepsT]], Awaitable[Union[str, None]]],
    Callable[[], Union[str, None]],
    Callable[[], Awaitable[Union[str, None]]],
]
"""Returns instructions, or `None` for none; sync or async, with or without the run context."""
AgentInstructions: TypeAlias = Union[
    str, InstructionsFunc[AgentDepsT], Sequence[Union[str, InstructionsFunc[AgentDepsT]]], None
]
"""Instructions: text, a function (sync or async, with or without the run context), a sequence of these, or `None`."""
SpecLike: TypeAlias = Union[BaseModel, dict[str, Any]]
"""An `AgentSpec`, or a dictionary with its keys; the base class, because specs are loaded when one is used."""

EventStreamHandler: TypeAlias = Callable[[RunContext[AgentDepsT], AsyncIterable[AgentStreamEvent]], Awaitable[None]]
"""An async function that receives the run context and the events of a step; called once for each step of a run."""
EventStreamProcessor: TypeAlias = Callable[
    [RunContext[AgentDepsT], AsyncIterable[AgentStreamEvent]], AsyncIterator[AgentStreamEvent]
]
"""Receives the run context and the events of a run, and yields those to pass on."""


class DescriptionTemplate(Protocol):
    """A description that is rendered with dependencies, such as a `TemplateStr`; `str()` returns its source."""

    def render(self, deps: Any = None) -> str:
        """Return the description with the dependencies filled in."""
        ...


class OptionsBesideDeps(TypedDict, Generic[AgentDepsT], total=False):
    """`RunOptions` without `deps`: only of a parameter of its own do type checkers see that it may not be left out."""

    conversation: conversations.Conversation | None
    """What was said so far, in place of `message_history`, `conversation_id` and `usage`; `result.conversation` continues it."""
    message_history: Sequence[ModelMessage] | None
    """Messages of the conversation so far; they are not changed."""
    deferred_tool_results: DeferredToolResults | None
    """Results of tool calls that an earlier run left open."""
    run_id: str | None
    """Id of the run; by default a new one."""
    timeout: float | None
    """Seconds that the run may take; then it ends in `RunTimedOut`."""
    cancellation_token: CancellationToken | None
    """Ends the run in `RunCancelled` when it is cancelled."""
    conversation_id: str | None
    """Id of the conversation; by default the history's, else a new one, as with `'new'`."""
    model: Model | KnownModelName | str | None
    """Model to use instead of the agent's."""
    instructions: AgentInstructions[AgentDepsT]
    """Instructions in addition to the agent's."""
    model_settings: AgentModelSettings[AgentDepsT] | None
    """Settings; they are merged over those of the agent."""
    usage_limits: UsageLimits | None
    """Limits on requests, tokens and tool calls; by default 50 requests."""
    budget: budgets.Budget | None
    """What the run may use, with other runs that have the same budget; in addition to those of the agent and around the run."""
    usage: RunUsage | None
    """Usage so far; the usage of the run is added to it in place. For runs that share a budget."""
    metadata: AgentMetadata[AgentDepsT] | None
    """Metadata in addition to the agent's."""
    retries: int | AgentRetries | None
    """Retries instead of the agent's: those of the output, or a dict, with `'tools'` for tools without a number of their own."""
    infer_name: bool
    """Whether a nameless agent takes the name of the variable it is called through."""
    toolsets: Sequence[AbstractToolset[AgentDepsT]] | None
    """Toolsets in addition to the agent's."""
    capabilities: Sequence[AgentCapability[AgentDepsT]] | None
    """Capabilities in addition to the agent's."""
    workspace: workspaces.WorkspaceBackend | WorkspaceRef | Literal['new'] | None
    """A workspace or a backend, a `WorkspaceRef`, or `'new'` for one that a capability makes."""
    spec: SpecLike | None
    """An `AgentSpec`, or a dictionary with its keys; the other options of the run override it."""


class EventOptionsBesideDeps(OptionsBesideDeps[AgentDepsT], total=False):
    """`EventOptions` without `deps`."""

    event_stream_handler: EventStreamHandler[AgentDepsT] | None
    """Called once for each step with the run context and the events of the step, instead of the agent's handler."""


class StreamOptionsBesideDeps(EventOptionsBesideDeps[AgentDepsT], total=False):
    """`StreamOptions` without `deps`."""

    until: Literal['final-result', 'end']
    """What is streamed: `'final-result'`, the first response that may be the answer, which then ends the run; or `'end'`,
    every response up to the real end of the run."""


class RunOptions(OptionsBesideDeps[AgentDepsT], total=False):
    """Options of `run`, `run_sync`, `iter` and every other way to run an agent."""

    deps: AgentDepsT
    """Dependencies for tools, prompts and validators."""


class EventOptions(EventOptionsBesideDeps[AgentDepsT], RunOptions[AgentDepsT], total=False):
    """Options of the ways to run an agent that take a handler of events."""


class StreamOptions(StreamOptionsBesideDeps[AgentDepsT], EventOptions[AgentDepsT], total=False):
    """Options of `run_stream` and `run_stream_sync`."""


RUN_OPTIONS = frozenset(RunOptions.__annotations__)


class _Named(Protocol):
    """An agent, as far as `infer_name` is concerned."""

    @property
    def name(self) -> str | None: ...

    @name.setter
    def name(self, value: str | None) -> None: ...


def infer_name(agent: _Named, frame: FrameType | None) -> None:
    """Name an agent after the variable that holds it in a frame, unless it has a name."""
    if agent.name is not None or frame is None:
        return
    for scope in (frame.f_locals, frame.f_globals):
        for name, value in scope.items():
            if value is agent and name != 'self':
                agent.name = name
                return


def caller_frame(depth: int) -> FrameType | None:
    """Return the frame `depth` calls above the caller of this function."""
    try:
        # Not step by step: the frame of a coroutine that was looked at keeps 300 bytes for as long as it runs.
        return sys._getframe(depth + 1)  # type: ignore[reportPrivateUsage]
    except ValueError:  # there are fewer
        return None
