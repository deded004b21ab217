"""Requests and results of deferred calls as JSON, there and back."""

from _common import call, fact
from pydantic import TypeAdapter
from pydantic_ai import DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied, ToolReturn

results = TypeAdapter(DeferredToolResults)
requests = TypeAdapter(DeferredToolRequests)


def there_and_back(name, adapter, value):
    try:
        data = adapter.dump_json(value)
        print(name, data.decode())
        loaded = adapter.validate_json(data)
        fact('  back', repr(loaded))
        fact('  equal', loaded == value)
    except Exception as error:
        fact('  error', type(error).__name__)


there_and_back('empty requests', requests, DeferredToolRequests())
there_and_back(
    'requests',
    requests,
    DeferredToolRequests(
        calls=[call('c', {'x': 1})], approvals=[call('a', '{"y": 2}')], metadata={'id_c': {'job': [1, 2]}}
    ),
)
there_and_back('empty results', results, DeferredToolResults())
there_and_back(
    'approvals',
    results,
    DeferredToolResults(
        approvals={
            'a': True,
            'b': False,
            'c': ToolApproved(override_args={'x': 1}),
            'd': ToolDenied('no'),
            'e': ToolApproved(),
        }
    ),
)
there_and_back(
    'values',
    results,
    DeferredToolResults(
        calls={'a': 1, 'b': None, 'c': 'text', 'd': [1, {'e': 2}], 'f': 1.5, 'g': {'kind': 'unknown'}},
        metadata={'a': {'m': 1}},
    ),
)
there_and_back(
    'tool return',
    results,
    DeferredToolResults(calls={'a': ToolReturn('v', content='c', metadata={'m': 1}), 'b': ToolReturn({'k': [1]})}),
)
there_and_back('retry', results, DeferredToolResults(calls={'a': ModelRetry('again')}))
print('== from JSON')
for data in (
    (
        '{"approvals": {"a": true, "b": {"kind": "tool-approved"},'
        ' "c": {"kind": "tool-denied", "message": "no"}, "d": {"kind": "tool-denied"}}}'
    ),
    '{"approvals": {"a": {"override_args": {"x": 1}, "kind": "tool-approved"}}}',
    '{"approvals": {"a": {"kind": "other"}}}',
    (
        '{"calls": {"a": {"kind": "tool-return", "return_value": 5}, "b": {"kind": "model-retry", "message": "m"},'
        ' "c": {"part_kind": "retry-prompt", "content": "x", "tool_name": "t", "tool_call_id": "i"}}}'
    ),
    '{"calls": {"a": {"return_value": 5}}}',
    '{"calls": {"a": {"kind": "tool-return"}}}',
    '{"calls": []}',
    '{"metadata": {"a": 1}}',
    '{}',
):
    try:
        loaded = results.validate_json(data)
        fact(
            'loaded',
            [
                repr(loaded.approvals),
                {key: type(value).__name__ for key, value in loaded.calls.items()},
                loaded.metadata,
            ],
        )
    except Exception as error:
        fact('error', type(error).__name__)
