"""Profiles of Z.ai's models."""

from __future__ import annotations

from . import ModelProfile


def zai_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Z.ai model by its name; nothing so far."""
    return None


__all__ = ('zai_model_profile',)
