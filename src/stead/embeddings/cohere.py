"""Embeddings of Cohere."""

from __future__ import annotations

from typing import Any, Literal, Union

from .._kit.json_types import JsonObject
from ..providers import Provider
from ._errors import translated_errors, unusable
from ._vendor import Vectors, VendorEmbeddingModel
from .result import EmbedInputType
from .settings import EmbeddingSettings

LatestCohereEmbeddingModelNames = Literal[
    'embed-v4.0',
    'embed-english-v3.0',
    'embed-english-light-v3.0',
    'embed-multilingual-v3.0',
    'embed-multilingual-light-v3.0',
]
CohereEmbeddingModelName = Union[str, LatestCohereEmbeddingModelNames]
"""The name of a model; any name is accepted."""


class CohereEmbeddingSettings(EmbeddingSettings, total=False):
    """Settings of Cohere."""

    cohere_max_tokens: int
    """How many tokens of each text are used."""
    cohere_input_type: Literal['search_document', 'search_query', 'classification', 'clustering', 'image'] | str
    """What the texts are, in place of what the type of input says."""
    cohere_truncate: Literal['NONE', 'START', 'END'] | str
    """Which end of a text that is too long is cut off; takes precedence over `truncate`."""


class CohereEmbeddingModel(VendorEmbeddingModel):
    """An embedding model of Cohere."""

    _max_input_tokens = {
        'embed-v4.0': 128000,
        'embed-english-v3.0': 512,
        'embed-english-light-v3.0': 512,
        'embed-multilingual-v3.0': 512,
        'embed-multilingual-light-v3.0': 512,
    }

    def __init__(
        self,
        model_name: CohereEmbeddingModelName,
        *,
        provider: str | Provider = 'cohere',
        settings: EmbeddingSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            settings: The settings of all requests.

        Raises:
            ImportError: The package cohere is not installed.
            UserError: There is no API key.
            ValueError: The provider is not known.
        """
        super().__init__(model_name, provider, settings)

    async def _ask(self, texts: list[str], input_type: EmbedInputType, values: JsonObject) -> Vectors:
        response = await self._provider.client.embed(
            model=self.model_name,
            texts=texts,
            input_type=values.get('cohere_input_type') or f'search_{input_type}',
            output_dimension=values.get('dimensions'),
            max_tokens=values.get('cohere_max_tokens'),
            truncate=values.get('cohere_truncate') or ('END' if values.get('truncate') else 'NONE'),
            embedding_types=['float'],
            request_options=_request_options(values),
        )
        embeddings: list[Any] | None = response.embeddings.float_
        if embeddings is None:
            raise unusable(self.model_name, 'it has no vectors of floats.')
        billed: Any = getattr(response.meta, 'billed_units', None)
        tokens = int(getattr(billed, 'input_tokens', None) or 0)
        return Vectors(embeddings, tokens, response_id=response.id)

    async def count_tokens(self, text: str) -> int:
        """Ask the API how many tokens a text has.

        Raises:
            UserError: The provider was made with a client, which cannot count; this error is a `NotImplementedError` too.
            ModelAPIError: The provider failed, or refused the request.
        """
        client: Any = getattr(self._provider, 'v1_client', None)
        if client is None:
            return await super().count_tokens(text)
        with translated_errors(self.model_name, self._provider):
            response = await client.tokenize(model=self.model_name, text=text, offline=False)
        return len(response.tokens)


def _request_options(values: JsonObject) -> JsonObject:
    options = {
        'additional_headers': values.get('extra_headers'),
        'additional_body_parameters': values.get('extra_body'),
    }
    return {name: value for name, value in options.items() if value is not None}


__all__ = ('CohereEmbeddingModel', 'CohereEmbeddingModelName', 'CohereEmbeddingSettings')
