"""What embedding models of vendors send, and what they make of answers."""

# needs: google.genai, openai

import base64
import io
import json
import struct
from types import SimpleNamespace

import httpx
from _common import fact
from pydantic_ai import Embedder
from pydantic_ai.embeddings.bedrock import BedrockEmbeddingModel
from pydantic_ai.embeddings.cohere import CohereEmbeddingModel
from pydantic_ai.embeddings.google import GoogleEmbeddingModel
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.embeddings.voyageai import VoyageAIEmbeddingModel
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior, UserError
from pydantic_ai.providers import Provider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.google_cloud import GoogleCloudProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider

ALL = {'dimensions': 3, 'truncate': True, 'extra_headers': {'x-y': '1'}, 'extra_body': {'z': 2}}


def attempt(what, call):
    try:
        result = call()
    except (ModelAPIError, UnexpectedModelBehavior, UserError, NotImplementedError) as error:
        kinds = (ModelHTTPError, UnexpectedModelBehavior, ModelAPIError, NotImplementedError, UserError)
        kind = next(kind for kind in kinds if isinstance(error, kind))
        fact(what, [kind.__name__, *([error.status_code, error.body] if kind is ModelHTTPError else [])])
        return
    if hasattr(result, 'embeddings'):
        rest = [result.model_name, result.provider_name, result.provider_details, result.provider_response_id]
        result = [result.embeddings, result.inputs, result.input_type, result.usage.input_tokens, *rest]
    fact(what, result)


def both(model, *, settings=()):
    """One query, two documents, and a query with each of the settings."""
    embedder = Embedder(model)
    fact('model', [model.system, model.model_name])
    attempt('query', lambda: embedder.embed_query_sync('q'))
    attempt('documents', lambda: embedder.embed_documents_sync(['a', 'b']))
    for values in settings:
        attempt(str(sorted(values)), lambda values=values: embedder.embed_query_sync('q', settings=values))


def http(answer, status=200):
    def respond(request):
        body = json.loads(request.content or b'null')
        own = {
            name: value for name, value in request.headers.items() if name in ('x-y', 'authorization', 'x-goog-api-key')
        }
        fact(
            'sent',
            [request.method, str(request.url).rpartition('/')[2], json.loads(json.dumps(body, sort_keys=True)), own],
        )
        return httpx.Response(status, json=answer(body, str(request.url)) if callable(answer) else answer)

    return httpx.AsyncClient(transport=httpx.MockTransport(respond))


class Own(Provider):
    """A provider with a client of ours, in place of a vendor's SDK."""

    def __init__(self, name, client):
        self._name, self._client = name, client

    name = property(lambda self: self._name)
    base_url = property(lambda self: 'https://example.com')
    client = property(lambda self: self._client)
    v1_client = property(lambda self: self._client)


def of_openai(body, url):
    vectors = [base64.b64encode(struct.pack('<2f', number, 0.5)).decode() for number, _ in enumerate(body['input'])]
    data = [{'object': 'embedding', 'index': number, 'embedding': vector} for number, vector in enumerate(vectors)]
    usage = {'prompt_tokens': 7, 'total_tokens': 7}
    return {'object': 'list', 'model': 'answered', 'data': data, 'usage': usage}


def openai(answer=of_openai, status=200, name='text-embedding-3-small'):
    return OpenAIEmbeddingModel(name, provider=OpenAIProvider(api_key='k', http_client=http(answer, status)))


both(openai(), settings=[ALL])
attempt('refused', lambda: Embedder(openai({'error': {'message': 'bad'}}, 400)).embed_query_sync('q'))
attempt('most', lambda: Embedder(openai()).max_input_tokens_sync())
ollama = OpenAIEmbeddingModel('nomic', provider=OllamaProvider(base_url='http://x/v1', http_client=http(of_openai)))
both(ollama)
attempt('most', lambda: Embedder(ollama).max_input_tokens_sync())
attempt('counted', lambda: Embedder(ollama).count_tokens_sync('q'))


def of_google(body, url):
    if 'countTokens' in url:
        return {'totalTokens': 5}
    if ':predict' in url:
        vector = {'values': [1.0], 'statistics': {'token_count': 3, 'truncated': False}}
        return {'predictions': [{'embeddings': vector} for _ in body['instances']]}
    return {'embeddings': [{'values': [float(number), 0.5]} for number, _ in enumerate(body['requests'])]}


def google(name='gemini-embedding-001', answer=of_google, status=200):
    return GoogleEmbeddingModel(name, provider=GoogleProvider(api_key='k', http_client=http(answer, status)))


settings = {'dimensions': 3, 'google_task_type': 'CLUSTERING', 'google_title': 'T'}
both(google(), settings=[settings])
both(google('gemini-embedding-2-preview'))
cloud = GoogleCloudProvider(api_key='k', http_client=http(of_google))
both(GoogleEmbeddingModel('text-embedding-005', provider=cloud), settings=[{'dimensions': 3, 'google_title': 'T'}])
attempt('counted', lambda: Embedder(google()).count_tokens_sync('q'))
error = {'error': {'code': 400, 'message': 'bad', 'status': 'INVALID'}}
attempt('refused', lambda: Embedder(google(answer=error, status=400)).embed_query_sync('q'))
attempt('not counted', lambda: Embedder(google(answer=error, status=400)).count_tokens_sync('q'))
for name in ('gemini-embedding-2-preview', 'text-embedding-005', 'other'):
    attempt('most', lambda name=name: Embedder(google(name)).max_input_tokens_sync())


class Answer(SimpleNamespace):
    def model_dump(self, **options):
        return {name: value.model_dump() if isinstance(value, Answer) else value for name, value in vars(self).items()}


class Cohere:
    empty = False

    async def embed(self, **arguments):
        fact('sent', sorted({**arguments, 'request_options': arguments.get('request_options') or {}}.items()))
        floats = None if self.empty else [[1.0, 2.0] for _ in arguments['texts']]
        meta = Answer(billed_units=Answer(input_tokens=4))
        return Answer(id='r', embeddings=SimpleNamespace(float_=floats), meta=meta)

    async def tokenize(self, **arguments):
        fact('tokenized', [arguments['model'], arguments['text']])
        return SimpleNamespace(tokens=[1, 2, 3])


cohere = CohereEmbeddingModel('embed-v4.0', provider=Own('cohere', Cohere()))
chosen = {'cohere_truncate': 'START', 'truncate': True, 'cohere_input_type': 'clustering', 'cohere_max_tokens': 9}
both(cohere, settings=[ALL, {'truncate': False}, chosen])
attempt('most', lambda: Embedder(cohere).max_input_tokens_sync())
Cohere.empty = True
attempt('empty', lambda: Embedder(cohere).embed_query_sync('q'))


class Voyage:
    async def embed(self, **arguments):
        fact('sent', sorted(arguments.items()))
        return SimpleNamespace(embeddings=[[1.0] for _ in arguments['texts']], total_tokens=6)


voyage = VoyageAIEmbeddingModel('voyage-law-2', provider=Own('voyageai', Voyage()))
both(voyage, settings=[ALL, {'voyageai_input_type': 'none'}, {'voyageai_input_type': 'document'}])
attempt('counted', lambda: Embedder(voyage).count_tokens_sync('q'))
attempt('most', lambda: Embedder(voyage).max_input_tokens_sync())


class Bedrock:
    meta = SimpleNamespace(endpoint_url='https://example.com')

    def invoke_model(self, *, body, modelId, **arguments):
        sent = json.loads(body)
        fact('sent', [modelId, arguments, json.loads(json.dumps(sent, sort_keys=True))])
        if 'titan' in modelId:
            answer = {'embedding': [1.0, 2.0], 'inputTextTokenCount': 3}
        elif 'nova' in modelId:
            answer = {'embeddings': [{'embeddingType': 'TEXT', 'embedding': [1.0]}]}
        else:
            vectors = [[1.0] for _ in sent['texts']]
            answer = {'embeddings': {'float': vectors} if 'v4' in modelId else vectors, 'id': 'r'}
        headers = {'x-amzn-bedrock-input-token-count': '9'}
        return {'body': io.BytesIO(json.dumps(answer).encode()), 'ResponseMetadata': {'HTTPHeaders': headers}}


of_cohere = {
    'bedrock_cohere_max_tokens': 5,
    'bedrock_cohere_input_type': 'clustering',
    'bedrock_cohere_truncate': 'END',
}
of_nova = {'bedrock_nova_truncate': 'START', 'bedrock_nova_embedding_purpose': 'CLUSTERING'}
elsewhere = {'bedrock_inference_profile': 'arn:of-titan-nova', 'bedrock_max_concurrency': 1}
for name in (
    'amazon.titan-embed-text-v1',
    'us.amazon.titan-embed-text-v2:0',
    'cohere.embed-english-v3',
    'eu.cohere.embed-v4:0',
    'amazon.nova-2-multimodal-embeddings-v1:0',
):
    bedrock = BedrockEmbeddingModel(name, provider=Own('bedrock', Bedrock()))
    fact('model', [bedrock.system, bedrock.model_name])
    for values in ({}, ALL, {'bedrock_titan_normalize': False}, of_cohere, of_nova):
        attempt(str(sorted(values)), lambda values=values: Embedder(bedrock).embed_query_sync('q', settings=values))
    one = {'bedrock_max_concurrency': 1}
    attempt('documents', lambda one=one: Embedder(bedrock).embed_documents_sync(['a', 'b'], settings=one))
    attempt('most', lambda: Embedder(bedrock).max_input_tokens_sync())
titan = BedrockEmbeddingModel('amazon.titan-embed-text-v2:0', provider=Own('bedrock', Bedrock()))
attempt('profile', lambda: Embedder(titan).embed_query_sync('q', settings=elsewhere))
attempt('counted', lambda: Embedder(titan).count_tokens_sync('q'))
attempt('unknown', lambda: BedrockEmbeddingModel('foo.bar', provider=Own('bedrock', Bedrock())))
