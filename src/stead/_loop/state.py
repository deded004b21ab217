"""The three records of a run: what it was started with, what changes while it runs, and the step it is at.

`GraphAgentDeps` is complete when the run begins and is never changed. `GraphAgentState` is what the nodes change. A `RunStep`
is made once, when a request is put together, and replaced as a whole by that of the next request. A fact has its place
in one of them; run contexts, which users see, are copies of `GraphAgentDeps.context` with values of the state and the step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from typing_extensions import TypeAlias

from .._calls.manager import ToolManager
from .._calls.outputs import OutputValidator
from .._contracts.call_policy import EndStrategy
from .._contracts.capability import AbstractCapability
from .._contracts.facts import RunFact
from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._deferral.history import LoadedAndDiscovered
from ..capabilities._chain import HookChain
from ..concurrency import Place
from ..graph import GraphRunContext
from ..messages import InstructionPart, ModelMessage, ModelRequest, UserContent
from ..models import Model
from ..output import OutputSchema
from ..settings import ModelSettings
from ..tools import AgentNativeTool
from ..usage import RunUsage, UsageLimits
from .late_prompts import LatePrompts
from .shown import ShownParameters

_ABSENT: Any = None
"""Stands for the request of a step, and the step of a run, where there is none and nothing reads it."""


@dataclass(slots=True)
class RunStep:
    """One step of a run: a request, its response and the calls of the response share it.

    A run is at a step from its beginning. Until the first request, that step has no request, and its tools are not listed.
    """

    context: RunContext[object]
    """The context of the step, shared by everything that happens in it; a tool call gets a copy of it."""
    tools: ToolManager[Any]
    """The tools as they were listed for the step."""
    request: ModelRequestContext = _ABSENT
    """What is sent, before any hook sees it."""
    counted: bool = False
    """Whether the usage of the run includes the request, though its response is not part of the history yet."""
    answers: ModelRequest | None = None
    """The request with the answers to the calls, until the next step takes it into the history."""


@dataclass(slots=True)
class Caches:
    """What saves reading the history of a run again; none of it is part of the state."""

    needs_cleaning: bool = False
    """Whether two messages of the same kind follow each other, so that requests are sent merged."""
    needs_repair: bool = False
    """Whether the history has calls without results, or results without calls, so that requests are sent repaired."""
    late_prompts: LatePrompts = field(default_factory=LatePrompts)
    """Whether system prompts stand in the middle of the history, so that the model has to find another place for them."""
    deferral: LoadedAndDiscovered = field(default_factory=lambda: LoadedAndDiscovered(set(), set()))
    """What the model has loaded and discovered, by the history."""
    oldest: int = 0
    """How many messages may be older than the run; all of them, once hooks have replaced the history."""
    announced: list[ModelMessage] = field(default_factory=lambda: [])
    """The history, as far as it was part of facts that were announced."""
    untold: RunUsage | None = None
    """What was used, and is part of no fact yet; `None` if no one takes note of facts."""


@dataclass(slots=True, kw_only=True)
class GraphAgentState(RunState):
    """A run in this process: its state, the current step, and what belongs to the process."""

    last_model_request_parameters: ModelRequestParameters | None = None
    """Parameters of the last request."""
    unfinished: list[ModelMessage] = field(default_factory=lambda: [])
    """Messages that were paid for but are not part of the history because the run failed; errors carry them."""
    resumed: ModelRequest | None = field(default=None, repr=False, compare=False)
    """The request at the end of the history that was passed in, if the run answers it; it counts as old."""
    caches: Caches = field(default_factory=Caches, repr=False, compare=False)
    """What saves reading the history again."""
    changes: Sequence[RunFact] = field(default=(), repr=False, compare=False)
    """What capabilities have changed in the run, if that was watched; filled when the run is closed."""
    step: RunStep = field(default=_ABSENT, init=False, repr=False, compare=False)
    """The current step. It is dropped when the run is closed: results keep the state, but not tools and dependencies."""

    def leave_step(self) -> None:
        """Drop the current step, as the run is closed.

        Its tools have its context, which has them. That circle would hold the whole history until Python looks for circles, and
        it seldom does where runs are few and large. So the tools get a copy of the context, without them.
        """
        tools = self.step.tools
        if tools.ctx is not None:
            tools.ctx = tools.ctx.fork(tool_manager=None)
        self.step = _ABSENT


@dataclass
class RequestSources:
    """The parts of the agent that the request of a step comes from; noted where changes are watched."""

    settings: dict[str, str] = field(default_factory=lambda: {})
    """By setting, the last part that sets it."""
    instructions: list[tuple[str, str]] = field(default_factory=lambda: [])
    """The parts with instructions, and their texts."""


@dataclass
class KeptParameters:
    """Parameters of a request, used again while nothing they were made from changes; see the top of `nodes.py`."""

    is_exposed: bool = False
    """Whether hooks or models see them that may change them in place, so that they get copies."""
    last: tuple[Any, ModelRequestParameters, ShownParameters | None] | None = None
    """What they were made from (the listing of the tools, the output, instructions, native tools), the parameters, and the copy
    that hooks see, if there are any.

    One value, since runs in several threads share it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAgentDeps(Generic[AgentDepsT]):
    """The part of a run that is known at its start, and does not change."""

    context: RunContext[AgentDepsT]
    """The run context at the start; tools, hooks and functions see copies of it, one for each step."""
    chain: HookChain
    """The hooks of the run."""
    root_capability: AbstractCapability[AgentDepsT] | None
    """The capability whose hooks `chain` calls."""
    get_validation_context: Callable[[RunContext[AgentDepsT]], Any] | None
    """Returns the validation context of a step; `None` if it is the same for all, and part of `context`."""
    get_model_settings: Callable[[RunContext[AgentDepsT]], ModelSettings | None]
    """Returns the merged model settings of a step."""
    get_instructions: Callable[[RunContext[AgentDepsT]], Awaitable[list[InstructionPart] | None]] | None
    """Returns the instructions of a step; `None` if there never are any."""
    usage_limits: UsageLimits
    """What the run may use."""
    max_output_retries: int
    """How many times the model may be asked to give its output again."""
    end_strategy: EndStrategy
    """What happens to the other calls of a response that holds a final result."""
    output_schema: OutputSchema[object]
    """The outputs of the run."""
    output_validators: list[OutputValidator[AgentDepsT, Any]]
    """The functions that check or change an output, in order."""
    native_tools: list[AgentNativeTool[AgentDepsT]]
    """Tools that the provider runs, or functions that return one."""
    kept_parameters: KeptParameters
    """The parameters of the last request: of this run, or of all that share its plan."""
    place: Place | None = None
    """The place that the run has among those that its agent may have at once; what the run calls is inside of it."""
    sources: RequestSources | None = None
    """What requests come from, if changes are watched."""
    keep_interrupted: bool = True
    """Whether a response whose stream failed or was cancelled becomes part of the messages, as far as it came."""

    @property
    def user_deps(self) -> Any:
        """Dependencies of the agent."""
        return self.context.deps

    @property
    def prompt(self) -> str | Sequence[UserContent] | None:
        """The prompt of the run."""
        return self.context.prompt

    @property
    def model(self) -> Model:
        """The model of the run."""
        return self.context.model

    @property
    def agent(self) -> Any:
        """The agent that runs."""
        return self.context.agent


RunGraphContext: TypeAlias = 'GraphRunContext[GraphAgentState, GraphAgentDeps[Any]]'
"""What nodes receive."""


def shown(state: GraphAgentState) -> dict[str, Any]:
    """Return what run contexts show of the state of a run, by name; a resumed run shows what it would have shown before.

    Most of it is the same at each step, as the objects are; `build_run_context` brings the rest up to date.
    """
    return {
        'usage': state.usage,
        'messages': state.message_history,
        'run_step': state.run_step,
        'run_id': state.run_id,
        'conversation_id': state.conversation_id,
        'metadata': state.metadata,
        'prompt': state.prompt,
        'retry': state.output_retries_used,
        'pending_messages': state.pending_messages,
        'loaded_capability_ids': state.caches.deferral.loaded,
        'discovered_tool_names': state.caches.deferral.discovered,
    }


def build_run_context(ctx: RunGraphContext) -> RunContext[object]:
    """Return a new run context for the current step of a run."""
    state, deps = ctx.state, ctx.deps
    context = deps.context.fork(
        usage=state.usage,
        messages=state.message_history,
        run_step=state.run_step,
        metadata=state.metadata,
        retry=state.output_retries_used,
        tool_manager=state.step.tools,
    )
    if deps.get_validation_context is not None:
        context.validation_context = deps.get_validation_context(context)
    return context
