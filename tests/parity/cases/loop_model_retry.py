from _common import *

agent = Agent(script([call('y', {})], [TextPart('ok')]))


@agent.tool_plain(retries=2)
def y():
    raise ModelRetry('again')


run('once', agent, 'hi')
agent = Agent(script([call('y', {})]))
agent.tool_plain(retries=2)(y)
run('for ever', agent, 'hi')
