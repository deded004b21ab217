"""Streams of Outlines: the texts of an answer become events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from ..._kit.aio import cancel_and_drain
from ..._kit.ids import now_utc
from ...exceptions import ModelAPIError
from ...messages import ModelResponseStreamEvent
from ...profiles import ModelProfile
from .._streaming.fold import ClosableStream
from .._wire_errors import model_errors


class Pieces:
    """The texts of an answer, which a task reads ahead, so that it can be stopped while someone waits for the next one."""

    def __init__(self, read: Callable[[Pieces], Awaitable[None]], model_name: str) -> None:
        """Start to read.

        Args:
            read: Reads the answer, and puts its texts here.
            model_name: The name of the model, for errors.
        """
        self.left = threading.Event()
        """Whether the reader has left."""
        self._model_name = model_name
        self._queue: asyncio.Queue[str | Exception | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.ensure_future(self._run(read))

    async def _run(self, read: Callable[[Pieces], Awaitable[None]]) -> None:
        try:
            await read(self)
        except Exception as error:
            self.put(error)
        else:
            self.put(None)

    def put(self, text: str | Exception | None) -> None:
        """Pass on a text, an error, or `None` for the end, from any thread, in order."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._queue.put_nowait, text)

    def __aiter__(self) -> Pieces:
        return self

    async def __anext__(self) -> str:
        item = await self._queue.get()
        if isinstance(item, str):
            return item
        self._queue.put_nowait(item)  # for those who ask again
        if item is None:
            raise StopAsyncIteration
        raise item

    async def close(self) -> None:
        """Stop the model at its next text; a reader that waits gets a `ModelAPIError`."""
        if not self.left.is_set():
            self.left.set()
            self._queue.put_nowait(ModelAPIError(self._model_name, f'The stream of {self._model_name!r} was closed.'))
        await cancel_and_drain(self._task)


@dataclass
class OutlinesStreamedResponse(ClosableStream):
    """The streamed response of an `OutlinesModel`."""

    _model_name: str
    _model_profile: ModelProfile
    _response: Pieces
    _provider_name: str
    _provider_url: str | None = None
    _timestamp: datetime = field(default_factory=now_utc)
    _first: str = ''
    """The first text. It was read to check that there is an answer."""
    _translate: Callable[[Exception], Exception] | None = None
    """Returns stead's error for one of the model."""

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        for event in self._events(self._first):
            yield event
        with model_errors(self._translate or (lambda error: error)):
            async for text in self._response:
                for event in self._events(text):
                    yield event

    def _events(self, text: str) -> Iterator[ModelResponseStreamEvent]:
        if not text:
            return iter(())
        return self._parts_manager.handle_text_delta(
            vendor_part_id='content',
            content=text,
            thinking_tags=self._model_profile.thinking_tags,
            ignore_leading_whitespace=self._model_profile.ignore_streamed_leading_whitespace,
        )

    @property
    def provider_url(self) -> str | None:
        """The URL that the response comes from: none."""
        return self._provider_url
