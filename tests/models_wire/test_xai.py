"""xAI: what records of the reference implementation do not show; its clients are in `test_xai_clients.py`."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest
from _wire import Reply, Wire

pytest.importorskip('xai_sdk', reason='the SDK xai-sdk is not installed')

from _grpc_wire import Answer, GrpcWire
from kit_xai import TOOL, call, chunk, chunks, delta, output, says, whole, xai_model
from pydantic import BaseModel
from test_xai_faults import HELLO, ask, both, run

from stead import Agent, NativeOutput
from stead.capabilities import NativeTool
from stead.exceptions import ModelAPIError, UserError
from stead.messages import (
    BinaryContent,
    DocumentUrl,
    ModelRequest,
    ModelResponse,
    NativeToolReturnPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import ModelRequestParameters
from stead.native_tools import WebSearchTool, WebSearchUserLocation
from tests.waiting import until


def search(text: str = '', index: int = 0, role: str = TOOL, **fields: Any) -> Any:
    return {
        'content': text,
        'index': index,
        'role': role,
        'tool_calls': [call('web_search', '{}', 'n1', 'WEB_SEARCH', **fields)],
    }


def answered(*parts: dict[str, Any], stream: bool, **fields: Any) -> ModelResponse:
    """What becomes of an answer, or of the same answer with one chunk for each part."""
    if stream:
        reply = chunks(*(delta(**part) for part in parts), **fields)
    else:
        reply = whole(*(output(**{'reason': 0, **part}) for part in parts), output(index=9), **fields)
    with GrpcWire(reply) as wire:
        return run(xai_model(wire), stream=stream)


def kinds(response: ModelResponse) -> list[tuple[str, Any]]:
    return [(part.part_kind, getattr(part, 'content', None)) for part in response.parts]


# Answers


@both
def test_thinking_of_each_turn_is_a_part_of_its_own(stream: bool) -> None:
    response = answered(
        {'reasoning_content': 'first', 'encrypted_content': 'E1'},
        search('found', 1),
        {'content': 'so', 'index': 2, 'reasoning_content': 'second', 'encrypted_content': 'E2'},
        stream=stream,
    )
    assert [(part.content, part.signature) for part in response.parts if isinstance(part, ThinkingPart)] == [
        ('first', 'E1'),
        ('second', 'E2'),
    ]
    assert kinds(response)[-1] == ('text', 'so')


@both
def test_text_before_and_after_a_search(stream: bool) -> None:
    response = answered({'content': 'before'}, search('found', 1), {'content': 'after', 'index': 2}, stream=stream)
    assert kinds(response) == [('text', 'before'), ('builtin-tool-return', 'found'), ('text', 'after')]


@both
def test_a_search_that_failed_says_why(stream: bool) -> None:
    failed = search('', 1, status='TOOL_CALL_STATUS_FAILED', error_message='no network')
    response = answered(failed, {'content': 'sorry', 'index': 2}, stream=stream)
    assert response.parts[0].provider_details == {'status': 'failed', 'error': 'no network'}


@both
def test_sources_of_x_do_not_displace_what_was_found(stream: bool) -> None:
    def found(text: str, index: int) -> Any:
        return {**search(text, index), 'tool_calls': [call('x_search', '{}', f'n{index}', 'X_SEARCH')]}

    citations = ['https://x.com/1']
    response = answered(found('{"posts": 1}', 0), found('a post', 1), found('', 2), stream=stream, citations=citations)
    assert [part.content for part in response.parts if isinstance(part, NativeToolReturnPart)] == [
        {'posts': 1, 'citations': citations},
        {'output': 'a post', 'citations': citations},
        {'citations': citations},
    ]


@both
def test_two_results_in_one_output(stream: bool) -> None:
    calls = [call('x_search', '{}', name, 'X_SEARCH') for name in ('n1', 'n2')]
    found = {'content': '{"posts": 1}', 'role': TOOL, 'tool_calls': calls}
    response = answered(found, stream=stream, citations=['https://x.com/1'])
    expected = {'posts': 1, 'citations': ['https://x.com/1']}
    assert [(part.tool_call_id, part.content) for part in response.parts if isinstance(part, NativeToolReturnPart)] == [
        ('n1', expected),
        ('n2', expected),
    ]


@both
def test_probabilities_of_tokens_are_in_the_details(stream: bool) -> None:
    def likely(token: str) -> Any:
        return {'logprobs': {'content': [{'token': token, 'logprob': -0.5, 'bytes': 'aGk='}]}}

    if stream:
        reply = chunks({**delta('he'), **likely('he')}, {**delta('llo'), **likely('llo')})
    else:
        reply = whole(
            {
                **output('hello'),
                'logprobs': {'content': [likely(token)['logprobs']['content'][0] for token in ('he', 'llo')]},
            }
        )
    with GrpcWire(reply) as wire:
        response = run(xai_model(wire), stream=stream)
    assert response.text == 'hello'
    found = response.parts[0].provider_details['logprobs']['content']  # type: ignore[index]
    assert [(item['token'], item['logprob'], item['bytes']) for item in found] == [
        ('he', -0.5, [104, 105]),
        ('llo', -0.5, [104, 105]),
    ]


@both
@pytest.mark.parametrize(
    ('reason', 'expected', 'details'),
    [
        ('REASON_STOP', 'stop', None),
        ('REASON_MAX_LEN', 'length', None),
        ('REASON_TOOL_CALLS', 'tool_call', None),
        ('REASON_MAX_CONTEXT', 'length', {'finish_reason': 'REASON_MAX_CONTEXT'}),
        ('REASON_TIME_LIMIT', 'error', {'finish_reason': 'REASON_TIME_LIMIT'}),
    ],
)
def test_reasons_to_stop(stream: bool, reason: str, expected: str, details: Any) -> None:
    reply = chunks(delta('x'), reason=reason) if stream else whole(output('x', reason))
    with GrpcWire(reply) as wire:
        response = run(xai_model(wire), stream=stream)
    assert (response.finish_reason, response.provider_details) == (expected, details)


@both
def test_what_an_answer_says_about_itself(stream: bool) -> None:
    with GrpcWire(says('x', stream=stream)) as wire:
        response = run(xai_model(wire), stream=stream)
        assert response.provider_url == f'https://{wire.host}/v1'
    assert response.provider_name == 'xai'
    assert response.provider_response_id == 'r1'
    assert response.model_name == 'grok-4.3'
    assert response.timestamp.isoformat() == '2024-01-01T00:00:00+00:00'
    assert (response.usage.input_tokens, response.usage.output_tokens) == (10, 5)


@both
def test_an_answer_that_says_little_about_itself(stream: bool) -> None:
    reply = {'outputs': [{'finish_reason': 3, 'delta' if stream else 'message': {'content': 'x'}}]}
    with GrpcWire(Answer([reply])) as wire:
        response = run(xai_model(wire), stream=stream)
    assert response.text == 'x'
    assert response.provider_response_id is None
    assert response.timestamp.year > 2024
    assert response.usage.input_tokens == 0


def test_a_result_in_pieces_is_joined() -> None:
    more = {'content': 'und"}', 'index': 1, 'role': TOOL}
    response = answered(search('{"r": "fo', 1), more, {'content': 'x', 'index': 2}, stream=True)
    assert kinds(response) == [('builtin-tool-return', {'r': 'found'}), ('text', 'x')]


def test_a_call_that_is_sent_again_with_more_arguments_is_one_call() -> None:
    growing = [{'tool_calls': [call(args=args)]} for args in ('{"x"', '{"x": 1}', '{"x": 1}')]
    response = answered(*growing, stream=True)
    assert [(part.args, part.tool_call_id) for part in response.tool_calls] == [('{"x": 1}', 'c1')]


@both
def test_calls_without_ids_and_types_are_calls_of_tools(stream: bool) -> None:
    bare = {'function': {'name': 't', 'arguments': '{}'}}
    response = answered({'tool_calls': [bare, bare]}, stream=stream)
    assert [part.tool_name for part in response.tool_calls] == ['t', 't']
    assert len({part.tool_call_id for part in response.tool_calls} - {''}) == 2


# Requests


def sent(messages: Any, **options: Any) -> list[Any]:
    with GrpcWire(says('x', stream=False)) as wire:
        run(xai_model(wire, **options), stream=False, messages=messages)
    return wire.bodies


@pytest.mark.parametrize('arguments', ['{"a": ', '[1]', '"x"', 'null'])
def test_arguments_that_are_no_object_are_sent_back_as_one(arguments: str) -> None:
    history = [
        *HELLO,
        ModelResponse(parts=[ToolCallPart('t', arguments, 'c1')]),
        ModelRequest(parts=[ToolReturnPart('t', 'no', 'c1')]),
    ]
    body = sent(history)[0]
    assert json.loads(body['messages'][1]['tool_calls'][0]['function']['arguments']) == (
        {} if arguments == 'null' else {'INVALID_JSON': arguments}
    )


def test_files_of_text_are_uploaded_whatever_their_type() -> None:
    files = [BinaryContent(b'{}', media_type='application/json', identifier='data')]
    upload, body = sent([ModelRequest(parts=[UserPromptPart(files)])])
    assert upload == {'name': 'data', 'data': "b'{}'"}
    assert body['messages'][0]['content'] == [{'file': {'file_id': 'file-1'}}]


def test_links_to_documents_are_downloaded_and_uploaded() -> None:
    with Wire(Reply(pieces=[b'%PDF'], content_type='application/pdf')) as web:
        link = DocumentUrl(f'{web.url}/x.pdf', force_download='allow-local', identifier='doc')
        upload, body = sent([ModelRequest(parts=[UserPromptPart(['see', link])])])
    assert upload == {'name': 'doc.pdf', 'data': "b'%PDF'"}
    assert body['messages'][0]['content'] == [{'text': 'see'}, {'file': {'file_id': 'file-1'}}]


@pytest.mark.parametrize('media_type', ['audio/wav', 'video/mp4', 'application/zip'])
def test_what_xai_does_not_take(media_type: str) -> None:
    with pytest.raises(UserError, match=media_type):
        sent([ModelRequest(parts=[UserPromptPart([BinaryContent(b'x', media_type=media_type)])])])


def test_nothing_to_send() -> None:
    with pytest.raises(UserError, match='nothing to send'):
        sent([ModelRequest(parts=[UserPromptPart([])])])


def test_a_search_knows_where_the_user_is() -> None:
    place = WebSearchUserLocation(city='Bonn', country='DE', timezone='Europe/Berlin')
    with GrpcWire(says('x', stream=False)) as wire:
        Agent(xai_model(wire), capabilities=[NativeTool(WebSearchTool(user_location=place))]).run_sync('hi')
    assert wire.bodies[0]['tools'][0]['web_search']['user_location'] == place


def test_a_setting_of_another_type() -> None:
    with pytest.raises(UserError, match=r'does not accept.*temperature') as caught:
        sent(HELLO, settings={'temperature': 'much'})
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_max_tokens_of_another_type_is_refused_before_the_sdk_sees_it() -> None:
    with GrpcWire(says('x', stream=False)) as wire:
        with pytest.raises(UserError, match="The setting `max_tokens` must be a number, not 'many'"):
            Agent(xai_model(wire)).run_sync('hi', model_settings={'max_tokens': 'many'})  # type: ignore[typeddict-item]
        assert not wire.bodies


def test_errors_are_not_their_own_causes() -> None:
    with pytest.raises(UserError) as caught:
        sent([ModelRequest(parts=[UserPromptPart([])])])
    assert caught.value.__cause__ is None


def test_timeouts_by_phase_count_for_reading() -> None:
    import httpx

    assert sent(HELLO, settings={'timeout': httpx.Timeout(5)})[0]['model'] == 'grok-4.3'


# Agents


@both
def test_an_agent_with_tools(stream: bool) -> None:
    calls = [call('add', '{"x": 1}', 'c1'), call('add', '{"x": 2}', 'c2')]
    if stream:
        first = chunks(
            delta(reasoning_content='hm', encrypted_content='E'), delta(tool_calls=calls), reason='REASON_TOOL_CALLS'
        )
    else:
        message = {'reasoning_content': 'hm', 'encrypted_content': 'E', 'tool_calls': calls}
        first = whole(output(reason='REASON_TOOL_CALLS', **message))
    with GrpcWire(first, says('done', stream=stream)) as wire:
        agent = Agent(xai_model(wire))

        @agent.tool_plain
        def add(x: int) -> int:
            return x + 1

        async def main() -> Any:
            if not stream:
                result = await agent.run('hi')
                return result.output, result.usage
            async with agent.run_stream('hi') as result:
                return await result.get_output(), result.usage

        words, usage = asyncio.run(main())
    assert words == 'done'
    assert (usage.input_tokens, usage.requests, usage.tool_calls) == (20, 2, 2)
    thinking, called, *results = wire.bodies[1]['messages'][1:]
    assert (thinking['reasoning_content'], thinking['encrypted_content']) == ('hm', 'E')
    assert [item['id'] for item in called['tool_calls']] == ['c1', 'c2']
    assert [(item['tool_call_id'], item['content'][0]['text']) for item in results] == [('c1', '2'), ('c2', '3')]


class Town(BaseModel):
    name: str


def test_native_output_is_asked_for_by_schema() -> None:
    with GrpcWire(whole(output('{"name": "Bonn"}'))) as wire:
        result = Agent(xai_model(wire), output_type=NativeOutput(Town)).run_sync('hi')
    assert result.output == Town(name='Bonn')
    form = wire.bodies[0]['response_format']
    assert form['format_type'] == 'FORMAT_TYPE_JSON_SCHEMA'
    assert json.loads(form['schema'])['properties']['name'] == {'type': 'string'}


def test_a_stream_that_nobody_reads_to_its_end_is_cancelled() -> None:
    deltas = [item for number in range(50) for item in (chunk(delta(f'{number} ')), 0.02)]
    with GrpcWire(Answer(deltas)) as wire:
        agent = Agent(xai_model(wire))

        async def main() -> str:
            async with agent.run_stream('hi') as result:
                async for piece in result.stream_text(delta=True, debounce_by=None):
                    return piece
            raise AssertionError('there was no text')

        assert asyncio.run(asyncio.wait_for(main(), 40)) == '0 '


since_311 = pytest.mark.skipif(sys.version_info < (3, 11), reason='Python 3.10 does not say who is cancelled')


@since_311
def test_a_stream_that_is_cancelled_while_it_is_waited_for() -> None:
    async def main(wire: GrpcWire) -> Any:
        async with xai_model(wire).request_stream(HELLO, None, ModelRequestParameters()) as response:
            events: list[Any] = []

            async def read() -> None:
                async for event in response:
                    events.append(event)

            reading = asyncio.ensure_future(read())
            await until(lambda: len(events) == 2)
            await response.cancel()
            await reading
            assert len(events) == 2
        return response.get()

    with GrpcWire(Answer([chunk(delta('he')), 60.0, chunk(delta('llo'))])) as wire:
        response = asyncio.run(asyncio.wait_for(main(wire), 40))
    assert (response.text, response.state) == ('he', 'interrupted')


@since_311
@both
def test_a_channel_that_is_closed_under_a_request(stream: bool) -> None:
    async def main(wire: GrpcWire) -> None:
        model = xai_model(wire)
        asking = asyncio.ensure_future(ask(model, stream=stream))
        await until(lambda: wire.requests)
        async with model.provider:
            pass
        with pytest.raises(ModelAPIError, match='closed before it was answered'):
            await asking

    with GrpcWire(Answer([60.0, *says('hello', stream=stream).pieces])) as wire:
        asyncio.run(asyncio.wait_for(main(wire), 40))
