from _common import *

agent = Agent(script([call('z', {})]))


@agent.tool_plain
def z():
    raise RuntimeError('boom')


run('error', agent, 'hi')
