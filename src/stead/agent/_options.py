"""The options of agents, of runs and of overrides: each list is written once."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Any, Generic, Literal, Protocol, Union

from pydantic import BaseModel
from typing_extensions import TypeAlias, TypedDict

from .. import capabilities as all_capabilities, workspaces
from .._contracts.call_policy import AgentRetries as AgentRetries
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.deprecated import warn_caller
from .._kit.meant import names_meant
from .._kit.unset import UNSET as UNSET
from ..capabilities import AgentCapability
from ..exceptions import UserError
from ..messages import AgentStreamEvent, ModelMessage, WorkspaceRef
from ..models import KnownModelName, Model
from ..settings import ModelSettings
from ..tools import AgentNativeTool, DeferredToolResults, Tool, ToolFuncEither
from ..toolsets import AbstractToolset, AgentToolset
from ..toolsets._options import ToolOptions as ToolOptions
from ..usage import RunUsage, UsageLimits
from ._checks import check_old_values

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

    message_history: Sequence[ModelMessage] | None
    """Messages of the conversation so far; they are not changed."""
    deferred_tool_results: DeferredToolResults | None
    """Results of tool calls that an earlier run left open."""
    conversation_id: str | None
    """Id of the conversation; by default the history's, else a new one, as with `'new'`."""
    model: Model | KnownModelName | str | None
    """Model to use instead of the agent's."""
    instructions: AgentInstructions[AgentDepsT]
    """Instructions besides the agent's."""
    model_settings: AgentModelSettings[AgentDepsT] | None
    """Settings; they are merged over those of the agent."""
    usage_limits: UsageLimits | None
    """Limits on requests, tokens and tool calls; by default 50 requests."""
    usage: RunUsage | None
    """Usage so far, to which that of the run is added in place; for runs that share a budget."""
    metadata: AgentMetadata[AgentDepsT] | None
    """Metadata besides the agent's."""
    retries: int | AgentRetries | None
    """Output retries instead of the agent's."""
    infer_name: bool
    """Whether a nameless agent takes the name of the variable it is called through."""
    toolsets: Sequence[AbstractToolset[AgentDepsT]] | None
    """Toolsets besides the agent's."""
    capabilities: Sequence[AgentCapability[AgentDepsT]] | None
    """Capabilities besides the agent's."""
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


def check_names(complaint: str, names: Iterable[str], known: Collection[str]) -> None:
    """Check that keyword arguments exist.

    Args:
        complaint: The beginning of the message, before the name of the argument.
        names: The names of the arguments that were passed.
        known: The names that exist.

    Raises:
        UserError: A name does not exist; the message lists those that do, and the ones that may have been meant.
    """
    if unknown := sorted(set(names).difference(known)):
        written = _as_written(unknown[0], known)
        raise UserError(f'{complaint} {unknown[0]!r}.{names_meant(unknown[0], known, 3, written, _OLD_NAMES)}')


_OLD_NAMES = {
    'result_type': 'output_type',
    'response_type': 'output_type',
    'result_retries': 'retries',
    'result_tool_name': 'output_type',
    'result_tool_description': 'output_type',
    'response_format': 'output_type',
    'result_validators': 'capabilities',
    'guardrails': 'capabilities',
    'output_guardrails': 'capabilities',
    'input_guardrails': 'capabilities',
    'middleware': 'capabilities',
    'handoffs': 'tools',
    'context': 'deps',
    'session': 'message_history',
    'llm': 'model',
    'mcp_servers': 'toolsets',
    'functions': 'tools',
    'dependencies': 'deps',
    'messages': 'message_history',
    'history': 'message_history',
    'prompt': 'user_prompt',
    'max_turns': 'usage_limits',
}
"""What older tutorials, and other libraries, call arguments; far from the names that they have here."""


def _as_written(name: str, known: Collection[str]) -> str:
    """Return how something is written that belongs into the value of another argument; an empty text for other names."""
    if name in ModelSettings.__annotations__ and 'model_settings' in known:
        return f'model_settings={{{name!r}: ...}}'
    if name in UsageLimits.__dataclass_fields__ and 'usage_limits' in known:
        return f'usage_limits=UsageLimits({name}=...)'
    if name in ('api_key', 'base_url') and 'model' in known:
        return f'model=OpenAIChatModel(..., provider=OpenAIProvider({name}=...))'
    return ''


def check_options(options: dict[str, Any]) -> None:
    """Translate old options of runs, in place.

    Raises:
        UserError: There is no such option.
    """
    if 'output_retries' in options:
        warn_caller("`output_retries` is an old name; use `retries={'output': ...}`.")
        retries = options.pop('output_retries')
        options.setdefault('retries', None if retries is None else {'output': retries})
    if 'builtin_tools' in options:
        warn_caller('`builtin_tools` is an old name; use `capabilities=[NativeTool(...)]`.')
        check_old_values({'builtin_tools': options['builtin_tools']}, 'agent.run')
        tools = [all_capabilities.NativeTool(tool) for tool in options.pop('builtin_tools') or ()]
        if tools:
            options['capabilities'] = [*(options.get('capabilities') or ()), *tools]
    if not options.keys() <= RUN_OPTIONS:
        check_names('Runs have no option', options, RUN_OPTIONS | {'user_prompt', 'output_type'})


def check_event_options(options: dict[str, Any]) -> None:
    """Translate old options of `run_stream_events`, in place.

    Raises:
        UserError: There is no such option, or there is an `event_stream_handler`, which would get no events.
    """
    if 'event_stream_handler' in options:
        raise UserError(
            '`run_stream_events` takes no `event_stream_handler`, because its caller reads the events. '
            'Handle them where you read them, or pass the handler to `run`.'
        )
    check_options(options)


@dataclass
class Overrides(Generic[AgentDepsT]):
    """The options of an `Agent.override` block; those that are `UNSET` leave the agent's own value in place."""

    name: str | None = UNSET
    deps: object = UNSET
    model: Model | str = UNSET
    toolsets: Sequence[AgentToolset[AgentDepsT]] = UNSET
    tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = UNSET
    native_tools: Sequence[AgentNativeTool[AgentDepsT]] = UNSET
    instructions: AgentInstructions[AgentDepsT] = UNSET
    metadata: AgentMetadata[AgentDepsT] | None = UNSET
    model_settings: AgentModelSettings[AgentDepsT] | None = UNSET
    retries: int | AgentRetries | None = UNSET
    capabilities: Sequence[AgentCapability[AgentDepsT]] = UNSET

    def over(self, outer: Overrides[AgentDepsT] | None) -> Overrides[AgentDepsT]:
        """Return these overrides, with those of an outer `override` block where these leave a value unset."""
        if outer is None:
            return self
        merged = Overrides[AgentDepsT]()
        for name in self.__dataclass_fields__:
            mine = getattr(self, name)
            setattr(merged, name, getattr(outer, name) if mine is UNSET else mine)
        return merged


active_overrides: ContextVar[dict[int, Overrides[Any]]] = ContextVar('stead_overrides', default={})  # noqa: B039
"""The overrides in effect, by the id of the agent. The mapping is replaced, never changed: contexts share it."""


def output_retries(retries: int | AgentRetries | None, *, where: str) -> int | None:
    """Return the output retries that a run or an override asks for; `None` for those of the agent.

    Raises:
        UserError: `retries` sets tool retries, which tools take when the agent is built.
    """
    if retries is None or retries is UNSET:
        return None
    if isinstance(retries, int):
        return retries
    if 'tools' in retries:
        raise UserError(
            f'{where} cannot set tool retries, because tools take theirs when the agent is built: use '
            "`Agent(retries={'tools': ...})`. Here, set `retries={'output': ...}` or a plain number for output retries."
        )
    return retries.get('output')


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
