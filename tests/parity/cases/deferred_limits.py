"""Limits on tool calls and requests where some calls wait for an answer, and when they are resumed."""

from _common import call, run
from _deferred import agent_of, external, go_on, need
from pydantic_ai import DeferredToolResults
from pydantic_ai.messages import TextPart
from pydantic_ai.usage import UsageLimits


def build(*responses):
    agent = need(agent_of(*responses, toolsets=[external('ask')]))

    @agent.tool_plain
    def ok():
        return 'fine'

    return agent


CALLS = [call('need', {'x': 1}), call('ask', {}), call('ok', {})]
for limit in (0, 1, 2):
    run(f'{limit} calls', build(CALLS, [TextPart('done')]), 'q', usage_limits=UsageLimits(tool_calls_limit=limit))
first = run('asked', build(CALLS, [TextPart('done')]), 'q')
results = DeferredToolResults(calls={'id_ask': 1}, approvals={'id_need': True})
for limit in (0, 1, 2):
    go_on(
        f'{limit} calls, resumed',
        build(CALLS, [TextPart('done')]),
        first,
        results,
        usage_limits=UsageLimits(tool_calls_limit=limit),
    )
go_on('usage goes on', build(CALLS, [TextPart('done')]), first, results, usage=first.usage)
go_on(
    'denied calls are free',
    build(CALLS, [TextPart('done')]),
    first,
    DeferredToolResults(calls={'id_ask': 1}, approvals={'id_need': False}),
    usage_limits=UsageLimits(tool_calls_limit=0),
)
go_on('no request left', build(CALLS, [TextPart('done')]), first, results, usage_limits=UsageLimits(request_limit=0))
