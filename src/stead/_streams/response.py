"""`AgentStream`: one response of the model while it comes in, read as events, text, responses or output."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from types import AsyncGeneratorType
from typing import Any, Generic, Protocol, cast

from pydantic import ValidationError

from .._calls.approvals import check_deferral
from .._calls.manager import ToolManager
from .._calls.outputs import (
    OutputValidator,
    output_text,
    process_bare_output,
    process_text_output,
    process_tool_output,
)
from .._contracts.output import OutputDataT
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._kit.debounce import ReadAhead
from .._kit.deep_copy import deep_copy
from .._kit.deprecated import callable_datetime, callable_record, warn_deprecated
from .._kit.unset import UNSET
from ..exceptions import ModelRetry, ToolRetryError, UnexpectedModelBehavior, UserError
from ..messages import (
    BinaryImage,
    FilePart,
    FinalResultEvent,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    ResponseRestartEvent,
    TextPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from ..models import StreamedResponse
from ..models.wrapper import ReplayedStreamedResponse
from ..output import OutputSchema
from ..tools import DeferredToolRequests
from ..usage import RunUsage, UsageLimits, countable
from .growing import CannotGrow, GrowingOutput
from .text import TextReader

NO_RETRY = 'Output validation failed during streaming, and retries are not supported in `run_stream()`'


class RunRules(Protocol):
    """The rules of a run that a response is read by; `GraphAgentDeps` is one."""

    @property
    def output_schema(self) -> OutputSchema[object]:
        """The outputs of the run."""
        ...

    @property
    def output_validators(self) -> list[OutputValidator[Any, Any]]:
        """The functions that check or change an output."""
        ...

    @property
    def max_output_retries(self) -> int:
        """How many times the model may be asked to give its output again."""
        ...

    @property
    def usage_limits(self) -> UsageLimits:
        """What the run may use."""
        ...


def has_content(response: ModelResponse) -> bool:
    """Return whether any part of a response holds something yet."""
    return any(part.has_content() for part in response.parts)


def own_copy(output: OutputDataT) -> OutputDataT:
    """Return a copy of an output that its reader may change; the output itself if it cannot be copied."""
    try:
        return deep_copy(output)
    except Exception:  # anything may be an output, such as a connection
        return output


@dataclass
class AgentStream(Generic[AgentDepsT, OutputDataT]):
    """One response of the model while it comes in.

    Iterate over it for its events. Every way to read it goes on where the last one stopped; the first text or output that
    it yields includes what came before.
    """

    _raw: StreamedResponse
    _run: RunState
    _rules: RunRules
    _context: RunContext[AgentDepsT]
    """The context of the step."""
    _tools: ToolManager[AgentDepsT]
    """The tools of the step."""
    is_replayed: bool = False
    """Whether a hook has answered, without asking the model, and what reads the events of the run is to see that."""
    _events: AsyncIterator[ModelResponseStreamEvent] | None = field(default=None, init=False)
    _counted: bool = field(default=False, init=False)
    """Whether the usage of the run includes the response."""
    _output: OutputDataT = field(default=UNSET, init=False)
    """The output, once the whole response has been validated."""
    _ahead: ReadAhead[ModelResponseStreamEvent] | None = field(default=None, init=False)
    """Reads the events in groups; made for the first reader that wants groups."""
    _restarts: int = field(default=0, init=False)
    """How many times the response had begun again when `_growing` was made."""
    _growing: GrowingOutput | None = field(default=UNSET, init=False)
    """Validates the output while it grows; `None` if it must be validated whole each time."""
    _grown: tuple[Any, int] = field(default=(None, 0), init=False)
    """The call that `_growing` has validated, and how many pieces of its arguments besides."""

    # The response so far

    @property
    def response(self) -> ModelResponse:
        """The response as far as it has come in."""
        return self._raw.get()

    def get(self) -> ModelResponse:
        """Return `response`; the old name."""
        warn_deprecated('`AgentStream.get()` is an old name; use `response`.')
        return self.response

    @property
    def usage(self) -> RunUsage:
        """Usage of the run, including this response as far as its usage is known."""
        return callable_record(self._usage(), 'AgentStream.usage')

    def _usage(self) -> RunUsage:
        usage = self._run.usage
        if self._counted:
            return usage
        usage = copy(usage)
        usage.details = dict(usage.details)
        usage.incr(countable(self._raw.usage))
        return usage

    @property
    def timestamp(self) -> datetime:
        """When the response began."""
        return callable_datetime(self._raw.timestamp, 'AgentStream.timestamp')

    @property
    def run_id(self) -> str:
        """Unique id of the run."""
        return self._run.run_id

    @property
    def conversation_id(self) -> str:
        """Unique id of the conversation."""
        return self._run.conversation_id

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Metadata of the run."""
        return self._run.metadata

    @property
    def cancelled(self) -> bool:
        """Whether the stream was stopped with `cancel`."""
        return self._raw.cancelled

    @property
    def final_result_event(self) -> FinalResultEvent | None:
        """The event that announced the output; `None` before it, and if the response has no output."""
        return self._raw.final_result_event

    async def cancel(self) -> None:
        """Stop the stream and close its connection; the response so far counts as interrupted."""
        await self._raw.cancel()

    def mark_counted(self) -> None:
        """Note that the usage of the run includes the response now."""
        self._counted = True

    def failed_with(self, error: BaseException) -> bool:
        """Return whether an error came from the stream rather than from its reader."""
        return self._raw.failure is error

    # Events

    def replay(self) -> None:
        """Let a response that a hook has answered, or that is recorded, be read as if it came in."""
        self._raw = self.replayed()

    def replayed(self) -> StreamedResponse:
        """Return the response, which is whole, as a stream of its own."""
        return ReplayedStreamedResponse(self._raw.model_request_parameters, self.response)

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Iterate over the events of the response; a second iteration goes on where the first one stopped.

        Raises:
            UsageLimitExceeded: The tokens used so far are more than the run may use, or the response has too many calls.
            AgentRunError: The model failed while it was answering.
        """
        if self._ahead is not None:
            return self._ahead
        if self._events is None:
            limits = self._rules.usage_limits
            limited = limits.has_token_limits()
            self._raw.limit_calls(limits)
            self._events = self._within_limits() if limited else self._raw.__aiter__()
        return self._events

    async def _within_limits(self) -> AsyncIterator[ModelResponseStreamEvent]:
        limits = self._rules.usage_limits
        async for event in self._raw:
            limits.check_tokens(self._usage())
            yield event

    def _read_ahead(self) -> ReadAhead[ModelResponseStreamEvent]:
        if self._ahead is None:
            self._ahead = ReadAhead(self.__aiter__())
        return self._ahead

    async def stop_reading(self) -> None:
        """Close the events, and stop waiting for the next one, which a reader of groups may have left to come."""
        try:
            if self._ahead is not None:
                await self._ahead.close()
        finally:
            if self._events is not None and self._raw.is_open:
                for events in (self._events, self._raw.__aiter__()):
                    # One that is running is closed by its reader, further down the stack or in another task.
                    if isinstance(events, AsyncGeneratorType) and not events.ag_running:
                        await events.aclose()

    async def drain(self) -> None:
        """Read the response to its end."""
        async for _ in self:
            pass

    # Text

    def stream_text(self, *, delta: bool = False, debounce_by: float | None = 0.1) -> AsyncIterator[str]:
        """Yield the text of the response.

        Args:
            delta: Whether to yield the new pieces, as they are; otherwise all text so far, after the output validators.
            debounce_by: Seconds in which pieces are collected and yielded as one; `None` yields each.

        Raises:
            UserError: The output is not text.
        """
        if debounce_by is None:
            return self.texts(delta)
        if isinstance(self._output, str):
            return self._whole_text(self._output)
        return self._grouped_texts(delta, debounce_by)

    async def _whole_text(self, text: str) -> AsyncIterator[str]:
        """Yield the text of a response that was read and validated before."""
        self.check_text()
        yield text

    async def texts(self, delta: bool, then: Callable[[], Awaitable[None]] | None = None) -> AsyncIterator[str]:
        """Yield all text so far, or what is new, with every event that brings some.

        Args:
            delta: Whether to yield what is new.
            then: Called after the last text. A generator around this one would cost as much again for every piece.
        """
        if isinstance(self._output, str):
            self.check_text()
            yield self._output
        else:
            reader = self._text_reader()
            text, validated = reader.before, bool(self._rules.output_validators) and not delta
            if text:
                yield await self.validate_text(text) if validated else text
            async for event in self:
                if type(event) is PartDeltaEvent:  # first: nearly all events bring text
                    if not isinstance(event.delta, TextPartDelta) or not (piece := event.delta.content_delta):
                        continue
                    reader.has_text = True
                elif isinstance(event, ResponseRestartEvent):
                    text, reader = '', TextReader()
                    continue
                elif not (piece := reader.piece(event)):
                    continue
                if delta:
                    yield piece
                else:
                    text += piece
                    yield await self.validate_text(text) if validated else text
        if then is not None:
            await then()

    async def _grouped_texts(self, delta: bool, debounce_by: float) -> AsyncIterator[str]:
        """Yield the text of some time as one: all so far, or what is new."""
        reader = self._text_reader()
        text = ''
        new = [reader.before] if reader.before else []
        ahead = self._read_ahead()
        while (group := await ahead.group(debounce_by, begun=bool(new))) is not None:
            for event in group:
                if not isinstance(event, ResponseRestartEvent):
                    new += filter(None, (reader.piece(event),))
                    continue
                if delta and new:
                    yield ''.join(new)
                text, reader, new = '', TextReader(), []
            if not new:
                continue
            if delta:
                yield ''.join(new)
            else:
                text += ''.join(new)
                yield await self.validate_text(text)
            new = []
        if new:
            text += ''.join(new)
            yield text if delta else await self.validate_text(text)

    def _text_reader(self) -> TextReader:
        self.check_text()
        if self._ahead is not None:
            self._ahead.items.clear()  # the response includes them
        return TextReader(self.response.text or '')

    def check_text(self) -> None:
        """Raise `UserError` if the output is not text."""
        schema = self._rules.output_schema
        if schema.text_processor is None or schema.object_def is not None:
            raise UserError(
                'The output is structured, so there is no text to stream. Use `stream_output`, or read the events.'
            )

    async def validate_text(self, text: str) -> str:
        """Return text that may not be complete yet, after the output validators."""
        validators = self._rules.output_validators
        if not validators:
            return text
        context = self._context.fork(partial_output=True)
        for validator in validators:
            text = await validator.validate(text, context)
        return text

    # Responses and output

    async def stream_response(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[ModelResponse]:
        """Yield the response as it grows; the last one is complete.

        Args:
            debounce_by: Seconds in which changes are collected; `None` yields after each event.
        """
        async for _ in self._moments(debounce_by):
            yield self.response
        yield self.response

    def _moments(self, debounce_by: float | None) -> AsyncIterator[ModelResponseStreamEvent | None]:
        """Iterate over the moments when there is more of the response: the events, `None` where it is not one event alone."""
        response = self.response
        is_open = response.state == 'incomplete'
        if is_open and self._ahead is not None:
            self._ahead.items.clear()  # the response includes them
        if is_open and debounce_by is None and not has_content(response):
            return self.__aiter__()
        return self._moments_from(response if is_open else None, debounce_by)

    async def _moments_from(
        self, response: ModelResponse | None, debounce_by: float | None
    ) -> AsyncIterator[ModelResponseStreamEvent | None]:
        if response is None:
            return
        if has_content(response):
            yield None
        if debounce_by is None:
            async for event in self:
                yield event
        else:
            async for _ in self._read_ahead().groups(debounce_by):
                yield None

    async def stream_responses(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[ModelResponse]:
        """Yield the response as it grows; the old name of `stream_response`."""
        warn_deprecated('`stream_responses` is an old name; use `stream_response`.')
        async for response in self.stream_response(debounce_by=debounce_by):
            yield response

    async def stream_output(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[OutputDataT]:
        """Yield the output as it grows, whenever it is valid so far, and then the whole output.

        Args:
            debounce_by: Seconds in which changes are collected; `None` validates after each event.

        Raises:
            UnexpectedModelBehavior: The whole output is not valid.
        """
        last, grown = None, False
        async for event in self._moments(debounce_by):
            if self._raw.final_result_event is None or (grown and type(event) is PartEndEvent):
                continue
            try:
                if (change := self._growth(event)) is not None:
                    grown = True
                    if change and (output := await self._grown_output(change, event.index)) is not UNSET:  # type: ignore[union-attr]
                        yield output
                    continue
                response, grown = self.response, False
                if response.state != 'incomplete':
                    break
                if response.parts != last:
                    last = response.parts
                    yield await self.partial_output(response)
            except (ValidationError, ModelRetry, ToolRetryError):
                continue
        yield await self.get_output()

    def _growth(self, event: ModelResponseStreamEvent | None) -> str | None:
        """Return what an event adds to the JSON of the output that is being validated; `None` if it does something else.

        The response is not put together for it, and its text not joined: both take longer the longer the response is.
        """
        call, seen = self._grown
        if (
            not self._growing
            or call is None
            or type(event) is not PartDeltaEvent
            or type(event.delta) is not ToolCallPartDelta
            or event.delta.tool_call_id != call.tool_call_id
            or self._raw.cancelled
            or (parts := self._raw.growing_parts) is None
        ):
            return None
        part, pieces = parts.grown(event.index)
        if part is not call:
            return None
        self._grown = part, len(pieces)
        return ''.join(pieces[seen:])

    async def _grown_output(self, change: str, index: int) -> OutputDataT:
        """Return the output so far, of which only what is new is validated; errors as for `partial_output`.

        Returns:
            The output; `UNSET` if it is known without validation that it is not valid yet.
        """
        assert self._growing, 'it has been found that the output grows'
        try:
            value = self._growing.validate_more(change)
        except CannotGrow:
            self._growing = None
            return await self.partial_output(self.response)
        if value is UNSET or self._growing.is_output:
            return value
        parts = self._raw.growing_parts
        assert parts is not None, 'the output grows there'
        call = parts.part_at(index)
        self._grown = call, 0
        return await self._processed(call, value)

    async def partial_output(self, response: ModelResponse) -> OutputDataT:
        """Return the output so far; where the type allows it, only the new part is validated.

        Args:
            response: The response so far.

        Raises:
            ValidationError: The output so far is not valid, or not yet.
            ModelRetry: An output function or validator objects.
            ToolRetryError: Likewise, where the output is text.
        """
        schema, chain, final = self._rules.output_schema, self._tools.chain, self._raw.final_result_event
        tool_name = final.tool_name if final is not None else None
        if self._restarts != self._raw.restarts:
            self._restarts, self._growing = self._raw.restarts, UNSET
        if self._growing is UNSET:
            processor = schema.toolset.processors.get(tool_name) if schema.toolset and tool_name else None
            context = self._context.validation_context
            further = bool(schema.toolset and (chain.output_process or schema.toolset.output_validators))
            self._growing = None if chain.output_validate else GrowingOutput.of(processor, context, further=further)
        for call in response.tool_calls:
            if call.tool_name == tool_name:
                break
        else:
            call = None
        if self._growing is None or call is None or not isinstance(call.args, str) or not call.args:
            return await self.validate_response_output(response, allow_partial=True)
        self._grown = call, 0
        try:
            value = self._growing.validate(call.args)
        except CannotGrow:
            self._growing = None
            return await self.validate_response_output(response, allow_partial=True)
        return await self._processed(call, value)

    async def _processed(self, call: ToolCallPart, value: object) -> OutputDataT:
        """Return what happens to the validated arguments of an output tool, as far as they have come."""
        definition = self._tools.get_tool_def(call.tool_name)
        assert definition is not None, 'an output tool has a definition'
        context = self._tools.call_context(call, self._tools.find(call.tool_name), partial_output=True)
        return await process_tool_output(call, definition, value, self._rules.output_schema, context, self._tools)

    def _output_context(self, *, partial: bool) -> RunContext[AgentDepsT]:
        return self._context.fork(
            retry=self._run.output_retries_used, max_retries=self._rules.max_output_retries, partial_output=partial
        )

    async def get_output(self) -> OutputDataT:
        """Read the response to its end and return the output; each call returns a copy of its own, if it can be copied.

        Raises:
            UnexpectedModelBehavior: The output is not valid, or there is none.
            UserError: A call waits for an approval or an external result, and the output type does not allow that.
        """
        if self._output is UNSET:
            await self.drain()
            await self.output_of(self.response)
        return own_copy(self._output)

    async def output_of(self, response: ModelResponse) -> OutputDataT:
        """Return the output of the whole response; it is validated once.

        Args:
            response: The response, read to its end.

        Raises:
            UnexpectedModelBehavior: The output is not valid, or there is none.
        """
        if self._output is UNSET:
            try:
                self._output = await self.validate_response_output(response)
            except (ValidationError, ModelRetry, ToolRetryError) as error:
                raise UnexpectedModelBehavior(NO_RETRY) from error
        return self._output

    async def validate_response_output(self, message: ModelResponse, *, allow_partial: bool = False) -> OutputDataT:
        """Return the output that a response holds.

        Args:
            message: The response.
            allow_partial: Whether it may be incomplete; the part so far is then validated.

        Raises:
            UnexpectedModelBehavior: The response holds no output.
            UserError: A call waits for an approval or an external result, and the output type does not allow that.
            ValidationError: The output is not valid.
            ModelRetry: An output function or validator objects.
        """
        schema, chain, final = self._rules.output_schema, self._tools.chain, self._raw.final_result_event
        for call in message.tool_calls:
            if call.tool_name == final.tool_name if final is not None else self._is_output(call.tool_name):
                return await self._tools.handle_output_tool_call(
                    call, schema=schema, allow_partial=allow_partial, wrap_validation_errors=False
                )
        if final is not None and final.tool_name is not None:
            raise UnexpectedModelBehavior(f'Invalid response, unable to find tool call for {final.tool_name!r}')
        if (requests := self._deferred_requests(message)) is not None:
            check_deferral(requests, schema, 'use `run` or `run_stream(until="end")` with `HandleDeferredToolCalls`')
            return cast(OutputDataT, requests)
        context, validators = self._output_context(partial=allow_partial), self._rules.output_validators
        if schema.allows_image:
            for part in message.parts:
                if isinstance(part, FilePart) and isinstance(part.content, BinaryImage):
                    return await process_bare_output(part.content, 'image', schema, context, chain, validators)
        if schema.text_processor is not None:
            return await process_text_output(
                output_text(message), schema, context, chain, validators, allow_partial=allow_partial
            )
        raise UnexpectedModelBehavior('Invalid response, unable to process text output')

    def _is_output(self, tool_name: str) -> bool:
        definition = self._tools.get_tool_def(tool_name)
        return definition is not None and definition.kind == 'output'

    def _deferred_requests(self, message: ModelResponse) -> DeferredToolRequests | None:
        requests = DeferredToolRequests()
        for call in message.tool_calls:
            definition = self._tools.get_tool_def(call.tool_name)
            if definition is not None and definition.defer:
                (requests.calls if definition.kind == 'external' else requests.approvals).append(call)
        return requests if requests.calls or requests.approvals else None
