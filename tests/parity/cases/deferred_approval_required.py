"""Tools that raise `ApprovalRequired` themselves: approved, denied, with other arguments, and more than once."""

from _common import call, fact, run
from _deferred import agent_of, go_on
from pydantic_ai import ApprovalRequired, CallDeferred, DeferredToolResults, RunContext, ToolApproved
from pydantic_ai.messages import TextPart


def build(*responses):
    agent = agent_of(*responses)

    @agent.tool
    async def pay(ctx: RunContext, amount: int) -> str:
        fact('pay', [amount, ctx.tool_call_approved, ctx.tool_call_metadata, ctx.tool_call_id, ctx.retry])
        if amount > 10 and not ctx.tool_call_approved:
            raise ApprovalRequired({'amount': amount, 'limit': 10})
        return f'paid {amount}'

    @agent.tool
    async def never(ctx: RunContext) -> str:
        raise ApprovalRequired

    @agent.tool
    async def twice(ctx: RunContext) -> str:
        level = (ctx.tool_call_metadata or {}).get('level', 0)
        if level < 2:
            raise ApprovalRequired({'level': level})
        return f'level {level}'

    return agent


calls = [call('pay', {'amount': 5}, 'little'), call('pay', {'amount': 50}, 'much')]
first = run('asked', build(calls, [TextPart('done')]), 'q')
go_on('approved', build(calls, [TextPart('done')]), first, DeferredToolResults(approvals={'much': True}))
go_on('denied', build(calls, [TextPart('done')]), first, DeferredToolResults(approvals={'much': False}))
go_on(
    'less',
    build(calls, [TextPart('done')]),
    first,
    DeferredToolResults(approvals={'much': ToolApproved(override_args={'amount': 9})}),
)
go_on(
    'the little one again',
    build(calls, [TextPart('done')]),
    first,
    DeferredToolResults(approvals={'much': True, 'little': True}),
)
first = run('never', build([call('never', {})], [TextPart('done')]), 'q')
second = go_on(
    'never, approved',
    build([call('never', {})], [TextPart('done')]),
    first,
    DeferredToolResults(approvals={'id_never': True}),
)
first = run('level 0', build([call('twice', {})], [TextPart('done')]), 'q')
for level in (1, 2):
    first = go_on(
        f'level {level}',
        build([call('twice', {})], [TextPart('done')]),
        first,
        DeferredToolResults(approvals={'id_twice': True}, metadata={'id_twice': {'level': level}}),
    )
fact(
    'exceptions',
    [
        ApprovalRequired().metadata,
        ApprovalRequired({'a': 1}).metadata,
        CallDeferred().metadata,
        CallDeferred(metadata={'b': 1}).metadata,
    ],
)
