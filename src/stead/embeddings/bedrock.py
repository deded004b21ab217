"""Embeddings on Amazon Bedrock: Titan, Cohere and Nova, each with a body of its own."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from asyncio import Semaphore
from typing import Any, Literal, Union

from .._kit.aio import gather, run_in_executor
from .._kit.json_types import JsonObject, as_dict
from ..exceptions import UserError
from ..providers import Provider
from ..providers.bedrock import remove_bedrock_geo_prefix
from ._errors import unusable
from ._vendor import Vectors, VendorEmbeddingModel
from .result import EmbedInputType
from .settings import EmbeddingSettings

LatestBedrockEmbeddingModelNames = Literal[
    'amazon.titan-embed-text-v1',
    'amazon.titan-embed-text-v2:0',
    'cohere.embed-english-v3',
    'cohere.embed-multilingual-v3',
    'cohere.embed-v4:0',
    'amazon.nova-2-multimodal-embeddings-v1:0',
]
BedrockEmbeddingModelName = Union[str, LatestBedrockEmbeddingModelNames]
"""The name of a model; any name is accepted that begins like a known family."""

_MOST_AT_ONCE = 5


class BedrockEmbeddingSettings(EmbeddingSettings, total=False):
    """Settings of Bedrock. What begins with the name of a family is for that family."""

    bedrock_titan_normalize: bool
    """Whether vectors have the length 1, for version 2 of Titan; by default they do."""
    bedrock_cohere_max_tokens: int
    """How many tokens of each text are used, for version 4."""
    bedrock_cohere_input_type: Literal['search_document', 'search_query', 'classification', 'clustering']
    """What the texts are, in place of what the type of input says."""
    bedrock_cohere_truncate: Literal['NONE', 'START', 'END']
    """Which end of a text that is too long is cut off; takes precedence over `truncate`."""
    bedrock_nova_truncate: Literal['NONE', 'START', 'END']
    """Which end of a text that is too long is cut off; takes precedence over `truncate`."""
    bedrock_nova_embedding_purpose: Literal[
        'GENERIC_INDEX', 'GENERIC_RETRIEVAL', 'TEXT_RETRIEVAL', 'CLASSIFICATION', 'CLUSTERING'
    ]
    """What the vectors are for, in place of what the type of input says."""
    bedrock_inference_profile: str
    """The inference profile to ask in place of the model: its name or ARN."""
    bedrock_max_concurrency: int
    """How many requests run at once, for families that take one text in a request; by default 5."""


class _Family(ABC):
    """What a family of models is asked, and what it answers. Plain functions of data."""

    one_text = False
    """Whether a request has only one text."""

    def __init__(self, name: str) -> None:
        self.name = name
        version = re.search(r'v(\d+)', name)
        self.version = int(version[1]) if version else None
        self.max_input_tokens = self._max_input_tokens()

    @abstractmethod
    def _max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have; `None` for a version that is not known."""

    @abstractmethod
    def body(self, texts: list[str], input_type: str, values: JsonObject) -> JsonObject:
        """Return the body of a request."""

    @abstractmethod
    def read(self, body: JsonObject) -> Vectors:
        """Return what a response has; `KeyError` and the like for one that has another form."""


class _Titan(_Family):
    one_text = True

    def _max_input_tokens(self) -> int | None:
        return 8192 if 'embed-text-v' in self.name and self.version in (1, 2) else None

    def body(self, texts: list[str], input_type: str, values: JsonObject) -> JsonObject:
        body: JsonObject = {'inputText': texts[0]}
        if self.version != 1:
            if (dimensions := values.get('dimensions')) is not None:
                body['dimensions'] = dimensions
            body['normalize'] = values.get('bedrock_titan_normalize', True)
        return body

    def read(self, body: JsonObject) -> Vectors:
        return Vectors([body['embedding']])


class _Cohere(_Family):
    def _max_input_tokens(self) -> int | None:
        return {3: 512, 4: 128000}.get(self.version or 0)

    def body(self, texts: list[str], input_type: str, values: JsonObject) -> JsonObject:
        body: JsonObject = {
            'texts': texts,
            'input_type': values.get('bedrock_cohere_input_type') or f'search_{input_type}',
            'truncate': values.get('bedrock_cohere_truncate') or ('END' if values.get('truncate') else 'NONE'),
        }
        if self.version == 4:
            body.update(max_tokens=values.get('bedrock_cohere_max_tokens'), output_dimension=values.get('dimensions'))
        return {name: value for name, value in body.items() if value is not None}

    def read(self, body: JsonObject) -> Vectors:
        embeddings: Any = body['embeddings']
        vectors = as_dict(embeddings)['float'] if isinstance(embeddings, dict) else embeddings
        return Vectors(vectors, response_id=body.get('id'))


class _Nova(_Family):
    one_text = True

    def _max_input_tokens(self) -> int | None:
        return 8192 if 'nova-2-multimodal' in self.name else None

    def body(self, texts: list[str], input_type: str, values: JsonObject) -> JsonObject:
        purposes = {'query': 'GENERIC_RETRIEVAL', 'document': 'GENERIC_INDEX'}
        truncate = values.get('bedrock_nova_truncate') or ('END' if values.get('truncate') else 'NONE')
        params: JsonObject = {
            'embeddingPurpose': values.get('bedrock_nova_embedding_purpose') or purposes[input_type],
            'text': {'truncationMode': truncate, 'value': texts[0]},
        }
        if (dimensions := values.get('dimensions')) is not None:
            params['embeddingDimension'] = dimensions
        return {'taskType': 'SINGLE_EMBEDDING', 'singleEmbeddingParams': params}

    def read(self, body: JsonObject) -> Vectors:
        return Vectors([body['embeddings'][0]['embedding']])


_FAMILIES: dict[str, type[_Family]] = {'amazon.titan-embed': _Titan, 'cohere.embed': _Cohere, 'amazon.nova': _Nova}


def _family(model_name: str) -> _Family:
    name = remove_bedrock_geo_prefix(model_name)
    for prefix, family in _FAMILIES.items():
        if name.startswith(prefix):
            return family(name)
    raise UserError(
        f'{model_name!r} is not an embedding model of Bedrock that stead knows. Names begin with one of '
        f'{", ".join(_FAMILIES)}.'
    )


class BedrockEmbeddingModel(VendorEmbeddingModel):
    """An embedding model on Amazon Bedrock."""

    def __init__(
        self,
        model_name: BedrockEmbeddingModelName,
        *,
        provider: str | Provider = 'bedrock',
        settings: EmbeddingSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model, with or without a region before it.
            provider: The provider, or its name.
            settings: The settings of all requests.

        Raises:
            ImportError: The package boto3 is not installed.
            UserError: The model belongs to no known family, or there is no region.
            ValueError: The provider is not known.
        """
        super().__init__(model_name, provider, settings)
        self._family = _family(model_name)

    @property
    def client(self) -> Any:
        """The client, of boto3's service `bedrock-runtime`."""
        return self._provider.client

    async def _ask(self, texts: list[str], input_type: EmbedInputType, values: JsonObject) -> Vectors:
        limit = Semaphore(values.get('bedrock_max_concurrency') or _MOST_AT_ONCE)

        async def ask(part: list[str]) -> Vectors:
            async with limit:
                return await self._invoke(part, input_type, values)

        parts = [[text] for text in texts] if self._family.one_text else [texts] if texts else []
        answers = await gather(*(ask(part) for part in parts))
        embeddings = [embedding for answer in answers for embedding in answer.embeddings]
        response_id = next((answer.response_id for answer in answers), None)
        return Vectors(embeddings, sum(answer.tokens for answer in answers), response_id=response_id)

    async def _invoke(self, texts: list[str], input_type: str, values: JsonObject) -> Vectors:
        """Return the answer to one request, and the tokens that were counted."""
        body = json.dumps(self._family.body(texts, input_type, values))
        client = self.client

        def invoke() -> tuple[Any, Any]:
            response = client.invoke_model(
                modelId=values.get('bedrock_inference_profile') or self.model_name,
                body=body,
                contentType='application/json',
                accept='application/json',
            )
            headers = response.get('ResponseMetadata', {}).get('HTTPHeaders', {})
            return json.loads(response['body'].read()), headers.get('x-amzn-bedrock-input-token-count', 0)

        answered, tokens = await run_in_executor(invoke)
        try:
            return self._family.read(answered)._replace(tokens=int(tokens))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise unusable(self.model_name, f'it lacks vectors ({type(error).__name__}: {error}).') from error

    async def max_input_tokens(self) -> int | None:
        """Return how many tokens a text may have, or `None` if that is not known."""
        return self._family.max_input_tokens


__all__ = (
    'BedrockEmbeddingModel',
    'BedrockEmbeddingModelName',
    'BedrockEmbeddingSettings',
    'LatestBedrockEmbeddingModelNames',
)
