"""Requests and results of calls that wait for someone."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from stead import DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied, ToolReturn
from stead.messages import RetryPromptPart, ToolCallPart


def call(call_id: str) -> ToolCallPart:
    return ToolCallPart('tool', {'a': 1}, tool_call_id=call_id)


@pytest.fixture
def requests() -> DeferredToolRequests:
    return DeferredToolRequests(
        calls=[call('c1'), call('c2')],
        approvals=[call('a1'), call('a2')],
        metadata={'c1': {'url': 'x'}, 'a2': {'why': 'y'}},
    )


def test_nothing_is_decided_unless_somebody_says_so(requests: DeferredToolRequests):
    assert requests.build_results() == DeferredToolResults()


def test_decisions_and_results(requests: DeferredToolRequests):
    decisions: dict[str, Any] = {
        'approvals': {'a1': True, 'a2': ToolDenied('no')},
        'calls': {'c1': 5, 'c2': ModelRetry('again')},
        'metadata': {'c1': {'k': 1}},
    }
    results = requests.build_results(**decisions)
    assert results == DeferredToolResults(**decisions)
    results.calls.clear()
    assert decisions['calls'] == {'c1': 5, 'c2': ModelRetry('again')}


def test_approving_all_leaves_decisions_as_they_are(requests: DeferredToolRequests):
    results = requests.build_results(approve_all=True, approvals={'a1': False})
    assert results == DeferredToolResults(approvals={'a1': False, 'a2': ToolApproved()})


@pytest.mark.parametrize(
    ('decisions', 'text'),
    [
        ({'calls': {'zzz': 1}}, "`calls` has the tool call ids ['zzz'], but only ['c1', 'c2'] are waiting."),
        (
            {'approvals': {'zzz': True}},
            "`approvals` has the tool call ids ['zzz'], but only ['a1', 'a2'] are waiting.",
        ),
        (
            {'approvals': {'c1': True}},
            "`approvals` has the tool call ids ['c1'], but only ['a1', 'a2'] are waiting.",
        ),
        ({'calls': {'a1': True}}, "`calls` has the tool call ids ['a1'], but only ['c1', 'c2'] are waiting."),
    ],
)
def test_results_for_what_nobody_asked(requests: DeferredToolRequests, decisions: Any, text: str):
    with pytest.raises(ValueError) as caught:
        requests.build_results(**decisions)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ('results', 'calls', 'approvals', 'metadata'),
    [
        (DeferredToolResults(), ['c1', 'c2'], ['a1', 'a2'], ['c1', 'a2']),
        (DeferredToolResults(calls={'c1': None}), ['c2'], ['a1', 'a2'], ['a2']),
        (DeferredToolResults(approvals={'a2': False}), ['c1', 'c2'], ['a1'], ['c1']),
        (DeferredToolResults(calls={'c1': 1, 'c2': 2}), [], ['a1', 'a2'], ['a2']),
        (DeferredToolResults(calls={'zzz': 1}), ['c1', 'c2'], ['a1', 'a2'], ['c1', 'a2']),
    ],
)
def test_calls_without_results_remain(
    requests: DeferredToolRequests, results: Any, calls: Any, approvals: Any, metadata: Any
):
    rest = requests.remaining(results)
    assert rest is not None
    assert [part.tool_call_id for part in rest.calls] == calls
    assert [part.tool_call_id for part in rest.approvals] == approvals
    assert list(rest.metadata) == metadata
    assert len(requests.calls) == len(requests.approvals) == 2


def test_nothing_remains_when_all_have_results(requests: DeferredToolRequests):
    results = DeferredToolResults(calls={'c1': 1, 'c2': 2}, approvals={'a1': True, 'a2': False})
    assert requests.remaining(results) is None
    assert DeferredToolRequests().remaining(DeferredToolResults()) is None


def test_later_results_replace_earlier_ones():
    results = DeferredToolResults(calls={'c1': 1}, approvals={'a1': True}, metadata={'c1': {'k': 1}})
    later = DeferredToolResults(calls={'c1': 2, 'c2': 3}, approvals={'a2': False}, metadata={'c1': {'l': 2}})
    results.update(later)
    assert results == DeferredToolResults(
        calls={'c1': 2, 'c2': 3}, approvals={'a1': True, 'a2': False}, metadata={'c1': {'l': 2}}
    )
    assert later.approvals == {'a2': False}


def test_one_result_for_each_call():
    retry, prompt, denied = ModelRetry('again'), RetryPromptPart('again'), ToolDenied('no')
    override = ToolApproved(override_args={'a': 2})
    results = DeferredToolResults(
        calls={'plain': 1, 'none': None, 'return': ToolReturn('x', content='y'), 'retry': retry, 'prompt': prompt},
        approvals={'yes': True, 'no': False, 'denied': denied, 'override': override},
    )
    assert results.to_tool_call_results() == {
        'yes': ToolApproved(),
        'no': ToolDenied(),
        'denied': denied,
        'override': override,
        'plain': ToolReturn(1),
        'none': ToolReturn(None),
        'return': ToolReturn('x', content='y'),
        'retry': retry,
        'prompt': prompt,
    }


def test_the_default_denial_is_what_models_know():
    assert ToolDenied().message == 'The tool call was denied.'


def test_results_are_read_from_json():
    adapter = TypeAdapter(DeferredToolResults)
    text = """{
        "calls": {"plain": 1, "return": {"return_value": 1, "kind": "tool-return"}, "retry": {"message": "m", "kind": "model-retry"},
                  "prompt": {"content": "m", "part_kind": "retry-prompt"}, "other": {"kind": "unknown"}},
        "approvals": {"yes": true, "no": {"kind": "tool-denied", "message": "m"},
                      "override": {"kind": "tool-approved", "override_args": {"a": 1}}}
    }"""
    results = adapter.validate_json(text)
    assert results.approvals == {'yes': True, 'no': ToolDenied('m'), 'override': ToolApproved(override_args={'a': 1})}
    assert results.calls['plain'] == 1
    assert results.calls['return'] == ToolReturn(1)
    assert results.calls['retry'] == ModelRetry('m')
    assert isinstance(results.calls['prompt'], RetryPromptPart)
    assert results.calls['other'] == {'kind': 'unknown'}


def test_requests_survive_json(requests: DeferredToolRequests):
    adapter = TypeAdapter(DeferredToolRequests)
    assert adapter.validate_json(adapter.dump_json(requests)) == requests
