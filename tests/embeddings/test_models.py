"""Embedding models beside what the parity cases show: names, errors, order, keys, and models in this process."""

from __future__ import annotations

import asyncio
import importlib.machinery
import math
import sys
import traceback
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import pytest

from stead import Embedder, UserError
from stead.embeddings import TestEmbeddingModel, infer_embedding_model
from stead.exceptions import ModelConnectionError, ModelHTTPError, ModelRateLimitError, UnexpectedModelBehavior


def openai(respond: Any) -> Embedder:
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from openai import AsyncOpenAI

    from stead.embeddings.openai import OpenAIEmbeddingModel
    from stead.providers.openai import OpenAIProvider

    http = httpx.AsyncClient(transport=httpx.MockTransport(respond))
    client = AsyncOpenAI(api_key='sk-secret-of-ours', http_client=http, max_retries=0)
    return Embedder(OpenAIEmbeddingModel('m', provider=OpenAIProvider(openai_client=client)))


def answer(*vectors: tuple[int, list[float]]) -> Any:
    data = [{'object': 'embedding', 'index': index, 'embedding': vector} for index, vector in vectors]
    return lambda request: httpx.Response(200, json={'object': 'list', 'model': 'm', 'data': data})


def test_vectors_belong_to_their_texts() -> None:
    result = openai(answer((1, [1.0]), (0, [2.0]))).embed_documents_sync(['a', 'b'])
    assert (result['a'], result['b']) == ([2.0], [1.0])


def test_a_vector_for_each_text() -> None:
    with pytest.raises(UnexpectedModelBehavior, match='1 vectors for 2 texts'):
        openai(answer((0, [1.0]))).embed_documents_sync(['a', 'b'])


def test_nothing_is_asked_for_no_texts() -> None:
    requests: list[Any] = []
    assert openai(requests.append).embed_documents_sync([]).embeddings == []
    assert requests == []


def test_errors_do_not_show_the_key() -> None:
    message = 'Incorrect API key: sk-secret-of-ours'
    refused = openai(lambda request: httpx.Response(401, json={'error': {'message': message}}))
    with pytest.raises(ModelHTTPError) as http_error:
        refused.embed_query_sync('q')
    assert http_error.value.status_code == 401
    assert 'secret' not in str(http_error.value)
    printed = ''.join(traceback.format_exception(None, http_error.value, http_error.value.__traceback__))
    assert 'Incorrect API key: ***' in printed
    assert 'sk-secret-of-ours' not in printed

    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError('no way')

    with pytest.raises(ModelConnectionError, match='no way') as connection:
        openai(fail).embed_query_sync('q')
    assert connection.value.phase == 'connect'


def test_errors_say_what_went_wrong_and_are_not_those_of_the_caller() -> None:
    busy = openai(
        lambda request: httpx.Response(429, json={'error': {'message': 'slow'}}, headers={'retry-after': '7'})
    )
    with pytest.raises(ModelRateLimitError) as limit:
        busy.embed_query_sync('q')
    assert limit.value.retry_after == 7

    def sealed(request: httpx.Request) -> httpx.Response:
        raise PermissionError('vault is sealed')

    with pytest.raises(PermissionError, match='vault is sealed'):
        openai(sealed).embed_query_sync('q')


def test_limits_of_unknown_versions_are_not_guessed() -> None:
    pytest.importorskip('boto3', reason='the SDK boto3 is not installed')
    from stead.embeddings.bedrock import BedrockEmbeddingModel
    from stead.providers.bedrock import BedrockProvider

    provider = BedrockProvider(bedrock_client=SimpleNamespace())
    names = 'amazon.titan-embed-text-v2:0', 'us.cohere.embed-v4:0', 'amazon.titan-embed-text-v99:0', 'cohere.embed-v9'
    models = [BedrockEmbeddingModel(name, provider=provider) for name in names]
    limits = [asyncio.run(model.max_input_tokens()) for model in models]
    assert limits == [8192, 128000, None, None]


@pytest.mark.parametrize(
    ('name', 'error', 'message'),
    [
        ('text-embedding-3-small', ValueError, 'provider:model'),
        ('nobody:x', ValueError, 'nobody'),
        (3, TypeError, 'EmbeddingModel'),
        (None, TypeError, 'EmbeddingModel'),
        ('anthropic:x', UserError, 'no embedding models'),
        ('bedrock:foo.bar', Exception, '(?i)bedrock'),
    ],
)
def test_names_that_mean_nothing(name: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        infer_embedding_model(name)
    assert isinstance(infer_embedding_model('test'), TestEmbeddingModel)


@pytest.mark.parametrize('name', ['cohere', 'voyageai', 'bedrock'])
def test_packages_that_are_missing_are_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = {'bedrock': 'boto3'}.get(name, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv('CO_API_KEY', 'k')
    monkeypatch.setenv('VOYAGE_API_KEY', 'k')
    model = 'amazon.titan-embed-text-v1' if name == 'bedrock' else 'm'
    with pytest.raises(ImportError, match=rf'stead\[{name}\]'):
        infer_embedding_model(f'{name}:{model}')


def test_sentence_transformers_embed_queries_and_documents_their_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    class Vectors(list[Any]):
        tolist = list.copy

    class SentenceTransformer:
        """The part of the package's class that is used."""

        def __init__(self, name: str) -> None:
            calls.append(name)

        def encode_query(self, texts: list[str], **options: Any) -> Any:
            calls.append(('query', texts, options))
            return Vectors([[1.0] for _ in texts])

        def encode_document(self, texts: list[str], **options: Any) -> Any:
            calls.append(('document', texts, options))
            return Vectors([[2.0] for _ in texts])

        def get_max_seq_length(self) -> int:
            return 55

        def tokenize(self, texts: list[str]) -> Any:
            return {'input_ids': SimpleNamespace(shape=(1, 4))}

    package = ModuleType('sentence_transformers')
    package.SentenceTransformer = SentenceTransformer  # type: ignore[attr-defined]
    package.__spec__ = importlib.machinery.ModuleSpec('sentence_transformers', None)
    monkeypatch.setitem(sys.modules, 'sentence_transformers', package)
    embedder = Embedder('sentence-transformers:small', settings={'dimensions': 3})
    settings: Any = {'sentence_transformers_device': 'cuda', 'sentence_transformers_batch_size': 7}
    assert embedder.embed_query_sync('q', settings=settings).embeddings == [[1.0]]
    assert embedder.embed_documents_sync(['a', 'b']).embeddings == [[2.0], [2.0]]
    assert (embedder.max_input_tokens_sync(), embedder.count_tokens_sync('abc')) == (55, 4)
    every = {'show_progress_bar': False, 'convert_to_numpy': True, 'convert_to_tensor': False, 'truncate_dim': 3}
    every['normalize_embeddings'] = False
    assert calls == [
        'small',
        ('query', ['q'], {**every, 'device': 'cuda', 'batch_size': 7}),
        ('document', ['a', 'b'], {**every, 'device': None}),
    ]


@pytest.fixture(scope='module')
def local(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    pytest.importorskip('xllamacpp', reason='the engine is not installed')
    from tests.models_local.tiny import tiny_model

    file: Path = tiny_model(tmp_path_factory.mktemp('weights') / 'tiny.gguf')
    return Embedder(f'local:{file}')


def test_a_model_in_this_process(local: Embedder) -> None:
    async def main() -> Any:
        both = local.embed_documents(['one two', 'three']), local.embed_query('one two')
        return await asyncio.gather(*both)

    documents, query = asyncio.run(main())
    assert documents.provider_name == 'local'
    assert documents.usage.input_tokens > 1
    for vector in documents.embeddings:
        assert math.isclose(sum(value * value for value in vector), 1.0, abs_tol=1e-3)
    assert query.embeddings[0] == pytest.approx(documents['one two'], abs=1e-3)
    assert documents['three'] != pytest.approx(documents['one two'], abs=1e-3)


def test_texts_that_are_too_long(local: Embedder) -> None:
    from stead.models.llamacpp import ContextOverflow

    with pytest.raises(ContextOverflow, match='tokens'):
        local.embed_query_sync('word ' * 5000)
    assert len(local.embed_query_sync('word ' * 5000, settings={'truncate': True}).embeddings) == 1
    assert local.max_input_tokens_sync() == 2048


def test_weights_that_do_not_exist() -> None:
    pytest.importorskip('xllamacpp', reason='the engine is not installed')
    from stead.models.llamacpp import WeightsError

    with pytest.raises(WeightsError, match='there is no such file'):
        Embedder('local:/nowhere/at/all.gguf').embed_query_sync('q')
