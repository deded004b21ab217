"""Whatever xAI or the way to it does, a request ends: in an answer, a fallback or an error with a name."""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from typing import Any

import pytest
from _wire import Cut, Reset, free_port

pytest.importorskip('xai_sdk', reason='the SDK xai-sdk is not installed')

from _grpc_wire import Answer, GrpcWire, Status
from kit_xai import KEY, call, chunk, chunks, delta, output, says, whole, xai_model

from stead import Agent
from stead.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior, UserError
from stead.messages import BinaryContent, ModelRequest, RetryPromptPart, UserPromptPart
from stead.models import ModelRequestParameters
from stead.models.fallback import FallbackModel
from stead.models.test import TestModel
from tests.waiting import until

HELLO = [ModelRequest(parts=[UserPromptPart('hi')])]
both = pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])


async def ask(model: Any, *, stream: bool, messages: Any = HELLO) -> Any:
    if not stream:
        return await model.request(messages, None, ModelRequestParameters())
    async with model.request_stream(messages, None, ModelRequestParameters()) as response:
        async for _ in response:
            pass
        return response.get()


def run(model: Any, *, stream: bool, messages: Any = HELLO) -> Any:
    async def main() -> Any:
        return await asyncio.wait_for(ask(model, stream=stream, messages=messages), 50)

    return asyncio.run(main())


@both
@pytest.mark.parametrize(
    ('code', 'status'),
    [
        ('UNAUTHENTICATED', 401),
        ('PERMISSION_DENIED', 403),
        ('NOT_FOUND', 404),
        ('RESOURCE_EXHAUSTED', 429),
        ('INTERNAL', 500),
        ('UNAVAILABLE', 503),
        ('DEADLINE_EXCEEDED', 504),
    ],
)
def test_statuses_that_http_has(stream: bool, code: str, status: int) -> None:
    with GrpcWire(Answer([Status(code, 'not now')])) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            run(xai_model(wire, 'some-model'), stream=stream)
    assert caught.value.status_code == status
    assert caught.value.model_name == 'some-model'
    assert caught.value.body == 'not now'
    assert caught.value.retry_after is None


@both
@pytest.mark.parametrize('code', ['INVALID_ARGUMENT', 'UNKNOWN', 'ABORTED', 'UNIMPLEMENTED', 'DATA_LOSS', 'CANCELLED'])
def test_statuses_that_http_has_not(stream: bool, code: str) -> None:
    with GrpcWire(Answer([Status(code, 'too many tokens')])) as wire:
        with pytest.raises(ModelAPIError, match=f'some-model.*{code}.*too many tokens') as caught:
            run(xai_model(wire, 'some-model'), stream=stream)
    assert not isinstance(caught.value, ModelHTTPError)


@both
@pytest.mark.parametrize(
    ('name', 'value', 'seconds'),
    [('retry-after', '7', 7), ('retry-after-ms', '250', 0.25), ('grpc-retry-pushback-ms', '1500', 1.5)],
)
def test_an_error_that_says_when_to_come_back(stream: bool, name: str, value: str, seconds: float) -> None:
    with GrpcWire(Answer([Status('RESOURCE_EXHAUSTED', 'slow down', ((name, value),))])) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            run(xai_model(wire), stream=stream)
    assert caught.value.retry_after == seconds


@both
@pytest.mark.parametrize('code', ['UNAUTHENTICATED', 'INVALID_ARGUMENT'])
def test_an_error_does_not_repeat_the_key(stream: bool, code: str) -> None:
    with GrpcWire(Answer([Status(code, f'bad key: {KEY}')])) as wire:
        with pytest.raises(ModelAPIError) as caught:
            run(xai_model(wire), stream=stream)
    assert wire.requests[0].headers['authorization'] == f'Bearer {KEY}'
    assert 'bad key' in str(caught.value)
    assert KEY not in f'{caught.value} {caught.value!r} {getattr(caught.value, "body", "")!r}'
    assert KEY not in ''.join(traceback.format_exception(None, caught.value, caught.value.__traceback__))


@both
def test_a_level_of_thinking_that_is_none(stream: bool) -> None:
    with GrpcWire(says('hello', stream=stream)) as wire:
        with pytest.raises(
            UserError, match=r"`thinking` must be one of \[True, False, 'minimal', .*'xhigh'\], not 'abit'"
        ):
            run(xai_model(wire, settings={'thinking': 'abit'}), stream=stream)


@both
def test_an_address_where_no_server_listens_is_an_error_of_the_model(stream: bool) -> None:
    with pytest.raises(ModelHTTPError, match='some-model') as caught:
        run(xai_model(f'127.0.0.1:{free_port()}', 'some-model'), stream=stream)
    assert caught.value.status_code == 503


@both
def test_the_connection_breaks_before_an_answer(stream: bool) -> None:
    with GrpcWire(Answer([Reset()])) as wire:
        with pytest.raises(ModelAPIError):
            run(xai_model(wire), stream=stream)


@pytest.mark.parametrize(
    'fault', [Reset(), Status('UNAVAILABLE', 'gone'), Status('INTERNAL', 'oops')], ids=['reset', 'gone', 'oops']
)
def test_a_stream_that_breaks(fault: Any) -> None:
    with GrpcWire(Answer([chunk(delta('he')), fault])) as wire:
        with pytest.raises(ModelHTTPError):
            run(xai_model(wire), stream=True)


@pytest.mark.parametrize('pieces', [[chunk(delta('he')), Cut()], [chunk()], [{}]], ids=['text', 'nothing', 'empty'])
def test_a_stream_that_ends_too_early(pieces: Any) -> None:
    with GrpcWire(Answer(pieces)) as wire:
        with pytest.raises(ModelAPIError, match='before the response was complete'):
            run(xai_model(wire), stream=True)


def test_a_stream_of_nothing() -> None:
    with GrpcWire(Answer([])) as wire:
        with pytest.raises(UnexpectedModelBehavior, match='ended without content or tool calls'):
            run(xai_model(wire), stream=True)


@pytest.mark.parametrize('pieces', [[{}], [b''], [chunk()]], ids=['empty', 'no bytes', 'no outputs'])
def test_an_answer_without_outputs(pieces: Any) -> None:
    with GrpcWire(Answer(pieces)) as wire:
        with pytest.raises(UnexpectedModelBehavior, match='it has no outputs'):
            run(xai_model(wire), stream=False)


@both
def test_an_answer_that_is_no_message(stream: bool) -> None:
    with GrpcWire(Answer([b'\xff\xff\xff garbage'])) as wire:
        with pytest.raises((UnexpectedModelBehavior, ModelAPIError)):
            run(xai_model(wire), stream=stream)


@both
def test_a_first_message_that_is_late_is_waited_for(stream: bool) -> None:
    with GrpcWire(Answer([0.3, *says('hello', stream=stream).pieces])) as wire:
        assert run(xai_model(wire), stream=stream).text == 'hello'


@both
def test_an_answer_that_takes_too_long(stream: bool) -> None:
    began = time.monotonic()
    with GrpcWire(Answer([60.0, *says('hello', stream=stream).pieces])) as wire:
        with pytest.raises(ModelAPIError, match=r'sent nothing for 0\.1 seconds'):
            run(xai_model(wire, settings={'timeout': 0.1}), stream=stream)
    assert time.monotonic() - began < 40


def test_a_stream_that_stands_still() -> None:
    with GrpcWire(Answer([chunk(delta('he')), 60.0, *chunks().pieces])) as wire:
        with pytest.raises(ModelAPIError, match=r'sent nothing for 0\.1 seconds'):
            run(xai_model(wire, settings={'timeout': 0.1}), stream=True)


@both
def test_the_timeout_of_the_provider(stream: bool) -> None:
    with GrpcWire(Answer([60.0, *says('hello', stream=stream).pieces])) as wire:
        model = xai_model(wire)
        model.provider._options['timeout'] = 0.1  # type: ignore[attr-defined]
        with pytest.raises(ModelHTTPError) as caught:
            run(model, stream=stream)
    assert caught.value.status_code == 504


@both
def test_a_large_answer(stream: bool) -> None:
    text = 'x' * 22_000_000  # the client of the SDK takes 20 MiB at most
    with GrpcWire(says(text, stream=stream)) as wire:
        assert len(run(xai_model(wire), stream=stream).text) == len(text)


@both
def test_an_answer_that_is_too_large_for_a_client_of_yours(stream: bool) -> None:
    from xai_sdk import AsyncClient

    from stead.models.xai import XaiModel
    from stead.providers.xai import XaiProvider

    async def main(host: str) -> None:
        client = AsyncClient(api_key='k', api_host=host, use_insecure_channel=True)
        try:
            await ask(XaiModel('grok-4', provider=XaiProvider(xai_client=client)), stream=stream)
        finally:
            await client.close()

    with GrpcWire(says('x' * 21_000_000, stream=stream)) as wire:
        with pytest.raises(ModelAPIError, match='grpc.max_receive_message_length') as caught:
            asyncio.run(main(wire.host))
    assert not isinstance(caught.value, ModelHTTPError)


@both
def test_values_that_nobody_knows_yet(stream: bool) -> None:
    new = call('smell', '{"of": "roses"}', 'n1', 77, status=78)
    others = [(delta if stream else output)('x', index=1, role=79, reason=0)]
    if stream:
        reply = chunks(delta('hello', tool_calls=[new]), *others, reason=99)
    else:
        reply = whole(output('hello', 99, tool_calls=[new]), *others)
    with GrpcWire(reply) as wire:
        response = run(xai_model(wire), stream=stream)
    assert response.text == 'hello'
    assert [part.part_kind for part in response.parts] == ['text', 'builtin-tool-call']
    assert response.parts[1].tool_name == 'smell'
    assert response.finish_reason is None
    assert response.provider_details == {'finish_reason': '99'}


@both
@pytest.mark.parametrize('arguments', ['{"x": ', 'nonsense', '[1]', ''])
def test_arguments_that_are_not_as_they_should_be_are_asked_for_again(stream: bool, arguments: str) -> None:
    bad, good = call(args=arguments), call(args='{"x": 3}', call_id='c2')
    if stream:
        replies = [chunks(delta(tool_calls=[each]), reason='REASON_TOOL_CALLS') for each in (bad, good)]
    else:
        replies = [whole(output(reason='REASON_TOOL_CALLS', tool_calls=[each])) for each in (bad, good)]
    values: list[int] = []
    with GrpcWire(*replies, says('done', stream=stream)) as wire:
        agent = Agent(xai_model(wire))

        @agent.tool_plain
        def t(x: int) -> str:
            values.append(x)
            return 'ok'

        async def main() -> Any:
            if not stream:
                return await agent.run('hi')
            async with agent.run_stream('hi') as result:
                assert await result.get_output() == 'done'
                return result

        result = asyncio.run(main())
    assert values == [3]
    assert any(isinstance(part, RetryPromptPart) for message in result.all_messages() for part in message.parts)
    sent = wire.bodies[1]['messages'][1]['tool_calls'][0]['function']['arguments']
    assert isinstance(json.loads(sent), dict)


@both
@pytest.mark.parametrize(
    'fault', [Status('UNAVAILABLE', 'no'), Status('ABORTED', 'no'), Reset()], ids=['unavailable', 'aborted', 'reset']
)
def test_another_model_takes_over(stream: bool, fault: Any) -> None:
    with GrpcWire(Answer([fault])) as wire:
        agent = Agent(FallbackModel(xai_model(wire), TestModel(custom_output_text='the other')))

        async def main() -> Any:
            if not stream:
                return (await agent.run('hi')).output
            async with agent.run_stream('hi') as result:
                return await result.get_output()

        assert asyncio.run(main()) == 'the other'


@both
def test_the_sdk_tries_again_by_itself(stream: bool) -> None:
    with GrpcWire(Answer([Status('UNAVAILABLE', 'no')]), says('hello', stream=stream)) as wire:
        assert run(xai_model(wire, retries=1), stream=stream).text == 'hello'
    assert len(wire.requests) == 2


@both
@pytest.mark.parametrize('code', ['UNAVAILABLE', 'INVALID_ARGUMENT'])
def test_an_upload_that_fails(stream: bool, code: str) -> None:
    messages = [ModelRequest(parts=[UserPromptPart([BinaryContent(b'%PDF', media_type='application/pdf')])])]
    with GrpcWire(Answer([Status(code, 'no room')])) as wire:
        with pytest.raises(ModelAPIError, match='no room'):
            run(xai_model(wire), stream=stream, messages=messages)
    assert [request.path for request in wire.requests] == ['UploadFile']


@both
def test_a_request_that_is_cancelled_ends_at_once(stream: bool) -> None:
    async def main(wire: GrpcWire) -> None:
        task = asyncio.ensure_future(ask(xai_model(wire), stream=stream))
        await until(lambda: wire.requests)
        task.cancel()
        await asyncio.wait([task], timeout=20)
        assert task.cancelled()

    with GrpcWire(Answer([60.0, *says('hello', stream=stream).pieces])) as wire:
        asyncio.run(main(wire))
