"""Streams that outlive their clients: a run continues when its client has left, and a client that comes back misses nothing.

A task of its own reads the events of a run and keeps them, numbered. Responses read what is kept: the first one from the start,
others from the last event of the client, which `Last-Event-ID` names. The id of a stream is a secret between server and client.

What is kept is bounded. Above the bound the run waits for clients that are reading, and the oldest events are dropped if none is;
a client that would need those is told that they are gone, and never gets a stream with a gap.

A run that continues holds its answer so far, even when its events are dropped. So the text of runs without clients is bounded,
too: above that bound, the run with the most text is cancelled.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping

from .._kit.aio import cancel_and_drain
from .._kit.extras import load_extra, naming_extra
from .._kit.sdk_types import StarletteRequest, StarletteResponse

_ID = re.compile(r'([0-9a-f]{32})\.(\d{1,18})')
_log = logging.getLogger('stead.ui')


class EventStreams:
    """The streams of an application whose runs continue without their clients; one object serves all requests.

    Use it with agents that have a `Journal`, so that what a run has come to is not lost if no client comes back.
    Enter it in the lifespan of the application: at the end, runs that continue are cancelled, and the journal can resume them.
    """

    def __init__(
        self,
        *,
        keep_seconds: float = 300.0,
        max_bytes: int = 4 * 1024 * 1024,
        max_total_bytes: int = 256 * 1024 * 1024,
        max_running: int = 1000,
        max_detached_bytes: int = 512 * 1024 * 1024,
    ) -> None:
        """Create it.

        Args:
            keep_seconds: How long the events of a stream are kept after its end.
            max_bytes: The most that is kept of one stream.
            max_total_bytes: The most that is kept of all streams; those that have ended are dropped first.
            max_running: The most runs at once; more are refused.
            max_detached_bytes: The most that runs without a client may have written, all together. Above that, the run that
                has written most is cancelled, and a client that comes back for it is told that it is gone (410); the journal
                has what it had come to, and can resume it.
        """
        self.keep_seconds = keep_seconds
        self.max_bytes: int = max_bytes
        self.max_total_bytes: int = max_total_bytes
        self.max_running: int = max_running
        self.max_detached_bytes: int = max_detached_bytes
        self.held_bytes: int = 0
        """What is kept of all streams, in bytes."""
        self.running: int = 0
        """How many runs continue."""
        self.detached_bytes: int = 0
        """What those of them have written that have no client now, in bytes."""
        self._streams: dict[str, _Stream] = {}
        self._ended: dict[str, asyncio.TimerHandle] = {}  # what will forget those that have ended, the oldest first
        self._names: dict[str, _Stream] = {}

    async def __aenter__(self) -> EventStreams:
        """Do nothing."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancel the runs that continue, and forget what is kept."""
        streams = list(self._streams.values())
        await cancel_and_drain(*(stream.task for stream in streams))
        for stream in streams:
            self._drop(stream)

    def respond(
        self, events: AsyncIterator[str], *, name: str | None = None, headers: Mapping[str, str] | None = None
    ) -> StarletteResponse:
        """Let a run continue by itself, and return a response that streams its events.

        Args:
            events: The events, as server-sent events.
            name: A name under which the last stream that has it can be found; anyone with the name can read the stream.
            headers: Headers of the response.

        Returns:
            The response; one with the status 503 if too many runs continue.

        Raises:
            ImportError: Starlette is not installed.
        """
        if self.running >= self.max_running:
            return _refusal(503, 'Too many answers are being written; try again.', {'retry-after': '5'})
        stream = _Stream(self, events, name, {'cache-control': 'no-store', **(headers or {})})
        self._streams[stream.id] = stream
        if name is not None:
            self._names[name] = stream
        self.running += 1
        stream.start()
        return _response(stream, 0)

    def continued(self, request: StarletteRequest) -> StarletteResponse | None:
        """Return a response that continues where the client of a request stands; `None` if the request does not ask for that.

        Args:
            request: The request; its header `Last-Event-ID` is the id of the last event that the client has.

        Returns:
            The response; with the status 204 if the client has all events, and 410 if those that it lacks are gone.
        """
        last = request.headers.get('last-event-id')
        if not last:
            return None
        match = _ID.fullmatch(last)
        stream = self._streams.get(match[1]) if match else None
        if match is None or stream is None:
            return _refusal(410, 'The stream of this event is gone. Send the conversation again.')
        return self._from(stream, int(match[2]))

    def named(self, name: str) -> StarletteResponse:
        """Return a response with all events of the last stream that has a name, from the first on.

        Returns:
            The response; with the status 204 if there is none, or it has ended.
        """
        stream = self._names.get(name)
        if stream is None or stream.ended:
            return load_extra('starlette.responses', extra='ui', what='A response').Response(status_code=204)
        return self._from(stream, 0)

    async def stop(self, name: str) -> bool:
        """Cancel the run of the last stream that has a name; return whether one was running."""
        stream = self._names.get(name)
        if stream is None or stream.ended:
            return False
        await cancel_and_drain(stream.task)
        return True

    def _from(self, stream: _Stream, after: int) -> StarletteResponse:
        if after < stream.dropped or after > stream.last:
            return _refusal(410, 'The events after this one are gone. Send the conversation again.')
        if stream.ended and after == stream.last:
            return load_extra('starlette.responses', extra='ui', what='A response').Response(status_code=204)
        return _response(stream, after)

    def _drop(self, stream: _Stream) -> None:
        """Forget a stream."""
        if self._streams.pop(stream.id, None) is not None:
            self.held_bytes -= stream.size
        if (forgetting := self._ended.pop(stream.id, None)) is not None:
            forgetting.cancel()  # which would hold the events until it is due
        if stream.name is not None and self._names.get(stream.name) is stream:
            del self._names[stream.name]

    def make_room(self) -> bool:
        """Drop streams that have ended, the oldest first, until what is kept is within the bound; return whether it is."""
        for id in list(self._ended) if self.held_bytes > self.max_total_bytes else ():
            if not (stream := self._streams[id]).readers:
                self._drop(stream)
                if self.held_bytes <= self.max_total_bytes:
                    break
        return self.held_bytes <= self.max_total_bytes

    def end_largest(self) -> None:
        """Cancel the run that has written most of those without a client; when it has ended, what is kept of it is forgotten."""
        largest = max((stream for stream in self._streams.values() if stream.is_detached), key=lambda one: one.written)
        _log.warning(
            'A run without a client was cancelled after it had written %d bytes, the most of all: together they have written '
            'more than `max_detached_bytes` of `EventStreams`, which is %d. A journal can resume it.',
            largest.written,
            self.max_detached_bytes,
        )
        largest.attach()
        largest.is_refused = True
        largest.task.cancel()

    def note_end(self, stream: _Stream) -> None:
        """Note that a stream has ended, to forget it some time later."""
        self.running -= 1
        if stream.is_refused:
            self._drop(stream)
        elif stream.id in self._streams:  # or the application has ended before it
            self._ended[stream.id] = asyncio.get_running_loop().call_later(self.keep_seconds, self._drop, stream)


class _Stream:
    """The events of one run, and the task that reads them."""

    task: asyncio.Task[None]

    def __init__(
        self, streams: EventStreams, events: AsyncIterator[str], name: str | None, headers: Mapping[str, str]
    ) -> None:
        self.id: str = secrets.token_hex(16)
        self.name: str | None = name
        self.headers: Mapping[str, str] = headers
        self.size: int = 0
        self.dropped: int = 0
        """The number of the last event that was dropped; those after it are kept."""
        self.written: int = 0
        """How many bytes there were, also those that were dropped."""
        self.is_detached: bool = True
        """Whether the run continues without a client, as it does until the first one reads."""
        self.is_refused: bool = False
        """Whether the run was cancelled for what it has written."""
        self.ended: bool = False
        self.readers: dict[object, int] = {}
        """Where each reader stands: the number of the event that it has got last."""
        self._streams, self._events = streams, events
        self._kept: deque[bytes] = deque()
        self._news, self._read = asyncio.Event(), asyncio.Event()

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self.dropped + len(self._kept)

    def start(self) -> None:
        self.task = asyncio.ensure_future(self._run())
        self.task.add_done_callback(self._end)

    async def _run(self) -> None:
        events = self._events
        try:
            async for event in events:
                self._keep(event)
                while self._is_over() and self._slowest() <= self.dropped:
                    self._read.clear()
                    await self._read.wait()
                self._trim()
        finally:
            if (close := getattr(events, 'aclose', None)) is not None:
                await close()

    def attach(self) -> None:
        """Count the run no longer among those without a client."""
        if self.is_detached:
            self.is_detached = False
            self._streams.detached_bytes -= self.written

    def _detach(self) -> None:
        """Count the run among those without a client, if it continues and has none."""
        if not (self.readers or self.ended or self.is_refused):
            self.is_detached = True
            self._streams.detached_bytes += self.written

    def _end(self, task: asyncio.Task[None]) -> None:
        self.attach()
        self.ended = True
        self._news.set()
        self._streams.note_end(self)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error('A stream of events failed.', exc_info=error)

    def _keep(self, event: str) -> None:
        numbered = f'id: {self.id}.{self.last + 1}\n{event}'.encode()
        self._kept.append(numbered)
        self.size += len(numbered)
        self.written += len(numbered)
        self._streams.held_bytes += len(numbered)
        self._news.set()
        if self.is_detached:
            self._streams.detached_bytes += len(numbered)
            if self._streams.detached_bytes > self._streams.max_detached_bytes:
                self._streams.end_largest()

    def _slowest(self) -> int:
        return min(self.readers.values(), default=self.last)

    def _is_over(self) -> bool:
        return self.size > self._streams.max_bytes or not self._streams.make_room()

    def _trim(self) -> None:
        """Drop the oldest events that every reader has, until what is kept is within the bounds."""
        slowest = self._slowest()
        while self.dropped < slowest and self._is_over():
            size = len(self._kept.popleft())
            self.dropped += 1
            self.size -= size
            self._streams.held_bytes -= size

    async def read(self, after: int) -> AsyncGenerator[bytes, None]:
        """Yield the events after one, until the stream has ended, or until one of them is gone already."""
        me = object()
        self.readers[me] = after
        self.attach()
        try:
            while True:
                while self.dropped <= after < self.last:
                    yield self._kept[after - self.dropped]
                    after += 1
                    self.readers[me] = after
                    self._read.set()
                if self.ended or after < self.dropped:
                    return
                self._news.clear()
                await self._news.wait()
        finally:
            del self.readers[me]
            self._detach()
            self._read.set()


def _response(stream: _Stream, after: int) -> StarletteResponse:
    with naming_extra('starlette', extra='ui', what='A streaming response'):
        from ._responses import EventResponse
    return EventResponse(stream.read(after), headers=stream.headers, media_type='text/event-stream')


def _refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> StarletteResponse:
    responses = load_extra('starlette.responses', extra='ui', what='A response')
    return responses.JSONResponse({'error': message}, status, headers)
