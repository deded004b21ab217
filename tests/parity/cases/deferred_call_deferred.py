"""Tools that raise `CallDeferred`: results as values, tool returns, retries and approvals."""

from _common import call, fact, run
from _deferred import agent_of, go_on
from pydantic_ai import CallDeferred, DeferredToolResults, ModelRetry, RunContext, ToolDenied, ToolReturn
from pydantic_ai.messages import RetryPromptPart, TextPart


def build(*responses):
    agent = agent_of(*responses)

    @agent.tool
    async def job(ctx: RunContext, n: int) -> str:
        fact('job', [n, ctx.tool_call_approved, ctx.tool_call_metadata])
        raise CallDeferred({'job': n} if n else None)

    @agent.tool_plain
    async def later(n: int = 0):
        raise CallDeferred

    return agent


CALLS = [call('job', {'n': '3'}, 'one'), call('job', {'n': 0}, 'two'), call('later', {})]
first = run('deferred', build(CALLS, [TextPart('done')]), 'q')
RESULTS = {
    'values': DeferredToolResults(calls={'one': 'r1', 'two': {'k': [1]}, 'id_later': None}),
    'tool returns': DeferredToolResults(
        calls={
            'one': ToolReturn('v', content='more', metadata={'m': 1}),
            'two': ToolReturn(5),
            'id_later': ToolReturn('x', content=['a', 'b']),
        }
    ),
    'retries': DeferredToolResults(
        calls={
            'one': ModelRetry('again'),
            'two': RetryPromptPart('not so', tool_name='wrong', tool_call_id='wrong'),
            'id_later': RetryPromptPart([{'type': 'missing', 'loc': ('n',), 'msg': 'm', 'input': {}}]),
        }
    ),
    'approved instead': DeferredToolResults(approvals={'one': True, 'two': False, 'id_later': ToolDenied('no')}),
    'denied as results': DeferredToolResults(calls={'one': ToolDenied('no'), 'two': 1, 'id_later': 1}),
}
for title, results in RESULTS.items():
    go_on(title, build(CALLS, [TextPart('done')]), first, results)
