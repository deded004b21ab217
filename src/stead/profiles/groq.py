"""Profiles of models on Groq."""

from __future__ import annotations

from dataclasses import dataclass

from .._kit.keywords import renamed
from . import ModelProfile


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(kw_only=True)
class GroqModelProfile(ModelProfile):
    """The capabilities of a model on Groq."""

    groq_always_has_web_search_builtin_tool: bool = False
    """Whether it always has web search."""


def groq_model_profile(model_name: str) -> ModelProfile:
    """Return the profile of a model on Groq by its name."""
    return GroqModelProfile(
        groq_always_has_web_search_builtin_tool=model_name.startswith('compound-'),
        supports_thinking='qwen3' in model_name or 'deepseek-r1' in model_name or 'qwq' in model_name,
    )


__all__ = ('GroqModelProfile', 'groq_model_profile')
