"""Retries of tools that need approval; arguments are validated before approval is asked for."""

from _common import call, fact, run
from _deferred import agent_of, go_on
from pydantic_ai import DeferredToolResults, ModelRetry, RunContext, ToolApproved
from pydantic_ai.messages import TextPart


def build(*responses, retries=1):
    agent = agent_of(*responses)

    @agent.tool(requires_approval=True, retries=retries)
    def pick(ctx: RunContext, n: int):
        fact('pick', [n, ctx.retry, ctx.max_retries, ctx.tool_call_approved, ctx.run_step])
        if n < 3:
            raise ModelRetry('more')
        return n

    return agent


PICK = [call('pick', {'n': 1})]
YES = DeferredToolResults(approvals={'id_pick': True})
first = run('asked', build(PICK), 'q')
second = go_on('retry after approval', build(PICK, [call('pick', {'n': 3}, 'second')], [TextPart('done')]), first, YES)
go_on('approved again', build(PICK, PICK, [TextPart('done')]), second, DeferredToolResults(approvals={'second': True}))
go_on('no retry left', build(PICK, [TextPart('done')], retries=0), first, YES)
go_on(
    'a retry given',
    build(PICK, [TextPart('gave up')], retries=0),
    first,
    DeferredToolResults(calls={'id_pick': ModelRetry('no')}),
)
print('== arguments are checked before anybody is asked')
run('invalid', build([call('pick', {'n': 'x'})], [call('pick', {'n': 3})], [TextPart('done')]), 'q')
run('invalid twice', build([call('pick', {'n': 'x'})]), 'q')


def check(ctx, n):
    fact('check', [n, ctx.tool_call_approved, ctx.retry])
    if n == 2:
        raise ModelRetry('not 2')


checked = agent_of([call('pick', {'n': 2})], [call('pick', {'n': 4})], [TextPart('done')])
checked.tool_plain(name='pick', requires_approval=True, args_validator=check)(lambda n: n)
first = run('checked', checked, 'q')


def other():
    agent = agent_of([call('pick', {'n': 4})], [TextPart('done')])

    def pick(n: int):
        return n

    agent.tool_plain(requires_approval=True, args_validator=check)(pick)
    return agent


first = run('checked, typed', other(), 'q')
go_on('checked again', other(), first, YES)
go_on(
    'other arguments are checked',
    other(),
    first,
    DeferredToolResults(approvals={'id_pick': ToolApproved(override_args={'n': 2})}),
)
