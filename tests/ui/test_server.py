"""One application for all front ends: `create_server`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from .serving import client_of, events_of, served, until
from .test_streams import AG_UI, AI_SDK, Paced, text_of

pytest.importorskip('fasta2a', reason='the package fasta2a is not installed')

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from stead import Agent, DeferredToolRequests, RunContext
from stead.capabilities import Journal
from stead.models.test import TestModel
from stead.ui import StateDeps
from stead.ui.vercel_ai import VercelAIAdapter
from stead.ui.web import create_server

WORDS = 'success (no tool calls)'


async def post(client: httpx.AsyncClient, path: str, body: Any, **headers: str) -> tuple[int, str]:
    response = await client.post(path, json=body, headers=headers)
    return response.status_code, response.text


def test_each_protocol_answers() -> None:
    async def main() -> None:
        server = create_server(Agent('test', name='shop'), url='https://agents.example.com')
        async with client_of(server.app) as client:
            for path, body in (('/ag-ui', AG_UI), ('/ai-sdk', AI_SDK), ('/ai-sdk/5', AI_SDK), ('/api/chat', AI_SDK)):
                async with client.stream('POST', path, json=body) as response:
                    assert response.status_code == 200
                    assert response.headers['cache-control'] == 'no-store'
                    assert response.headers['x-accel-buffering'] == 'no'
                    assert text_of(await events_of(response)) == WORDS, path
            card = (await client.get('/.well-known/agent-card.json')).json()
            assert 'https://agents.example.com/a2a/' in json.dumps(card)
            assert card == (await client.get('/a2a/.well-known/agent-card.json')).json()

    asyncio.run(main())


def test_errors_stay_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        agent = Agent(TestModel())

        @agent.tool_plain
        def boom() -> None:
            raise ValueError('postgres://admin:hunter2@db')

        async with client_of(create_server(agent).app) as client:
            for path, body in (('/ag-ui', AG_UI), ('/ai-sdk', AI_SDK)):
                status, text = await post(client, path, body)
                assert status == 200
                assert 'The log of the server says why' in text
                assert 'hunter2' not in text
        assert caplog.text.count('hunter2') >= 2

    asyncio.run(main())


@pytest.mark.parametrize('path', ['/ag-ui', '/ai-sdk', '/api/chat', '/api/talk/conversations/a/say'])
def test_what_a_tool_changes_in_a_state_is_not_shown_to_the_next_client(path: str) -> None:
    async def main() -> None:
        seen: list[int] = []
        agent = Agent('test', deps_type=StateDeps[dict[str, list[str]]])

        @agent.tool
        def add(ctx: RunContext[StateDeps[dict[str, list[str]]]]) -> str:
            ctx.deps.state['items'].append('mine')
            seen.append(len(ctx.deps.state['items']))
            return ''

        app = create_server(agent, deps=StateDeps({'items': list[str]()})).app
        body = {'/ag-ui': AG_UI, '/ai-sdk': AI_SDK, '/api/chat': AI_SDK}.get(path, {'text': 'go'})
        for _ in range(2):  # with cookies of their own
            async with client_of(app) as client:
                assert (await post(client, path, body))[0] == 200
        assert seen == [1, 1]

    asyncio.run(main())


@pytest.mark.parametrize('path', ['/ag-ui', '/ai-sdk', '/ai-sdk/5'])
def test_what_is_refused_says_why(path: str) -> None:
    async def main() -> None:
        async with client_of(create_server(Agent('test')).app) as client:
            plain = {'content-type': 'text/plain'}
            assert (await client.post(path, content=b'{}', headers=plain)).status_code == 415
            bad = await client.post(path, json={})
            assert bad.status_code == 422
            assert bad.json()['error'].startswith('The request is invalid: ')
            for method in ('GET', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'):
                other = await client.request(method, path)
                assert (other.status_code, other.headers['allow']) == (405, 'POST')
                assert other.json() == {'error': f'{path} takes POST.'}
            assert (await client.post(path, json={}, headers={'origin': 'http://evil.com'})).status_code == 403
            assert (await client.post(path, json={}, headers={'host': 'evil.com'})).status_code == 421

    asyncio.run(main())


def test_other_sites_that_are_allowed() -> None:
    async def main() -> None:
        site = 'http://localhost:3000'
        async with client_of(create_server(Agent('test'), allowed_origins=[site]).app) as client:
            headers = {'origin': site, 'access-control-request-method': 'POST'}
            preflight = await client.options(
                '/ag-ui', headers={**headers, 'access-control-request-headers': 'content-type'}
            )
            assert (preflight.status_code, preflight.headers['access-control-allow-origin']) == (200, site)
            answer = await client.post('/ag-ui', json=AG_UI, headers={'origin': site})
            assert (answer.status_code, answer.headers['access-control-allow-origin']) == (200, site)
            assert (await client.post('/api/chat', json=AI_SDK, headers={'origin': site})).status_code == 403
            other = await client.post('/ag-ui', json=AG_UI, headers={'origin': 'http://localhost:3001'})
            assert other.status_code == 403

    asyncio.run(main())


def test_a_conversation_is_that_of_its_client() -> None:
    """Someone who knows the id of a conversation that the journal has does not continue it."""

    async def main() -> None:
        journal = Journal(conversations=True)
        agent = Agent(TestModel(), capabilities=[journal])
        await agent.run('my secret is tangerine', conversation_id='t')
        async with client_of(create_server(agent).app) as client:
            await post(client, '/ag-ui', {**AG_UI, 'messages': []})
            await post(client, '/ag-ui', AG_UI)
        for run in await journal.runs():
            if run.conversation_id != 't':
                assert 'tangerine' not in repr(await journal.messages(run.run_id))

    asyncio.run(main())


def test_with_a_journal_clients_come_back() -> None:
    async def main() -> None:
        paced = Paced(capabilities=[Journal()])
        async with client_of(create_server(paced.agent).app) as client:
            paced.let(3)
            async with client.stream('POST', '/ag-ui', json=AG_UI) as response:
                first = await events_of(response, 8)
            paced.let()
            await until(lambda: paced.happened == ['looked', 'done'])
            async with client.stream('GET', '/ag-ui', headers={'last-event-id': first[-1][0]}) as response:
                rest = await events_of(response)
            assert text_of(first + rest) == ''.join(f'w{n} ' for n in range(20))

    asyncio.run(main())


def test_it_can_be_mounted_behind_a_check_of_users() -> None:
    class Keys:
        def __init__(self, app: Any) -> None:
            self._app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if scope['type'] == 'http' and Request(scope).headers.get('authorization') != 'Bearer right':
                return await JSONResponse({'error': 'no key'}, 401)(scope, receive, send)
            return await self._app(scope, receive, send)

    async def main() -> None:
        inner = create_server(Agent('test', name='shop')).app

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            async with inner.router.lifespan_context(inner):
                yield

        app = Starlette(routes=[Mount('/agents/shop', inner)], middleware=[Middleware(Keys)], lifespan=lifespan)
        async with client_of(app) as client:
            assert (await post(client, '/agents/shop/ag-ui', AG_UI))[0] == 401
            key = {'authorization': 'Bearer right'}
            status, text = await post(client, '/agents/shop/ag-ui', AG_UI, **key)
            assert (status, 'RUN_FINISHED' in text) == (200, True)
            assert (await client.get('/agents/shop/', headers=key)).status_code == 200
            card = await client.get('/agents/shop/.well-known/agent-card.json', headers=key)
            assert card.json()['name'] == 'shop'

    asyncio.run(main())


def test_it_can_be_mounted_in_fastapi() -> None:
    fastapi = pytest.importorskip('fastapi', reason='the package fastapi is not installed')

    async def main() -> None:
        inner = create_server(Agent('test')).app

        @asynccontextmanager
        async def lifespan(app: Any) -> AsyncIterator[None]:
            async with inner.router.lifespan_context(inner):
                yield

        app = fastapi.FastAPI(lifespan=lifespan)
        app.mount('/all', inner)
        app.mount('/web', Agent('test').to_web())
        async with client_of(app) as client:
            for path, body in (('/all/ag-ui', AG_UI), ('/all/ai-sdk', AI_SDK), ('/web/api/chat', AI_SDK)):
                async with client.stream('POST', path, json=body) as response:
                    assert text_of(await events_of(response)) == WORDS, path
            message = {'role': 'user', 'messageId': 'm', 'kind': 'message', 'parts': [{'kind': 'text', 'text': 'hi'}]}
            task = {'jsonrpc': '2.0', 'id': 1, 'method': 'message/send', 'params': {'message': message}}
            assert 'result' in (await client.post('/all/a2a/', json=task)).json()

    asyncio.run(main())


@pytest.mark.parametrize(('declared', 'has_interrupts'), [({'protocolVersion': '1.0'}, True), ({}, False)])
def test_interfaces_that_declare_their_version_get_interrupts(declared: dict[str, Any], has_interrupts: bool) -> None:
    async def main() -> None:
        agent = Agent(TestModel(), output_type=[str, DeferredToolRequests])
        agent.tool_plain(lambda: 'paid', name='pay', requires_approval=True)
        async with client_of(create_server(agent).app) as client:
            status, text = await post(client, '/ag-ui', {**AG_UI, **declared})
        assert status == 200
        assert ('"interrupt"' in text) is has_interrupts
        assert ('protocolVersion' in text) is has_interrupts

    asyncio.run(main())


def test_origins_that_are_no_addresses_are_refused() -> None:
    async def main() -> None:
        async with client_of(create_server(Agent('test')).app) as client:
            for origin in ('http://[', 'http://[::1', 'http://]', 'null', 'http://\xff', 'https:'):
                answer = await client.post('/ag-ui', json=AG_UI, headers={'origin': origin.encode('latin-1')})
                assert answer.status_code == 403, origin
                assert 'allowed origins' in answer.json()['error']

    asyncio.run(main())


def test_a2a_answers_without_the_slash_too() -> None:
    async def main() -> None:
        async with client_of(create_server(Agent('test')).app) as client:
            request = {'jsonrpc': '2.0', 'id': 1, 'method': 'tasks/get', 'params': {'id': 'x'}}
            for path in ('/a2a/', '/a2a'):
                answer = await client.post(path, json=request)
                assert (answer.status_code, answer.json()['error']['code']) == (200, -32001), path

    asyncio.run(main())


def test_a_request_that_asks_nothing_is_refused() -> None:
    text = [{'type': 'text', 'text': 'x'}]
    asks_nothing: list[list[Any]] = [
        [],
        [{'id': 'm', 'role': 'user', 'parts': []}],
        [{'id': 'm', 'role': 'system', 'parts': text}],
        [{'id': 'm', 'role': 'assistant', 'parts': text}],
    ]

    async def main() -> None:
        async with client_of(create_server(Agent('test')).app) as client:
            for path in ('/ai-sdk', '/ai-sdk/5', '/api/chat'):
                for messages in asks_nothing:
                    status, answer = await post(client, path, {**AI_SDK, 'messages': messages})
                    assert (status, 'There is no prompt: ' in answer) == (400, True), (path, messages)

    asyncio.run(main())


@pytest.mark.parametrize('path', ['/ai-sdk', '/api/chat'])
def test_an_approval_that_does_not_count_is_refused_as_one(path: str) -> None:
    """So a user who approves after the server was started again is told why nothing happens."""
    payments: list[str] = []
    agent = Agent('test', output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def pay() -> None:
        payments.append('paid')

    call = {'type': 'tool-pay', 'toolCallId': 'c1', 'state': 'approval-responded', 'input': {}}
    call['approval'] = {'id': 'of another process', 'approved': True}
    messages = [*AI_SDK['messages'], {'id': 'a', 'role': 'assistant', 'parts': [call]}]  # type: ignore[misc]

    async def main() -> None:
        async with client_of(create_server(agent).app) as client:
            with pytest.warns(UserWarning, match='Approvals in the request were left out'):
                status, answer = await post(client, path, {**AI_SDK, 'messages': messages})
            assert (status, 'The approval does not count: ' in answer, payments) == (400, True, [])

    asyncio.run(main())


def test_errors_do_not_repeat_what_is_long() -> None:
    async def main() -> None:
        async with client_of(create_server(Agent('test')).app) as client:
            result = {'id': 'm', 'role': 'tool', 'content': 'x', 'toolCallId': 'x' * 100_000}
            answer = await client.post('/ag-ui', json={**AG_UI, 'messages': [result]})
            assert answer.status_code == 422
            assert 'There is only a result for the tool call' in answer.text
            assert len(answer.text) < 1_000

    asyncio.run(main())


def test_an_error_in_a_list_of_parts_names_its_place() -> None:
    async def main() -> None:
        async with client_of(create_server(Agent('test')).app) as client:
            for part, place in ((5, '0'), ({'type': 'image'}, '0.image.source')):
                message = {'id': 'm', 'role': 'user', 'content': [part]}
                error = (await client.post('/ag-ui', json={**AG_UI, 'messages': [message]})).json()['error']
                assert error.startswith(f'The request is invalid: messages.0.user.content.{place}: '), error

    asyncio.run(main())


def test_a_client_that_leaves_while_it_sends_is_no_error() -> None:
    more = 'HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"'

    errors: list[Exception] = []
    agent = Agent('test')
    app = create_server(agent).app

    async def own(request: Request) -> Response:
        return await VercelAIAdapter.dispatch_request(request, agent=agent)

    plain = Starlette(routes=[Route('/own', own, methods=['POST'])])

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        try:
            await (plain if scope.get('path') == '/own' else app)(scope, receive, send)
        except Exception as error:
            errors.append(error)
            raise

    async def main() -> None:
        async with served(noting) as url:
            before = len(asyncio.all_tasks())
            for path in ('/ag-ui', '/ai-sdk', '/api/chat', '/a2a/', '/api/talk/conversations/x/say', '/own'):
                _, writer = await asyncio.open_connection('127.0.0.1', int(url.rpartition(':')[2]))
                writer.write(f'POST {path} {more}'.encode())
                await writer.drain()
                await until(lambda: len(asyncio.all_tasks()) > before)
                writer.close()
                await writer.wait_closed()
                await until(lambda: len(asyncio.all_tasks()) <= before)

    asyncio.run(main())
    assert errors == []
