"""Providers that speak OpenAI's protocol in their own way; what all of them do is in the recorded cases."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Wire, as_json, as_sse
from kit import call, chat_model, chunk, completion
from kit_compatible import cerebras_model, openrouter_model

from stead import Agent, BinaryContent, ModelHTTPError, UserError
from stead.exceptions import ModelAPIError
from stead.messages import (
    CachePoint,
    InstructionPart,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    UserPromptPart,
    VideoUrl,
)
from stead.models import ModelRequestParameters as P
from stead.models.fallback import FallbackModel
from stead.models.openrouter import OpenRouterModelSettings
from stead.models.test import TestModel
from stead.output import OutputObjectDefinition
from stead.profiles import ModelProfile

SIGNED = {'type': 'reasoning.text', 'text': 'because', 'signature': 'sig', 'format': 'anthropic-claude-v1', 'index': 0}
OPUS = 'anthropic/claude-opus-4.5'


def ask(model: Any, *messages: Any, settings: Any = None, params: P | None = None) -> ModelResponse:
    sent = list(messages) or [ModelRequest(parts=[UserPromptPart('hi')])]
    return asyncio.run(model.request(sent, settings, params or P()))


def stream(model: Any) -> ModelResponse:
    async def main() -> ModelResponse:
        async with model.request_stream([ModelRequest(parts=[UserPromptPart('hi')])], None, P()) as response:
            async for _ in response:
                pass
            return response.get()

    return asyncio.run(main())


def answered(*details: Any, **fields: Any) -> Any:
    message = {'role': 'assistant', 'content': 'hi', 'reasoning_details': list(details), **fields}
    return completion(message, provider='Vendor')


# OpenRouter: reasoning


def test_reasoning_goes_back_as_it_came() -> None:
    message = {**call('look', '{}'), 'reasoning_details': [SIGNED]}
    with Wire(completion(message, 'tool_calls'), completion()) as wire:
        agent = Agent(openrouter_model(wire, OPUS), tools=[look])
        result = agent.run_sync('hi')
        sent = wire.bodies[1]['messages'][1]
    thinking = result.all_messages()[1].parts[0]
    assert isinstance(thinking, ThinkingPart)
    assert (thinking.content, thinking.signature) == ('because', 'sig')
    assert sent['reasoning_details'] == [{**SIGNED, 'id': None}]
    assert 'reasoning' not in sent


def look() -> str:
    return 'nothing'


def test_reasoning_of_kinds_to_come_is_read_as_text() -> None:
    with Wire(answered({'type': 'reasoning.dance', 'steps': 3}, reasoning='in short')) as wire:
        thinking, text = ask(openrouter_model(wire)).parts
    assert isinstance(thinking, ThinkingPart)
    assert (thinking.content, thinking.id, text) == ('in short', 'reasoning', TextPart('hi'))


def test_reasoning_that_is_only_signed() -> None:
    with Wire(answered({**SIGNED, 'text': None})) as wire:
        thinking = ask(openrouter_model(wire)).parts[0]
    assert isinstance(thinking, ThinkingPart)
    assert (thinking.content, thinking.signature) == ('', 'sig')


def test_streamed_reasoning_without_details() -> None:
    with Wire(
        as_sse([chunk({'reasoning': 'be'}), chunk({'reasoning': 'cause'}), chunk({'content': 'a'}, 'stop')])
    ) as wire:
        thinking, text = stream(openrouter_model(wire)).parts
    assert isinstance(thinking, ThinkingPart)
    assert (thinking.content, text) == ('because', TextPart('a'))


def test_pieces_of_reasoning_stay_apart_by_their_index() -> None:
    pieces = [{**SIGNED, 'text': 'one', 'signature': '1'}, {**SIGNED, 'text': 'two', 'signature': '2', 'index': 1}]
    events = [*(chunk({'reasoning_details': [piece]}) for piece in pieces), chunk({'content': 'a'}, 'stop')]
    with Wire(as_sse(events)) as wire:
        parts = stream(openrouter_model(wire)).parts[:2]
    assert [(part.content, part.signature) for part in parts if isinstance(part, ThinkingPart)] == [
        ('one', '1'),
        ('two', '2'),
    ]


def test_thinking_that_came_without_details_stays_here() -> None:
    history = ModelResponse(parts=[ThinkingPart('x', provider_name='openrouter', provider_details={'mine': 1})])
    with Wire(completion()) as wire:
        ask(openrouter_model(wire), history, ModelRequest(parts=[UserPromptPart('hi')]))
        assert wire.bodies[0]['messages'] == [{'role': 'user', 'content': 'hi'}]


# OpenRouter: what it says of its answers

USAGE = {
    'prompt_tokens': 10,
    'completion_tokens': 5,
    'cost': 0.25,
    'cost_details': {'upstream_inference_cost': 0.1},
    'is_byok': True,
    'completion_tokens_details': {'audio_tokens': 1},
}
COSTS = {'downstream_provider': 'Vendor', 'cost': 0.25, 'upstream_inference_cost': 0.1, 'is_byok': True}


def test_costs_are_in_the_details_of_the_response() -> None:
    with Wire(completion(provider='Vendor', usage=USAGE)) as wire:
        response = ask(openrouter_model(wire))
    assert response.provider_details is not None
    assert COSTS.items() <= response.provider_details.items()


def test_costs_of_a_stream() -> None:
    end = {**chunk({}, choices=[]), 'choices': [], 'usage': USAGE}
    with Wire(as_sse([chunk({'content': 'a'}, 'stop', provider='Vendor'), end])) as wire:
        response = stream(openrouter_model(wire))
    assert response.provider_details is not None
    assert COSTS.items() <= response.provider_details.items()
    assert (response.usage.output_audio_tokens, response.usage.details['is_byok']) == (1, True)


def test_an_answer_that_does_not_say_whose_it_is() -> None:
    with Wire(completion(provider=None)) as wire:
        response = ask(openrouter_model(wire))
    assert 'downstream_provider' not in (response.provider_details or {})


def test_a_refusal_in_a_stream_says_whose_it_is() -> None:
    with Wire(as_sse([chunk({'refusal': 'no'}, provider='Vendor'), chunk({}, 'stop')])) as wire:
        details = stream(openrouter_model(wire)).provider_details
    assert details is not None
    assert (details['refusal'], details['downstream_provider']) == ('no', 'Vendor')
    assert 'finish_reason' not in details


@pytest.mark.parametrize('streamed', [False, True])
def test_an_answer_that_broke_off_keeps_its_error(streamed: bool) -> None:
    error = {'code': 502, 'message': 'boom'}
    choice = {'index': 0, 'finish_reason': 'error', 'error': error}
    whole = {**choice, 'message': {'role': 'assistant', 'content': 'a'}}
    reply = as_sse([chunk({}, choices=[{**choice, 'delta': {'content': 'a'}}])])
    with Wire(reply if streamed else completion(choices=[whole])) as wire:
        response = (stream if streamed else ask)(openrouter_model(wire))
    assert (response.finish_reason, response.parts) == ('error', [TextPart('a')])
    assert (response.provider_details or {})['error'] == error


# Errors in the body of an answer that otherwise says all is well

MODELS_BY_PROVIDER = {'openrouter': openrouter_model, 'cerebras': cerebras_model, 'openai': chat_model}


@pytest.mark.parametrize('provider', MODELS_BY_PROVIDER)
@pytest.mark.parametrize('code', [429, '429'])
@pytest.mark.parametrize('streamed', ['no', 'first', 'later'])
def test_errors_in_the_body(provider: str, code: Any, streamed: str) -> None:
    error = {'code': code, 'message': 'boom', 'metadata': {'provider_name': 'Vendor'}}
    events = [chunk({'content': 'a'}), chunk({}, error=error)][streamed == 'first' :]
    with Wire(as_json({'error': error}) if streamed == 'no' else as_sse(events)) as wire:
        model = MODELS_BY_PROVIDER[provider](wire)
        with pytest.raises(ModelHTTPError, match='boom') as caught:
            (ask if streamed == 'no' else stream)(model)
    assert (caught.value.status_code, caught.value.body) == (429, error)


@pytest.mark.parametrize('provider', MODELS_BY_PROVIDER)
@pytest.mark.parametrize('streamed', [False, True])
@pytest.mark.parametrize(
    'error', [{'message': 'boom'}, {'message': 'boom', 'code': 'odd'}, {'message': 'boom', 'code': 1}]
)
def test_errors_without_a_status(provider: str, streamed: bool, error: Any) -> None:
    with Wire(as_sse([chunk({}, error=error)]) if streamed else as_json({'error': error})) as wire:
        model = MODELS_BY_PROVIDER[provider](wire)
        with pytest.raises(ModelAPIError, match=f'{model.model_name!r} reports: boom') as caught:
            (stream if streamed else ask)(model)
    assert not isinstance(caught.value, ModelHTTPError)


def test_errors_of_the_body_do_not_show_the_key() -> None:
    error = {'code': 401, 'message': 'bad key sk-secret-of-ours'}
    with Wire(as_json({'error': error})) as wire, pytest.raises(ModelHTTPError) as caught:
        ask(openrouter_model(wire))
    assert 'sk-secret' not in str(caught.value)


def test_another_model_answers_after_an_error_in_the_body() -> None:
    with Wire(as_json({'error': {'code': 502, 'message': 'boom'}})) as wire:
        agent = Agent(FallbackModel(openrouter_model(wire), TestModel()))
        assert agent.run_sync('hi').output == 'success (no tool calls)'


# OpenRouter: requests


def test_settings_of_the_model_and_of_a_run_together() -> None:
    own = OpenRouterModelSettings(openrouter_models=['a/b'], openrouter_usage={'include': True})
    with Wire(completion()) as wire:
        agent = Agent(openrouter_model(wire, settings=own))
        settings = OpenRouterModelSettings(openrouter_models=['c/d'], openrouter_preset='mine')
        agent.run_sync('hi', model_settings=settings)
        body = wire.bodies[0]
    assert (body['models'], body['preset'], body['usage']) == (['c/d'], 'mine', {'include': True})
    assert settings == {'openrouter_models': ['c/d'], 'openrouter_preset': 'mine'}


def test_cache_points_need_something_before_them() -> None:
    first = ModelRequest(parts=[UserPromptPart([CachePoint(), 'a'])])
    with Wire(completion()) as wire:
        with pytest.raises(UserError, match='`CachePoint` caches what is before it'):
            ask(openrouter_model(wire, OPUS), first)
        ask(openrouter_model(wire), first)  # models that cache on their own are not told where


def test_what_changes_is_not_cached_wherever_it_is() -> None:
    """System prompts in the middle of the conversation do not move the place."""
    parts = [InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]
    messages = [
        ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart('hi')]),
        ModelResponse(parts=[TextPart('x')]),
        ModelRequest(parts=[SystemPromptPart('later'), UserPromptPart('so?')]),
    ]
    with Wire(completion()) as wire:
        settings = OpenRouterModelSettings(openrouter_cache_instructions=True)
        ask(openrouter_model(wire, OPUS), *messages, settings=settings, params=P(instruction_parts=parts))
        sent = wire.bodies[0]['messages']
    cached = [block['text'] for item in sent if isinstance(item['content'], list) for block in item['content']]
    assert cached == ['A']


def test_videos_are_sent_as_urls() -> None:
    content = ['look', VideoUrl('https://a.b/c.mp4'), BinaryContent(b'mp4', media_type='video/mp4')]
    with Wire(completion()) as wire:
        ask(openrouter_model(wire), ModelRequest(parts=[UserPromptPart(content)]))
        sent = wire.bodies[0]['messages'][0]['content']
    assert [item.get('video_url', {}).get('url') for item in sent] == [
        None,
        'https://a.b/c.mp4',
        'data:video/mp4;base64,bXA0',
    ]


def test_a_video_that_is_to_be_downloaded_first() -> None:
    """Its link is asked for, and is not public."""
    link = VideoUrl('http://127.0.0.1:1/a.mp4', force_download=True)
    with Wire(completion()) as wire, pytest.raises(UserError, match='127.0.0.1'):
        ask(openrouter_model(wire), ModelRequest(parts=[UserPromptPart(['look', link])]))


# Cerebras


def test_reasoning_of_cerebras_is_turned_off_by_either_setting() -> None:
    with Wire(completion()) as wire:
        model = cerebras_model(wire, settings={'cerebras_disable_reasoning': True})
        for settings in ({}, {'cerebras_disable_reasoning': False}, {'thinking': 'high'}):
            ask(model, settings=settings)
        ask(cerebras_model(wire), settings={'thinking': False})
        ask(cerebras_model(wire))
    assert [body.get('disable_reasoning') for body in wire.bodies] == [True, False, True, True, None]
    assert not any('reasoning_effort' in body for body in wire.bodies)


# Ollama


@pytest.mark.parametrize(
    ('url', 'name', 'has_schemas'),
    [
        ('http://localhost:11434/v1', 'qwen3', True),
        ('http://localhost:11434/v1', 'gpt-oss:120b-cloud', False),
        ('http://localhost:11434/v1', 'glm-4.6:cloud', False),
        ('https://ollama.com/v1', 'qwen3', False),
        ('https://api.OLLAMA.com', 'qwen3', False),
        ('https://notollama.com/v1', 'qwen3', True),
        ('https://ollama.com.example/v1', 'qwen3', True),
    ],
)
def test_models_in_ollamas_cloud_are_not_held_to_schemas(url: str, name: str, has_schemas: bool) -> None:
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.ollama import OllamaModel
    from stead.providers.ollama import OllamaProvider

    provider = OllamaProvider(base_url=url)
    model = OllamaModel(name, provider=provider)
    assert model.profile.supports_json_schema_output is has_schemas
    assert model.profile.supports_json_object_output
    knows_better = ModelProfile(supports_json_schema_output=True)
    assert OllamaModel(name, provider=provider, profile=knows_better).profile.supports_json_schema_output
    if not has_schemas:
        with pytest.raises(UserError, match=f"The model '{name}' does not support native structured output"):
            model.prepare_request(None, P(output_mode='native', output_object=OutputObjectDefinition(json_schema={})))
