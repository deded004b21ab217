"""What an earlier chunk of a stream counts stays counted when later ones leave it out, or say zero."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Reply, Wire, as_sse
from kit import BOTH_WAYS, chunk, text_block
from kit_google import body_of, google_model, text
from kit_groq import groq_chunk
from kit_mistral import mistral_chunk

from stead import Agent


def test_usage_is_whole_after_chunks_of_google_without_content() -> None:
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


COUNTS = {'prompt_tokens': 5, 'completion_tokens': 4, 'total_tokens': 9, 'prompt_tokens_details': {'cached_tokens': 3}}
LATER = {'prompt_tokens': 0, 'completion_tokens': 6, 'total_tokens': 0, 'prompt_tokens_details': None}


def completions(part: Any) -> Reply:
    return as_sse([part({'content': 'hi'}, usage=COUNTS), part({}, 'stop', usage=LATER)])


def of_anthropic() -> Reply:
    start = {'id': 'm', 'type': 'message', 'role': 'assistant', 'model': 'claude', 'content': [], 'stop_reason': None}
    start['usage'] = {'input_tokens': 2, 'cache_read_input_tokens': 3, 'output_tokens': 4}
    end = {'type': 'message_delta', 'delta': {'stop_reason': 'end_turn'}}
    end['usage'] = {'input_tokens': 0, 'cache_read_input_tokens': 0, 'output_tokens': 6}
    events = [{'type': 'message_start', 'message': start}, *text_block('hi'), end, {'type': 'message_stop'}]
    return as_sse(events, done=False, named=True)


def of_google() -> Reply:
    counts = {'promptTokenCount': 5, 'candidatesTokenCount': 4, 'cachedContentTokenCount': 3}
    later = {'promptTokenCount': 0, 'candidatesTokenCount': 6, 'cachedContentTokenCount': 0}
    chunks = [{**body_of(text('hi'), reason=None), 'usageMetadata': counts}]
    return as_sse([*chunks, {**body_of(text('')), 'usageMetadata': later}], done=False)


STREAMS = {
    'openai': lambda: completions(lambda delta, reason=None, **fields: chunk(delta, reason, **fields)),
    'groq': lambda: completions(lambda delta, reason=None, usage=None: groq_chunk(reason, usage, **delta)),
    'mistral': lambda: completions(lambda delta, reason=None, usage=None: mistral_chunk(reason, usage, **delta)),
    'anthropic': of_anthropic,
    'google': of_google,
}


@pytest.mark.parametrize('vendor', STREAMS)
def test_a_count_that_is_zero_later_is_not_lost(vendor: str) -> None:
    async def main(model: Any) -> Any:
        async with Agent(model).run_stream('x') as result:
            assert await result.get_output() == 'hi'
        return result.all_messages()[-1].usage

    with Wire(STREAMS[vendor]()) as wire:
        usage = asyncio.run(main(BOTH_WAYS[vendor](wire)))
    assert (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) == (5, 3, 6)
