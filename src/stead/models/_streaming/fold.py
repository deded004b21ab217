"""`VendorStream` and `VendorFold`: the base classes of vendors' streamed responses, and of the decoders of their events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, ClassVar

from typing_extensions import Self

from ..._kit.json_types import JsonObject, as_dict, plain
from ..._kit.secret import hide_secret
from ...exceptions import ModelAPIError
from ...messages import FinishReason, ModelResponseStreamEvent
from ...usage import RequestUsage
from .._wire_errors import AsModelError, in_stream, model_errors
from .parts import ModelResponsePartsManager
from .streamed import StreamedResponse


@dataclass
class VendorFold(ABC):
    """A response as far as the events of a stream have built it. Subclasses decode one vendor's events, without I/O."""

    missing_end: ClassVar[str] = 'it has no finish reason'
    """What a stream lacks that ended too early, for the error message."""

    manager: ModelResponsePartsManager
    """Builds the parts."""
    provider_name: str
    model_name: str
    """The name of the model, first that of the request, then that of the response."""
    response_id: str | None = None
    details: JsonObject = field(default_factory=lambda: {})
    """The provider details of the response."""
    usage: RequestUsage | None = None
    counts: JsonObject = field(default_factory=lambda: {})
    """The latest counts of the usage, which events report in part."""
    finish_reason: FinishReason | None = None
    ended: bool = False
    """Whether the vendor has sent everything that makes a response complete."""

    @abstractmethod
    def feed(self, event: Any, /) -> Iterator[ModelResponseStreamEvent]:
        """Add one of the vendor's events, and yield stead's events for it.

        Args:
            event: The event as `VendorStream._plain` returns it; each vendor has its own type.
        """

    def finish(self) -> Iterable[ModelResponseStreamEvent]:
        """Complete the response at the end of the stream, and return the events that were held back until then."""
        return ()

    def count(self, usage: object) -> JsonObject:
        """Add the counts of an event to those of the events before it, and return them."""
        self.counts = _counted(self.counts, as_dict(usage))
        return self.counts


def _counted(known: JsonObject, later: JsonObject) -> JsonObject:
    """Return counts with later ones in their place; what was counted is not lost to one that is missing or zero."""
    counts = dict(known)
    for name, count in later.items():
        if isinstance(count, dict):
            counts[name] = _counted(as_dict(known.get(name)), as_dict(count))
        elif count or (count is not None and name not in known):
            counts[name] = count
    return counts


class EventStream:
    """The events of a streamed response with their connection, in the form that the streams of most SDKs have."""

    def __init__(self, events: AsyncIterator[Any], close: Callable[[], Awaitable[object]]) -> None:
        """Combine events with their connection.

        Args:
            events: The events.
            close: Closes the connection.
        """
        self._events = events
        self._close = close

    @classmethod
    def over(cls, events: AsyncGenerator[Any, None], connection: AsyncExitStack) -> Self:
        """Return the events of an SDK that reads them in a generator.

        Args:
            events: The events.
            connection: Closes the connection, also while someone waits for the next event.
        """

        async def close() -> None:
            await connection.aclose()
            with suppress(RuntimeError):  # someone waits for the next event, and now gets an error
                await events.aclose()

        return cls(events, close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self._close()

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._events

    async def __anext__(self) -> Any:
        return await self._events.__anext__()

    async def close(self) -> None:
        """Close the connection."""
        await self._close()


class ClosableStream(StreamedResponse):
    """A streamed response that can be closed while someone reads it. Subclasses are dataclasses with these fields."""

    _model_name: str
    _provider_name: str
    _response: Any
    """The stream of the SDK, or an `EventStream`."""
    _timestamp: datetime

    async def close_stream(self) -> None:
        """Close the connection."""
        await self._response.close()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors that a reader gets when the connection is closed while it reads."""
        return (ModelAPIError,)

    @property
    def model_name(self) -> str:
        """The name of the model in the response, or in the request until the response has one."""
        return self._model_name

    @property
    def provider_name(self) -> str:
        """The provider."""
        return self._provider_name

    @property
    def timestamp(self) -> datetime:
        """When the response was created."""
        return self._timestamp


class VendorStream(ClosableStream):
    """The base class of vendors' streamed responses. Subclasses are dataclasses with these fields."""

    _as_model_error: ClassVar[AsModelError]
    """Translates the errors of the SDK to stead's."""

    _provider_url: str
    _provider_timestamp: datetime | None = None
    _first: Any
    """The first event. It was read to check that there is a response."""
    _secret: str | None

    @abstractmethod
    def _fold(self) -> VendorFold:
        """Return a new decoder for the events."""

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        fold = self._fold()
        with model_errors(self._error):
            async for event in self._events():
                for decoded in fold.feed(event):
                    if self.provider_response_id is None:  # a reader that leaves at the first event can see it, too
                        self._note(fold)
                    yield decoded
                self._note(fold)
            for decoded in fold.finish():
                yield decoded
        if not fold.ended:
            raise ModelAPIError(
                self._model_name,
                f'The stream of {self._model_name!r} ended before the response was complete: {fold.missing_end}.',
            )

    async def _events(self) -> AsyncIterator[Any]:
        if self._first is not None:
            yield self._plain(self._first)
        async for event in self._response:
            yield self._plain(event)

    def _plain(self, event: object) -> object:
        """Return an event of the SDK as plain data."""
        return as_dict(event if type(event) is dict else plain(event))  # type: ignore[reportUnknownArgumentType]

    def _note(self, fold: Any) -> None:
        """Copy the metadata of the response from its decoder."""
        self._model_name = fold.model_name
        self._provider_timestamp = fold.details.get('timestamp')
        self.provider_response_id: str | None = fold.response_id
        self.provider_details: JsonObject | None = fold.details or None
        self.finish_reason: FinishReason | None = fold.finish_reason
        if fold.usage is not None:
            self._usage = fold.usage

    def _error(self, error: Exception) -> Exception:
        hide_secret(error, self._secret)
        return in_stream(type(self)._as_model_error(error, self._model_name, self._secret))

    @property
    def provider_url(self) -> str:
        """The URL that the response comes from."""
        return self._provider_url
