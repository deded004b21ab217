from _common import *

seen = []
agent = Agent(script([call('y', {})], [call('y', {})], [call('y', {})], [call('y', {})], [TextPart('done')]))


@agent.tool
def y(ctx: RunContext):
    seen.append(ctx.retry)
    if len(seen) % 2:
        raise ModelRetry('odd')
    return 'even'


run('every other', agent, 'x')
fact('seen', seen)
agent, seen2 = Agent(script([call('y', {})], [call('z', {})], [call('y', {})], [TextPart('done')])), []


@agent.tool
def y(ctx: RunContext):
    seen2.append((ctx.retry, dict(ctx.retries)))
    raise ModelRetry('odd')


@agent.tool_plain
def z():
    return 1


run('another between', agent, 'x')
fact('seen', seen2)
