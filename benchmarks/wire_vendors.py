"""Models of vendors over a transport in this process, which answers at once, and the same clients without stead."""

from __future__ import annotations

import importlib
import json
from collections.abc import AsyncIterator
from typing import Any

SCHEMA = {'type': 'object', 'properties': {'a': {'type': 'integer'}, 'b': {'type': 'integer'}}, 'required': ['a', 'b']}
RESULT = 'x' * 200


def sse(events: list[Any], *, named: bool = False, done: bool = True) -> bytes:
    head = 'event: {}\n' if named else ''
    lines = [f'{head.format(event["type"]) if named else ""}data: {json.dumps(event)}\n\n'.encode() for event in events]
    return b''.join([*lines, b'data: [DONE]\n\n'] if done else lines)


class Vendor:
    """A model over a transport in this process, and the same client without stead."""

    sdk: str
    url: str
    named = False

    def __init__(self, steps: int) -> None:
        self.steps = steps
        base: Any = importlib.import_module(f'{self.sdk}._base_client')
        self.http: Any = getattr(base, 'httpx2', None) or base.httpx
        self.stream = b''
        self.client = self.make_client()

    def http_client(self) -> Any:
        return self.http.AsyncClient(transport=self.http.MockTransport(self.handle))

    def handle(self, request: Any) -> Any:
        body = json.loads(request.content)
        if self.is_stream(request, body):
            self.stream = self.stream or self.events(self.steps)
            return self.http.Response(200, headers={'content-type': 'text/event-stream'}, content=self.stream)
        step = sum(item.get('role') in ('assistant', 'model') for item in body[self.field])
        return self.http.Response(200, json=self.answer(step, step >= self.steps))

    field = 'messages'

    def is_stream(self, request: Any, body: Any) -> bool:
        return bool(body.get('stream'))

    def make_client(self) -> Any: ...

    def model(self) -> Any: ...

    def answer(self, step: int, last: bool) -> Any: ...

    def events(self, chunks: int) -> bytes: ...

    async def ask(self, messages: list[Any]) -> None: ...

    async def read(self) -> AsyncIterator[Any]:
        yield

    def turn(self, number: int) -> list[Any]:
        """The messages that a step adds."""

    def close(self) -> None:
        """End what is in another process."""

    start: Any = {'role': 'user', 'content': 'go'}

    async def bare(self) -> AsyncIterator[Any]:
        """Stream with the HTTP client alone."""
        body = json.dumps({'model': 'm', 'stream': True, 'messages': [self.start]}).encode()
        async with self.bare_client.stream('POST', self.url, content=body) as response:
            async for piece in response.aiter_bytes():
                yield piece

    @property
    def bare_client(self) -> Any:
        return self.client._client


class Chat(Vendor):
    """Chat completions of OpenAI; Groq's and Mistral's are close."""

    sdk, url, name = 'openai', 'https://api.openai.com/v1/chat/completions', 'gpt-4o'

    def make_client(self) -> Any:
        import openai

        return openai.AsyncOpenAI(api_key='x', http_client=self.http_client())

    def model(self) -> Any:
        from stead.models.openai import OpenAIChatModel
        from stead.providers.openai import OpenAIProvider

        return OpenAIChatModel(self.name, provider=OpenAIProvider(openai_client=self.client))

    def call(self, number: int) -> Any:
        function = {'name': 'add', 'arguments': json.dumps({'a': number, 'b': 1})}
        return {'id': f'c{number}', 'type': 'function', 'function': function}

    def answer(self, step: int, last: bool) -> Any:
        message = {'role': 'assistant', 'content': 'done'}
        if not last:
            message = {'role': 'assistant', 'content': None, 'tool_calls': [self.call(step)]}
        choice = {'index': 0, 'finish_reason': 'stop' if last else 'tool_calls', 'message': message}
        usage = {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2}
        head = {'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': self.name}
        return {**head, 'choices': [choice], 'usage': usage}

    def events(self, chunks: int) -> bytes:
        def chunk(delta: Any, reason: Any = None) -> Any:
            head = {'id': 'x', 'object': 'chat.completion.chunk', 'created': 1, 'model': self.name}
            return {**head, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': reason}]}

        return sse([chunk({'role': 'assistant', 'content': 'word '})] * chunks + [chunk({'content': ''}, 'stop')])

    tools: Any = [{'type': 'function', 'function': {'name': 'add', 'description': 'Add.', 'parameters': SCHEMA}}]

    async def ask(self, messages: list[Any]) -> None:
        await self.client.chat.completions.create(model=self.name, messages=messages, tools=self.tools)

    async def read(self) -> AsyncIterator[Any]:
        stream = await self.client.chat.completions.create(model=self.name, messages=[self.start], stream=True)
        async for chunk in stream:
            yield chunk.choices[0].delta.content

    def turn(self, number: int) -> list[Any]:
        result = {'role': 'tool', 'tool_call_id': f'c{number}', 'content': RESULT}
        return [{'role': 'assistant', 'content': None, 'tool_calls': [self.call(number)]}, result]


class Groq(Chat):
    sdk, url, name = 'groq', 'https://api.groq.com/openai/v1/chat/completions', 'llama-3.3-70b-versatile'

    def make_client(self) -> Any:
        import groq

        return groq.AsyncGroq(api_key='x', http_client=self.http_client())

    def model(self) -> Any:
        from stead.models.groq import GroqModel
        from stead.providers.groq import GroqProvider

        return GroqModel(self.name, provider=GroqProvider(groq_client=self.client))

    def turn(self, number: int) -> list[Any]:
        call, result = super().turn(number)
        return [{name: value for name, value in call.items() if value is not None}, result]


class Mistral(Chat):
    sdk, url, name = 'mistralai', 'https://api.mistral.ai/v1/chat/completions', 'mistral-large-latest'

    def __init__(self, steps: int) -> None:
        import httpx

        self.steps, self.http, self.stream = steps, httpx, b''
        self.client = self.make_client()

    def make_client(self) -> Any:
        from mistralai.client import Mistral

        return Mistral(api_key='x', async_client=self.http_client())

    def model(self) -> Any:
        from stead.models.mistral import MistralModel
        from stead.providers.mistral import MistralProvider

        return MistralModel(self.name, provider=MistralProvider(mistral_client=self.client))

    async def ask(self, messages: list[Any]) -> None:
        await self.client.chat.complete_async(model=self.name, messages=messages, tools=self.tools)

    async def read(self) -> AsyncIterator[Any]:
        async for event in await self.client.chat.stream_async(model=self.name, messages=[self.start]):
            yield event.data.choices[0].delta.content

    @property
    def bare_client(self) -> Any:
        return self.client.sdk_configuration.async_client

    def turn(self, number: int) -> list[Any]:
        call, result = super().turn(number)
        return [call, {**result, 'name': 'add'}]


class HuggingFace(Chat):
    """The client takes no HTTP client, but a function that makes them."""

    url, name = 'https://router.huggingface.co/v1/chat/completions', 'Qwen/Qwen3-32B'

    def __init__(self, steps: int) -> None:
        import huggingface_hub

        client: Any = importlib.import_module('huggingface_hub.inference._generated._async_client')
        self.steps, self.stream = steps, b''
        self.http = getattr(client, 'httpx2', None) or client.httpx
        huggingface_hub.set_async_client_factory(self.http_client)
        self.client = self.make_client()

    def make_client(self) -> Any:
        import huggingface_hub

        return huggingface_hub.AsyncInferenceClient(base_url=self.url.removesuffix('/chat/completions'), api_key='x')

    def model(self) -> Any:
        from stead.models.huggingface import HuggingFaceModel
        from stead.providers.huggingface import HuggingFaceProvider

        return HuggingFaceModel(self.name, provider=HuggingFaceProvider(hf_client=self.client))

    @property
    def bare_client(self) -> Any:
        return self.http_client()


class Responses(Vendor):
    sdk, url, field = 'openai', 'https://api.openai.com/v1/responses', 'input'

    make_client = Chat.make_client

    def model(self) -> Any:
        from stead.models.openai import OpenAIResponsesModel
        from stead.providers.openai import OpenAIProvider

        return OpenAIResponsesModel('gpt-4o', provider=OpenAIProvider(openai_client=self.client))

    def handle(self, request: Any) -> Any:
        body = json.loads(request.content)
        if body.get('stream'):
            self.stream = self.stream or self.events(self.steps)
            return self.http.Response(200, headers={'content-type': 'text/event-stream'}, content=self.stream)
        step = sum(item.get('type') == 'function_call' for item in body['input'])
        return self.http.Response(200, json=self.answer(step, step >= self.steps))

    def call(self, number: int) -> Any:
        arguments = json.dumps({'a': number, 'b': 1})
        return {'type': 'function_call', 'call_id': f'c{number}', 'name': 'add', 'arguments': arguments}

    def answer(self, step: int, last: bool) -> Any:
        text = {'type': 'output_text', 'text': 'done', 'annotations': []}
        item = {'type': 'message', 'id': 'm', 'role': 'assistant', 'status': 'completed', 'content': [text]}
        head: Any = {'id': 'r', 'object': 'response', 'created_at': 1, 'model': 'gpt-4o', 'status': 'completed'}
        head.update(parallel_tool_calls=True, tool_choice='auto', tools=[])
        return {**head, 'output': [item if last else {**self.call(step), 'id': f'f{step}', 'status': 'completed'}]}

    def events(self, chunks: int) -> bytes:
        place = {'item_id': 'm', 'output_index': 0, 'content_index': 0, 'sequence_number': 1, 'logprobs': []}
        delta = {'type': 'response.output_text.delta', **place, 'delta': 'word '}
        end = {'type': 'response.completed', 'sequence_number': 2, 'response': {**self.answer(0, True), 'output': []}}
        return sse([delta] * chunks + [end], named=True, done=False)

    tools: Any = [{'type': 'function', 'name': 'add', 'description': 'Add.', 'parameters': SCHEMA, 'strict': False}]

    async def ask(self, messages: list[Any]) -> None:
        await self.client.responses.create(model='gpt-4o', input=messages, tools=self.tools)

    async def read(self) -> AsyncIterator[Any]:
        async for event in await self.client.responses.create(model='gpt-4o', input=[self.start], stream=True):
            yield getattr(event, 'delta', None)

    def turn(self, number: int) -> list[Any]:
        return [self.call(number), {'type': 'function_call_output', 'call_id': f'c{number}', 'output': RESULT}]


class Anthropic(Vendor):
    sdk, url = 'anthropic', 'https://api.anthropic.com/v1/messages'

    def make_client(self) -> Any:
        import anthropic

        return anthropic.AsyncAnthropic(api_key='x', http_client=self.http_client())

    def model(self) -> Any:
        from stead.models.anthropic import AnthropicModel
        from stead.providers.anthropic import AnthropicProvider

        return AnthropicModel('claude-sonnet-4-5', provider=AnthropicProvider(anthropic_client=self.client))

    message: Any = {
        'id': 'm',
        'type': 'message',
        'role': 'assistant',
        'model': 'c',
        'content': [],
        'stop_reason': None,
        'stop_sequence': None,
        'usage': {'input_tokens': 1, 'output_tokens': 1},
    }

    def call(self, number: int) -> Any:
        return {'type': 'tool_use', 'id': f'c{number}', 'name': 'add', 'input': {'a': number, 'b': 1}}

    def answer(self, step: int, last: bool) -> Any:
        content = {'type': 'text', 'text': 'done'} if last else self.call(step)
        return {**self.message, 'content': [content], 'stop_reason': 'end_turn' if last else 'tool_use'}

    def events(self, chunks: int) -> bytes:
        delta = {'type': 'content_block_delta', 'index': 0, 'delta': {'type': 'text_delta', 'text': 'word '}}
        ends = {'stop_reason': 'end_turn', 'stop_sequence': None}
        first = {'type': 'content_block_start', 'index': 0, 'content_block': {'type': 'text', 'text': ''}}
        end = [
            {'type': 'content_block_stop', 'index': 0},
            {'type': 'message_delta', 'delta': ends, 'usage': {'output_tokens': 5}},
            {'type': 'message_stop'},
        ]
        start = {'type': 'message_start', 'message': self.message}
        return sse([start, first, *[delta] * chunks, *end], named=True, done=False)

    tools: Any = [{'name': 'add', 'description': 'Add.', 'input_schema': SCHEMA}]

    async def ask(self, messages: list[Any]) -> None:
        await self.client.beta.messages.create(
            model='claude-sonnet-4-5', messages=messages, tools=self.tools, max_tokens=4096
        )

    async def read(self) -> AsyncIterator[Any]:
        async for event in await self.client.beta.messages.create(
            model='claude-sonnet-4-5', messages=[self.start], max_tokens=4096, stream=True
        ):
            yield getattr(getattr(event, 'delta', None), 'text', None)

    def turn(self, number: int) -> list[Any]:
        result = {'type': 'tool_result', 'tool_use_id': f'c{number}', 'content': RESULT}
        return [{'role': 'assistant', 'content': [self.call(number)]}, {'role': 'user', 'content': [result]}]


class Google(Vendor):
    url, field = 'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse', 'contents'
    start: Any = {'role': 'user', 'parts': [{'text': 'go'}]}

    def __init__(self, steps: int) -> None:
        import httpx

        self.steps, self.http, self.stream = steps, httpx, b''
        self.client = self.make_client()

    def make_client(self) -> Any:
        from google import genai

        return genai.Client(api_key='x', http_options={'httpx_async_client': self.http_client()})

    def model(self) -> Any:
        from stead.models.google import GoogleModel
        from stead.providers.google import GoogleProvider

        return GoogleModel('gemini-2.5-flash', provider=GoogleProvider(client=self.client))

    def is_stream(self, request: Any, body: Any) -> bool:
        return 'stream' in str(request.url)

    def answer(self, step: int, last: bool) -> Any:
        part = {'text': 'done'} if last else {'functionCall': {'name': 'add', 'args': {'a': step, 'b': 1}}}
        candidate = {'content': {'role': 'model', 'parts': [part]}, 'finishReason': 'STOP'}
        usage = {'promptTokenCount': 1, 'candidatesTokenCount': 1, 'totalTokenCount': 2}
        return {'candidates': [candidate], 'modelVersion': 'g', 'usageMetadata': usage}

    def events(self, chunks: int) -> bytes:
        chunk = {'candidates': [{'content': {'role': 'model', 'parts': [{'text': 'word '}]}}], 'modelVersion': 'g'}
        end = {**chunk, 'candidates': [{**chunk['candidates'][0], 'finishReason': 'STOP'}]}  # type: ignore[index]
        return sse([chunk] * chunks + [end], done=False)

    config: Any = {
        'tools': [{'function_declarations': [{'name': 'add', 'parameters_json_schema': SCHEMA}]}],
        'automatic_function_calling': {'disable': True},
    }

    async def ask(self, messages: list[Any]) -> None:
        models = self.client.aio.models
        await models.generate_content(model='gemini-2.5-flash', contents=messages, config=self.config)

    async def read(self) -> AsyncIterator[Any]:
        models = self.client.aio.models
        async for chunk in await models.generate_content_stream(model='gemini-2.5-flash', contents=[self.start]):
            yield chunk.candidates[0].content.parts[0].text

    def turn(self, number: int) -> list[Any]:
        call = {'function_call': {'id': f'c{number}', 'name': 'add', 'args': {'a': number, 'b': 1}}}
        result = {'function_response': {'id': f'c{number}', 'name': 'add', 'response': {'return_value': RESULT}}}
        return [{'role': 'model', 'parts': [call]}, {'role': 'user', 'parts': [result]}]

    @property
    def bare_client(self) -> Any:
        return self.client._api_client._async_httpx_client
