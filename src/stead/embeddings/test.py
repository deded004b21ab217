"""`TestEmbeddingModel`: vectors without a model, for tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from uuid import uuid4

from ..usage import RequestUsage
from .base import EmbeddingModel
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings


class TestEmbeddingModel(EmbeddingModel):
    """A model whose vectors consist of ones. It remembers the settings of the last request."""

    __test__ = False  # for pytest

    last_settings: EmbeddingSettings | None = None
    """The settings of the last request, after all layers."""

    def __init__(
        self,
        model_name: str = 'test',
        *,
        provider_name: str = 'test',
        dimensions: int = 8,
        settings: EmbeddingSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider_name: The name of the provider.
            dimensions: The length of the vectors, unless settings say another one.
            settings: The settings of all requests.
        """
        super().__init__(settings=settings)
        self._model_name = model_name
        self._provider_name = provider_name
        self._dimensions = dimensions

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def system(self) -> str:
        """The name of the provider."""
        return self._provider_name

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return a vector of ones for each text."""
        texts, settings = self.prepare_embed(inputs, settings)
        self.last_settings = settings
        return EmbeddingResult(
            embeddings=[[1.0] * settings.get('dimensions', self._dimensions) for _ in texts],
            inputs=texts,
            input_type=input_type,
            usage=RequestUsage(input_tokens=sum(map(_count, texts))),
            model_name=self.model_name,
            provider_name=self.system,
            provider_response_id=str(uuid4()),
        )

    async def max_input_tokens(self) -> int | None:
        """Return 1024."""
        return 1024

    async def count_tokens(self, text: str) -> int:
        """Return how many words and marks a text has."""
        return _count(text)


def _count(text: str) -> int:
    return len(re.split(r'[\s",.:]+', text.strip())) if text.strip() else 0


__all__ = ('TestEmbeddingModel',)
