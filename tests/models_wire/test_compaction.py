"""Histories that providers make shorter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from _wire import Wire, as_json
from kit import anthropic_model, block, chat_model, message, message_events, response, responses_model, text_item

from stead import Agent
from stead.exceptions import UnexpectedModelBehavior, UserError
from stead.messages import CompactionPart, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from stead.models.anthropic import AnthropicCompaction
from stead.models.openai import OpenAICompaction

SUMMARY = {'type': 'compaction', 'id': 'cmp-1', 'encrypted_content': 'sealed'}
COMPACTED = as_json({'id': 'resp-c', 'object': 'response.compaction', 'created_at': 1, 'output': [SUMMARY]})
PAST: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[TextPart('b')])]


def paths(wire: Wire) -> list[str]:
    return [request.path.partition('?')[0] for request in wire.requests]


@pytest.mark.parametrize(
    'build',
    [
        lambda: OpenAICompaction(stateless=True),
        lambda: OpenAICompaction(stateless=True, token_threshold=5, message_count_threshold=5),
        lambda: OpenAICompaction(stateless=False, trigger=lambda _: True),
        lambda: OpenAICompaction(token_threshold=5, message_count_threshold=5),
    ],
)
def test_conditions_that_do_not_go_with_the_way(build: Callable[[], Any]) -> None:
    with pytest.raises(UserError, match='stateless'):
        build()


def test_capabilities_are_told_apart() -> None:
    assert OpenAICompaction(token_threshold=5) == OpenAICompaction(token_threshold=5)
    assert OpenAICompaction(token_threshold=5) != OpenAICompaction(token_threshold=6)
    assert 'token_threshold=60000' in repr(AnthropicCompaction(token_threshold=60000))


def test_a_call_is_not_parted_from_its_return() -> None:
    call = {'type': 'function_call', 'id': 'fc-1', 'call_id': 'call-1', 'name': 'ask', 'arguments': '{}'}
    with Wire(response(call), COMPACTED, response(text_item('done'))) as wire:
        agent = Agent(responses_model(wire), capabilities=[OpenAICompaction(message_count_threshold=2)])

        @agent.tool_plain
        def ask() -> str:
            return 'answer'

        result = agent.run_sync('hi')
    assert result.output == 'done'
    assert paths(wire) == ['/responses', '/responses/compact', '/responses']
    assert [item['content'] for item in wire.bodies[1]['input']] == ['hi']
    assert [item['type'] for item in wire.bodies[2]['input']] == ['compaction', 'function_call', 'function_call_output']
    assert isinstance(result.all_messages()[0].parts[0], CompactionPart)


def test_a_first_message_is_not_summed_up() -> None:
    with Wire(response(text_item('done'))) as wire:
        capability = OpenAICompaction[None](trigger=lambda _: True)
        assert Agent(responses_model(wire), capabilities=[capability]).run_sync('hi').output == 'done'
    assert paths(wire) == ['/responses']


def test_the_summary_costs_what_it_says_and_is_asked_for_as_other_requests_are() -> None:
    with Wire(COMPACTED, response(text_item('done'))) as wire:
        agent = Agent(responses_model(wire), capabilities=[OpenAICompaction(message_count_threshold=1)])
        agent.run_sync('hi', message_history=PAST, model_settings={'extra_headers': {'x-team': 'us'}})
    assert [request.headers['x-team'] for request in wire.requests] == ['us', 'us']


def test_an_answer_without_a_summary() -> None:
    with Wire(as_json({'id': 'resp-c', 'output': []})) as wire:
        agent = Agent(responses_model(wire), capabilities=[OpenAICompaction(message_count_threshold=1)])
        with pytest.raises(UnexpectedModelBehavior, match='no summary'):
            agent.run_sync('hi', message_history=PAST)


def test_a_model_without_the_endpoint() -> None:
    with Wire() as wire:
        agent = Agent(chat_model(wire), capabilities=[OpenAICompaction(message_count_threshold=1)])
        with pytest.raises(UserError, match='OpenAIChatModel'):
            agent.run_sync('hi', message_history=PAST)
    assert wire.requests == []


def test_what_anthropic_seals_goes_back() -> None:
    summary = {'type': 'compaction', 'content': 'short', 'encrypted_content': 'sealed'}
    with Wire(message(summary, {'type': 'text', 'text': 'hello'})) as wire:
        agent = Agent(anthropic_model(wire, 'claude-opus-4-6'), capabilities=[AnthropicCompaction()])
        first = agent.run_sync('hi')
        agent.run_sync('and?', message_history=first.all_messages())
    assert wire.bodies[1]['messages'][1]['content'][0] == summary


def test_summaries_of_others_ask_anthropic_for_nothing() -> None:
    other = ModelResponse(parts=[CompactionPart('short', provider_name='openai'), TextPart('b')])
    with Wire(message({'type': 'text', 'text': 'hello'})) as wire:
        Agent(anthropic_model(wire)).run_sync('hi', message_history=[PAST[0], other])
    assert 'context_management' not in wire.bodies[0]
    assert 'anthropic-beta' not in wire.requests[0].headers


def test_a_summary_in_pieces() -> None:
    pieces = [{'type': 'compaction_delta', 'content': text} for text in ('sh', 'ort')]
    pieces.append({'type': 'compaction_delta', 'content': None, 'encrypted_content': 'sealed'})
    text = block(1, {'type': 'text', 'text': ''}, {'type': 'text_delta', 'text': 'hello'})

    async def main() -> Any:
        async with Agent(anthropic_model(wire)).run_stream('hi') as result:
            assert await result.get_output() == 'hello'
            return result.all_messages()[-1].parts[0]

    with Wire(message_events(block(0, {'type': 'compaction', 'content': None}, *pieces), text)) as wire:
        part = asyncio.run(main())
    assert isinstance(part, CompactionPart)
    assert (part.content, part.provider_details) == ('short', {'encrypted_content': 'sealed'})
