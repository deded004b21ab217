"""Calls of boto3. They block, so each call and each stream runs in a thread."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar

from typing_extensions import ParamSpec, Self

from ..._kit.aio import TimeLimitReached, cancel_and_drain, run_in_executor, within
from ..._kit.sdk_types import SdkObject
from ...exceptions import ModelTimeoutError

T = TypeVar('T')
P = ParamSpec('P')

_headers: ContextVar[Mapping[str, str] | None] = ContextVar('stead_bedrock_headers', default=None)
_HOOK = 'stead-headers'


async def answered(work: Awaitable[T], seconds: float | None, model_name: str) -> T:
    """Wait for a call, with the setting `timeout`: boto3 has one for all requests of a client.

    The thread of a call that takes longer ends when the timeout of the client does, since nothing can interrupt it.

    Raises:
        ModelTimeoutError: It took longer.
    """
    if seconds is None:
        return await work
    try:
        return await within(seconds, work)
    except TimeLimitReached:
        raise ModelTimeoutError(
            model_name, f'{model_name!r} did not answer within {seconds} s, the setting `timeout`.', phase='read'
        ) from None


def send_headers(client: SdkObject, headers: Mapping[str, str] | None) -> None:
    """Send headers with the calls of a client from this task; boto3 has no argument for them."""
    _headers.set(headers or None)
    if headers:
        # A hook with this id is registered once, however often this is called.
        client.meta.events.register_first('request-created.bedrock-runtime', _add_headers, unique_id=_HOOK)


def _add_headers(request: SdkObject, **_: object) -> None:
    for name, value in (_headers.get() or {}).items():
        request.headers[name] = value


class _ReadingFailed:
    """In place of an event: what the thread raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error


_END = object()


class ConverseEvents:
    """The events of a streamed answer. A thread reads them as they come, and reads ahead."""

    def __init__(self, call: Callable[[], Mapping[str, Any]], *, model_name: str, seconds: float | None = None) -> None:
        """Start the call.

        Args:
            call: Sends the request, and returns the answer with its `stream`.
            model_name: The name of the model, for errors.
            seconds: Seconds to wait for the answer and for each event, or `None` for the timeout of the client.
        """
        self._call = call
        self._model_name, self._seconds = model_name, seconds
        self._items: deque[Any] = deque()
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._stream: SdkObject = None
        self._closed = False
        self.request_id: str | None = None
        self._task = asyncio.ensure_future(run_in_executor(self._read))
        self._task.add_done_callback(self._note)

    def _read(self) -> None:
        """Send the request and read the events, in the thread."""
        try:
            answer = self._call()
            self._stream = answer.get('stream')
            self._put({name: answer[name] for name in answer if name != 'stream'})
            for event in self._stream or ():
                if self._closed:
                    break
                self._put(event)
            self._put(_END)
        except Exception as error:
            self._put(_ReadingFailed(error))
        finally:
            with suppress(Exception):
                self._stream.close()

    def _put(self, item: object) -> None:
        self._items.append(item)
        if self._waiter is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _note(self, task: asyncio.Future[None]) -> None:
        """Pass on that there is no thread for the call."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._put(_ReadingFailed(error if isinstance(error, Exception) else RuntimeError(repr(error))))

    async def _next(self) -> Any:
        while not self._items:
            self._waiter = self._loop.create_future()
            try:
                if not self._items:  # what was put before there was a waiter wakes no one
                    await answered(self._waiter, self._seconds, self._model_name)
            finally:
                self._waiter = None
        item = self._items[0]
        if isinstance(item, _ReadingFailed):
            raise item.error
        if item is not _END:
            self._items.popleft()
        return item

    async def opened(self) -> Mapping[str, Any]:
        """Return the answer without its events, once it is there."""
        try:
            return await self._next()
        except BaseException:
            await self.close()
            raise

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        item = await self._next()
        if item is _END:
            raise StopAsyncIteration
        return item

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; a reader that waits gets an error."""
        if self._closed:
            return
        self._closed = True
        if not self._task.done():
            # To close the response would wait for the thread that reads it; to shut its socket down wakes the thread.
            with suppress(Exception):
                self._stream._raw_stream.shutdown()
            self._items.append(_ReadingFailed(ConnectionError('The stream was closed.')))
            self._wake()
            await cancel_and_drain(self._task)
