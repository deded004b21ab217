"""The class of an error says what went wrong, whichever vendor reports it."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

import pytest
from _wire import Reply, Reset, Wire, as_json, as_sse, free_port
from kit import BOTH_WAYS

from stead import exceptions
from stead.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelUnavailableError,
)
from stead.messages import ModelRequest, UserPromptPart
from stead.models import ModelRequestParameters

BY_STATUS: dict[int, type[ModelAPIError] | None] = {
    400: ModelRequestRejectedError,
    401: ModelAuthenticationError,
    402: ModelQuotaExceededError,
    403: ModelAuthenticationError,
    404: ModelNotFoundError,
    409: None,
    413: None,
    422: ModelRequestRejectedError,
    429: ModelRateLimitError,
    500: ModelServerError,
    503: ModelUnavailableError,
    504: ModelServerError,
    529: ModelOverloadedError,
}
CATEGORIES = {category for category in BY_STATUS.values() if category} | {ModelContextWindowExceededError}
RETRY = {'@type': 'type.googleapis.com/google.rpc.RetryInfo', 'retryDelay': '13s'}
PER_DAY = {'violations': [{'quotaId': 'GenerateRequestsPerDayPerProject'}]}
LONG = "This model's maximum context length is 8192 tokens."


def oa(code: object = None, type: str | None = None, message: str = 'no') -> Any:
    return {'error': {'message': message, 'code': code, 'type': type}}


def an(type: str, message: str = 'no') -> Any:
    return {'type': 'error', 'error': {'type': type, 'message': message}}


def go(code: int, status: str, message: str = 'no', *details: Any) -> Any:
    return {'error': {'code': code, 'status': status, 'message': message, 'details': list(details)}}


# The vendor, the status, what it sends, the class, its code, its type.
BY_BODY: list[tuple[str, int, Any, type[ModelAPIError], str | None, str | None]] = [
    ('openai', 429, oa('insufficient_quota', 'q'), ModelQuotaExceededError, 'insufficient_quota', 'q'),
    ('openai', 429, oa('rate_limit_exceeded', 'requests'), ModelRateLimitError, 'rate_limit_exceeded', 'requests'),
    ('openai', 400, oa('billing_hard_limit_reached'), ModelQuotaExceededError, 'billing_hard_limit_reached', None),
    ('openai', 400, oa('context_length_exceeded'), ModelContextWindowExceededError, 'context_length_exceeded', None),
    ('openai', 400, oa(None, 'x', LONG), ModelContextWindowExceededError, None, 'x'),
    ('openai', 400, oa('model_not_found'), ModelNotFoundError, 'model_not_found', None),
    ('openai', 503, oa('overloaded', 'overloaded_error'), ModelOverloadedError, 'overloaded', 'overloaded_error'),
    ('openai', 429, oa(429), ModelRateLimitError, '429', None),
    ('anthropic', 400, an('invalid_request_error'), ModelRequestRejectedError, None, 'invalid_request_error'),
    ('anthropic', 400, an('x', 'prompt is too long: 2 > 1'), ModelContextWindowExceededError, None, 'x'),
    ('anthropic', 400, an('x', 'Your credit balance is too low'), ModelQuotaExceededError, None, 'x'),
    ('anthropic', 500, an('overloaded_error'), ModelOverloadedError, None, 'overloaded_error'),
    ('anthropic', 500, an('rate_limit_error'), ModelRateLimitError, None, 'rate_limit_error'),
    ('google', 400, go(400, 'INVALID_ARGUMENT'), ModelRequestRejectedError, 'INVALID_ARGUMENT', None),
    ('google', 400, go(400, 'A', 'API key not valid.'), ModelAuthenticationError, 'A', None),
    ('google', 429, go(429, 'B', 'no', RETRY), ModelRateLimitError, 'B', None),
    ('google', 429, go(429, 'B', 'no', PER_DAY), ModelQuotaExceededError, 'B', None),
    ('google', 503, go(503, 'C', 'The model is overloaded.'), ModelOverloadedError, 'C', None),
]


async def ask(model: Any, *, stream: bool = False) -> None:
    messages = [ModelRequest(parts=[UserPromptPart('hi')])]
    if not stream:
        await model.request(messages, None, ModelRequestParameters())
        return
    async with model.request_stream(messages, None, ModelRequestParameters()) as response:
        async for _ in response:
            pass


async def error_of(model: Any, *, stream: bool = False) -> ModelAPIError:
    with pytest.raises(ModelAPIError) as caught:
        await asyncio.wait_for(ask(model, stream=stream), 50)
    return caught.value


def categories(error: ModelAPIError) -> set[type[ModelAPIError]]:
    return {category for category in CATEGORIES if isinstance(error, category)}


def expected(category: type[ModelAPIError] | None) -> set[type[ModelAPIError]]:
    return {base for base in CATEGORIES if category is not None and issubclass(category, base)}


@pytest.mark.parametrize('vendor', BOTH_WAYS)
def test_a_status_decides_about_the_class(vendor: str) -> None:
    async def main() -> None:
        for status, category in BY_STATUS.items():
            wire.expect(as_json({'error': {'message': 'no'}, 'message': 'no'}, status))
            error = await error_of(model)
            assert isinstance(error, ModelHTTPError) and error.status_code == status and not error.in_stream
            assert categories(error) == expected(category), (status, type(error).__mro__)

    with Wire() as wire:
        model = BOTH_WAYS[vendor](wire, 'some-model')
        asyncio.run(main())


@pytest.mark.parametrize('vendor', ['openai', 'anthropic', 'google'])
def test_what_the_vendor_says_decides_first(vendor: str) -> None:
    async def main() -> None:
        for _, status, body, category, code, kind in (row for row in BY_BODY if row[0] == vendor):
            wire.expect(as_json(body, status))
            error = await error_of(model)
            assert isinstance(error, ModelHTTPError) and error.status_code == status
            assert categories(error) == expected(category), body
            assert (error.provider_error_code, error.provider_error_type) == (code, kind)
            assert error.retry_after == (13 if RETRY in body['error'].get('details', ()) else None)

    with Wire() as wire:
        model = BOTH_WAYS[vendor](wire, 'some-model')
        asyncio.run(main())


def test_the_header_says_how_long_to_wait_where_the_body_says_it_too() -> None:
    with Wire(as_json(go(429, 'B', 'no', RETRY), 429, {'retry-after': '30'})) as wire:
        error = asyncio.run(error_of(BOTH_WAYS['google'](wire, 'some-model')))
    assert isinstance(error, ModelHTTPError) and error.retry_after == 30


IN_STREAMS: list[tuple[str, Reply, int, type[ModelAPIError]]] = [
    ('openai', as_sse([oa('server_error', 'server_error')]), 500, ModelServerError),
    ('openai', as_sse([oa('insufficient_quota')]), 429, ModelQuotaExceededError),
    ('openai', as_sse([oa('503')]), 503, ModelUnavailableError),
]


@pytest.mark.parametrize(('vendor', 'reply', 'status', 'category'), IN_STREAMS)
def test_an_error_in_a_stream_has_the_status_of_its_code(
    vendor: str, reply: Reply, status: int, category: type[ModelAPIError]
) -> None:
    with Wire(reply) as wire:
        error = asyncio.run(error_of(BOTH_WAYS[vendor](wire), stream=True))
    assert isinstance(error, ModelHTTPError) and error.status_code == status and error.in_stream
    assert categories(error) == expected(category)


def test_an_error_in_a_stream_whose_code_is_unknown_has_no_status() -> None:
    with Wire(as_sse([oa('what', 'ever', 'oh')])) as wire:
        error = asyncio.run(error_of(BOTH_WAYS['openai'](wire), stream=True))
    assert type(error) is ModelAPIError and error.in_stream and 'oh' in str(error)
    assert (error.provider_error_code, error.provider_error_type) == ('what', 'ever')


@pytest.mark.parametrize('vendor', BOTH_WAYS)
def test_a_connection_that_fails(vendor: str) -> None:
    with Wire(*[Reply(pieces=[Reset()])] * 3) as wire:
        error = asyncio.run(error_of(BOTH_WAYS[vendor](wire)))
    assert isinstance(error, ModelConnectionError) and not isinstance(error, exceptions.ModelTimeoutError)
    assert not error.in_stream


def test_a_server_that_is_not_there() -> None:
    class Nowhere:
        url = f'http://127.0.0.1:{free_port()}'

    error = asyncio.run(error_of(BOTH_WAYS['openai'](Nowhere())))
    assert isinstance(error, ModelConnectionError) and error.phase == 'connect'


def test_errors_are_copied_with_their_class() -> None:
    error = ModelHTTPError.for_category(
        ModelOverloadedError, status_code=529, model_name='m', body={'a': 1}, headers={'Retry-After': '2'}, hint='wait'
    )
    for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(copied) is type(error) and vars(copied) == vars(error) and str(copied) == str(error)
    assert error.retry_after == 2 and str(error).endswith('. wait') and isinstance(error, ModelUnavailableError)


@pytest.mark.parametrize('category', [ModelConnectionError, ModelAPIError, ModelHTTPError])
def test_errors_of_connections_have_no_status(category: type[ModelAPIError]) -> None:
    with pytest.raises(TypeError, match=category.__name__):
        ModelHTTPError.for_category(category, status_code=500, model_name='m')


@pytest.mark.parametrize(
    ('headers', 'seconds', 'hint'),
    [
        ({'Retry-After': '7'}, 7.0, None),
        ({'retry-after-ms': '1500'}, 1.5, None),
        ({'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT'}, None, None),
        ({'retry-after': 'soon'}, None, None),
        ({'x-should-retry': 'false'}, None, False),
        ({'x-should-retry': 'true'}, None, True),
    ],
)
def test_headers_say_when_to_retry(headers: dict[str, str], seconds: float | None, hint: bool | None) -> None:
    error = ModelHTTPError(429, 'm', headers=headers)
    assert (error.retry_after, error.provider_retry_hint) == (seconds, hint)
