"""Embeddings of OpenAI, and of servers with an API like it."""

from __future__ import annotations

from typing import Literal, Union

from .._kit.aio import run_in_executor
from .._kit.extras import load_extra
from .._kit.json_types import JsonObject
from ..exceptions import UserError
from ..providers import Provider
from ._vendor import Vectors, VendorEmbeddingModel
from .result import EmbedInputType
from .settings import EmbeddingSettings

LatestOpenAIEmbeddingModelNames = Literal['text-embedding-ada-002', 'text-embedding-3-small', 'text-embedding-3-large']
OpenAIEmbeddingModelName = Union[str, LatestOpenAIEmbeddingModelNames]
"""The name of a model; any name is accepted."""


class OpenAIEmbeddingSettings(EmbeddingSettings, total=False):
    """Settings of OpenAI: those of all models."""


class OpenAIEmbeddingModel(VendorEmbeddingModel):
    """An embedding model of OpenAI, or of a server with an API like it."""

    def __init__(
        self,
        model_name: OpenAIEmbeddingModelName,
        *,
        provider: str | Provider = 'openai',
        settings: EmbeddingSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            settings: The settings of all requests.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
            ValueError: The provider is not known.
        """
        super().__init__(model_name, provider, settings)

    async def _ask(self, texts: list[str], input_type: EmbedInputType, values: JsonObject) -> Vectors:
        if not texts:  # no request is sent
            return Vectors([])
        options: JsonObject = {'dimensions': values['dimensions']} if 'dimensions' in values else {}
        response = await self._provider.client.embeddings.create(
            input=texts,
            model=self.model_name,
            extra_headers=values.get('extra_headers'),
            extra_body=values.get('extra_body'),
            **options,
        )
        embeddings = [item.embedding for item in sorted(response.data, key=lambda item: item.index)]
        return Vectors(embeddings, response.usage.prompt_tokens if response.usage else 0, response.model)

    async def max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have; for other providers than OpenAI that is not known."""
        return 8192 if self.system == 'openai' else None

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has, according to the package tiktoken.

        Raises:
            UserError: The provider is another one than OpenAI.
            ImportError: The package tiktoken is not installed.
            ValueError: The package does not know the model.
        """
        if self.system != 'openai':
            raise UserError(f'Tokens can be counted for models of OpenAI only, not of {self.system!r}.')
        tiktoken = load_extra('tiktoken', extra='tiktoken', what='Counting the tokens of OpenAI')

        def count() -> int:
            try:
                encoding = tiktoken.encoding_for_model(self.model_name)
            except KeyError as error:
                raise ValueError(f'The package tiktoken does not know the model {self.model_name!r}.') from error
            return len(encoding.encode(text))

        return await run_in_executor(count)


__all__ = ('OpenAIEmbeddingModel', 'OpenAIEmbeddingModelName', 'OpenAIEmbeddingSettings')
