"""Profiles of Alibaba's Qwen models."""

from __future__ import annotations

from . import InlineDefsJsonSchemaTransformer, ModelProfile
from .openai import OpenAIModelProfile


def qwen_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Qwen model by its name."""
    if model_name.startswith('qwen-3-coder'):
        return OpenAIModelProfile(
            json_schema_transformer=InlineDefsJsonSchemaTransformer,
            ignore_streamed_leading_whitespace=True,
            supports_inline_system_prompts=True,
            openai_supports_strict_tool_definition=False,
            openai_supports_tool_choice_required=False,
        )
    return ModelProfile(
        json_schema_transformer=InlineDefsJsonSchemaTransformer, ignore_streamed_leading_whitespace=True
    )


__all__ = ('qwen_model_profile',)
