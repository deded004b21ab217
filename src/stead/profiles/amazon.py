"""Profiles of Amazon's models."""

from __future__ import annotations

from . import InlineDefsJsonSchemaTransformer, ModelProfile


def amazon_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of an Amazon model by its name."""
    return ModelProfile(json_schema_transformer=InlineDefsJsonSchemaTransformer)


__all__ = ('amazon_model_profile',)
