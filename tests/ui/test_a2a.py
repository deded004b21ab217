"""`Agent.to_a2a`: an agent that answers tasks of the A2A protocol."""

from __future__ import annotations

import asyncio
import base64
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter, ValidationError

from stead import Agent, CancellationToken, FunctionToolset, RunContext
from stead.capabilities import Journal
from stead.exceptions import UserError
from stead.messages import (
    AudioUrl,
    DocumentUrl,
    ImageUrl,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    VideoUrl,
)
from stead.models.function import FunctionModel
from stead.models.test import TestModel

schema: Any = pytest.importorskip('fasta2a.schema')

from fasta2a import FastA2A
from fasta2a.broker import InMemoryBroker
from fasta2a.storage import InMemoryStorage

from stead.ui.a2a import AgentWorker, LocalBroker, RecentStorage, agent_to_a2a, worker_lifespan

OLD = hasattr(schema, 'TextPart')


@asynccontextmanager
async def client_of(app: FastA2A) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url='http://a2a') as client,
    ):
        yield client


async def send(client: httpx.AsyncClient, *parts: dict[str, Any], method: str = 'message/send', **more: Any) -> Any:
    message = {'role': 'user', 'parts': parts, 'messageId': 'm', **({'kind': 'message'} if OLD else {}), **more}
    params = {'message': message, 'configuration': {'acceptedOutputModes': []}}
    return await client.post('/', json={'jsonrpc': '2.0', 'id': '1', 'method': method, 'params': params})


async def ask(client: httpx.AsyncClient, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    task = (await send(client, *parts, **more)).json()['result']
    task = task.get('task', task)
    request = {'jsonrpc': '2.0', 'id': '1', 'method': 'tasks/get', 'params': {'id': task['id']}}
    while task['status']['state'] in ('submitted', 'working'):
        await asyncio.sleep(0)
        task = (await client.post('/', json=request)).json()['result']
    return task


def text(content: str) -> dict[str, Any]:
    return {'text': content, **({'kind': 'text'} if OLD else {})}


def data(value: object) -> dict[str, Any]:
    return {'data': value, **({'kind': 'data'} if OLD else {})}


def link(url: str, kind: str | None) -> dict[str, Any]:
    named = {} if kind is None else {'mimeType' if OLD else 'mediaType': kind}
    return {'kind': 'file', 'file': {'uri': url, **named}} if OLD else {'url': url, **named}


def file(content: bytes) -> dict[str, Any]:
    encoded = base64.b64encode(content).decode()
    return {'kind': 'file', 'file': {'bytes': encoded}} if OLD else {'raw': encoded}


def run(app: FastA2A, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        async with client_of(app) as client:
            return await ask(client, *parts, **more)

    return asyncio.run(main())


def contents_of(*parts: dict[str, Any]) -> list[Any]:
    """Return the contents that a model gets for the parts of a message."""
    seen: list[Any] = []

    def model(messages: Any, info: Any) -> ModelResponse:
        seen.extend(part.content for part in messages[-1].parts if isinstance(part, UserPromptPart))
        return ModelResponse(parts=[TextPart('fine')])

    assert run(agent_to_a2a(Agent(FunctionModel(model))), *parts)['status']['state'] == 'completed'
    return seen


@pytest.mark.parametrize(
    ('url', 'media_type', 'kind'),
    [
        ('http://x/a.png', None, ImageUrl),
        ('http://x/a', 'image/png', ImageUrl),
        ('http://x/a.wav', 'audio/wav', AudioUrl),
        ('http://x/a.mp4', None, VideoUrl),
        ('http://x/a.pdf', None, DocumentUrl),
        ('http://x/a', None, DocumentUrl),
        ('http://x/a', 'x/y', DocumentUrl),
    ],
)
def test_a_link_becomes_content_of_its_media_type(url: str, media_type: str | None, kind: type[Any]) -> None:
    [[found]] = contents_of(link(url, media_type))
    assert (type(found), found.url) == (kind, url)
    if media_type:
        assert found.media_type == media_type


def test_files_and_data() -> None:
    words, [found], value = contents_of(text('see'), file(b'abc'), data({'a': [1]}))
    assert (words, found.data, found.media_type, value) == ('see', b'abc', 'application/octet-stream', '{"a": [1]}')


def test_messages_of_the_agent_are_its_words() -> None:
    seen: list[Any] = []

    def model(messages: Any, info: Any) -> ModelResponse:
        seen.extend(messages)
        return ModelResponse(parts=[TextPart('fine')])

    agent = Agent(FunctionModel(model), instructions='be brief')
    assert run(agent_to_a2a(agent), text('I am here'), role='agent')['status']['state'] == 'completed'
    assert isinstance(seen[0], ModelResponse)
    assert seen[0].text == 'I am here'
    assert run(agent_to_a2a(agent), file(b'abc'), role='agent')['status']['state'] == 'failed'


def test_failures_are_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    def model(messages: Any, info: Any) -> ModelResponse:
        raise LookupError('secret')

    storage: InMemoryStorage[Any] = InMemoryStorage()
    with caplog.at_level(logging.ERROR, 'stead.a2a'):
        task = run(agent_to_a2a(Agent(FunctionModel(model)), storage=storage), text('hi'))
    assert task['status']['state'] == 'failed'
    assert 'secret' not in str(task)
    assert task['id'] in caplog.text
    assert 'LookupError: secret' in caplog.text
    assert storage.contexts == {}


@pytest.mark.parametrize(
    'url', ['gs://bucket/of-the-server.png', 's3://bucket/x.png', 'file:///etc/passwd', ' S3://x/y.png']
)
def test_links_that_providers_open_in_the_name_of_the_server_do_not_reach_the_model(url: str) -> None:
    with pytest.warns(UserWarning, match='File URLs in the request were dropped'):
        assert contents_of(text('see'), link(url, 'image/png')) == ['see', []]


def paying(paid: list[str], ends: Callable[[], ModelResponse]) -> Agent[None, str]:
    def model(messages: Any, info: Any) -> ModelResponse:
        if any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts):
            return ends()
        return ModelResponse(parts=[ToolCallPart('pay', {}, 'c1')])

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    def pay() -> str:
        paid.append('receipt')
        return 'receipt 17'

    return agent


@pytest.mark.parametrize('fails', ['model', 'artifact', 'cancelled'])
def test_what_a_failed_run_did_is_in_the_conversation(fails: str) -> None:
    paid: list[str] = []

    def ends() -> ModelResponse:
        if fails == 'model' and len(paid) == 1 and not failed:
            failed.append(fails)
            raise LookupError
        if fails == 'cancelled' and not failed:
            failed.append(fails)
            raise asyncio.CancelledError
        return ModelResponse(parts=[TextPart('fine')])

    class Odd(AgentWorker):
        def build_artifacts(self, result: Any) -> Any:
            if fails == 'artifact' and not failed:
                failed.append(fails)
                raise ValueError('no JSON')
            return super().build_artifacts(result)

    failed: list[str] = []
    storage: InMemoryStorage[Any] = InMemoryStorage()
    worker = Odd(broker=InMemoryBroker(), storage=storage, agent=paying(paid, ends))

    async def main() -> None:
        first = await storage.submit_task('ctx', message('pay'))
        with pytest.raises((LookupError, ValueError, asyncio.CancelledError)):
            await worker.run_task({'id': first['id'], 'context_id': 'ctx', 'message': message('pay')})
        second = await storage.submit_task('ctx', message('did you?'))
        await worker.run_task({'id': second['id'], 'context_id': 'ctx', 'message': message('did you?')})
        answered = await storage.load_task(second['id'])
        assert answered is not None and answered['status']['state'] == 'completed'

    asyncio.run(main())
    assert failed == [fails] and paid == ['receipt']


@pytest.mark.parametrize('by', ['client', 'token of the server'])
def test_a_task_is_cancelled_while_it_runs_and_the_conversation_continues(by: str, tmp_path: Path) -> None:
    """The client learns it at once; what was done is kept, and the run is recorded as cancelled."""
    paid: list[str] = []
    agent = paying(paid, lambda: ModelResponse(parts=[TextPart('fine') if waited else ToolCallPart('wait', {}, 'c2')]))
    waited: list[bool] = []
    waits = asyncio.Event()
    token = CancellationToken()

    @agent.tool_plain
    async def wait() -> None:
        waited.append(True)
        waits.set()
        await asyncio.Event().wait()

    journal = Journal(tmp_path / 'runs.db')

    async def main() -> None:
        app = agent_to_a2a(agent, cancellation_token=token, capabilities=[journal])
        async with client_of(app) as client:
            first = (await send(client, text('pay'))).json()['result']
            first = first.get('task', first)
            await waits.wait()
            request = {'jsonrpc': '2.0', 'id': '1', 'params': {'id': first['id']}}
            if by == 'client':
                cancelled = (await client.post('/', json={**request, 'method': 'tasks/cancel'})).json()['result']
                assert cancelled['status']['state'] == 'canceled'
                again = (await client.post('/', json={**request, 'method': 'tasks/cancel'})).json()['result']
                assert again['status']['state'] == 'canceled'
            else:
                token.cancel('The server goes down.')
                state = 'working'
                while state == 'working':
                    await asyncio.sleep(0)
                    answer = (await client.post('/', json={**request, 'method': 'tasks/get'})).json()
                    state = answer['result']['status']['state']
                assert state == 'canceled'
                return
            second = await ask(client, text('did you?'), contextId=first['contextId'])
            assert second['status']['state'] == 'completed' and 'fine' in str(second['artifacts'])

    asyncio.run(main())
    assert paid == ['receipt'] and waited == [True]
    statuses = sorted(run.status for run in asyncio.run(journal.runs()))
    assert statuses == (['done', 'failed'] if by == 'client' else ['failed'])


def test_a_task_that_waits_for_its_turn_is_cancelled_without_a_request() -> None:
    asked: list[str] = []
    asks, release = asyncio.Event(), asyncio.Event()

    async def model(messages: Any, info: Any) -> ModelResponse:
        asked.append('request')
        asks.set()
        await release.wait()
        return ModelResponse(parts=[TextPart('fine')])

    storage: InMemoryStorage[Any] = InMemoryStorage()
    broker = LocalBroker()
    worker = AgentWorker(broker=broker, storage=storage, agent=Agent(FunctionModel(model)))

    async def main() -> list[str]:
        async with broker, worker.run():
            tasks = [await storage.submit_task('ctx', message(words)) for words in ('one', 'two')]
            sending = [
                asyncio.create_task(broker.run_task({'id': task['id'], 'context_id': 'ctx', 'message': message('')}))
                for task in tasks
            ]
            await asks.wait()
            await broker.cancel_task({'id': tasks[1]['id']})
            release.set()
            await asyncio.gather(*sending)
            states = ['', 'working']
            while states[1] in ('submitted', 'working'):
                await asyncio.sleep(0)
                states = [found['status']['state'] for task in tasks if (found := await storage.load_task(task['id']))]
            return states

    assert asyncio.run(main()) == ['completed', 'canceled']
    assert asked == ['request']


def message(words: str) -> Any:
    return {'role': 'user', 'parts': [text(words)], 'message_id': 'm', **({'kind': 'message'} if OLD else {})}


def test_a_task_that_is_not_stored() -> None:
    worker = AgentWorker(broker=InMemoryBroker(), storage=InMemoryStorage(), agent=Agent('test'))
    with pytest.raises(ValueError, match="no task 'x'"):
        asyncio.run(worker.run_task({'id': 'x', 'context_id': 'y', 'message': {}}))
    asyncio.run(worker.cancel_task({'id': 'x'}))


def test_the_agent_is_open_while_the_server_is_up() -> None:
    log: list[str] = []

    class Server(FunctionToolset[None]):
        async def __aenter__(self) -> Any:
            log.append('opened')
            return self

        async def __aexit__(self, *args: object) -> None:
            log.append('closed')

    async def main(app: FastA2A) -> None:
        async with client_of(app) as client:
            log.append('up')
            assert (await ask(client, text('hi')))['status']['state'] == 'completed'
            log.append('asked')

    agent = Agent('test', toolsets=[Server()])
    asyncio.run(main(agent_to_a2a(agent)))
    assert (log[:2], log[-2:]) == (['opened', 'up'], ['asked', 'closed'])

    storage: InMemoryStorage[Any] = InMemoryStorage()
    broker = InMemoryBroker()

    @asynccontextmanager
    async def lifespan(app: FastA2A) -> AsyncIterator[None]:
        log.append('mine')
        async with worker_lifespan(app, AgentWorker(broker=broker, storage=storage, agent=agent), agent):
            yield

    log.clear()
    asyncio.run(main(agent_to_a2a(agent, storage=storage, broker=broker, lifespan=lifespan)))
    assert log[:3] == ['mine', 'opened', 'up']


def test_the_card_describes_the_agent() -> None:
    agent = Agent('test', name='helper', description='Helps.')
    with pytest.warns(UserWarning, match='deprecated'):
        app = agent.to_a2a(version='2', debug=True)

    async def main() -> dict[str, Any]:
        async with client_of(app) as client:
            return (await client.get('/.well-known/agent-card.json')).json()

    card = asyncio.run(main())
    assert (card['name'], card['description'], card['version'], app.debug) == ('helper', 'Helps.', '2', True)


def test_options_of_runs_hold_for_every_task() -> None:
    agent = Agent(TestModel(), deps_type=str)

    @agent.tool
    def owner(ctx: RunContext[str]) -> str:
        return ctx.deps

    async def main() -> list[dict[str, Any]]:
        async with client_of(agent_to_a2a(agent, deps='Ada', version='2')) as client:
            return [await ask(client, text('Whose?')) for _ in range(2)]

    for task in asyncio.run(main()):
        assert task['artifacts'][0]['parts'][0]['text'] == '{"owner":"Ada"}'
    with pytest.raises(UserError, match=r"Pass 'deps' to them: `AgentWorker\(..., run_options="):
        agent_to_a2a(agent, deps='Ada', lifespan=lambda app: None)
    with pytest.raises(TypeError, match='message_history'):
        agent_to_a2a(agent, message_history=[])


@pytest.mark.skipif(OLD, reason='the server streams since version 1.0')
def test_clients_that_stream_get_the_answer() -> None:
    async def main() -> str:
        async with client_of(agent_to_a2a(Agent(TestModel(custom_output_text='blue')))) as client:
            return (await send(client, text('hi'), method='message/stream')).text

    events = asyncio.run(main())
    assert '"text":"blue"' in events
    assert events.index('blue') < events.index('completed')


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'fasta2a', None)
    monkeypatch.delitem(sys.modules, 'stead.ui.a2a')
    with pytest.warns(UserWarning, match='deprecated'), pytest.raises(ImportError, match=r'stead\[a2a\]'):
        Agent('test').to_a2a()


def test_a_server_does_not_grow_with_its_tasks() -> None:
    async def main() -> tuple[int, int]:
        storage = RecentStorage()
        storage.most = 3
        app = agent_to_a2a(Agent('test'), storage=storage)
        async with client_of(app) as client:
            for number in range(6):
                task = await ask(client, text(str(number)))
                assert task['status']['state'] == 'completed'
        return len(storage.tasks), len(storage.contexts)

    tasks, contexts = asyncio.run(main())
    assert tasks <= 4  # the last one is added before those that have ended are dropped
    assert contexts == 3


GET = {'jsonrpc': '2.0', 'id': 7, 'method': 'tasks/get', 'params': {'id': 'x'}}


@pytest.mark.parametrize(
    ('body', 'code', 'why'),
    [
        (b'', -32700, 'not JSON'),
        (b'{', -32700, 'not JSON'),
        (b'[' * 100_000, -32700, 'not JSON'),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}', -32700, 'not JSON'),
        ([GET], -32600, 'one object'),
        ({**GET, 'jsonrpc': '1.0'}, -32600, '"jsonrpc": "2.0"'),
        ({**GET, 'method': 5}, -32600, 'a `method`'),
        ({**GET, 'method': 'tasks/think'}, -32601, "'tasks/think'"),
        ({**GET, 'params': {}}, -32602, 'params.id: Field required'),
        ({**GET, 'method': 'message/send'}, -32602, 'params.message: '),
        (
            {**GET, 'method': 'message/send', 'params': {'message': {'parts': [1] * 100_000}}},
            -32602,
            'the limit is 20000',
        ),
    ],
)
def test_bad_requests_get_an_error_that_says_why(body: Any, code: int, why: str) -> None:
    async def main() -> dict[str, Any]:
        async with client_of(agent_to_a2a(Agent('test'))) as client:
            sent = {'content': body} if isinstance(body, bytes) else {'json': body}
            response = await client.post('/', headers={'content-type': 'application/json'}, **sent)  # type: ignore[arg-type]
            assert response.status_code == 200
            return response.json()

    answer = asyncio.run(main())
    assert answer['error']['code'] == code
    assert why in answer['error']['data']
    assert answer['id'] == (7 if isinstance(body, dict) else None)


@pytest.mark.parametrize('kind', ['text/plain', 'multipart/form-data', 'text/plain; application/json', ''])
def test_a_page_of_another_site_cannot_send_a_task(kind: str) -> None:
    async def main() -> None:
        storage = RecentStorage()
        async with client_of(agent_to_a2a(Agent('test'), storage=storage)) as client:
            task = (await send(client, text('go'))).request.content
            known = [*storage.tasks]
            response = await client.post('/', content=task, headers={'content-type': kind} if kind else {})
            assert response.status_code == 415
            assert 'application/json' in response.json()['error']
            assert [*storage.tasks] == known
            for good in ('Application/JSON; charset=utf-8', 'application/a2a+json'):
                response = await client.post('/', content=task, headers={'content-type': good})
                assert 'result' in response.json()
            assert len(storage.tasks) == 3

    asyncio.run(main())


def test_what_a_storage_fails_of_is_not_an_error_of_the_request() -> None:
    class Broken(InMemoryStorage[Any]):
        async def load_task(self, *args: Any, **kwargs: Any) -> Any:
            return TypeAdapter(int).validate_python('x')

    async def main() -> None:
        async with client_of(agent_to_a2a(Agent('test'), storage=Broken())) as client:
            with pytest.raises(ValidationError):
                await client.post('/', json=GET)

    asyncio.run(main())
