"""An agent as a server of A2A: what clients get, what the model gets, and what is stored."""

# needs: fasta2a, starlette

import asyncio
import base64
import warnings
from contextlib import asynccontextmanager

import httpx
from _common import fact
from fasta2a import schema
from fasta2a.storage import InMemoryStorage
from pydantic import BaseModel
from pydantic_ai import Agent, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.agent import WrapperAgent
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

OLD = hasattr(schema, 'TextPart')  # before version 1.0, parts and messages have a kind


class City(BaseModel):
    name: str
    people: int = 3


def text(content):
    return {'text': content, **({'kind': 'text'} if OLD else {})}


def file(data, kind):
    data = base64.b64encode(data).decode()
    return {'kind': 'file', 'file': {'bytes': data, 'mimeType': kind}} if OLD else {'raw': data, 'mediaType': kind}


def link(url, kind):
    return {'kind': 'file', 'file': {'uri': url, 'mimeType': kind}} if OLD else {'url': url, 'mediaType': kind}


@asynccontextmanager
async def client_of(agent, **options):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        app = agent.to_a2a(**options)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url='http://a2a') as client,
    ):
        yield client


async def call(client, method, params):
    response = await client.post('/', json={'jsonrpc': '2.0', 'id': '1', 'method': method, 'params': params})
    return response.json()['result']


async def ask(client, *parts, **more):
    message = {'role': 'user', 'parts': parts, 'messageId': 'm', **({'kind': 'message'} if OLD else {}), **more}
    task = await call(client, 'message/send', {'message': message, 'configuration': {'acceptedOutputModes': []}})
    task = task.get('task', task)
    while task['status']['state'] in ('submitted', 'working'):
        await asyncio.sleep(0.01)
        task = await call(client, 'tasks/get', {'id': task['id']})
    return task


def content_of(part):
    if isinstance(part.content, str):
        return part.content
    return [[type(item).__name__, getattr(item, 'url', None), item.media_type] for item in part.content]


def plain(part):
    return {key: value for key, value in part.items() if key != 'kind'}


def show(title, task):
    history = [[message['role'], [plain(part) for part in message['parts']]] for message in task.get('history', [])]
    artifacts = [[one.get('name'), [plain(part) for part in one['parts']]] for one in task.get('artifacts', [])]
    fact(title, {'state': task['status']['state'], 'history': history, 'artifacts': artifacts})


async def cards():
    for agent in (Agent('test'), Agent('test', name='helper'), WrapperAgent(Agent('test', name='inner'))):
        for options in ({}, {'name': 'other', 'description': 'what it does', 'version': '2'}):
            async with client_of(agent, **options) as client:
                card = (await client.get('/.well-known/agent-card.json')).json()
                fact('card', [card[key] for key in ('name', 'description', 'version', 'skills')])


async def conversation():
    seen, storage = [], InMemoryStorage()

    def answer(messages, info):
        seen.append([[[part.part_kind, content_of(part)] for part in message.parts] for message in messages])
        return ModelResponse(parts=[TextPart(f'heard {len(messages)}')])

    agent = Agent(FunctionModel(answer), instructions='be brief')
    async with client_of(agent, storage=storage) as client:
        one = await ask(client, text('one'), text('two'))
        show('first', one)
        two = await ask(client, text('three'), contextId=one['contextId'])
        show('second', two)
        await ask(client, text('what is it?'), file(b'abc', 'image/png'))
        await ask(client, link('http://x/a.pdf', 'application/pdf'))
    for messages in seen:
        fact('model', messages)
    fact('stored', [[type(message).__name__ for message in messages] for messages in storage.contexts.values()])


async def outputs():
    for output in (str, City, list[City], int):
        async with client_of(Agent(TestModel(), output_type=output)) as client:
            show(str(output), await ask(client, text('hi')))

    def think(messages, info):
        if len(messages) == 1:
            return ModelResponse(
                parts=[ThinkingPart('hm', signature='s'), TextPart('let me'), ToolCallPart('look', {})]
            )
        return ModelResponse(parts=[TextPart('it is'), TextPart(' blue')])

    agent = Agent(FunctionModel(think))
    agent.tool_plain(look)
    async with client_of(agent) as client:
        show('thinking and tools', await ask(client, text('hi')))


def look() -> str:
    return 'seen'


async def failures():
    def fail(messages, info):
        raise RuntimeError('secret')

    storage = InMemoryStorage()
    async with client_of(Agent(FunctionModel(fail)), storage=storage) as client:
        show('failed', await ask(client, text('hi')))
    fact('stored', storage.contexts)


async def main():
    await cards()
    await conversation()
    await outputs()
    await failures()


asyncio.run(main())
