"""Tools that require approval: every form of answer, from plain booleans to other arguments, metadata and results."""

from _common import call, run
from _deferred import agent_of, go_on, need
from pydantic_ai import DeferredToolResults, ModelRetry, ToolApproved, ToolDenied, ToolReturn
from pydantic_ai.messages import TextPart


def build():
    return need(need(agent_of([call('need', {'x': 1}), call('other', {'x': '2'})], [TextPart('done')])), 'other')


first = run('asked', build(), 'q')
YES = {'id_need': True, 'id_other': True}
for title, results in {
    'approved': DeferredToolResults(approvals=YES),
    'approved with objects': DeferredToolResults(
        approvals={'id_need': ToolApproved(), 'id_other': ToolApproved(override_args=None)}
    ),
    'one denied': DeferredToolResults(approvals={'id_need': True, 'id_other': False}),
    'both denied': DeferredToolResults(approvals={'id_need': ToolDenied(), 'id_other': ToolDenied('Ask me later.')}),
    'empty denial': DeferredToolResults(approvals={'id_need': ToolDenied(''), 'id_other': True}),
    'other arguments': DeferredToolResults(
        approvals={'id_need': ToolApproved(override_args={'x': 7}), 'id_other': ToolApproved(override_args={})}
    ),
    'other arguments as text': DeferredToolResults(
        approvals={'id_need': ToolApproved(override_args={'x': '7'}), 'id_other': True}
    ),
    'other arguments that are invalid': DeferredToolResults(
        approvals={'id_need': ToolApproved(override_args={'x': 'y'}), 'id_other': True}
    ),
    'metadata': DeferredToolResults(approvals=YES, metadata={'id_need': {'by': 'me'}, 'nobody': {'a': 1}}),
    'metadata and other arguments': DeferredToolResults(
        approvals={**YES, 'id_other': ToolApproved(override_args={'x': 3})}, metadata={'id_other': {'by': 'you'}}
    ),
    'results instead of approvals': DeferredToolResults(
        calls={'id_need': 'given', 'id_other': ToolReturn('v', content='c', metadata={'m': 1})}
    ),
    'a result and an approval': DeferredToolResults(calls={'id_need': 'given'}, approvals={'id_other': True}),
    'a retry instead of an approval': DeferredToolResults(calls={'id_need': ModelRetry('not so'), 'id_other': 1}),
}.items():
    go_on(title, build(), first, results)
