"""Embeddings of Voyage AI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Union

from .._kit.json_types import JsonObject
from ..providers import Provider, infer_provider
from ..usage import RequestUsage
from ._errors import check_count, translated_errors
from .base import EmbeddingModel
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings

_MAX_INPUT_TOKENS = {
    'voyage-4-large': 32000,
    'voyage-4': 32000,
    'voyage-4-lite': 32000,
    'voyage-3-large': 32000,
    'voyage-3.5': 32000,
    'voyage-3.5-lite': 32000,
    'voyage-code-3': 32000,
    'voyage-finance-2': 32000,
    'voyage-law-2': 16000,
    'voyage-code-2': 16000,
}
LatestVoyageAIEmbeddingModelNames = Literal[
    'voyage-4-large',
    'voyage-4',
    'voyage-4-lite',
    'voyage-3-large',
    'voyage-3.5',
    'voyage-3.5-lite',
    'voyage-code-3',
    'voyage-finance-2',
    'voyage-law-2',
    'voyage-code-2',
]
VoyageAIEmbeddingModelName = Union[str, LatestVoyageAIEmbeddingModelNames]
"""The name of a model; any name is accepted."""
VoyageAIEmbedInputType = Literal['query', 'document', 'none']
"""What a text is; `'none'` for neither."""


class VoyageAIEmbeddingSettings(EmbeddingSettings, total=False):
    """Settings of Voyage AI."""

    voyageai_input_type: VoyageAIEmbedInputType
    """What the texts are, in place of what the type of input says."""


class VoyageAIEmbeddingModel(EmbeddingModel):
    """An embedding model of Voyage AI."""

    def __init__(
        self,
        model_name: VoyageAIEmbeddingModelName,
        *,
        provider: str | Provider = 'voyageai',
        settings: EmbeddingSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            settings: The settings of all requests.

        Raises:
            ImportError: The package voyageai is not installed.
            UserError: There is no API key.
            ValueError: The provider is not known.
        """
        super().__init__(settings=settings)
        self._model_name = model_name
        self._provider = infer_provider(provider) if isinstance(provider, str) else provider

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def system(self) -> str:
        """The name of the provider."""
        return self._provider.name

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return self._provider.base_url

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of texts; errors as `EmbeddingModel.embed`."""
        texts, settings = self.prepare_embed(inputs, settings)
        values: JsonObject = {**settings}
        kind = values.get('voyageai_input_type', input_type)
        with translated_errors(self.model_name, self._provider):
            response = await self._provider.client.embed(
                texts=texts,
                model=self.model_name,
                input_type=None if kind == 'none' else kind,
                truncation=values.get('truncate', False),
                output_dimension=values.get('dimensions'),
            )
        check_count(self.model_name, texts, response.embeddings)
        return EmbeddingResult(
            embeddings=response.embeddings,
            inputs=texts,
            input_type=input_type,
            usage=RequestUsage(input_tokens=response.total_tokens),
            model_name=self.model_name,
            provider_name=self.system,
        )

    async def max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have, or `None` if that is not known."""
        return _MAX_INPUT_TOKENS.get(self.model_name)


__all__ = (
    'LatestVoyageAIEmbeddingModelNames',
    'VoyageAIEmbedInputType',
    'VoyageAIEmbeddingModel',
    'VoyageAIEmbeddingModelName',
    'VoyageAIEmbeddingSettings',
)
