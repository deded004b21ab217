"""Embeddings: texts as vectors, so that what is meant alike is near."""

from __future__ import annotations

from ._embedder import Embedder
from ._infer import infer_embedding_model
from ._known_names import KnownEmbeddingModelName
from .base import EmbeddingModel
from .instrumented import InstrumentedEmbeddingModel, instrument_embedding_model
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings, merge_embedding_settings
from .test import TestEmbeddingModel
from .wrapper import WrapperEmbeddingModel

__all__ = (
    'EmbedInputType',
    'Embedder',
    'EmbeddingModel',
    'EmbeddingResult',
    'EmbeddingSettings',
    'InstrumentedEmbeddingModel',
    'KnownEmbeddingModelName',
    'TestEmbeddingModel',
    'WrapperEmbeddingModel',
    'infer_embedding_model',
    'instrument_embedding_model',
    'merge_embedding_settings',
)
