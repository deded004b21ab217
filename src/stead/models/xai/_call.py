"""Calls of xAI's API: one that is answered at once, and one that is answered piece by piece.

What the SDK does around a call reads requests and answers for its own telemetry, which fails for arguments that are no JSON
and for values that are newer than it. So these go below it; a client that has no such below is asked as the SDK wants it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Any, TypeVar

from ...exceptions import ModelAPIError
from ...providers.xai import note_cut_short
from .._streaming.fold import Source
from ._errors import timed_out

T = TypeVar('T')


async def sample(client: Any, chat: Any) -> Any:
    """Send a request and return the answer."""
    stub = getattr(client.chat, '_stub', None)
    if stub is None:
        return (await chat.sample()).proto
    try:
        return await stub.GetCompletion(_message(chat))
    except asyncio.CancelledError:
        note_cut_short(client)
        raise


async def upload(client: Any, name: str, data: bytes) -> str:
    """Upload a file and return its id."""
    try:
        return (await client.files.upload(data, filename=name)).id
    except asyncio.CancelledError:
        note_cut_short(client)
        raise


class Chunks(Source):
    """The chunks of a streamed answer, and the call that they come from."""

    def __init__(self, client: Any, chat: Any, model_name: str, timeout: float | None) -> None:
        """Send a request.

        Args:
            client: The client of the SDK.
            chat: The request, as the SDK has it.
            model_name: The model that is asked.
            timeout: The most seconds that a chunk may take.
        """
        stub = getattr(client.chat, '_stub', None)
        self._paired = stub is None
        """Whether each chunk comes together with all that came before it, as the SDK does it."""
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
        note_cut_short(self._client)
        if not self._paired:
            self._call.cancel()
            return
        try:
            await self._call.aclose()
        except RuntimeError:  # somebody waits for its next chunk, and will end it
            return


def _message(chat: Any) -> Any:
    """Return the message for a request, which the SDK would number by itself."""
    message = chat.proto
    message.n = 1
    return message


async def within(awaitable: Awaitable[T], seconds: float | None, model_name: str) -> T:
    """Wait for a call, but no longer than that: the SDK has one timeout for all requests.

    Raises:
        ModelAPIError: It took longer, or its channel was closed meanwhile.
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
        # That is how gRPC says that the call was cancelled, rather than who waits for it.
        raise ModelAPIError(model_name, f'The call of {model_name!r} was closed before it was answered.') from None


def _is_cancelled() -> bool:
    """Return whether the running task is being cancelled, as far as Python says: 3.10 does not."""
    cancelling = getattr(asyncio.current_task(), 'cancelling', None)
    return cancelling is None or cancelling() > 0
