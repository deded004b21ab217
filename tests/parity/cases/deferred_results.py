"""`DeferredToolResults`: conversion to results of calls, `update`, defaults, equality and representations."""

from _common import attempt, fact
from pydantic_ai import DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied, ToolReturn
from pydantic_ai.messages import RetryPromptPart

retry = RetryPromptPart('not so', tool_name='t', tool_call_id='c')
results = DeferredToolResults(
    calls={
        'a': 1,
        'b': None,
        'c': ToolReturn('v', content='more', metadata={'m': 1}),
        'd': ModelRetry('again'),
        'e': retry,
        'f': ToolDenied('x'),
        'g': [ToolReturn(1)],
    },
    approvals={
        'h': True,
        'i': False,
        'j': ToolApproved(override_args={'x': 1}),
        'k': ToolDenied('no'),
        'l': ToolApproved(),
    },
    metadata={'a': {'m': 1}},
)
converted = results.to_tool_call_results()
fact('order', list(converted))
for key, value in converted.items():
    fact(key, value)
fact(
    'same objects',
    [converted['c'] is results.calls['c'], converted['e'] is retry, converted['j'] is results.approvals['j']],
)
fact('empty', DeferredToolResults().to_tool_call_results())
fact('one id in both', DeferredToolResults(calls={'a': 1}, approvals={'a': True}).to_tool_call_results())
first = DeferredToolResults(calls={'a': 1, 'b': 2}, approvals={'c': True}, metadata={'a': {'m': 1}, 'b': {'n': 1}})
fact(
    'update',
    first.update(DeferredToolResults(calls={'b': 3}, approvals={'c': False, 'd': True}, metadata={'a': {'k': 2}})),
)
fact('updated', [first.calls, first.approvals, first.metadata])
fact('defaults', [ToolDenied().message, ToolDenied('a').kind, ToolApproved().kind, ToolApproved().override_args])
fact(
    'arguments',
    [
        attempt(lambda: ToolApproved({'x': 1})),
        attempt(lambda: ToolDenied(message='m').message),
        attempt(lambda: DeferredToolResults({})),
    ],
)
fact(
    'equal',
    [
        ToolDenied('a') == ToolDenied('a'),
        ToolApproved() == ToolApproved(override_args={}),
        DeferredToolResults() == DeferredToolResults(),
    ],
)
fact(
    'repr',
    [
        repr(ToolDenied()),
        repr(ToolApproved(override_args={'x': 1})),
        repr(DeferredToolResults(calls={'a': 1})),
        repr(DeferredToolRequests()),
    ],
)
