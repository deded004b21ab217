"""`DeferredToolRequests` and `DeferredToolResults`: building results, what remains, and what ids may be given."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from stead import DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied, ToolReturn
from stead.messages import RetryPromptPart, ToolCallPart

IDS = st.sampled_from([f'id{number}' for number in range(8)])


def requests_of(calls: set[str], approvals: set[str]) -> DeferredToolRequests:
    return DeferredToolRequests(
        calls=[ToolCallPart('call', {}, tool_call_id=one) for one in sorted(calls)],
        approvals=[ToolCallPart('approve', {}, tool_call_id=one) for one in sorted(approvals)],
        metadata={one: {'of': one} for one in sorted(calls | approvals)},
    )


def ids(calls: list[ToolCallPart]) -> set[str]:
    return {call.tool_call_id for call in calls}


@given(st.sets(IDS), st.sets(IDS), st.data())
def test_what_is_answered_and_what_remains_make_up_the_whole(
    calls: set[str], approvals: set[str], data: st.DataObject
) -> None:
    calls = calls - approvals
    requests = requests_of(calls, approvals)
    done_calls = data.draw(st.sets(st.sampled_from(sorted(calls)))) if calls else set[str]()
    done_approvals = data.draw(st.sets(st.sampled_from(sorted(approvals)))) if approvals else set[str]()
    results = requests.build_results(
        calls=dict.fromkeys(done_calls, 1), approvals=dict.fromkeys(done_approvals, data.draw(st.booleans()))
    )
    left = requests.remaining(results)
    left_ids = (ids(left.calls), ids(left.approvals)) if left else (set[str](), set[str]())
    assert left_ids == (calls - done_calls, approvals - done_approvals)
    assert (left is None) == (done_calls == calls and done_approvals == approvals)
    if left is not None:
        assert left.metadata.keys() == left_ids[0] | left_ids[1]
        results.update(left.build_results(approve_all=True, calls=dict.fromkeys(left_ids[0], 2)))
    assert requests.remaining(results) is None
    assert results.to_tool_call_results().keys() == calls | approvals


@pytest.mark.parametrize(
    ('wrong', 'what'),
    [
        ({'approvals': {'c': True}}, "approvals.*'c'.*'a', 'b'"),
        ({'approvals': {'zz': True, 'a': True}}, "approvals.*'zz'.*'a', 'b'"),
        ({'calls': {'a': 1}}, "calls.*'a'.*'c', 'd'"),
        ({'calls': {'yy': 1, 'zz': 1}}, "calls.*'yy', 'zz'.*'c', 'd'"),
    ],
)
def test_an_id_that_does_not_wait_is_an_error_that_lists_both_sides(wrong: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        requests_of({'c', 'd'}, {'a', 'b'}).build_results(**wrong)


def test_approve_all_leaves_decisions_alone_and_does_not_touch_what_it_is_given() -> None:
    decisions: dict[str, Any] = {'a': False}
    results = requests_of(set(), {'a', 'b'}).build_results(approvals=decisions, approve_all=True)
    assert results.approvals == {'a': False, 'b': ToolApproved()}
    assert decisions == {'a': False}


def test_results_in_one_form() -> None:
    retry = RetryPromptPart('not so')
    results = DeferredToolResults(
        calls={'a': 1, 'b': ToolReturn('x'), 'c': ModelRetry('again'), 'd': retry},
        approvals={'e': True, 'f': False, 'g': ToolDenied('no'), 'h': ToolApproved(override_args={'x': 1})},
    ).to_tool_call_results()
    assert results['a'] == ToolReturn(1)
    assert results['d'] is retry
    assert (results['e'], results['f']) == (ToolApproved(), ToolDenied())
    assert (results['g'], results['h']) == (ToolDenied('no'), ToolApproved(override_args={'x': 1}))
