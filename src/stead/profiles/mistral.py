"""What Mistral's models can do."""

from __future__ import annotations

from . import ModelProfile


def mistral_model_profile(model_name: str) -> ModelProfile | None:
    """Return what is known about one of Mistral's models by its name; `None` if that is nothing."""
    if model_name.startswith('magistral'):
        return ModelProfile(supports_thinking=True, thinking_always_enabled=True)
    return None


__all__ = ('mistral_model_profile',)
