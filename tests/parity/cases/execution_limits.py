"""`tool_calls_limit`: which calls count, and when the limit is checked."""

from _common import call, error_text, fact, script
from _execution import LOG, note
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import TextPart
from pydantic_ai.usage import RunUsage, UsageLimits


async def t(n: int = 0):
    note(f't{n}')
    if n == 7:
        raise ModelRetry('seven')
    return n


def calls(*numbers):
    return [call('t', {'n': number}, f'c{number}') for number in numbers]


def limited(title, limit, *steps, **options):
    LOG.clear()
    agent = Agent(script(*steps, [TextPart('x')]), tools=[t])
    usage = RunUsage()
    try:
        outcome = agent.run_sync('q', usage=usage, usage_limits=UsageLimits(tool_calls_limit=limit), **options).output
    except Exception as error:
        outcome = error_text(error)
    fact(title, [LOG, usage.tool_calls, outcome])


limited('none', None, calls(1, 2, 3))
limited('enough', 3, calls(1, 2, 3))
limited('too many at once', 2, calls(1, 2, 3))
limited('too many together', 3, calls(1, 2), calls(3, 4))
limited('zero', 0, calls(1))
limited('zero, none called', 0)
limited('retries do not count', 2, calls(7), calls(1, 2))
limited('wrong arguments do not count', 1, [call('t', {'n': 'x'})], calls(1))
limited('unknown names do not count', 1, [call('nobody', {})], calls(1))
limited('unknown names beside', 1, [call('nobody', {}), *calls(1)])
limited('failing beside', 1, calls(7, 1))
limited('output tools do not count', 0)


def start(used):
    agent = Agent(script(calls(1, 2), [TextPart('x')]), tools=[t])
    usage = RunUsage(tool_calls=used)
    try:
        return [agent.run_sync('q', usage=usage, usage_limits=UsageLimits(tool_calls_limit=4)).output, usage.tool_calls]
    except Exception as error:
        return error_text(error)


fact('used before', [start(number) for number in (0, 2, 3, 9)])
with Agent.parallel_tool_call_execution_mode('sequential'):
    limited('in turn', 2, calls(1, 2, 3))
