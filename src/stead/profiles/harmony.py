"""Profiles of OpenAI's open models, which use the harmony format."""

from __future__ import annotations

from . import ModelProfile
from .openai import OpenAIModelProfile, openai_model_profile


def harmony_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model that uses the harmony format, such as `gpt-oss`."""
    known = openai_model_profile(model_name)
    return OpenAIModelProfile(
        openai_supports_tool_choice_required=False, ignore_streamed_leading_whitespace=True
    ).update(known)


__all__ = ('harmony_model_profile',)
