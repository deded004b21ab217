"""An agent on OpenAI's chat completions, through the SDK and a socket."""

from __future__ import annotations

import asyncio
import json

import pytest
from _wire import Wire, as_sse
from kit import call, chat_model, chunk, chunks, completion
from kit_outputs import City

from stead import Agent, BinaryContent, NativeOutput, PromptedOutput, RunContext, UserError
from stead.messages import AudioUrl, DocumentUrl, ImageUrl, ThinkingPart, ToolCallPart


def test_a_tool_is_called_and_its_result_sent_back() -> None:
    with Wire(completion(call('double', '{"x": 4}'), 'tool_calls'), completion()) as wire:
        agent = Agent(chat_model(wire), instructions='Be brief.')

        @agent.tool
        def double(ctx: RunContext[None], x: int) -> int:
            """Double a number."""
            return 2 * x

        result = agent.run_sync('Double 4')
    assert result.output == 'hello'
    first, second = wire.bodies
    assert first['messages'] == [
        {'role': 'system', 'content': 'Be brief.'},
        {'role': 'user', 'content': 'Double 4'},
    ]
    assert first['tools'][0]['function']['strict'] is True
    assert second['messages'][2]['tool_calls'][0]['function'] == {'name': 'double', 'arguments': '{"x": 4}'}
    assert second['messages'][3] == {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}
    assert result.usage.requests == 2
    assert result.usage.input_tokens == 20


def test_broken_arguments_are_sent_back_with_what_is_wrong() -> None:
    with Wire(completion(call('double', '{"x": '), 'tool_calls'), completion()) as wire:
        agent = Agent(chat_model(wire))

        @agent.tool_plain
        def double(x: int) -> int:
            return 2 * x

        assert agent.run_sync('Double').output == 'hello'
    retry = wire.bodies[1]['messages'][-1]
    assert retry['role'] == 'tool'
    assert 'Fix the errors and try again.' in retry['content']


def test_tool_output_is_validated() -> None:
    with Wire(completion(call('final_result', '{"name": "Bonn", "people": 330000}'), 'tool_calls')) as wire:
        result = Agent(chat_model(wire), output_type=City).run_sync('Bonn?')
    assert result.output == City(name='Bonn', people=330_000)
    assert wire.bodies[0]['tool_choice'] == 'required'


def test_native_output_is_asked_for_by_schema() -> None:
    with Wire(completion({'role': 'assistant', 'content': '{"name": "Bonn", "people": 330000}'})) as wire:
        result = Agent(chat_model(wire), output_type=NativeOutput(City)).run_sync('Bonn?')
    assert result.output.name == 'Bonn'
    response_format = wire.bodies[0]['response_format']
    assert response_format['json_schema']['strict'] is True
    assert response_format['json_schema']['name'] == 'City'


def test_prompted_output_is_asked_for_in_words() -> None:
    with Wire(completion({'role': 'assistant', 'content': '{"name": "Bonn", "people": 330000}'})) as wire:
        result = Agent(chat_model(wire), output_type=PromptedOutput(City)).run_sync('Bonn?')
    assert result.output.people == 330_000
    body = wire.bodies[0]
    assert body['response_format'] == {'type': 'json_object'}
    assert '"people"' in body['messages'][0]['content']


def test_text_streams_as_it_comes() -> None:
    async def main() -> list[str]:
        with Wire(chunks({'role': 'assistant', 'content': ''}, {'content': 'he'}, {'content': 'llo'})) as wire:
            async with Agent(chat_model(wire)).run_stream('hi') as result:
                return [text async for text in result.stream_text(delta=True, debounce_by=None)]

    assert asyncio.run(main()) == ['he', 'llo']


def test_thinking_and_calls_stream_and_thinking_goes_back_in_its_field() -> None:
    first = as_sse(
        [
            chunk({'reasoning_content': 'let me '}),
            chunk({'reasoning_content': 'see'}),
            chunk({'tool_calls': [{'index': 0, 'id': 'a', 'function': {'name': 'one', 'arguments': ''}}]}),
            chunk({'tool_calls': [{'index': 0, 'function': {'arguments': '{}'}}]}),
            chunk({'tool_calls': [{'index': 1, 'id': 'b', 'function': {'name': 'two', 'arguments': '{}'}}]}),
            chunk({}, 'tool_calls'),
        ]
    )

    async def main() -> tuple[list[object], object]:
        with Wire(first, chunks({'content': 'done'})) as wire:
            agent = Agent(chat_model(wire))
            agent.tool_plain(lambda: 1, name='one')
            agent.tool_plain(lambda: 2, name='two')
            async with agent.run_stream('hi') as result:
                assert await result.get_output() == 'done'
                return list(result.all_messages()[1].parts), wire.bodies[1]['messages'][1]

    parts, sent = asyncio.run(main())
    assert [type(part) for part in parts] == [ThinkingPart, ToolCallPart, ToolCallPart]
    assert isinstance(sent, dict)
    assert sent['reasoning_content'] == 'let me see'
    assert [item['id'] for item in sent['tool_calls']] == ['a', 'b']


def test_calls_that_a_server_numbers_alike_stay_apart() -> None:
    both = [
        {'tool_calls': [{'index': 0, 'id': name, 'function': {'name': 'one', 'arguments': json.dumps({'x': name})}}]}
        for name in ('a', 'b')
    ]

    async def main() -> list[object]:
        with Wire(chunks(*both, reason='tool_calls')) as wire:
            from stead.models import ModelRequestParameters

            model = chat_model(wire)
            async with model.request_stream([], None, ModelRequestParameters()) as stream:
                async for _ in stream:
                    pass
                return [(part.tool_name, part.args) for part in stream.get().parts]

    assert asyncio.run(main()) == [('one', '{"x": "a"}'), ('one', '{"x": "b"}')]


def test_links_that_the_model_does_not_read_are_downloaded() -> None:
    file = Wire()
    from _wire import Reply

    file.expect(Reply(pieces=[b'RIFF'], content_type='audio/wav'))
    with file, Wire(completion()) as wire:
        content = [
            'listen, look and read',
            AudioUrl(f'{file.url}/a.wav', force_download='allow-local'),
            ImageUrl(f'{file.url}/i.png', force_download='allow-local', media_type='image/png'),
            DocumentUrl(f'{file.url}/t.txt', force_download='allow-local'),
            DocumentUrl(f'{file.url}/d.pdf', force_download='allow-local'),
            ImageUrl('https://example.com/i.png'),
        ]
        Agent(chat_model(wire)).run_sync(content)
    _, audio, image, text, document, link = wire.bodies[0]['messages'][0]['content']
    assert audio == {'type': 'input_audio', 'input_audio': {'data': 'UklGRg==', 'format': 'wav'}}
    assert image['image_url']['url'] == 'data:image/png;base64,UklGRg=='
    assert 'RIFF' in text['text']
    assert document['file'] == {
        'file_data': 'data:audio/wav;base64,UklGRg==',
        'filename': 'filename.pdf',
    }  # as the server says
    assert link['image_url']['url'] == 'https://example.com/i.png'


def test_content_that_chat_completions_do_not_take_says_so() -> None:
    with Wire(completion()) as wire:
        agent = Agent(chat_model(wire))
        with pytest.raises(UserError, match='audio as wav and mp3'):
            agent.run_sync([BinaryContent(b'', media_type='audio/ogg')])
        with pytest.raises(UserError, match='take no videos|video/mp4'):
            agent.run_sync([BinaryContent(b'', media_type='video/mp4')])
    assert wire.requests == []


def test_usage_that_grows_with_each_chunk_is_not_added_up() -> None:
    async def main() -> int:
        pieces = [chunk({'content': 'a'}, usage={'prompt_tokens': 7, 'completion_tokens': n}) for n in (1, 2)]
        with Wire(as_sse([*pieces, chunk({}, 'stop')])) as wire:
            async with Agent(chat_model(wire)).run_stream('hi') as result:
                await result.get_output()
                return result.usage.input_tokens

    assert asyncio.run(main()) == 7


def test_probabilities_of_a_stream_are_kept_for_all_of_it() -> None:
    def with_probability(token: str) -> dict[str, object]:
        with_logprobs = chunk({'content': token})
        with_logprobs['choices'][0]['logprobs'] = {'content': [{'token': token, 'logprob': -1.0}]}
        return with_logprobs

    async def main() -> object:
        with Wire(as_sse([with_probability('a'), with_probability('b'), chunk({}, 'stop')])) as wire:
            async with Agent(chat_model(wire)).run_stream('hi') as result:
                await result.get_output()
                return (result.all_messages()[-1].provider_details or {})['logprobs']

    assert [item['token'] for item in asyncio.run(main())] == ['a', 'b']


def test_a_refusal_is_no_answer() -> None:
    from stead.exceptions import ContentFilterError

    refusal = {'role': 'assistant', 'content': None, 'refusal': 'I will not'}
    with Wire(completion(refusal)) as wire, pytest.raises(ContentFilterError):
        Agent(chat_model(wire)).run_sync('hi')


def test_headers_and_timeouts_of_settings_are_sent() -> None:
    with Wire(completion()) as wire:
        settings = {'extra_headers': {'x-team': 'blue'}, 'extra_body': {'seed_of_ours': 1}, 'timeout': 5}
        Agent(chat_model(wire), model_settings=settings).run_sync('hi')
    assert wire.requests[0].headers['x-team'] == 'blue'
    assert wire.requests[0].headers['user-agent'].startswith('stead/')
    assert wire.bodies[0]['seed_of_ours'] == 1
