"""An agent on Bedrock, through boto3 and a socket."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from _wire import Reply, Wire, as_json
from kit_outputs import City

pytest.importorskip('boto3', reason='the SDK boto3 is not installed')

import boto3
from _bedrock_bodies import (
    CLAUDE,
    COUNTED,
    NOVA,
    START,
    answer,
    as_frames,
    calling,
    delta,
    end,
    error,
    frame,
    sealed,
    stream,
    text,
    texts,
    thinking,
    thought,
    tool_use,
)
from kit_bedrock import KEY, bedrock_model

from stead import Agent, NativeOutput, PromptedOutput, ToolOutput, UserError
from stead.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from stead.messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ModelRequest,
    TextPart,
    ThinkingPart,
    UploadedFile,
)
from stead.models import ModelRequestParameters, infer_model
from stead.models.bedrock import BedrockConverseModel
from stead.models.fallback import FallbackModel
from stead.models.test import TestModel
from stead.providers import infer_provider
from stead.providers.bedrock import BEDROCK_GEO_PREFIXES, BedrockProvider
from tests.waiting import settles, until

HELLO = [ModelRequest.user_text_prompt('hi')]
LLAMA = 'us.meta.llama3-3-70b-instruct-v1:0'


async def streamed(model: Any, settings: Any = None) -> Any:
    async with model.request_stream(HELLO, settings, ModelRequestParameters()) as response:
        async for _ in response:
            pass
        return response.get()


@pytest.mark.parametrize('name', [CLAUDE, NOVA, LLAMA])
def test_a_tool_is_called_and_its_result_sent_back(name: str) -> None:
    calling = answer(text('Well.'), tool_use('double', {'x': 4}, 'call-1'), reason='tool_use')
    with Wire(calling, answer(text('8'))) as wire:
        agent = Agent(bedrock_model(wire, name), instructions='Be brief.')

        @agent.tool_plain
        def double(x: int) -> int:
            """Double a number."""
            return 2 * x

        result = agent.run_sync('Double 4')
    assert result.output == '8'
    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)
    first, second = wire.bodies
    assert first['system'] == [{'text': 'Be brief.'}]
    assert first['toolConfig']['tools'][0]['toolSpec']['name'] == 'double'
    called, returned = second['messages'][1:]
    assert called['content'][1] == tool_use('double', {'x': 4}, 'call-1')
    assert returned['content'] == [
        {'toolResult': {'toolUseId': 'call-1', 'content': [{'text': '8'}], 'status': 'success'}}
    ]


def test_output_by_tool_by_schema_and_by_prompt() -> None:
    bonn = {'name': 'Bonn', 'people': 330_000}
    with Wire(answer(tool_use('final_result', bonn), reason='tool_use')) as wire:
        assert Agent(bedrock_model(wire), output_type=City).run_sync('Bonn?').output.people == 330_000
    assert wire.bodies[0]['toolConfig']['toolChoice'] == {'any': {}}
    with Wire(answer(text('{"name": "Bonn", "people": 330000}'))) as wire:
        model = bedrock_model(wire)
        assert Agent(model, output_type=NativeOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
        assert Agent(model, output_type=PromptedOutput(City)).run_sync('Bonn?').output.name == 'Bonn'
    form = wire.bodies[0]['outputConfig']['textFormat']
    assert (form['type'], form['structure']['jsonSchema']['name']) == ('json_schema', 'City')
    assert 'outputConfig' not in wire.bodies[1]


def test_a_model_that_thinks_gives_its_output_in_another_way() -> None:
    with Wire(answer(text('{"name": "Bonn", "people": 330000}'))) as wire:
        model = bedrock_model(wire, settings={'thinking': 'low'})
        assert Agent(model, output_type=City).run_sync('Bonn?').output.name == 'Bonn'
        with pytest.raises(UserError, match=r'`output_type=NativeOutput\(...\)`, or turn thinking off'):
            Agent(model, output_type=ToolOutput(City)).run_sync('Bonn?')
    (body,) = wire.bodies
    assert body['additionalModelRequestFields'] == {'thinking': {'type': 'enabled', 'budget_tokens': 2048}}
    assert 'outputConfig' in body


def test_thoughts_go_back_as_they_came() -> None:
    with Wire(answer(thought('hm', 'sig'), sealed('aGk='), sealed('//8='), text('hello'))) as wire:
        agent = Agent(bedrock_model(wire))
        first = agent.run_sync('hi')
        assert first.response.parts == [
            ThinkingPart('hm', signature='sig', provider_name='bedrock'),
            ThinkingPart('', id='redacted_content', signature='hi', provider_name='bedrock'),
            ThinkingPart('', id='redacted_content', signature='data:;base64,//8=', provider_name='bedrock'),
            TextPart('hello'),
        ]
        agent.run_sync('more', message_history=first.all_messages())
    assert wire.bodies[1]['messages'][1]['content'] == [
        thought('hm', 'sig'),
        sealed('aGk='),
        sealed('//8='),
        text('hello'),
    ]


def test_thinking_text_and_calls_stream_as_they_come() -> None:
    events = stream(
        *thinking('h', 'm', signature='sig'),
        *texts('we', 'll', place=1),
        *calling('one', '{"x"', ': 1}', place=2),
        *calling('two', call_id='i2', place=3),
        reason='tool_use',
    )
    with Wire(events) as wire:
        response = asyncio.run(streamed(bedrock_model(wire)))
    think, words, one, two = response.parts
    assert (think.content, think.signature, words.content) == ('hm', 'sig', 'well')
    assert (one.tool_name, one.args, one.tool_call_id) == ('one', '{"x": 1}', 'i1')
    assert (two.tool_name, two.args_as_dict(), two.tool_call_id) == ('two', {}, 'i2')
    assert (response.model_name, response.provider_response_id) == (CLAUDE, 'req-1')
    assert (response.finish_reason, response.usage.output_tokens) == ('tool_call', 5)
    assert wire.requests[0].path.endswith('/converse-stream')


def test_the_first_piece_of_a_stream_is_there_before_the_last() -> None:
    seen: list[str] = []

    async def main() -> None:
        with Wire(as_frames([START, *texts('hel')[:1], 60.0, *texts('lo'), end(), COUNTED])) as wire:
            model = bedrock_model(wire)
            async with model.request_stream(HELLO, None, ModelRequestParameters()) as response:
                async for _ in response:
                    seen.append(response.get().text)
                    break
                await response.cancel()
            assert response.get().state == 'interrupted'

    asyncio.run(asyncio.wait_for(main(), 30))
    assert seen == ['hel']


@pytest.mark.parametrize('when', ['cancelled', 'left', 'timed out'])
def test_a_stream_that_is_not_read_to_its_end_leaves_no_thread(when: str) -> None:
    async def leave(model: Any) -> None:
        settings: Any = {'timeout': 0.2} if when == 'timed out' else None
        async with model.request_stream(HELLO, settings, ModelRequestParameters()) as response:
            async for _ in response:
                if when == 'left':
                    return
                if when == 'cancelled':
                    await response.cancel()

    def busy() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name.startswith('AnyIO') and thread not in before]

    before = threading.enumerate()
    began = time.monotonic()
    with Wire(as_frames([START, *texts('hel')[:1], 60.0, *texts('lo'), end(), COUNTED])) as wire:
        model = bedrock_model(wire)
        if when == 'timed out':
            with pytest.raises(ModelAPIError, match=r'did not answer within 0.2 s, the setting `timeout`'):
                asyncio.run(leave(model))
        else:
            asyncio.run(leave(model))
        assert settles(lambda: not busy())
    assert time.monotonic() - began < 40


def test_a_request_that_is_cancelled_is_not_waited_for() -> None:
    async def main() -> None:
        task = asyncio.ensure_future(model.request(HELLO, None, ModelRequestParameters()))
        await until(lambda: wire.requests)
        task.cancel()
        await asyncio.wait([task], timeout=30)
        assert task.cancelled()

    with Wire(Reply(pieces=[60.0, *answer(text('late')).pieces])) as wire:
        model = bedrock_model(wire)
        asyncio.run(main())


@pytest.mark.parametrize('way', ['no threads', 'one thread'])
def test_threads_are_those_of_the_caller(way: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from stead._kit.aio import disable_threads, using_thread_executor

    with Wire(stream(*texts('hel', 'lo'))) as wire, ThreadPoolExecutor(1) as executor:
        model = bedrock_model(wire)
        with disable_threads() if way == 'no threads' else using_thread_executor(executor):
            assert asyncio.run(streamed(model)).text == 'hello'
            wire.expect(answer(text('hello')))
            assert Agent(model).run_sync('hi').output == 'hello'
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    with Wire(stream(*texts('hello'))) as wire, using_thread_executor(closed):
        with pytest.raises(RuntimeError, match='after shutdown'):
            asyncio.run(asyncio.wait_for(streamed(bedrock_model(wire)), 20))


def test_runs_share_connections_and_headers_are_of_one_run() -> None:
    async def main() -> None:
        settings: list[Any] = [{'extra_headers': {'x-run': str(number)}} for number in range(8)]
        await asyncio.gather(*(agent.run('hi', model_settings=each) for each in settings))
        await agent.run('hi')

    with Wire(answer(text('hello'))) as wire:
        agent = Agent(bedrock_model(wire))
        for _ in range(3):
            agent.run_sync('hi')
        assert wire.connections == 1
        asyncio.run(main())
    sent = [request.headers.get('x-run') for request in wire.requests]
    assert sorted(filter(None, sent)) == [str(number) for number in range(8)]
    assert sent[:3] == [None] * 3
    assert sent[-1] is None


def test_streams_share_connections() -> None:
    with Wire(stream(*texts('hello'))) as wire:
        model = bedrock_model(wire)
        for _ in range(3):
            assert asyncio.run(streamed(model)).text == 'hello'
        assert wire.connections == 1


@pytest.mark.parametrize(
    ('kind', 'status'),
    [
        ('validationException', 400),
        ('modelStreamErrorException', 424),
        ('throttlingException', 429),
        ('internalServerException', 500),
        ('serviceUnavailableException', 503),
    ],
)
def test_an_error_in_the_middle_of_a_stream_has_its_status(kind: str, status: int) -> None:
    failed = frame(kind, {'message': 'not now'}, message='exception')
    with Wire(as_frames([START, *texts('a'), failed])) as wire, pytest.raises(ModelHTTPError) as caught:
        asyncio.run(streamed(bedrock_model(wire)))
    assert caught.value.status_code == status
    assert 'not now' in str(caught.value.body)


def test_an_error_falls_back_to_the_next_model() -> None:
    with Wire(error('ThrottlingException', 429)) as wire:
        model = FallbackModel(bedrock_model(wire), TestModel(custom_output_text='from another'))
        assert Agent(model).run_sync('hi').output == 'from another'


def test_what_boto3_refuses_to_send_is_a_user_error() -> None:
    with Wire(answer(text('hello'))) as wire:
        with pytest.raises(UserError, match='cannot be sent: .*temperature'):
            Agent(bedrock_model(wire)).run_sync('hi', model_settings={'temperature': 'much'})  # type: ignore[typeddict-item]
        assert not wire.requests


def test_fields_of_the_body_that_cannot_be_sent_are_named() -> None:
    with Wire(answer(text('a'))) as wire, pytest.warns(UserWarning, match='bedrock_additional_model_requests_fields'):
        Agent(bedrock_model(wire)).run_sync('hi', model_settings={'extra_body': {'smell': 1}})


@pytest.mark.parametrize('whole', [True, False], ids=['request', 'stream'])
def test_what_a_guardrail_found_is_in_the_details(whole: bool) -> None:
    trace = {'guardrail': {'modelOutput': ['secret']}}
    guardrail: Any = {
        'bedrock_guardrail_config': {
            'guardrailIdentifier': 'g',
            'guardrailVersion': '1',
            'trace': 'enabled',
            'streamProcessingMode': 'sync',
        }
    }
    last = ('metadata', {**COUNTED[1], 'trace': trace})
    refused = answer(text('Sorry.'), reason='guardrail_intervened', trace=trace)
    with Wire(refused if whole else as_frames([START, *texts('Sorry.'), end('guardrail_intervened'), last])) as wire:
        model = bedrock_model(wire)
        request = model.request(HELLO, guardrail, ModelRequestParameters()) if whole else streamed(model, guardrail)
        response = asyncio.run(request)
    assert response.finish_reason == 'content_filter'
    assert response.provider_details == {'finish_reason': 'guardrail_intervened', 'trace': trace}
    assert ('streamProcessingMode' in wire.bodies[0]['guardrailConfig']) == (not whole)


def test_cache_points_stand_where_the_api_takes_them() -> None:
    settings: Any = {
        'bedrock_cache_instructions': '1h',
        'bedrock_cache_tool_definitions': True,
        'bedrock_cache_messages': True,
    }
    with Wire(answer(text('hello'))) as wire:
        agent = Agent(bedrock_model(wire), instructions='Be brief.', model_settings=settings)
        agent.tool_plain(lambda: 1, name='one')

        @agent.instructions
        def today() -> str:
            return 'It is Monday.'

        agent.run_sync(['look', CachePoint(), BinaryContent(b'%PDF', media_type='application/pdf')])
        with pytest.raises(UserError, match='cannot come first'):
            agent.run_sync([CachePoint(), 'look'])
        with pytest.raises(UserError, match='documents and videos alone'):
            agent.run_sync([BinaryContent(b'%PDF', media_type='application/pdf'), CachePoint()])
    (body,) = wire.bodies
    assert body['system'] == [
        {'text': 'Be brief.'},
        {'cachePoint': {'type': 'default', 'ttl': '1h'}},
        {'text': 'It is Monday.'},
    ]
    assert body['toolConfig']['tools'][-1] == {'cachePoint': {'type': 'default'}}
    assert [next(iter(block)) for block in body['messages'][0]['content']] == ['text', 'cachePoint', 'document']


def test_files_are_downloaded_or_read_from_s3() -> None:
    with Wire(Reply(pieces=[b'a,b'], content_type='text/csv')) as file, Wire(answer(text('ok'))) as wire:
        agent = Agent(bedrock_model(wire))
        agent.run_sync(
            [
                DocumentUrl(f'{file.url}/a.csv', force_download='allow-local'),
                DocumentUrl('s3://bucket/b.pdf?bucketOwner=123456789012'),
                UploadedFile('s3://bucket/c.png', provider_name='bedrock', media_type='image/png'),
                BinaryContent(b'{}', media_type='application/json'),
            ]
        )
        for refused, why in (
            (BinaryContent(b'w', media_type='audio/wav'), "files of type 'audio/wav'"),
            (UploadedFile('f1', provider_name='bedrock', media_type='image/png'), 'from S3'),
            (UploadedFile('s3://b/k.png', provider_name='openai'), "uploaded to 'openai'"),
        ):
            with pytest.raises(UserError, match=why):
                agent.run_sync(['look', refused])
    note, first, second, third, fourth = wire.bodies[0]['messages'][0]['content']
    assert note == {'text': 'See attached document(s).'}
    assert first == {'document': {'name': 'Document 1', 'format': 'csv', 'source': {'bytes': 'YSxi'}}}
    assert second['document']['source']['s3Location'] == {'uri': 's3://bucket/b.pdf', 'bucketOwner': '123456789012'}
    assert third == {'image': {'format': 'png', 'source': {'s3Location': {'uri': 's3://bucket/c.png'}}}}
    assert (fourth['document']['name'], fourth['document']['format']) == ('Document 3', 'txt')


def test_tokens_are_counted_with_the_tools() -> None:
    async def main() -> int:
        params = ModelRequestParameters(function_tools=[tool])
        usage = await bedrock_model(wire).count_tokens(HELLO, {'bedrock_inference_profile': 'p1'}, params)
        return usage.input_tokens

    from stead.tools import ToolDefinition

    tool = ToolDefinition(name='one', parameters_json_schema={'type': 'object', 'properties': {}})
    with Wire(as_json({'inputTokens': 42})) as wire:
        assert asyncio.run(main()) == 42
    sent = wire.requests[0]
    assert sent.path == '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens'
    assert sent.body['input']['converse']['messages'] == [{'role': 'user', 'content': [{'text': 'hi'}]}]
    known = boto3.client('bedrock-runtime', region_name='us-east-1').meta.service_model
    expected = 'toolConfig' in known.shape_for('ConverseTokensRequest').members
    assert ('toolConfig' in sent.body['input']['converse']) == expected


class Substitute:
    """A client that is not of boto3, as tests of applications have it."""

    def __init__(self, events: Any = ()) -> None:
        self.events = events

    def converse(self, **arguments: Any) -> Any:
        return {'output': {'message': {'content': [{'text': arguments['modelId']}]}}, 'stopReason': 'end_turn'}

    def converse_stream(self, **arguments: Any) -> Any:
        return {'stream': iter(self.events)}

    class meta:
        endpoint_url = 'https://example.com'


def test_a_substitute_for_the_client_is_enough() -> None:
    events = [dict([event]) for event in (START, delta({'text': 'hello'}), end(), COUNTED)]
    model = BedrockConverseModel('foo', provider=BedrockProvider(bedrock_client=Substitute(events)))
    assert Agent(model).run_sync('hi').output == 'foo'
    assert asyncio.run(streamed(model)).text == 'hello'
    unfinished = BedrockConverseModel('foo', provider=BedrockProvider(bedrock_client=Substitute(events[:2])))
    with pytest.raises(ModelAPIError, match='before the response was complete'):
        asyncio.run(streamed(unfinished))
    nothing = BedrockConverseModel('foo', provider=BedrockProvider(bedrock_client=Substitute()))
    with pytest.raises(UnexpectedModelBehavior, match='the stream ended'):
        asyncio.run(streamed(nothing))


CREDENTIALS: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
    'a key': ({'aws_access_key_id': 'AK', 'aws_secret_access_key': 'S'}, {}, 'Credential=AK/'),
    'a key of the environment': ({}, {'AWS_ACCESS_KEY_ID': 'EK', 'AWS_SECRET_ACCESS_KEY': 'S'}, 'Credential=EK/'),
    'an api key': ({'api_key': 'token'}, {}, 'Bearer token'),
    'an api key before others': (
        {'api_key': 'token'},
        {'AWS_BEARER_TOKEN_BEDROCK': 'other', 'AWS_ACCESS_KEY_ID': 'EK', 'AWS_SECRET_ACCESS_KEY': 'S'},
        'Bearer token',
    ),
    'a profile': ({'profile_name': 'work', 'region_name': None}, {}, 'Credential=PK/'),
    'a profile of the environment': ({'region_name': None}, {'AWS_PROFILE': 'work'}, 'Credential=PK/'),
}


@pytest.fixture
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    import os

    for name in [name for name in os.environ if name.startswith('AWS_')]:
        monkeypatch.delenv(name)
    (tmp_path / 'config').write_text('[profile work]\nregion=eu-west-3\n', encoding='utf-8')
    (tmp_path / 'keys').write_text('[work]\naws_access_key_id=PK\naws_secret_access_key=PS\n', encoding='utf-8')
    monkeypatch.setenv('AWS_CONFIG_FILE', str(tmp_path / 'config'))
    monkeypatch.setenv('AWS_SHARED_CREDENTIALS_FILE', str(tmp_path / 'keys'))
    monkeypatch.setenv('AWS_EC2_METADATA_DISABLED', 'true')


@pytest.mark.usefixtures('no_credentials')
@pytest.mark.parametrize('kind', CREDENTIALS)
def test_credentials_of_all_kinds(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, variables, expected = CREDENTIALS[kind]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with Wire(answer(text('hello'))) as wire:
        provider = BedrockProvider(**{'base_url': wire.url, 'region_name': 'us-east-1', **arguments})
        Agent(BedrockConverseModel(NOVA, provider=provider)).run_sync('hi')
    assert expected in wire.requests[0].headers['authorization']
    if 'profile' in kind:
        assert '/eu-west-3/bedrock/' in wire.requests[0].headers['authorization']


@pytest.mark.usefixtures('no_credentials')
def test_a_token_of_a_session_is_sent() -> None:
    keys = {'aws_access_key_id': 'AK', 'aws_secret_access_key': 'S', 'aws_session_token': 'T'}
    with Wire(answer(text('hello'))) as wire:
        provider = BedrockProvider(base_url=wire.url, region_name='us-east-1', **keys)
        Agent(BedrockConverseModel(NOVA, provider=provider)).run_sync('hi')
    assert wire.requests[0].headers['x-amz-security-token'] == 'T'


@pytest.mark.usefixtures('no_credentials')
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match='There is no region for Bedrock.*`AWS_DEFAULT_REGION`'):
        infer_provider('bedrock')
    with pytest.raises(UserError, match=r'cannot be built: The config profile \(nope\) could not be found'):
        BedrockProvider(profile_name='nope', region_name='us-east-1')
    with pytest.raises(UserError, match='cannot be built: .*aws_secret_access_key'):
        BedrockProvider(aws_access_key_id='AK', region_name='us-east-1')
    monkeypatch.setenv('AWS_REGION', 'eu-central-1')
    model = infer_model(f'bedrock:{NOVA}')
    assert isinstance(model, BedrockConverseModel)
    assert (model.system, model.model_name) == ('bedrock', NOVA)
    assert model.base_url == 'https://bedrock-runtime.eu-central-1.amazonaws.com'
    with pytest.raises(UserError, match=r'no credentials for .*`AWS_BEARER_TOKEN_BEDROCK`'):
        Agent(model).run_sync('hi')
    monkeypatch.setenv('AWS_DEFAULT_REGION', 'us-gov-west-1')
    assert infer_provider('bedrock').base_url == 'https://bedrock-runtime.us-gov-west-1.amazonaws.com'


def test_times_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('AWS_READ_TIMEOUT', '9')
    config = BedrockProvider(region_name='us-east-1', aws_connect_timeout=3).client.meta.config
    assert (config.read_timeout, config.connect_timeout) == (9, 3)


def test_another_client_can_be_set() -> None:
    provider, other = BedrockProvider(region_name='us-east-1'), BedrockProvider(region_name='eu-west-1')
    provider.client = other.client
    assert provider.base_url == other.base_url
    assert {'us', 'eu', 'global'} < {*BEDROCK_GEO_PREFIXES}
    model = BedrockConverseModel('us.amazon.nova-micro-v1:0', provider=BedrockProvider(region_name='us-east-1'))
    model.client = other.client
    assert model.client is other.client
    assert model.provider.client is not other.client


def test_the_key_is_shown_nowhere() -> None:
    model = bedrock_model('http://127.0.0.1:1')
    assert KEY not in f'{model!r} {model.provider!r} {vars(model.provider)}'
