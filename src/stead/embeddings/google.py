"""Embeddings of Google, from the Gemini API or Google Cloud."""

from __future__ import annotations

from typing import Any, Literal, Union

from .._kit.json_types import JsonObject
from ..providers import Provider
from ._errors import translated_errors, unusable
from ._vendor import Vectors, VendorEmbeddingModel
from .result import EmbedInputType
from .settings import EmbeddingSettings

LatestGoogleGLAEmbeddingModelNames = Literal['gemini-embedding-001', 'gemini-embedding-2-preview']
"""Names of models of the Gemini API that are known."""
LatestGoogleVertexEmbeddingModelNames = Literal[
    'gemini-embedding-001', 'gemini-embedding-2-preview', 'text-embedding-005', 'text-multilingual-embedding-002'
]
"""Names of models on Google Cloud that are known."""
LatestGoogleEmbeddingModelNames = Union[LatestGoogleGLAEmbeddingModelNames, LatestGoogleVertexEmbeddingModelNames]
"""Names of models that are known."""
GoogleEmbeddingModelName = Union[str, LatestGoogleEmbeddingModelNames]
"""The name of a model; any name is accepted."""

_TASKS = {'query': 'RETRIEVAL_QUERY', 'document': 'RETRIEVAL_DOCUMENT'}


class GoogleEmbeddingSettings(EmbeddingSettings, total=False):
    """Settings of Google."""

    google_task_type: str
    """What the vectors are for, in place of what the type of input says, such as `SEMANTIC_SIMILARITY`."""
    google_title: str
    """The title of the documents."""


class GoogleEmbeddingModel(VendorEmbeddingModel):
    """An embedding model of Google."""

    _max_input_tokens = {
        'gemini-embedding-001': 2048,
        'gemini-embedding-2-preview': 8192,
        'text-embedding-005': 2048,
        'text-multilingual-embedding-002': 2048,
    }

    def __init__(
        self,
        model_name: GoogleEmbeddingModelName,
        *,
        provider: str | Provider = 'google',
        settings: EmbeddingSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name: `'google'` for the Gemini API, `'google-cloud'` for Google Cloud.
            settings: The settings of all requests.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is no API key, or no access to Google Cloud.
            ValueError: The provider is not known.
        """
        super().__init__(model_name, provider, settings)

    async def _ask(self, texts: list[str], input_type: EmbedInputType, values: JsonObject) -> Vectors:
        if not texts:  # no request is sent
            return Vectors([])
        config: JsonObject = {
            'task_type': values.get('google_task_type') or _TASKS[input_type],
            'title': values.get('google_title'),
            'output_dimensionality': values.get('dimensions'),
            'auto_truncate': values.get('truncate') if getattr(self._provider, 'is_cloud', False) else None,
            'http_options': _http_options(values),
        }
        # Each text is a content of its own: newer models would make one vector of all the parts of a content.
        contents = [{'parts': [{'text': text}]} for text in texts]
        response = await self._provider.client.aio.models.embed_content(
            model=self.model_name,
            contents=contents,
            config={name: value for name, value in config.items() if value is not None},
        )
        found: list[Any] = response.embeddings or []
        if any(item.values is None for item in found):
            raise unusable(self.model_name, 'a vector has no values.')
        counts = [item.statistics.token_count for item in found if item.statistics is not None]
        return Vectors([item.values for item in found], int(sum(count or 0 for count in counts)))

    async def count_tokens(self, text: str) -> int:
        """Ask the API how many tokens a text has.

        Raises:
            ModelAPIError: The provider failed, or refused the request.
            UnexpectedModelBehavior: The response is invalid.
        """
        with translated_errors(self.model_name, self._provider):
            response = await self._provider.client.aio.models.count_tokens(model=self.model_name, contents=text)
        if response.total_tokens is None:
            raise unusable(self.model_name, 'it has no number of tokens.')
        return response.total_tokens


def _http_options(values: JsonObject) -> JsonObject | None:
    options = {'headers': values.get('extra_headers'), 'extra_body': values.get('extra_body')}
    return {name: value for name, value in options.items() if value is not None} or None


__all__ = (
    'GoogleEmbeddingModel',
    'GoogleEmbeddingModelName',
    'GoogleEmbeddingSettings',
    'LatestGoogleEmbeddingModelNames',
    'LatestGoogleGLAEmbeddingModelNames',
    'LatestGoogleVertexEmbeddingModelNames',
)
