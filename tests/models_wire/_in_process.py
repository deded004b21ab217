"""Models of the SDKs over a transport in this process, which records bodies and answers at once."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import _bedrock_bodies
import _cohere_bodies
import pytest

COMPLETION = {
    'id': 'c',
    'object': 'chat.completion',
    'created': 1,
    'model': 'm',
    'choices': [{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': 'hello'}}],
}
MESSAGE = {
    'id': 'm',
    'type': 'message',
    'role': 'assistant',
    'model': 'c',
    'content': [{'type': 'text', 'text': 'hello'}],
    'stop_reason': 'end_turn',
    'stop_sequence': None,
    'usage': {'input_tokens': 1, 'output_tokens': 1},
}
CONTENT = {
    'candidates': [{'content': {'role': 'model', 'parts': [{'text': 'hello'}]}, 'finishReason': 'STOP'}],
    'modelVersion': 'g',
}
RESPONSE = {'id': 'r', 'object': 'response', 'created_at': 1, 'model': 'm', 'status': 'completed', 'output': []}


def http_of(sdk: str) -> Any:
    """The HTTP library that the installed SDK uses: httpx, or httpx2 from its newer releases on."""
    pytest.importorskip(sdk, reason=f'the SDK {sdk} is not installed')
    base = importlib.import_module(f'{sdk}._base_client')
    return getattr(base, 'httpx2', None) or base.httpx


Answer = Callable[[Any], Any]
"""Returns the answer to the body of a request: JSON data, or the bytes of a stream."""


class InProcess:
    """A transport, and the bodies that went through it."""

    def __init__(self, http: Any, answer: Any) -> None:
        self.http = http
        self.answer: Answer = answer if callable(answer) else lambda body: answer
        self.sent: list[bytes] = []

    def client(self) -> Any:
        return self.http.AsyncClient(transport=self.http.MockTransport(self._handle))

    def _handle(self, request: Any) -> Any:
        self.sent.append(request.content)
        answer = self.answer(json.loads(request.content))
        if isinstance(answer, bytes):
            return self.http.Response(200, headers={'content-type': 'text/event-stream'}, content=answer)
        return self.http.Response(200, json=answer)


def chat(answer: Any = COMPLETION, **options: Any) -> tuple[Any, InProcess]:
    wire = InProcess(http_of('openai'), answer)
    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    return OpenAIChatModel('gpt-4o', provider=OpenAIProvider(api_key='k', http_client=wire.client()), **options), wire


def responses(answer: Any = RESPONSE, **options: Any) -> tuple[Any, InProcess]:
    wire = InProcess(http_of('openai'), answer)
    from stead.models.openai import OpenAIResponsesModel
    from stead.providers.openai import OpenAIProvider

    provider = OpenAIProvider(api_key='k', http_client=wire.client())
    return OpenAIResponsesModel('gpt-5', provider=provider, **options), wire


def anthropic(answer: Any = MESSAGE, **options: Any) -> tuple[Any, InProcess]:
    wire = InProcess(http_of('anthropic'), answer)
    from stead.models.anthropic import AnthropicModel
    from stead.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(api_key='k', http_client=wire.client())
    return AnthropicModel('claude-opus-4-5', provider=provider, **options), wire


def groq(answer: Any = COMPLETION, **options: Any) -> tuple[Any, InProcess]:
    wire = InProcess(http_of('groq'), answer)
    from stead.models.groq import GroqModel
    from stead.providers.groq import GroqProvider

    provider = GroqProvider(api_key='k', http_client=wire.client())
    return GroqModel('llama-3.3-70b-versatile', provider=provider, **options), wire


def mistral(answer: Any = COMPLETION, **options: Any) -> tuple[Any, InProcess]:
    pytest.importorskip('mistralai.client', reason='the SDK mistralai is not installed')
    wire = InProcess(importlib.import_module('mistralai.client.httpclient').httpx, answer)
    from stead.models.mistral import MistralModel
    from stead.providers.mistral import MistralProvider

    provider = MistralProvider(api_key='k', http_client=wire.client())
    return MistralModel('mistral-large-latest', provider=provider, **options), wire


def google(answer: Any = None, **options: Any) -> tuple[Any, InProcess]:
    pytest.importorskip('google.genai', reason='the SDK google.genai is not installed')
    import httpx

    from stead.models.google import GoogleModel
    from stead.providers.google import GoogleProvider

    wire = InProcess(httpx, CONTENT if answer is None else answer)
    provider = GoogleProvider(api_key='k', http_client=wire.client())
    return GoogleModel('gemini-2.5-flash', provider=provider, **options), wire


def huggingface(answer: Any = COMPLETION, **options: Any) -> tuple[Any, InProcess]:
    hub = pytest.importorskip('huggingface_hub', reason='the package huggingface-hub is not installed')
    generated: Any = importlib.import_module('huggingface_hub.inference._generated._async_client')
    wire = InProcess(getattr(generated, 'httpx2', None) or generated.httpx, answer)
    from stead.models.huggingface import HuggingFaceModel
    from stead.providers.huggingface import HuggingFaceProvider

    client = hub.AsyncInferenceClient(base_url='https://router.huggingface.co/v1', api_key='k')
    client._async_client = wire.client()  # it takes none, but only a function that makes them for all clients
    return HuggingFaceModel('Qwen/Qwen3-32B', provider=HuggingFaceProvider(hf_client=client), **options), wire


def cohere(answer: Any = None, **options: Any) -> tuple[Any, InProcess]:
    pytest.importorskip('cohere', reason='the SDK cohere is not installed')
    import httpx

    from stead.models.cohere import CohereModel
    from stead.providers.cohere import CohereProvider

    wire = InProcess(httpx, json.loads(_cohere_bodies.answer('hello').pieces[0]) if answer is None else answer)
    provider = CohereProvider(api_key='k', http_client=wire.client())
    return CohereModel('command-a-03-2025', provider=provider, **options), wire


class _Raw:
    """The body of an answer, as botocore reads it."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def stream(self) -> Iterator[bytes]:
        yield self.content


def bedrock(answer: Any = None, **options: Any) -> tuple[Any, InProcess]:
    pytest.importorskip('boto3', reason='the SDK boto3 is not installed')
    from botocore.awsrequest import AWSResponse

    from stead.models.bedrock import BedrockConverseModel
    from stead.providers.bedrock import BedrockProvider

    content = _bedrock_bodies.answer({'text': 'hello'}).pieces[0] if answer is None else json.dumps(answer).encode()
    provider = BedrockProvider(api_key='k', region_name='us-east-1')
    wire = InProcess(None, answer)

    def send(request: Any, **_: object) -> Any:
        wire.sent.append(request.body)
        return AWSResponse(request.url, 200, {'content-type': 'application/json'}, _Raw(content))

    provider.client.meta.events.register('before-send.bedrock-runtime.Converse', send)
    return BedrockConverseModel(_bedrock_bodies.CLAUDE, provider=provider, **options), wire


MAKERS: dict[str, Callable[..., tuple[Any, InProcess]]] = {
    'openai': chat,
    'openai-responses': responses,
    'anthropic': anthropic,
    'google': google,
    'groq': groq,
    'mistral': mistral,
    'huggingface': huggingface,
    'cohere': cohere,
    'bedrock': bedrock,
}
