"""`AgentStream`: one response of the model while it comes in, read as events, text, responses or output."""

from __future__ import annotations

from collections.abc import AsyncIterator
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from types import AsyncGeneratorType
from typing import Any, Generic

from .._calls.manager import ToolManager
from .._contracts.output import OutputDataT
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._kit.debounce import ReadAhead
from .._kit.deprecated import callable_datetime, warn_deprecated
from .._kit.unset import UNSET
from ..messages import (
    AgentStreamEvent,
    ModelResponse,
    ModelResponseStreamEvent,
)
from ..models import StreamedResponse
from ..models.wrapper import CompletedStreamedResponse
from ..usage import RunUsage, countable
from .answer import Answer, RunRules
from .events import emitted_before, no_events
from .reading import Reading, has_content, own_copy


@dataclass
class AgentStream(Reading[OutputDataT], Generic[AgentDepsT, OutputDataT]):
    """One response of the model while it comes in.

    Iterate over it for its events. Every way to read it continues where the last one stopped; the first text or output that
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
    is_counted: bool = field(default=False, init=False)
    """Whether the usage of the run includes the response."""
    _ahead: ReadAhead[ModelResponseStreamEvent] | None = field(default=None, init=False)
    """Reads the events in groups; made for the first reader that wants groups."""
    _answer: Answer[AgentDepsT, OutputDataT] | None = field(default=None, init=False, repr=False)
    """Made for the first reader of text or output."""

    # The response so far

    @property
    def _facts(self) -> RunState:
        return self._run

    @property
    def answer(self) -> Answer[AgentDepsT, OutputDataT]:
        """The text and the output of the response."""
        if self._answer is None:
            self._answer = Answer(self._raw, self._run, self._rules, self._context, self._tools)
        return self._answer

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
        if self.is_counted:
            return self._run.usage
        usage = copy(self._run.usage)
        usage.incr(countable(self._raw.usage))
        return usage

    @property
    def timestamp(self) -> datetime:
        """When the response began."""
        return callable_datetime(self._raw.timestamp, 'AgentStream.timestamp')

    @property
    def cancelled(self) -> bool:
        """Whether the stream was stopped with `cancel`."""
        return self._raw.cancelled

    async def cancel(self) -> None:
        """Stop the stream and close its connection; the response so far counts as interrupted."""
        await self._raw.cancel()

    def failed_with(self, error: BaseException) -> bool:
        """Return whether an error came from the stream rather than from its reader."""
        return self._raw.failure is error

    # Events

    def replay(self) -> None:
        """Let a response that a hook has answered, or that is recorded, be read as if it came in."""
        self._raw, self._answer = self.replayed(), None

    def replayed(self) -> StreamedResponse:
        """Return the response, which is whole, as a stream of its own."""
        return CompletedStreamedResponse(self.response, self._raw.model_request_parameters, events=True)

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Iterate over the events of the response; a second iteration continues where the first one stopped.

        Raises:
            UsageLimitExceeded: The tokens used so far are more than the run may use, or the response has too many calls.
            AgentRunError: The model failed while it was answering.
        """
        if self._ahead is not None:
            return self._ahead
        if self._events is None:
            limits = self._rules.usage_limits
            is_plain = not limits.has_token_limits() and not self._context.stopper.emitted
            self._raw.limit_calls(limits)
            self._events = self._raw.__aiter__() if is_plain else self._within_limits()
        return self._events

    async def _within_limits(self) -> AsyncIterator[Any]:
        limits, run = self._rules.usage_limits, self._context.stopper
        for emitted in emitted_before(run):
            yield emitted
        async for event in self._raw:
            limits.check_tokens(self.usage)
            yield event
            for emitted in emitted_before(run):
                yield emitted

    def _groups(self) -> ReadAhead[ModelResponseStreamEvent]:
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

    # Reading

    def _known_text(self) -> object:
        self.answer.check_text()
        return self.answer.output

    def _text_before(self) -> str:
        self._drop_read()
        return self.response.text or ''

    def _drop_read(self) -> None:
        if self._ahead is not None:
            self._ahead.items.clear()  # the response includes them

    def _moments(self, debounce_by: float | None) -> AsyncIterator[AgentStreamEvent | None]:
        response = self.response
        if response.state != 'incomplete':
            return no_events()
        self._drop_read()
        moments = super()._moments(debounce_by)
        return self._moments_from_now(moments) if has_content(response) else moments

    async def _moments_from_now(
        self, moments: AsyncIterator[AgentStreamEvent | None]
    ) -> AsyncIterator[AgentStreamEvent | None]:
        yield None
        async for event in moments:
            yield event

    async def stream_responses(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[ModelResponse]:
        """Yield the response as it grows; the old name of `stream_response`."""
        warn_deprecated('`stream_responses` is an old name; use `stream_response`.')
        async for response in self.stream_response(debounce_by=debounce_by):
            yield response

    async def read_output(self) -> OutputDataT:
        """Read the response to its end and return a copy of the output; errors as for `get_output`."""
        if self.answer.output is UNSET:
            await self.drain()
            await self.answer.whole(self.response)
        return own_copy(self.answer.output)
