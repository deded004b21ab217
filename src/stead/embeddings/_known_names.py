"""Names of embedding models that are known, as data: for completion and checks in your editor. Any other name works, too."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypeAliasType

KnownEmbeddingModelName = TypeAliasType(
    'KnownEmbeddingModelName',
    Literal[
        'local:',
        'google-cloud:gemini-embedding-001',
        'google-cloud:gemini-embedding-2-preview',
        'google-cloud:text-embedding-005',
        'google-cloud:text-multilingual-embedding-002',
        'google:gemini-embedding-001',
        'google:gemini-embedding-2-preview',
        'openai:text-embedding-ada-002',
        'openai:text-embedding-3-small',
        'openai:text-embedding-3-large',
        'cohere:embed-v4.0',
        'cohere:embed-english-v3.0',
        'cohere:embed-english-light-v3.0',
        'cohere:embed-multilingual-v3.0',
        'cohere:embed-multilingual-light-v3.0',
        'voyageai:voyage-4-large',
        'voyageai:voyage-4',
        'voyageai:voyage-4-lite',
        'voyageai:voyage-3-large',
        'voyageai:voyage-3.5',
        'voyageai:voyage-3.5-lite',
        'voyageai:voyage-code-3',
        'voyageai:voyage-finance-2',
        'voyageai:voyage-law-2',
        'voyageai:voyage-code-2',
        'bedrock:amazon.titan-embed-text-v1',
        'bedrock:amazon.titan-embed-text-v2:0',
        'bedrock:cohere.embed-english-v3',
        'bedrock:cohere.embed-multilingual-v3',
        'bedrock:cohere.embed-v4:0',
        'bedrock:amazon.nova-2-multimodal-embeddings-v1:0',
    ],
)
"""The name of an embedding model that is known."""
