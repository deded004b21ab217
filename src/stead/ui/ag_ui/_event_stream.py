"""The events of a run as events of AG-UI."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic
from uuid import uuid4

from ag_ui.core import (
    BaseEvent,
    CustomEvent as AGUICustomEvent,
    ReasoningEncryptedValueEvent,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder
from pydantic_core import from_json

from ..._contracts.run_context import AgentDepsT
from ..._kit.json_types import JsonObject
from ..._kit.well_formed import well_formed_data
from ...messages import (
    CustomEvent,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
    retry_text,
)
from ...output import OutputDataT
from ...run import AgentRunResultEvent
from .._event_stream import SSE_CONTENT_TYPE, NativeEvent, ToolEventStream
from .._inner import asked_about
from .._shown import shown_event, shown_result
from ._interrupts import interrupts_of
from ._version import (
    DECLARED,
    DEFAULT_AG_UI_VERSION,
    INTERRUPTS,
    NATIVE_CALL,
    REASONING,
    ThinkingEvent,
    version_of,
)


@dataclass
class AGUIEventStream(
    ToolEventStream[RunAgentInput, BaseEvent, AgentDepsT, OutputDataT], Generic[AgentDepsT, OutputDataT]
):
    """The stream of events of AG-UI for one run.

    Tools send events of their own, such as a `StateSnapshotEvent`, as `ToolReturn(..., metadata=event)` or as a list of them,
    and while they run by yielding them.

    Raises:
        UserError: `ag_ui_version` is not a version.
    """

    _event_class = BaseEvent

    ag_ui_version: str = DEFAULT_AG_UI_VERSION
    """The version of the protocol that the interface speaks."""
    accept_edited_args: bool = False
    """Whether answers to interrupts may change the arguments of a call; see `AGUIAdapter`."""
    _use_reasoning: bool = field(default=False, init=False)
    _reasoning_message_id: str | None = None
    _reasoning_started: bool = False
    _reasoning_text: bool = False
    _builtin_tool_call_ids: dict[str, str] = field(default_factory=dict[str, str])
    _error: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._version = version_of(self.ag_ui_version)
        self._use_reasoning = self._version >= REASONING
        self._unfinished_calls: list[str] = []
        self._interrupts: list[JsonObject] = []
        self._encoder = EventEncoder(accept=self.accept or SSE_CONTENT_TYPE)

    @property
    def content_type(self) -> str:
        """The content type of the response."""
        return self._encoder.get_content_type()

    def encode_event(self, event: BaseEvent) -> str:
        """Return an event as a server-sent event, whatever text is in it."""
        try:
            return self._encoder.encode(event)
        except ValueError:  # halves of surrogate pairs, which cannot be written as UTF-8
            data = well_formed_data(event.model_dump(by_alias=True, exclude_none=True))
            return f'data: {json.dumps(data, ensure_ascii=False, default=str)}\n\n'

    async def handle_event(self, event: NativeEvent) -> AsyncIterator[BaseEvent]:
        """Yield the events for an event of the run, with the time."""
        async for out in super().handle_event(event):
            if out.timestamp is None:
                out.timestamp = _now()
            yield out

    async def before_stream(self) -> AsyncIterator[BaseEvent]:
        """Yield the start of the run."""
        start = self._run_fields()
        if self._version >= DECLARED:
            start['protocolVersion'] = '.'.join(map(str, DECLARED))
        yield RunStartedEvent.model_validate(start)

    async def before_response(self) -> AsyncIterator[BaseEvent]:
        """Start a message."""
        self.new_message_id()
        return
        yield

    async def after_stream(self) -> AsyncIterator[BaseEvent]:
        """Yield the end of the run, unless it failed, and what it waits for."""
        if not self._error:
            end = self._run_fields()
            if self._interrupts:
                end['outcome'] = {'type': 'interrupt', 'interrupts': self._interrupts}
            yield RunFinishedEvent.model_validate(end)

    def _run_fields(self) -> JsonObject:
        # The names of JSON: older versions of the package keep fields that they do not know as they are.
        return {'timestamp': _now(), 'threadId': self.run_input.thread_id, 'runId': self.run_input.run_id}

    async def handle_run_result(self, event: AgentRunResultEvent[Any]) -> AsyncIterator[BaseEvent]:
        """Yield the calls inside of others that wait for an approval. The end of the run asks about all that do."""
        asked = await asked_about(event.result, self.journal) if self._version >= INTERRUPTS else []
        for one in asked:
            if one.is_inner:
                async for start in self._call_start(one.call, one.call.tool_call_id):
                    yield start
                yield ToolCallEndEvent(tool_call_id=one.call.tool_call_id)
        self._interrupts = interrupts_of(asked, self.asker, self.accept_edited_args)

    async def handle_custom_event(self, event: CustomEvent) -> AsyncIterator[BaseEvent]:
        """Yield an event of the program, with its name and its values."""
        yield AGUICustomEvent(name=event.name, value=shown_event(event))

    async def on_error(self, error: Exception) -> AsyncIterator[BaseEvent]:
        """Yield the error, with its text. Override this if errors of tools may contain what users must not see."""
        self._error = True
        yield RunErrorEvent(timestamp=_now(), message=str(error))

    async def handle_text_start(self, part: TextPart, follows_text: bool = False) -> AsyncIterator[BaseEvent]:
        """Yield the start of a message, or more of the one before."""
        if not follows_text:
            yield TextMessageStartEvent(message_id=self.new_message_id(), role='assistant')
        if part.content:
            yield TextMessageContentEvent(message_id=self.message_id, delta=part.content)

    async def handle_text_delta(self, delta: TextPartDelta) -> AsyncIterator[BaseEvent]:
        """Yield more of a message, unless the delta is empty."""
        if delta.content_delta:
            yield TextMessageContentEvent(message_id=self.message_id, delta=delta.content_delta)

    async def handle_text_end(self, part: TextPart, followed_by_text: bool = False) -> AsyncIterator[BaseEvent]:
        """Yield the end of a message, unless it continues."""
        if not followed_by_text:
            yield TextMessageEndEvent(message_id=self.message_id)

    async def handle_thinking_start(
        self, part: ThinkingPart, follows_thinking: bool = False
    ) -> AsyncIterator[BaseEvent]:
        """Start a span of reasoning; it is an event when there is content."""
        self._reasoning_message_id = str(uuid4())
        self._reasoning_started = self._reasoning_text = False
        for event in self._reasoning_content(part.content):
            yield event

    async def handle_thinking_delta(self, delta: ThinkingPartDelta) -> AsyncIterator[BaseEvent]:
        """Yield more reasoning."""
        for event in self._reasoning_content(delta.content_delta):
            yield event

    async def handle_thinking_end(
        self, part: ThinkingPart, followed_by_thinking: bool = False
    ) -> AsyncIterator[BaseEvent]:
        """Yield the end of a span of reasoning, with the signature of the provider, if there is one."""
        if not self._use_reasoning:
            if self._reasoning_started:
                yield ThinkingEvent(type='THINKING_TEXT_MESSAGE_END')
                yield ThinkingEvent(type='THINKING_END')
            return
        id = self._reasoning_message_id or str(uuid4())
        if self._reasoning_text:
            yield ReasoningMessageEndEvent(message_id=id)
        if sealed := sealed_thinking(part):
            if not self._reasoning_started:
                self._reasoning_started = True
                yield ReasoningStartEvent(message_id=id)
            yield ReasoningEncryptedValueEvent(subtype='message', entity_id=id, encrypted_value=sealed)
        if self._reasoning_started:
            yield ReasoningEndEvent(message_id=id)

    def _reasoning_content(self, content: str | None) -> Iterator[BaseEvent]:
        if not content:
            return
        id = self._reasoning_message_id or str(uuid4())
        if not self._reasoning_started:
            yield ReasoningStartEvent(message_id=id) if self._use_reasoning else ThinkingEvent(type='THINKING_START')
        if not self._reasoning_text:
            if self._use_reasoning:
                yield ReasoningMessageStartEvent(message_id=id, role='reasoning')
            else:
                yield ThinkingEvent(type='THINKING_TEXT_MESSAGE_START')
        self._reasoning_started = self._reasoning_text = True
        if self._use_reasoning:
            yield ReasoningMessageContentEvent(message_id=id, delta=content)
        else:
            yield ThinkingEvent(type='THINKING_TEXT_MESSAGE_CONTENT', delta=content)

    def handle_tool_call_start(self, part: ToolCallPart) -> AsyncIterator[BaseEvent]:
        """Yield the start of a tool call."""
        return self._call_start(part, part.tool_call_id)

    def handle_builtin_tool_call_start(self, part: NativeToolCallPart) -> AsyncIterator[BaseEvent]:
        """Yield the start of a call that the provider executes; its id says so."""
        id = native_call_id(part.provider_name, part.tool_call_id)
        self._builtin_tool_call_ids[part.tool_call_id] = id
        return self._call_start(part, id)

    async def _call_start(self, part: ToolCallPart | NativeToolCallPart, id: str) -> AsyncIterator[BaseEvent]:
        yield ToolCallStartEvent(tool_call_id=id, tool_call_name=part.tool_name, parent_message_id=self.message_id)
        if part.args:
            yield ToolCallArgsEvent(tool_call_id=id, delta=part.args_as_json_str())

    def _args_event(self, id: str, args: str | dict[str, Any]) -> BaseEvent:
        more = args if isinstance(args, str) else json.dumps(args)
        return ToolCallArgsEvent(tool_call_id=self._builtin_tool_call_ids.get(id, id), delta=more)

    async def handle_tool_call_end(self, part: ToolCallPart) -> AsyncIterator[BaseEvent]:
        """Yield the end of a tool call; if its arguments are incomplete, they may continue after the start of another call."""
        if _is_complete(part):
            yield ToolCallEndEvent(tool_call_id=part.tool_call_id)
        else:
            self._unfinished_calls.append(part.tool_call_id)

    async def after_response(self) -> AsyncIterator[BaseEvent]:
        """Yield the ends of tool calls whose arguments were incomplete when another call started."""
        for id in self._unfinished_calls:
            yield ToolCallEndEvent(timestamp=_now(), tool_call_id=id)
        self._unfinished_calls = []

    async def handle_builtin_tool_call_end(self, part: NativeToolCallPart) -> AsyncIterator[BaseEvent]:
        """Yield the end of a call that the provider executes."""
        yield ToolCallEndEvent(tool_call_id=self._native_id(part))

    async def handle_builtin_tool_return(self, part: NativeToolReturnPart) -> AsyncIterator[BaseEvent]:
        """Yield the result of a call that the provider executed; the message continues after it."""
        yield self._result_event(self._native_id(part), shown_result(part), str(uuid4()))

    def _result_events(self, part: ToolReturnPart | RetryPromptPart) -> Iterator[BaseEvent]:
        content = (
            shown_result(part) if isinstance(part, ToolReturnPart) and part.outcome != 'retried' else retry_text(part)
        )
        yield self._result_event(part.tool_call_id, content, self.new_message_id())

    def _result_event(self, id: str, content: str, message_id: str) -> BaseEvent:
        return ToolCallResultEvent(message_id=message_id, tool_call_id=id, content=content, role='tool')

    def _native_id(self, part: NativeToolCallPart | NativeToolReturnPart) -> str:
        own = native_call_id(part.provider_name, part.tool_call_id)
        return self._builtin_tool_call_ids.get(part.tool_call_id, own)


def _is_complete(part: ToolCallPart) -> bool:
    if not isinstance(part.args, str) or not part.args:
        return True
    try:
        from_json(part.args)
    except ValueError:
        return False
    return True


def native_call_id(provider_name: str | None, tool_call_id: str) -> str:
    """Return the id of a call that the provider executes, as interfaces get it."""
    return f'{NATIVE_CALL}|{provider_name or ""}|{tool_call_id}'


def sealed_thinking(part: ThinkingPart) -> str | None:
    """Return what a provider needs to take its thinking back, as JSON that interfaces only keep; `None` if that is nothing."""
    values: Mapping[str, Any] = {
        'id': part.id,
        'signature': part.signature,
        'provider_name': part.provider_name,
        'provider_details': part.provider_details,
    }
    kept = {key: value for key, value in values.items() if value is not None}
    return json.dumps(kept, default=str) if kept else None


def _now() -> int:
    return int(time.time() * 1000)
