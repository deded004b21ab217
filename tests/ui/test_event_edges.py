"""What adapters and their streams send at the edges: after events were dropped, for parts that they do not show, for odd results."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from ag_ui.core import ToolMessage
from starlette.requests import Request

from stead import DeferredToolResults
from stead.messages import (
    BinaryContent,
    FilePart,
    ModelResponse,
    NativeToolReturnPart,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    ThinkingPartDelta,
    ToolCallPart,
)
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
