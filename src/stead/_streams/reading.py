"""`Reading`: text, output and responses of a run, read while they come in; `Readable` is the same as programs see it.

What is read is one response (`AgentStream`), all responses of a run (`RunToEnd`), or a run that has ended without a stream.
They differ in where events come from, in what was read before, and in which refusals they pass over.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, ClassVar, Generic

from pydantic import ValidationError
from typing_extensions import TypeAlias

from .._contracts.output import OutputDataT
from .._kit.debounce import ReadAhead
from .._kit.deep_copy import deep_copy
from .._kit.unset import UNSET
from ..exceptions import ModelRetry, ToolRetryError
from ..messages import (
    AgentStreamEvent,
    FinalResultEvent,
    ModelResponse,
    NativeToolCallPart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    ResponseRestartEvent,
    StreamAttemptEvent,
    TextPart,
    TextPartDelta,
)
from ..tools import DeferredToolRequests
from .answer import Answer
from .events import no_events
from .views import RunFacts

Then: TypeAlias = Callable[[], Awaitable[None]]
"""What is called when everything has been read. A generator around another one would cost as much again for every item."""


def has_content(response: ModelResponse) -> bool:
    """Return whether any part of a response holds something yet."""
    return any(part.has_content() for part in response.parts)


def own_copy(output: OutputDataT) -> OutputDataT:
    """Return a copy of an output that its reader may change; the output itself if it cannot be copied."""
    try:
        return deep_copy(output)
    except Exception:  # anything may be an output, such as a connection
        return output


class TextReader:
    """Finds the text in the events of a response; text before a native tool call is set apart by an empty line."""

    def __init__(self, before: str = '') -> None:
        self.before = before
        """Text that came before the events."""
        self.has_text = bool(before)
        """Whether text has come since the last native tool call, so that the next one sets it apart."""

    def piece(self, event: AgentStreamEvent) -> str:
        """Return the text that an event brings, mostly none."""
        if isinstance(event, PartDeltaEvent):
            content = event.delta.content_delta if isinstance(event.delta, TextPartDelta) else ''
        elif isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            content = event.part.content
        elif self.has_text and isinstance(event, PartStartEvent) and isinstance(event.part, NativeToolCallPart):
            self.has_text = False
            return '\n\n'
        else:
            return ''
        if content:
            self.has_text = True
        return content


class ShownText:
    """The text that deltas have shown: what a response that starts again repeats of it is not shown again."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        """The deltas of the response."""
        self.before: str = ''
        """What was shown of the response that broke off, while the one after it says the same."""
        self._place = 0

    def restart(self, *, is_repeated: bool) -> None:
        """Begin with another response, which may repeat what was shown, or is another attempt at the answer."""
        if not is_repeated:
            self.before = ''
        elif not self.before:
            self.before = ''.join(self.pieces)
        self.pieces, self._place = [], 0

    def new(self, piece: str) -> str:
        """Return what is to be shown when more text has come."""
        if not (before := self.before):
            return piece
        if before.startswith(piece, self._place):
            self._place += len(piece)
            return ''
        text, self.before = before[: self._place] + piece, ''
        self.pieces = [before] if text.startswith(before) else []
        return text.removeprefix(before)

    def held(self) -> str:
        """Return what is to be shown at the end: a text that is shorter than the one that was shown is another one."""
        return self.before[: self._place] if self._place < len(self.before) else ''


class Readable(RunFacts, Generic[OutputDataT]):
    """The ways to read what a model answers. Each one continues where the last one stopped."""

    @property
    def _reading(self) -> Reading[OutputDataT]:
        raise NotImplementedError

    async def _complete(self) -> None:
        """Note that everything has been read."""

    @property
    def response(self) -> ModelResponse:
        """The response as far as it has come in."""
        return self._reading.response

    def stream_text(self, *, delta: bool = False, debounce_by: float | None = 0.1) -> AsyncIterator[str]:
        """Yield the text of the answer.

        Args:
            delta: Whether to yield the new pieces, as they are; otherwise all text so far, after the output validators.
            debounce_by: Seconds in which pieces are collected and yielded as one; `None` yields each.

        Raises:
            UserError: The output is not text.
        """
        return self._reading.texts(delta, debounce_by, self._complete)

    def stream_output(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[OutputDataT]:
        """Yield the output as it grows, whenever it is valid so far, and then the whole output.

        Args:
            debounce_by: Seconds in which changes are collected; `None` validates after each event.

        Raises:
            UnexpectedModelBehavior: The whole output is not valid.
        """
        return self._reading.outputs(debounce_by, self._complete)

    def stream_response(self, *, debounce_by: float | None = 0.1) -> AsyncIterator[ModelResponse]:
        """Yield the response as it grows; the last one is complete.

        Args:
            debounce_by: Seconds in which changes are collected; `None` yields after each event.
        """
        return self._reading.responses(debounce_by, self._complete)

    async def get_output(self) -> OutputDataT:
        """Read everything and return the output; each call returns a copy of its own, if it can be copied.

        Raises:
            UnexpectedModelBehavior: The output is not valid, or there is none; a streamed answer cannot be asked for again.
            UserError: A call waits for an approval or an external result, and the output type does not allow that.
        """
        output = await self._reading.read_output()
        await self._complete()
        if isinstance(
            output, DeferredToolRequests
        ):  # only now is it known for which calls their tools asked themselves
            output = await self._reading.read_output()
        return output

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
            ValueError: The run ended without a stream.
        """
        return await self._reading.answer.of_response(message, allow_partial=allow_partial)


class Reading(Readable[OutputDataT]):
    """What reads the answer of a model, or several of them, up to the one that is the output of the run."""

    _skipped: ClassVar[tuple[type[Exception], ...]] = ValidationError, ModelRetry, ToolRetryError
    """What says that an output is not valid so far; the next one may be."""
    _skipped_in_text: ClassVar[tuple[type[Exception], ...]] = ()
    """Likewise of text."""
    _is_of_one: ClassVar[bool] = True
    """Whether only one response is read, so that nothing follows when it is complete."""
    attempt: int = 1
    """The number of the attempt at the answer that is read."""

    @property
    def _reading(self) -> Reading[OutputDataT]:
        return self

    @property
    def answer(self) -> Answer[Any, OutputDataT]:
        """The answer of the response that is read now."""
        raise NotImplementedError

    @property
    def final_result_event(self) -> FinalResultEvent | None:
        """The event that announced the output; `None` before it, and if the response has no output."""
        return self.answer.raw.final_result_event

    @property
    def cancelled(self) -> bool:
        """Whether the stream was stopped with `cancel`."""
        return False

    async def cancel(self) -> None:
        """Stop the stream and close its connection; the response so far counts as interrupted."""

    async def read_output(self) -> OutputDataT:
        """Read everything and return a copy of the output; errors as for `get_output`."""
        raise NotImplementedError

    def __aiter__(self) -> AsyncIterator[AgentStreamEvent]:
        """Iterate over the events that were not read."""
        return no_events()

    def _groups(self) -> ReadAhead[Any]:
        """Return what reads the events in groups."""
        raise NotImplementedError

    def _seen(self, group: list[AgentStreamEvent]) -> Iterable[AgentStreamEvent]:
        """Iterate over the events of a group, each of which counts as read when the next one is asked for."""
        return group

    def _moments(self, debounce_by: float | None) -> AsyncIterator[AgentStreamEvent | None]:
        """Iterate over the moments when there is more of the response: the events, `None` where it is not one event alone."""
        return aiter(self) if debounce_by is None else self._moments_of_groups(debounce_by)

    async def _moments_of_groups(self, debounce_by: float) -> AsyncIterator[None]:
        async for group in self._groups().groups(debounce_by):
            for _ in self._seen(group):
                pass
            yield None

    # Text

    def _known_text(self) -> object:
        """Return the output if it is known and nothing is left to read, else something other than text.

        Raises:
            UserError: The output is not text.
        """
        raise NotImplementedError

    def _text_before(self) -> str:
        """Return the text that was read before."""
        raise NotImplementedError

    def texts(self, delta: bool, debounce_by: float | None, then: Then) -> AsyncIterator[str]:
        """Yield all text so far, or what is new, each time that there is some.

        Args:
            delta: Whether to yield what is new.
            debounce_by: Seconds in which pieces are collected; `None` yields each.
            then: Called after the last text.
        """
        return self._texts(delta, then) if debounce_by is None else self._grouped_texts(delta, debounce_by, then)

    async def _texts(self, delta: bool, then: Then) -> AsyncIterator[str]:
        if isinstance(output := self._known_text(), str):
            yield output
        else:
            reader, shown = TextReader(self._text_before()), ShownText()
            shown.pieces.append(reader.before)
            text, validates = reader.before, not delta and self.answer.validates_text
            if text and (valid := await self._valid_text(text) if validates else text) is not UNSET:
                yield valid
            async for event in self:
                if type(event) is PartDeltaEvent:  # first: nearly all events bring text
                    if not isinstance(event.delta, TextPartDelta) or not (piece := event.delta.content_delta):
                        continue
                    reader.has_text = True
                elif isinstance(event, (ResponseRestartEvent, StreamAttemptEvent)):
                    text, reader = '', TextReader()
                    shown.restart(is_repeated=isinstance(event, ResponseRestartEvent))
                    continue
                elif not (piece := reader.piece(event)):
                    continue
                if delta:
                    if not shown.before or (piece := shown.new(piece)):
                        shown.pieces.append(piece)
                        yield piece
                    continue
                text += piece
                if (valid := await self._valid_text(text) if validates else text) is not UNSET:
                    yield valid
            if delta and (rest := shown.held()):
                yield rest
        await then()

    async def _grouped_texts(self, delta: bool, debounce_by: float, then: Then) -> AsyncIterator[str]:
        """Yield the text of some time as one: all so far, or what is new."""
        if isinstance(output := self._known_text(), str):
            yield output
        else:
            reader, shown = TextReader(self._text_before()), ShownText()
            text, new, ahead = '', [reader.before] if reader.before else [], self._groups()
            while (group := await ahead.group(debounce_by, begun=bool(new))) is not None or new:
                for event in self._seen(group or []):
                    if isinstance(event, (ResponseRestartEvent, StreamAttemptEvent)):
                        if delta and (piece := shown.new(''.join(new))):
                            shown.pieces.append(piece)
                            yield piece
                        text, reader, new = '', TextReader(), []
                        shown.restart(is_repeated=isinstance(event, ResponseRestartEvent))
                    else:
                        new += filter(None, (reader.piece(event),))
                if not new:
                    continue
                piece, new = ''.join(new), []
                text += piece
                if delta:
                    if piece := shown.new(piece):
                        shown.pieces.append(piece)
                        yield piece
                elif (valid := await self._valid_text(text)) is not UNSET:
                    yield valid
            if delta and (rest := shown.held()):
                yield rest
        await then()

    async def _valid_text(self, text: str) -> str:
        """Return text that may not be complete yet, after the output validators; `UNSET` if they refuse it so far."""
        try:
            return await self.answer.validate_text(text)
        except self._skipped_in_text:
            return UNSET

    # Responses and output

    async def responses(self, debounce_by: float | None, then: Then) -> AsyncIterator[ModelResponse]:
        """Yield the response as it grows; the last one is complete."""
        async for _ in self._moments(debounce_by):
            yield self.answer.raw.get()
        yield self.response
        await then()

    async def outputs(self, debounce_by: float | None, then: Then) -> AsyncIterator[OutputDataT]:
        """Yield the output as it grows, whenever it is valid so far, and then the whole output."""
        last, grown = None, False
        async for event in self._moments(debounce_by):
            answer = self.answer
            if answer.raw.final_result_event is None or (grown and type(event) is PartEndEvent):
                continue
            try:
                if (change := answer.growth(event)) is not None:
                    grown = True
                    if change and (output := await answer.grown(change, event.index)) is not UNSET:  # type: ignore[union-attr]
                        yield output
                    continue
                response, grown = answer.raw.get(), False
                if response.state != 'incomplete' and self._is_of_one:
                    break
                if response.parts != last:
                    last = response.parts
                    yield await answer.so_far(response)
            except self._skipped:
                continue
        yield (output := await self.read_output())
        await then()
        if isinstance(output, DeferredToolRequests) and (asked := await self.read_output()) != output:
            yield asked  # the tools that were called asked for more
