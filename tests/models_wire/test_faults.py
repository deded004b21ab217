"""Whatever a provider or the way to it does, a request ends: in an answer, a fallback or an error with a name."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from _wire import Cut, Reply, Reset, Wire, as_json, as_sse, free_port
from kit import ANSWERS, BOTH_WAYS, STREAMS, chat_model, chunk, completion

from stead.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior, UserError
from stead.messages import ModelRequest, UserPromptPart
from stead.models import ModelRequestParameters

HELLO = [ModelRequest(parts=[UserPromptPart('hi')])]
SSE = 'text/event-stream'


async def ask(model: Any, *, stream: bool) -> Any:
    if not stream:
        return await model.request(HELLO, None, ModelRequestParameters())
    async with model.request_stream(HELLO, None, ModelRequestParameters()) as response:
        async for _ in response:
            pass
        return response.get()


def run(model: Any, *, stream: bool) -> Any:
    async def main() -> Any:
        return await asyncio.wait_for(ask(model, stream=stream), 50)

    return asyncio.run(main())


def of(vendor: str) -> str:
    """The vendor, without the way to it."""
    return vendor.partition(',')[0]


def each_vendor(function: Callable[..., None]) -> Callable[..., None]:
    function = pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])(function)
    return pytest.mark.parametrize('vendor', BOTH_WAYS)(function)


@each_vendor
def test_a_status_of_the_vendor_is_the_status_of_the_error(vendor: str, stream: bool) -> None:
    statuses = [400, 401, 404, 429, 500, 503, 529]
    with Wire() as wire:
        model = BOTH_WAYS[vendor](wire, 'some-model')

        async def error_of(status: int) -> ModelHTTPError:
            wire.expect(as_json({'error': {'message': 'no', 'type': 't'}, 'message': 'no'}, status))
            with pytest.raises(ModelHTTPError) as caught:
                await asyncio.wait_for(ask(model, stream=stream), 50)
            return caught.value

        async def main() -> list[ModelHTTPError]:
            return [await error_of(status) for status in statuses]

        errors = asyncio.run(main())
    assert [error.status_code for error in errors] == statuses
    assert {error.model_name for error in errors} == {model.model_name}
    assert [status for status, error in zip(statuses, errors, strict=True) if 'no' not in str(error.body)] == []
    assert {error.retry_after for error in errors} == {None}


@each_vendor
def test_an_error_that_says_when_to_come_back(vendor: str, stream: bool) -> None:
    with Wire(as_json({'error': {'message': 'slow down'}}, 429, {'retry-after': '7'})) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            run(BOTH_WAYS[vendor](wire), stream=stream)
    assert caught.value.retry_after == 7


@each_vendor
def test_an_error_does_not_repeat_the_key(vendor: str, stream: bool) -> None:
    with Wire(as_json({'error': {'message': 'bad key: sk-secret-of-ours'}}, 401)) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            run(BOTH_WAYS[vendor](wire), stream=stream)
    assert 'sk-secret' not in str(caught.value)
    assert 'sk-secret' not in repr(caught.value.body)
    # Logs and spans have the errors of the SDKs, too, in the traceback.
    assert 'sk-secret' not in ''.join(traceback.format_exception(None, caught.value, caught.value.__traceback__))


@each_vendor
def test_an_error_that_is_no_json(vendor: str, stream: bool) -> None:
    with Wire(Reply(502, {}, [b'<html>bad gateway</html>'], 'text/html')) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            run(BOTH_WAYS[vendor](wire), stream=stream)
    assert caught.value.status_code == 502


@each_vendor
def test_an_address_where_no_server_listens_is_named(vendor: str, stream: bool) -> None:
    url = f'http://127.0.0.1:{free_port()}'
    model = BOTH_WAYS[vendor](url, 'some-model')
    with pytest.raises(
        ModelAPIError,
        match=f'{model.model_name!r} at {url} failed: .*(All connection attempts failed|Could not connect)',
    ) as caught:
        run(model, stream=stream)
    assert not isinstance(caught.value, ModelHTTPError)


@each_vendor
def test_the_connection_is_reset_before_an_answer(vendor: str, stream: bool) -> None:
    with Wire(Reply(pieces=[Reset()])) as wire:
        with pytest.raises(ModelAPIError):
            run(BOTH_WAYS[vendor](wire), stream=stream)


@each_vendor
def test_an_answer_that_is_no_json(vendor: str, stream: bool) -> None:
    with Wire(Reply(pieces=[b'{"id": "half'])) as wire:
        with pytest.raises((UnexpectedModelBehavior, ModelAPIError)):
            run(BOTH_WAYS[vendor](wire), stream=stream)


@each_vendor
def test_an_answer_of_another_shape(vendor: str, stream: bool) -> None:
    bodies = [{}, [], 'text', None, {'error': {'message': 'no', 'code': 500}}]
    taken: list[Any] = []
    with Wire() as wire:
        model = BOTH_WAYS[vendor](wire)

        async def main() -> None:
            for body in bodies:
                wire.expect(as_json(body))
                try:
                    taken.append((body, await asyncio.wait_for(ask(model, stream=stream), 50)))
                except (UnexpectedModelBehavior, ModelAPIError):
                    assert wire.requests

        asyncio.run(main())
    assert taken == []


@pytest.mark.parametrize('vendor', BOTH_WAYS)
@pytest.mark.parametrize('fault', [Reset(), Cut(), b'data: {not json\n\n'], ids=['reset', 'cut', 'malformed'])
def test_a_stream_that_breaks(vendor: str, fault: Any) -> None:
    whole = STREAMS[of(vendor)]('hello')
    broken = Reply(pieces=[*whole.pieces[:-2], fault], content_type=whole.content_type)
    with Wire(broken) as wire:
        with pytest.raises((ModelAPIError, UnexpectedModelBehavior)):
            run(BOTH_WAYS[vendor](wire), stream=True)


# Outlines passes on the texts of a stream, not how it ended.
@pytest.mark.parametrize('vendor', [vendor for vendor in BOTH_WAYS if vendor != 'outlines'])
def test_a_stream_that_ends_too_early(vendor: str) -> None:
    whole = STREAMS[of(vendor)]('hello')
    with Wire(Reply(pieces=whole.pieces[:-2], content_type=SSE)) as wire:
        with pytest.raises(ModelAPIError, match='before the response was complete'):
            run(BOTH_WAYS[vendor](wire), stream=True)


@pytest.mark.parametrize('vendor', BOTH_WAYS)
def test_a_stream_of_nothing(vendor: str) -> None:
    with Wire(Reply(pieces=[b''], content_type=SSE)) as wire:
        with pytest.raises((UnexpectedModelBehavior, ModelAPIError)):
            run(BOTH_WAYS[vendor](wire), stream=True)


@each_vendor
def test_a_first_byte_that_is_late_is_waited_for(vendor: str, stream: bool) -> None:
    whole = (STREAMS if stream else ANSWERS)[of(vendor)]('hello')
    with Wire(Reply(pieces=[0.2, *whole.pieces], content_type=whole.content_type)) as wire:
        assert run(BOTH_WAYS[vendor](wire), stream=stream).text == 'hello'


@each_vendor
def test_an_answer_that_takes_too_long(vendor: str, stream: bool) -> None:
    whole = (STREAMS if stream else ANSWERS)[of(vendor)]('hello')
    began = time.monotonic()
    with Wire(Reply(pieces=[60.0, *whole.pieces], content_type=whole.content_type)) as wire:
        with pytest.raises(ModelAPIError):
            run(BOTH_WAYS[vendor](wire, settings={'timeout': 0.1}), stream=stream)
    assert time.monotonic() - began < 40


@each_vendor
def test_a_setting_that_is_none_is_not_taken_for_an_answer(vendor: str, stream: bool) -> None:
    wrong: dict[str, Any] = {'extra_headers': 'x', 'extra_body': 'x', 'timeout': 'soon', 'thinking': 'abit'}
    with Wire((STREAMS if stream else ANSWERS)[of(vendor)]('hello')) as wire:

        async def main() -> None:
            for name, value in wrong.items():
                model = BOTH_WAYS[vendor](wire, settings={name: value})
                with pytest.raises(UserError, match=f'`{name}`'):
                    await asyncio.wait_for(ask(model, stream=stream), 50)

        asyncio.run(main())
        assert not wire.requests


@each_vendor
def test_a_large_answer(vendor: str, stream: bool) -> None:
    text = 'x' * 5_000_000
    with Wire((STREAMS if stream else ANSWERS)[of(vendor)](text)) as wire:
        assert len(run(BOTH_WAYS[vendor](wire), stream=stream).text) == len(text)


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_reasons_and_parts_that_nobody_knows_yet(stream: bool) -> None:
    message = {'role': 'assistant', 'content': [{'type': 'text', 'text': 'hello'}, {'type': 'smell', 'smell': 1}]}
    reply = as_sse([chunk(message), chunk({}, 'bored')]) if stream else completion(message, 'bored')
    with Wire(reply) as wire:
        response = run(chat_model(wire), stream=stream)
    assert response.text == 'hello'
    assert response.finish_reason is None
    assert response.provider_details['finish_reason'] == 'bored'


def test_a_completion_without_choices() -> None:
    with Wire(completion(choices=[])) as wire:
        with pytest.raises(UnexpectedModelBehavior, match='it has no choices'):
            run(chat_model(wire), stream=False)


def test_an_error_in_the_middle_of_a_stream() -> None:
    with Wire(as_sse([chunk({'content': 'he'}), {'error': {'message': 'overloaded', 'code': 529}}])) as wire:
        with pytest.raises(ModelAPIError, match='overloaded'):
            run(chat_model(wire), stream=True)


def test_the_sdk_tries_again_by_itself() -> None:
    slow = as_json({'error': {'message': 'slow down'}}, 429, {'retry-after-ms': '10'})
    with Wire(slow, completion()) as wire:
        assert run(chat_model(wire, retries=1), stream=False).text == 'hello'
    assert len(wire.requests) == 2
