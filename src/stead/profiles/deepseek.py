"""Profiles of DeepSeek's models."""

from __future__ import annotations

from . import ModelProfile


def deepseek_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a DeepSeek model by its name."""
    always = 'r1' in model_name or 'reasoner' in model_name
    return ModelProfile(
        supports_thinking=always or 'v4' in model_name,
        thinking_always_enabled=always,
        ignore_streamed_leading_whitespace=always,
    )


__all__ = ('deepseek_model_profile',)
