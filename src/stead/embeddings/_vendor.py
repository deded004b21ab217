"""`VendorEmbeddingModel`: the base class of vendors' embedding models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from .._kit.json_types import JsonObject
from ..providers import Provider, infer_provider
from ._errors import translated_errors
from .base import EmbeddingModel
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings


class Vectors(NamedTuple):
    """What a vendor answers."""

    embeddings: list[Any]
    """The vectors, in the order of the texts."""
    tokens: int = 0
    """The number of tokens of the texts."""
    model_name: str | None = None
    """The name of the model according to the response."""
    response_id: str | None = None
    """The id of the response."""


class VendorEmbeddingModel(EmbeddingModel):
    """A model that a provider runs. Subclasses send requests and read their answers."""

    _max_input_tokens: ClassVar[Mapping[str, int]] = {}
    """How many tokens a text may have, by the name of the model."""

    def __init__(self, model_name: str, provider: str | Provider, settings: EmbeddingSettings | None) -> None:
        """Set the name of the model, the provider or its name, and the settings of all requests.

        Raises:
            ImportError: The package of the provider is not installed.
            UserError: The provider lacks an API key, or other access.
            ValueError: The provider is not known.
        """
        super().__init__(settings=settings)
        self._model_name: str = model_name
        self._provider: Provider[Any] = infer_provider(provider) if isinstance(provider, str) else provider

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of texts; errors as `EmbeddingModel.embed`."""
        texts, settings = self.prepare_embed(inputs, settings)
        with translated_errors(self.model_name, self._provider):
            vectors = await self._ask(texts, input_type, {**settings})
        return self._result(texts, input_type, **vectors._asdict())

    @abstractmethod
    async def _ask(self, texts: list[str], input_type: EmbedInputType, values: JsonObject) -> Vectors:
        """Ask the vendor for the vectors of texts.

        Args:
            texts: The texts.
            input_type: What they are.
            values: The settings of the request.
        """

    async def max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have, or `None` if that is not known."""
        return self._max_input_tokens.get(self.model_name)

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
