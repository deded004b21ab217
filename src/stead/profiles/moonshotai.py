"""Profiles of Moonshot AI's models."""

from __future__ import annotations

from . import ModelProfile


def moonshotai_model_profile(model_name: str) -> ModelProfile | None:
    """Return what is known about one of Moonshot AI's models by its name."""
    return ModelProfile(ignore_streamed_leading_whitespace=True)


__all__ = ('moonshotai_model_profile',)
