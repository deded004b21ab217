"""An agent on Groq, through the SDK and a socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse
from kit_groq import USAGE, groq_answer, groq_call, groq_chunk, groq_chunks, groq_model, refused
from kit_outputs import City

from stead import Agent, NativeOutput, UnexpectedModelBehavior, UserError
from stead.exceptions import ModelAPIError, ModelHTTPError
from stead.messages import (
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelRequest,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from stead.models import ModelRequestParameters, infer_model
from stead.models.groq import GroqModel
from stead.native_tools import WebSearchTool
from stead.profiles.groq import GroqModelProfile
from stead.providers.groq import GroqProvider

SEARCH = {
    'index': 0,
    'type': 'search',
    'arguments': '{"query": "q"}',
    'search_results': {'results': [{'title': 't', 'url': 'u', 'content': 'c', 'score': 0.9}]},
}
SEARCHING = {'index': 0, 'type': 'search', 'arguments': '{"query": "q"}'}


def doubling(model: Any) -> Agent[None, str]:
    agent = Agent(model)

    @agent.tool_plain
    def double(x: int) -> int:
        """Double a number."""
        return 2 * x

    return agent


async def streamed(model: Any) -> tuple[list[Any], Any]:
    async with model.request_stream([ModelRequest.user_text_prompt('hi')], None, ModelRequestParameters()) as stream:
        return [event async for event in stream], stream.get()


def test_a_tool_is_called_and_its_result_sent_back() -> None:
    calling = groq_answer('tool_calls', content=None, tool_calls=[groq_call('double', '{"x": 4}')])
    with Wire(calling, groq_answer(content='8')) as wire:
        result = doubling(groq_model(wire)).run_sync('Double 4')
    assert result.output == '8'
    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)
    assert wire.requests[0].path == '/openai/v1/chat/completions'
    call, returned = wire.bodies[1]['messages'][1:]
    assert call['tool_calls'][0]['function'] == {'name': 'double', 'arguments': '{"x": 4}'}
    assert returned == {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}


@pytest.mark.parametrize(
    'generation',
    [
        '{"name": "double", "arguments": {"x": "four"}}',
        '{"name": "double", "parameters": {"x": "four"}}',
        '[{"name": "double", "arguments": {"x": "four"}}]',
        '{"name": "double", "arguments": "{\\"x\\": \\"four\\"}"}',
    ],
)
def test_a_call_that_groq_refuses_is_told_to_the_model(generation: str) -> None:
    calling = groq_answer('tool_calls', tool_calls=[groq_call('double', '{"x": 4}')])
    with Wire(as_json(refused(generation), 400), calling, groq_answer(content='8')) as wire:
        result = doubling(groq_model(wire)).run_sync('Double 4')
    assert result.output == '8'
    failed, retry = result.all_messages()[1:3]
    assert failed.finish_reason == 'error'
    assert isinstance(failed.parts[0], ToolCallPart)
    assert isinstance(retry.parts[0], RetryPromptPart)
    assert 'valid integer' in wire.bodies[1]['messages'][-1]['content']


def test_what_groq_refuses_and_is_no_call_is_text() -> None:
    generation = 'I would call something'
    with Wire(as_json(refused(generation), 400)) as wire:
        response = asyncio.run(
            groq_model(wire).request([ModelRequest.user_text_prompt('hi')], None, ModelRequestParameters())
        )
    assert response.parts == [TextPart(generation)]
    assert response.finish_reason == 'error'


def test_a_call_of_another_tool_that_groq_refuses_is_told_to_the_model() -> None:
    with Wire(as_json(refused('{"name": "treble", "arguments": {}}'), 400), groq_answer(content='no')) as wire:
        assert doubling(groq_model(wire)).run_sync('Treble 4').output == 'no'
    assert "Unknown tool name: 'treble'" in wire.bodies[1]['messages'][-1]['content']


@pytest.mark.parametrize('where', ['before', 'first', 'later'])
def test_a_call_that_groq_refuses_while_it_streams(where: str) -> None:
    error = refused('{"name": "double", "arguments": {"x": "four"}}')
    failing = {
        'before': as_json(error, 400),
        'first': as_sse([error], done=False),
        'later': as_sse([groq_chunk(reasoning='hm'), error], done=False),
    }
    calling = groq_chunks({'tool_calls': [groq_call('double', '{"x": 4}')]}, reason='tool_calls')

    async def main() -> None:
        with Wire(failing[where], calling, groq_chunks({'content': '8'})) as wire:
            async with doubling(groq_model(wire)).run_stream('Double 4') as result:
                assert await result.get_output() == '8'
            assert isinstance(result.all_messages()[1].parts[-1], ToolCallPart)
            assert 'valid integer' in wire.bodies[1]['messages'][-1]['content']

    asyncio.run(main())


def test_other_errors_stay_errors() -> None:
    other = {'error': {**refused('{}')['error'], 'code': 'json_validate_failed'}}
    with Wire(as_json(other, 400)) as wire, pytest.raises(ModelHTTPError) as caught:
        doubling(groq_model(wire)).run_sync('hi')
    assert caught.value.body == other
    with Wire(as_sse([groq_chunk(content='a'), {'error': {'message': 'overloaded'}}], done=False)) as wire:
        with pytest.raises(ModelAPIError, match='overloaded'):
            asyncio.run(streamed(groq_model(wire)))


def test_output_by_tool_and_by_schema() -> None:
    with Wire(groq_answer(tool_calls=[groq_call('final_result', '{"name": "Bonn", "people": 330000}')])) as wire:
        assert Agent(groq_model(wire), output_type=City).run_sync('Bonn?').output.people == 330_000
    assert wire.bodies[0]['tool_choice'] == 'required'
    with Wire(groq_answer(content='{"name": "Bonn", "people": 330000}')) as wire:
        model = groq_model(wire, 'openai/gpt-oss-120b')
        assert Agent(model, output_type=NativeOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
    schema = wire.bodies[0]['response_format']['json_schema']
    assert (schema['name'], schema['strict']) == ('City', True)


def test_thinking_is_a_part_of_its_own() -> None:
    answer = groq_answer(reasoning='hm', content='hello')
    with Wire(answer, answer) as wire:
        agent = Agent(groq_model(wire, profile=GroqModelProfile(supports_thinking=True)))
        first = agent.run_sync('hi', model_settings={'thinking': 'low'})
        assert first.response.parts == [ThinkingPart('hm'), TextPart('hello')]
        agent.run_sync('more', message_history=first.all_messages(), model_settings={'groq_reasoning_format': 'raw'})  # type: ignore[typeddict-unknown-key]
    assert wire.bodies[0]['reasoning_format'] == 'parsed'
    assert wire.bodies[1]['reasoning_format'] == 'raw'
    assert wire.bodies[1]['messages'][1]['content'] == '<think>\nhm\n</think>\n\nhello'


def test_thinking_text_and_calls_stream_as_they_come() -> None:
    first = groq_chunks(
        {'reasoning': 'h'},
        {'reasoning': 'm'},
        {'content': 'well'},
        {'tool_calls': [groq_call('double', '{"x"')]},
        {'tool_calls': [{'index': 0, 'function': {'arguments': ': 4}'}}]},
        reason='tool_calls',
    )

    async def main() -> None:
        with Wire(first) as wire:
            events, response = await streamed(groq_model(wire))
        think, text, call = response.parts
        assert (think.content, text.content, call.args) == ('hm', 'well', '{"x": 4}')
        assert [type(event).__name__ for event in events].count('PartDeltaEvent') == 2
        assert (response.model_name, response.provider_response_id) == ('llama-2024', 'c1')
        assert (response.finish_reason, response.usage.input_tokens) == ('tool_call', 10)

    asyncio.run(main())


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_searches_of_compound_models_are_parts(stream: bool) -> None:
    reply = (
        groq_chunks(
            {'executed_tools': [SEARCHING]},
            {'executed_tools': [{**SEARCHING, 'output': '', 'search_results': {'results': []}}]},
            {'executed_tools': [SEARCH]},
            {'executed_tools': [SEARCH]},
        )
        if stream
        else groq_answer(content='hello', executed_tools=[SEARCH, {'type': 'python', 'arguments': '{}'}])
    )

    async def main() -> Any:
        model = groq_model(wire, 'compound-beta')
        params = ModelRequestParameters(native_tools=[WebSearchTool()])
        messages = [ModelRequest.user_text_prompt('hi')]
        if not stream:
            return await model.request(messages, None, params)
        async with model.request_stream(messages, None, params) as response:
            async for _ in response:
                pass
            return response.get()

    with Wire(reply) as wire:
        call, returned, *rest = asyncio.run(main()).parts
    assert isinstance(call, NativeToolCallPart)
    assert isinstance(returned, NativeToolReturnPart)
    assert call.args == {'query': 'q'}
    assert call.tool_call_id == returned.tool_call_id
    assert returned.content['results'][0]['title'] == 't'
    assert [type(part) for part in rest] == ([] if stream else [TextPart])
    assert 'tools' not in wire.bodies[0]


def test_a_model_that_does_not_search_says_which_do() -> None:
    with Wire(groq_answer(content='hello')) as wire:
        params = ModelRequestParameters(native_tools=[WebSearchTool()])
        with pytest.raises(UserError, match='compound-'):
            asyncio.run(groq_model(wire).request([ModelRequest.user_text_prompt('hi')], None, params))
    assert not wire.requests


def test_images_and_text_files_are_sent_and_nothing_else_is() -> None:
    with Wire(Reply(pieces=[b'some text'], content_type='text/plain')) as file, Wire(groq_answer(content='ok')) as wire:
        agent = Agent(groq_model(wire))
        agent.run_sync(
            [
                BinaryContent(b'png', media_type='image/png'),
                ImageUrl('https://example.com/a.png'),
                ImageUrl(f'{file.url}/a.png', force_download='allow-local'),
                DocumentUrl(f'{file.url}/a.txt', force_download='allow-local'),
            ]
        )
        sent, link, downloaded, document = wire.bodies[0]['messages'][0]['content']
        assert sent['image_url']['url'] == 'data:image/png;base64,cG5n'
        assert link['image_url']['url'] == 'https://example.com/a.png'
        assert downloaded['image_url']['url'].startswith('data:')
        assert 'some text' in document['text']
        for refused_file in (BinaryContent(b'pdf', media_type='application/pdf'), DocumentUrl('https://e.com/a.pdf')):
            with pytest.raises(UserError, match='images and text'):
                agent.run_sync([refused_file])


def test_usage_is_read_wherever_it_is() -> None:
    last: dict[str, Any] = {**groq_chunk('stop'), 'usage': {**USAGE, 'prompt_tokens_details': {'cached_tokens': 3}}}
    with Wire(as_sse([groq_chunk(content='a'), last])) as wire:
        usage = asyncio.run(streamed(groq_model(wire)))[1].usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (10, 5, 3)


def test_an_answer_without_choices() -> None:
    with Wire(as_json({'id': 'c1', 'choices': []})) as wire, pytest.raises(UnexpectedModelBehavior, match='no choices'):
        Agent(groq_model(wire)).run_sync('hi')


def test_settings_are_fields_of_the_body() -> None:
    with Wire(groq_answer(content='hello')) as wire:
        Agent(groq_model(wire)).run_sync(
            'hi',
            model_settings={
                'max_tokens': 5,
                'seed': 4,
                'stop_sequences': ['x'],
                'extra_body': {'service_tier': 'flex'},
                'extra_headers': {'x-a': 'b'},
            },
        )
    body = wire.bodies[0]
    assert (body['max_tokens'], body['seed'], body['stop'], body['service_tier']) == (5, 4, ['x'], 'flex')
    assert wire.requests[0].headers['x-a'] == 'b'
    assert wire.requests[0].headers['user-agent'].startswith('stead')


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('groq', reason='the SDK groq is not installed')
    monkeypatch.delenv('GROQ_API_KEY', raising=False)
    monkeypatch.delenv('GROQ_BASE_URL', raising=False)
    with pytest.raises(UserError, match='GROQ_API_KEY'):
        GroqProvider()
    monkeypatch.setenv('GROQ_API_KEY', 'k')
    model = infer_model('groq:llama-3.3-70b-versatile')
    assert isinstance(model, GroqModel)
    assert (model.system, model.base_url) == ('groq', 'https://api.groq.com')
    assert model.client.api_key == 'k'
    monkeypatch.setenv('GROQ_BASE_URL', 'https://example.com/')
    assert GroqProvider().base_url == 'https://example.com'


def test_a_client_is_used_as_it_is() -> None:
    groq = pytest.importorskip('groq', reason='the SDK groq is not installed')
    client = groq.AsyncGroq(api_key='k', base_url='https://example.com')
    provider = GroqProvider(groq_client=client)
    assert provider.client is client
    assert (provider.base_url, provider.secret) == ('https://example.com', 'k')
    with pytest.raises(UserError, match='`api_key`.*not both'):
        GroqProvider(groq_client=client, api_key='k')


def test_an_http_client_is_used_and_left_open() -> None:
    httpx = pytest.importorskip('httpx')
    pytest.importorskip('groq', reason='the SDK groq is not installed')

    async def main() -> None:
        with Wire(groq_answer(content='hello')) as wire:
            async with httpx.AsyncClient() as http:
                provider = GroqProvider(api_key='k', base_url=wire.url, http_client=http)
                async with provider:
                    assert (await Agent(GroqModel('x', provider=provider)).run('hi')).output == 'hello'
                assert not http.is_closed

    asyncio.run(main())


@pytest.mark.parametrize(
    ('name', 'has_schemas', 'searches', 'thinks'),
    [
        ('llama-3.3-70b-versatile', False, False, False),
        ('meta-llama/llama-4-scout-17b-16e-instruct', True, False, False),
        ('meta-llama/llama-guard-4-12b', False, False, False),
        ('moonshotai/kimi-k2-instruct-0905', True, False, False),
        ('openai/gpt-oss-120b', True, False, False),
        ('compound-beta', False, True, False),
        ('deepseek-r1-distill-llama-70b', False, False, True),
        ('nobody-knows-it', False, False, False),
    ],
)
def test_what_models_can_do(name: str, has_schemas: bool, searches: bool, thinks: bool) -> None:
    profile = GroqProvider.model_profile(name)
    assert profile is not None
    assert profile.supports_json_schema_output is has_schemas
    assert GroqModelProfile.from_profile(profile).groq_always_has_web_search_builtin_tool is searches
    assert profile.supports_thinking is thinks
    assert profile.supports_inline_system_prompts
