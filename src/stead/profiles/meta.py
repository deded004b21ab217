"""Profiles of Meta's models."""

from __future__ import annotations

from . import InlineDefsJsonSchemaTransformer, ModelProfile


def meta_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Meta model by its name."""
    return ModelProfile(json_schema_transformer=InlineDefsJsonSchemaTransformer)


__all__ = ('meta_model_profile',)
