"""Embedding models by their names."""

from __future__ import annotations

from collections.abc import Callable

from .._kit.lazy import import_module
from ..exceptions import UserError
from ..providers import Provider, infer_provider
from ._known_names import KnownEmbeddingModelName
from .base import EmbeddingModel

# The module and class of the models of each provider; other providers speak OpenAI's protocol.
_MODELS = {
    'google': ('google', 'GoogleEmbeddingModel'),
    'google-cloud': ('google', 'GoogleEmbeddingModel'),
    'google-gla': ('google', 'GoogleEmbeddingModel'),
    'google-vertex': ('google', 'GoogleEmbeddingModel'),
    'cohere': ('cohere', 'CohereEmbeddingModel'),
    'voyageai': ('voyageai', 'VoyageAIEmbeddingModel'),
    'bedrock': ('bedrock', 'BedrockEmbeddingModel'),
}
# Models that run in this process, and so have no provider.
_IN_PROCESS = {
    'local': ('llamacpp', 'LlamaCppEmbeddingModel'),
    'sentence-transformers': ('sentence_transformers', 'SentenceTransformerEmbeddingModel'),
}
_WITHOUT_EMBEDDINGS = ('anthropic', 'groq', 'huggingface', 'xai')


def infer_embedding_model(
    model: EmbeddingModel | KnownEmbeddingModelName | str,
    *,
    provider_factory: Callable[[str], Provider] = infer_provider,
) -> EmbeddingModel:
    """Return the embedding model for a name. A model is returned unchanged.

    Args:
        model: `'provider:model'`, such as `'openai:text-embedding-3-small'` or `'local:'`, or a model.
        provider_factory: Returns the provider for its name.

    Raises:
        TypeError: The argument is neither a model nor a name.
        ValueError: The name has no provider, or one that is not known.
        UserError: The provider has no embedding models, or there is no API key.
        ImportError: The package of the model is not installed.
    """
    if isinstance(model, EmbeddingModel):
        return model
    if model == 'test':
        from .test import TestEmbeddingModel

        return TestEmbeddingModel()
    if not isinstance(model, str):  # type: ignore[reportUnnecessaryIsInstance]
        raise TypeError(
            f'An embedding model must be an `EmbeddingModel` or a name such as "provider:model", not {model!r}.'
        )
    name, separator, model_name = model.partition(':')
    if not separator:
        raise ValueError(
            f'{model!r} does not name an embedding model: write `provider:model`, for example '
            '"openai:text-embedding-3-small" or "local:", or pass a model.'
        )
    if name in _IN_PROCESS:
        module, cls = _IN_PROCESS[name]
        return getattr(import_module(f'.{module}', __package__), cls)(model_name)
    vendor = name.removeprefix('gateway/')
    if vendor in _WITHOUT_EMBEDDINGS:
        raise UserError(f'{vendor!r} has no embedding models. Other providers have, for example "openai" and "google".')
    module, cls = _MODELS.get(vendor, ('openai', 'OpenAIEmbeddingModel'))
    return getattr(import_module(f'.{module}', __package__), cls)(model_name, provider=provider_factory(name))
