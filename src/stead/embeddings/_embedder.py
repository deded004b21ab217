"""`Embedder`: texts to vectors, with any model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ClassVar

from .._kit.aio import run_coroutine_sync
from .._kit.unset import UNSET, Unset
from .._kit.well_formed import well_formed
from ..models.instrumented import InstrumentationSettings
from ._infer import infer_embedding_model
from ._known_names import KnownEmbeddingModelName
from .base import EmbeddingModel, texts_of
from .instrumented import instrument_embedding_model
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings, merge_embedding_settings


class Embedder:
    """Turns texts into vectors, with any model."""

    instrument: InstrumentationSettings | bool | None
    """Where spans go and what they contain; `None` for what `instrument_all` set."""
    _instrument_default: ClassVar[InstrumentationSettings | bool] = False

    def __init__(
        self,
        model: EmbeddingModel | KnownEmbeddingModelName | str,
        *,
        settings: EmbeddingSettings | None = None,
        defer_model_check: bool = True,
        instrument: InstrumentationSettings | bool | None = None,
    ) -> None:
        """Build an embedder.

        Args:
            model: The model, or its name, such as `'openai:text-embedding-3-small'` or `'local:'`.
            settings: Settings of all requests; those of a call take precedence.
            defer_model_check: Whether a name is looked up by the first request only.
            instrument: Where spans go and what they contain; `True` for the defaults, `None` for what `instrument_all` set.

        Raises:
            ValueError: The name is not known, and the check is not deferred.
            ImportError: The package of the model is not installed, and the check is not deferred.
            UserError: There is no API key, and the check is not deferred.
        """
        self._model = model if defer_model_check else infer_embedding_model(model)
        self._settings = settings
        self.instrument = instrument
        self._override: ContextVar[EmbeddingModel | None] = ContextVar('stead_embedding_model', default=None)

    def __repr__(self) -> str:
        return f'Embedder(model={self._model!r}, instrument={self.instrument!r})'

    @staticmethod
    def instrument_all(instrument: InstrumentationSettings | bool = True) -> None:
        """Set where the spans of all embedders go that do not say so themselves.

        Args:
            instrument: The settings; `True` for the defaults, `False` for no spans.
        """
        Embedder._instrument_default = instrument

    @property
    def model(self) -> EmbeddingModel | KnownEmbeddingModelName | str:
        """The model, or its name until the first request."""
        return self._model

    @contextmanager
    def override(self, *, model: EmbeddingModel | KnownEmbeddingModelName | str | Unset = UNSET) -> Iterator[None]:
        """Use another model inside the `with` block, for example in tests.

        Args:
            model: The model, or its name; errors for names as `infer_embedding_model`.
        """
        if isinstance(model, Unset):
            yield
            return
        token = self._override.set(infer_embedding_model(model))
        try:
            yield
        finally:
            self._override.reset(token)

    def _chosen(self) -> EmbeddingModel:
        chosen = self._override.get()
        if chosen is None:
            chosen = self._model = infer_embedding_model(self._model)
        instrument = self._instrument_default if self.instrument is None else self.instrument
        return instrument_embedding_model(chosen, instrument)

    async def embed_query(
        self, query: str | Sequence[str], *, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of texts that are searched for; arguments and errors as `embed`."""
        return await self.embed(query, input_type='query', settings=settings)

    async def embed_documents(
        self, documents: str | Sequence[str], *, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of texts that can be found; arguments and errors as `embed`."""
        return await self.embed(documents, input_type='document', settings=settings)

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
            ValueError: The name of the model is not known.
            ImportError: The package of the model is not installed.
            UserError: There is no API key.
        """
        merged = merge_embedding_settings(self._settings, settings)
        return await self._chosen().embed(inputs, input_type=input_type, settings=merged)

    async def max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have, or `None` if that is not known; errors for the model as `embed`."""
        return await self._chosen().max_input_tokens()

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has; errors for the model as `embed`.

        Raises:
            UserError: The model cannot count, and this error is a `NotImplementedError` too; or the text is not one.
        """
        [checked] = texts_of([text])
        return await self._chosen().count_tokens(well_formed(checked))

    def embed_query_sync(
        self, query: str | Sequence[str], *, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Do `embed_query` from synchronous code."""
        return run_coroutine_sync(self.embed_query(query, settings=settings))

    def embed_documents_sync(
        self, documents: str | Sequence[str], *, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Do `embed_documents` from synchronous code."""
        return run_coroutine_sync(self.embed_documents(documents, settings=settings))

    def embed_sync(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Do `embed` from synchronous code."""
        return run_coroutine_sync(self.embed(inputs, input_type=input_type, settings=settings))

    def max_input_tokens_sync(self) -> int | None:
        """Do `max_input_tokens` from synchronous code."""
        return run_coroutine_sync(self.max_input_tokens())

    def count_tokens_sync(self, text: str) -> int:
        """Do `count_tokens` from synchronous code."""
        return run_coroutine_sync(self.count_tokens(text))
