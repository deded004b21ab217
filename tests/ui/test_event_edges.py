"""What adapters and their streams send at the edges: after events were dropped, for parts that they do not show, for odd results."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from ag_ui.core import ToolMessage
from starlette.requests import Request

from stead import Agent, ApprovalRequired, CustomEvent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.capabilities import HandleDeferredToolCalls
from stead.journal import Journal, MemoryStore
from stead.messages import (
    BinaryContent,
    FilePart,
    FunctionToolCallEvent,
    FunctionToolProgressEvent,
    FunctionToolResultEvent,
    ModelMessage,
    ModelResponse,
    NativeToolReturnPart,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.ui import EventStreams, UIEventStream, _approvals
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter, VercelAIEventStream

from . import ag_ui_requests as ag_ui, test_vercel_ai as ai_sdk
from .test_ag_ui import streamed


def test_a_client_gets_what_follows_its_event_or_learns_that_it_is_gone() -> None:
    async def events() -> AsyncIterator[str]:
        for number in range(50):
            yield f'data: {number}\n\n'

    async def main() -> None:
        async with EventStreams(max_bytes=300) as streams:
            assert (response := streams.respond(events(), headers=None)).status_code == 200
            reader: Any = response.body_iterator
            id = (await reader.__anext__()).decode().partition('.')[0].removeprefix('id: ')
            await reader.aclose()  # a run waits for those who read it
            while streams.running:  # noqa: ASYNC110 - it takes a few turns of the loop
                await asyncio.sleep(0)

            def after(number: int) -> Any:
                headers = [(b'last-event-id', f'{id}.{number}'.encode())]
                return streams.continued(Request({'type': 'http', 'method': 'GET', 'headers': headers}))

            rest = [chunk async for chunk in after(48).body_iterator]
            assert [chunk.decode().partition('data: ')[2] for chunk in rest] == ['48\n\n', '49\n\n']
            assert [after(number).status_code for number in (0, 1, 50, 51, 10**6)] == [410, 410, 204, 410, 410]

    asyncio.run(main())


def test_a_protocol_that_does_not_show_a_part_sends_nothing_for_it() -> None:
    async def main() -> None:
        for name, method in inspect.getmembers(UIEventStream, inspect.isasyncgenfunction):
            if inspect.getsource(method).endswith('\n        yield\n'):  # one that only says what a protocol may show
                arguments = [None] * len(
                    [one for one in inspect.signature(method).parameters.values() if one.default is one.empty]
                )
                assert [event async for event in method(*arguments)] == [], name

    asyncio.run(main())


def test_more_thinking_of_the_ai_sdk_has_what_its_provider_needs() -> None:
    async def main() -> None:
        stream: Any = VercelAIEventStream[Any, Any](run_input=None)  # type: ignore[arg-type]
        delta = ThinkingPartDelta(content_delta='hm', signature_delta='s', provider_name='p', provider_details={'a': 1})
        (chunk,) = [chunk async for chunk in stream.handle_thinking_delta(delta)]
        (metadata,) = chunk.provider_metadata.values()
        assert metadata == {'signature': 's', 'provider_name': 'p', 'provider_details': {'a': 1}}

    asyncio.run(main())


@pytest.mark.parametrize('args', [None, '', '{}', {}])
def test_a_call_that_is_complete_ends_before_the_next_part_begins(args: Any) -> None:
    call = ToolCallPart('f', args, 'c1')
    parts = [PartStartEvent(index=0, part=call), PartEndEvent(index=0, part=call)]
    kinds = [kind for kind, _ in streamed(*parts, PartStartEvent(index=1, part=TextPart('x')))]
    assert kinds.index('TOOL_CALL_END') < kinds.index('TEXT_MESSAGE_START')


@pytest.mark.skipif(
    ToolMessage.model_fields['content'].annotation is str, reason='results have parts in later versions'
)
def test_a_result_of_a_provider_may_have_parts() -> None:
    call = ag_ui.calls(('pyd_ai_builtin|openai|n1', 'web_search', '{}'))
    content = [{'type': 'text', 'text': 'found'}, {'type': 'text', 'text': 'more'}]
    history = AGUIAdapter.load_messages(
        ag_ui.run_input(
            ag_ui.user('x'), call, {**ag_ui.result('pyd_ai_builtin|openai|n1'), 'content': content}
        ).messages
    )
    (found,) = [part for message in history for part in message.parts if isinstance(part, NativeToolReturnPart)]
    assert found.content == ['found', 'more']


def test_decisions_of_a_program_pass_the_memory_of_answers() -> None:
    """An adapter of a program may make decisions of its own, which no question of an interface was about."""
    asker, call = _approvals.Asker(), ToolCallPart('pay', {}, 'c1')
    own = DeferredToolResults(approvals={'own': True, 'c1': True})
    for _ in range(2):
        assert _approvals.once(asker, own, [ModelResponse([call, ToolCallPart('pay', {}, 'own')])]) == own
    assert asker.was_asked(asker.question(call), call)
    assert _approvals.once(asker, own, [ModelResponse([TextPart('x')])]) == own, 'no call waits'


def test_a_front_end_does_not_say_that_a_person_has_edited_calls() -> None:
    sent = ai_sdk.assistant(ai_sdk.tool('pay', 'output-available', {'amount': 5}, output='paid'))
    sent['metadata'] = {'edited': {'calls': ['c1'], 'by': 'ann'}, 'mine': 1}
    body = json.dumps(ai_sdk.ask(ai_sdk.user('x'), sent)).encode()
    messages = VercelAIAdapter.load_messages(VercelAIAdapter.build_run_input(body).messages)
    assert [one.metadata for one in messages if isinstance(one, ModelResponse)] == [{'mine': 1}]


@pytest.mark.parametrize('preserves', [False, True])
def test_files_of_a_model_are_in_the_messages_of_ag_ui_only_if_they_are_to_be(preserves: bool) -> None:
    history = [ModelResponse([TextPart('Here.'), FilePart(BinaryContent(b'x', media_type='image/png'))])]
    dumped = AGUIAdapter.dump_messages(history, ag_ui_version='1.0', preserve_file_data=preserves)
    assert len(dumped) == 1 + preserves
    assert (
        AGUIAdapter.dump_messages([ModelResponse([TextPart('Here.')])], preserve_file_data=True)[0].content == 'Here.'
    )


@pytest.mark.parametrize('asks', ['by its definition', 'itself'])
def test_the_result_of_a_call_that_was_allowed_is_that_of_the_call_which_the_client_has(asks: str) -> None:
    """Some servers call every call `call_0`: a call that waits gets an id of its own, which the client does not know."""

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if isinstance(messages[-1].parts[-1], UserPromptPart):
            yield {0: DeltaToolCall('pay', '{}', tool_call_id='call_0')}
        else:
            yield 'done'

    def allow(ctx: Any, requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={call.tool_call_id: True for call in requests.approvals})

    journal: Journal[Any] = Journal(MemoryStore())
    agent = Agent(FunctionModel(stream_function=respond), capabilities=[HandleDeferredToolCalls(allow), journal])

    @agent.tool(requires_approval=asks == 'by its definition')
    def pay(ctx: RunContext) -> Iterator[str]:
        if asks == 'itself' and not ctx.tool_call_approved:
            raise ApprovalRequired
        yield 'paying'
        yield 'paid'

    call = ('call_0', 'pay', '{}')
    before = [ag_ui.user('pay'), ag_ui.calls(call), ag_ui.result('call_0', 'paid'), {**ag_ui.user('again'), 'id': 'u2'}]
    events = ag_ui.events(ag_ui.post(ag_ui.app(agent), ag_ui.request(*before)))
    assert [event['toolCallId'] for event in events if event['type'] == 'TOOL_CALL_START'] == ['call_0']
    assert [event['toolCallId'] for event in events if event['type'] == 'TOOL_CALL_RESULT'] == ['call_0']
    paid = ai_sdk.tool('pay', 'output-available', {}, 'call_0', output='paid')
    body = ai_sdk.ask(ai_sdk.user('pay'), ai_sdk.assistant(paid), {**ai_sdk.user('again'), 'id': 'u2'})
    chunks = ai_sdk.chunks(ai_sdk.post(agent, body, sdk_version=6))
    assert {chunk['toolCallId'] for chunk in chunks if 'toolCallId' in chunk} == {'call_0'}
    assert 'tool-output-available' in [chunk['type'] for chunk in chunks]

    async def main() -> None:
        async with agent.run_stream_events('pay') as stream:
            history = [event async for event in stream][-1].result.all_messages()
        async with agent.run_stream_events('again', message_history=history) as stream:
            shown = [event async for event in stream]
        ids = [event.tool_call_id for event in shown if isinstance(event, _OF_CALLS)]
        assert len(ids) >= 3 and {*ids} == {'call_0'}
        messages = (await journal.state((await journal.runs())[0].run_id)).messages
        parts = [part for message in messages for part in message.parts]
        own = [part.tool_call_id for part in parts if isinstance(part, (ToolCallPart, ToolReturnPart))]
        assert own[:2] == ['call_0'] * 2 and own[2] == own[3] != 'call_0'

    asyncio.run(main())


_OF_CALLS = (FunctionToolCallEvent, FunctionToolProgressEvent, FunctionToolResultEvent)


@dataclass(kw_only=True)
class Counted(CustomEvent, name='shop.counted'):
    lines: object


@dataclass(kw_only=True)
class Private(CustomEvent, ui=False):
    secret: str = 'x'


def test_events_of_the_program_reach_front_ends() -> None:
    agent = Agent(FunctionModel(stream_function=_call_once), output_type=str)

    @agent.tool
    async def count(ctx: RunContext) -> str:
        await ctx.emit(Private())
        await ctx.emit(Counted(lines=(3, b'\xff', float('nan'), '\ud83d', date(2026, 1, 2))))
        return 'counted'

    lines = [3, '_w==', None, '\N{REPLACEMENT CHARACTER}', '2026-01-02']
    events = ag_ui.events(ag_ui.post(ag_ui.app(agent), ag_ui.request()))
    kinds = [event['type'] for event in events]
    own = events[kinds.index('CUSTOM')]
    assert (own['name'], own['value']) == ('shop.counted', {'lines': lines})
    assert kinds.count('CUSTOM') == 1 and kinds.index('CUSTOM') < kinds.index('TOOL_CALL_RESULT')
    chunks = ai_sdk.chunks(ai_sdk.post(agent, ai_sdk.ask()))
    (data,) = [chunk for chunk in chunks if chunk['type'].startswith('data-')]
    assert data == {'type': 'data-shop.counted', 'data': {'lines': lines}}


async def _call_once(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    yield {0: DeltaToolCall('count', '{}', tool_call_id='c1')} if len(messages) == 1 else 'done'


@pytest.mark.parametrize('protocol', ['AG-UI', 'AI SDK'])
def test_an_answer_to_a_paused_run_is_refused_at_once(protocol: str) -> None:
    journal: Journal[Any] = Journal(MemoryStore())
    shop = ai_sdk.Shop(ai_sdk.PAY)
    options: Any = {'capabilities': [journal]}
    if protocol == 'AI SDK':
        call, id = ai_sdk.pending_call(shop, **options)
        body = ai_sdk.ask(ai_sdk.user('hi'), ai_sdk.assistant(ai_sdk.approved(call, id)))
    else:
        web = ag_ui.app(shop.agent, ag_ui_version='0.1.19', **options)
        (asked,) = ag_ui.events(ag_ui.post(web, ag_ui.request()))[-1]['outcome']['interrupts']
        answer = {'interruptId': asked['id'], 'status': 'resolved', 'payload': {'approved': True}}
        body = ag_ui.request(ag_ui.user('hi'), ag_ui.calls(('c1', 'pay', '{"amount": 5.0}')), resume=[answer])

    def send() -> str:
        if protocol == 'AI SDK':
            return ai_sdk.post(shop.agent, body, sdk_version=6, **options).text
        return ag_ui.post(web, body).text

    (run,) = asyncio.run(journal.runs())
    asyncio.run(journal.pause(run.run_id))
    for _ in range(2):
        refused = send()
        assert 'is paused' in refused and f'stead runs resume {run.run_id}' in refused
        assert shop.paid == []
    asyncio.run(journal.unpause(run.run_id))
    assert 'is paused' not in send()
    assert shop.paid == [5]
