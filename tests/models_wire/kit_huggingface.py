"""Answers of Hugging Face, and models that ask the loopback server."""

from __future__ import annotations

from typing import Any

import pytest
from _huggingface_bodies import USAGE, call, chunk, completion
from _wire import Reply, Wire, as_sse


def huggingface_model(wire: Wire | str, name: str = 'Qwen/Qwen3-32B', **options: Any) -> Any:
    """A model behind Hugging Face; its client tries once anyway."""
    pytest.importorskip('huggingface_hub', reason='the package huggingface-hub is not installed')
    from stead.models.huggingface import HuggingFaceModel
    from stead.providers.huggingface import HuggingFaceProvider

    url = wire if isinstance(wire, str) else wire.url
    return HuggingFaceModel(name, provider=HuggingFaceProvider(base_url=url, api_key='sk-secret-of-ours'), **options)


def huggingface_answer(reason: str = 'stop', **message: Any) -> Reply:
    return completion(message, reason)


def huggingface_chunks(*deltas: Any, reason: str = 'stop') -> Reply:
    return as_sse([*(chunk(delta) for delta in deltas), chunk({'content': ''}, reason, usage=USAGE)])


__all__ = ('call', 'chunk', 'huggingface_answer', 'huggingface_chunks', 'huggingface_model')
