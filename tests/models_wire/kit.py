"""Answers of providers, and models that ask the loopback server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from _bedrock_bodies import (
    answer as bedrock_answer,
    stream as bedrock_stream,
    text as bedrock_text,
    texts as bedrock_texts,
)
from _cohere_bodies import answer as cohere_answer, pieces as cohere_pieces, stream as cohere_stream
from _wire import Reply, Wire, as_json, as_sse
from kit_bedrock import bedrock_model
from kit_cohere import cohere_model
from kit_compatible import openrouter_model
from kit_google import content, google_model, text_events
from kit_groq import groq_answer, groq_chunks, groq_model
from kit_huggingface import huggingface_answer, huggingface_chunks, huggingface_model
from kit_mistral import mistral_answer, mistral_chunks, mistral_model
from kit_outlines import outlines_model

MESSAGE = {'role': 'assistant', 'content': 'hello'}


def completion(message: Any = MESSAGE, reason: str | None = 'stop', **fields: Any) -> Reply:
    return as_json(
        {
            'id': 'c1',
            'object': 'chat.completion',
            'created': 1_700_000_000,
            'model': 'gpt-4o-2024',
            'choices': [{'index': 0, 'message': message, 'finish_reason': reason}],
            'usage': {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15},
            **fields,
        }
    )


def chunk(delta: Any, reason: str | None = None, **fields: Any) -> dict[str, Any]:
    choices = [{'index': 0, 'delta': delta, 'finish_reason': reason}]
    return {
        'id': 'c1',
        'object': 'chat.completion.chunk',
        'created': 1,
        'model': 'gpt-4o',
        'choices': choices,
        **fields,
    }


def chunks(*deltas: Any, reason: str = 'stop') -> Reply:
    return as_sse([*(chunk(delta) for delta in deltas), chunk({}, reason)])


def call(name: str, arguments: str, call_id: str = 'call-1') -> dict[str, Any]:
    calls = [{'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}]
    return {'role': 'assistant', 'content': None, 'tool_calls': calls}


def chat_model(wire: Wire | str, name: str = 'gpt-4o', *, retries: int = 0, **options: Any) -> Any:
    """A chat model whose client tries once, so that faults show at once; it lives as long as the running loop."""
    openai = pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    class Provider(OpenAIProvider):
        def _client_options(self, sdk: Any) -> dict[str, Any]:
            return {**super()._client_options(sdk), 'max_retries': retries}

    url = wire if isinstance(wire, str) else wire.url
    assert openai is not None
    return OpenAIChatModel(name, provider=Provider(base_url=url, api_key='sk-secret-of-ours'), **options)


def anthropic_model(wire: Wire | str, name: str = 'claude-opus-4-5', **options: Any) -> Any:
    """A model of Anthropic whose client tries once."""
    pytest.importorskip('anthropic', reason='the SDK anthropic is not installed')
    from stead.models.anthropic import AnthropicModel
    from stead.providers.anthropic import AnthropicProvider

    class Provider(AnthropicProvider):
        def _client_options(self, sdk: Any) -> dict[str, Any]:
            return {**super()._client_options(sdk), 'max_retries': 0}

    url = wire if isinstance(wire, str) else wire.url
    return AnthropicModel(name, provider=Provider(base_url=url, api_key='sk-secret-of-ours'), **options)


def message(*content: Any, reason: str | None = 'end_turn', **fields: Any) -> Reply:
    usage = {'input_tokens': 10, 'output_tokens': 5}
    head = {'id': 'm1', 'type': 'message', 'role': 'assistant', 'model': 'claude-2025', 'content': list(content)}
    return as_json({**head, 'stop_reason': reason, 'stop_sequence': None, 'usage': usage, **fields})


def block(place: int, content: Any, *deltas: Any) -> list[Any]:
    return [
        {'type': 'content_block_start', 'index': place, 'content_block': content},
        *({'type': 'content_block_delta', 'index': place, 'delta': delta} for delta in deltas),
        {'type': 'content_block_stop', 'index': place},
    ]


def message_events(*blocks: list[Any], reason: str = 'end_turn') -> Reply:
    start = {'id': 'm1', 'type': 'message', 'role': 'assistant', 'model': 'claude-2025', 'content': []}
    start.update(stop_reason=None, stop_sequence=None, usage={'input_tokens': 10, 'output_tokens': 1})
    end = {
        'type': 'message_delta',
        'delta': {'stop_reason': reason, 'stop_sequence': None},
        'usage': {'output_tokens': 5},
    }
    events = [{'type': 'message_start', 'message': start}, *(event for each in blocks for event in each)]
    return as_sse([*events, end, {'type': 'message_stop'}], done=False, named=True)


def text_block(text: str) -> list[Any]:
    return block(0, {'type': 'text', 'text': ''}, {'type': 'text_delta', 'text': text})


def responses_model(wire: Wire | str, name: str = 'gpt-5', **options: Any) -> Any:
    """A model of the Responses API whose client tries once."""
    from stead.models.openai import OpenAIResponsesModel

    return OpenAIResponsesModel(name, provider=chat_model(wire).provider, **options)


def text_item(text: str) -> dict[str, Any]:
    content = [{'type': 'output_text', 'text': text, 'annotations': []}]
    return {'type': 'message', 'id': 'msg-1', 'role': 'assistant', 'status': 'completed', 'content': content}


def body_of_response(*output: Any, status: str = 'completed', **fields: Any) -> dict[str, Any]:
    usage = {'input_tokens': 10, 'output_tokens': 5, 'total_tokens': 15}
    head = {'id': 'resp-1', 'object': 'response', 'created_at': 1_700_000_000, 'model': 'gpt-5-2025', 'status': status}
    return {**head, 'output': list(output), 'usage': usage, **fields}


def response(*output: Any, **fields: Any) -> Reply:
    return as_json(body_of_response(*output, **fields))


def response_events(*events: Any) -> Reply:
    start = {'type': 'response.created', 'response': body_of_response(status='in_progress', usage=None)}
    end = {'type': 'response.completed', 'response': body_of_response()}
    return as_sse([start, *events, end], done=False, named=True)


def text_deltas(*texts: str) -> list[Any]:
    place = {'item_id': 'msg-1', 'output_index': 0, 'content_index': 0}
    return [{'type': 'response.output_text.delta', **place, 'delta': text} for text in texts]


MODELS: dict[str, Callable[..., Any]] = {
    'openai': chat_model,
    'openai-responses': responses_model,
    'anthropic': anthropic_model,
    'openrouter': openrouter_model,
    'groq': groq_model,
    'mistral': mistral_model,
    'google': google_model,
    'huggingface': huggingface_model,
    'cohere': cohere_model,
}
ANSWERS: dict[str, Callable[[str], Reply]] = {
    'openai': lambda text: completion({'role': 'assistant', 'content': text}),
    'openai-responses': lambda text: response(text_item(text)),
    'anthropic': lambda text: message({'type': 'text', 'text': text}),
    'openrouter': lambda text: completion({'role': 'assistant', 'content': text}),
    'groq': lambda text: groq_answer(content=text),
    'mistral': lambda text: mistral_answer(content=text),
    'google': lambda text: content({'text': text}),
    'huggingface': lambda text: huggingface_answer(content=text),
    'cohere': cohere_answer,
    'bedrock': lambda text: bedrock_answer(bedrock_text(text)),
    'outlines': lambda text: completion({'role': 'assistant', 'content': text}),
}
STREAMS: dict[str, Callable[[str], Reply]] = {
    'openai': lambda text: chunks({'content': text}),
    'openai-responses': lambda text: response_events(*text_deltas(text)),
    'anthropic': lambda text: message_events(text_block(text)),
    'openrouter': lambda text: chunks({'content': text}),
    'groq': lambda text: groq_chunks({'content': text}),
    'mistral': lambda text: mistral_chunks({'content': text}),
    'google': text_events,
    'huggingface': lambda text: huggingface_chunks({'content': text}),
    'cohere': lambda text: cohere_stream(cohere_pieces(text)),
    'bedrock': lambda text: bedrock_stream(*bedrock_texts(text)),
    'outlines': lambda text: chunks({'content': text}),
}


def with_typed_method(make: Callable[..., Any]) -> Callable[..., Any]:
    """Models whose requests call the typed method of the SDK, rather than go past it."""

    def make_typed(wire: Wire | str, *args: Any, settings: Any = None, **options: Any) -> Any:
        return make(wire, *args, settings={**(settings or {}), 'wire': 'sdk'}, **options)

    return make_typed


WITH_DOOR = ('openai', 'openai-responses', 'anthropic', 'google', 'groq', 'mistral')
"""The vendors whose models go past the typed method."""
# The client of Bedrock blocks, and is one for all event loops; it is tested on its own where that matters.
BOTH_WAYS = {
    **MODELS,
    'bedrock': bedrock_model,
    # So is that of Outlines.
    'outlines': outlines_model,
    **{f'{vendor}, typed': with_typed_method(MODELS[vendor]) for vendor in WITH_DOOR},
}
