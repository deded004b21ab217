"""Invalid arguments of tool calls: what the model is sent, and when the run gives up."""

from _common import call, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


def make(*responses, **kwargs):
    agent = Agent(script(*responses), **kwargs)

    @agent.tool_plain
    def x(a: int) -> str:
        return 'r'

    return agent


run('wrong type', make([call('x', {'a': 'q'})], [TextPart('ok')]), 'hi')
run('invalid JSON', make([call('x', '{bad')], [TextPart('ok')]), 'hi')
run('no object', make([call('x', '[1]')], [TextPart('ok')]), 'hi')
run('extra key', make([call('x', {'a': 1, 'z': 2})], [TextPart('ok')]), 'hi')
run('missing', make([call('x', None)], [TextPart('ok')]), 'hi')
run('for ever', make([call('x', {'a': 'q'})]), 'hi')
