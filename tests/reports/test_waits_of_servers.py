"""What a server says about when to come back is followed as far as it makes sense."""

from __future__ import annotations

from typing import Any

import pytest

from stead.models._wire_errors import http_error
from stead.retries import wait_retry_after

PAST = 'Fri, 01 Jan 2021 00:00:00 GMT'


def state_with(headers: dict[str, str]) -> Any:
    tenacity = pytest.importorskip('tenacity')
    httpx = pytest.importorskip('httpx')
    request = httpx.Request('GET', 'http://vendor.example')
    error = httpx.HTTPStatusError('slow down', request=request, response=httpx.Response(429, headers=headers))
    state = tenacity.RetryCallState(None, None, (), {})
    state.set_exception((type(error), error, None))
    return state


@pytest.mark.parametrize(
    ('text', 'seconds'),
    [('5', 5), ('-5', 0), ('0', 0), ('1.5', 1.5), ('999999', 60), ('inf', 60), ('1e400', 60)]
    + [(text, 7) for text in ('soon', '', 'nan', PAST)],
)
def test_a_wait_is_between_nothing_and_the_most(text: str, seconds: float) -> None:
    wait = wait_retry_after(fallback_strategy=lambda _: 7, max_wait=60)
    assert wait(state_with({'retry-after': text})) == seconds


@pytest.mark.parametrize(
    ('headers', 'seconds'),
    [
        ({'retry-after': '7'}, 7),
        ({'retry-after': '-7'}, 0),
        ({'retry-after-ms': '250'}, 0.25),
        ({'retry-after-ms': 'nan', 'retry-after': '3'}, 3),
        ({'retry-after': '1e300'}, 86_400),
        ({'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT'}, 86_400),
        ({'retry-after': 'nan'}, None),
        ({'retry-after': PAST}, None),
        ({}, None),
    ],
)
def test_an_error_of_a_vendor_asks_for_a_day_at_most(headers: dict[str, str], seconds: float | None) -> None:
    assert http_error(429, 'some-model', None, headers, None).retry_after == seconds
