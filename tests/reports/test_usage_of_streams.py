"""What an earlier chunk of a stream counts stays counted when later ones leave it out."""

from __future__ import annotations

import asyncio
from typing import Any

from _wire import Wire, as_sse
from kit_google import google_model

from stead import Agent


def test_chunks_of_google_without_content_and_with_part_of_the_usage() -> None:
    counts = {'promptTokenCount': 5, 'candidatesTokenCount': 2, 'totalTokenCount': 7, 'cachedContentTokenCount': 3}
    last = {'promptTokenCount': 5, 'candidatesTokenCount': 4, 'totalTokenCount': 9}

    def chunk(content: Any, usage: Any, **fields: Any) -> Any:
        return {'candidates': [{'content': content, **fields}], 'usageMetadata': usage}

    text = {'role': 'model', 'parts': [{'text': 'hi'}]}
    chunks = [{'usageMetadata': counts}, {'candidates': []}, chunk(None, counts), chunk({'role': 'model'}, counts)]
    chunks += [chunk(text, counts), chunk({'parts': []}, last, finishReason='STOP')]

    async def main(model: Any) -> None:
        async with Agent(model).run_stream('x') as result:
            assert await result.get_output() == 'hi'
        response = result.all_messages()[-1]
        assert response.finish_reason == 'stop'
        usage = response.usage
        assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (5, 4, 3)

    with Wire(as_sse(chunks, done=False)) as wire:
        asyncio.run(main(google_model(wire)))
