"""Embeddings of the package sentence-transformers, in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from .._kit.aio import run_in_executor
from .._kit.extras import load_extra
from .._kit.json_types import JsonObject
from ._errors import unusable
from .base import EmbeddingModel
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings


class SentenceTransformersEmbeddingSettings(EmbeddingSettings, total=False):
    """Settings of sentence-transformers."""

    sentence_transformers_device: str
    """Where the model computes, such as `'cpu'` or `'cuda'`."""
    sentence_transformers_normalize_embeddings: bool
    """Whether vectors have the length 1; by default they are left as they are."""
    sentence_transformers_batch_size: int
    """How many texts are computed at once."""


class SentenceTransformerEmbeddingModel(EmbeddingModel):
    """A model of the package sentence-transformers, which is loaded by the first request."""

    def __init__(self, model: Any, *, settings: EmbeddingSettings | None = None) -> None:
        """Build a model.

        Args:
            model: The name of the model, or a `sentence_transformers.SentenceTransformer`.
            settings: The settings of all requests.
        """
        super().__init__(settings=settings)
        self._lock = threading.Lock()
        self._loaded: Any = None if isinstance(model, str) else model
        self._model_name: str = model if isinstance(model, str) else model.model_card_data.model_id or 'unknown'

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def system(self) -> str:
        """`'sentence-transformers'`."""
        return 'sentence-transformers'

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                extra = 'sentence-transformers'
                library = load_extra(
                    'sentence_transformers', extra=extra, what=f'The embedding model {self.model_name!r}'
                )
                self._loaded = library.SentenceTransformer(self.model_name)
            return self._loaded

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of texts, computed in a thread.

        Raises:
            ImportError: The package sentence-transformers is not installed.
            UnexpectedModelBehavior: The model gave something other than a vector for each text.
        """
        texts, settings = self.prepare_embed(inputs, settings)
        values: JsonObject = {**settings}
        options: JsonObject = {
            'show_progress_bar': False,
            'convert_to_numpy': True,
            'convert_to_tensor': False,
            'device': values.get('sentence_transformers_device'),
            'normalize_embeddings': values.get('sentence_transformers_normalize_embeddings', False),
            'truncate_dim': values.get('dimensions'),
        }
        if (size := values.get('sentence_transformers_batch_size')) is not None:
            options['batch_size'] = size

        def encode() -> list[Any]:
            model = self._model()
            return (model.encode_query if input_type == 'query' else model.encode_document)(texts, **options).tolist()

        embeddings = await run_in_executor(encode)
        return self._result(texts, input_type, embeddings)

    async def max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have.

        Raises:
            ImportError: The package sentence-transformers is not installed.
        """
        return await run_in_executor(lambda: self._model().get_max_seq_length())

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has.

        Raises:
            ImportError: The package sentence-transformers is not installed.
            UnexpectedModelBehavior: The tokenizer of the model gave something else.
        """
        tokens = await run_in_executor(lambda: self._model().tokenize([text]))
        ids: Any = tokens.get('input_ids')
        if ids is None or len(getattr(ids, 'shape', ())) != 2:
            raise unusable(self.model_name, 'its tokenizer gave no list of tokens.')
        return int(ids.shape[1])


__all__ = ('SentenceTransformerEmbeddingModel', 'SentenceTransformersEmbeddingSettings')
