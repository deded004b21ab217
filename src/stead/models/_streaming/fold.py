"""`VendorStream` and `VendorFold`: what the streamed responses of all vendors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, ClassVar

from typing_extensions import Self

from ..._kit.plain import as_dict, plain
from ...exceptions import ModelAPIError
from ...messages import FinishReason, ModelResponseStreamEvent
from ...usage import RequestUsage
from .._wire_errors import AsModelError, hide_secret, model_errors
from .parts import ModelResponsePartsManager
from .streamed import StreamedResponse


@dataclass
class VendorFold(ABC):
    """What the events of a stream come to. Subclasses take the events of one vendor; they do no I/O."""

    unsaid: ClassVar[str] = 'it did not say why'
    """What is missing if the stream ends too early."""

    manager: ModelResponsePartsManager
    provider_name: str
    model_name: str
    response_id: str | None = None
    details: dict[str, Any] = field(default_factory=lambda: {})
    usage: RequestUsage | None = None
    finish_reason: FinishReason | None = None
    ended: bool = False
    """Whether the vendor has said all that makes a response complete."""

    @abstractmethod
    def take(self, event: Any, /) -> Iterator[ModelResponseStreamEvent]:
        """Take an event as plain data, and yield those of stead."""

    def finish(self) -> Iterable[ModelResponseStreamEvent]:
        """Take the end of the stream, and yield what waited for it."""
        return ()


class Source:
    """The events of a streamed answer, and the connection that they come through: what streams of most SDKs are."""

    def __init__(self, events: AsyncIterator[Any], close: Callable[[], Awaitable[Any]]) -> None:
        """Put events and their connection together.

        Args:
            events: The events.
            close: Closes the connection.
        """
        self._events = events
        self._close = close

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


class VendorStream(StreamedResponse):
    """The response of a vendor's model while it comes in; subclasses are records that have these fields."""

    _as_model_error: ClassVar[AsModelError]
    """What the errors of the SDK are in stead."""

    _model_name: str
    _provider_name: str
    _provider_url: str
    _provider_timestamp: datetime | None = None
    _response: Any
    """The stream: of the SDK, or a `Source`."""
    _first: Any
    """Its first event, which was read to know that there is an answer."""
    _timestamp: datetime
    _secret: str | None

    @abstractmethod
    def _fold(self) -> VendorFold:
        """Return what the events are to be folded into."""

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        fold = self._fold()
        with model_errors(self._error):
            async for event in self._events():
                for made in fold.take(event):
                    yield made
                self._note(fold)
            for made in fold.finish():
                yield made
        if not fold.ended:
            raise ModelAPIError(
                self._model_name,
                f'The stream of {self._model_name!r} ended before the response was complete: {fold.unsaid}.',
            )

    async def _events(self) -> AsyncIterator[Any]:
        if self._first is not None:
            yield self._plain(self._first)
        async for event in self._response:
            yield self._plain(event)

    def _plain(self, event: Any) -> Any:
        """Return an event as plain data."""
        return as_dict(plain(event))

    def _note(self, fold: Any) -> None:
        """Keep what the events have said so far."""
        self._model_name = fold.model_name
        self._provider_timestamp = fold.details.get('timestamp')
        self.provider_response_id = fold.response_id
        self.provider_details = fold.details or None
        self.finish_reason = fold.finish_reason
        if fold.usage is not None:
            self._usage = fold.usage

    def _error(self, error: Exception) -> Exception:
        hide_secret(error, self._secret)
        return type(self)._as_model_error(error, self._model_name, self._secret)

    async def close_stream(self) -> None:
        """Close the connection."""
        await self._response.close()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors of a connection that is closed under its reader."""
        return (ModelAPIError,)

    @property
    def model_name(self) -> str:
        """The name of the model, as the provider says it."""
        return self._model_name

    @property
    def provider_name(self) -> str:
        """The provider."""
        return self._provider_name

    @property
    def provider_url(self) -> str:
        """The URL that the response comes from."""
        return self._provider_url

    @property
    def timestamp(self) -> datetime:
        """When the response began."""
        return self._timestamp
