"""Requests and results of calls that wait for an answer."""

import json

from _tools import show
from pydantic import TypeAdapter
from pydantic_ai import DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied, ToolReturn
from pydantic_ai.messages import RetryPromptPart, ToolCallPart


def attempt(label, action):
    try:
        result = action()
        if isinstance(result, DeferredToolResults):
            result.approvals = dict(sorted(result.approvals.items()))  # their order is that of a set
        show(label, repr(result))
    except Exception as error:
        show(label, f'! {type(error).__name__}')


def call(name, call_id):
    return ToolCallPart(name, {'a': 1}, tool_call_id=call_id)


requests = DeferredToolRequests(
    calls=[call('elsewhere', 'c1'), call('elsewhere', 'c2')],
    approvals=[call('delete', 'a1'), call('delete', 'a2')],
    metadata={'c1': {'url': 'x'}, 'a2': {'why': 'y'}, 'other': {}},
)
show('requests', repr(requests))
show('empty', [repr(DeferredToolRequests()), repr(DeferredToolResults())])
show(
    'approved',
    [repr(ToolApproved()), repr(ToolApproved(override_args={'a': 2})), repr(ToolDenied()), repr(ToolDenied('no'))],
)

attempt('nothing', lambda: requests.build_results())
attempt('all', lambda: requests.build_results(approve_all=True))
attempt('all but', lambda: requests.build_results(approve_all=True, approvals={'a1': False}))
attempt('all but denied', lambda: requests.build_results(approve_all=True, approvals={'a2': ToolDenied('no')}))
attempt('calls', lambda: requests.build_results(calls={'c1': 5, 'c2': ModelRetry('again')}))
attempt('metadata', lambda: requests.build_results(calls={'c1': 5}, metadata={'c1': {'k': 1}}))
attempt('metadata only', lambda: requests.build_results(metadata={'c1': {'k': 1}}))
attempt('metadata unknown', lambda: requests.build_results(metadata={'zzz': {'k': 1}}))
attempt('unknown call', lambda: requests.build_results(calls={'zzz': 5}))
attempt('unknown approval', lambda: requests.build_results(approvals={'zzz': True}))
attempt('approval of call', lambda: requests.build_results(approvals={'c1': True}))
attempt('call of approval', lambda: requests.build_results(calls={'a1': 1}))

for label, results in {
    'nothing': DeferredToolResults(),
    'a call': DeferredToolResults(calls={'c1': 1}),
    'an approval': DeferredToolResults(approvals={'a1': True}),
    'a denial': DeferredToolResults(approvals={'a1': False}),
    'in the wrong place': DeferredToolResults(approvals={'c1': True}, calls={'a1': 1}),
    'calls': DeferredToolResults(calls={'c1': 1, 'c2': 2}),
    'all': DeferredToolResults(calls={'c1': 1, 'c2': 2}, approvals={'a1': True, 'a2': False}),
    'none of them': DeferredToolResults(calls={'zzz': 1}),
}.items():
    attempt(f'remaining after {label}', lambda results=results: requests.remaining(results))

results = DeferredToolResults(calls={'c1': 1}, approvals={'a1': True}, metadata={'c1': {'k': 1}})
show(
    'update',
    repr(
        results.update(
            DeferredToolResults(calls={'c1': 2, 'c2': 3}, approvals={'a2': False}, metadata={'c1': {'l': 2}})
        )
    ),
)
show('updated', repr(results))

converted = DeferredToolResults(
    calls={
        'plain': 1,
        'none': None,
        'dict': {'a': 1},
        'return': ToolReturn('x'),
        'retry': ModelRetry('again'),
        'prompt': RetryPromptPart('again', tool_name='t'),
        'approved': ToolApproved(),
        'true': True,
    },
    approvals={'yes': True, 'no': False, 'with': ToolApproved(override_args={'b': 2}), 'because': ToolDenied('no')},
)
for call_id, result in converted.to_tool_call_results().items():
    show(call_id, repr(result))

for value in (DeferredToolRequests, DeferredToolResults):
    adapter = TypeAdapter(value)
    with_results = (
        requests
        if value is DeferredToolRequests
        else DeferredToolResults(calls={'c1': 1}, approvals={'a': ToolDenied('no'), 'b': True})
    )
    text = adapter.dump_json(with_results)
    show('json', json.loads(text))
    show('read', repr(adapter.validate_json(text)))
for text in (
    '{"approvals": {"a": true, "b": {"kind": "tool-denied", "message": "m"}, "c": {"kind": "tool-approved"}}}',
    '{"calls": {"a": 1, "b": {"return_value": 1, "kind": "tool-return"}, "c": {"message": "m", "kind": "model-retry"}}}',
    '{"calls": {"a": {"content": "m", "part_kind": "retry-prompt"}, "b": {"kind": "unknown"}, "c": null}}',
    '{"approvals": {"a": {"kind": "unknown"}}}',
    '{"approvals": {"a": "maybe"}}',
    '{"metadata": {"a": 1}}',
    '{"calls": {"a": {"kind": "tool-return"}}}',
    '{"calls": {"a": {"kind": 3}}, "more": 1}',
):
    attempt(text, lambda text=text: TypeAdapter(DeferredToolResults).validate_json(text))
