"""Answers of Google, and models that ask the loopback server."""

from __future__ import annotations

from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse

USAGE = {'promptTokenCount': 10, 'candidatesTokenCount': 5, 'totalTokenCount': 15}


def google_model(wire: Wire | str, name: str = 'gemini-2.5-flash', **options: Any) -> Any:
    """A model of the Gemini API."""
    pytest.importorskip('google.genai', reason='the SDK google-genai is not installed')
    from stead.models.google import GoogleModel
    from stead.providers.google import GoogleProvider

    url = wire if isinstance(wire, str) else wire.url
    return GoogleModel(name, provider=GoogleProvider(base_url=url, api_key='sk-secret-of-ours'), **options)


def cloud_model(wire: Wire | str, name: str = 'gemini-2.5-flash', **options: Any) -> Any:
    """A model on Google Cloud."""
    pytest.importorskip('google.genai', reason='the SDK google-genai is not installed')
    from stead.models.google import GoogleModel
    from stead.providers.google_cloud import GoogleCloudProvider

    url = wire if isinstance(wire, str) else wire.url
    return GoogleModel(name, provider=GoogleCloudProvider(base_url=url, api_key='sk-secret-of-ours'), **options)


def body_of(*parts: Any, reason: str | None = 'STOP', candidate: Any = None, **fields: Any) -> dict[str, Any]:
    content: dict[str, Any] = {'content': {'role': 'model', 'parts': list(parts)}, 'index': 0}
    if reason is not None:
        content['finishReason'] = reason
    head = {'responseId': 'r1', 'modelVersion': 'gemini-x-001', 'usageMetadata': USAGE}
    return {'candidates': [{**content, **(candidate or {})}], **head, **fields}


def content(*parts: Any, **fields: Any) -> Reply:
    return as_json(body_of(*parts, **fields))


def content_events(*chunks: Any, reason: str = 'STOP') -> Reply:
    """A stream in which each chunk has one part, and the last one says why it ended."""
    return as_sse([*(body_of(chunk, reason=None) for chunk in chunks), body_of(text(''), reason=reason)], done=False)


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {'text': words, **fields}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {'functionCall': {'name': name, 'args': arguments}}


def text_events(words: str) -> Reply:
    return content_events(text(words[:1]), text(words[1:]))
