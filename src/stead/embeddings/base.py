"""`EmbeddingModel`: the base class of models that turn texts into vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._kit.short import short_repr
from .._kit.well_formed import well_formed
from ..exceptions import UserError
from ..usage import RequestUsage
from ._errors import unusable
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings, merge_embedding_settings


def texts_of(inputs: str | Iterable[str]) -> list[str]:
    """Return the texts to embed as a list.

    Raises:
        UserError: An input is not a text.
    """
    if isinstance(inputs, str):
        return [inputs]
    kind: type[object] = type(inputs)
    if issubclass(kind, (bytes, bytearray, Mapping)) or not issubclass(kind, Iterable):
        raise UserError(f'Cannot embed {short_repr(inputs, 60)}, a `{kind.__name__}`. Pass a text, or several.')
    texts = list(inputs)
    for place, text in enumerate(texts):
        value: object = text
        if not isinstance(value, str):
            raise UserError(
                f'Cannot embed input {place}, which is {short_repr(value, 60)}, a `{type(value).__name__}`. Pass texts only.'
            )
    return texts


class CannotCount(UserError, NotImplementedError):
    """The model cannot count tokens."""


class EmbeddingModel(ABC):
    """A model that turns texts into vectors. Subclasses define `embed`."""

    _settings: EmbeddingSettings | None = None

    def __init__(self, *, settings: EmbeddingSettings | None = None) -> None:
        """Set the settings of all requests.

        Args:
            settings: The settings; those of an embedder and of a call take precedence.
        """
        self._settings = settings

    @property
    def settings(self) -> EmbeddingSettings | None:
        """The settings of all requests."""
        return self._settings

    @property
    def base_url(self) -> str | None:
        """The URL that requests go to, if they go anywhere."""
        return None

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The name of the model."""

    @property
    @abstractmethod
    def system(self) -> str:
        """The name of the provider."""

    @abstractmethod
    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of texts.

        Args:
            inputs: A text, or several.
            input_type: Whether they are searched for or can be found; some models tell them apart.
            settings: Settings of this request.

        Raises:
            ModelAPIError: The provider failed, or refused the request.
            UnexpectedModelBehavior: The response is invalid.
        """

    def prepare_embed(
        self, inputs: str | Sequence[str], settings: EmbeddingSettings | None = None
    ) -> tuple[list[str], EmbeddingSettings]:
        """Return texts as a list, well-formed, and the settings of a request together with those of the model.

        Raises:
            UserError: An input is not a text.
        """
        texts = [well_formed(text) for text in texts_of(inputs)]
        return texts, merge_embedding_settings(self._settings, settings) or {}

    def _result(
        self,
        texts: list[str],
        input_type: EmbedInputType,
        embeddings: list[Any],
        *,
        tokens: int = 0,
        model_name: str | None = None,
        response_id: str | None = None,
    ) -> EmbeddingResult:
        """Return the result of a request.

        Args:
            texts: The texts.
            input_type: What they are.
            embeddings: Their vectors.
            tokens: How many tokens the texts have.
            model_name: The name of the model according to the response; by default that of this one.
            response_id: The id of the response.

        Raises:
            UnexpectedModelBehavior: There are fewer or more vectors than texts.
        """
        if len(embeddings) != len(texts):
            raise unusable(self.model_name, f'it has {len(embeddings)} vectors for {len(texts)} texts.')
        return EmbeddingResult(
            embeddings=embeddings,
            inputs=texts,
            input_type=input_type,
            usage=RequestUsage(input_tokens=tokens),
            model_name=self.model_name if model_name is None else model_name,
            provider_name=self.system,
            provider_response_id=response_id,
        )

    async def max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have, or `None` if that is not known."""
        return None

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has.

        Raises:
            UserError: The model cannot count; this error is a `NotImplementedError` too.
            ModelAPIError: The provider failed, or refused the request.
        """
        raise CannotCount(f'The embedding model {self.model_name!r} of {self.system!r} cannot count tokens.')


__all__ = ('EmbeddingModel',)
