"""What Z.ai's models can do."""

from __future__ import annotations

from . import ModelProfile


def zai_model_profile(model_name: str) -> ModelProfile | None:
    """Return what is known about one of Z.ai's models by its name; `None`, as long as that is nothing."""
    return None


__all__ = ('zai_model_profile',)
