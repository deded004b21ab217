"""What vendors report of reasoning, of caches that last for an hour, and of costs."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest
from _vendors import completion, message, response, text_item
from _wire import Wire
from kit import BOTH_WAYS

from stead import Agent
from stead.usage import RunUsage

HI = {'role': 'assistant', 'content': 'hi'}


def used(vendor: str, reply: Any) -> RunUsage:
    async def main() -> RunUsage:
        with Wire(reply) as wire:
            return (await Agent(BOTH_WAYS[vendor](wire)).run('q')).usage

    return asyncio.run(main())


def test_reasoning_is_counted() -> None:
    counts = {'prompt_tokens': 5, 'completion_tokens': 9, 'completion_tokens_details': {'reasoning_tokens': 7}}
    assert used('openai', completion(HI, usage=counts)).output_reasoning_tokens == 7
    items = {'input_tokens': 5, 'output_tokens': 9, 'output_tokens_details': {'reasoning_tokens': 6}}
    assert used('openai-responses', response(text_item('hi'), usage=items)).output_reasoning_tokens == 6


@pytest.mark.parametrize('vendor', ['anthropic', 'anthropic, typed'])
def test_what_is_cached_for_an_hour_is_counted(vendor: str) -> None:
    written = {'ephemeral_5m_input_tokens': 2, 'ephemeral_1h_input_tokens': 3}
    counts = {'input_tokens': 1, 'output_tokens': 1, 'cache_creation_input_tokens': 5, 'cache_creation': written}
    usage = used(vendor, message({'type': 'text', 'text': 'hi'}, usage=counts))
    assert (usage.cache_write_tokens, usage.cache_write_1h_tokens) == (5, 3)


@pytest.mark.parametrize(('cost', 'known'), [(0.25, Decimal('0.25')), ('a lot', None), (-1, None), (None, None)])
def test_the_cost_that_openrouter_reports_is_that_of_the_run(cost: Any, known: Decimal | None) -> None:
    counts = {'prompt_tokens': 5, 'completion_tokens': 9, 'cost': cost}
    usage = used('openrouter', completion(HI, usage=counts))
    assert usage.cost == known and usage.input_tokens == 5
