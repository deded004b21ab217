"""A response of Starlette that streams the events of a run."""

from __future__ import annotations

from typing import Any

import anyio
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

STALLED_SECONDS = 60.0
"""A client that has read nothing for so long has left."""
QUIET_SECONDS = 15.0
"""After so long without an event, a comment is sent: proxies take a connection without any data for dead."""
_COMMENT = b':\n\n'


class EventResponse(StreamingResponse):
    """A streaming response that ends with its client: what makes its events is closed at once, wherever it stands.

    Starlette's own waits for the next event with some servers, and leaves an iterator that it does not read any longer to the
    garbage collector, which would let a run continue.
    """

    stalled_seconds = STALLED_SECONDS
    """How long a client may read nothing, in seconds."""
    quiet_seconds = QUIET_SECONDS
    """How long nothing is sent, in seconds, until a comment is."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream the events until they end, or the client has left."""
        watch = _Watch(send)
        failure: BaseException | None = None

        async def until_gone() -> None:
            while (await receive())['type'] != 'http.disconnect':
                pass
            group.cancel_scope.cancel()

        async def until_stalled() -> None:
            quiet = self.quiet_seconds if self.media_type == 'text/event-stream' else None
            while not await watch.is_stalled(self.stalled_seconds, quiet):
                pass
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(until_gone)
            group.start_soon(until_stalled)
            try:
                await self.stream_response(watch.send)
            except (OSError, ClientDisconnect):  # how servers say that the client has left while it is written to
                pass
            except Exception as error:  # raised below: a task group would wrap it
                failure = error
            finally:
                group.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    await _close(self.body_iterator)
        if failure is not None:
            raise failure
        if self.background is not None:
            await self.background()


class _Watch:
    """Notes when something is sent, and how long that takes."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._since = anyio.current_time()
        self._is_sending = True  # the beginning, before which nothing else may be sent

    async def send(self, message: Message) -> None:
        self._since, self._is_sending = anyio.current_time(), True
        await self._send(message)
        self._is_sending = message['type'] == 'http.response.body' and not message.get(
            'more_body'
        )  # nothing after the last

    async def is_stalled(self, stalled: float, quiet: float | None) -> bool:
        """Wait a while, send a comment if nothing was sent for long, and return whether the client reads nothing."""
        await anyio.sleep(min(stalled, quiet or stalled) / 4)
        waited = anyio.current_time() - self._since
        if not self._is_sending and quiet is not None and waited >= quiet:
            with anyio.move_on_after(stalled) as limit:
                await self.send({'type': 'http.response.body', 'body': _COMMENT, 'more_body': True})
            if limit.cancelled_caught:
                return True
        return self._is_sending and waited >= stalled


async def _close(iterator: Any) -> None:
    close = getattr(iterator, 'aclose', None)
    if close is not None:
        await close()
