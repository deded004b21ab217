"""Google: searches of files in streams, tiers in headers, cached content, blocked prompts, streams that are left."""

# needs: google.genai
import asyncio
import json
import warnings

import httpx
from _common import fact
from pydantic_ai import Agent
from pydantic_ai.exceptions import ContentFilterError
from pydantic_ai.messages import (
    ModelRequest,
    NativeToolCallPart,
    NativeToolReturnPart,
    SystemPromptPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.native_tools import FileSearchTool
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.tools import ToolDefinition

PROMPT = [ModelRequest(parts=[UserPromptPart('a')])]
PLAIN = ModelRequestParameters()
WITH_FILES = ModelRequestParameters(native_tools=[FileSearchTool(file_store_ids=['s'])])
FOUND = {'groundingChunks': [{'retrievedContext': {'title': 't', 'text': 'x', 'fileSearchStore': 's'}}]}


def chunk(*parts, reason=None, **fields):
    candidate = {
        'content': {'role': 'model', 'parts': list(parts)},
        **fields,
        **({'finishReason': reason} if reason else {}),
    }
    return {'candidates': [candidate], 'modelVersion': 'g', 'responseId': 'r'}


def code(text):
    return {'executableCode': {'language': 'PYTHON', 'code': text}}


def text(words):
    return {'text': words}


DOUBLE = code('print(file_search.query(query="what is it"))')
SINGLE = code("print(file_search.query(query='what \\'is\\' it'))")
SPACED = code("file_search.query(query = 'it')")
OTHER = code('print(1)')
RESULT = {'codeExecutionResult': {'outcome': 'OUTCOME_OK', 'output': 'o'}}
END = {'reason': 'STOP'}
SEARCHES = {
    'double': [chunk(DOUBLE), chunk(text('b')), chunk(text('c'), groundingMetadata=FOUND, **END)],
    'single': [chunk(SINGLE), chunk(text('b'), groundingMetadata=FOUND, **END)],
    'spaced': [chunk(SPACED), chunk(text('b'), groundingMetadata=FOUND, **END)],
    'other': [chunk(OTHER), chunk(RESULT), chunk(text('b'), groundingMetadata=FOUND, **END)],
    'nothing found': [chunk(DOUBLE), chunk(text('b'), **END)],
    'at once': [chunk(DOUBLE, text('b'), groundingMetadata=FOUND, **END)],
    'twice': [chunk(DOUBLE), chunk(SINGLE), chunk(text('b'), groundingMetadata=FOUND, **END)],
    'without': [chunk(text('b'), groundingMetadata=FOUND), chunk(text('c'), **END)],
}


class Server:
    """What answers the requests."""

    def __init__(self):
        self.reply, self.headers = [], {}

    def handle(self, request):
        if 'stream' in str(request.url):
            lines = ''.join(f'data: {json.dumps(event)}\r\n\r\n' for event in self.reply)
            return httpx.Response(200, headers={'content-type': 'text/event-stream', **self.headers}, text=lines)
        return httpx.Response(200, headers=self.headers, json=self.reply[0])


def part_facts(part, ids):
    if isinstance(part, (NativeToolCallPart, NativeToolReturnPart)):
        ids.setdefault(part.tool_call_id, len(ids))
        content = part.args if isinstance(part, NativeToolCallPart) else part.content
        return [part.tool_name, json.dumps(content, sort_keys=True), ids[part.tool_call_id]]
    return part.content


async def streamed(model, params):
    async with model.request_stream(PROMPT, None, params) as stream:
        async for _ in stream:
            pass
        return stream.get()


async def searches(model, server):
    for name, server.reply in SEARCHES.items():
        for params in (WITH_FILES, PLAIN):
            ids = {}
            response = await streamed(model, params)
            fact(f'{name} {len(params.native_tools)}', [part_facts(part, ids) for part in response.parts])


async def tiers(model, server):
    server.reply = [chunk(text('b'), **END)]
    for tier in ('PRIORITY', 'standard', 'flex', None):
        server.headers = {'x-gemini-service-tier': tier} if tier else {}
        whole = await model.request(PROMPT, None, PLAIN)
        details = [whole.provider_details, (await streamed(model, PLAIN)).provider_details]
        fact(f'tier {tier}', json.dumps(details, sort_keys=True))


async def cached(model, server):
    with_system = [ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart('a')])]
    with_tools = ModelRequestParameters(function_tools=[ToolDefinition(name='t')])
    for messages in (PROMPT, with_system):
        for params in (PLAIN, with_tools):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                await model.request(messages, {'google_cached_content': 'cachedContents/x'}, params)
            fact('cached', [one.category.__name__ for one in caught])


async def blocked(model, server):
    for reason in ('PROHIBITED_CONTENT', 'SAFETY'):
        server.reply = [{'promptFeedback': {'blockReason': reason}, 'modelVersion': 'g', 'responseId': 'r'}]
        try:
            await Agent(model).run('a')
        except ContentFilterError as error:
            fact('blocked', error.message)


async def left(model, server):
    server.reply = [chunk(text('b')), chunk(text('c'), **END)]
    async with model.request_stream(PROMPT, None, PLAIN) as stream:
        async for _ in stream:
            break
        await stream.cancel()
        response = stream.get()
        fact('left', [response.provider_response_id, response.provider_details, response.state])


async def main():
    server = Server()
    async with httpx.AsyncClient(transport=httpx.MockTransport(server.handle)) as client:
        model = GoogleModel('gemini-2.5-pro', provider=GoogleProvider(api_key='k', http_client=client))
        for observe in (searches, tiers, cached, blocked, left):
            await observe(model, server)


asyncio.run(main())
