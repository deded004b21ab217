"""Calls of xAI's API: for a complete response, for a stream, and for uploads.

The SDK's own methods read requests and responses for telemetry, and fail for tool arguments that are not JSON and for enum
values that are newer than the SDK. These functions use the gRPC stub of the client instead, and fall back to the SDK's
methods for clients without one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Any, TypeVar

from ...exceptions import ModelAPIError
from ...providers.xai import note_cancelled_call
from .._streaming.fold import EventStream
from ._errors import timed_out

T = TypeVar('T')


async def sample(client: Any, chat: Any) -> Any:
    """Send a request, and return the response message."""
    stub = getattr(client.chat, '_stub', None)
    if stub is None:
        return (await chat.sample()).proto
    try:
        return await stub.GetCompletion(_message(chat))
    except asyncio.CancelledError:
        note_cancelled_call(client)
        raise


async def upload(client: Any, name: str, data: bytes) -> str:
    """Upload a file, and return its id."""
    try:
        return (await client.files.upload(data, filename=name)).id
    except asyncio.CancelledError:
        note_cancelled_call(client)
        raise


class ChunkStream(EventStream):
    """The chunks of a streamed response, and the gRPC call that they come from."""

    def __init__(self, client: Any, chat: Any, model_name: str, timeout: float | None) -> None:
        """Send a request.

        Args:
            client: The client of the SDK.
            chat: The request, as an object of the SDK.
            model_name: The name of the model.
            timeout: Seconds to wait for each chunk, or `None` for no limit.
        """
        stub = getattr(client.chat, '_stub', None)
        self._paired = stub is None
        """Whether the items are pairs of the response so far and a chunk, as the SDK's method yields them."""
        self._call: Any = chat.stream() if stub is None else stub.GetCompletionChunk(_message(chat))
        self._items: Any = self._call.__aiter__()
        self._model_name, self._timeout = model_name, timeout
        self._client, self._ended = client, False
        super().__init__(self._read(), self._end)

    async def _read(self) -> AsyncIterator[Any]:
        while True:
            try:
                item: Any = await within(self._items.__anext__(), self._timeout, self._model_name)
            except StopAsyncIteration:
                self._ended = True
                return
            yield item[1].proto if self._paired else item

    async def _end(self) -> None:
        """End the call, if it has not ended."""
        if self._ended:
            return
        self._ended = True
        note_cancelled_call(self._client)
        if not self._paired:
            self._call.cancel()
            return
        try:
            await self._call.aclose()
        except RuntimeError:  # the generator is running: its reader ends it
            return


def _message(chat: Any) -> Any:
    """Return the message for a request, with the number of responses, which the SDK's methods would set."""
    message = chat.proto
    message.n = 1
    return message


async def within(awaitable: Awaitable[T], seconds: float | None, model_name: str) -> T:
    """Wait for a call with a timeout of its own: the SDK has one timeout for all requests.

    Args:
        awaitable: The call.
        seconds: The timeout, or `None` for that of the SDK.
        model_name: The name of the model, for errors.

    Raises:
        ModelAPIError: The call timed out, or its channel was closed.
    """

    async def wait() -> T:
        return await awaitable

    try:
        return await (awaitable if seconds is None else asyncio.wait_for(wait(), seconds))
    except asyncio.TimeoutError:
        raise timed_out(model_name, seconds or 0) from None
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        # gRPC raises `CancelledError` as well if the call is cancelled, rather than the task that waits for it.
        raise ModelAPIError(model_name, f'The call of {model_name!r} was closed before it was answered.') from None


def _is_cancelled() -> bool:
    """Return whether the running task is being cancelled; on Python 3.10, which cannot tell, always `True`."""
    cancelling = getattr(asyncio.current_task(), 'cancelling', None)
    return cancelling is None or cancelling() > 0
