"""Measure what a request costs with the SDKs of vendors: stead on both of its ways, beside the SDK alone.

    python benchmarks/wire.py [VENDOR ...] [--steps N ...] [--rounds N] [--json FILE]

Requests go through the real SDKs to a transport in this process, which answers at once; xAI's go to a server in a process of its
own. Times are CPU time of this process in microseconds, the best of some rounds:

- a step of a run that calls a tool at each step, so that its history grows. `SDK alone` sends the same messages with the SDK's
  typed method, from plain data, in a loop that does nothing else; `wire='sdk'` is stead by way of that method.
- a chunk of a stream, read to its end.
- the first chunk: from the call to the first piece of text, beside the bare HTTP client (or gRPC stub) with a body that is there
  already.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from stead import Agent, UsageLimits
from stead.messages import ModelRequest, PartDeltaEvent, PartStartEvent
from stead.models import ModelRequestParameters

NO_LIMIT = UsageLimits(request_limit=None)
SCHEMA = {'type': 'object', 'properties': {'a': {'type': 'integer'}, 'b': {'type': 'integer'}}, 'required': ['a', 'b']}
RESULT = 'x' * 200
CHUNKS = 2000
FIRSTS = 200


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
        done = sum(item.get('role') in ('assistant', 'model') for item in body[self.field])
        return self.http.Response(200, json=self.answer(done, done >= self.steps))

    field = 'messages'

    def is_stream(self, request: Any, body: Any) -> bool:
        return bool(body.get('stream'))

    def make_client(self) -> Any: ...

    def model(self) -> Any: ...

    def answer(self, done: int, last: bool) -> Any: ...

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

    def answer(self, done: int, last: bool) -> Any:
        message = {'role': 'assistant', 'content': 'done'}
        if not last:
            message = {'role': 'assistant', 'content': None, 'tool_calls': [self.call(done)]}
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
        done = sum(item.get('type') == 'function_call' for item in body['input'])
        return self.http.Response(200, json=self.answer(done, done >= self.steps))

    def call(self, number: int) -> Any:
        arguments = json.dumps({'a': number, 'b': 1})
        return {'type': 'function_call', 'call_id': f'c{number}', 'name': 'add', 'arguments': arguments}

    def answer(self, done: int, last: bool) -> Any:
        text = {'type': 'output_text', 'text': 'done', 'annotations': []}
        item = {'type': 'message', 'id': 'm', 'role': 'assistant', 'status': 'completed', 'content': [text]}
        head: Any = {'id': 'r', 'object': 'response', 'created_at': 1, 'model': 'gpt-4o', 'status': 'completed'}
        head.update(parallel_tool_calls=True, tool_choice='auto', tools=[])
        return {**head, 'output': [item if last else {**self.call(done), 'id': f'f{done}', 'status': 'completed'}]}

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

    def answer(self, done: int, last: bool) -> Any:
        content = {'type': 'text', 'text': 'done'} if last else self.call(done)
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

    def answer(self, done: int, last: bool) -> Any:
        part = {'text': 'done'} if last else {'functionCall': {'name': 'add', 'args': {'a': done, 'b': 1}}}
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


SERVER = """
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf.json_format import ParseDict
from xai_sdk.proto import chat_pb2 as pb

HEAD = {'id': 'r', 'model': 'grok', 'created': '2024-01-01T00:00:00Z'}
steps = int(sys.argv[1])


def message(done, last):
    call = {'id': f'c{done}', 'type': 'TOOL_CALL_TYPE_CLIENT_SIDE_TOOL'}
    call['function'] = {'name': 'add', 'arguments': '{"a": 1, "b": 1}'}
    content = {'content': 'done'} if last else {'tool_calls': [call]}
    output = {'finish_reason': 'REASON_STOP', 'index': 0, 'message': {'role': 'ROLE_ASSISTANT', **content}}
    return ParseDict({**HEAD, 'outputs': [output]}, pb.GetChatCompletionResponse()).SerializeToString()


def chunk(reason=None):
    end = {'finish_reason': reason} if reason else {}
    output = {'index': 0, 'delta': {'content': 'word ', 'role': 'ROLE_ASSISTANT'}, **end}
    return ParseDict({**HEAD, 'outputs': [output]}, pb.GetChatCompletionChunk()).SerializeToString()


def whole(request, context):
    done = sum(item.role == pb.ROLE_ASSISTANT for item in pb.GetCompletionsRequest.FromString(request).messages)
    return message(done, done >= steps)


def streamed(request, context):
    yield from [chunk()] * steps
    yield chunk('REASON_STOP')


class Handler(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method.endswith('Chunk'):
            return grpc.unary_stream_rpc_method_handler(streamed)
        return grpc.unary_unary_rpc_method_handler(whole)


server = grpc.server(ThreadPoolExecutor(4), handlers=[Handler()])
print(server.add_insecure_port('127.0.0.1:0'), flush=True)
server.start()
sys.stdin.read()
"""
"""The server of xAI's protocol, which ends with its standard input."""


class Xai(Vendor):
    """xAI's models, on a server in a process of its own."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        command = [sys.executable, '-c', SERVER, str(steps)]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        self.host = f'127.0.0.1:{int(self.server.stdout.readline())}'
        import xai_sdk

        self.client = xai_sdk.AsyncClient(api_key='x', api_host=self.host, use_insecure_channel=True)
        from xai_sdk.chat import tool, tool_result, user

        self.user, self.result = user, tool_result
        self.tools = [tool('add', 'Add.', SCHEMA)]
        self.start = user('go')

    def close(self) -> None:
        self.server.communicate('')

    def model(self) -> Any:
        from stead.models.xai import XaiModel
        from stead.providers.xai import XaiProvider

        return XaiModel('grok-4', provider=XaiProvider(xai_client=self.client))

    async def ask(self, messages: list[Any]) -> None:
        await self.client.chat.create(model='grok-4', messages=messages, tools=self.tools).sample()

    async def read(self) -> AsyncIterator[Any]:
        async for _, chunk in self.client.chat.create(model='grok-4', messages=[self.start]).stream():
            yield chunk.content

    def turn(self, number: int) -> list[Any]:
        from xai_sdk.proto import chat_pb2 as pb

        function = {'name': 'add', 'arguments': '{"a": 1, "b": 1}'}
        call = {'id': f'c{number}', 'type': 'TOOL_CALL_TYPE_CLIENT_SIDE_TOOL', 'function': function}
        message: Any = pb.Message(role='ROLE_ASSISTANT', content=[{'text': ''}], tool_calls=[call])
        return [message, self.result(RESULT, f'c{number}')]

    async def bare(self) -> AsyncIterator[Any]:
        chat = self.client.chat.create(model='grok-4', messages=[self.start])
        async for chunk in self.client.chat._stub.GetCompletionChunk(chat.proto):
            yield chunk.outputs[0].delta.content


VENDORS: dict[str, Callable[[int], Any]] = {
    'openai': Chat,
    'responses': Responses,
    'anthropic': Anthropic,
    'google': Google,
    'groq': Groq,
    'mistral': Mistral,
    'xai': Xai,
}


def closing(make: Callable[[int], Any], count: int, work: Callable[[Any], Awaitable[float]]) -> Callable[[], Any]:
    """Return a function that works with a vendor of its own, and ends it."""

    async def run() -> float:
        vendor = make(count)
        try:
            return await work(vendor)
        finally:
            vendor.close()

    return run


async def steps_of_stead(vendor: Any, way: str) -> float:
    agent: Agent[None, str] = Agent(vendor.model(), model_settings={'wire': way} if way != 'auto' else None)  # type: ignore[arg-type]

    @agent.tool_plain
    async def add(a: int, b: int) -> str:
        """Add."""
        return RESULT

    start = time.process_time()
    assert (await agent.run('go', usage_limits=NO_LIMIT)).output == 'done'
    return (time.process_time() - start) / (vendor.steps + 1)


async def steps_of_sdk(vendor: Any) -> float:
    messages = [vendor.start]
    start = time.process_time()
    for number in range(vendor.steps):
        await vendor.ask(messages)
        messages += vendor.turn(number)
    await vendor.ask(messages)
    return (time.process_time() - start) / (vendor.steps + 1)


async def chunks_of_stead(vendor: Any, way: str) -> float:
    agent: Agent[None, str] = Agent(vendor.model(), model_settings={'wire': way} if way != 'auto' else None)  # type: ignore[arg-type]
    start, seen = time.process_time(), 0
    async with agent.run_stream('go') as result:
        async for _ in result.stream_text(delta=True, debounce_by=None):
            seen += 1
    assert seen >= vendor.steps
    return (time.process_time() - start) / vendor.steps


async def chunks_of_sdk(vendor: Any) -> float:
    start, seen = time.process_time(), 0
    async for _ in vendor.read():
        seen += 1
    assert seen >= vendor.steps
    return (time.process_time() - start) / vendor.steps


async def first_of(open_stream: Callable[[], Any], is_text: Callable[[Any], bool]) -> float:
    """The least time from the call to the first piece of text."""
    best = 1e9
    for _ in range(FIRSTS):
        start, took = time.process_time(), 0.0
        async for item in open_stream():
            if not took and is_text(item):
                took = time.process_time() - start
        best = min(best, took)
    return best


def reading(model: Any, way: str) -> Callable[[], AsyncIterator[Any]]:
    settings: Any = {'wire': way} if way != 'auto' else None

    async def read() -> AsyncIterator[Any]:
        messages = [ModelRequest.user_text_prompt('go')]
        async with model.request_stream(messages, settings, ModelRequestParameters()) as response:
            async for event in response:
                yield event

    return read


def is_text_event(event: Any) -> bool:
    if isinstance(event, PartStartEvent):
        return bool(getattr(event.part, 'content', ''))
    return isinstance(event, PartDeltaEvent)


def best_of(rounds: int, work: Callable[[], Awaitable[float]]) -> float:
    """The least of some rounds, in microseconds, after one that is not counted."""
    best = 1e9
    for number in range(rounds + 1):
        gc.collect()
        took = asyncio.run(work())  # type: ignore[arg-type]
        best = min(best, took) if number else best
    return round(best * 1e6, 1)


def measure(name: str, steps: list[int], rounds: int) -> dict[str, dict[str, float]]:
    """Return the microseconds of each row, for stead, for stead by way of the typed method, and for the SDK alone."""
    make = VENDORS[name]
    ways = ['auto', 'sdk'] if name not in ONE_WAY else ['auto']
    rows: dict[str, dict[str, float]] = {}
    for count in steps:
        row = {
            way: best_of(rounds, closing(make, count, lambda vendor, way=way: steps_of_stead(vendor, way)))
            for way in ways
        }
        rows[f'a step of {count}'] = {**row, 'SDK alone': best_of(rounds, closing(make, count, steps_of_sdk))}
    row = {
        way: best_of(rounds, closing(make, CHUNKS, lambda vendor, way=way: chunks_of_stead(vendor, way)))
        for way in ways
    }
    rows['a chunk'] = {**row, 'SDK alone': best_of(rounds, closing(make, CHUNKS, chunks_of_sdk))}

    async def first(vendor: Any, of: str) -> float:
        if of == 'bare':
            return await first_of(vendor.bare, bool)
        if of == 'SDK alone':
            return await first_of(vendor.read, bool)
        return await first_of(reading(vendor.model(), of), is_text_event)

    row = {
        of: best_of(1, closing(make, 1, lambda vendor, of=of: first(vendor, of))) for of in (*ways, 'SDK alone', 'bare')
    }
    rows['the first chunk'] = row
    return rows


ONE_WAY: frozenset[str] = frozenset({'xai'})
"""Vendors whose models have one way to send requests."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('vendors', nargs='*', default=[*VENDORS], metavar='VENDOR')
    parser.add_argument('--steps', type=int, nargs='+', default=[100])
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--json', type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    print(f'{"":26s}{"stead":>10s}{"wire=sdk":>10s}{"SDK alone":>11s}{"bare":>8s}{"SDK/stead":>11s}')
    for name in options.vendors:
        found[name] = measure(name, options.steps, options.rounds)
        for label, row in found[name].items():
            cells = [f'{row[column]:.1f}' if column in row else '' for column in ('auto', 'sdk', 'SDK alone', 'bare')]
            ratio = row['SDK alone'] / row['auto']
            print(
                f'{name + ", " + label:26s}{cells[0]:>10s}{cells[1]:>10s}{cells[2]:>11s}{cells[3]:>8s}{ratio:>10.1f}x'
            )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == '__main__':
    main()
