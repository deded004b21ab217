"""Profiles of Mistral's models."""

from __future__ import annotations

from . import ModelProfile


def mistral_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Mistral model by its name; `None` if nothing is known."""
    if model_name.startswith('magistral'):
        return ModelProfile(supports_thinking=True, thinking_always_enabled=True)
    return None


__all__ = ('mistral_model_profile',)
