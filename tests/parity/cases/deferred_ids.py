"""Results for calls that are missing, unknown or already answered, and runs resumed without any."""

from _common import call, run
from _deferred import agent_of, external, go_on, need
from pydantic_ai import DeferredToolResults
from pydantic_ai.messages import TextPart


def build():
    agent = need(
        agent_of([call('need', {}), call('ask', {}), call('ok', {})], [TextPart('done')], toolsets=[external('ask')])
    )

    @agent.tool_plain
    def ok():
        return 'fine'

    return agent


first = run('asked', build(), 'q')
for title, results in {
    'one missing': DeferredToolResults(calls={'id_ask': 1}),
    'all missing': DeferredToolResults(),
    'one unknown': DeferredToolResults(calls={'id_ask': 1, 'zz': 2}, approvals={'id_need': True}),
    'only unknown': DeferredToolResults(calls={'zz': 2}),
    'one that was answered': DeferredToolResults(calls={'id_ask': 1, 'id_ok': 2}, approvals={'id_need': True}),
    'metadata of an unknown one': DeferredToolResults(
        calls={'id_ask': 1}, approvals={'id_need': True}, metadata={'zz': {}}
    ),
}.items():
    go_on(title, build(), first, results)
run('no history', build(), deferred_tool_results=DeferredToolResults(calls={'id_ask': 1}))
run('no history, but a prompt', build(), 'q', deferred_tool_results=DeferredToolResults(calls={'id_ask': 1}))
text = run('text', agent_of([TextPart('only text')]), 'q')
go_on('a history without calls', build(), text, DeferredToolResults(calls={'id_ask': 1}))
full = DeferredToolResults(calls={'id_ask': 1}, approvals={'id_need': True})
second = go_on('answered', build(), first, full)
go_on('answered again', build(), second, full)
waiting = need(agent_of([call('need', {'x': 1})], [TextPart('done')]))
second = run('only calls that wait', waiting, 'q')
run('no results', waiting, message_history=second.all_messages())
run('no results, but a prompt', build(), 'more', message_history=first.all_messages())
