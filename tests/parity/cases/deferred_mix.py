"""One response with every kind of call: approvals, deferred and external calls, unknown tools, invalid arguments."""

from _common import call, fact, run
from _deferred import agent_of, external, go_on, need
from pydantic_ai import (
    ApprovalRequired,
    CallDeferred,
    DeferredToolResults,
    RunContext,
    ToolApproved,
    ToolDenied,
    ToolReturn,
)
from pydantic_ai.messages import TextPart

CALLS = [
    call('pay', {}),
    call('job', {}),
    call('need', {'x': 1}),
    call('ok', {}),
    call('ask', {'q': 1}),
    call('no', {'x': 2}),
    call('unknown', {}),
    call('bad', {'n': 'x'}),
]


def build(*responses, **options):
    agent = need(need(agent_of(*responses, toolsets=[external('ask')], **options)), 'no')

    @agent.tool_plain
    def ok():
        return 'fine'

    @agent.tool_plain
    def job():
        raise CallDeferred({'job': 1})

    @agent.tool
    def pay(ctx: RunContext):
        if not ctx.tool_call_approved:
            raise ApprovalRequired({'pay': 1})
        return 'paid'

    @agent.tool_plain
    def bad(n: int):
        return n

    return agent


first = run('all kinds', build(CALLS, [TextPart('done')]), 'q')
everything = DeferredToolResults(
    calls={'id_ask': 'A', 'id_job': ToolReturn('J', content='about the job')},
    approvals={'id_need': ToolApproved(override_args={'x': 9}), 'id_no': ToolDenied('never'), 'id_pay': True},
)
second = go_on('all answered', build(CALLS, [TextPart('done')]), first, everything)
fact('usage', [first.usage.tool_calls, second.usage.tool_calls])
fact('new messages', [message.kind for message in second.new_messages()])
print('== in steps, with remaining')
requests = first.output
part = requests.build_results(approvals={'id_pay': True}, calls={'id_ask': 1})
left = requests.remaining(part)
fact('left', [[one.tool_name for one in left.calls], [one.tool_name for one in left.approvals], left.metadata])
go_on('too early', build(CALLS, [TextPart('done')]), first, part)
part.update(left.build_results(approve_all=True, calls={'id_job': 2}))
fact('left', requests.remaining(part))
go_on('then', build(CALLS, [TextPart('done')]), first, part)
