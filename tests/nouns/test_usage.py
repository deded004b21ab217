"""Usages and their limits."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter

from stead import Agent
from stead.exceptions import UsageLimitExceeded, UserError
from stead.usage import RequestUsage, RunUsage, Usage, UsageLimits

COUNTS = [
    'input_tokens',
    'cache_write_tokens',
    'cache_read_tokens',
    'output_tokens',
    'input_audio_tokens',
    'cache_audio_read_tokens',
    'output_audio_tokens',
]


def numbered(cls: type[Any], factor: int = 1, **more: Any) -> Any:
    return cls(**{name: number * factor for number, name in enumerate(COUNTS, 1)}, **more)


@pytest.mark.parametrize('cls', [RequestUsage, RunUsage])
@pytest.mark.parametrize('other', [RequestUsage, RunUsage])
def test_every_count_is_added(cls: type[Any], other: type[Any]):
    left, right = numbered(cls, details={'a': 1, 'b': 2}), numbered(other, 10, details={'b': 3, 'c': 0})
    expected = numbered(cls, 11, details={'a': 1, 'b': 5, 'c': 0})
    assert left + right == expected
    assert left == numbered(cls, details={'a': 1, 'b': 2}), 'a sum leaves its parts alone'
    left.incr(right)
    assert left == expected
    assert right.details == {'b': 3, 'c': 0}


def test_a_run_counts_the_requests_of_runs_only():
    total = RunUsage(requests=1, tool_calls=2)
    total.incr(RequestUsage(input_tokens=1))
    assert (total.requests, total.tool_calls) == (1, 2)
    total.incr(RunUsage(requests=3, tool_calls=4))
    assert (total.requests, total.tool_calls) == (4, 6)


def test_old_names_are_read_by_both_kinds():
    old = {'request_tokens': 1, 'response_tokens': 2, 'total_tokens': 3, 'details': None}
    assert TypeAdapter(RequestUsage).validate_python(old) == RequestUsage(input_tokens=1, output_tokens=2)
    assert TypeAdapter(RunUsage).validate_python(old) == RunUsage(input_tokens=1, output_tokens=2)


@pytest.mark.parametrize(
    ('use', 'names'),
    [
        (lambda: RequestUsage().request_tokens, ['request_tokens', 'input_tokens']),
        (lambda: RunUsage().response_tokens, ['response_tokens', 'output_tokens']),
        (lambda: UsageLimits().request_tokens_limit, ['request_tokens_limit', 'input_tokens_limit']),
        (lambda: UsageLimits().response_tokens_limit, ['response_tokens_limit', 'output_tokens_limit']),
        (lambda: Usage(), ['Usage', 'RunUsage']),
    ],
)
def test_old_names_warn_and_name_the_new(use: Any, names: list[str]):
    with pytest.warns(DeprecationWarning) as caught:
        use()
    for name in names:
        assert f'`{name}`' in str(caught[0].message)


@pytest.mark.parametrize(
    ('limits', 'check', 'usage', 'name'),
    [
        ({'request_limit': 2}, 'check_before_request', {'requests': 2}, 'request_limit of 2'),
        ({'input_tokens_limit': 1}, 'check_before_request', {'input_tokens': 2}, 'input_tokens_limit of 1'),
        ({'total_tokens_limit': 1}, 'check_before_request', {'output_tokens': 2}, 'total_tokens_limit of 1'),
        ({'output_tokens_limit': 1}, 'check_tokens', {'output_tokens': 2}, 'output_tokens_limit of 1'),
        ({'tool_calls_limit': 0}, 'check_before_tool_call', {'tool_calls': 1}, 'tool_calls_limit of 0'),
    ],
)
def test_a_limit_is_named_when_it_is_passed(limits: Any, check: str, usage: Any, name: str):
    with pytest.raises(UsageLimitExceeded, match=name):
        getattr(UsageLimits(**limits), check)(RunUsage(**usage))
    below = {key: value - 1 for key, value in usage.items()}
    getattr(UsageLimits(**limits), check)(RunUsage(**below))


def test_the_default_allows_fifty_requests():
    UsageLimits().check_before_request(RunUsage(requests=49))
    with pytest.raises(UsageLimitExceeded):
        UsageLimits().check_before_request(RunUsage(requests=50))
    UsageLimits(request_limit=None).check_before_request(RunUsage(requests=10_000))


EXTRACT: dict[str, Any] = {'provider': 'p', 'provider_url': 'https://u', 'provider_fallback': 'f'}


def test_extracting_without_the_tables_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, 'genai_prices', None)
    monkeypatch.setitem(sys.modules, 'genai_prices.data_snapshot', None)
    with pytest.raises(UserError, match=r'stead\[prices\]'):
        RequestUsage.extract({}, **EXTRACT)


@pytest.mark.parametrize(('known', 'tried'), [('https://u', 1), ('p', 2), ('f', 3), (None, 3)])
def test_tables_are_asked_by_url_then_provider_then_fallback(
    monkeypatch: pytest.MonkeyPatch, known: str | None, tried: int
):
    lookups: list[Any] = []

    def find_provider(_model: None, provider_id: str | None, url: str | None) -> Any:
        lookups.append(provider_id or url)
        if lookups[-1] != known:
            raise LookupError
        counts = SimpleNamespace(input_tokens=3, output_tokens=None, cache_read_tokens=1)
        return SimpleNamespace(extract_usage=lambda data, api_flavor: (data, counts))

    snapshots = ModuleType('genai_prices.data_snapshot')
    vars(snapshots)['get_snapshot'] = lambda: SimpleNamespace(find_provider=find_provider)
    monkeypatch.setitem(sys.modules, 'genai_prices', ModuleType('genai_prices'))
    monkeypatch.setitem(sys.modules, 'genai_prices.data_snapshot', snapshots)
    found = RequestUsage.extract({}, **EXTRACT, details={'d': 1})
    assert lookups == ['https://u', 'p', 'f'][:tried]
    expected = RequestUsage(input_tokens=3, cache_read_tokens=1) if known else RequestUsage()
    expected.details = {'d': 1}
    assert found == expected


@pytest.mark.parametrize(
    ('usage', 'ratio'),
    [
        (RequestUsage(), 0.0),
        (RequestUsage(input_tokens=10, cache_read_tokens=5), 0.5),
        (RunUsage(input_tokens=3, cache_read_tokens=3, requests=1), 1.0),
        (RequestUsage(cache_read_tokens=5), 0.0),
    ],
)
def test_the_share_that_was_read_from_the_cache(usage: RequestUsage | RunUsage, ratio: float) -> None:
    assert usage.cache_hit_ratio == ratio
    assert usage.cache_missed_tokens == max(usage.input_tokens - usage.cache_read_tokens, 0)


def test_a_limit_for_the_prompt_of_one_request() -> None:
    limits = UsageLimits(per_request_input_tokens_limit=10)
    assert limits.has_token_limits()
    limits.check_per_request_input_tokens(10)
    with pytest.raises(UsageLimitExceeded, match=r'per_request_input_tokens_limit of 10 \(request_input_tokens=11\)'):
        limits.check_per_request_input_tokens(11)
    with pytest.raises(UsageLimitExceeded, match='per_request_input_tokens_limit of 10') as caught:
        Agent('test').run_sync('q', usage_limits=limits)
    assert caught.value.usage.requests == 1
    assert Agent('test').run_sync('q', usage_limits=UsageLimits(per_request_input_tokens_limit=99)).output
