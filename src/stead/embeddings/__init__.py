"""Embeddings: texts as vectors. Texts with similar meanings have similar vectors."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

# No module of this package is imported here: a thread that imports one waits for this one, and would be waited for.
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        '_embedder': ('Embedder',),
        '_infer': ('infer_embedding_model',),
        '_known_names': ('KnownEmbeddingModelName',),
        'base': ('EmbeddingModel',),
        'instrumented': ('InstrumentedEmbeddingModel', 'instrument_embedding_model'),
        'result': ('EmbeddingResult', 'EmbedInputType'),
        'settings': ('EmbeddingSettings', 'merge_embedding_settings'),
        'test': ('TestEmbeddingModel',),
        'wrapper': ('WrapperEmbeddingModel',),
    },
)

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
