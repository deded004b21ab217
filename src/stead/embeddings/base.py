"""`EmbeddingModel`: what turns texts into vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ..exceptions import UserError
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings, merge_embedding_settings


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
        """Return texts as a list, and the settings of a request together with those of the model."""
        texts = [inputs] if isinstance(inputs, str) else list(inputs)
        return texts, merge_embedding_settings(self._settings, settings) or {}

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
