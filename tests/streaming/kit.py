"""Models that stream a script and say when their streams are open, and ways to look at what was streamed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from stead.messages import ModelMessage, ModelRequest, ModelResponse, RetryPromptPart, ToolReturnPart
from stead.models.function import DeltaToolCall, FunctionModel
from stead.models.wrapper import WrapperModel


def script(*responses: Any, seen: list[list[ModelMessage]] | None = None) -> Watched:
    """Return a model that streams one response after the other, and the last one forever.

    Args:
        responses: Lists of what to stream: text, deltas, seconds or events to wait for, and errors to raise.
        seen: Gets the messages of every request.
    """
    turn = 0

    async def stream(messages: list[ModelMessage], info: Any) -> AsyncIterator[Any]:
        nonlocal turn
        check_history(messages)
        if seen is not None:
            seen.append(list(messages))
        response = responses[min(turn, len(responses) - 1)]
        turn += 1
        for item in response:
            if isinstance(item, BaseException):
                raise item
            if isinstance(item, float):
                await asyncio.sleep(item)
            elif isinstance(item, asyncio.Event):
                await item.wait()
            else:
                yield item

    return Watched(FunctionModel(stream_function=stream))


class Watched(WrapperModel):
    """A model that streams all its responses, and counts how many of the streams are open."""

    def __init__(self, wrapped: Any) -> None:
        super().__init__(wrapped)
        self.opened = self.open = 0

    async def request(self, *args: Any, **kwargs: Any) -> Any:
        async with self.request_stream(*args, **kwargs) as response:
            async for _ in response:
                pass
            return response.get()

    @asynccontextmanager
    async def request_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async with self.wrapped.request_stream(*args, **kwargs) as response:
            self.opened += 1
            self.open += 1
            try:
                yield response
            finally:
                self.open -= 1


def in_virtual_time(test: Any) -> Any:
    """Run an async test on a clock that jumps; see `run_in_virtual_time`."""
    test.in_virtual_time = True
    return test


def call(name: str, args: Any = None, call_id: str | None = None, index: int = 0, pieces: int = 2) -> list[Any]:
    """Return a tool call in pieces: the name, then the arguments."""
    text = json.dumps({} if args is None else args)
    size = -(-len(text) // pieces)
    deltas = [{index: DeltaToolCall(json_args=text[at : at + size])} for at in range(0, len(text), size)]
    return [{index: DeltaToolCall(name=name, tool_call_id=call_id or f'id_{name}_{index}')}, *deltas]


def check_history(messages: Sequence[ModelMessage]) -> None:
    """Check what providers insist on: calls are answered once, right after they were made, and nothing else is."""
    calls: set[str] = set()
    for message in messages:
        if isinstance(message, ModelResponse):
            assert not calls, f'calls without an answer: {calls}'
            calls = {part.tool_call_id for part in message.tool_calls}
            continue
        for part in message.parts:
            if isinstance(part, ToolReturnPart) or (isinstance(part, RetryPromptPart) and part.tool_name is not None):
                assert part.tool_call_id in calls, f'an answer to no call: {part}'
                calls.remove(part.tool_call_id)
    assert not calls, f'calls without an answer: {calls}'
    assert isinstance(messages[-1], ModelRequest)


def outline(messages: Sequence[ModelMessage]) -> list[str]:
    """Return a word on every part, and on every response that is not whole."""
    words: list[str] = []
    for message in messages:
        for part in message.parts:
            content = getattr(part, 'content', None) if hasattr(part, 'content') else part.args  # type: ignore[union-attr]
            words.append(f'{part.part_kind}: {content}')
        if isinstance(message, ModelResponse) and message.state != 'complete':
            words.append(message.state)
    return words


def event_names(events: Sequence[Any]) -> list[str]:
    """Return the names of the classes of events."""
    return [type(event).__name__ for event in events]
