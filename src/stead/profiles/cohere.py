"""Profiles of Cohere's models."""

from __future__ import annotations

from . import ModelProfile


def cohere_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Cohere model by its name; `None` if nothing is known."""
    if 'reasoning' in model_name:
        return ModelProfile(supports_thinking=True, thinking_always_enabled=True)
    return None


__all__ = ('cohere_model_profile',)
