"""An agent on Anthropic, through the SDK and a socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Reply, Wire, as_json
from kit import anthropic_model, block, message, message_events, text_block
from kit_outputs import City

from stead import Agent, NativeOutput, UsageLimits, UserError
from stead.exceptions import UsageLimitExceeded
from stead.messages import DocumentUrl, ImageUrl, ModelRequest, NativeToolCallPart, ThinkingPart, ToolCallPart
from stead.models import ModelRequestParameters, infer_model
from stead.models.anthropic import AnthropicModel
from stead.providers.anthropic import AnthropicProvider


def text(content: str) -> dict[str, str]:
    return {'type': 'text', 'text': content}


def use(tool: str, **arguments: object) -> dict[str, object]:
    return {'type': 'tool_use', 'id': 'u1', 'name': tool, 'input': arguments}


def test_a_tool_is_called_and_its_result_sent_back() -> None:
    with Wire(message(use('double', x=4), reason='tool_use'), message(text('8'))) as wire:
        agent = Agent(anthropic_model(wire), instructions='Be brief.')

        @agent.tool_plain
        def double(x: int) -> int:
            """Double a number."""
            return 2 * x

        assert agent.run_sync('Double 4').output == '8'
    first, second = wire.bodies
    assert first['system'] == [text('Be brief.')]
    assert first['max_tokens'] == 4096
    assert second['messages'][1]['content'] == [use('double', x=4)]
    result = {'type': 'tool_result', 'tool_use_id': 'u1', 'content': [text('8')], 'is_error': False}
    assert second['messages'][2]['content'] == [result]


def test_thinking_goes_back_with_its_signature() -> None:
    thought = {'type': 'thinking', 'thinking': 'hm', 'signature': 'sig'}
    with Wire(message(thought, use('one'), reason='tool_use'), message(text('done'))) as wire:
        agent = Agent(anthropic_model(wire), model_settings={'thinking': 'low'})
        agent.tool_plain(lambda: 1, name='one')
        result = agent.run_sync('hi')
    assert isinstance(result.all_messages()[1].parts[0], ThinkingPart)
    assert wire.bodies[0]['thinking'] == {'type': 'enabled', 'budget_tokens': 2048}
    assert wire.bodies[1]['messages'][1]['content'][0] == thought


def test_output_by_tool_and_by_schema() -> None:
    with Wire(message(use('final_result', name='Bonn', people=330000), reason='tool_use')) as wire:
        assert Agent(anthropic_model(wire), output_type=City).run_sync('Bonn?').output.people == 330_000
    assert wire.bodies[0]['tool_choice'] == {'type': 'any'}
    with Wire(message(text('{"name": "Bonn", "people": 330000}'))) as wire:
        assert Agent(anthropic_model(wire), output_type=NativeOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
    assert wire.bodies[0]['output_config']['format']['schema']['additionalProperties'] is False


def test_a_model_that_thinks_is_asked_by_schema() -> None:
    with Wire(message(text('{"name": "Bonn", "people": 330000}'))) as wire:
        agent = Agent(anthropic_model(wire), output_type=City, model_settings={'thinking': True})
        assert agent.run_sync('Bonn?').output.name == 'Bonn'
    assert 'format' in wire.bodies[0]['output_config']


def test_parts_stream_as_they_come() -> None:
    thought = block(
        0,
        {'type': 'thinking', 'thinking': '', 'signature': ''},
        {'type': 'thinking_delta', 'thinking': 'h'},
        {'type': 'thinking_delta', 'thinking': 'm'},
        {'type': 'signature_delta', 'signature': 'sig'},
    )
    called = block(
        1,
        use('one'),
        {'type': 'input_json_delta', 'partial_json': '{"x"'},
        {'type': 'input_json_delta', 'partial_json': ': 1}'},
    )

    async def main() -> None:
        with Wire(message_events(thought, called, reason='tool_use'), message_events(text_block('done'))) as wire:
            agent = Agent(anthropic_model(wire))

            @agent.tool_plain
            def one(x: int) -> int:
                return x

            async with agent.run_stream('hi') as result:
                assert await result.get_output() == 'done'
            think, call = result.all_messages()[1].parts
            assert isinstance(think, ThinkingPart)
            assert (think.content, think.signature) == ('hm', 'sig')
            assert isinstance(call, ToolCallPart)
            assert call.args == '{"x": 1}'
            assert result.usage.output_tokens == 10

    asyncio.run(main())


def test_native_calls_stream_and_go_back_to_anthropic_only() -> None:
    searched = block(
        0,
        {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {}},
        {'type': 'input_json_delta', 'partial_json': '{"query": "q"}'},
    )
    found = block(1, {'type': 'web_search_tool_result', 'tool_use_id': 's1', 'content': []})
    mcp_call = block(2, {'type': 'mcp_tool_use', 'id': 's2', 'name': 'echo', 'server_name': 'mine', 'input': {}})

    async def main() -> None:
        with Wire(message_events(searched, found, mcp_call), message(text('done'))) as wire:
            model = anthropic_model(wire)
            request = ModelRequest.user_text_prompt('hi')
            async with model.request_stream([request], None, ModelRequestParameters()) as stream:
                async for _ in stream:
                    pass
                response = stream.get()
            call = response.parts[2]
            assert isinstance(call, NativeToolCallPart)
            assert call.args_as_dict() == {'action': 'call_tool', 'tool_name': 'echo', 'tool_args': {}}
            await model.request([request, response, request], None, ModelRequestParameters())
            kinds = [item['type'] for item in wire.bodies[1]['messages'][1]['content']]
            assert kinds == ['server_tool_use', 'web_search_tool_result']  # the other call has no result

    asyncio.run(main())


def test_links_are_downloaded_where_that_is_asked_for() -> None:
    with Wire(Reply(pieces=[b'some text'], content_type='text/plain')) as file, Wire(message(text('ok'))) as wire:
        content = [
            DocumentUrl(f'{file.url}/a.txt', force_download='allow-local'),
            ImageUrl(f'{file.url}/a.png', force_download='allow-local'),
            ImageUrl('https://example.com/a.png'),
        ]
        Agent(anthropic_model(wire)).run_sync(content)
    document, image, link = wire.bodies[0]['messages'][0]['content']
    assert document['source'] == {'type': 'text', 'media_type': 'text/plain', 'data': 'some text'}
    assert image['source']['type'] == 'base64'
    assert link['source'] == {'type': 'url', 'url': 'https://example.com/a.png'}


def test_tokens_are_counted_before_a_request() -> None:
    with Wire(as_json({'input_tokens': 17})) as wire:
        model = anthropic_model(wire)
        messages = [ModelRequest.user_text_prompt('hi')]
        usage = asyncio.run(model.count_tokens(messages, None, ModelRequestParameters()))
    assert usage.input_tokens == 17
    assert wire.requests[0].path.startswith('/v1/messages/count_tokens')


def test_blocks_that_nobody_knows_yet_are_left_out() -> None:
    with Wire(message({'type': 'smell', 'smell': 1}, text('hello'), reason='bored')) as wire:
        result = Agent(anthropic_model(wire)).run_sync('hi')
    assert result.output == 'hello'
    assert result.response.finish_reason is None
    assert result.response.provider_details == {'finish_reason': 'bored'}


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('anthropic', reason='the SDK anthropic is not installed')
    monkeypatch.delenv('ANTHROPIC_API_KEY', raising=False)
    with pytest.raises(UserError, match='ANTHROPIC_API_KEY'):
        AnthropicProvider()
    monkeypatch.setenv('ANTHROPIC_API_KEY', 'k')
    model = infer_model('anthropic:claude-sonnet-4-5')
    assert isinstance(model, AnthropicModel)
    assert (model.system, model.base_url) == ('anthropic', 'https://api.anthropic.com')
    assert model.client.api_key == 'k'


def test_a_client_is_used_as_it_is() -> None:
    anthropic = pytest.importorskip('anthropic', reason='the SDK anthropic is not installed')
    client = anthropic.AsyncAnthropic(api_key='k')
    assert AnthropicProvider(anthropic_client=client).client is client
    with pytest.raises(UserError, match='`api_key`.*not both'):
        AnthropicProvider(anthropic_client=client, api_key='k')


@pytest.mark.parametrize(
    ('name', 'settings', 'match'),
    [
        ('claude-opus-4-8', {'anthropic_thinking': {'type': 'enabled', 'budget_tokens': 2000}}, 'adaptive'),
        ('claude-opus-4-5', {'anthropic_task_budget': {'type': 'tokens', 'total': 20000}}, 'anthropic_task_budget'),
    ],
)
def test_settings_that_the_model_would_refuse(name: str, settings: dict[str, Any], match: str) -> None:
    with Wire() as wire:
        with pytest.raises(UserError, match=match):
            Agent(anthropic_model(wire, name), model_settings=settings).run_sync('hi')  # type: ignore[arg-type]
    assert wire.requests == []


@pytest.mark.parametrize(
    ('name', 'settings', 'field'),
    [
        ('claude-opus-4-8', {'temperature': 0.1, 'extra_body': {'top_k': 3, 'mine': 1}}, 'top_k'),
        ('claude-opus-4-5', {'anthropic_speed': 'fast'}, 'speed'),
    ],
)
def test_settings_that_are_left_out_with_a_warning(name: str, settings: dict[str, Any], field: str) -> None:
    with Wire(message(text('hello'))) as wire:
        with pytest.warns(UserWarning, match=name):
            Agent(anthropic_model(wire, name), model_settings=settings).run_sync('hi')  # type: ignore[arg-type]
    assert not wire.bodies[0].keys() & {field, 'temperature'}
    assert wire.bodies[0].get('mine') == settings.get('extra_body', {}).get('mine')


def test_native_output_cannot_be_loose() -> None:
    with Wire() as wire:
        with pytest.raises(UserError, match='strict'):
            Agent(anthropic_model(wire), output_type=NativeOutput(City, strict=False)).run_sync('hi')


def test_cache_points_after_the_last_tool_that_is_sent_at_once() -> None:
    with Wire(message(text('hello'))) as wire:
        agent = Agent(
            anthropic_model(wire, 'claude-opus-4-8'), model_settings={'anthropic_cache_tool_definitions': True}
        )  # type: ignore[typeddict-unknown-key]
        agent.tool_plain(lambda: 1, name='near')
        agent.tool_plain(lambda: 2, name='far', defer_loading=True)
        agent.run_sync('hi')
    assert [tool['name'] for tool in wire.bodies[0]['tools'] if 'cache_control' in tool] == ['near']


def test_tokens_are_counted_before_the_request() -> None:
    limits = UsageLimits(input_tokens_limit=10, count_tokens_before_request=True)
    with Wire(as_json({'input_tokens': 42})) as wire:
        with pytest.raises(UsageLimitExceeded):
            Agent(anthropic_model(wire), model_settings={'anthropic_betas': ['mine']}).run_sync(
                'hi', usage_limits=limits
            )  # type: ignore[typeddict-unknown-key]
    assert [request.path.partition('?')[0] for request in wire.requests] == ['/v1/messages/count_tokens']
    assert wire.requests[0].headers['anthropic-beta'] == 'mine,token-counting-2024-11-01'
