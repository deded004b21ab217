"""An agent on OpenAI's Responses API, through the SDK and a socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse
from kit import body_of_response, response, response_events, responses_model, text_deltas, text_item
from kit_outputs import City

from stead import Agent, BinaryContent, NativeOutput, UsageLimits, UserError
from stead.exceptions import ModelAPIError, UsageLimitExceeded
from stead.messages import DocumentUrl, ImageUrl, NativeToolCallPart, ThinkingPart, ToolCallPart
from stead.models import infer_model
from stead.models.openai import OpenAIResponsesModel


def call(name: str, arguments: str) -> dict[str, object]:
    return {'type': 'function_call', 'id': 'fc-1', 'call_id': 'call-1', 'name': name, 'arguments': arguments}


REASONING = {
    'type': 'reasoning',
    'id': 'rs-1',
    'summary': [{'type': 'summary_text', 'text': 'hm'}],
    'encrypted_content': 'sealed',
}


def test_a_tool_is_called_and_reasoning_goes_back_with_it() -> None:
    with Wire(response(REASONING, call('double', '{"x": 4}')), response(text_item('8'))) as wire:
        agent = Agent(responses_model(wire), instructions='Be brief.')

        @agent.tool_plain
        def double(x: int) -> int:
            """Double a number."""
            return 2 * x

        result = agent.run_sync('Double 4')
    assert result.output == '8'
    first, second = wire.bodies
    assert first['instructions'] == 'Be brief.'
    assert first['include'] == ['reasoning.encrypted_content']
    assert second['input'][1] == REASONING
    assert second['input'][2] == call('double', '{"x": 4}')
    assert second['input'][3] == {'type': 'function_call_output', 'call_id': 'call-1', 'output': '8'}


def test_output_by_tool_and_by_schema() -> None:
    with Wire(response(call('final_result', '{"name": "Bonn", "people": 330000}'))) as wire:
        assert Agent(responses_model(wire), output_type=City).run_sync('Bonn?').output.people == 330_000
    assert wire.bodies[0]['tool_choice'] == 'required'
    with Wire(response(text_item('{"name": "Bonn", "people": 330000}'))) as wire:
        assert Agent(responses_model(wire), output_type=NativeOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
    assert wire.bodies[0]['text']['format']['type'] == 'json_schema'


def test_parts_stream_as_they_come() -> None:
    thought = [
        {'type': 'response.output_item.added', 'item': {**REASONING, 'summary': []}},
        {'type': 'response.reasoning_summary_part.added', 'item_id': 'rs-1', 'summary_index': 0, 'part': {'text': ''}},
        {'type': 'response.reasoning_summary_text.delta', 'item_id': 'rs-1', 'summary_index': 0, 'delta': 'hm'},
        {'type': 'response.output_item.done', 'item': REASONING},
    ]
    called = [
        {'type': 'response.output_item.added', 'item': call('one', '')},
        {'type': 'response.function_call_arguments.delta', 'item_id': 'fc-1', 'delta': '{"x"'},
        {'type': 'response.function_call_arguments.delta', 'item_id': 'fc-1', 'delta': ': 1}'},
        {'type': 'response.output_item.done', 'item': call('one', '{"x": 1}')},
    ]

    async def main() -> None:
        with Wire(response_events(*thought, *called), response_events(*text_deltas('do', 'ne'))) as wire:
            agent = Agent(responses_model(wire))

            @agent.tool_plain
            def one(x: int) -> int:
                return x

            async with agent.run_stream('hi') as result:
                assert await result.get_output() == 'done'
            think, tool_call = result.all_messages()[1].parts
            assert isinstance(think, ThinkingPart)
            assert (think.content, think.signature, think.id) == ('hm', 'sealed', 'rs-1')
            assert isinstance(tool_call, ToolCallPart)
            assert (tool_call.args, tool_call.id) == ('{"x": 1}', 'fc-1')
            assert wire.bodies[1]['input'][1] == REASONING

    asyncio.run(main())


@pytest.mark.parametrize('late', [False, True], ids=['in order', 'answer within'])
def test_raw_thinking_stands_where_it_began(late: bool) -> None:
    place = {'item_id': 'rs-1', 'output_index': 0, 'content_index': 0}
    raw = [{'type': 'response.reasoning_text.delta', **place, 'delta': text} for text in ('h', 'm')]
    thought = {**REASONING, 'summary': [], 'content': [{'type': 'reasoning_text', 'text': 'hm'}]}
    item_done = [{'type': 'response.output_item.done', 'output_index': 0, 'item': thought}]
    events = [*raw, *text_deltas('ans'), *item_done] if late else [*raw, *item_done, *text_deltas('ans')]

    async def main() -> Any:
        with Wire(response_events(*events)) as wire:
            async with Agent(responses_model(wire)).run_stream('hi') as result:
                assert await result.get_output() == 'ans'
            return result.response.parts

    think, text = asyncio.run(main())
    assert isinstance(think, ThinkingPart)
    assert (think.provider_details, think.signature) == ({'raw_content': ['hm']}, 'sealed')
    assert text.content == 'ans'


def test_code_that_the_provider_runs_streams_as_json() -> None:
    item = {'type': 'code_interpreter_call', 'id': 'ci-1', 'container_id': 'c-1', 'code': '', 'outputs': None}
    code = 'print("hi")\n'
    events = [
        {'type': 'response.output_item.added', 'item': item},
        {'type': 'response.code_interpreter_call_code.delta', 'item_id': 'ci-1', 'delta': code},
        {'type': 'response.code_interpreter_call_code.done', 'item_id': 'ci-1', 'code': code},
        {'type': 'response.output_item.done', 'item': {**item, 'code': code, 'status': 'completed'}},
    ]

    async def main() -> None:
        with Wire(response_events(*events, *text_deltas('done'))) as wire:
            async with Agent(responses_model(wire)).run_stream('hi') as result:
                await result.get_output()
            native_call = result.all_messages()[-1].parts[0]
            assert isinstance(native_call, NativeToolCallPart)
            assert native_call.args_as_dict() == {'container_id': 'c-1', 'code': code}

    asyncio.run(main())


def test_it_goes_on_from_the_last_response() -> None:
    with Wire(response(text_item('one')), response(text_item('two'))) as wire:
        agent = Agent(responses_model(wire), model_settings={'openai_previous_response_id': 'auto'})
        first = agent.run_sync('a')
        agent.run_sync('b', message_history=first.all_messages())
    assert 'previous_response_id' not in wire.bodies[0]
    assert wire.bodies[1]['previous_response_id'] == 'resp-1'
    assert wire.bodies[1]['input'] == [{'role': 'user', 'content': 'b'}]


def test_links_are_downloaded_where_that_is_asked_for() -> None:
    with Wire(Reply(pieces=[b'%PDF'], content_type='application/pdf')) as file, Wire(response(text_item('ok'))) as wire:
        content = [
            DocumentUrl(f'{file.url}/a.pdf', force_download='allow-local'),
            DocumentUrl('https://example.com/a.pdf'),
            ImageUrl('https://example.com/a.png', vendor_metadata={'detail': 'low'}),
        ]
        Agent(responses_model(wire)).run_sync(content)
    data, link, image = wire.bodies[0]['input'][0]['content']
    assert data['file_data'] == 'data:application/pdf;base64,JVBERg=='
    assert link == {'type': 'input_file', 'file_url': 'https://example.com/a.pdf'}
    assert image['detail'] == 'low'


def test_content_that_it_does_not_take_says_so() -> None:
    with Wire(response(text_item('ok'))) as wire, pytest.raises(UserError, match="takes no 'audio/wav'"):
        Agent(responses_model(wire)).run_sync([BinaryContent(b'', media_type='audio/wav')])
    assert wire.requests == []


def test_failures_are_errors() -> None:
    failed = body_of_response(status='failed', error={'code': 'server_error', 'message': 'boom'})

    async def main() -> None:
        events = [{'type': 'response.created', 'response': body_of_response(status='in_progress')}]
        with Wire(
            as_sse([*events, *text_deltas('a'), {'type': 'response.failed', 'response': failed}], done=False)
        ) as wire:
            with pytest.raises(ModelAPIError, match='boom'):
                async with Agent(responses_model(wire)).run_stream('hi') as result:
                    await result.get_output()

    asyncio.run(main())
    with Wire(response(status='failed', error={'code': 'server_error', 'message': 'boom'})) as wire:
        with pytest.raises(ModelAPIError, match='boom'):
            Agent(responses_model(wire)).run_sync('hi')


def test_what_stops_a_stream_is_told() -> None:
    async def main() -> object:
        cut = body_of_response(status='incomplete', incomplete_details={'reason': 'max_output_tokens'})
        events = [*text_deltas('a'), {'type': 'response.incomplete', 'response': cut}]
        with Wire(as_sse(events, done=False, named=True)) as wire:
            async with Agent(responses_model(wire)).run_stream('hi') as result:
                await result.get_output()
                return result.response.finish_reason

    assert asyncio.run(main()) == 'length'


def test_it_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    monkeypatch.setenv('OPENAI_API_KEY', 'k')
    model = infer_model('openai-responses:gpt-5')
    assert isinstance(model, OpenAIResponsesModel)
    assert model.system == 'openai'


def test_two_ways_to_go_on_at_once() -> None:
    settings: Any = {'openai_previous_response_id': 'auto', 'openai_conversation_id': 'auto'}
    with Wire() as wire:
        with pytest.raises(UserError, match='openai_conversation_id'):
            Agent(responses_model(wire), model_settings=settings).run_sync('hi')
    assert wire.requests == []


def test_tokens_are_counted_before_the_request() -> None:
    limits = UsageLimits(input_tokens_limit=10, count_tokens_before_request=True)
    with Wire(as_json({'object': 'response.input_tokens', 'input_tokens': 42})) as wire:
        with pytest.raises(UsageLimitExceeded):
            Agent(responses_model(wire)).run_sync('hi', usage_limits=limits)
    assert [request.path for request in wire.requests] == ['/responses/input_tokens']


@pytest.mark.parametrize(
    ('item', 'arguments'),
    [
        (
            {'type': 'code_interpreter_call', 'container_id': 'c', 'code': 'print("é")', 'outputs': None},
            {'container_id': 'c', 'code': 'print("é")'},
        ),
        (
            {'type': 'mcp_call', 'server_label': 's', 'name': 'e', 'arguments': '{"a": 1}', 'output': 'x'},
            {'action': 'call_tool', 'tool_name': 'e', 'tool_args': {'a': 1}},
        ),
    ],
)
def test_native_calls_that_stream_in_one_piece(item: dict[str, Any], arguments: dict[str, Any]) -> None:
    item = {'id': 'x-1', 'status': 'completed', **item}
    events = [{'type': f'response.output_item.{way}', 'output_index': 0, 'item': item} for way in ('added', 'done')]

    async def main() -> Any:
        async with Agent(responses_model(wire)).run_stream('hi') as result:
            await result.get_output()
            return result.all_messages()[-1].parts[0]

    with Wire(response_events(*events, *text_deltas('hello'))) as wire:
        part = asyncio.run(main())
    assert isinstance(part, NativeToolCallPart)
    assert part.args_as_dict(raise_if_invalid=True) == arguments
