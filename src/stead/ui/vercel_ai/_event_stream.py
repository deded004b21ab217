"""The events of a run as chunks of the Vercel AI SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, Literal, cast

from ..._contracts.run_context import AgentDepsT
from ..._kit.well_formed import arguments_that_run
from ...messages import (
    CustomEvent,
    FilePart,
    FunctionToolCallEvent,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    OutputToolCallEvent,
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
from .._event_stream import INTERRUPTED, ToolEventStream
from .._inner import asked_about
from .._shown import shown_event, shown_value
from ._models import OWN, metadata_of, part_metadata
from .request_types import RequestData
from .response_types import (
    BaseChunk,
    DataChunk,
    DoneChunk,
    ErrorChunk,
    FileChunk,
    FinishChunk,
    FinishReason,
    FinishStepChunk,
    MessageMetadataChunk,
    ReasoningDeltaChunk,
    ReasoningEndChunk,
    ReasoningStartChunk,
    StartChunk,
    StartStepChunk,
    TextDeltaChunk,
    TextEndChunk,
    TextStartChunk,
    ToolApprovalRequestChunk,
    ToolInputAvailableChunk,
    ToolInputDeltaChunk,
    ToolInputErrorChunk,
    ToolInputStartChunk,
    ToolOutputAvailableChunk,
    ToolOutputDeniedChunk,
    ToolOutputErrorChunk,
)

_REASONS: dict[str, FinishReason] = {
    'stop': 'stop',
    'length': 'length',
    'content_filter': 'content-filter',
    'tool_call': 'tool-calls',
    'error': 'error',
}


@dataclass
class VercelAIEventStream(
    ToolEventStream[RequestData, BaseChunk, AgentDepsT, OutputDataT], Generic[AgentDepsT, OutputDataT]
):
    """The stream of chunks of the Vercel AI SDK for one run.

    Tools send chunks of their own, such as a `DataChunk`, as `ToolReturn(..., metadata=chunk)` or as a list of them, and while
    they run by yielding them.
    """

    _event_class = BaseChunk

    _: KW_ONLY
    sdk_version: Literal[5, 6] = 5
    """The version of the SDK. Since 6 it knows approvals, calls that were denied, and arguments that are invalid."""
    server_message_id: str | None = None
    """The id of the message, if the server gives it one."""
    _step_started: bool = False
    _finish_reason: FinishReason = None
    _invalidated_tool_calls: dict[str, ToolCallPart] = field(default_factory=dict[str, ToolCallPart])
    _streamed_call_parts: dict[str, ToolCallPart] = field(default_factory=dict[str, ToolCallPart])

    @property
    def response_headers(self) -> Mapping[str, str] | None:
        """The header that tells the SDK the protocol."""
        return {'x-vercel-ai-ui-message-stream': 'v1'}

    def encode_event(self, event: BaseChunk) -> str:
        """Return a chunk as a server-sent event."""
        return f'data: {event.encode(self.sdk_version)}\n\n'

    async def before_stream(self) -> AsyncIterator[BaseChunk]:
        """Yield the start of the answer."""
        yield StartChunk(message_id=self.server_message_id)

    async def before_response(self) -> AsyncIterator[BaseChunk]:
        """Yield the start of a step, which ends with the results of its calls."""
        if self._step_started:
            yield FinishStepChunk()
        self._step_started = True
        yield StartStepChunk()

    async def after_stream(self) -> AsyncIterator[BaseChunk]:
        """Yield the end of the answer."""
        yield FinishStepChunk()
        yield FinishChunk(finish_reason=self._finish_reason)
        yield DoneChunk()

    async def handle_custom_event(self, event: CustomEvent) -> AsyncIterator[BaseChunk]:
        """Yield an event of the program as data with its name."""
        yield DataChunk(type=f'data-{event.name}', data=shown_event(event))

    async def on_error(self, error: Exception) -> AsyncIterator[BaseChunk]:
        """Yield the error, with its text. Override this if errors of tools may contain what users must not see."""
        self._finish_reason = 'error'
        yield ErrorChunk(error_text=str(error))

    async def handle_run_result(self, event: AgentRunResultEvent[Any]) -> AsyncIterator[BaseChunk]:
        """Yield when the answer was made, and the questions about calls that wait for an approval."""
        response = event.result.response
        self._finish_reason = _REASONS.get(response.finish_reason or '')
        yield MessageMetadataChunk(message_metadata={OWN: {'timestamp': response.timestamp}})
        asked = await asked_about(event.result, self.journal) if self.sdk_version >= 6 else []
        inner = [one.call for one in asked if one.is_inner]
        if inner:  # in a step of their own: the SDK sends answers when all calls of the last step have one
            async for chunk in self.before_response():
                yield chunk
        for call in inner:
            yield ToolInputStartChunk(tool_call_id=call.tool_call_id, tool_name=call.tool_name)
            yield self._available(call, None)
        for call, run_id, definition, _ in asked:
            question = self.asker.question(call, run_id, definition)
            yield ToolApprovalRequestChunk(approval_id=question, tool_call_id=call.tool_call_id)

    async def handle_text_start(self, part: TextPart, follows_text: bool = False) -> AsyncIterator[BaseChunk]:
        """Yield the start of text, or more of the text before."""
        metadata = part_metadata(part)
        if not follows_text:
            yield TextStartChunk(id=self.new_message_id(), provider_metadata=metadata)
        if part.content:
            yield TextDeltaChunk(id=self.message_id, delta=part.content, provider_metadata=metadata)

    async def handle_text_delta(self, delta: TextPartDelta) -> AsyncIterator[BaseChunk]:
        """Yield more text; empty deltas are left out."""
        if delta.content_delta:
            metadata = metadata_of(provider_name=delta.provider_name, provider_details=delta.provider_details)
            yield TextDeltaChunk(id=self.message_id, delta=delta.content_delta, provider_metadata=metadata)

    async def handle_text_end(self, part: TextPart, followed_by_text: bool = False) -> AsyncIterator[BaseChunk]:
        """Yield the end of text, unless it continues."""
        if not followed_by_text:
            yield TextEndChunk(id=self.message_id, provider_metadata=part_metadata(part))

    async def handle_thinking_start(
        self, part: ThinkingPart, follows_thinking: bool = False
    ) -> AsyncIterator[BaseChunk]:
        """Yield the start of thinking."""
        metadata = part_metadata(part)
        yield ReasoningStartChunk(id=self.new_message_id(), provider_metadata=metadata)
        if part.content:
            yield ReasoningDeltaChunk(id=self.message_id, delta=part.content, provider_metadata=metadata)

    async def handle_thinking_delta(self, delta: ThinkingPartDelta) -> AsyncIterator[BaseChunk]:
        """Yield more thinking."""
        if delta.content_delta:
            details = None if callable(delta.provider_details) else delta.provider_details
            metadata = metadata_of(
                provider_name=delta.provider_name, signature=delta.signature_delta, provider_details=details
            )
            yield ReasoningDeltaChunk(id=self.message_id, delta=delta.content_delta, provider_metadata=metadata)

    async def handle_thinking_end(
        self, part: ThinkingPart, followed_by_thinking: bool = False
    ) -> AsyncIterator[BaseChunk]:
        """Yield the end of thinking."""
        yield ReasoningEndChunk(id=self.message_id, provider_metadata=part_metadata(part))

    def handle_tool_call_start(self, part: ToolCallPart) -> AsyncIterator[BaseChunk]:
        """Yield the start of a tool call."""
        return self._call_start(part, None)

    def handle_builtin_tool_call_start(self, part: NativeToolCallPart) -> AsyncIterator[BaseChunk]:
        """Yield the start of a call that the provider executes."""
        return self._call_start(part, True)

    async def _call_start(
        self, part: ToolCallPart | NativeToolCallPart, provider_executed: bool | None
    ) -> AsyncIterator[BaseChunk]:
        id = part.tool_call_id
        yield ToolInputStartChunk(
            tool_call_id=id,
            tool_name=part.tool_name,
            provider_executed=provider_executed,
            provider_metadata=part_metadata(part),
        )
        if part.args:
            yield ToolInputDeltaChunk(tool_call_id=id, input_text_delta=part.args_as_json_str())

    def _args_event(self, id: str, args: str | dict[str, Any]) -> BaseChunk:
        text = args if isinstance(args, str) else ToolCallPart('', args).args_as_json_str()
        return ToolInputDeltaChunk(tool_call_id=id, input_text_delta=text)

    async def handle_tool_call_end(self, part: ToolCallPart) -> AsyncIterator[BaseChunk]:
        """Remember the call until an event says whether its arguments are valid, or its result comes."""
        self._streamed_call_parts[part.tool_call_id] = part
        return
        yield

    async def _break_off(self, part: ModelResponsePart | None) -> AsyncIterator[BaseChunk]:
        """End the part that is open when the run fails, and calls that have come in and will not be made."""
        calls = dict.fromkeys(self._streamed_call_parts)
        if isinstance(part, (ToolCallPart, NativeToolCallPart)):
            calls[part.tool_call_id] = None
            self._open_part = None
        async for chunk in super()._break_off(part):
            yield chunk
        if self._final_result_event is not None:  # of which the base class takes care
            calls.pop(self._final_result_event.tool_call_id or '', None)
        for id in calls:
            self._streamed_call_parts.pop(id, None)
            yield ToolOutputErrorChunk(tool_call_id=id, error_text=INTERRUPTED)

    async def handle_builtin_tool_call_end(self, part: NativeToolCallPart) -> AsyncIterator[BaseChunk]:
        """Yield a call that the provider executes."""
        yield self._available(part, True)

    async def handle_builtin_tool_return(self, part: NativeToolReturnPart) -> AsyncIterator[BaseChunk]:
        """Yield the result of a call that the provider executed."""
        id = part.tool_call_id
        if part.outcome == 'failed':
            yield ToolOutputErrorChunk(tool_call_id=id, error_text=part.model_response_str(wrap_if_error=False))
        elif part.outcome == 'denied' and self.sdk_version >= 6:
            yield ToolOutputDeniedChunk(tool_call_id=id)
        else:
            yield ToolOutputAvailableChunk(tool_call_id=id, output=shown_value(part), provider_executed=True)

    async def handle_file(self, part: FilePart) -> AsyncIterator[BaseChunk]:
        """Yield a file."""
        yield FileChunk(url=part.content.data_uri, media_type=part.content.media_type)

    async def handle_function_tool_call(self, event: FunctionToolCallEvent) -> AsyncIterator[BaseChunk]:
        """Yield a call, if its arguments are valid."""
        for chunk in self._called(event):
            yield chunk

    async def handle_output_tool_call(self, event: OutputToolCallEvent) -> AsyncIterator[BaseChunk]:
        """Yield a call of an output tool, if its arguments are valid."""
        for chunk in self._called(event):
            yield chunk

    def _available(self, part: ToolCallPart | NativeToolCallPart, provider_executed: bool | None) -> BaseChunk:
        return ToolInputAvailableChunk(
            tool_call_id=part.tool_call_id,
            tool_name=part.tool_name,
            input=arguments_that_run(part),
            provider_executed=provider_executed,
            provider_metadata=part_metadata(part),
        )

    def _called(self, event: FunctionToolCallEvent | OutputToolCallEvent) -> Iterator[BaseChunk]:
        self._streamed_call_parts.pop(event.tool_call_id, None)
        if event.args_valid is False and self.sdk_version >= 6:
            self._invalidated_tool_calls[event.tool_call_id] = event.part
        elif event.args_valid is not None:
            yield self._available(event.part, None)

    def _result_events(self, part: ToolReturnPart | RetryPromptPart) -> Iterator[BaseChunk]:
        id = part.tool_call_id
        if (streamed := self._streamed_call_parts.pop(id, None)) is not None:  # no event said that it was called
            yield self._available(streamed, None)
        error = retry_text(part) if isinstance(part, RetryPromptPart) or part.outcome == 'retried' else None
        if isinstance(part, ToolReturnPart) and part.outcome == 'failed':
            error = part.model_response_str(wrap_if_error=False)
        if (call := self._invalidated_tool_calls.pop(id, None)) is not None:
            text = error if error is not None else cast(ToolReturnPart, part).model_response_str(wrap_if_error=False)
            yield ToolInputErrorChunk(
                tool_call_id=id,
                tool_name=call.tool_name,
                input=call.args_as_dict(),
                provider_metadata=part_metadata(call),
                error_text=text,
            )
        elif error is not None:
            yield ToolOutputErrorChunk(tool_call_id=id, error_text=error)
        elif isinstance(part, ToolReturnPart):
            if part.outcome == 'denied' and self.sdk_version >= 6:
                yield ToolOutputDeniedChunk(tool_call_id=id)
            else:
                yield ToolOutputAvailableChunk(tool_call_id=id, output=shown_value(part))
