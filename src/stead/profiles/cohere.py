"""What Cohere's models can do."""

from __future__ import annotations

from . import ModelProfile


def cohere_model_profile(model_name: str) -> ModelProfile | None:
    """Return what is known about one of Cohere's models by its name; `None` if that is nothing."""
    if 'reasoning' in model_name:
        return ModelProfile(supports_thinking=True, thinking_always_enabled=True)
    return None


__all__ = ('cohere_model_profile',)
