"""What Meta's models can do."""

from __future__ import annotations

from . import InlineDefsJsonSchemaTransformer, ModelProfile


def meta_model_profile(model_name: str) -> ModelProfile | None:
    """Return what is known about one of Meta's models by its name."""
    return ModelProfile(json_schema_transformer=InlineDefsJsonSchemaTransformer)


__all__ = ('meta_model_profile',)
