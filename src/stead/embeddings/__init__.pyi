"""The public names of `stead.embeddings`, for type checkers. Written by `make stubs`."""

from ._embedder import Embedder as Embedder
from ._infer import infer_embedding_model as infer_embedding_model
from ._known_names import KnownEmbeddingModelName as KnownEmbeddingModelName
from .base import EmbeddingModel as EmbeddingModel
from .instrumented import (
    InstrumentedEmbeddingModel as InstrumentedEmbeddingModel,
    instrument_embedding_model as instrument_embedding_model,
)
from .result import EmbeddingResult as EmbeddingResult, EmbedInputType as EmbedInputType
from .settings import EmbeddingSettings as EmbeddingSettings, merge_embedding_settings as merge_embedding_settings
from .test import TestEmbeddingModel as TestEmbeddingModel
from .wrapper import WrapperEmbeddingModel as WrapperEmbeddingModel
