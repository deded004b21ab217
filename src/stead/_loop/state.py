"""The three records of a run: what it was started with, what changes while it runs, and the step it is at.

`GraphAgentDeps` is complete when the run begins and is never changed. `GraphAgentState` is what the nodes change. A `RunStep`
is made once, when a request is put together, and replaced as a whole by that of the next request. A fact has its place
in one of them; run contexts, which users see, are copies of `GraphAgentDeps.context` with values of the state and the step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Protocol

from typing_extensions import TypeAlias

from .. import conversation as conversations, messages as all_messages, workspaces
from .._calls.manager import ToolManager
from .._calls.outputs import OutputValidator
from .._calls.step_tools import CallLedger
from .._contracts.call_policy import EndStrategy
from .._contracts.capability import AbstractCapability
from .._contracts.facts import (
    CallAnswered,
    CallsDecided,
    CallStarting,
    CallsWait,
    HistoryEdited,
    MessagesEnqueued,
    RecordedFact,
    RequestReady,
    ResponseTaken,
    RunBegan,
    RunEnded,
    RunFact,
    UsageTotal,
)
from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.pending import PendingMessage
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._deferral.history import LoadedAndDiscovered
from .._kit.deep_copy import own_data
from .._kit.json_types import JsonObject
from .._streams.exchange import Connection
from ..capabilities._chain import HookChain
from ..graph import GraphRunContext
from ..messages import InstructionPart, ModelMessage, ModelRequest, ModelResponse
from ..models import Model
from ..output import OutputSchema
from ..settings import ModelSettings
from ..tools import AgentNativeTool, DeferredToolResults
from ..usage import RESERVING, RequestUsage, RunUsage, UsageLimits, add_tokens, used_since
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
    response_metadata: JsonObject | None = None
    """What the history says of the request in the metadata of its response."""
    answers: ModelRequest | None = None
    """The request with the answers to the calls, until the next step takes it into the history."""


@dataclass(slots=True)
class LatePrompts:
    """Whether system prompts stand in a request after the first one; each message of a history is looked at once."""

    seen: int = 0
    """How many messages were looked at."""
    after_first: bool = False
    """Whether there was a request among them."""
    found: bool = False
    """Whether there was a system prompt in a later one."""

    def update(self, messages: Sequence[ModelMessage]) -> bool:
        """Look at the messages that are new, and return whether there is a late system prompt."""
        for index in range(self.seen, len(messages)):
            message = messages[index]
            if message.kind != 'request':
                continue
            if self.after_first and not self.found:
                for part in message.parts:
                    if part.part_kind == 'system-prompt':
                        self.found = True
                        break
            self.after_first = True
        self.seen = len(messages)
        return self.found


@dataclass(slots=True)
class Caches:
    """What saves reading the history of a run again; none of it is part of the state."""

    needs_cleaning: bool = False
    """Whether two messages of the same kind follow each other, so that requests are sent merged."""
    needs_repair: bool = False
    """Whether the history has calls without results, or results without calls, so that requests are sent repaired."""
    late_prompts: LatePrompts = field(default_factory=LatePrompts)
    """Whether system prompts stand in the middle of the history, so that the model has to find another place for them."""
    sent: tuple[list[ModelMessage], LatePrompts] | None = None
    """What hooks around requests last sent in place of the history, and the same of that."""
    deferral: LoadedAndDiscovered = field(default_factory=lambda: LoadedAndDiscovered(set(), set()))
    """What the model has loaded and discovered, by the history."""
    oldest: int = 0
    """How many messages may be older than the run; all of them, once hooks have replaced the history."""
    announced: list[ModelMessage] = field(default_factory=lambda: [])
    """The history, as far as it was part of facts that were announced."""
    is_reserved: bool = False
    """Whether a request of the run is under way, and reserved in its usage."""
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
    workspace: workspaces.Workspace | None = field(default=None, repr=False, compare=False)
    """The workspace of the run."""
    step: RunStep = field(default=_ABSENT, init=False, repr=False, compare=False)
    """The current step. It is dropped when the run is closed: results keep the state, but not tools and dependencies."""

    def leave_step(self) -> None:
        """Drop the current step, as the run is closed, and what it has reserved.

        Its tools have its context, which has them. That circle would hold the whole history until Python looks for circles, and
        it seldom does where runs are few and large. So the tools get a copy of the context, without them.
        """
        if self.caches.is_reserved:
            give_back_request(self)
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


class LedgerOfRun(CallLedger, Protocol):
    """Reserves and counts what requests use; `Ledger`, which is imported by runs with budgets."""

    has_usd: bool
    """Whether US dollars are counted, so that responses have their price."""

    async def begin_request(self, ctx: RunGraphContext, step: RunStep, request: ModelRequest) -> None:
        """Reserve a request that was put together, or make it the last one."""

    async def paid_request(
        self,
        prepared: ModelRequestContext,
        ctx: RunGraphContext,
        work: Callable[[ModelRequestContext], Awaitable[ModelResponse]],
    ) -> ModelResponse:
        """Make a request, and count what it has used."""
        ...

    def paid_stream(
        self, prepared: ModelRequestContext, ctx: RunGraphContext, connect: Callable[[ModelRequestContext], Connection]
    ) -> Connection:
        """Open a stream, and count what it has used."""
        ...


@dataclass(slots=True, kw_only=True)  # to freeze it costs a slow call for each field; a test reads that none is set
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
    around: Callable[[], AbstractContextManager[None]] = nullcontext
    """Is around all that the run calls: its place among the runs that its agent may have at once, and its budgets;
    nothing if it has neither."""
    select_model: Callable[[RunContext[AgentDepsT]], Awaitable[Model]] | None = None
    """Returns the model of a step; `None` if it is the same for all."""
    sources: RequestSources | None = None
    """What requests come from, if changes are watched."""
    ledger: LedgerOfRun | None = None
    """The `Ledger` of the budgets that the run draws from; `None` if there are none."""
    keep_interrupted: bool = True
    """Whether a response whose stream failed or was cancelled becomes part of the messages, as far as it came."""

    @property
    def user_deps(self) -> Any:
        """Dependencies of the agent."""
        return self.context.deps

    @property
    def prompt(self) -> str | Sequence[all_messages.UserContent] | None:
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


# Changes of the state. Nothing else writes a field of `RunState`; `tests/test_records.py` holds that.
#
# A run makes each change when it happens, since hooks see the state between two of them, and needs no fact for it. A journal has
# only the facts of a run. It makes the same changes with `apply`, and has the same state after each fact. Whatever happened
# between two facts, such as a response that hooks refused, is part of the next fact that has messages. A run that continues
# handles its last response again, with the answers and decisions that there are.


def set_metadata(state: RunState, metadata: JsonObject | None) -> None:
    """Set the metadata of the run, which who has passed it does not change."""
    state.metadata = None if metadata is None else own_data(metadata)


def set_prompt(state: RunState, prompt: str | Sequence[all_messages.UserContent] | None) -> None:
    """Set the prompt that run contexts show."""
    state.prompt = prompt


def add_message(state: GraphAgentState, message: ModelMessage) -> None:
    """Add a message to the history."""
    history, kind = state.message_history, message.kind
    if history and history[-1].kind == kind:
        state.caches.needs_cleaning = True
    history.append(message)
    if kind == 'response':
        state.following = 0


def take_last(state: RunState) -> None:
    """Take the last message off the history: it is a request, which is about to be sent and added again."""
    state.message_history.pop()


def replace_history(state: RunState, messages: Sequence[ModelMessage]) -> None:
    """Replace the history. The list stays the same, since contexts share it."""
    state.message_history[:] = messages


def set_new_message_index(state: RunState, index: int) -> None:
    """Set where in the history the messages of the run begin."""
    state.new_message_index = index


def count_request(state: GraphAgentState) -> None:
    """Count a request that was made. The usage stays the same object, since contexts and other runs may share it."""
    state.usage.requests += 1
    caches = state.caches
    if caches.is_reserved:
        caches.is_reserved = False
        with RESERVING:
            state.usage.requests_under_way -= 1
    if caches.untold is not None:
        caches.untold.requests += 1


def add_usage(state: GraphAgentState, used: RequestUsage, has_rare: bool) -> None:
    """Add the tokens of a response to the usage, in place; see `add_tokens`."""
    add_tokens(state.usage, used, has_rare)
    if (untold := state.caches.untold) is not None:
        add_tokens(untold, used, has_rare)


def reserve_request(state: GraphAgentState, limits: UsageLimits, usage: RunUsage) -> None:
    """Reserve a request until it is counted or given back, in the usage that other runs may share.

    Args:
        state: The state.
        limits: The limits of the run.
        usage: The usage to check: that of the run, or what it will be.

    Raises:
        UsageLimitExceeded: The request would go over a limit.
    """
    caches, shared = state.caches, state.usage
    if caches.is_reserved:  # a hook sends it again
        give_back_request(state)
    with RESERVING:
        if usage is not shared:
            usage.requests_under_way = shared.requests_under_way
        limits.check_before_request(usage)
        shared.requests_under_way += 1
    caches.is_reserved = True


def give_back_request(state: GraphAgentState) -> None:
    """Give back the request that is reserved, and was not made."""
    state.caches.is_reserved = False
    with RESERVING:
        state.usage.requests_under_way -= 1


def begin_step(state: RunState) -> None:
    """Begin the next step."""
    state.run_step += 1
    state.following = 0
    state.is_fresh = False


def begin_calls(state: RunState, retries: Mapping[str, int], call_counts: Mapping[str, int]) -> None:
    """Set how often tools were retried and called before the current step, whose tools are listed."""
    state.retries, state.call_counts, state.calls_of_step = retries, call_counts, None


def set_following(state: RunState, request: ModelRequest) -> None:
    """Set how many messages of the history follow the request that is about to be sent."""
    state.following = next((n for n, one in enumerate(reversed(state.message_history)) if one is request), 0)


def note_max_tokens(state: RunState, max_tokens: int | None) -> None:
    """Note `max_tokens` of the request that is sent."""
    state.last_max_tokens = max_tokens


def take_calls_of_step(state: RunState) -> Mapping[str, int]:
    """Return how often tools were called in the current step by an earlier process, once: the step counts them from then on."""
    calls, state.calls_of_step = state.calls_of_step, None
    return calls or {}


def use_output_retries(state: RunState, count: int = 1) -> None:
    """Count requests for another output."""
    state.output_retries_used += count


def take_pending(state: RunState, *, idle: bool) -> list[PendingMessage]:
    """Return what was enqueued and is due, and take it off the queue.

    Args:
        state: The state.
        idle: Whether the run would end otherwise, so that messages for that moment are due too.
    """
    if not state.pending_messages:
        return []
    due = [item for item in state.pending_messages if item.priority == 'asap']
    if idle:
        due += [item for item in state.pending_messages if item.priority == 'when_idle']
    due_ids = {id(item) for item in due}
    state.pending_messages[:] = [item for item in state.pending_messages if id(item) not in due_ids]
    return due


def without_messages(conversation: conversations.Conversation) -> conversations.Conversation:
    """Return what a run keeps of the conversation that it was passed: its messages are the history."""
    return replace(conversation, messages=[], usage=RunUsage() + conversation.usage, deferred_tool_requests=None)


_SHARED = ('message_history', 'usage', 'pending_messages', 'answers')
"""What is changed in place. Contexts share it, and other runs may count in the usage: what the run had used is added to it."""
_IF_KNOWN = ('metadata', 'prompt', 'conversation')


def restore(state: RunState, known: RunState) -> None:
    """Set the state of a run that was set up to what is known of it."""
    replace_history(state, known.message_history)
    before = known.conversation if state.conversation is not None else None  # what the run was passed counts from there
    state.usage.incr(known.usage if before is None else used_since(before.usage, known.usage))
    state.answers = dict(known.answers)
    state.pending_messages.extend(known.pending_messages)
    for name in (one.name for one in fields(RunState)):
        value = getattr(known, name)
        if name not in _SHARED and (name not in _IF_KNOWN or value is not None):
            setattr(state, name, value)


# The same changes, as facts tell of them


def _take_messages(state: RunState, fact: RequestReady | ResponseTaken | RunEnded) -> None:
    if fact.history is not None:
        state.message_history = [*fact.history]  # steps of the past have the list as it was
    state.message_history.extend(fact.messages)
    state.usage.incr(fact.usage)


def _run_began(state: RunState, fact: RunBegan) -> None:
    if fact.restored is not None:
        restore(state, fact.restored)
    state.conversation_id, state.new_message_index = fact.conversation_id, fact.new_message_index
    replace_history(state, fact.messages)
    set_metadata(state, fact.metadata)
    if fact.prompt is not None:
        set_prompt(state, fact.prompt)
    if fact.conversation is not None:
        state.conversation = fact.conversation
        state.usage.incr(fact.conversation.usage)
    if fact.decisions is not None:
        state.decisions, state.answers_calls = fact.decisions, True


def _request_ready(state: RunState, fact: RequestReady) -> None:
    _take_messages(state, fact)
    begin_calls(state, fact.retries, fact.call_counts)
    state.answers, state.decisions = {}, None
    state.run_step, state.following, state.is_fresh = fact.step, fact.following, False
    state.new_message_index, state.output_retries_used = fact.new_message_index, fact.output_retries
    state.pending_messages[:] = fact.pending


def _response_taken(state: RunState, fact: ResponseTaken) -> None:
    _take_messages(state, fact)
    state.following, state.last_max_tokens, state.pending_messages[:] = 0, fact.max_tokens, fact.pending
    state.is_fresh = False


def _call_starting(state: RunState, fact: CallStarting) -> None:
    state.is_fresh = False


def _call_answered(state: RunState, fact: CallAnswered) -> None:
    state.answers[fact.call.tool_call_id] = [fact.answer, *fact.additions]
    state.usage.tool_calls += fact.is_counted
    state.pending_messages[:] = fact.pending
    if fact.counts:
        before = state.calls_of_step or {}
        state.calls_of_step = {**before, **{name: before.get(name, 0) + count for name, count in fact.counts.items()}}
    state.is_fresh = False


def _calls_wait(state: RunState, fact: CallsWait) -> None:
    # What was decided about them is asked again.
    asked = {call.tool_call_id for call in (*fact.requests.calls, *fact.requests.approvals)}
    if state.decisions is not None:
        state.decisions = replace(
            state.decisions,
            calls={key: value for key, value in state.decisions.calls.items() if key not in asked},
            approvals={key: value for key, value in state.decisions.approvals.items() if key not in asked},
        )
    state.is_fresh = False


def _calls_decided(state: RunState, fact: CallsDecided) -> None:
    decisions = DeferredToolResults()
    for results in (state.decisions, fact.results):
        if results is not None:
            decisions.update(results)
    state.decisions, state.is_fresh = decisions, False


def _run_ended(state: RunState, fact: RunEnded) -> None:
    _take_messages(state, fact)
    set_metadata(state, fact.metadata)
    if fact.how == 'done':
        state.is_fresh = False


def _history_edited(state: RunState, fact: HistoryEdited) -> None:
    state.message_history, state.following, state.is_fresh = [*fact.history], 0, False


def _usage_total(state: RunState, fact: UsageTotal) -> None:
    state.usage = fact.usage


def _messages_enqueued(state: RunState, fact: MessagesEnqueued) -> None:
    state.pending_messages[:] = fact.pending


_CHANGES: dict[type[RecordedFact], Callable[[RunState, Any], None]] = {
    RunBegan: _run_began,
    RequestReady: _request_ready,
    ResponseTaken: _response_taken,
    CallStarting: _call_starting,
    CallAnswered: _call_answered,
    CallsWait: _calls_wait,
    CallsDecided: _calls_decided,
    RunEnded: _run_ended,
    HistoryEdited: _history_edited,
    UsageTotal: _usage_total,
    MessagesEnqueued: _messages_enqueued,
}
"""What facts change; other facts only say what happens inside of a call."""


def apply(state: RunState, fact: RecordedFact) -> None:
    """Change a state as a fact tells."""
    if (change := _CHANGES.get(type(fact))) is not None:
        change(state, fact)
