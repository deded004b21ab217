"""The events of a streamed run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union

from typing_extensions import TypeAlias, deprecated

from .._kit import deprecated as old
from .._kit.left_out import left_out
from .._kit.marks import Discriminator
from .._kit.records import DataRecord, ShortRepr
from . import _media as media
from ._changes import CapabilityLoadDeltaPart, ModelSettingsDeltaPart, ToolAvailabilityDeltaPart
from ._deferred import DeferredToolRequests, DeferredToolResults
from ._deltas import ModelResponsePartDelta
from ._feedback import RetryPromptPart
from ._message import ModelMessage, ModelRequestPart, ModelResponsePart
from ._named_events import CapabilityEvent, CustomEvent
from ._open import OpenEvent, OpenWord, UnknownEvent, kinds_of
from ._tool_parts import NativeToolCallPart, NativeToolReturnPart, ToolCallPart, ToolReturnPart

PartKind: TypeAlias = Literal[
    'text', 'thinking', 'tool-call', 'builtin-tool-call', 'builtin-tool-return', 'file', 'compaction', 'unknown'
]
"""The kind of a part of a response."""


@dataclass(repr=False, eq=False, kw_only=True)
class PartStartEvent(ShortRepr):
    """The start of a part of a response."""

    index: int
    """The index of the part in the response."""
    part: ModelResponsePart
    """The part as received so far."""
    previous_part_kind: Annotated[PartKind, OpenWord('part_kind')] | None = None
    """The kind of the part before it."""
    canonical_system: Annotated[str | None, left_out()] = None
    """The system that the model belongs to, as `ModelResponse.canonical_system`."""
    event_kind: Literal['part_start'] = 'part_start'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class PartDeltaEvent(ShortRepr):
    """A new chunk of a part of a response."""

    index: int
    """The index of the part in the response."""
    delta: ModelResponsePartDelta
    """The new chunk."""
    event_kind: Literal['part_delta'] = 'part_delta'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class PartEndEvent(ShortRepr):
    """The end of a part of a response."""

    index: int
    """The index of the part in the response."""
    part: ModelResponsePart
    """The part."""
    next_part_kind: Annotated[PartKind, OpenWord('part_kind')] | None = None
    """The kind of the part after it."""
    canonical_system: Annotated[str | None, left_out()] = None
    """The system that the model belongs to, as `ModelResponse.canonical_system`."""
    event_kind: Literal['part_end'] = 'part_end'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class FinalResultEvent(ShortRepr):
    """The start of the output of the run in a response."""

    tool_name: str | None
    """The output tool; `None` for text."""
    tool_call_id: str | None
    """The id of its call."""
    event_kind: Literal['final_result'] = 'final_result'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class ResponseRestartEvent(ShortRepr):
    """The start of another response: the response streamed so far is void, and parts count from 0.

    It comes only from a `FallbackModel` with `on_partial='restart'` or `'retry'`.
    """

    model_name: str
    """The name of the model that answers now."""
    failed_model_name: str
    """The name of the model whose response broke off."""
    error: str
    """Why it broke off: the type and the text of the error, cut to 500 characters."""
    event_kind: Literal['response_restart'] = 'response_restart'
    """Discriminator of the event."""


_KnownStreamEvent = Annotated[
    Union[PartStartEvent, PartDeltaEvent, PartEndEvent, FinalResultEvent, ResponseRestartEvent],
    Discriminator('event_kind'),
]


@dataclass(repr=False, eq=False)
class ToolCallEvent(ShortRepr):
    """The call of a tool."""

    part: ToolCallPart
    """The call."""
    _: KW_ONLY
    args_valid: bool | None = None
    """Whether the arguments passed validation; `None` if they were not validated."""

    @property
    def tool_call_id(self) -> str:
        """The id of the call."""
        return self.part.tool_call_id


@dataclass(repr=False, eq=False)
class FunctionToolCallEvent(ToolCallEvent):
    """The call of a function tool."""

    event_kind: Literal['function_tool_call'] = 'function_tool_call'
    """Discriminator of the event."""

    @property
    @deprecated('`call_id` is an old name; use `tool_call_id`.')
    def call_id(self) -> str:
        """The old name of `tool_call_id`."""
        return self.part.tool_call_id


@dataclass(repr=False, eq=False)
class OutputToolCallEvent(ToolCallEvent):
    """The call of an output tool."""

    event_kind: Literal['output_tool_call'] = 'output_tool_call'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False)
class ToolResultEvent(ShortRepr):
    """The result of a tool call."""

    part: Union[ToolReturnPart, RetryPromptPart]
    """The part that is sent to the model."""

    @property
    def tool_call_id(self) -> str:
        """The id of the call."""
        return self.part.tool_call_id


@dataclass(repr=False, eq=False, init=False)
class FunctionToolResultEvent(ToolResultEvent):
    """The result of a call of a function tool.

    Raises:
        TypeError: Neither `part` nor `result`, its old name, is passed, or both are; or `result` is, at level 2.
    """

    content: Union[str, Sequence[media.UserContent], None] = None
    """Content that the tool adds to the conversation."""
    event_kind: Literal['function_tool_result'] = 'function_tool_result'
    """Discriminator of the event."""

    def __init__(
        self,
        part: ToolReturnPart | RetryPromptPart | None = None,
        *,
        content: str | Sequence[media.UserContent] | None = None,
        result: ToolReturnPart | RetryPromptPart | None = None,
        event_kind: Literal['function_tool_result'] = 'function_tool_result',  # passed by `dataclasses.replace`
    ) -> None:
        if (part is None) is (result is None) or not (result is None or old.OLD_NAMES_WORK):
            raise TypeError('`FunctionToolResultEvent` takes one part, as `part`: a tool return or a retry prompt.')
        if result is not None:
            warnings.warn('`result` is an old name; use `part`.', DeprecationWarning, stacklevel=2)
        self.part: ToolReturnPart | RetryPromptPart = part or result  # type: ignore[reportAttributeAccessIssue]
        self.content = content
        if not old.OLD_NAMES_WORK:  # as 2.x has it, for what reads the attributes
            self.event_kind = event_kind

    @property
    @deprecated('`result` is an old name; use `part`.')
    def result(self) -> ToolReturnPart | RetryPromptPart:
        """The old name of `part`."""
        return self.part


@dataclass(repr=False, eq=False)
class OutputToolResultEvent(ToolResultEvent):
    """The result of a call of an output tool."""

    event_kind: Literal['output_tool_result'] = 'output_tool_result'
    """Discriminator of the event."""


@deprecated('Native tool calls are `PartStartEvent`s with a `NativeToolCallPart`.')
@dataclass(repr=False, eq=False)
class BuiltinToolCallEvent(DataRecord):
    """The call of a native tool; replaced by part events."""

    part: NativeToolCallPart
    """The call."""
    _: KW_ONLY
    event_kind: Literal['builtin_tool_call'] = 'builtin_tool_call'
    """Discriminator of the event."""


@deprecated('Native tool results are `PartStartEvent`s with a `NativeToolReturnPart`.')
@dataclass(repr=False, eq=False)
class BuiltinToolResultEvent(DataRecord):
    """The result of a call of a native tool; replaced by part events."""

    result: NativeToolReturnPart
    """The result."""
    _: KW_ONLY
    event_kind: Literal['builtin_tool_result'] = 'builtin_tool_result'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class FunctionToolProgressEvent(ShortRepr):
    """A value that a function tool, as a generator, yielded."""

    tool_name: str
    """The tool."""
    tool_call_id: str
    """The id of the call."""
    content: Any
    """The value that it yielded."""
    event_kind: Literal['function_tool_progress'] = 'function_tool_progress'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class EnqueuedMessagesEvent(ShortRepr):
    """Messages that were enqueued, and are part of the conversation from here on."""

    enqueue_id: str
    """The id that `enqueue` returned."""
    messages: tuple[ModelMessage, ...]
    """The messages."""
    parts: tuple[ModelRequestPart, ...] = ()
    """What the next request has of them, if they are parts and not messages."""
    event_kind: Literal['enqueued_messages'] = 'enqueued_messages'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class ToolAvailabilityDeltaEvent(ShortRepr):
    """A change of the tools that the model may call."""

    part: ToolAvailabilityDeltaPart
    """The change."""
    event_kind: Literal['tool_availability_delta'] = 'tool_availability_delta'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class CapabilityLoadDeltaEvent(ShortRepr):
    """The loading of capabilities."""

    part: CapabilityLoadDeltaPart
    """The change."""
    event_kind: Literal['capability_load_delta'] = 'capability_load_delta'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False, kw_only=True)
class ModelSettingsDeltaEvent(ShortRepr):
    """A change of the settings of the model."""

    part: ModelSettingsDeltaPart
    """The change."""
    event_kind: Literal['model_settings_delta'] = 'model_settings_delta'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False)
class DeferredToolRequestsEvent(ShortRepr):
    """Calls that wait for an approval or for a result from elsewhere."""

    requests: DeferredToolRequests
    """The calls."""
    _: KW_ONLY
    event_kind: Literal['deferred_tool_requests'] = 'deferred_tool_requests'
    """Discriminator of the event."""


@dataclass(repr=False, eq=False)
class DeferredToolResultsEvent(ShortRepr):
    """Approvals and results of calls that waited for them."""

    results: DeferredToolResults
    """Those approvals and results."""
    _: KW_ONLY
    event_kind: Literal['deferred_tool_results'] = 'deferred_tool_results'
    """Discriminator of the event."""


_KnownHandleEvent = Annotated[
    Union[
        FunctionToolCallEvent,
        FunctionToolProgressEvent,
        FunctionToolResultEvent,
        ToolAvailabilityDeltaEvent,
        CapabilityLoadDeltaEvent,
        ModelSettingsDeltaEvent,
        DeferredToolRequestsEvent,
        DeferredToolResultsEvent,
        OutputToolCallEvent,
        OutputToolResultEvent,
        BuiltinToolCallEvent,
        BuiltinToolResultEvent,
    ],
    Discriminator('event_kind'),
]


@dataclass(repr=False, eq=False, kw_only=True)
class StreamAttemptEvent(ShortRepr):
    """The start of another attempt: the text streamed so far is not the output.

    Only event handlers of `run_stream(until='end')` receive it.
    """

    attempt: int
    """The number of the attempt, from 2: there is no event for the first one."""
    reason: Literal['retry', 'tool-calls', 'message']
    """The reason: the output was rejected, the response also called tools, or a message was enqueued in the meantime."""
    event_kind: Literal['stream_attempt'] = 'stream_attempt'
    """Discriminator of the event."""


_KnownEvent = Annotated[
    Union[
        _KnownStreamEvent, _KnownHandleEvent, StreamAttemptEvent, EnqueuedMessagesEvent, CustomEvent, CapabilityEvent
    ],
    Discriminator('event_kind'),
]


@cache
def _event_kinds() -> frozenset[str]:
    return kinds_of(_KnownEvent, 'event_kind')


ModelResponseStreamEvent = Annotated[
    Union[_KnownStreamEvent, UnknownEvent], OpenEvent(UnknownEvent, _KnownStreamEvent, _event_kinds)
]
"""An event of a response."""
HandleResponseEvent = Annotated[
    Union[_KnownHandleEvent, UnknownEvent], OpenEvent(UnknownEvent, _KnownHandleEvent, _event_kinds)
]
"""An event of the handling of a response."""
AgentStreamEvent = Annotated[Union[_KnownEvent, UnknownEvent], OpenEvent(UnknownEvent, _KnownEvent, _event_kinds)]
"""An event of a run."""
