"""Answers of Groq, and models that ask the loopback server."""

from __future__ import annotations

from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse

USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}


def groq_model(wire: Wire | str, name: str = 'llama-3.3-70b-versatile', **options: Any) -> Any:
    """A model on Groq whose client tries once."""
    pytest.importorskip('groq', reason='the SDK groq is not installed')
    from stead.models.groq import GroqModel
    from stead.providers.groq import GroqProvider

    class Provider(GroqProvider):
        def _client_options(self, sdk: Any) -> dict[str, Any]:
            return {**super()._client_options(sdk), 'max_retries': 0}

    url = wire if isinstance(wire, str) else wire.url
    return GroqModel(name, provider=Provider(base_url=url, api_key='sk-secret-of-ours'), **options)


def groq_answer(reason: str = 'stop', **message: Any) -> Reply:
    choice = {'index': 0, 'message': {'role': 'assistant', **message}, 'finish_reason': reason}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1_700_000_000, 'model': 'llama-2024'}
    return as_json({**head, 'choices': [choice], 'usage': USAGE})


def groq_chunk(reason: str | None = None, usage: Any = None, **delta: Any) -> dict[str, Any]:
    choice = {'index': 0, 'delta': delta, 'finish_reason': reason}
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1_700_000_000, 'model': 'llama-2024'}
    return {**head, 'choices': [choice], 'x_groq': {'id': 'r1', 'usage': usage}}


def groq_chunks(*deltas: Any, reason: str = 'stop') -> Reply:
    return as_sse([*(groq_chunk(**delta) for delta in deltas), groq_chunk(reason, USAGE)])


def groq_call(name: str, arguments: str, call_id: str = 'call-1') -> dict[str, Any]:
    return {'index': 0, 'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}


def refused(generation: str) -> dict[str, Any]:
    """The error that says what the model made and Groq could not read."""
    error = {'message': 'Failed to call a function.', 'type': 'invalid_request_error', 'code': 'tool_use_failed'}
    return {'error': {**error, 'failed_generation': generation}}
