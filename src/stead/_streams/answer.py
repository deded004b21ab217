"""`Answer`: the text and the output of one response, validated while it comes in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
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
from .._kit.unset import UNSET
from ..exceptions import ModelRetry, ToolRetryError, UnexpectedModelBehavior, UserError
from ..messages import (
    AgentStreamEvent,
    ModelResponse,
    PartDeltaEvent,
    ToolCallPart,
    ToolCallPartDelta,
)
from ..models import StreamedResponse
from ..output import OutputSchema
from ..tools import DeferredToolRequests
from ..usage import UsageLimits
from .growing import CannotGrow, GrowingOutput

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

    @property
    def around(self) -> Callable[[], AbstractContextManager[None]]:
        """Is around what the run calls."""
        ...


@dataclass(eq=False)
class Answer(Generic[AgentDepsT, OutputDataT]):
    """The text and the output of one response, validated while it comes in."""

    raw: StreamedResponse
    run: RunState
    rules: RunRules
    context: RunContext[AgentDepsT]
    """The context of the step."""
    tools: ToolManager[AgentDepsT]
    """The tools of the step."""
    output: OutputDataT = field(default=UNSET, init=False)
    """The output, once the whole response has been validated."""
    _restarts: int = field(default=0, init=False)
    """How many times the response had started again when `_growing` was made."""
    _growing: GrowingOutput | None = field(default=UNSET, init=False)
    """Validates the output while it grows; `None` if it must be validated whole each time."""
    _grown: tuple[Any, int] = field(default=(None, 0), init=False)
    """The call that `_growing` has validated, and how many pieces of its arguments."""

    def check_text(self) -> None:
        """Raise `UserError` if the output is not text."""
        schema = self.rules.output_schema
        if schema.text_processor is None or schema.object_def is not None:
            raise UserError(
                'The output is structured, so there is no text to stream. Use `stream_output`, or read the events.'
            )

    @property
    def validates_text(self) -> bool:
        """Whether `validate_text` does anything."""
        return bool(self.rules.output_validators)

    async def validate_text(self, text: str) -> str:
        """Return text that may not be complete yet, after the output validators."""
        validators = self.rules.output_validators
        if not validators:
            return text
        context = self.context.fork(partial_output=True)
        for validator in validators:
            text = await validator.validate(text, context)
        return text

    def growth(self, event: AgentStreamEvent | None) -> str | None:
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
            or self.raw.cancelled
            or (parts := self.raw.growing_parts) is None
        ):
            return None
        part, pieces = parts.grown(event.index)
        if part is not call:
            return None
        self._grown = part, len(pieces)
        return ''.join(pieces[seen:])

    async def grown(self, change: str, index: int) -> OutputDataT:
        """Return the output so far, of which only what is new is validated; errors as for `so_far`.

        Returns:
            The output; `UNSET` if it is known without validation that it is not valid yet.
        """
        assert self._growing, 'it has been found that the output grows'
        try:
            value = self._growing.validate_more(change)
        except CannotGrow:
            self._growing = None
            return await self.so_far(self.raw.get())
        if value is UNSET or self._growing.is_output:
            return value
        parts = self.raw.growing_parts
        assert parts is not None, 'the output grows there'
        call = parts.part_at(index)
        self._grown = call, 0
        return await self._processed(call, value)

    async def so_far(self, response: ModelResponse) -> OutputDataT:
        """Return the output so far; where the type allows it, only the new part is validated.

        Args:
            response: The response so far.

        Raises:
            ValidationError: The output so far is not valid, or not yet.
            ModelRetry: An output function or validator objects.
            ToolRetryError: Likewise, where the output is text.
        """
        schema, chain, final = self.rules.output_schema, self.tools.chain, self.raw.final_result_event
        tool_name = final.tool_name if final is not None else None
        if self._restarts != self.raw.restarts:
            self._restarts, self._growing = self.raw.restarts, UNSET
        if self._growing is UNSET:
            processor = schema.toolset.processors.get(tool_name) if schema.toolset and tool_name else None
            context = self.context.validation_context
            further = bool(schema.toolset and (chain.output_process or schema.toolset.output_validators))
            self._growing = None if chain.output_validate else GrowingOutput.of(processor, context, further=further)
        for call in response.tool_calls:
            if call.tool_name == tool_name:
                break
        else:
            call = None
        if self._growing is None or call is None or not isinstance(call.args, str) or not call.args:
            return await self.of_response(response, allow_partial=True)
        self._grown = call, 0
        try:
            value = self._growing.validate(call.args)
        except CannotGrow:
            self._growing = None
            return await self.of_response(response, allow_partial=True)
        return await self._processed(call, value)

    async def _processed(self, call: ToolCallPart, value: object) -> OutputDataT:
        """Return what happens to the validated arguments of an output tool, as far as they have come."""
        definition = self.tools.get_tool_def(call.tool_name)
        assert definition is not None, 'an output tool has a definition'
        context = self.tools.call_context(call, self.tools.find(call.tool_name), partial_output=True)
        with self.rules.around():
            return await process_tool_output(call, definition, value, self.rules.output_schema, context, self.tools)

    def _output_context(self, *, partial: bool) -> RunContext[AgentDepsT]:
        return self.context.fork(
            retry=self.run.output_retries_used, max_retries=self.rules.max_output_retries, partial_output=partial
        )

    async def whole(self, response: ModelResponse) -> OutputDataT:
        """Return the output of the whole response; it is validated once.

        Args:
            response: The response, read to its end.

        Raises:
            UnexpectedModelBehavior: The output is not valid, or there is none.
        """
        if self.output is UNSET:
            try:
                self.output = await self.of_response(response)
            except (ValidationError, ModelRetry, ToolRetryError) as error:
                raise UnexpectedModelBehavior(NO_RETRY) from error
        return self.output

    async def of_response(self, message: ModelResponse, *, allow_partial: bool = False) -> OutputDataT:
        """Return the output that a response holds; arguments and errors as for `AgentStream.validate_response_output`."""
        with self.rules.around():
            return await self._of_response(message, allow_partial)

    async def _of_response(self, message: ModelResponse, allow_partial: bool) -> OutputDataT:
        schema, chain, final = self.rules.output_schema, self.tools.chain, self.raw.final_result_event
        for call in message.tool_calls:
            if call.tool_name == final.tool_name if final is not None else self._is_output(call.tool_name):
                return await self.tools.handle_output_tool_call(
                    call, schema=schema, allow_partial=allow_partial, wrap_validation_errors=False
                )
        if final is not None and final.tool_name is not None:
            raise UnexpectedModelBehavior(f'Invalid response, unable to find tool call for {final.tool_name!r}')
        if (requests := self._deferred_requests(message)) is not None:
            check_deferral(requests, schema, 'use `run` or `run_stream(until="end")` with `HandleDeferredToolCalls`')
            return cast(OutputDataT, requests)
        context, validators = self._output_context(partial=allow_partial), self.rules.output_validators
        if schema.allows_image:
            for image in message.images:
                return await process_bare_output(image, 'image', schema, context, chain, validators)
        if schema.text_processor is not None:
            return await process_text_output(
                output_text(message), schema, context, chain, validators, allow_partial=allow_partial
            )
        raise UnexpectedModelBehavior('Invalid response, unable to process text output')

    def _is_output(self, tool_name: str) -> bool:
        definition = self.tools.get_tool_def(tool_name)
        return definition is not None and definition.kind == 'output'

    def _deferred_requests(self, message: ModelResponse) -> DeferredToolRequests | None:
        kinds = [(call, self.tools.get_tool_def(call.tool_name)) for call in message.tool_calls]
        waiting = [
            (call, tool.kind) for call, tool in kinds if tool is not None and tool.kind not in ('function', 'output')
        ]
        if not waiting:
            return None
        external = [call for call, kind in waiting if kind == 'external']
        return DeferredToolRequests(calls=external, approvals=[call for call, kind in waiting if kind != 'external'])
