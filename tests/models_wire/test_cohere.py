"""An agent on Cohere, through the SDK and a socket. Elsewhere its answers do not stream, so that these tests alone say how."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from _cohere_bodies import USAGE, answer, call, calling, ending, event, pieces, stream, thought
from _vocabulary import WITH_TOOLS
from _wire import Wire, as_json, as_sse
from kit_cohere import cohere_model
from kit_outputs import City

from stead import Agent, ModelProfile, NativeOutput, UserError
from stead.exceptions import ModelAPIError, UnexpectedModelBehavior
from stead.messages import (
    BinaryContent,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from stead.models import ModelRequestParameters, infer_model
from stead.models.cohere import CohereModel
from stead.models.fallback import FallbackModel
from stead.models.test import TestModel
from stead.providers.cohere import CohereProvider
from stead.usage import RequestUsage

sdk = pytest.importorskip('cohere', reason='the SDK cohere is not installed')
HELLO = [ModelRequest.user_text_prompt('hi')]
COUNTED = RequestUsage(input_tokens=10, output_tokens=5, details={'input_tokens': 8, 'output_tokens': 4})


async def streamed(model: Any) -> tuple[list[Any], Any]:
    async with model.request_stream(HELLO, None, ModelRequestParameters()) as response:
        return [item async for item in response], response.get()


def doubling(model: Any) -> Agent[None, str]:
    agent = Agent(model)

    @agent.tool_plain
    def double(x: int) -> int:
        return 2 * x

    return agent


@pytest.mark.parametrize('streams', [False, True], ids=['request', 'stream'])
def test_a_tool_is_called_and_its_result_and_the_plan_are_sent_back(streams: bool) -> None:
    planned = event('tool-plan-delta', tool_plan='I will '), event('tool-plan-delta', tool_plan='double')
    replies = (
        (stream(*planned, calling('double', '{"x"', ': 4}')), stream(pieces('8')))
        if streams
        else (
            answer(message={'tool_calls': [call('double', '{"x": 4}')], 'tool_plan': 'I will double'}),
            answer('8'),
        )
    )

    async def main() -> Any:
        agent = doubling(cohere_model(wire))
        if not streams:
            result = await agent.run('Double 4')
            return result.output, result.usage, result.all_messages()
        async with agent.run_stream('Double 4') as running:
            return await running.get_output(), running.usage, running.all_messages()

    with Wire(*replies) as wire:
        output, usage, messages = asyncio.run(main())
    assert (output, usage.input_tokens, usage.output_tokens) == ('8', 20, 10)
    plan = ThinkingPart('I will double', id='tool_plan', provider_name='cohere')
    assert messages[1].parts == [plan, ToolCallPart('double', '{"x": 4}', 'id1')]
    assert wire.requests[0].path == '/v2/chat'
    assert wire.bodies[0]['stream'] is streams
    called, returned = wire.bodies[1]['messages'][1:]
    assert called == {'role': 'assistant', 'tool_plan': 'I will double', 'tool_calls': [call('double', '{"x": 4}')]}
    assert returned == {'role': 'tool', 'tool_call_id': 'id1', 'content': '8'}


def test_thinking_text_and_calls_stream_as_they_come() -> None:
    reply = stream(
        pieces('h', 'm', key='thinking'),
        pieces('he', 'llo', index=1),
        calling('t1', '{"x"', ': 1}'),
        calling('t2', index=1, call_id='id2'),
        finish='TOOL_CALL',
    )
    with Wire(reply) as wire:
        events, response = asyncio.run(streamed(cohere_model(wire)))
    parts = [
        ThinkingPart('hm'),
        TextPart('hello'),
        ToolCallPart('t1', '{"x": 1}', 'id1'),
        ToolCallPart('t2', None, 'id2'),
    ]
    assert response.parts == parts
    assert [type(item).__name__ for item in events].count('PartDeltaEvent') == 4
    assert (response.model_name, response.provider_response_id) == ('command-r-08-2024', 'c1')
    assert (response.finish_reason, response.provider_details) == ('tool_call', {'finish_reason': 'TOOL_CALL'})
    assert response.usage == COUNTED
    whole = answer(
        thought('hm'),
        'hello',
        message={'tool_calls': [call('t1', '{"x": 1}'), call('t2', None, 'id2')]},
        finish='TOOL_CALL',
    )
    with Wire(whole) as wire:
        same = asyncio.run(cohere_model(wire).request(HELLO, None, ModelRequestParameters()))
    assert (same.parts, same.usage, same.finish_reason) == (response.parts, response.usage, response.finish_reason)
    assert same.provider_response_id == 'c1'


def test_citations_are_details() -> None:
    citation = {'start': 0, 'end': 2, 'text': 'hi', 'sources': [{'type': 'document', 'id': 'd1'}]}
    with Wire(answer('hi', message={'citations': [citation]})) as wire:
        response = asyncio.run(cohere_model(wire).request(HELLO, None, ModelRequestParameters()))
    assert response.provider_details == {'finish_reason': 'COMPLETE', 'citations': [citation]}
    with Wire(stream(pieces('hi'), event('citation-start', 0, citations=citation), event('citation-end', 0))) as wire:
        assert asyncio.run(streamed(cohere_model(wire)))[1].provider_details == response.provider_details


@pytest.mark.parametrize(
    ('reply', 'error', 'says'),
    [
        (stream(pieces('a'), {'message': 'boom'}), ModelAPIError, 'boom'),
        (
            as_sse([event('message-start'), *pieces('a'), ending('ERROR', error='boom')], done=False),
            ModelAPIError,
            'boom',
        ),
        (stream(pieces('a'), b'data: {bad\n\n'), UnexpectedModelBehavior, 'cannot be parsed'),
    ],
    ids=['event', 'end', 'malformed'],
)
def test_a_stream_that_goes_wrong_is_an_error(reply: Any, error: type[Exception], says: str) -> None:
    """The SDK passes over events that it cannot read."""
    with Wire(reply) as wire, pytest.raises(error, match=says):
        asyncio.run(streamed(cohere_model(wire)))


def test_an_answer_that_cannot_be_read() -> None:
    with Wire(as_json({'id': 'c1'})) as wire, pytest.raises(UnexpectedModelBehavior, match='no message'):
        Agent(cohere_model(wire)).run_sync('hi')
    unnamed = answer(message={'tool_calls': [{'id': 'i', 'type': 'function', 'function': {'arguments': '{}'}}]})
    with Wire(unnamed) as wire, pytest.raises(UnexpectedModelBehavior, match='no name'):
        Agent(cohere_model(wire)).run_sync('hi')


def test_output_by_schema_is_asked_for_without_tools_only() -> None:
    with Wire(answer('{"name": "Bonn", "people": 330000}')) as wire:
        model = cohere_model(wire, profile=ModelProfile(supports_json_schema_output=True))
        assert Agent(model, output_type=NativeOutput(City)).run_sync('Bonn?').output.people == 330_000
        doubling(model).run_sync('hi', output_type=NativeOutput(City))
    form = wire.bodies[0]['response_format']
    assert (form['type'], form['json_schema']['required']) == ('json_object', ['name', 'people'])
    assert 'response_format' not in wire.bodies[1]


@pytest.mark.parametrize(
    ('choice', 'sent', 'tools'),
    [
        ('auto', None, ['t1', 't2']),
        ('none', 'NONE', ['t1', 't2']),
        ('required', 'REQUIRED', ['t1', 't2']),
        (['t1'], 'REQUIRED', ['t1']),
    ],
)
def test_the_choice_of_tools(choice: Any, sent: str | None, tools: list[str]) -> None:
    with Wire(answer('8')) as wire:
        asyncio.run(cohere_model(wire).request(HELLO, {'tool_choice': choice}, WITH_TOOLS))
    assert wire.bodies[0].get('tool_choice') == sent
    assert [tool['function']['name'] for tool in wire.bodies[0]['tools']] == tools


def test_settings_become_fields() -> None:
    with Wire(answer('hello')) as wire:
        agent = Agent(cohere_model(wire, profile=ModelProfile(supports_thinking=True)))
        settings: Any = {
            'top_p': 0.5,
            'top_k': 3,
            'extra_body': {'safety_mode': 'STRICT'},
            'extra_headers': {'x-a': 'b'},
        }
        agent.run_sync('hi', model_settings={**settings, 'thinking': 'low'})
        agent.run_sync('hi', model_settings={'thinking': False})
    first, second = wire.bodies
    assert (first['p'], first['k'], first['safety_mode'], first['thinking']) == (0.5, 3, 'STRICT', {'type': 'enabled'})
    assert second['thinking'] == {'type': 'disabled'}
    assert wire.requests[0].headers['x-a'] == 'b'
    assert wire.requests[0].headers['user-agent'].startswith('stead')


def test_images_and_text_files_are_sent() -> None:
    with Wire(answer('hello')) as wire:
        agent = Agent(cohere_model(wire))
        agent.run_sync([BinaryContent(b'png', media_type='image/png'), ImageUrl('https://example.com/a.png')])
        sent, link = wire.bodies[0]['messages'][0]['content']
        assert sent == {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,cG5n'}}
        assert link == {'type': 'image_url', 'image_url': {'url': 'https://example.com/a.png'}}
        with pytest.raises(UserError, match='Cohere takes no application/pdf'):
            agent.run_sync([BinaryContent(b'pdf', media_type='application/pdf')])


def test_what_is_billed_stands_in_for_tokens() -> None:
    more = {'billed_units': {'input_tokens': 8.0, 'search_units': 1}, 'cached_tokens': 3}
    with Wire(answer('hi', usage=more), answer('hi', usage={**USAGE, 'cached_tokens': None})) as wire:
        agent = Agent(cohere_model(wire))
        first, second = (agent.run_sync('hi').response.usage for _ in range(2))
    details = {'input_tokens': 8, 'search_units': 1}
    assert first == RequestUsage(input_tokens=8, cache_read_tokens=3, details=details)
    assert second == COUNTED


def test_names_keys_and_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('CO_BASE_URL', raising=False)
    monkeypatch.delenv('CO_API_KEY', raising=False)
    with pytest.raises(UserError, match='CO_API_KEY'):
        CohereProvider()
    monkeypatch.setenv('CO_API_KEY', 'k')
    model = infer_model('cohere:command-r-08-2024')
    assert isinstance(model, CohereModel)
    assert (model.system, model.base_url) == ('cohere', 'https://api.cohere.com')
    client = sdk.AsyncClientV2(api_key='k', base_url='http://localhost:1')
    assert CohereModel('x', provider=CohereProvider(cohere_client=client)).client is client


def test_a_substitute_for_the_client_is_asked_as_it_is() -> None:
    async def chat(**arguments: Any) -> Any:
        assert (arguments['model'], arguments['messages'][0]['content']) == ('x', 'hi')
        return {'finish_reason': 'COMPLETE', 'message': {'content': [{'type': 'text', 'text': 'hello'}]}}

    client: Any = SimpleNamespace(chat=chat)
    assert Agent(CohereModel('x', provider=CohereProvider(cohere_client=client))).run_sync('hi').output == 'hello'


def test_an_error_of_the_sdk_without_a_status_is_one_of_the_model() -> None:
    from cohere.core.api_error import ApiError

    async def chat(**_: Any) -> Any:
        raise ApiError(status_code=None, body={'message': 'gone'})

    client: Any = SimpleNamespace(chat=chat)
    model = CohereModel('x', provider=CohereProvider(cohere_client=client))
    with pytest.raises(ModelAPIError, match='gone'):
        Agent(model).run_sync('hi')
    assert Agent(FallbackModel(model, TestModel())).run_sync('hi').output == 'success (no tool calls)'


def test_later_system_prompts_are_sent_as_such() -> None:
    history = [ModelRequest.user_text_prompt('a'), ModelResponse(parts=[TextPart('b')])]
    with Wire(answer('hi')) as wire:
        later = ModelRequest(parts=[SystemPromptPart('now in French'), UserPromptPart('c')])
        Agent(cohere_model(wire)).run_sync(message_history=[*history, later])
        assert {'role': 'system', 'content': 'now in French'} in wire.bodies[0]['messages']
