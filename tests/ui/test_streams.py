"""Clients that leave, and clients that come back, with a server and real connections."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from .serving import client_of, events_of, until

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stead import Agent
from stead.capabilities import Journal
from stead.messages import ModelMessage
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.run import AgentRunResultEvent
from stead.ui import EventStreams
from stead.ui._responses import EventResponse
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter

AG_UI = {'threadId': 't', 'runId': 'r', 'state': {}, 'tools': [], 'context': [], 'forwardedProps': {}}
AG_UI['messages'] = [{'id': 'm', 'role': 'user', 'content': 'go'}]  # type: ignore[assignment]
AI_SDK = {'trigger': 'submit-message', 'id': 'c'}
AI_SDK['messages'] = [{'id': 'm', 'role': 'user', 'parts': [{'type': 'text', 'text': 'go'}]}]  # type: ignore[assignment]
BODIES: dict[str, Any] = {'/ag-ui': AG_UI, '/ai': AI_SDK}


class Paced:
    """An agent that says a word at a time, as fast as the test lets it, and notes what becomes of its runs."""

    def __init__(self, words: int = 20, **options: Any) -> None:
        self.words = words
        self.allowed = asyncio.Semaphore(0)
        self.happened: list[str] = []
        self.agent = Agent(FunctionModel(stream_function=self.respond), **options)
        self.agent.tool_plain(self.look)

    def let(self, count: int = 100_000) -> None:
        for _ in range(count):
            self.allowed.release()

    async def respond(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if len(messages) == 1:
            yield {0: DeltaToolCall('look', '{}', tool_call_id='c1')}
            return
        try:
            for number in range(self.words):
                await self.allowed.acquire()
                yield f'w{number} '
        except (asyncio.CancelledError, GeneratorExit):
            self.happened.append('cancelled')
            raise
        self.happened.append('done')

    async def look(self) -> str:
        self.happened.append('looked')
        return 'seen'


def app_for(agent: Agent[Any, Any], streams: EventStreams | None) -> Starlette:
    async def ag_ui(request: Request) -> Response:
        return await AGUIAdapter[Any, Any].dispatch_request(request, agent=agent, streams=streams)

    async def ai(request: Request) -> Response:
        return await VercelAIAdapter[Any, Any].dispatch_request(request, agent=agent, streams=streams, sdk_version=6)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with streams or EventStreams():
            yield

    routes = [Route('/ag-ui', ag_ui, methods=['GET', 'POST']), Route('/ai', ai, methods=['GET', 'POST'])]
    return Starlette(routes=routes, lifespan=lifespan)


def text_of(events: list[tuple[str, str]]) -> str:
    chunks = [json.loads(data) for _, data in events if data != '[DONE]']
    return ''.join(chunk['delta'] for chunk in chunks if chunk['type'] in ('text-delta', 'TEXT_MESSAGE_CONTENT'))


async def read(client: httpx.AsyncClient, path: str, most: int | None, last: str = '') -> list[tuple[str, str]]:
    """Begin a stream, or go on after an event, and leave after some events."""
    headers = {'last-event-id': last} if last else {}
    options = {} if last else {'json': BODIES[path]}
    async with client.stream('GET' if last else 'POST', path, headers=headers, **options) as response:
        assert response.status_code == 200, await response.aread()
        return await events_of(response, most)


@pytest.mark.parametrize('path', ['/ag-ui', '/ai'])
def test_a_client_that_leaves_ends_the_run(path: str) -> None:
    async def main() -> None:
        paced = Paced()
        async with client_of(app_for(paced.agent, None)) as client:
            before = asyncio.all_tasks()
            paced.let(3)
            found = await read(client, path, 9)
            assert all(id == '' for id, _ in found)
            await until(lambda: paced.happened == ['looked', 'cancelled'])
            await until(lambda: asyncio.all_tasks() <= before)

    asyncio.run(main())


@pytest.mark.parametrize('resumable', [False, True])
def test_a_client_that_reads_nothing_for_long_has_left(resumable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the server waits with an event, or with a comment between events."""
    monkeypatch.setattr(EventResponse, 'stalled_seconds', 0.1)
    monkeypatch.setattr(EventResponse, 'quiet_seconds', 0.04)

    async def main(most: int) -> None:
        paced, streams = Paced(), EventStreams() if resumable else None
        paced.let(2)
        incoming: list[Any] = [{'type': 'http.request', 'body': json.dumps(AI_SDK).encode(), 'more_body': False}]
        bodies: list[bytes] = []

        async def receive() -> Any:
            return incoming.pop() if incoming else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            bodies.append(message.get('body', b''))
            if len(bodies) > most:
                await asyncio.Event().wait()

        scope = {'type': 'http', 'method': 'POST', 'path': '/ai', 'query_string': b'', 'headers': []}
        await asyncio.wait_for(app_for(paced.agent, streams)(scope, receive, send), 10)
        assert len(bodies) <= most + 2
        assert paced.happened == (['looked'] if resumable else ['looked', 'cancelled'])
        if streams is not None:
            await streams.__aexit__()

    asyncio.run(main(9))
    asyncio.run(main(13))


@pytest.mark.parametrize('path', ['/ag-ui', '/ai'])
def test_a_quiet_stream_is_kept_alive(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EventResponse, 'quiet_seconds', 0.02)

    async def main() -> None:
        paced = Paced(words=3)
        async with client_of(app_for(paced.agent, None)) as client:
            async with client.stream('POST', path, json=BODIES[path]) as response:
                text = ''
                async for piece in response.aiter_text():
                    text += piece
                    if text.count('\n:\n\n') == 2:
                        paced.let()
            assert text.count('\n:\n\n') >= 2
            events = [line.removeprefix('data: ') for line in text.split('\n') if line.startswith('data: ')]
            assert text_of([('', event) for event in events]) == 'w0 w1 w2 '

    asyncio.run(main())


def test_nothing_is_sent_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EventResponse, 'quiet_seconds', 0.0002)

    async def main() -> None:
        paced = Paced(words=1)
        paced.let()
        app = app_for(paced.agent, None)
        for _ in range(12):
            incoming: list[Any] = [{'type': 'http.request', 'body': json.dumps(AI_SDK).encode(), 'more_body': False}]
            messages: list[Any] = []

            async def receive() -> Any:
                return incoming.pop() if incoming else await asyncio.Event().wait()

            async def send(message: Any) -> None:
                await asyncio.sleep(0.0002)
                messages.append(message)

            scope = {'type': 'http', 'method': 'POST', 'path': '/ai', 'query_string': b'', 'headers': []}
            await app(scope, receive, send)
            assert [message.get('more_body') for message in messages[1:]].index(False) == len(messages) - 2

    asyncio.run(main())


@pytest.mark.parametrize('path', ['/ag-ui', '/ai'])
def test_with_streams_the_run_goes_on_and_the_client_comes_back(path: str) -> None:
    async def main() -> None:
        journal = Journal()
        paced, streams = Paced(capabilities=[journal]), EventStreams()
        async with client_of(app_for(paced.agent, streams)) as client:
            paced.let(3)
            first = await read(client, path, 9)
            assert streams.running == 1
            paced.let()
            await until(lambda: streams.running == 0)
            assert paced.happened == ['looked', 'done']
            rest = await read(client, path, None, first[-1][0])
            numbers = [int(id.partition('.')[2]) for id, _ in first + rest]
            assert numbers == list(range(1, len(numbers) + 1))
            assert text_of(first + rest) == ''.join(f'w{n} ' for n in range(20))
            (run,) = await journal.runs()
            assert run.status == 'done'
            nothing_left = await client.get(path, headers={'last-event-id': rest[-1][0]})
            assert nothing_left.status_code == 204

    asyncio.run(main())


@pytest.mark.parametrize('seed', range(6))
def test_nothing_is_lost_or_doubled_wherever_a_client_leaves(seed: int) -> None:
    async def main() -> None:
        draw = random.Random(seed)
        path = draw.choice(list(BODIES))
        paced, streams = Paced(words=60), EventStreams()
        async with client_of(app_for(paced.agent, streams)) as client:
            paced.let(draw.randrange(20))
            found = await read(client, path, draw.randrange(1, 6))
            while found[-1][1] != '[DONE]' and '"RUN_FINISHED"' not in found[-1][1]:
                paced.let(draw.randrange(1, 20))
                found += await read(client, path, draw.randrange(1, 12), found[-1][0])
            ids = [id for id, _ in found]
            assert ids == [f'{ids[0][:32]}.{number}' for number in range(1, len(ids) + 1)]
            assert text_of(found) == ''.join(f'w{n} ' for n in range(60))
            assert paced.happened == ['looked', 'done']

    asyncio.run(main())


def test_two_clients_read_one_stream() -> None:
    async def main() -> None:
        paced, streams = Paced(), EventStreams()
        async with client_of(app_for(paced.agent, streams)) as client:
            paced.let(1)
            first = await read(client, '/ai', 1)
            readers = [asyncio.ensure_future(read(client, '/ai', None, first[0][0])) for _ in range(2)]
            await asyncio.sleep(0.02)
            paced.let()
            one, two = await asyncio.gather(*readers)
            assert one == two
            assert text_of(one) == ''.join(f'w{n} ' for n in range(20))

    asyncio.run(main())


def test_what_is_gone_is_said() -> None:
    async def main() -> None:
        paced, streams = Paced(words=400), EventStreams(max_bytes=4000, keep_seconds=0.05)
        async with client_of(app_for(paced.agent, streams)) as client:
            first = await read(client, '/ai', 2)
            paced.let()
            await until(lambda: streams.running == 0)
            assert streams.held_bytes <= 4000
            gone = await client.get('/ai', headers={'last-event-id': first[0][0]})
            assert gone.status_code == 410
            assert 'are gone' in gone.json()['error']
            await until(lambda: streams.held_bytes == 0)
            for last in (first[0][0], 'f' * 32 + '.1', 'x', '../../etc', first[0][0] + '9' * 30):
                answer = await client.get('/ai', headers={'last-event-id': last})
                assert answer.status_code == 410
                assert 'Send the conversation again' in answer.json()['error']
            assert paced.happened == ['looked', 'done']

    asyncio.run(main())


def test_a_run_waits_for_a_client_that_reads_slowly() -> None:
    """Nothing that it needs is dropped, although more is written than may be kept."""

    async def main() -> None:
        paced, streams = Paced(words=300), EventStreams(max_bytes=2000)
        paced.let()
        app = app_for(paced.agent, streams)
        body = json.dumps(AI_SDK).encode()
        incoming: list[Any] = [{'type': 'http.request', 'body': body, 'more_body': False}]
        bodies: list[bytes] = []
        most_held = 0

        async def receive() -> Any:
            return incoming.pop() if incoming else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            nonlocal most_held
            await asyncio.sleep(0.001)
            most_held = max(most_held, streams.held_bytes)
            bodies.append(message.get('body', b''))

        scope = {'type': 'http', 'method': 'POST', 'path': '/ai', 'query_string': b'', 'headers': []}
        await asyncio.wait_for(app(scope, receive, send), 10)
        text = b''.join(bodies).decode()
        numbers = [int(line.partition('.')[2]) for line in text.splitlines() if line.startswith('id: ')]
        assert numbers == list(range(1, len(numbers) + 1))
        assert 'w299' in text
        assert most_held < 2500

    asyncio.run(main())


def test_runs_and_what_is_kept_of_them_are_bounded_together() -> None:
    async def main() -> None:
        paced, streams = Paced(words=5), EventStreams(max_running=2, max_total_bytes=5000)
        async with client_of(app_for(paced.agent, streams)) as client:
            for _ in range(2):
                await read(client, '/ai', 1)
            refused = await client.post('/ai', json=AI_SDK)
            assert (refused.status_code, refused.headers['retry-after']) == (503, '5')
            paced.let()
            await until(lambda: streams.running == 0)
            for _ in range(10):
                await read(client, '/ai', None)
            assert 0 < streams.held_bytes <= 5000

    asyncio.run(main())


def test_what_runs_without_clients_hold_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """The largest is cancelled, and nothing of it is lost: the journal takes it to its end."""

    async def read_all(ctx: Any, events: AsyncIterator[Any]) -> None:
        async for _ in events:
            pass

    async def main() -> None:
        journal = Journal()
        paced, streams = Paced(words=100, capabilities=[journal]), EventStreams(max_detached_bytes=18_000)
        async with client_of(app_for(paced.agent, streams)) as client:
            first = await read(client, '/ai', 2)
            paced.let(50)
            await until(lambda: streams.detached_bytes > 5000)
            second = await read(client, '/ai', 2)
            assert streams.running == 2
            # The server has noticed that both clients have left: with one, the second would not count.
            await until(lambda: all(stream.is_detached for stream in streams._streams.values()))
            paced.let()
            await until(lambda: streams.running == 0)
            assert streams.detached_bytes == 0
            gone = await client.get('/ai', headers={'last-event-id': first[-1][0]})
            assert (gone.status_code, gone.json()) == (
                410,
                {'error': 'The stream of this event is gone. Send the conversation again.'},
            )
            rest = await read(client, '/ai', None, second[-1][0])
            assert text_of(second + rest) == ''.join(f'w{n} ' for n in range(100))
            assert streams.held_bytes < 18_000, 'what is left is the second one'
            cut, whole = sorted(await journal.runs(), key=lambda run: run.begun_at)
            assert (cut.status, whole.status) == ('running', 'done')
            result = await journal.resume(paced.agent, cut.run_id, event_stream_handler=read_all)
            assert result.output.split()[-1] == 'w99'
            assert paced.happened == ['looked', 'looked', 'cancelled', 'done', 'done']

    asyncio.run(main())
    (logged,) = [record for record in caplog.records if 'max_detached_bytes' in record.getMessage()]
    assert logged.levelname == 'WARNING'


def test_a_run_with_a_client_may_write_as_much_as_it_likes() -> None:
    async def main() -> None:
        paced, streams = Paced(words=100), EventStreams(max_detached_bytes=3_000)
        async with client_of(app_for(paced.agent, streams)) as client:
            first = await read(client, '/ai', 2)
            async with client.stream('GET', '/ai', headers={'last-event-id': first[-1][0]}) as response:
                paced.let()
                rest = await events_of(response)
            assert text_of(first + rest) == ''.join(f'w{n} ' for n in range(100))
            assert streams.detached_bytes == 0

    asyncio.run(main())


def test_what_is_dropped_before_its_time_is_not_held_until_then() -> None:
    async def main() -> None:
        async def answer() -> AsyncIterator[str]:
            yield f'data: {"x" * 1000}\n\n'

        references: list[weakref.ref[AsyncIterator[str]]] = []
        async with EventStreams(max_total_bytes=5000) as streams:
            for _ in range(20):
                events = answer()
                references.append(weakref.ref(events))
                streams.respond(events)
                del events
                await until(lambda: streams.running == 0)
            gc.collect()
            assert 0 < sum(events() is not None for events in references) <= 5
        gc.collect()
        assert not any(events() for events in references)

    asyncio.run(main())


def test_runs_that_go_on_are_cancelled_when_the_server_stops() -> None:
    async def main() -> None:
        journal = Journal()
        paced, streams = Paced(capabilities=[journal]), EventStreams()
        before = asyncio.all_tasks()
        async with client_of(app_for(paced.agent, streams)) as client:
            paced.let(3)
            await read(client, '/ai', 9)
        assert paced.happened == ['looked', 'cancelled']
        assert asyncio.all_tasks() <= before
        paced.let()
        (run,) = await journal.runs()
        async with journal.resume_stream_events(paced.agent, run.run_id) as events:  # what was done is not done again
            *_, last = [event async for event in events]
        assert isinstance(last, AgentRunResultEvent)
        assert last.result.output == ''.join(f'w{n} ' for n in range(20))
        assert paced.happened == ['looked', 'cancelled', 'done']

    asyncio.run(main())


def test_the_page_comes_back_to_an_answer_and_stops_it() -> None:
    async def main() -> None:
        paced = Paced(capabilities=[Journal()])
        async with client_of(paced.agent.to_web()) as client:
            paced.let(3)
            async with client.stream('POST', '/api/chat', json=AI_SDK) as response:
                first = await events_of(response, 9)
            async with client.stream('GET', '/api/chat/c/stream') as response:
                again = await events_of(response, 9)
            assert again == first
            async with httpx.AsyncClient(base_url=client.base_url, trust_env=False) as other:
                assert (await other.get('/api/chat/c/stream')).status_code == 204
                assert (await other.delete('/api/chat/c/stream')).status_code == 204
            assert paced.happened == ['looked']
            assert (await client.delete('/api/chat/c/stream')).status_code == 204
            assert paced.happened == ['looked', 'cancelled']
            assert (await client.get('/api/chat/c/stream')).status_code == 204

    asyncio.run(main())


def test_without_a_journal_the_page_keeps_nothing() -> None:
    async def main() -> None:
        paced = Paced()
        async with client_of(paced.agent.to_web()) as client:
            paced.let(3)
            async with client.stream('POST', '/api/chat', json=AI_SDK) as response:
                await events_of(response, 9)
            await until(lambda: paced.happened == ['looked', 'cancelled'])
            assert (await client.get('/api/chat/c/stream')).status_code == 204

    asyncio.run(main())
