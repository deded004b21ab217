"""How much memory an answer takes while it comes in and while it is recorded, in multiples of its size."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.capabilities import Journal
from stead.journal import SqliteStore
from stead.messages import ModelMessage, TextPart, ThinkingPart
from stead.models import ModelRequestParameters, ModelResponsePartsManager
from stead.models.function import AgentInfo, FunctionModel


@pytest.fixture
def traced() -> Iterator[None]:
    gc.collect()
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures('traced')
@pytest.mark.parametrize('kind', ['text', 'thinking'])
def test_many_small_pieces_take_little_more_than_their_letters(kind: str) -> None:
    manager = ModelResponsePartsManager(ModelRequestParameters())
    before = tracemalloc.get_traced_memory()[0]
    for number in range(20_000):
        piece = f'{number:5}'
        if kind == 'text':
            list(manager.handle_text_delta(vendor_part_id=0, content=piece))
        else:
            list(manager.handle_thinking_delta(vendor_part_id=0, content=piece))
    held = tracemalloc.get_traced_memory()[0] - before
    assert held < 2 * 100_000, 'as pieces, they would take twelve times as much as their letters'
    (part,) = manager.get_parts()
    assert isinstance(part, (TextPart, ThinkingPart))
    assert part.content == ''.join(f'{number:5}' for number in range(20_000))


@pytest.mark.parametrize('reads', [1, 7, 1024, 1025, 5000])
def test_text_is_whole_whenever_it_is_read(reads: int) -> None:
    manager = ModelResponsePartsManager(ModelRequestParameters())
    text = ''
    for number in range(5000 if reads > 7 else 2100):
        text += (piece := f'{number} ')
        list(manager.handle_text_delta(vendor_part_id=0, content=piece))
        if number % reads == reads - 1:
            assert manager.part_at(0).content == text
    assert [part.content for part in manager.get_parts() if isinstance(part, TextPart)] == [text]


def test_an_answer_is_not_copied_again_and_again_for_a_journal(tmp_path: Path) -> None:
    """When it is recorded, there are its text, and the body of a record with what that is made of."""
    size = 2_000_000
    waits = asyncio.Event()

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        prompt = messages[0].parts[0].content  # type: ignore[union-attr]
        if prompt == 'wait':
            await waits.wait()
        for _ in range(size // 1000 if prompt == 'much' else 1):
            yield 'x' * 1000

    async def run(agent: Agent[None, Any], prompt: str) -> None:
        async with agent.run_stream_events(prompt) as events:
            async for _ in events:
                pass

    async def main() -> tuple[int, int]:
        agent: Agent[None, Any] = Agent(
            FunctionModel(stream_function=respond), capabilities=[Journal(SqliteStore(tmp_path / 'journal'))]
        )
        await run(agent, 'little')
        waiting = asyncio.ensure_future(
            run(agent, 'wait')
        )  # a run that is open keeps the thread of the journal waiting
        await asyncio.sleep(0.02)
        gc.collect()
        gc.disable()
        tracemalloc.start()
        try:
            before = held = tracemalloc.get_traced_memory()[0]
            await run(agent, 'much')
            peak = tracemalloc.get_traced_memory()[1] - before
            for _ in range(1000):  # the thread may still be writing
                if (held := tracemalloc.get_traced_memory()[0] - before) < 0.2 * size:
                    break
                await asyncio.sleep(0.005)
        finally:
            tracemalloc.stop()
            gc.enable()
            waits.set()
            await waiting
        return peak, held

    peak, held = asyncio.run(main())
    assert peak < 4.5 * size
    assert held < 0.2 * size
