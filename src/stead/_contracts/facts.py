"""What happens in a run, as it is announced to capabilities that record it.

Every fact is announced before anything depends on it: that a tool is about to run before it runs, a response before its
calls run. A capability that fails to record a fact ends the run.
"""

from __future__ import annotations

from asyncio import CancelledError, Task
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union

from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject

if TYPE_CHECKING:
    from ..conversation import Conversation
    from ..messages import (
        DeferredToolRequests,
        DeferredToolResults,
        ModelMessage,
        ModelRequest,
        ModelRequestPart,
        ToolCallPart,
        UserContent,
    )
    from ..usage import RunUsage, UsageLimits
    from .call_policy import CallPolicy, Effect
    from .pending import PendingMessage
    from .run_state import RecordedOutput, RunState
    from .tool_definition import ToolDefinition


class RunLeft(CancelledError):
    """Cancellation of the hooks around a run that was left before its end; none of them is asked to recover."""


@dataclass(slots=True, kw_only=True)
class RunBegan:
    """A run was set up; nothing has been sent."""

    conversation_id: str
    """The id of the conversation."""
    messages: Sequence[ModelMessage]
    """The history."""
    new_message_index: int
    """Where in the history the messages of the run begin."""
    metadata: JsonObject | None
    """Metadata of the run."""
    prompt: str | Sequence[UserContent] | None
    """The prompt that was passed to the run."""
    decisions: DeferredToolResults | None
    """Decisions about calls that the history leaves open."""
    restored: RunState | None
    """What was known of it, if it was started before."""
    model_settings: object = None
    """Settings that were passed to the run."""
    usage_limits: UsageLimits | None = None
    """Limits that were passed to the run."""
    passed_metadata: object = None
    """Metadata that was passed to the run: a mapping, or a function."""
    conversation: Conversation | None = None
    """The conversation that was passed to the run, without its messages."""


@dataclass(slots=True, kw_only=True)
class RequestReady:
    """A request is part of the history, and is about to be sent."""

    step: int
    """The number of the step."""
    request: ModelRequest
    """The request; messages that were enqueued may follow it in the history."""
    messages: Sequence[ModelMessage]
    """The messages that were added to the history since the fact before that has messages."""
    history: Sequence[ModelMessage] | None
    """The whole history, if messages of it were replaced or removed since; `None` otherwise."""
    following: int
    """How many messages of the history follow the request."""
    new_message_index: int
    """Where in the history the messages of the run begin."""
    output_retries: int
    """How many times the model was asked to give its output again."""
    retries: Mapping[str, int]
    """How many times each tool was retried, by tool name."""
    call_counts: Mapping[str, int]
    """How many times each tool with a limit was called in the run."""
    pending: Sequence[PendingMessage]
    """Messages that wait to be delivered."""
    usage: RunUsage
    """What was used since the fact before that has it, apart from calls: by responses that hooks refused."""


@dataclass(slots=True)
class ResponseTaken:
    """A response is part of the history; its calls have not run."""

    messages: Sequence[ModelMessage]
    """The messages that were added to the history since the fact before that has messages; the last one is the response."""
    history: Sequence[ModelMessage] | None
    """The whole history, if messages of it were replaced or removed since; `None` otherwise."""
    pending: Sequence[PendingMessage]
    """Messages that wait to be delivered."""
    max_tokens: int | None
    """`max_tokens` of the request."""
    usage: RunUsage
    """What was used since the fact before that has it, apart from calls: by the request and the response."""


@dataclass(slots=True)
class CallStarting:
    """A tool is about to run: every check has been passed, and a place was free."""

    call: ToolCallPart
    tool: ToolDefinition
    args: JsonObject
    """The validated arguments."""
    policy: CallPolicy | None
    """The call options of the tool, its toolset and the agent."""
    needs_task: bool = False
    """Whether the tool runs in a task of its own: calls may be inside of each other deeper than the stack of one task allows.
    Whatever is announced to may set this."""
    task: Task[Any] | None = field(default=None, init=False)
    """The task that the tool runs in, while it does."""
    cancelled: str | None = field(default=None, init=False)
    """What the model is told if the call was cancelled, and the run continues."""


@dataclass(slots=True)
class OutputStarting:
    """An output function is about to be called, and the output validators after it."""

    call: ToolCallPart
    """What it is called with: the call of the output tool, or one that stands for text."""
    effect: Effect
    """What it may do."""
    returned: RecordedOutput | None = None
    """What they returned in an earlier process; whatever is announced to may set this."""


@dataclass(slots=True)
class OutputReturned:
    """An output function has returned, and the validators after it."""

    call: ToolCallPart
    output: Any


@dataclass(slots=True)
class CallProgressed:
    """A tool has reported progress."""

    call: ToolCallPart
    content: object
    """What it reported."""


@dataclass(slots=True)
class CallAnswered:
    """A call has its answer, which is not part of the history yet."""

    call: ToolCallPart
    answer: ModelRequestPart
    """What the model will read."""
    additions: Sequence[ModelRequestPart]
    """What the tool adds to the conversation, after all answers."""
    is_counted: bool = False
    """Whether it counts as a call in the usage of the run."""
    pending: Sequence[PendingMessage] = ()
    """Messages that wait to be delivered, also those of calls that have no answer yet."""
    counts: Mapping[str, int] | None = None
    """How many times tools with a limit were called by it and inside of it, where a record tells that."""


@dataclass(slots=True)
class CallReturned:
    """A tool returned; hooks may still change the result, and if another tool made the call, the model never sees it."""

    call: ToolCallPart
    result: Any


@dataclass(slots=True)
class CallAsked:
    """A call that a tool makes itself waits for a decision, and nothing has decided about it."""

    call: ToolCallPart
    needs_approval: bool
    """Whether it waits for an approval; otherwise for a result."""
    metadata: JsonObject | None
    """What its tool adds."""
    has_started: bool
    """Whether the tool itself asks, so that it was announced that it starts."""
    tool: ToolDefinition | None = None
    """The definition of its tool."""
    is_question: bool = False
    """Whether the result that it waits for is the answer of a person."""
    results: DeferredToolResults | None = None
    """What was decided about it; whatever is announced to may set this."""


@dataclass(slots=True)
class CallsWait:
    """Calls wait for decisions or for results from elsewhere."""

    requests: DeferredToolRequests


@dataclass(slots=True)
class CallsDecided:
    """A capability has decided about calls that waited."""

    results: DeferredToolResults


@dataclass(slots=True)
class RunEnded:
    """A run has its result, or was left before it had one."""

    how: Literal['done', 'failed', 'left']
    messages: Sequence[ModelMessage]
    """The messages that were added to the history since the fact before that has messages."""
    history: Sequence[ModelMessage] | None
    """The whole history, if messages of it were replaced or removed since; `None` otherwise."""
    metadata: JsonObject | None
    """Metadata of the run."""
    usage: RunUsage
    """What was used since the fact before that has it, apart from calls: by requests that failed."""
    output: Any = None
    """The output; `None` unless it is done."""
    error: BaseException | None = None
    """What ended the run; `None` if it is done."""


@dataclass(frozen=True, slots=True)
class HookChange:
    """What is different in one thing after a hook, as JSON data; long texts and long lists are cut."""

    what: str
    """What it is: `'messages'`, `'tools'`, `'settings'`, `'args'`, `'result'` and others."""
    before: Any
    """What was there before, without what is the same: of a mapping the keys that differ, of a list the items that do."""
    after: Any
    """What is there after it."""
    at: int | None = None
    """Where in a list the items stand."""
    left_out: tuple[int, int] = (0, 0)
    """How many more items differ, before and after."""


@dataclass(slots=True)
class HookActed:
    """A capability has changed something, or decided something; it is announced to capabilities with `watches_changes` only."""

    step: int
    """The number of the step; a hook that runs before the first request is in step 0."""
    capability: str
    """The capability, as explanations name it; of a function that was registered with `Hooks`, its name follows."""
    hook: str
    """The name of the hook."""
    did: Literal['changed', 'answered', 'decided', 'recovered', 'raised']
    """Whether it changed something; answered in place of the model, tool or run; decided about calls; took the place of an
    error; or raised one."""
    changes: Sequence[HookChange] = ()
    """What is different after it."""
    call: ToolCallPart | None = None
    """The call that it is about."""
    error: str = ''
    """The error that it raised, or the one it recovered from: type and text."""


@dataclass(slots=True)
class RequestSent:
    """A request was handed to the model, after all hooks; it is announced to capabilities with `watches_changes` only."""

    step: int
    """The number of the step."""
    request: JsonObject
    """Everything of it but the messages, as JSON data: `model`, `settings`, `tools`, `native tools`, `instructions`, `output`."""
    fitted: Sequence[HookChange]
    """What stead made of the messages of the history, so that the model takes them."""
    settings_from: Mapping[str, str]
    """The part of the agent that each setting comes from: the last one that sets it, before hooks."""
    instructions_from: Sequence[tuple[str, str]]
    """The parts of the agent that the instructions come from, each with its text, before hooks."""


RunFact: TypeAlias = Union[
    RunBegan,
    RequestReady,
    ResponseTaken,
    CallStarting,
    OutputStarting,
    OutputReturned,
    CallProgressed,
    CallAnswered,
    CallReturned,
    CallAsked,
    CallsWait,
    CallsDecided,
    RunEnded,
    HookActed,
    RequestSent,
]
"""One thing that happened in a run."""


@dataclass(slots=True)
class HistoryEdited:
    """A person has put another history in place of that of a run, which nothing was running."""

    history: Sequence[ModelMessage]
    """The history."""


@dataclass(slots=True)
class UsageTotal:
    """What a run has used up to here, with all that runs inside of its answered calls have."""

    usage: RunUsage


@dataclass(slots=True)
class MessagesEnqueued:
    """Another process has added messages to the queue of a run."""

    pending: Sequence[PendingMessage]
    """The queue after that."""


RecordedFact: TypeAlias = Union[RunFact, HistoryEdited, UsageTotal, MessagesEnqueued]
"""One thing that the records of a run tell. Only a `RunFact` is announced."""
