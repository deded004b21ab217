"""What Amazon's models can do."""

from __future__ import annotations

from . import InlineDefsJsonSchemaTransformer, ModelProfile


def amazon_model_profile(model_name: str) -> ModelProfile | None:
    """Return what is known about one of Amazon's models by its name."""
    return ModelProfile(json_schema_transformer=InlineDefsJsonSchemaTransformer)


__all__ = ('amazon_model_profile',)
