"""Settings of embeddings."""

from __future__ import annotations

from typing import cast

from typing_extensions import TypedDict


class EmbeddingSettings(TypedDict, total=False):
    """Settings that several models understand; a model ignores those that it does not."""

    dimensions: int
    """The length of the vectors, for models that offer several."""
    truncate: bool
    """Whether texts that are too long are cut off; otherwise they are an error."""
    extra_headers: dict[str, str]
    """More headers of the request."""
    extra_body: object
    """More fields of the body of the request."""


def merge_embedding_settings(
    base: EmbeddingSettings | None, overrides: EmbeddingSettings | None
) -> EmbeddingSettings | None:
    """Return the settings of both; those of `overrides` take precedence, and replace nested ones as a whole."""
    if base and overrides:
        return cast(EmbeddingSettings, {**base, **overrides})
    return base or overrides


__all__ = ('EmbeddingSettings', 'merge_embedding_settings')
