from _common import *

agent = Agent(script(ModelResponse(parts=[call('q', '{"a":')], finish_reason='length')))


@agent.tool_plain
def q(a: int):
    return a


run('cut', agent, 'hi')
