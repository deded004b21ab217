"""Answers of Mistral, and models that ask the loopback server."""

from __future__ import annotations

from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse

USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}


def mistral_model(wire: Wire | str, name: str = 'mistral-large-latest', **options: Any) -> Any:
    """A model of Mistral; its client tries once anyway."""
    pytest.importorskip('mistralai.client', reason='the SDK mistralai is not installed')
    from stead.models.mistral import MistralModel
    from stead.providers.mistral import MistralProvider

    url = wire if isinstance(wire, str) else wire.url
    return MistralModel(name, provider=MistralProvider(base_url=url, api_key='sk-secret-of-ours'), **options)


def mistral_answer(reason: str = 'stop', **message: Any) -> Reply:
    choice = {'index': 0, 'message': {'role': 'assistant', **message}, 'finish_reason': reason}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1_700_000_000, 'model': 'mistral-2024'}
    return as_json({**head, 'choices': [choice], 'usage': USAGE})


def mistral_chunk(reason: str | None = None, usage: Any = None, **delta: Any) -> dict[str, Any]:
    choice = {'index': 0, 'delta': delta, 'finish_reason': reason}
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1_700_000_000, 'model': 'mistral-2024'}
    return {**head, 'choices': [choice], **({'usage': usage} if usage else {})}


def mistral_chunks(*deltas: Any, reason: str = 'stop') -> Reply:
    return as_sse([*(mistral_chunk(**delta) for delta in deltas), mistral_chunk(reason, USAGE, content='')])


def mistral_call(name: str, arguments: Any, call_id: str = 'call-1', place: int = 0) -> dict[str, Any]:
    return {'index': place, 'id': call_id, 'function': {'name': name, 'arguments': arguments}}


def thought(*texts: str) -> dict[str, Any]:
    return {'type': 'thinking', 'thinking': [{'type': 'text', 'text': text} for text in texts]}
