"""An agent on Mistral, through the SDK and a socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse
from kit_mistral import (
    USAGE,
    mistral_answer,
    mistral_call,
    mistral_chunk,
    mistral_chunks,
    mistral_model,
    thought,
)
from kit_outputs import City
from pydantic import BaseModel

from stead import Agent, NativeOutput, PromptedOutput, UnexpectedModelBehavior, UserError
from stead.exceptions import ModelAPIError, ModelHTTPError
from stead.messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelRequest,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from stead.models import ModelRequestParameters, infer_model
from stead.models.fallback import FallbackModel
from stead.models.mistral import MistralModel
from stead.models.test import TestModel
from stead.output import ToolOutput
from stead.profiles import ModelProfile
from stead.providers.mistral import MistralProvider
from stead.tools import ToolDefinition


class River(BaseModel):
    length: float
    through: list[str]


HELLO = [ModelRequest.user_text_prompt('hi')]


async def streamed(model: Any, params: ModelRequestParameters | None = None) -> tuple[list[Any], Any]:
    async with model.request_stream(HELLO, None, params or ModelRequestParameters()) as stream:
        return [event async for event in stream], stream.get()


def test_a_tool_is_called_and_its_result_sent_back() -> None:
    calling = mistral_answer('tool_calls', content='', tool_calls=[mistral_call('double', '{"x": 4}')])
    with Wire(calling, mistral_answer(content='8')) as wire:
        agent = Agent(mistral_model(wire), instructions='Be brief.')

        @agent.tool_plain
        def double(x: int) -> int:
            """Double a number."""
            return 2 * x

        result = agent.run_sync('Double 4')
    assert result.output == '8'
    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)
    first, second = wire.bodies
    assert first['messages'][0] == {'role': 'system', 'content': 'Be brief.'}
    assert first['tool_choice'] == 'auto'
    call, returned = second['messages'][2:]
    assert call['tool_calls'][0]['function'] == {'name': 'double', 'arguments': '{"x": 4}'}
    assert (returned['role'], returned['tool_call_id'], returned['content']) == ('tool', 'call-1', '8')


def test_an_answer_stands_between_a_return_and_a_prompt() -> None:
    calling = mistral_answer(content='', tool_calls=[mistral_call('one', '{}')])
    with Wire(calling, mistral_answer(content='ok')) as wire:
        agent = Agent(mistral_model(wire))
        agent.tool_plain(lambda: BinaryContent(b'png', media_type='image/png', identifier='f1'), name='one')
        agent.run_sync('hi')
    returned, answer, image = wire.bodies[1]['messages'][2:]
    assert returned['role'] == 'tool'
    assert answer['content'] == [{'type': 'text', 'text': 'OK'}]
    assert image['content'][1]['image_url']['url'] == 'data:image/png;base64,cG5n'


def test_output_by_tool_by_schema_and_by_prompt() -> None:
    bonn = '{"name": "Bonn", "people": 330000}'
    with Wire(mistral_answer('tool_calls', content='', tool_calls=[mistral_call('final_result', bonn)])) as wire:
        assert Agent(mistral_model(wire), output_type=City).run_sync('Bonn?').output.people == 330_000
    assert wire.bodies[0]['tool_choice'] == 'any'
    able = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
    with Wire(mistral_answer(content=bonn)) as wire:
        model = mistral_model(wire, profile=able)
        assert Agent(model, output_type=NativeOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
        assert Agent(model, output_type=PromptedOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
    schema, anything = (body['response_format'] for body in wire.bodies)
    assert (schema['type'], schema['json_schema']['name']) == ('json_schema', 'City')
    assert schema['json_schema']['schema']['required'] == ['name', 'people']
    assert anything['type'] == 'json_object'


def test_thinking_is_a_part_of_its_own_and_goes_back_as_it_came() -> None:
    answer = mistral_answer(content=[thought('h', 'm'), {'type': 'text', 'text': 'hello'}])
    with Wire(answer) as wire:
        agent = Agent(mistral_model(wire, 'magistral-medium-latest'))
        first = agent.run_sync('hi')
        assert first.response.parts == [ThinkingPart('h'), ThinkingPart('m'), TextPart('hello')]
        agent.run_sync('more', message_history=first.all_messages())
    assert wire.bodies[1]['messages'][1]['content'] == [thought('h', 'm'), {'type': 'text', 'text': 'hello'}]


def test_thinking_text_and_calls_stream_as_they_come() -> None:
    first = mistral_chunks(
        {'content': [thought('h')]},
        {'content': [thought('m')]},
        {'content': 'we'},
        {'content': [{'type': 'text', 'text': 'll'}, {'type': 'reference', 'reference_ids': [1]}]},
        {'tool_calls': [mistral_call('one', '{"x"'), mistral_call('two', '{}', 'call-2', 1)]},
        {'tool_calls': [mistral_call('one', ': 1}')]},
        reason='tool_calls',
    )
    with Wire(first) as wire:
        response = asyncio.run(streamed(mistral_model(wire)))[1]
    think, text, one, two = response.parts
    assert (think.content, text.content) == ('hm', 'well')
    assert (one.tool_name, one.args, one.tool_call_id) == ('one', '{"x": 1}', 'call-1')
    assert (two.tool_name, two.args, two.tool_call_id) == ('two', '{}', 'call-2')
    assert (response.model_name, response.provider_response_id) == ('mistral-2024', 'c1')
    assert (response.finish_reason, response.usage.output_tokens) == ('tool_call', 5)


def pieces(text: str, size: int = 3) -> Reply:
    return mistral_chunks(*({'content': text[place : place + size]} for place in range(0, len(text), size)))


@pytest.mark.parametrize('text', ['{"name": "Bonn", "people": 330000}', '\n {"people": 330000, "name": "Bonn"}\n'])
def test_an_output_that_streams_as_text_is_one(text: str) -> None:
    async def main() -> None:
        with Wire(pieces(text)) as wire:
            async with Agent(mistral_model(wire), output_type=City).run_stream('Bonn?') as result:
                seen = [output async for output in result.stream_output(debounce_by=None)]
            assert seen[-1] == City(name='Bonn', people=330_000)
            call = result.all_messages()[1].parts[0]
            assert isinstance(call, ToolCallPart)
            assert call.tool_name == 'final_result'

    asyncio.run(main())


def test_an_output_that_streams_as_text_begins_with_its_first_piece() -> None:
    with Wire(pieces('{"name": "Bonn", "people": 330000}')) as wire:
        agent = Agent(mistral_model(wire), output_type=City)

        async def main() -> list[str]:
            async with agent.iter('Bonn?') as run:
                async for node in run:
                    if Agent.is_model_request_node(node):
                        async with node.stream(run.ctx) as stream:
                            return [type(event).__name__ async for event in stream]
            return []

        events = asyncio.run(main())
    assert events[:3] == ['PartStartEvent', 'FinalResultEvent', 'PartDeltaEvent']


def test_the_output_that_fits_is_chosen_of_several() -> None:
    outputs = [ToolOutput(City, name='city'), ToolOutput(River, name='river')]

    async def main() -> None:
        for text, name in (
            ('{"name": "Bonn", "people": 330000}', 'city'),
            ('{"through": ["Bonn", "Köln"], "length": 1233}', 'river'),
        ):
            with Wire(pieces(text)) as wire:
                async with Agent(mistral_model(wire), output_type=outputs).run_stream('?') as result:
                    assert type(await result.get_output()).__name__.lower() == name

    asyncio.run(main())


def test_text_that_is_no_output_stays_text() -> None:
    schema = City.model_json_schema()
    tools = [ToolDefinition(name=name, parameters_json_schema=schema, kind='output') for name in ('city', 'town')]
    params = ModelRequestParameters(output_tools=tools, output_mode='tool', allow_text_output=False)
    for text in ('Bonn, I think', '[1]', '{"name": "Bonn"', '{}', ' '):
        with Wire(pieces(text)) as wire:
            response = asyncio.run(streamed(mistral_model(wire), params))[1]
        assert [part.content for part in response.parts] == [text]


def test_json_of_another_shape_stays_text_where_text_is_allowed() -> None:
    async def main() -> None:
        for text in ('{"other": 1}', '{"name": 1, "people": 2}', '{"name": "Bonn"'):
            with Wire(pieces(text)) as wire:
                async with Agent(mistral_model(wire), output_type=[City, str]).run_stream('?') as result:
                    assert await result.get_output() == text

    asyncio.run(main())


def test_an_output_that_does_not_fit_is_told_to_the_model() -> None:
    async def read(ctx: Any, events: Any) -> None:
        async for _ in events:
            pass

    with Wire(pieces('{"name": "Bonn"}'), pieces('{"name": "Bonn", "people": 1}')) as wire:
        result = Agent(mistral_model(wire), output_type=City).run_sync('Bonn?', event_stream_handler=read)
    assert result.output.people == 1
    retry = wire.bodies[1]['messages'][-1]
    assert retry['role'] == 'tool'
    assert 'people' in retry['content']


def test_a_long_output_is_not_read_again_for_every_piece() -> None:
    text = '{"through": [' + ', '.join(['"somewhere"'] * 40_000) + '], "length": 1}'

    async def main() -> None:
        with Wire(pieces(text, 40)) as wire:
            outputs = [ToolOutput(City, name='city'), ToolOutput(River, name='river')]
            async with Agent(mistral_model(wire), output_type=outputs).run_stream('?') as result:
                assert len((await result.get_output()).through) == 40_000  # type: ignore[union-attr]

    asyncio.run(asyncio.wait_for(main(), 30))


def test_files_are_images_pdf_and_text() -> None:
    answer = mistral_answer(content='ok')
    with Wire(Reply(pieces=[b'some'], content_type='text/plain')) as file, Wire(answer) as wire:
        agent = Agent(mistral_model(wire))
        agent.run_sync(
            [
                ImageUrl('https://example.com/a.png'),
                DocumentUrl('https://example.com/a.pdf'),
                BinaryContent(b'pdf', media_type='application/pdf'),
                DocumentUrl(f'{file.url}/a.pdf', force_download='allow-local'),
                DocumentUrl(f'{file.url}/a.txt', force_download='allow-local'),
            ]
        )
        image, link, pdf, downloaded, text = wire.bodies[0]['messages'][0]['content']
        assert image['image_url']['url'] == 'https://example.com/a.png'
        assert link == {'type': 'document_url', 'document_url': 'https://example.com/a.pdf'}
        assert pdf['document_url'] == 'data:application/pdf;base64,cGRm'
        assert downloaded['document_url'].startswith('data:')
        assert 'some' in text['text']
        for refused in (AudioUrl('https://example.com/a.mp3'), BinaryContent(b'v', media_type='video/mp4')):
            with pytest.raises(UserError, match='images, PDF and text'):
                agent.run_sync([refused])


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_settings_are_fields_of_the_body(stream: bool) -> None:
    settings: Any = {
        'max_tokens': 5,
        'seed': 4,
        'stop_sequences': ['x'],
        'temperature': 0.1,
        'presence_penalty': 0.5,
        'timeout': 30,
        'extra_headers': {'x-a': 'b'},
        'extra_body': {'safe_prompt': True},
    }

    async def main() -> None:
        if not stream:
            await mistral_model(wire).request(HELLO, settings, ModelRequestParameters())
            return
        async with mistral_model(wire).request_stream(HELLO, settings, ModelRequestParameters()) as response:
            async for _ in response:
                pass

    with Wire(mistral_chunks({'content': 'a'}) if stream else mistral_answer(content='a')) as wire:
        asyncio.run(main())
    body = wire.bodies[0]
    assert (body['max_tokens'], body['random_seed'], body['stop'], body['safe_prompt']) == (5, 4, ['x'], True)
    assert (body['temperature'], body['presence_penalty'], body['stream']) == (0.1, 0.5, stream)
    assert wire.requests[0].headers['x-a'] == 'b'


def test_fields_that_the_sdk_cannot_send_are_named() -> None:
    with Wire(mistral_answer(content='a')) as wire, pytest.warns(UserWarning, match="no such fields: \\['smell'\\]"):
        Agent(mistral_model(wire)).run_sync('hi', model_settings={'extra_body': {'smell': 1}})


@pytest.mark.parametrize('name', ['temperature', 'seed', 'top_p'])
def test_a_setting_that_the_sdk_refuses_is_named(name: str) -> None:
    field = 'random_seed' if name == 'seed' else name
    with Wire(mistral_answer(content='hello')) as wire:
        with pytest.raises(UserError, match=f"The request to 'mistral-large-latest' cannot be sent: {field}: Input"):
            Agent(mistral_model(wire)).run_sync('hi', model_settings={name: 'much'})  # type: ignore[misc]
        assert not wire.requests


def test_a_max_tokens_of_another_type_is_refused_before_the_sdk_sees_it() -> None:
    with Wire(mistral_answer(content='hello')) as wire:
        with pytest.raises(UserError, match="The setting `max_tokens` must be a number, not 'much'"):
            Agent(mistral_model(wire)).run_sync('hi', model_settings={'max_tokens': 'much'})  # type: ignore[typeddict-item]
        assert not wire.requests


def test_a_timeout_may_be_one_of_httpx() -> None:
    httpx = pytest.importorskip('httpx')
    whole = mistral_answer(content='hello')
    with Wire(Reply(pieces=[1.0, *whole.pieces])) as wire, pytest.raises(ModelAPIError):
        Agent(mistral_model(wire)).run_sync('hi', model_settings={'timeout': httpx.Timeout(0.1)})


def test_answers_that_the_sdk_is_too_strict_for_are_read() -> None:
    body: dict[str, Any] = {'id': 'c1', 'choices': [{'message': {'content': 'hello'}}], 'usage': None}
    with Wire(as_json(body)) as wire:
        assert Agent(mistral_model(wire)).run_sync('hi').output == 'hello'
    last = mistral_chunk('stop', USAGE)
    with Wire(as_sse([{**mistral_chunk(content='hel'), 'model': None}, mistral_chunk(content='lo'), last])) as wire:
        assert asyncio.run(streamed(mistral_model(wire)))[1].text == 'hello'


def test_calls_without_ids_have_their_own() -> None:
    calls = [mistral_call('one', '{}', 'null'), {'function': {'name': 'one', 'arguments': {'x': 1}}}]
    with Wire(mistral_answer(content=None, tool_calls=calls), mistral_chunks({'tool_calls': calls[:1]})) as wire:
        model = mistral_model(wire)
        whole = asyncio.run(model.request(HELLO, None, ModelRequestParameters()))
        response = asyncio.run(streamed(model))[1]
    ids = {part.tool_call_id for part in [*whole.parts, *response.parts]}
    assert len(ids) == 3
    assert 'null' not in ids
    assert whole.parts[1].args_as_dict() == {'x': 1}


def test_errors_in_answers_that_say_all_is_well() -> None:
    error = {'object': 'error', 'message': 'overloaded'}
    with Wire(as_json(error)) as wire, pytest.raises(ModelAPIError, match='overloaded'):
        Agent(mistral_model(wire)).run_sync('hi')
    for events in ([error], [mistral_chunk(content='a'), error]):
        with Wire(as_sse(events)) as wire, pytest.raises(ModelAPIError, match='overloaded') as caught:
            asyncio.run(streamed(mistral_model(wire)))
        assert caught.value.__cause__ is None
    with Wire(as_json({'id': 'c1', 'choices': []})) as wire, pytest.raises(UnexpectedModelBehavior, match='no choices'):
        Agent(mistral_model(wire)).run_sync('hi')


@pytest.mark.parametrize('way', ['auto', 'sdk'])
def test_a_page_instead_of_an_answer_lets_another_model_answer(way: Any) -> None:
    page = Reply(headers={'content-type': 'text/html'}, pieces=[b'<h1>Sign in</h1>'])
    with Wire(page, page, page) as wire:
        model = mistral_model(wire, settings={'wire': way})
        with pytest.raises(ModelAPIError, match='Sign in'):
            Agent(model).run_sync('hi')
        with pytest.raises(ModelAPIError, match='Sign in'):
            asyncio.run(streamed(model))
        assert Agent(FallbackModel(model, TestModel())).run_sync('hi').output == 'success (no tool calls)'


def test_a_request_that_mistral_refuses_is_an_http_error() -> None:
    with Wire(as_json({'detail': [{'loc': ['body'], 'msg': 'no such field', 'type': 't'}]}, 422)) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            Agent(mistral_model(wire)).run_sync('hi')
    assert caught.value.status_code == 422
    assert 'no such field' in str(caught.value.body)


@pytest.mark.parametrize('end', [b'\r\n\r\n', b'\n\n', b'\n'], ids=['crlf', 'lf', 'cut'])
def test_events_may_come_in_any_pieces(end: bytes) -> None:
    import json

    chunks = [mistral_chunk(content='hé\u2028'), mistral_chunk('stop', USAGE, content='llo')]
    whole = end.join(b'data: ' + json.dumps(chunk, ensure_ascii=False).encode() for chunk in chunks)
    blocks: list[Any] = [whole[place : place + 7] for place in range(0, len(whole), 7)]
    with Wire(Reply(pieces=blocks, content_type='text/event-stream')) as wire:
        assert asyncio.run(streamed(mistral_model(wire)))[1].text == 'hé\u2028llo'


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('mistralai.client', reason='the SDK mistralai is not installed')
    monkeypatch.delenv('MISTRAL_API_KEY', raising=False)
    with pytest.raises(UserError, match='MISTRAL_API_KEY'):
        MistralProvider()
    monkeypatch.setenv('MISTRAL_API_KEY', 'k')
    model = infer_model('mistral:mistral-large-latest')
    assert isinstance(model, MistralModel)
    assert (model.system, model.base_url) == ('mistral', 'https://api.mistral.ai')
    assert '{schema}' in model.json_mode_schema_prompt


def test_a_client_is_used_as_it_is() -> None:
    sdk = pytest.importorskip('mistralai.client', reason='the SDK mistralai is not installed')
    client = sdk.Mistral(api_key='k', server_url='https://example.com')
    provider = MistralProvider(mistral_client=client)
    assert provider.client is client
    assert (provider.base_url, provider.secret) == ('https://example.com', 'k')
    with pytest.raises(UserError, match='`api_key`.*not both'):
        MistralProvider(mistral_client=client, api_key='k')


def test_an_http_client_is_used_and_left_open() -> None:
    httpx = pytest.importorskip('httpx')
    pytest.importorskip('mistralai.client', reason='the SDK mistralai is not installed')

    async def main() -> None:
        with Wire(mistral_answer(content='hello')) as wire:
            async with httpx.AsyncClient() as http:
                provider = MistralProvider(api_key='k', base_url=wire.url, http_client=http)
                async with provider:
                    assert (await Agent(MistralModel('x', provider=provider)).run('hi')).output == 'hello'
                assert not http.is_closed

    asyncio.run(main())


@pytest.mark.parametrize('name', ['mistral-large-latest', 'magistral-medium-latest'])
def test_what_models_can_do(name: str) -> None:
    profile = MistralProvider.model_profile(name)
    assert profile is not None
    assert profile.thinking_always_enabled is name.startswith('magistral')
    assert profile.supports_inline_system_prompts
