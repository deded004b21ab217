"""An answer arrives whole: in messages, in pieces, and with what it cites; and what is asked for is asked in a form that vendors take."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from _anthropic_bodies import message_body, text
from _chat_bodies import completion_body
from _wire import Reply, Wire, as_json, as_sse
from pydantic import BaseModel, Field

from stead import Agent, Tool, UnexpectedModelBehavior
from stead.messages import ModelResponse, NativeToolReturnPart, TextPart, ThinkingPart
from stead.models.anthropic import AnthropicModel
from stead.models.openai import OpenAIChatModel
from stead.providers.anthropic import AnthropicProvider
from stead.providers.openai import OpenAIProvider


def claude(wire: Wire, **options: Any) -> AnthropicModel:
    return AnthropicModel('claude-sonnet-4-5', provider=AnthropicProvider(api_key='k', base_url=wire.url), **options)


def gpt(wire: Wire, **options: Any) -> OpenAIChatModel:
    return OpenAIChatModel('gpt-4o', provider=OpenAIProvider(api_key='k', base_url=wire.url), **options)


CALL = {'type': 'mcp_tool_use', 'id': 'c1', 'server_name': 'shop', 'name': 'find', 'input': {'q': 1}}
RESULT = {'type': 'mcp_tool_result', 'tool_use_id': 'c1', 'is_error': False, 'content': []}


def streamed(content: list[Any], stop: str) -> Reply:
    start = message_body([], None, stop_sequence=None)
    events: list[Any] = [{'type': 'message_start', 'message': start}]
    for index, block in enumerate(content):
        events.append({'type': 'content_block_start', 'index': index, 'content_block': block})
        events.append({'type': 'content_block_stop', 'index': index})
    events.append({'type': 'message_delta', 'delta': {'stop_reason': stop}, 'usage': {'output_tokens': 3}})
    return as_sse([*events, {'type': 'message_stop'}], done=False, named=True)


def whole(content: list[Any], stop: str) -> Reply:
    return as_json(message_body(content, stop))


async def answer(agent: Agent[None, Any], stream: bool) -> ModelResponse:
    if not stream:
        return (await agent.run('x')).response
    async with agent.run_stream('x') as result:
        await result.get_output()
    return result.response


@pytest.mark.parametrize('reply, stream', [(whole, False), (streamed, True)])
def test_a_paused_turn_is_continued_within_the_request(reply: Any, stream: bool) -> None:
    replies = [
        reply([text('one'), CALL], 'pause_turn'),
        reply([RESULT, text('two')], 'pause_turn'),
        reply([text('end')], 'end_turn'),
    ]
    with Wire(*replies) as wire:
        response = asyncio.run(answer(Agent(claude(wire)), stream))
        assert [part.content for part in response.parts if isinstance(part, TextPart)] == ['one', 'two', 'end']
        results = [part for part in response.parts if isinstance(part, NativeToolReturnPart)]
        assert [part.tool_name for part in results] == ['mcp_server:shop']
        assert response.finish_reason == 'stop'
        assert response.provider_details is not None
        assert response.provider_details['finish_reason'] == 'end_turn'
        once = message_body()['usage']
        assert response.usage.input_tokens % 3 == 0 and response.usage.input_tokens >= 3 * once['input_tokens']
        sent = [[block['type'] for block in r.body['messages'][-1]['content']] for r in wire.requests]
    assert sent == [['text'], ['text', 'mcp_tool_use'], ['text', 'mcp_tool_use', 'mcp_tool_result', 'text']]


@pytest.mark.parametrize('reply, stream', [(whole, False), (streamed, True)])
def test_a_turn_that_never_ends_is_an_error(reply: Any, stream: bool) -> None:
    with Wire(reply([text('x')], 'pause_turn')) as wire:
        with pytest.raises(UnexpectedModelBehavior, match='paused its turn'):
            asyncio.run(answer(Agent(claude(wire)), stream))
        assert len(wire.requests) == 101


def test_a_failure_in_the_rest_of_a_turn_keeps_what_came_before() -> None:
    with Wire(streamed([text('one')], 'pause_turn'), as_json({'error': {'message': 'down'}}, 500)) as wire:
        with pytest.raises(Exception, match='500') as caught:
            asyncio.run(answer(Agent(claude(wire)), True))
    last = caught.value.messages[-1]  # type: ignore[attr-defined]
    assert (last.parts, last.state) == ([TextPart('one')], 'interrupted')


def chunk(delta: Any, finish: str | None = None) -> Any:
    choice = {'index': 0, 'delta': delta, 'finish_reason': finish}
    return {'id': 'c', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm', 'choices': [choice]}


@pytest.mark.parametrize(
    'pieces, expected',
    [
        (['a\ud83d', '\udc69b'], 'a👩b'),
        (['\ud83d', '\udc69'], '👩'),
        (['a\ud83d', 'b'], 'a\ufffdb'),
        (['a', '\udc69b'], 'a\ufffdb'),
        (['a', 'b\ud83d'], 'ab\ufffd'),
    ],
)
@pytest.mark.parametrize('field', ['content', 'reasoning_content'])
def test_a_character_that_is_cut_in_two_arrives_whole(pieces: list[str], expected: str, field: str) -> None:
    chunks = [*(chunk({field: piece}) for piece in pieces)]
    if field != 'content':
        chunks.append(chunk({'content': 'x'}))
    with Wire(as_sse([*chunks, chunk({}, 'stop')])) as wire:
        part = asyncio.run(answer(Agent(gpt(wire)), True)).parts[0]
    assert isinstance(part, (TextPart, ThinkingPart))
    assert part.content == expected


def test_a_character_in_arguments_that_is_cut_in_two_arrives_whole() -> None:
    seen: list[str] = []

    def note(word: str) -> str:
        seen.append(word)
        return 'ok'

    pieces = ['{"word": "\ud83d', '\udc69"}']
    calls = [
        {'index': 0, 'id': 'c1', 'type': 'function', 'function': {'name': 'note', 'arguments': pieces[0]}},
        {'index': 0, 'function': {'arguments': pieces[1]}},
    ]
    first = as_sse([*(chunk({'tool_calls': [call]}) for call in calls), chunk({}, 'tool_calls')])
    with Wire(first, as_sse([chunk({'content': 'end'}), chunk({}, 'stop')])) as wire:
        asyncio.run(answer(Agent(gpt(wire), tools=[note]), True))
    assert seen == ['👩']


CITED = [{'type': 'url_citation', 'url_citation': {'url': 'https://a.example', 'title': 'A'}}]


@pytest.mark.parametrize('stream', [False, True])
def test_what_a_text_cites_is_kept(stream: bool) -> None:
    reply = as_json(completion_body({'role': 'assistant', 'content': 'hi', 'annotations': CITED}))
    if stream:
        reply = as_sse([chunk({'content': 'hi'}), chunk({'annotations': CITED}), chunk({}, 'stop')])
    with Wire(reply) as wire:
        response = asyncio.run(answer(Agent(gpt(wire)), stream))
    assert response.provider_details is not None
    assert response.provider_details['annotations'] == CITED


class Grade(BaseModel):
    number: int = Field(ge=1, le=9)


def test_native_output_by_the_profile_has_the_schema_that_the_api_takes() -> None:
    with Wire(whole([text('{"number": 3}')], 'end_turn')) as wire:
        profile = replace(claude(wire).profile, default_structured_output_mode='native')
        agent = Agent(claude(wire, profile=profile), output_type=Grade)
        assert asyncio.run(agent.run('x')).output == Grade(number=3)
        schema = wire.requests[0].body['output_config']['format']['schema']
    assert schema['additionalProperties'] is False
    assert 'minimum' not in schema['properties']['number']


@pytest.mark.parametrize(
    'schema',
    [
        {},
        {'type': 'object', 'properties': {'any': {}}, 'required': ['any']},
        {'type': 'object', 'properties': {'any': {'description': 'd'}}, 'required': ['any']},
        {'type': 'object', 'properties': {'all': {'type': 'array', 'items': {}}}, 'required': ['all']},
    ],
)
def test_a_schema_that_takes_anything_is_not_strict(schema: Any) -> None:
    with Wire(as_json(completion_body())) as wire:
        tool = Tool.from_schema(lambda **fields: 'x', 't', 'd', schema)
        asyncio.run(Agent(gpt(wire), tools=[tool]).run('x'))
        function = wire.requests[0].body['tools'][0]['function']
    assert not function.get('strict')
    assert function['parameters']['type'] == 'object'
