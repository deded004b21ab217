"""xAI's models, on a server in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

from wire_vendors import RESULT, SCHEMA, Vendor

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
