"""A new prompt beside the results of deferred calls."""

from _common import call, run
from _deferred import agent_of, external, go_on, need
from pydantic_ai import DeferredToolResults, ToolReturn
from pydantic_ai.messages import TextPart


def build():
    return need(agent_of([call('need', {'x': 1}), call('ask', {})], [TextPart('done')], toolsets=[external('ask')]))


first = run('asked', build(), 'q')
plain = DeferredToolResults(calls={'id_ask': 'A'}, approvals={'id_need': True})
content = DeferredToolResults(calls={'id_ask': ToolReturn('A', content=['seen', 'this'])}, approvals={'id_need': False})
go_on('prompt', build(), first, plain, 'and now?')
go_on('prompt as a list', build(), first, plain, ['and', 'now?'])
go_on('prompt after content', build(), first, content, 'and now?')
go_on('empty prompt', build(), first, plain, '')
go_on('with instructions', build(), first, plain, 'and now?', instructions='Be brief.')
again = need(
    agent_of(
        [call('need', {'x': 1}), call('ask', {})],
        [call('need', {'x': 2}, 'second')],
        [TextPart('done')],
        toolsets=[external('ask')],
    )
)
second = go_on('deferred again', again, first, plain, 'and now?')
go_on('and again', again, second, DeferredToolResults(approvals={'second': True}), 'at last')
