"""Embeddings of OpenAI, and of servers with an API like it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Union

from .._kit.aio import run_in_executor
from .._kit.extras import load_extra
from .._kit.json_types import JsonObject
from ..exceptions import UserError
from ..providers import Provider, infer_provider
from ..usage import RequestUsage
from ._errors import check_count, translated_errors
from .base import EmbeddingModel
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings

LatestOpenAIEmbeddingModelNames = Literal['text-embedding-ada-002', 'text-embedding-3-small', 'text-embedding-3-large']
OpenAIEmbeddingModelName = Union[str, LatestOpenAIEmbeddingModelNames]
"""The name of a model; any name is accepted."""


class OpenAIEmbeddingSettings(EmbeddingSettings, total=False):
    """Settings of OpenAI: those of all models."""


class OpenAIEmbeddingModel(EmbeddingModel):
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
        """Return the vectors of texts; errors as `EmbeddingModel.embed`. No request is sent for no texts."""
        texts, settings = self.prepare_embed(inputs, settings)
        if not texts:
            return EmbeddingResult(
                [], inputs=[], input_type=input_type, model_name=self.model_name, provider_name=self.system
            )
        options: JsonObject = {'dimensions': settings['dimensions']} if 'dimensions' in settings else {}
        with translated_errors(self.model_name, self._provider):
            response = await self._provider.client.embeddings.create(
                input=texts,
                model=self.model_name,
                extra_headers=settings.get('extra_headers'),
                extra_body=settings.get('extra_body'),
                **options,
            )
        embeddings = [item.embedding for item in sorted(response.data, key=lambda item: item.index)]
        check_count(self.model_name, texts, embeddings)
        usage: Any = response.usage
        return EmbeddingResult(
            embeddings=embeddings,
            inputs=texts,
            input_type=input_type,
            usage=RequestUsage(input_tokens=usage.prompt_tokens if usage else 0),
            model_name=response.model,
            provider_name=self.system,
        )

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
