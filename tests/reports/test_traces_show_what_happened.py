"""Spans have a call that was refused, no bytes that are not wanted, and each token once."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from stead import Agent, BinaryContent, RunUsage, TextPart, ToolCallPart, ToolReturn
from stead.capabilities import Instrumentation
from stead.models.test import TestModel
from stead.usage import RequestUsage

from ..instrumentation.kit import recording, script


def traced(model: Any, **options: Any) -> tuple[Any, Agent]:
    recorder, settings = recording(**options)
    return recorder, Agent(model, capabilities=[Instrumentation(settings)], retries=2)


def test_a_call_whose_arguments_are_invalid_has_a_span() -> None:
    recorder, agent = traced(script([ToolCallPart('count', {'n': 'many'})], [TextPart('done')]), version=3)

    @agent.tool_plain
    def count(n: int) -> int:
        return n

    agent.run_sync('x')
    assert [span.name for span in recorder.spans if 'count' in span.name] == ['execute_tool count']


@pytest.mark.parametrize('version', [1, 2, 3, 4, 5])
def test_no_span_has_bytes_that_are_not_wanted(version: int) -> None:
    calls = [ToolCallPart('one', {}), ToolCallPart('two', {}), ToolCallPart('three', {}), ToolCallPart('four', {})]
    recorder, agent = traced(script(calls, [TextPart('done')]), version=version, include_binary_content=False)
    files = {
        name: BinaryContent((name * 20).encode(), media_type='image/png')
        for name in ('ASKED', 'GIVEN', 'INSIDE', 'MORE')
    }

    @agent.tool_plain
    def one() -> BinaryContent:
        return files['GIVEN']

    @agent.tool_plain
    def two() -> Any:
        return {'files': [files['INSIDE']], 'raw': b'INSIDE' * 20}

    @agent.tool_plain
    def three() -> Any:
        return ToolReturn('ok', content=['see', files['MORE']])

    @agent.tool_plain
    def four() -> list[Any]:
        return [1, files['GIVEN']]

    agent.run_sync(['look', files['ASKED']])
    seen = repr([(span.attributes, getattr(span, 'events', ())) for span in recorder.spans]) + repr(recorder.logs)
    for name, file in files.items():
        assert base64.b64encode(file.data).decode()[:24] not in seen
        assert name * 3 not in seen


def test_a_run_shows_its_own_usage_where_several_share_one() -> None:
    recorder, agent = traced(TestModel())
    shared = RunUsage()
    for _ in range(2):
        agent.run_sync('x', usage=shared)
    runs = [span.attributes for span in recorder.spans if span.name == 'agent run']
    first, second = [{name: count for name, count in run.items() if 'usage' in name} for run in runs]
    assert first == second
    assert shared.requests == 2


def test_a_count_with_an_attribute_of_its_own_is_not_among_the_details() -> None:
    details = {'input_tokens': 30, 'output_tokens': 7, 'cache_read_input_tokens': 20, 'reasoning_tokens': 0}
    usage = RequestUsage(input_tokens=50, output_tokens=7, cache_read_tokens=20, input_audio_tokens=3, details=details)
    assert usage.opentelemetry_attributes() == {
        'gen_ai.usage.input_tokens': 50,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.usage.cache_read.input_tokens': 20,
        'gen_ai.usage.details.reasoning_tokens': 0,
        'gen_ai.usage.details.input_audio_tokens': 3,
    }


def test_what_google_read_from_its_cache_is_counted_once() -> None:
    usage = RequestUsage(cache_read_tokens=3, details={'cached_content_tokens': 3})
    assert usage.opentelemetry_attributes() == {'gen_ai.usage.cache_read.input_tokens': 3}


@pytest.mark.parametrize(
    ('counts', 'details'),
    [
        ({'output_audio_tokens': 4}, {'audio_tokens': 4}),
        ({'input_audio_tokens': 3, 'output_audio_tokens': 4}, {'audio_tokens': 4}),
        ({'input_audio_tokens': 3}, {'audio_prompt_tokens': 3}),
        ({'cache_audio_read_tokens': 2}, {'audio_cache_tokens': 2}),
        ({'output_audio_tokens': 6}, {'audio_candidates_tokens': 6}),
    ],
)
@pytest.mark.parametrize('kind', [RequestUsage, RunUsage])
def test_audio_is_counted_once_by_whatever_name_a_vendor_has_for_it(
    kind: type[RunUsage], counts: dict[str, int], details: dict[str, int]
) -> None:
    usage = kind(**counts, details={**details, 'reasoning_tokens': 1})  # type: ignore[arg-type]
    expected = {f'gen_ai.usage.details.{name}': count for name, count in {**counts, 'reasoning_tokens': 1}.items()}
    assert usage.opentelemetry_attributes() == expected
    assert (usage + usage).opentelemetry_attributes() == {name: 2 * count for name, count in expected.items()}


def test_a_usage_of_zeros_has_no_values() -> None:
    assert not RequestUsage(details={'reasoning_tokens': 0}).has_values()
    assert not RunUsage(details={'reasoning_tokens': 0}).has_values()
    assert RunUsage(details={'reasoning_tokens': 1}).has_values()
    assert RunUsage(tool_calls=1).has_values()
