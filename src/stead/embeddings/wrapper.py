"""`WrapperEmbeddingModel`: the base class of models that wrap another one."""

from __future__ import annotations

from collections.abc import Sequence

from ._infer import infer_embedding_model
from .base import EmbeddingModel
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings


class WrapperEmbeddingModel(EmbeddingModel):
    """A model that leaves everything to another one. Subclasses override what they change."""

    wrapped: EmbeddingModel
    """The wrapped model."""

    def __init__(self, wrapped: EmbeddingModel | str) -> None:
        """Wrap a model.

        Args:
            wrapped: The model, or its name; errors for names as `infer_embedding_model`.
        """
        super().__init__()
        self.wrapped = infer_embedding_model(wrapped)

    @property
    def model_name(self) -> str:
        """The name of the wrapped model."""
        return self.wrapped.model_name

    @property
    def system(self) -> str:
        """The provider of the wrapped model."""
        return self.wrapped.system

    @property
    def base_url(self) -> str | None:
        """The URL of the wrapped model."""
        return self.wrapped.base_url

    @property
    def settings(self) -> EmbeddingSettings | None:
        """The settings of the wrapped model."""
        return self.wrapped.settings

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of the wrapped model."""
        return await self.wrapped.embed(inputs, input_type=input_type, settings=settings)

    async def max_input_tokens(self) -> int | None:
        """Return what the wrapped model says."""
        return await self.wrapped.max_input_tokens()

    async def count_tokens(self, text: str) -> int:
        """Return what the wrapped model says."""
        return await self.wrapped.count_tokens(text)


__all__ = ('WrapperEmbeddingModel',)
