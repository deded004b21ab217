"""External tools: results, denials, a second round, arguments that are not valid JSON, and tools that are gone."""

from _common import call, fails, run
from _deferred import agent_of, external, go_on
from pydantic_ai import DeferredToolResults
from pydantic_ai.messages import TextPart

CALLS = [call('ask', {'q': 1}), call('look', '{"q": [1, 2]}'), call('local', {})]


def build(*responses, **options):
    agent = agent_of(*responses, toolsets=[external('ask', 'look')], **options)

    @agent.tool_plain
    def local() -> str:
        return 'here'

    return agent


first = run('asked', build(CALLS, [TextPart('done')]), 'q')
go_on(
    'answered', build(CALLS, [TextPart('done')]), first, DeferredToolResults(calls={'id_ask': 'A', 'id_look': [1, 2]})
)
go_on(
    'denied',
    build(CALLS, [TextPart('done')]),
    first,
    DeferredToolResults(approvals={'id_ask': False}, calls={'id_look': 1}),
)
second = go_on(
    'asked again',
    build(CALLS, [call('ask', {'q': 2}, 'second')], [TextPart('done')]),
    first,
    DeferredToolResults(calls={'id_ask': 'A', 'id_look': 'B'}),
)
go_on('answered again', build(CALLS, CALLS, [TextPart('done')]), second, DeferredToolResults(calls={'second': 'C'}))
run('no arguments', build([call('ask', None)]), 'q')
run('broken arguments', build([call('ask', '{"q": ')]), 'q')
run('arguments that are no object', build([call('ask', '[1]')]), 'q')
go_on(
    'tools that are gone',
    agent_of(CALLS, [TextPart('done')]),
    first,
    DeferredToolResults(calls={'id_ask': 'A', 'id_look': 'B'}),
)
fails('no place', build(CALLS, output_type=str), 'q')
