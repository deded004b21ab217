"""Embeddings of Voyage AI."""

from __future__ import annotations

from typing import Literal, Union

from .._kit.json_types import JsonObject
from ..providers import Provider
from ._vendor import Vectors, VendorEmbeddingModel
from .result import EmbedInputType
from .settings import EmbeddingSettings

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


class VoyageAIEmbeddingModel(VendorEmbeddingModel):
    """An embedding model of Voyage AI."""

    _max_input_tokens = {
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
        super().__init__(model_name, provider, settings)

    async def _ask(self, texts: list[str], input_type: EmbedInputType, values: JsonObject) -> Vectors:
        kind = values.get('voyageai_input_type', input_type)
        response = await self._provider.client.embed(
            texts=texts,
            model=self.model_name,
            input_type=None if kind == 'none' else kind,
            truncation=values.get('truncate', False),
            output_dimension=values.get('dimensions'),
        )
        return Vectors(response.embeddings, response.total_tokens)


__all__ = (
    'LatestVoyageAIEmbeddingModelNames',
    'VoyageAIEmbedInputType',
    'VoyageAIEmbeddingModel',
    'VoyageAIEmbeddingModelName',
    'VoyageAIEmbeddingSettings',
)
