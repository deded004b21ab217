"""Results of streamed runs: `StreamedRunResult`, its synchronous form, and the stream of one response."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from types import AsyncGeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from typing_extensions import Self

from ._contracts.output import FinalResult, OutputDataT, OutputDataT_inv, OutputValidatorFunc
from ._contracts.run_context import AgentDepsT
from ._kit.aio import SyncBridge, run_coroutine_sync
from ._kit.around import REQUESTS_AROUND
from ._kit.deprecated import warn_deprecated
from ._kit.meant import missing_attribute
from ._kit.unset import UNSET
from ._streams.answer import Answer
from ._streams.events import RunFeed, no_events
from ._streams.reading import Readable, Reading
from ._streams.response import AgentStream
from ._streams.views import ResultView, RunFacts
from .exceptions import UserError
from .messages import AgentStreamEvent, ModelMessage, ModelResponse
from .output import ToolOutput
from .run import AgentRunResult, AgentRunResultEvent
from .usage import RunUsage

T = TypeVar('T')
_ELSEWHERE = {
    'get_data': 'await stream.get_output()',
    'data': 'await stream.get_output()',
    'output': 'await stream.get_output()',
    'messages': 'stream.all_messages()',
}
"""What older tutorials, and other libraries, call members of a stream, and how the same is written here."""


class StreamedRunResult(Readable[OutputDataT], ResultView, Generic[AgentDepsT, OutputDataT]):
    """The result of a run while its last response comes in.

    Read it with one of `stream_text`, `stream_output`, `stream_response` and `get_output`. The run is complete once it
    has been read to the end; until then its last response is not part of the messages.
    """

    is_complete: bool = False
    """Whether everything has been read, or the stream was cancelled."""

    if not TYPE_CHECKING:  # type checkers would take every attribute for one that exists

        def __getattr__(self, name: str) -> object:
            raise missing_attribute(self, name, _ELSEWHERE)

    def __init__(
        self,
        all_messages: list[ModelMessage],
        new_message_index: int,
        stream_response: Reading[OutputDataT] | None = None,
        on_complete: Callable[[ModelResponse], Awaitable[None]] | None = None,
        run_result: AgentRunResult[OutputDataT] | None = None,
    ) -> None:
        """Create the result of a stream, or of a run that ended without one.

        Args:
            all_messages: The messages of the run; the list is shared with it.
            new_message_index: Index of the first message of the run itself.
            stream_response: The last response, or all responses of the run.
            on_complete: Takes the whole response into the run; called once.
            run_result: The result of a run that ended without a stream.
        """
        self._messages = all_messages
        self._new_message_index = new_message_index
        self._source: Reading[OutputDataT] = stream_response or _Ended(run_result)
        self._on_complete = on_complete
        self._run_result = run_result
        self.is_complete = run_result is not None

    def __repr__(self) -> str:
        state = 'complete' if self.is_complete else 'not read to the end'
        return f'<{type(self).__qualname__} {state}, {len(self._messages)} messages>'

    def end_with(self, run_result: AgentRunResult[OutputDataT]) -> None:
        """Take the result of a run that was streamed to its end."""
        self._run_result = run_result

    @property
    def _facts(self) -> RunFacts:
        return self._source

    @property
    def _reading(self) -> Reading[OutputDataT]:
        return self._source

    @property
    def _history(self) -> tuple[list[ModelMessage], int, str | None]:
        if self._run_result is not None:
            return self._run_result._history
        final = self._source.final_result_event
        return self._messages, self._new_message_index, final.tool_name if final is not None else None

    async def _complete(self) -> None:
        if self.is_complete:
            return
        self.is_complete = True
        if self._on_complete is not None:
            await self._on_complete(self.response)

    async def cancel(self) -> None:
        """Stop the stream and close its connection.

        The response becomes part of the messages as far as it came, marked as interrupted. Its tools are not called.
        """
        await self._source.cancel()
        if not isinstance(self._source, _Ended):
            await self._complete()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called, even if nothing was left to stop; `response.state` says whether the answer is whole."""
        return self._source.cancelled

    @property
    def attempt(self) -> int:
        """The number of the attempt at the answer that is read; more than 1 only in `run_stream(until='end')`.

        When it changes, what was yielded before does not belong to the answer.
        """
        return self._source.attempt

    # Old names

    async def stream(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[OutputDataT]:
        """Yield the output as it grows; the old name of `stream_output`."""
        warn_deprecated('`stream` is an old name; use `stream_output`.')
        async for output in self.stream_output(debounce_by=debounce_by):
            yield output

    async def stream_responses(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[tuple[ModelResponse, bool]]:
        """Yield the response as it grows, and whether it is the last one; see `stream_response`."""
        warn_deprecated('`stream_responses` is an old name; use `stream_response`.')
        async for response in self.stream_response(debounce_by=debounce_by):
            yield response, response.state != 'incomplete'

    async def stream_structured(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[tuple[ModelResponse, bool]]:
        """Yield the response as it grows; an older name of `stream_responses`."""
        async for item in self.stream_responses(debounce_by=debounce_by):
            yield item

    async def validate_structured_output(self, message: ModelResponse, *, allow_partial: bool = False) -> OutputDataT:
        """Return the output of a response; the old name of `validate_response_output`."""
        warn_deprecated('`validate_structured_output` is an old name; use `validate_response_output`.')
        return await self.validate_response_output(message, allow_partial=allow_partial)


class _Ended(Reading[OutputDataT]):
    """What is read of a run that ended without a stream: its output, as it is."""

    def __init__(self, result: AgentRunResult[OutputDataT] | None) -> None:
        self._result = result

    @property
    def _facts(self) -> AgentRunResult[OutputDataT]:
        if self._result is None:
            raise ValueError(
                'There is nothing to read: this result was made without a stream and without a run result.'
            )
        return self._result

    @property
    def response(self) -> ModelResponse:
        """The last response of the run."""
        return self._facts.response

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Metadata of the run."""
        return self._result.metadata if self._result is not None else None

    @property
    def answer(self) -> Answer[Any, OutputDataT]:
        """There is no response to validate."""
        raise ValueError('The run ended without a stream: its output is at `get_output()`.')

    @property
    def final_result_event(self) -> None:
        """No response has announced the output."""

    async def read_output(self) -> OutputDataT:
        """Return the output."""
        return self._facts.output

    def _moments(self, debounce_by: float | None) -> AsyncIterator[None]:
        return no_events()

    def _known_text(self) -> str:
        if not isinstance(output := self._facts.output, str):
            raise UserError('The output is not text, so there is none to stream. Use `stream_output`.')
        return output


@dataclass
class StreamedRunResultSync(ResultView, Generic[AgentDepsT, OutputDataT]):
    """A `StreamedRunResult` for synchronous code; every method is that of the same name there.

    The run continues while it is read. It is closed when it has been read to the end, when the `with` block of the result
    is left, or when no reference to the result is left.
    """

    _streamed_run_result: StreamedRunResult[AgentDepsT, OutputDataT]
    _bridge: SyncBridge | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._bridge is not None:
            weakref.finalize(self, self._bridge.close)

    def __enter__(self) -> StreamedRunResultSync[AgentDepsT, OutputDataT]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the run; the part that was not read is dropped."""
        bridge, self._bridge = self._bridge, None
        if bridge is not None:
            bridge.close()

    def _call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            return self._bridge.run(coroutine) if self._bridge is not None else run_coroutine_sync(coroutine)
        finally:
            if self.is_complete:
                self.close()

    def _each(self, items: AsyncIterator[T]) -> Iterator[T]:
        """Iterate over an async generator."""

        async def step() -> T:
            return await anext(items, UNSET)

        try:
            while (item := self._call(step())) is not UNSET:
                yield item
        finally:
            if isinstance(items, AsyncGeneratorType):
                self._call(items.aclose())

    @property
    def _facts(self) -> RunFacts:
        return self._streamed_run_result

    @property
    def _history(self) -> tuple[list[ModelMessage], int, str | None]:
        return self._streamed_run_result._history

    def stream_text(self, *, delta: bool = False, debounce_by: float | None = 0.1) -> Iterator[str]:
        """Yield the text of the answer."""
        return self._each(self._streamed_run_result.stream_text(delta=delta, debounce_by=debounce_by))

    def stream_output(self, *, debounce_by: float | None = 0.1) -> Iterator[OutputDataT]:
        """Yield the output as it grows."""
        return self._each(self._streamed_run_result.stream_output(debounce_by=debounce_by))

    def stream_response(self, *, debounce_by: float | None = 0.1) -> Iterator[ModelResponse]:
        """Yield the response as it grows."""
        return self._each(self._streamed_run_result.stream_response(debounce_by=debounce_by))

    def stream_responses(self, *, debounce_by: float | None = 0.1) -> Iterator[tuple[ModelResponse, bool]]:
        """Yield the response as it grows, and whether it is the last one; the old name of `stream_response`."""
        return self._each(self._streamed_run_result.stream_responses(debounce_by=debounce_by))

    def get_output(self) -> OutputDataT:
        """Read everything and return the output."""
        return self._call(self._streamed_run_result.get_output())

    def validate_response_output(self, message: ModelResponse, *, allow_partial: bool = False) -> OutputDataT:
        """Return the output that a response holds."""
        return self._call(self._streamed_run_result.validate_response_output(message, allow_partial=allow_partial))

    @property
    def is_complete(self) -> bool:
        """Whether everything has been read."""
        return self._streamed_run_result.is_complete

    @property
    def attempt(self) -> int:
        """The number of the attempt at the answer that is read."""
        return self._streamed_run_result.attempt

    @property
    def response(self) -> ModelResponse:
        """The response as far as it has come in."""
        return self._streamed_run_result.response


class AgentEventStream(Generic[OutputDataT]):
    """The events of a run, followed by its result; read it in an `async with` block, which closes the run."""

    def __init__(
        self,
        generator: AsyncGenerator[AgentStreamEvent | AgentRunResultEvent[OutputDataT], None],
        feed: RunFeed | None = None,
    ) -> None:
        self._generator: AsyncGenerator[AgentStreamEvent | AgentRunResultEvent[OutputDataT], None] | None = generator
        self._feed: Any = feed
        self._handed_over = weakref.ref(generator)
        self._entered = False

    async def __aenter__(self) -> Self:
        self._entered = True
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[AgentStreamEvent | AgentRunResultEvent[OutputDataT]]:
        """Iterate over the events.

        Outside of a block this is deprecated: the run is closed when the loop is left, but only in a task that follows.
        """
        events = self._events()
        if not self._entered:
            warnings.warn(
                'Reading the events of a run without a block is deprecated, since a loop that is left early cannot wait '
                'for the end of the run. Use `async with agent.run_stream_events(...) as events:`, and loop inside of it.',
                DeprecationWarning,
                stacklevel=2,
            )
            self._generator = None  # the loop alone holds them now, so that they are closed when it is left
        return events

    def _events(self) -> AsyncGenerator[AgentStreamEvent | AgentRunResultEvent[OutputDataT], None]:
        return self._generator or self._handed_over() or no_events()

    async def __anext__(self) -> AgentStreamEvent | AgentRunResultEvent[OutputDataT]:
        return await self._events().__anext__()

    async def aclose(self) -> None:
        """Stop: a run that has not ended is cancelled."""
        await self._events().aclose()


class AgentRunEvents(AgentEventStream[OutputDataT]):
    """The events of a run, and what is known of the run while they are read; see `AgentEventStream`."""

    _feed: RunFeed

    async def __aenter__(self) -> Self:
        self._entered, self._around = True, REQUESTS_AROUND.set((*REQUESTS_AROUND.get(), self._feed))
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        try:
            REQUESTS_AROUND.reset(self._around)
        except ValueError:  # it was entered in another task
            pass
        await self.aclose()

    @property
    def result(self) -> AgentRunResult[OutputDataT] | None:
        """The result, or `None` before the end of the run."""
        return self._feed.result

    @property
    def usage(self) -> RunUsage:
        """Usage of the run so far.

        Raises:
            UserError: The run has not started.
        """
        return self._context.usage

    def all_messages(self) -> list[ModelMessage]:
        """Return all messages so far: the history that was passed to the run, and its own.

        Raises:
            UserError: The run has not started.
        """
        return self._context.messages

    def new_messages(self) -> list[ModelMessage]:
        """Return the messages of this run so far.

        Raises:
            UserError: The run has not started.
        """
        context, result = self._context, self.result
        if result is not None:
            return result.new_messages()
        own = (index for index, one in enumerate(context.messages) if one.run_id == context.run_id)
        return context.messages[next(own, len(context.messages)) :]

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the run: reading raises `RunCancelled`, with a reason if there is one. Nothing happens when it has ended."""
        self._feed.cancel(reason)

    @property
    def _context(self) -> Any:
        if (context := self._feed.context) is None:
            raise UserError('The run has not started: it does when its first event is read.')
        return context


__all__: tuple[str, ...] = (
    'AgentEventStream',
    'AgentRunEvents',
    'AgentStream',
    'FinalResult',
    'OutputDataT',
    'OutputDataT_inv',
    'OutputValidatorFunc',
    'StreamedRunResult',
    'StreamedRunResultSync',
    'ToolOutput',
)
