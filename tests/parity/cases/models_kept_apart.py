"""What stead's models of SDKs do in another way: connections that fail, defaults that are not sent, one error for several texts."""

# needs: boto3, cohere, groq, huggingface_hub

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any
from unittest.mock import MagicMock

import httpx
from botocore.exceptions import ClientError
from cohere import AsyncClientV2
from huggingface_hub import AsyncInferenceClient
from pydantic import BaseModel
from pydantic_ai import Agent, PromptedOutput
from pydantic_ai.embeddings.bedrock import BedrockEmbeddingModel
from pydantic_ai.models.cohere import CohereModel
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.groq import GroqModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.providers.cohere import CohereProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.google_gla import GoogleGLAProvider
from pydantic_ai.providers.groq import GroqProvider
from pydantic_ai.providers.huggingface import HuggingFaceProvider

BODIES: list[dict[str, Any]] = []


class City(BaseModel):
    """A city."""

    name: str


def unreachable(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError('no route', request=request)


def of_groq(request: httpx.Request) -> httpx.Response:
    BODIES.append(json.loads(request.content))
    message = {'role': 'assistant', 'content': 'hi'}
    choices = [{'index': 0, 'finish_reason': 'stop', 'message': message}]
    body = {'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': 'm', 'choices': choices}
    return httpx.Response(200, json=body)


def of_google(request: httpx.Request) -> httpx.Response:
    BODIES.append(json.loads(request.content))
    content = {'role': 'model', 'parts': [{'text': '{"name": "Paris"}'}]}
    return httpx.Response(200, json={'candidates': [{'content': content, 'finishReason': 'STOP'}]})


def http(respond: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(respond))


async def attempt(label: str, call: Any) -> None:
    try:
        print(label, await call)
    except BaseException as error:
        print(label, type(error).__name__)


async def connections() -> None:
    cohere = AsyncClientV2(api_key='k', httpx_client=http(unreachable))
    model = CohereModel('command-r7b-12-2024', provider=CohereProvider(cohere_client=cohere))
    await attempt('cohere', Agent(model).run('x'))
    result = Agent(FallbackModel(model, TestModel(custom_output_text='instead'))).run('x')
    await attempt('fallback', result)


async def requests() -> None:
    provider: Any = GroqProvider(api_key='k', http_client=http(of_groq))
    await Agent(GroqModel('llama-3.3-70b-versatile', provider=provider)).run('hello')
    print('groq', sorted(BODIES.pop()))
    google = GoogleModel('gemini-2.5-pro', provider=GoogleProvider(api_key='k', http_client=http(of_google)))
    agent = Agent(
        google, output_type=PromptedOutput(City), model_settings={'google_cached_content': 'cachedContents/x'}
    )

    @agent.tool_plain
    def unused(x: str) -> str:
        return x

    await agent.run('where')
    print('google, tools in the cache', BODIES.pop().get('generationConfig', {}).get('responseMimeType'))


async def embeddings() -> None:
    client = MagicMock()
    client.meta.endpoint_url = 'https://bedrock-runtime.us-east-1.amazonaws.com'
    error = {'Error': {'Code': 'X', 'Message': 'bad'}, 'ResponseMetadata': {'HTTPStatusCode': 400}}
    client.invoke_model.side_effect = ClientError(error, 'InvokeModel')
    model = BedrockEmbeddingModel('amazon.titan-embed-text-v2:0', provider=BedrockProvider(bedrock_client=client))
    await attempt('bedrock, two texts', model.embed(['a', 'b'], input_type='query'))


def clients() -> None:
    for name in ('https://my.host/v1', None):
        try:
            client = AsyncInferenceClient(api_key='x', model=name)
            print('huggingface', HuggingFaceProvider(hf_client=client).base_url)
        except Exception as error:
            print('huggingface', type(error).__name__)
    print('google_gla', type(GoogleGLAProvider(api_key='k').client).__module__.partition('.')[0])


warnings.simplefilter('ignore')
asyncio.run(connections())
asyncio.run(requests())
asyncio.run(embeddings())
clients()
