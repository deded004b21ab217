"""Async streams whose next item can be inspected before it is consumed."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Any, Generic, TypeVar, cast

from typing_extensions import Self, TypeVar as TypeVarWithDefault

from .unset import UNSET, Unset

T = TypeVar('T')
SourceT = TypeVarWithDefault('SourceT', bound=AsyncIterable[Any], default=AsyncIterable[Any])


class PeekableAsyncStream(Generic[T, SourceT]):
    """An async stream whose next item can be inspected before it is consumed; extension packages with models use it."""

    def __init__(self, source: SourceT) -> None:
        self._source = source
        self._iterator: AsyncIterator[T] | None = None
        self._next: T | Unset = UNSET
        self._ended = False

    @property
    def source(self) -> SourceT:
        """The underlying stream."""
        return self._source

    async def peek(self) -> T | Unset:
        """Return the next item and leave it in the stream, or `UNSET` if there is none."""
        if self._next is UNSET and not self._ended:
            if self._iterator is None:
                self._iterator = cast('AsyncIterator[T]', aiter(self._source))
            try:
                self._next = await anext(self._iterator)
            except StopAsyncIteration:
                self._ended = True
        return self._next

    async def is_exhausted(self) -> bool:
        """Return whether there are no more items."""
        return await self.peek() is UNSET

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        item = await self.peek()
        if isinstance(item, Unset):
            raise StopAsyncIteration
        self._next = UNSET
        return item

    async def aclose(self) -> None:
        """Close the underlying stream, if it can be closed."""
        self._ended, self._next = True, UNSET
        close = getattr(self._source if self._iterator is None else self._iterator, 'aclose', None)
        if close is not None:
            await close()
